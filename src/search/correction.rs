//! Correction histories: the error that searches have found in the static evaluation of similar
//! positions.
//!
//! Source: <https://www.chessprogramming.org/Static_Evaluation_Correction_History>

use crate::board::Board;
use crate::memory::{Arena, Mapped, prefetch};
use crate::ordering::{PRIOR, gravity};
use crate::params::Params;
use crate::types::{Color, Piece, Played, Score, Square};

/// Number of entries of a table for each side to move. Positions that share an entry share its
/// correction.
const SIZE: usize = 1 << 14;

/// The corrections for one kind of key: `[side to move][key]`.
type KeyTable = [[i16; SIZE]; 2];
/// The corrections after one prior move: `[piece and to square of the move before it]`.
type ContinuationRow = [i16; PLACES];
/// Number of combinations of a piece with a square.
const PLACES: usize = Piece::COUNT * Square::COUNT;
/// The largest bonus is the limit of the corrections divided by this number.
const MAX_BONUS_DIVISOR: i32 = 4;

/// The correction histories of one worker.
#[derive(Debug)]
pub struct Corrections {
    /// One table for each kind of key, see [`keys`].
    tables: Mapped<KeyTable>,
    /// A row for each piece and to square of the last move. The move before it and the one two plies
    /// earlier, both of the side to move, share the entries of the row.
    continuation: Mapped<ContinuationRow>,
}

/// Number of kinds of keys: pawns, minor pieces, White's pieces, Black's pieces.
const TABLES: usize = 4;

impl Corrections {
    /// Creates empty histories.
    pub fn new() -> Self {
        let bytes = TABLES * size_of::<KeyTable>() + PLACES * size_of::<ContinuationRow>();
        let mut memory = Arena::new(bytes);
        Self {
            tables: memory.take(TABLES),
            continuation: memory.take(PLACES),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.tables.as_flattened_mut().as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
    }

    /// Returns the correction of the static evaluation in centipawns, for a position reached by
    /// these moves. The last move comes first.
    pub fn correction(&self, p: &Params, board: &Board, prior: [Played; PRIOR]) -> Score {
        let side = board.side_to_move().index();
        let [pawn, minor, white, black] = keys(board);
        let at = |table: usize, key| i32::from(self.tables[table][side][key]);
        let sum = at(0, pawn) * p.correction_pawn()
            + at(1, minor) * p.correction_minor()
            + (at(2, white) + at(3, black)) * p.correction_non_pawn()
            + self.after(prior[0], prior[1]) * p.correction_continuation()
            + self.after(prior[0], prior[3]) * p.correction_continuation_four();
        sum / p.correction_limit()
    }

    /// Returns the entry of a last move and of one before it, in points.
    #[inline(always)]
    fn after(&self, last: Played, before: Played) -> i32 {
        i32::from(self.continuation[place(last)][place(before)])
    }

    /// Prefetches the entries that [`Self::correction`] reads, but for that of the move four plies
    /// before the position.
    #[inline(always)]
    pub fn prefetch(&self, board: &Board, prior: [Played; 2]) {
        let side = board.side_to_move().index();
        for (table, key) in self.tables.iter().zip(keys(board)) {
            prefetch(&table[side][key]);
        }
        prefetch(&self.continuation[place(prior[0])][place(prior[1])]);
    }

    /// Learns from a search of `depth` plies whose score differed from the static evaluation by
    /// `error` centipawns. A positive error means that the score was higher.
    pub fn learn(
        &mut self,
        p: &Params,
        board: &Board,
        prior: [Played; PRIOR],
        depth: i32,
        error: Score,
    ) {
        let limit = p.correction_limit();
        let max = limit / MAX_BONUS_DIVISOR;
        let bonus =
            (error.clamp(-limit, limit) * depth * p.correction_rate() / 1024).clamp(-max, max);
        let side = board.side_to_move().index();
        for (table, key) in self.tables.iter_mut().zip(keys(board)) {
            gravity::update(&mut table[side][key], bonus, limit);
        }
        for before in [prior[1], prior[3]] {
            if !prior[0].is_none() && !before.is_none() {
                let entry = &mut self.continuation[place(prior[0])][place(before)];
                gravity::update(entry, bonus, limit);
            }
        }
    }
}

impl Default for Corrections {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the index of a position in each table.
#[inline(always)]
fn keys(board: &Board) -> [usize; TABLES] {
    [
        board.pawn_key(),
        board.minor_key(),
        board.non_pawn_key(Color::White),
        board.non_pawn_key(Color::Black),
    ]
    .map(|key| key as usize % SIZE)
}

/// Returns the index of a move's piece and to square. [`Played::NONE`] is encoded as a white pawn's
/// move to a1, which is impossible, so its entry stays 0.
#[inline(always)]
fn place(played: Played) -> usize {
    played.piece.index() * Square::COUNT + played.mv.to().index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Move, MoveKind};

    fn after(names: &[&str]) -> Board {
        let mut board = Board::startpos();
        for name in names {
            let square = |name| Square::parse(name).expect("a valid square");
            board.make(Move::new(
                square(&name[..2]),
                square(&name[2..]),
                MoveKind::Quiet,
            ));
        }
        board
    }

    #[test]
    fn errors_are_learned_and_shared_by_similar_positions() {
        let p = &Params::default();
        let mut corrections = Corrections::new();
        let (board, prior) = (after(&["g1f3", "g8f6"]), [Played::NONE; PRIOR]);
        for _ in 0..50 {
            corrections.learn(p, &board, prior, 8, 100);
        }
        let known = corrections.correction(p, &board, prior);
        assert!(known > 0);
        // Positions that share fewer keys share less of the correction.
        let one_side = corrections.correction(p, &after(&["g1f3", "b8c6"]), prior);
        let pawns = corrections.correction(p, &after(&["b1c3", "b8c6"]), prior);
        assert!(known > one_side && one_side > pawns && pawns > 0);
        assert_eq!(corrections.correction(p, &after(&["g1f3"]), prior), 0);
        corrections.clear();
        assert_eq!(corrections.correction(p, &board, prior), 0);
    }

    #[test]
    fn the_prior_moves_contribute() {
        let p = &Params::default();
        let mut corrections = Corrections::new();
        let board = after(&["g1f3", "g8f6"]);
        let played = |to| Played {
            mv: Move::new(Square::new(3), Square::new(to), MoveKind::Quiet),
            piece: Piece::WhiteQueen,
            captured: None,
        };
        let none = Played::NONE;
        let prior = [played(20), played(30), none, played(40)];
        for _ in 0..50 {
            corrections.learn(p, &board, prior, 8, -100);
        }
        let after = |second, fourth| {
            let prior = [played(20), second, none, fourth];
            corrections.correction(p, &board, prior)
        };
        let others = after(played(31), played(41));
        assert!(others < 0);
        assert_eq!(others, corrections.correction(p, &board, [none; PRIOR]));
        for [second, fourth] in [[30, 41], [31, 40]].map(|to| to.map(played)) {
            assert!(after(second, fourth) < others);
            assert!(after(played(30), played(40)) < after(second, fourth));
        }
    }
}
