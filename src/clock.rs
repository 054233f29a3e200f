//! From the limits of a `go` line to a budget of time. Pure: nothing here reads a clock.
//!
//! The *soft* limit is when no further iteration is worth starting; it bends with the search, see
//! [`scaled_soft`]. The *hard* limit is when the search is cut off wherever it stands. Fractions are
//! integers /1024, and time is counted in microseconds: a hyper-bullet move lasts 2 ms.

use std::time::Duration;

use crate::params::Params;
use crate::types::{Color, Move, Score};

/// The limits of one `go`, as the user gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Milliseconds left on the clock, by colour; a slow GUI may send negative ones.
    pub time: [Option<i64>; 2],
    /// Milliseconds added after each move, by colour.
    pub increment: [i64; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Milliseconds for this move.
    pub move_time: Option<i64>,
    /// Deepest iteration, plies.
    pub depth: Option<i32>,
    /// Most nodes, of all workers together.
    pub nodes: Option<u64>,
    /// Nodes after which no iteration is started. Self-play only: no UCI word sets it.
    pub soft_nodes: Option<u64>,
    /// Stop at a mate in so many moves.
    pub mate: Option<i32>,
    /// Answer only after `stop`.
    pub infinite: bool,
    /// Answer only after `ponderhit` or `stop`.
    pub ponder: bool,
    /// Search only these root moves; all if empty.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Whether the user measures the work and not the time, so that the answer must not depend on how many workers happened
    /// to be how far.
    pub fn is_exact(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
            || self.mate.is_some()
            || !self.search_moves.is_empty()
    }
}

/// Time for one move, counted from when the `go` line was read; after a `ponderhit` the hard limit
/// counts from there. `soft <= hard`; the two are equal where the user fixed the time of the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No new iteration after this.
    pub soft: Duration,
    /// No new node after this.
    pub hard: Duration,
}

impl Budget {
    /// The tighter of two budgets, limit by limit.
    fn min(self, other: Self) -> Self {
        Self {
            soft: self.soft.min(other.soft),
            hard: self.hard.min(other.hard),
        }
    }
}

/// Microseconds of a millisecond.
const MILLI: i64 = 1000;
/// No clock shows more than this many milliseconds (2 years), so that no product below overflows.
const LONGEST: i64 = 1 << 36;
/// A time control further away than this many moves is not looked forward to.
const FURTHEST_CONTROL: i64 = 50;
/// Kept for each later move before a control, so that even hard limits all the way reach it.
const KEPT_PER_MOVE: i64 = 2 * MILLI;
/// A given move time is shortened by the overhead, but by no more than this part of it.
const MOVE_TIME_PARTS: i64 = 16;

/// The budget of `side`, or `None` if no limit speaks of time.
///
/// A side without a clock of its own plays on the other's, without its increment. `overhead` is what is lost
/// between the engine and the referee's clock with each move. Both limits are at least 1 ms.
/// `move_number` is that of the game, from 1.
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
    let overhead = i64::try_from(overhead.as_micros()).unwrap_or(i64::MAX);
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

/// The budget of a fixed time for the move: all of it.
fn exact(time: i64, overhead: i64) -> Budget {
    let time = duration(time - overhead.min(time / MOVE_TIME_PARTS));
    Budget {
        soft: time,
        hard: time,
    }
}

