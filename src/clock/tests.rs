//! Tests of the time budgets.

use super::*;

const OVERHEAD: Duration = Duration::from_millis(30);

/// Returns a clock of `time` + `increment` milliseconds for White, who moves.
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
    let budget = budget.expect("there is no time budget");
    (budget.soft.as_millis(), budget.hard.as_millis())
}

#[test]
fn budgets_of_common_time_controls() {
    // time, increment, moves to go; soft, hard
    let table = [
        (60_000, 0, None, (2_515, 12_946)),
        (60_000, 1_000, None, (3_381, 17_401)),
        (1_000, 20, None, (34, 175)),
        (100, 2, None, (1, 3)),
        (3_000, 0, Some(40), (55, 283)),
        (3_000, 0, Some(1_000), (36, 186)),
        (300, 0, Some(5), (29, 59)),
        (1_000, 0, Some(2), (397, 468)),
        (1_000, 0, Some(1), (551, 650)),
        (1_000, 0, Some(0), (551, 650)),
        (60, 0, Some(1), (2, 2)),
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
                        .expect("there is no time budget");
                    let least = Duration::from_millis(1);
                    assert!(budget.soft >= least && budget.soft <= budget.hard);
                    let most = Duration::from_micros(micros(time) as u64 * 3 / 4).max(least);
                    assert!(budget.hard <= most, "{limits:?} {budget:?}");
                }
            }
        }
    }
}

/// Each move takes a millisecond more than its hard limit, at 0.1+0.002 with an overhead that is
/// far too large.
#[test]
fn hyper_bullet_never_runs_out() {
    assert_eq!(moves_until_flag((100, 2, None), 30, 1, true, 400), 400);
}

/// Returns after how many moves White's clock runs out, at most `most`. A move takes its hard limit,
/// or else its soft one, and a `lag` in milliseconds.
fn moves_until_flag(
    (time, increment, moves): (i64, i64, Option<u32>),
    overhead: u64,
    lag: i64,
    hard: bool,
    most: u32,
) -> u32 {
    let mut left = time * MILLI;
    for number in 0..most {
        let to_go = moves.map(|moves| moves - number % moves);
        let limits = clock(left / MILLI, increment, to_go);
        let overhead = Duration::from_millis(overhead);
        let p = Params::default();
        let budget = plan(&limits, Color::White, number + 1, overhead, &p).expect("a budget");
        let used = if hard { budget.hard } else { budget.soft };
        left -= used.as_micros() as i64 + lag * MILLI;
        if left <= 0 {
            return number;
        }
        left += increment * MILLI;
        if to_go == Some(1) {
            left += time * MILLI;
        }
    }
    most
}

/// Each move takes its soft limit and the whole overhead, or its hard limit and half of it, if that
/// is possible at all; with an overhead that is far too large, its hard limit and a millisecond.
#[test]
fn repeating_controls_never_run_out() {
    for (time, increment, moves, overhead) in [
        (400, 0, 40, 1),
        (400, 0, 40, 5),
        (400, 0, 40, 30),
        (4_000, 0, 40, 30),
        (6_000, 0, 40, 100),
        (60_000, 0, 40, 300),
        (60_000, 100, 40, 300),
        (240_000, 0, 40, 10),
        (900_000, 0, 40, 1_000),
        (1_000, 0, 1, 500),
    ] {
        let control = (time, increment, Some(moves));
        let played = |lag: i64, hard| moves_until_flag(control, overhead, lag, hard, 400);
        assert_eq!(played(1, true), 400, "{control:?} with {overhead} ms");
        let overhead = overhead as i64;
        if i64::from(moves) * (overhead + 1) < time {
            let half = (overhead / 2).max(1);
            let [soft, hard] = [played(overhead, false), played(half, true)];
            assert_eq!([soft, hard], [400, 400], "{control:?} with {overhead} ms");
        }
    }
}

/// Each move takes its hard limit and all of the overhead.
#[test]
fn increments_above_the_overhead_never_run_out() {
    for (time, increment, overhead) in [
        (1_000, 20, 10),
        (1_000, 10, 9),
        (10_000, 100, 90),
        (180_000, 2_000, 300),
        (100, 2, 1),
    ] {
        let control = (time, increment, None);
        let played = moves_until_flag(control, overhead as u64, overhead, true, 1_000);
        assert_eq!(played, 1_000, "{control:?} with {overhead} ms");
    }
}

/// A clock without an increment runs out, but lasts for a long game.
#[test]
fn sudden_death_lasts_for_a_long_game() {
    for (time, overhead, lag, least) in [
        (60_000, 300, 300, 90),
        (180_000, 100, 100, 135),
        (5_000, 30, 30, 85),
        (3_000, 300, 30, 85),
        (3_000, 10, 1, 340),
        (180_000, 10, 1, 400),
    ] {
        let played = moves_until_flag((time, 0, None), overhead, lag, false, 400);
        assert!(
            played >= least,
            "{time} with {lag} of {overhead} ms: {played}"
        );
    }
}

#[test]
fn a_move_time_is_used_up() {
    let limits = |move_time| Limits {
        move_time: Some(move_time),
        ..Limits::default()
    };
    for (time, expected) in [(1_000, 970), (100, 70), (5, 2), (1, 1), (0, 1), (-7, 1)] {
        assert_eq!(millis(white(&limits(time))), (expected, expected));
    }
    let budget = white(&limits(1_000)).expect("there is no time budget");
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
    let budget = white(&clock(60_000, 0, None)).expect("there is no time budget");
    let soft = |found| scaled_soft(&budget, found, &p);
    let usual = Certainty {
        node_share_1024: 600,
        stable_iterations: 4,
        ..Certainty::default()
    };
    // Each pair consists of a case that asks for less time and one that asks for more.
    let pairs: [[fn(&mut Certainty); 2]; 6] = [
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
        [
            |found| found.calm_iterations = 6,
            |found| found.calm_iterations = 0,
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
            calm_iterations: wild,
            trend: wild,
            since_last_move: wild,
        };
        assert!(soft(all(wild)) <= budget.hard && soft(all(wild)) > budget.soft / 4);
    }
}
