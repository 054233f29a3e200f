//! Detects repetitions that have happened and those that the side to move can bring about.

use super::{Board, attacks::between, zobrist};
use crate::types::{Move, MoveKind, PieceType, Square};

/// Returns whether the search scores the position as a draw by repetition. `earlier` holds the keys
/// of all positions before it, the oldest first. The root lies `ply` plies back. One earlier
/// occurrence after the root is enough; otherwise two are needed.
#[inline]
pub fn is_repetition(board: &Board, earlier: &[u64], ply: usize) -> bool {
    let length = earlier.len();
    let mut before_root = false;
    // A repetition takes at least two moves of each side.
    let mut back = 4;
    while back <= reach(board, length) {
        if earlier[length - back] == board.key() {
            if back < ply || before_root {
                return true;
            }
            before_root = true;
        }
        back += 2;
    }
    false
}

/// Returns whether one reversible move separates the position from an earlier one: a move of the
/// side to move that repeats a position after the root or one that has already occurred twice, or
/// one by which the opponent could have come here sooner, after the root. Such a detour gains
/// nothing, so it counts as a draw for the weaker side; without it, most mates of
/// `tests/chess/lone_king.rs` took longer. The arguments are those of [`is_repetition`].
// Source: M. van Kervinck, cuckoo tables of reversible moves, 2013;
// https://www.chessprogramming.org/Repetitions
#[inline]
pub fn can_repeat(board: &Board, earlier: &[u64], ply: usize) -> bool {
    let length = earlier.len();
    let mut back = 3;
    while back <= reach(board, length) {
        let key = earlier[length - back];
        if let Some(mv) = TABLE.find(board.key() ^ key)
            && (between(mv.from(), mv.to()) & board.occupied()).is_empty()
        {
            if back < ply {
                return true;
            }
            // At or before the root, the side to move must make the move, and the position must
            // have been repeated already.
            let piece = board.piece_on(mv.from()).or(board.piece_on(mv.to()));
            if piece.is_some_and(|piece| piece.color() == board.side_to_move())
                && earlier[..length - back].contains(&key)
            {
                return true;
            }
        }
        back += 2;
    }
    false
}

/// Returns how many plies back an equal position may lie.
#[inline(always)]
fn reach(board: &Board, length: usize) -> usize {
    length.min(board.reversible as usize)
}

const SLOTS: usize = 1 << 13;
static TABLE: Cuckoo = Cuckoo::new();

/// A cuckoo hash table of all reversible moves by the difference that they make to the key. Each
/// lies in one of two slots.
struct Cuckoo {
    keys: [u64; SLOTS],
    moves: [Move; SLOTS],
}

impl Cuckoo {
    const fn new() -> Self {
        let mut table = Self {
            keys: [0; SLOTS],
            moves: [Move::NULL; SLOTS],
        };
        let mut piece = PieceType::Knight as usize * 2;
        while piece < 12 {
            let mut from = 0;
            while from < 64 {
                let mut to = from + 1;
                while to < 64 {
                    if can_step(piece / 2, from as u8, to as u8) {
                        let key = zobrist::piece_const(piece, from)
                            ^ zobrist::piece_const(piece, to)
                            ^ zobrist::SIDE;
                        let mv = Move::new(
                            Square::new(from as u8),
                            Square::new(to as u8),
                            MoveKind::Quiet,
                        );
                        table.insert(key, mv);
                    }
                    to += 1;
                }
                from += 1;
            }
            piece += 1;
        }
        table
    }

    const fn insert(&mut self, mut key: u64, mut mv: Move) {
        let mut slot = first_slot(key);
        while !mv.is_null() {
            let pushed_out = (self.keys[slot], self.moves[slot]);
            self.keys[slot] = key;
            self.moves[slot] = mv;
            (key, mv) = pushed_out;
            slot = if slot == first_slot(key) {
                second_slot(key)
            } else {
                first_slot(key)
            };
        }
    }

    #[inline(always)]
    fn find(&self, key: u64) -> Option<Move> {
        [first_slot(key), second_slot(key)]
            .into_iter()
            .find(|&slot| self.keys[slot] == key)
            .map(|slot| self.moves[slot])
    }
}

