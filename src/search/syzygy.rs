//! Endgame tables in the search: the moves of the root by them, and the nodes right after captures and pawn moves.
// Source: https://www.chessprogramming.org/Syzygy_Bases

use std::time::Instant;

use super::Search;
use super::node::{Node, NodeState};
use crate::board::{Board, Game};
use crate::ordering::RootMoves;
use crate::tablebase::{Probing, Ranks, Wdl, score_of};
use crate::tt::{Bound, TtEntry};
use crate::types::{MAX_PLY, Move, Score, score};

/// What the table's entry of a looked-up position is worth more than its depth, plies.
const ENTRY_DEPTH: i32 = 6;

/// The tables as one `go` uses them; by default none.
#[derive(Clone, Debug, Default)]
pub struct SearchTablebases {
    probing: Probing,
    ranks: Option<Ranks>,
}

impl SearchTablebases {
    /// Ranks the root's moves once for all workers. Ranks nothing if that takes beyond `until`.
    pub fn new(
        probing: &Probing,
        game: &Game,
        search_moves: &[Move],
        until: Option<Instant>,
    ) -> Self {
        if probing.max_pieces() == 0 {
            return Self::default();
        }
        let roots = RootMoves::new(game.board(), search_moves);
        let moves: Vec<Move> = roots.iter().map(|root| root.mv).collect();
        Self {
            probing: probing.clone(),
            ranks: probing.rank_root(game, &moves, until),
        }
    }

    /// What the tables say of the root's moves.
    pub fn ranks(&self) -> Option<&Ranks> {
        self.ranks.as_ref()
    }

    /// The most pieces of a node that is looked up; 0 for none. Where the root's moves are known to keep the result all the way, looking up
    /// only hides the mates, and where nothing is won there is no way to be found.
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
    /// The node's score by the tables, where it decides. Else a PV node learns its floor or ceiling, and is searched all the same: it may be mate.
    #[cold]
    pub(super) fn probe_tablebases<N: Node>(
        &mut self,
        board: &Board,
        node: &mut NodeState,
    ) -> Option<Score> {
        let probing = &self.job.tables.probing;
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
        let found = TtEntry {
            mv: Move::NULL,
            score,
            eval: score::NONE,
            depth: (node.depth + ENTRY_DEPTH).min(MAX_PLY as i32),
            bound,
            pv: node.tt_pv,
        };
        if found.decides(node.alpha, node.beta) {
            self.tt.store(board.key(), node.ply, found);
            return Some(score);
        }
        match bound {
            Bound::Lower if N::PV => node.floor = score,
            Bound::Upper if N::PV => node.ceiling = score,
            _ => {}
        }
        None
    }
}
