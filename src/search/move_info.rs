//! A move of a node: what pruning, reductions and statistics know of it, and the depths to which it
//! is searched.

use super::Search;
use super::node::NodeState;
use crate::ordering::{Context, Picker, Stage};
use crate::types::Move;

/// A move and its place in the node.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveInfo {
    pub mv: Move,
    /// Number of the move among those searched, from 1.
    pub number: i32,
    /// The move's place in the order.
    pub stage: Stage,
    /// True if the move is the last best reply.
    pub lbr_reply: bool,
    /// True if the move gives check.
    pub check: bool,
    /// History of the move, in points; 0 for the first move, which is neither pruned nor reduced.
    pub history: i32,
    /// Depth of the child without a reduction, in plies.
    pub depth: i32,
    /// Depth of the first search of the child, in plies; equal to `depth` if the move is not a late
    /// one.
    pub reduced_depth: i32,
    /// The reduction of a late move, in 1/1024 plies; 0 for a move that is searched to full depth.
    /// Before the depths are planned, that of any move but the first, by which pruning judges it.
    pub reduction: i32,
}

impl MoveInfo {
    /// A late quiet move without anything special, from which tests make theirs.
    #[cfg(test)]
    pub const PLAIN: Self = Self {
        mv: Move::NULL,
        number: 2,
        stage: Stage::Quiet,
        lbr_reply: false,
        check: false,
        history: 0,
        depth: 8,
        reduced_depth: 8,
        reduction: 0,
    };

    /// Returns whether the move is neither a capture nor a promotion.
    #[inline(always)]
    pub const fn is_quiet(&self) -> bool {
        self.mv.is_quiet()
    }
}

impl Search<'_> {
    /// Describes the move that the picker handed out last, which would be searched with this
    /// number. Its depths are still to be planned.
    #[inline(always)]
    pub(super) fn move_info(
        &self,
        ctx: &Context,
        node: &NodeState,
        picker: &Picker,
        mv: Move,
        number: i32,
    ) -> MoveInfo {
        let history = if number == 1 {
            0
        } else if mv.is_quiet() {
            self.histories.quiet_history(self.p, ctx, mv)
        } else {
            self.histories.capture_history(ctx, mv)
        };
        let mut info = MoveInfo {
            mv,
            number,
            stage: picker.stage(),
            lbr_reply: picker.is_lbr_reply(mv),
            check: ctx.checks.gives_check(ctx.board, mv),
            history,
            depth: 0,
            reduced_depth: 0,
            reduction: 0,
        };
        if number > 1 {
            info.reduction = self.late_move_reduction(node, &info);
        }
        info
    }
}
