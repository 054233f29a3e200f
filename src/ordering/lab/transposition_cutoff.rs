//! Enhanced transposition cutoff: before any move is searched, the table is asked for the positions after all of them.

use std::cell::Cell;

use super::{Entry, Lab, Variant};
use crate::ordering::technique::Scene;
use crate::ordering::{Context, PLIES, Technique};
use crate::tt::{Bound, Table};
use crate::types::{Move, Score};

/// Least depth of a node that asks, plies: near the leaves it costs more than it saves.
const DEPTH: i32 = 3;
/// Halfmove clock from which a score of the table may not hold, plies.
const CLOCK: u32 = 90;

pub const ENTRY: Entry = Entry {
    name: "transposition-cutoff",
    what: "From depth 3 on a node is cut if the table's entry of any position after a move proves it; in the second form a move whose entry says so, but is too shallow, is tried first where there is no TT move.",
    source: "J. Schaeffer, A. Plaat, \"New Advances in Alpha-Beta Searching\", 1996; https://www.chessprogramming.org/Enhanced_Transposition_Cutoff",
    in_default: false,
    variants: &[
        Variant::new("cut", || Lab::new(Enhanced::new(false))),
        Variant::new("cut-or-first", || Lab::new(Enhanced::new(true))),
    ],
};

#[derive(Debug)]
struct Enhanced {
    /// The move to try first, by ply.
    promising: Box<[Cell<Move>]>,
    orders: bool,
}

impl Enhanced {
    fn new(orders: bool) -> Self {
        Self {
            promising: vec![Cell::new(Move::NULL); PLIES].into_boxed_slice(),
            orders,
        }
    }
}

impl Technique for Enhanced {
    fn new_search(&mut self, _: usize) {
        self.promising.fill(Cell::new(Move::NULL));
    }

    fn enter(&mut self, ctx: &Context, _: Scene) {
        self.promising[ctx.ply].set(Move::NULL);
    }

    fn transposed(&self, table: &Table, ctx: &Context, scene: Scene) -> Option<(Move, Score)> {
        let (_, beta) = scene.window;
        if scene.depth < DEPTH || ctx.board.halfmove_clock() >= CLOCK {
            return None;
        }
        for mv in ctx.board.legal_moves() {
            let mut child = *ctx.board;
            child.make(mv);
            let Some(hit) = table.probe(child.key(), ctx.ply + 1) else {
                continue;
            };
            if hit.bound == Bound::Lower || -hit.score < beta {
                continue;
            }
            if hit.depth >= scene.depth - 1 {
                return Some((mv, -hit.score));
            }
            self.promising[ctx.ply].set(mv);
        }
        None
    }

    fn first_move(&self, ctx: &Context, tt_move: Move) -> Move {
        if self.orders && tt_move.is_null() {
            self.promising[ctx.ply].get()
        } else {
            tt_move
        }
    }
}
