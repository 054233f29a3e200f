//! Endgame tablebases in the search: the ranks of the root moves, probes of nodes right after
//! captures and pawn moves.
// Source: https://www.chessprogramming.org/Syzygy_Bases

use std::time::Instant;

use super::node::{Node, NodeState};
use super::root_moves::RootMoves;
use super::{Search, SearchRequest};
use crate::board::Board;
use crate::tablebase::{Probing, Ranks, Wdl, score_of};
use crate::tt::Bound;
use crate::types::{MAX_PLY, Move, Score, score};

/// Plies by which the TT entry of a probed position is deeper than its node.
const EXTRA_DEPTH: i32 = 6;

/// The tablebases as one `go` uses them; by default none.
#[derive(Clone, Debug, Default)]
pub struct SearchTablebases {
    probing: Probing,
    ranks: Option<Ranks>,
}

impl SearchTablebases {
    /// Ranks the root moves once for all workers. If that is not finished by `until`, they stay
    /// unranked, because the disk is slow. Where a mate in few moves is asked for, there are no
    /// tablebases: their moves would often lead to a longer one.
    pub fn new(probing: &Probing, request: &SearchRequest, until: Instant) -> Self {
        if probing.max_pieces() == 0 || request.limits.mate.is_some() {
            return Self::default();
        }
        let game = &request.game;
        let roots = RootMoves::new(game.board(), &request.limits.search_moves);
        let moves: Vec<Move> = roots.iter().map(|root| root.mv).collect();
        Self {
            probing: probing.clone(),
            ranks: probing.rank_root(game, &moves, request.multi_pv, &|| Instant::now() >= until),
        }
    }

    /// Returns the tablebases, and the conditions under which they are probed.
    pub(crate) fn probing(&self) -> &Probing {
        &self.probing
    }

    /// Returns the ranks of the root moves, if the tablebases contain the root.
    pub(super) fn ranks(&self) -> Option<&Ranks> {
        self.ranks.as_ref()
    }

    /// Returns the largest number of pieces with which a node is probed; 0 disables probing. With a
    /// root ranked by DTZ, probing would only hide mates; in a root that is not won, there is no
    /// winning line to find.
    pub(super) fn max_pieces(&self) -> u32 {
        let is_settled = |ranks: &Ranks| ranks.by_dtz || ranks.moves[0].score < score::DECISIVE;
        if self.ranks().is_some_and(is_settled) {
            0
        } else {
            self.probing.max_pieces()
        }
    }
}

impl Search<'_> {
    /// Returns the tablebase score of a node, if it lies outside the window or is exact. Else a PV
    /// node gets a lower or upper bound of its score and is searched, since there may be a mate.
    #[cold]
    pub(super) fn probe_tablebases<N: Node>(
        &mut self,
        board: &Board,
        node: &mut NodeState,
    ) -> Option<Score> {
        let probing = &self.plan.tables.probing;
        let tables = probing.tables.as_ref()?;
        let largest = board.occupied().count() == tables.largest();
        if board.halfmove_clock() != 0 || largest && node.depth < probing.depth {
            return None;
        }
        let wdl = probing.outcome(tables.wdl(board)?);
        self.tb_hits += 1;
        let score = score_of(wdl, node.ply);
        let bound = match wdl {
            Wdl::Win => Bound::Lower,
            Wdl::Loss => Bound::Upper,
            _ => Bound::Exact,
        };
        let depth = (node.depth + EXTRA_DEPTH).min(MAX_PLY as i32);
        let entry = node.new_tt_entry(Move::NULL, score, depth, bound);
        if entry.decides(node.window.alpha, node.window.beta) {
            self.tt.store(board.key(), node.ply, entry);
            return Some(score);
        }
        match bound {
            Bound::Lower if N::PV => node.tb_floor = score,
            Bound::Upper if N::PV => node.tb_ceiling = score,
            _ => {}
        }
        None
    }
}