/// This move's share of a clock.
///
/// The overhead never takes more than its part of the clock: with 30 ms of it and 20 ms left, somebody still
/// wants a move.
fn share(
    time: i64,
    increment: i64,
    (moves_to_go, move_number): (Option<u32>, u32),
    overhead: i64,
    p: &Params,
) -> Budget {
    let to_control = moves_to_go.map(|moves| (moves as i64).clamp(1, FURTHEST_CONTROL));
    let kept = to_control.map_or(0, |moves| (moves - 1) * KEPT_PER_MOVE);
    let usable = (time - overhead.min(part(time, p.clock_overhead_share())) - kept).max(0);
    let fair = if let Some(moves) = to_control {
        // Most moves take less than they may.
        part(usable, p.clock_control_factor()) / moves
    } else {
        // The later in the game, the fewer moves are to come.
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

/// What a search has learnt that bends its soft limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certainty {
    /// Part of the iteration's nodes spent below the best root move, 0 to 1024.
    pub node_share_1024: i32,
    /// Iterations since the best move last changed.
    pub stable_iterations: i32,
    /// How often the best move changed within an iteration: the last one counts whole, the one before half, and so on; /1024.
    pub changes_1024: i32,
    /// The score less that of earlier iterations, centipawns; positive when it rises.
    pub trend: Score,
    /// The score less that of the engine's move before, centipawns; 0 if there was none.
    pub since_last_move: Score,
}

/// The soft limit as the search stands: later while the best move is new or its score falls, sooner when
/// most of the work proves the same move again and again. Never after the hard limit.
// Source: the measures are those of Stockfish and Reckless.
pub fn scaled_soft(budget: &Budget, found: Certainty, p: &Params) -> Duration {
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
    let soft = [nodes, stability, changes, trend]
        .into_iter()
        .fold(budget.soft.as_micros() as i64, part);
    Duration::from_micros(soft as u64).min(budget.hard)
}

/// Microseconds of a number of milliseconds that anybody may have typed.
fn micros(milliseconds: i64) -> i64 {
    milliseconds.clamp(0, LONGEST) * MILLI
}

/// At least a millisecond, from microseconds.
fn duration(micros: i64) -> Duration {
    Duration::from_micros(micros.max(MILLI) as u64)
}

/// A part of a time, /1024.
fn part(time: i64, share_1024: i32) -> i64 {
    time * share_1024 as i64 / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(30);

    /// A clock of `time` + `increment` milliseconds for White, who moves.
    fn clock(time: i64, increment: i64, moves_to_go: Option<u32>) -> Limits {
        Limits {
            time: [Some(time), None],
            increment: [increment, 0],
            moves_to_go,
            ..Limits::default()
        }
    }

    fn white(limits: &Limits) -> Option<Budget> {
        plan(limits, Color::White, 1, OVERHEAD, &Params::default())
    }

    fn millis(budget: Option<Budget>) -> (u128, u128) {
        let budget = budget.expect("a budget");
        (budget.soft.as_millis(), budget.hard.as_millis())
    }

    #[test]
    fn budgets_of_common_time_controls() {
        // time, increment, moves to go; soft, hard
        let table = [
            (60_000, 0, None, (1_543, 7_715)),
            (60_000, 1_000, None, (2_243, 11_216)),
            (1_000, 20, None, (38, 194)),
            (100, 2, None, (3, 16)),
            (3_000, 0, Some(40), (90, 451)),
            (3_000, 0, Some(1_000), (71, 359)),
            (300, 0, Some(5), (65, 117)),
            (1_000, 0, Some(2), (326, 435)),
            (1_000, 0, Some(1), (509, 679)),
            (1_000, 0, Some(0), (509, 679)),
            (60, 0, Some(1), (15, 21)),
            (0, 0, None, (1, 1)),
            (-250, 10_000, None, (1, 1)),
            (1, 0, Some(1), (1, 1)),
        ];
        for (time, increment, moves, expected) in table {
            let budget = white(&clock(time, increment, moves));
            assert_eq!(millis(budget), expected, "{time}+{increment} in {moves:?}");
        }
    }

    #[test]
    fn every_budget_is_within_the_clock() {
        for time in [
            i64::MIN,
            -1,
            0,
            1,
            2,
            5,
            20,
            100,
            5_000,
            7_200_000,
            i64::MAX,
        ] {
            for increment in [i64::MIN, 0, 2, 1_000, i64::MAX] {
                for moves in [None, Some(0), Some(1), Some(40), Some(u32::MAX)] {
                    for overhead in [Duration::ZERO, OVERHEAD, Duration::MAX] {
                        let limits = clock(time, increment, moves);
                        let budget = plan(&limits, Color::White, 60, overhead, &Params::default())
                            .expect("a budget");
                        let least = Duration::from_millis(1);
                        assert!(budget.soft >= least && budget.soft <= budget.hard);
                        let most = Duration::from_micros(micros(time) as u64 * 3 / 4).max(least);
                        assert!(budget.hard <= most, "{limits:?} {budget:?}");
                    }
                }
            }
        }
    }

    /// Each move takes its hard limit and a millisecond more, at 0.1+0.002 with an overhead that is set far too high.
    #[test]
    fn hyper_bullet_never_runs_out() {
        let mut left = 100_000_i64;
        for _ in 0..400 {
            let limits = clock(left / MILLI, 2, None);
            let hard = white(&limits).expect("a budget").hard;
            left -= hard.as_micros() as i64 + MILLI;
            assert!(left > 0);
            left += 2 * MILLI;
        }
    }

    /// The same over repeating controls of 40 moves in 400 ms.
    #[test]
    fn repeating_controls_never_run_out() {
        let mut left = 0;
        for _ in 0..10 {
            left += 400_000_i64;
            for moves in (1..=40).rev() {
                let limits = clock(left / MILLI, 0, Some(moves));
                let hard = white(&limits).expect("a budget").hard;
                left -= hard.as_micros() as i64 + MILLI;
                assert!(left > 0, "{moves} to go, {left}");
            }
        }
    }

    #[test]
    fn a_move_time_is_used_up() {
        let limits = |move_time| Limits {
            move_time: Some(move_time),
            ..Limits::default()
        };
        for (time, expected) in [(1_000, 970), (100, 93), (5, 4), (1, 1), (0, 1), (-7, 1)] {
            assert_eq!(millis(white(&limits(time))), (expected, expected));
        }
        let budget = white(&limits(1_000)).expect("a budget");
        let sure = Certainty {
            node_share_1024: 1024,
            stable_iterations: 30,
            trend: 500,
            ..Certainty::default()
        };
        let early = scaled_soft(&budget, sure, &Params::default());
        assert_eq!(early, budget.hard);
    }

    #[test]
    fn a_move_time_and_a_clock_both_hold() {
        let both = |time| Limits {
            move_time: Some(500),
            ..clock(time, 0, None)
        };
        assert_eq!(millis(white(&both(60_000))), (470, 470));
        assert_eq!(white(&both(100)), white(&clock(100, 0, None)));
    }

    #[test]
    fn a_missing_clock_is_the_other_sides() {
        let limits = clock(100, 50, None);
        let black = plan(&limits, Color::Black, 1, OVERHEAD, &Params::default());
        assert_eq!(black, white(&clock(100, 0, None)));
        let both = Limits {
            time: [Some(60_000), Some(100)],
            ..Limits::default()
        };
        let black = plan(&both, Color::Black, 1, OVERHEAD, &Params::default());
        assert_eq!(black, white(&clock(100, 0, None)));
    }

    #[test]
    fn no_clock_no_budget() {
        assert_eq!(white(&Limits::default()), None);
        let infinite = Limits {
            infinite: true,
            ..clock(100, 0, None)
        };
        assert_eq!(white(&infinite), None);
        let depth = Limits {
            depth: Some(9),
            increment: [5, 5],
            ..Limits::default()
        };
        assert_eq!(white(&depth), None);
    }

    #[test]
    fn the_soft_limit_follows_the_search() {
        let p = Params::default();
        let budget = white(&clock(60_000, 0, None)).expect("a budget");
        let soft = |found| scaled_soft(&budget, found, &p);
        let usual = Certainty {
            node_share_1024: 600,
            stable_iterations: 4,
            ..Certainty::default()
        };
        // Each pair: what asks for less time, and what for more.
        let pairs: [[fn(&mut Certainty); 2]; 5] = [
            [
                |found| found.node_share_1024 = 900,
                |found| found.node_share_1024 = 300,
            ],
            [
                |found| found.stable_iterations = 8,
                |found| found.stable_iterations = 0,
            ],
            [
                |found| found.changes_1024 = 0,
                |found| found.changes_1024 = 1500,
            ],
            [|found| found.trend = 60, |found| found.trend = -60],
            [
                |found| found.since_last_move = 30,
                |found| found.since_last_move = -30,
            ],
        ];
        for pair in pairs {
            let [less, more] = pair.map(|change| {
                let mut found = usual;
                change(&mut found);
                soft(found)
            });
            assert!(less < more);
        }
        for wild in [i32::MIN, 0, i32::MAX] {
            let all = |wild| Certainty {
                node_share_1024: wild,
                stable_iterations: wild,
                changes_1024: wild,
                trend: wild,
                since_last_move: wild,
            };
            assert!(soft(all(wild)) <= budget.hard && soft(all(wild)) > budget.soft / 4);
        }
    }
}