#[inline(always)]
const fn first_slot(key: u64) -> usize {
    key as usize & (SLOTS - 1)
}

#[inline(always)]
const fn second_slot(key: u64) -> usize {
    (key >> 13) as usize & (SLOTS - 1)
}

/// Returns whether a piece of this kind can move from one square to the other on an empty board.
const fn can_step(kind: usize, from: u8, to: u8) -> bool {
    let files = (from & 7).abs_diff(to & 7);
    let ranks = (from >> 3).abs_diff(to >> 3);
    let diagonal = files == ranks;
    let straight = files == 0 || ranks == 0;
    match kind {
        1 => files * ranks == 2,
        2 => diagonal,
        3 => straight,
        4 => diagonal || straight,
        _ => files <= 1 && ranks <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Game, bishop_attacks, king_attacks, knight_attacks, rook_attacks};
    use crate::types::Bitboard;

    fn walk(squares: &[(&str, &str)]) -> Game {
        let mut game = Game::new(Board::startpos());
        for (from, to) in squares {
            let wanted = (Square::parse(from).unwrap(), Square::parse(to).unwrap());
            let mv = game
                .board()
                .legal_moves()
                .into_iter()
                .find(|mv| (mv.from(), mv.to()) == wanted)
                .unwrap();
            game.play(mv);
        }
        game
    }

    const SHUFFLE: [(&str, &str); 8] = [
        ("g1", "f3"),
        ("g8", "f6"),
        ("f3", "g1"),
        ("f6", "g8"),
        ("g1", "f3"),
        ("g8", "f6"),
        ("f3", "g1"),
        ("f6", "g8"),
    ];

    #[test]
    fn once_after_the_root_twice_before_it() {
        let twice = walk(&SHUFFLE[..4]);
        assert!(!is_repetition(twice.board(), twice.keys(), 4));
        assert!(is_repetition(twice.board(), twice.keys(), 5));
        let thrice = walk(&SHUFFLE);
        assert!(is_repetition(thrice.board(), thrice.keys(), 0));
        assert!(thrice.outcome().is_some() && twice.outcome().is_none());
    }

    #[test]
    fn a_coming_repetition_is_seen_one_ply_before() {
        let game = walk(&SHUFFLE[..3]);
        assert!(can_repeat(game.board(), game.keys(), 4));
        assert!(!can_repeat(game.board(), game.keys(), 3));
        let game = walk(&SHUFFLE[..7]);
        assert!(can_repeat(game.board(), game.keys(), 0));
    }

    #[test]
    fn a_detour_of_the_opponent_counts_after_the_root_only() {
        // White's knights are at home again, and Black could have played b8c6 at once.
        let game = walk(&[
            ("g1", "f3"),
            ("g8", "f6"),
            ("f3", "g1"),
            ("b8", "c6"),
            ("g1", "f3"),
            ("f6", "g8"),
        ]);
        assert!(can_repeat(game.board(), game.keys(), 6));
        assert!(!can_repeat(game.board(), game.keys(), 5));
    }

    #[test]
    fn a_pawn_move_ends_the_reach() {
        let mut game = walk(&SHUFFLE[..3]);
        let push = walk(&[("e2", "e4")]).played(1).mv;
        game.play(walk(&SHUFFLE[..1]).board().quiets()[0]);
        if game.board().is_legal(push) {
            game.play(push);
            assert!(!can_repeat(game.board(), game.keys(), 100));
        }
    }

    #[test]
    fn the_table_holds_every_reversible_move() {
        let mut count = 0;
        for square in Square::all() {
            let empty = Bitboard::EMPTY;
            count += 2 * knight_attacks(square).count();
            count += 2 * king_attacks(square).count();
            count += 4 * bishop_attacks(square, empty).count();
            count += 4 * rook_attacks(square, empty).count();
        }
        let stored = TABLE.moves.iter().filter(|mv| !mv.is_null()).count() as u32;
        assert_eq!(stored, count / 2);
        for slot in 0..SLOTS {
            if !TABLE.moves[slot].is_null() {
                assert_eq!(TABLE.find(TABLE.keys[slot]), Some(TABLE.moves[slot]));
            }
        }
    }
}
