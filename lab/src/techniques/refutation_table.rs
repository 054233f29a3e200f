//! Refutation table and PV move: the lines of the last iteration supply a move if the TT entry of a
//! node has been overwritten.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::hook::SearchedMove;
use rejoinder::ordering::{Context, NodeKind, OrderingHook, PLIES, RootMove};
use rejoinder::types::Move;

pub const ENTRY: Experiment = Experiment {
    name: "refutation-table",
    what: "Nodes without a TT move first try the move of the line that refuted the root move in \
           the last iteration. The variant `pv` does so only along the principal variation. The \
           technique is meant for small transposition tables, whose entries are often overwritten.",
    source: "S. Akl, R. Doran, 1981; https://www.chessprogramming.org/Refutation_Table; https://www.chessprogramming.org/PV-Move",
    in_default: false,
    variants: &[
        Variant::new("pv", || Box::new(RefutationTable::new(true))),
        Variant::new("all", || Box::new(RefutationTable::new(false))),
    ],
};

#[derive(Debug)]
struct RefutationTable {
    /// For each ply, the move that led to the current node and the best line found at that node.
    lines: Vec<(Move, Vec<Move>)>,
    /// The moves from the root to the current node; `path[1]` is the root move.
    path: Vec<Move>,
    /// The line of each root move, which begins with the root move.
    refutations: Vec<Vec<Move>>,
    /// The best root move of the last iteration.
    best: Move,
    /// Only the line of the best root move is used.
    pv_only: bool,
}

impl RefutationTable {
    fn new(pv_only: bool) -> Self {
        Self {
            lines: vec![(Move::NULL, Vec::new()); PLIES + 1],
            path: vec![Move::NULL; PLIES],
            refutations: Vec::new(),
            best: Move::NULL,
            pv_only,
        }
    }

    /// Returns the line from a node of this ply that begins with this move; it has only this move
    /// if the search found no continuation.
    fn line_after(&self, ply: usize, mv: Move) -> Vec<Move> {
        let (leads, line) = &self.lines[ply + 1];
        let tail = if *leads == mv { &line[..] } else { &[] };
        [&[mv], tail].concat()
    }
}

impl OrderingHook for RefutationTable {
    fn new_search(&mut self, _: usize) {
        self.refutations.clear();
        self.path.fill(Move::NULL);
        self.best = Move::NULL;
    }

    fn enter(&mut self, ctx: &Context, _: NodeKind) {
        let [last, ..] = ctx.prior;
        self.path[ctx.ply] = last.mv;
        self.lines[ctx.ply] = (last.mv, Vec::new());
        self.lines[ctx.ply + 1].0 = Move::NULL;
    }

    fn searched(&mut self, ctx: &Context, searched: SearchedMove) {
        let (ply, mv) = (ctx.ply, searched.mv);
        if ply == 0 {
            let line = self.line_after(0, mv);
            self.refutations.retain(|other| other[0] != mv);
            self.refutations.push(line);
        } else if searched.best {
            self.lines[ply].1 = self.line_after(ply, mv);
        }
        self.lines[ply + 1].0 = Move::NULL;
    }

    fn order_root(&mut self, best: &[RootMove], rest: &mut [RootMove]) {
        self.best = best.first().map_or(Move::NULL, |root| root.mv);
        rejoinder::ordering::by_subtree(rest);
    }

    fn first_move(&self, ctx: &Context, tt_move: Move) -> Move {
        let ply = ctx.ply;
        if !tt_move.is_null() || ply == 0 || self.pv_only && self.path[1] != self.best {
            return tt_move;
        }
        let path = &self.path[1..=ply];
        let line = self.refutations.iter().find(|line| line.starts_with(path));
        line.and_then(|line| line.get(ply).copied())
            .unwrap_or(tt_move)
    }
}
