//! Time management: turns the limits of a `go` line into a time budget. Nothing here reads a clock.
//!
//! After the *soft* limit no further iteration is started; `scaled_soft` adapts it to the search.
//! At the *hard* limit the search is stopped wherever it is. Fractions are integers in 1/1024, and
//! times are in microseconds, because a hyper-bullet move lasts only 2 ms.

use std::time::Duration;

use crate::params::Params;
use crate::types::{Color, Move, Score};

/// The limits of one `go` command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The time left on each side's clock, in milliseconds; a slow GUI may send negative times.
    pub time: [Option<i64>; 2],
    /// The increment of each side per move, in milliseconds.
    pub increment: [i64; 2],
    /// The number of moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// The exact time for this move, in milliseconds.
    pub move_time: Option<i64>,
    /// The deepest iteration, in plies.
    pub depth: Option<i32>,
    /// The maximum number of nodes of all workers together.
    pub nodes: Option<u64>,
    /// The number of nodes after which no iteration is started. It is used by self-play and cannot
    /// be set by UCI.
    pub soft_nodes: Option<u64>,
    /// The same where the best move captures or promotes, so that training would drop the score.
    pub soft_nodes_tactical: Option<u64>,
    /// True if the clock counts nodes, one microsecond each, so that games by the clock do not
    /// depend on the load of the machine. It is used by self-play and cannot be set by UCI.
    pub node_clock: bool,
    /// The search stops when it finds a mate, by either side, in at most this many moves.
    pub mate: Option<i32>,
    /// True if the engine is to answer only after `stop`.
    pub infinite: bool,
    /// True if the engine is to answer only after `ponderhit` or `stop`.
    pub ponder: bool,
    /// The root moves to search; empty for all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Returns whether anything limits the work or the time of the search.
    pub(crate) fn is_bounded(&self) -> bool {
        self.time != [None; 2]
            || self.move_time.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
            || self.mate.is_some()
    }

    /// Returns whether the user limits the work (depth, nodes, mate, moves) rather than the time,
    /// so that the answer must not depend on the scheduling of the workers.
    pub(crate) fn is_exact(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
            || self.mate.is_some()
            || !self.search_moves.is_empty()
    }
}

/// The time for one move, counted from when the `go` line was read; after a `ponderhit`, the hard
/// limit is counted from there. `soft <= hard`, and both are equal if the user fixed the time of
/// the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No iteration is started after this time.
    pub soft: Duration,
    /// No node is searched after this time.
    pub hard: Duration,
}

impl Budget {
    /// Combines two budgets into one with the smaller of each limit.
    fn min(self, other: Self) -> Self {
        Self {
            soft: self.soft.min(other.soft),
            hard: self.hard.min(other.hard),
        }
    }
}

/// Microseconds in a millisecond.
const MILLI: i64 = 1000;
/// Clocks are capped at this many milliseconds (99 days), so that no product below overflows, whatever
/// the parameters.
const LONGEST: i64 = 1 << 33;
/// A time control is treated as at most this many moves away. Without one, delays are reserved for
/// this many moves.
const FURTHEST_CONTROL: i64 = 50;
/// Every move takes at least so many microseconds, and so does the way to the clock and back.
const LEAST: i64 = MILLI;
/// After this many calm iterations, the score neither prolongs nor shortens a move.
const CALM_USUAL: i32 = 3;
/// More calm iterations than this count as this many.
const CALM_MOST: i32 = 8;

/// Returns the time budget of `side`, or `None` if the limits do not include a time.
///
/// A side without a clock of its own uses that of the other side, without its increment. `overhead`
/// is the delay per move between the engine and the clock of the GUI. `move_number` is the number
/// of the full move in the game, from 1. Both limits of the budget are at least 1 ms.
pub fn plan(
    limits: &Limits,
    side: Color,
    move_number: u32,
    overhead: Duration,
    p: &Params,
) -> Option<Budget> {
    if limits.infinite {
        return None;
    }
    let overhead = micros(i64::try_from(overhead.as_millis()).unwrap_or(i64::MAX));
    let exact = limits.move_time.map(|time| exact(micros(time), overhead));
    let own = limits.time[side.index()].map(|time| (time, limits.increment[side.index()]));
    let shared = own
        .or(limits.time[(!side).index()].map(|time| (time, 0)))
        .map(|(time, increment)| {
            share(
                micros(time),
                micros(increment),
                (limits.moves_to_go, move_number),
                overhead,
                p,
            )
        });
    match (exact, shared) {
        (Some(exact), Some(shared)) => Some(exact.min(shared)),
        (exact, shared) => exact.or(shared),
    }
}

