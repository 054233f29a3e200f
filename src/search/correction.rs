//! Correction histories: by how much the search has lately found the static evaluation of like positions wrong.
//!
//! Source: <https://www.chessprogramming.org/Static_Evaluation_Correction_History>

use crate::board::Board;
use crate::memory::{Arena, Mapped, prefetch};
use crate::ordering::gravity;
use crate::params::Params;
use crate::types::{Color, Piece, Played, Score, Square};

/// Entries of a table for each side to move; positions that share one share what is learnt.
const SIZE: usize = 1 << 14;

/// What was learnt under one key: `[side to move][key]`.
type Table = [[i16; SIZE]; 2];
/// What was learnt after a move: `[piece and square of the one before it]`.
type MovesAfter = [i16; PLACES];
/// Pieces times squares.
const PLACES: usize = Piece::COUNT * Square::COUNT;
/// The most a lesson counts, as a part of the limit.
const LESSON_PARTS: i32 = 4;

/// The corrections one worker has learnt.
#[derive(Debug)]
pub struct Corrections {
    tables: Mapped<Table>,
    continuation: Mapped<MovesAfter>,
}

/// SearchTablebases with a key of the board: pawns, minor pieces, White's pieces, Black's pieces.
const TABLES: usize = 4;

impl Corrections {
    /// Nothing learnt.
    pub fn new() -> Self {
        let bytes = TABLES * size_of::<Table>() + PLACES * size_of::<MovesAfter>();
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

    /// What to add to the static evaluation of a position reached by these moves, centipawns.
    pub fn correction(&self, p: &Params, board: &Board, prior: [Played; 2]) -> Score {
        let side = board.side_to_move().index();
        let [pawn, minor, white, black] = keys(board);
        let at = |table: usize, key| i32::from(self.tables[table][side][key]);
        let sum = at(0, pawn) * p.correction_pawn()
            + at(1, minor) * p.correction_minor()
            + (at(2, white) + at(3, black)) * p.correction_non_pawn()
            + i32::from(self.continuation[place(prior[0])][place(prior[1])])
                * p.correction_continuation();
        sum / p.correction_limit()
    }

    /// Starts to fetch what [`Self::correction`] will read, into the cache.
    #[inline(always)]
    pub fn prefetch(&self, board: &Board, prior: [Played; 2]) {
        let side = board.side_to_move().index();
        for (table, key) in self.tables.iter().zip(keys(board)) {
            prefetch(&table[side][key]);
        }
        prefetch(&self.continuation[place(prior[0])][place(prior[1])]);
    }

    /// Learns that a search of `depth` plies was off the static evaluation by `error` centipawns.
    pub fn learn(
        &mut self,
        p: &Params,
        board: &Board,
        prior: [Played; 2],
        depth: i32,
        error: Score,
    ) {
        let limit = p.correction_limit();
        let most = limit / LESSON_PARTS;
        let lesson =
            (error.clamp(-limit, limit) * depth * p.correction_rate() / 1024).clamp(-most, most);
        let side = board.side_to_move().index();
        for (table, key) in self.tables.iter_mut().zip(keys(board)) {
            gravity::update(&mut table[side][key], lesson, limit);
        }
        if !prior[0].is_none() && !prior[1].is_none() {
            let entry = &mut self.continuation[place(prior[0])][place(prior[1])];
            gravity::update(entry, lesson, limit);
        }
    }
}

impl Default for Corrections {
    fn default() -> Self {
        Self::new()
    }
}

/// Where a position stands in each table.
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

/// [`Played::NONE`] is a white pawn on a1, where none can arrive: nothing is learnt there.
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
            let square = |name| Square::parse(name).expect("a square");
            board.make(Move::new(
                square(&name[..2]),
                square(&name[2..]),
                MoveKind::Quiet,
            ));
        }
        board
    }

    #[test]
    fn errors_are_learnt_and_shared_by_like_positions() {
        let p = &Params::default();
        let mut corrections = Corrections::new();
        let (board, prior) = (after(&["g1f3", "g8f6"]), [Played::NONE; 2]);
        for _ in 0..50 {
            corrections.learn(p, &board, prior, 8, 100);
        }
        let known = corrections.correction(p, &board, prior);
        assert!(known > 0);
        // Only the pawns are the same, or the pawns and one side.
        let one_side = corrections.correction(p, &after(&["g1f3", "b8c6"]), prior);
        let pawns = corrections.correction(p, &after(&["b1c3", "b8c6"]), prior);
        assert!(known > one_side && one_side > pawns && pawns > 0);
        assert_eq!(corrections.correction(p, &after(&["g1f3"]), prior), 0);
        corrections.clear();
        assert_eq!(corrections.correction(p, &board, prior), 0);
    }

    #[test]
    fn the_moves_before_have_their_part() {
        let p = &Params::default();
        let mut corrections = Corrections::new();
        let board = after(&["g1f3", "g8f6"]);
        let played = |to| Played {
            mv: Move::new(Square::new(3), Square::new(to), MoveKind::Quiet),
            piece: Piece::WhiteQueen,
            captured: None,
        };
        let prior = [played(20), played(30)];
        for _ in 0..50 {
            corrections.learn(p, &board, prior, 8, -100);
        }
        let known = corrections.correction(p, &board, prior);
        let others = corrections.correction(p, &board, [played(20), played(31)]);
        assert!(known < others && others < 0);
        assert_eq!(others, corrections.correction(p, &board, [Played::NONE; 2]));
    }
}
