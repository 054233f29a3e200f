//! The history tables that know the quiet moves of one node, looked up once per node.

use super::{continuation, history};
use crate::board::Threats;
use crate::params::Params;
use crate::types::{Move, Piece};

/// The rows of all history tables that belong to one node.
#[derive(Clone, Copy)]
pub struct QuietTables<'a> {
    pub p: &'a Params,
    /// The squares that the opponent attacks.
    pub threats: &'a Threats,
    pub butterfly: &'a history::Boards,
    pub pawn: &'a continuation::Row,
    /// The rows after the moves one, two, four and six plies before the node.
    pub continuations: [&'a continuation::Row; 4],
}

impl QuietTables<'_> {
    /// Returns the weighted sum of all histories of a piece's quiet move, in points.
    #[inline(always)]
    pub fn score(&self, piece: Piece, mv: Move) -> i32 {
        let (p, from, to) = (self.p, mv.from().index(), mv.to().index());
        let entry = |row: &continuation::Row| i32::from(row[piece.index()][to]);
        let butterfly = self.butterfly[history::kind(self.threats, mv)][from][to];
        let [one, two, four, six] = self.continuations;
        let sum = i32::from(butterfly) * p.quiet_butterfly()
            + entry(self.pawn) * p.quiet_pawn()
            + entry(one) * p.quiet_continuation_one()
            + entry(two) * p.quiet_continuation_two()
            + entry(four) * p.quiet_continuation_four()
            + entry(six) * p.quiet_continuation_six();
        sum / 1024
    }
}