/// Returns the budget of a fixed time for the move: all of it but the overhead, which takes at most
/// half.
fn exact(time: i64, overhead: i64) -> Budget {
    let time = duration(time - overhead.min(time / 2));
    Budget {
        soft: time,
        hard: time,
    }
}

/// Returns the budget of a move that gets a share of the clock. Times are in microseconds.
///
/// The overhead is reserved for this move, and for each later one and one more what the increment
/// does not give back, so that a control is reached even if every move costs the whole overhead. All
/// of it takes no more than a part of the clock: even with 20 ms left and an overhead of 30 ms, a
/// move has to be found.
fn share(
    time: i64,
    increment: i64,
    (moves_to_go, move_number): (Option<u32>, u32),
    overhead: i64,
    p: &Params,
) -> Budget {
    let to_control = moves_to_go.map(|moves| (moves as i64).clamp(1, FURTHEST_CONTROL));
    let moves = to_control.unwrap_or(FURTHEST_CONTROL);
    let kept_per_move = (LEAST + overhead.max(LEAST) - increment).max(0);
    let reserved = overhead + moves * kept_per_move;
    let usable = time - reserved.min(part(time, p.clock_overhead_share()));
    let fair = if let Some(moves) = to_control {
        // Most moves end before their soft limit.
        part(usable, p.clock_control_factor()) / moves
    } else {
        // Later in the game there are fewer moves to come.
        let number = i64::from(move_number).min(i64::from(p.clock_share_until()));
        let growth = number * i64::from(p.clock_share_growth());
        usable * (i64::from(p.clock_share()) * 1024 + growth) / (1024 * 1024)
    };
    let longest = if to_control == Some(1) {
        p.clock_last_move_share()
    } else {
        p.clock_hard_share()
    };
    let soft = fair + part(increment, p.clock_increment());
    let hard = part(soft, p.clock_hard_factor()).min(part(usable, longest));
    Budget {
        soft: duration(soft.min(part(hard, p.clock_soft_cap()))),
        hard: duration(hard),
    }
}

/// The observations of a search that adapt its soft limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Certainty {
    /// The share of the nodes that were spent on the best root move, 0 to 1024.
    pub node_share_1024: i32,
    /// The number of iterations since the best move last changed.
    pub stable_iterations: i32,
    /// The number of changes of the best move within iterations, in 1/1024; those of the last
    /// iteration count in full, those of the one before half, and so on.
    pub changes_1024: i32,
    /// The number of iterations since the score last changed by much.
    pub calm_iterations: i32,
    /// Rise of the score since four iterations ago, in centipawns.
    pub trend: Score,
    /// Rise of the score since the engine's previous move, in centipawns; 0 if there was
    /// none.
    pub since_last_move: Score,
}

/// Returns the soft limit, adapted to the search: later while the best move changes or its score
/// falls, earlier if most of the nodes confirm the same move. It is never later than the hard
/// limit.
// Source: Stockfish and Reckless use the same measures.
pub(crate) fn scaled_soft(budget: &Budget, found: Certainty, p: &Params) -> Duration {
    if budget.soft == budget.hard {
        return budget.hard;
    }
    let nodes =
        (p.clock_node_base() - found.node_share_1024.clamp(0, 1024)) * p.clock_node_slope() / 1024;
    let stability = (p.clock_stability_base()
        - found.stable_iterations.clamp(0, 64) * p.clock_stability_step())
    .max(p.clock_stability_least());
    let changes = 1024 + found.changes_1024.clamp(0, 8 * 1024) * p.clock_change() / 1024;
    let rise = found.trend.clamp(-1000, 1000) * p.clock_trend_slope()
        + found.since_last_move.clamp(-1000, 1000) * p.clock_previous_slope();
    let trend = (1024 - rise).clamp(p.clock_trend_least(), p.clock_trend_most());
    let calm =
        1024 + p.clock_calm_step() * (CALM_USUAL - found.calm_iterations.clamp(0, CALM_MOST));
    let soft = [nodes, stability, changes, trend, calm]
        .into_iter()
        .fold(budget.soft.as_micros() as i64, part);
    Duration::from_micros(soft as u64).min(budget.hard)
}

/// Converts milliseconds, which a user may have typed, to microseconds.
fn micros(milliseconds: i64) -> i64 {
    milliseconds.clamp(0, LONGEST) * MILLI
}

/// Converts microseconds to a duration of at least a millisecond.
fn duration(micros: i64) -> Duration {
    Duration::from_micros(micros.max(MILLI) as u64)
}

/// Returns a part of a time, in 1/1024.
fn part(time: i64, share_1024: i32) -> i64 {
    time * share_1024 as i64 / 1024
}

#[cfg(test)]
mod tests;
