//! The history tables that know the quiet moves of one node, looked up once per node.

use super::{continuation, history, low_ply};
use crate::board::Board;
use crate::memory::prefetch;
use crate::params::Params;
use crate::types::{Bitboard, Move, Piece, PieceType, Square};

/// The rows of all history tables that belong to one node.
#[derive(Clone, Copy)]
pub struct QuietTables<'a> {
    pub p: &'a Params,
    /// The squares that the opponent attacks.
    pub attacked: Bitboard,
    pub butterfly: &'a history::Boards,
    pub pawn: &'a continuation::Row,
    /// The rows after the moves one, two and four plies before the node.
    pub continuations: [&'a continuation::Row; 3],
    /// The board of the ply in the low-ply history, and the weight of its entries, in 1/1024; `None`
    /// at greater plies.
    pub low_ply: Option<(&'a low_ply::Board, i32)>,
}

/// The number of entries that share a cache line.
const LINE: usize = 64 / size_of::<i16>();

impl QuietTables<'_> {
    /// Prefetches the entries that moves of the pieces on the board are scored by, to be called
    /// before the moves are generated. They are spread over megabytes, and what a quiet move waits
    /// for is mostly them. The butterfly boards are small enough to stay in the cache.
    #[inline(always)]
    pub fn prefetch(&self, board: &Board) {
        let us = board.side_to_move();
        let [one, two, four] = self.continuations;
        for kind in PieceType::ALL {
            if board.pieces(us, kind).any() {
                for row in [one, two, four, self.pawn] {
                    let entries = &row[Piece::new(us, kind).index()];
                    for line in (0..Square::COUNT).step_by(LINE) {
                        prefetch(&entries[line]);
                    }
                }
            }
        }
    }

    /// Returns the weighted sum of all histories of a piece's quiet move, in points.
    #[inline(always)]
    pub fn score(&self, piece: Piece, mv: Move) -> i32 {
        let (p, from, to) = (self.p, mv.from().index(), mv.to().index());
        let entry = |row: &continuation::Row| i32::from(row[piece.index()][to]);
        let butterfly = self.butterfly[history::kind(self.attacked, mv)][from][to];
        let [one, two, four] = self.continuations;
        let low_ply = |(board, weight): (&low_ply::Board, i32)| i32::from(board[from][to]) * weight;
        let sum = self.low_ply.map_or(0, low_ply)
            + i32::from(butterfly) * p.quiet_butterfly()
            + entry(self.pawn) * p.quiet_pawn()
            + entry(one) * p.quiet_continuation_one()
            + entry(two) * p.quiet_continuation_two()
            + entry(four) * p.quiet_continuation_four();
        sum / 1024
    }
}
