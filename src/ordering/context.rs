//! The node whose moves are ordered, as the heuristics see it.

use crate::board::{Board, CheckInfo, Threats};
use crate::params::Params;
use crate::tt::TranspositionTable;
use crate::types::{MAX_PLY, Move, Played};

/// Number of plies for which tables by ply have room: a power of two above [`MAX_PLY`], so that an
/// index needs no bounds check.
pub const PLIES: usize = (MAX_PLY + 1).next_power_of_two();

/// Number of moves before a node that the histories look at.
pub const PRIOR: usize = 4;

/// A node whose moves are ordered: everything by which the histories are indexed.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The position.
    pub board: &'a Board,
    /// Distance from the root, in plies.
    pub ply: usize,
    /// The moves that led to the node, the last one first. [`Played::NONE`] stands for a null move
    /// and for a move before the start of the game. At the root these are the last moves of the
    /// game.
    pub prior: [Played; PRIOR],
    /// The squares that the opponent attacks. Empty in a node of captures only.
    pub threats: Threats,
    /// The squares from which the side to move gives check. Empty in a node of captures only.
    pub checks: CheckInfo,
    /// The transposition table of the search, if entries of the positions after the moves are to be
    /// prefetched.
    pub tt: Option<&'a TranspositionTable>,
}

impl<'a> Context<'a> {
    /// Describes a node where quiet moves count as well.
    #[inline(always)]
    pub fn new(board: &'a Board, ply: usize, prior: [Played; PRIOR]) -> Self {
        let (threats, checks) = board.threats_and_checks();
        Self {
            board,
            ply,
            prior,
            threats,
            checks,
            tt: None,
        }
    }

    /// Describes a node where only captures and promotions count: threats and checks are not
    /// computed.
    #[inline(always)]
    pub fn captures_only(board: &'a Board, ply: usize, prior: [Played; PRIOR]) -> Self {
        Self {
            board,
            ply,
            prior,
            threats: Threats::default(),
            checks: CheckInfo::NONE,
            tt: None,
        }
    }

    /// Returns the same node with the transposition table in which its children will be probed.
    #[inline(always)]
    pub fn with_tt(self, tt: &'a TranspositionTable) -> Self {
        Self {
            tt: Some(tt),
            ..self
        }
    }

    /// Prefetches the TT entry of the position after a move that is likely to be searched.
    #[inline(always)]
    pub fn prefetch(&self, mv: Move) {
        if let Some(tt) = self.tt {
            tt.prefetch(self.board.key_hint(mv));
        }
    }

    /// Returns whether the exchange that a legal quiet move starts loses at most `loss` centipawns,
    /// which is at least 0. The result is that of [`Board::see_ge`] with the threshold `-loss`. The
    /// node must not be one of captures only.
    #[inline]
    pub fn quiet_holds(&self, p: &Params, mv: Move, loss: i32) -> bool {
        debug_assert!(mv.is_quiet() && loss >= 0 && self.threats == self.board.threats());
        // The opponent attacks neither square. Moving away can open only the line of a slider that
        // attacks the piece now.
        let safe = !self.threats.has(mv.to()) && !self.threats.has(mv.from());
        debug_assert!(!safe || self.board.see_ge(p, mv, -loss));
        safe || self.board.see_ge(p, mv, -loss)
    }

    /// Returns the prior moves whose continuation histories are used: those one, two and four plies
    /// before the node.
    #[inline(always)]
    pub(super) fn continuation_moves(&self) -> [Played; 3] {
        [self.prior[0], self.prior[1], self.prior[3]]
    }
}
