//! Other orders of the root moves after the best one: by time, by the score of the first iteration,
//! unchanged, or with equal moves reversed.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::hook::SearchedMove;
use rejoinder::ordering::{Context, NodeKind, OrderingHook, RootMove};
use rejoinder::types::{Move, Score};

pub const ENTRY: Experiment = Experiment {
    name: "root-order",
    what: "By default, the root moves after the best one are sorted by the size of their subtrees, \
           and equal moves keep their order. The variants only move the best move to the front \
           (`off`), sort by time (which differs from run to run), sort by the score of the first \
           iteration, or reverse equal moves (`not-stable`).",
    source: "T. King, \"Move ordering at root of search\", Computer Chess Club, 7 May 2001, https://www.stmintz.com/ccc/index.php?id=168497",
    in_default: true,
    variants: &[
        Variant::new("off", || Box::new(AsTheyAre)),
        Variant::new("by-time", || Box::new(ByTime::default())),
        Variant::new("by-first-evaluation", || {
            Box::new(ByFirstEvaluation::default())
        }),
        Variant::new("not-stable", || Box::new(NotStable)),
    ],
};

#[derive(Debug)]
struct AsTheyAre;

impl OrderingHook for AsTheyAre {
    fn order_root(&mut self, _: &[RootMove], _: &mut [RootMove]) {}
}

#[derive(Debug)]
struct NotStable;

impl OrderingHook for NotStable {
    fn order_root(&mut self, _: &[RootMove], rest: &mut [RootMove]) {
        rest.sort_by_key(|root| root.nodes);
        rest.reverse();
    }
}

/// Sorts by the time spent on each root move in the last iteration.
#[derive(Debug, Default)]
struct ByTime {
    since: Option<Instant>,
    spent: Vec<(Move, Duration)>,
}

impl OrderingHook for ByTime {
    fn enter(&mut self, ctx: &Context, _: NodeKind) {
        if ctx.ply == 0 {
            self.since = Some(Instant::now());
        }
    }

    fn searched(&mut self, ctx: &Context, searched: SearchedMove) {
        if ctx.ply == 0 {
            let elapsed = self.since.map_or(Duration::ZERO, |since| since.elapsed());
            self.spent.push((searched.mv, elapsed));
            self.since = Some(Instant::now());
        }
    }

    fn order_root(&mut self, _: &[RootMove], rest: &mut [RootMove]) {
        let spent = std::mem::take(&mut self.spent);
        let of = |mv| -> Duration {
            let visits = spent.iter().filter(|(other, _)| *other == mv);
            visits.map(|(_, elapsed)| *elapsed).sum()
        };
        rest.sort_by_cached_key(|root| Reverse(of(root.mv)));
    }
}

/// Sorts by the score of each root move in the first iteration.
#[derive(Debug, Default)]
struct ByFirstEvaluation {
    scores: Vec<(Move, Score)>,
    settled: bool,
}

impl OrderingHook for ByFirstEvaluation {
    fn new_search(&mut self, _: usize) {
        *self = Self::default();
    }

    fn searched(&mut self, ctx: &Context, searched: SearchedMove) {
        if ctx.ply == 0 && !self.settled {
            self.scores.push((searched.mv, searched.score));
        }
    }

    fn order_root(&mut self, _: &[RootMove], rest: &mut [RootMove]) {
        self.settled = true;
        let first = |mv| self.scores.iter().find(|(other, _)| *other == mv);
        rest.sort_by_key(|root| Reverse(first(root.mv).map(|(_, score)| *score)));
    }
}
