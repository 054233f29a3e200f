//! The engine's answer to a test position, and whether it is correct.

use std::time::Duration;

use rejoinder::board::san;
use rejoinder::types::Move;

use super::record::Record;

/// The result of a search.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The best move; [`Move::NULL`] if there is no legal move.
    pub mv: Move,
    /// The distance to mate in moves, negative if the side to move is mated; `None` if the score is
    /// not a mate.
    pub mate: Option<i32>,
    /// The depth of the last iteration, in plies.
    pub depth: i32,
    /// The number of nodes of all workers.
    pub nodes: u64,
    /// The time from the start of the search to the answer.
    pub elapsed: Duration,
}

impl Answer {
    /// Returns whether the position is solved; `None` if the record does not say what would solve
    /// it.
    ///
    /// If the record has a mate, a mate that is at least as fast solves it, by whatever move.
    /// Otherwise one of the best moves solves it that is not to be avoided or, if there are only
    /// points, a move with the most points.
    pub fn solves(&self, record: &Record) -> Option<bool> {
        if let Some(asked) = record.mate {
            let found = self.mate.filter(|found| found.signum() == asked.signum());
            return Some(found.is_some_and(|found| found.abs() <= asked.abs()));
        }
        let (best, avoid) = (&record.best, &record.avoid);
        if best.is_empty() && avoid.is_empty() {
            let most = record.most_points();
            return (most > 0).then(|| record.points_of(self.mv) == most);
        }
        Some((best.is_empty() || best.contains(&self.mv)) && !avoid.contains(&self.mv))
    }

    /// Describes what was expected and what was found, in one line.
    pub fn line(&self, record: &Record) -> String {
        let write = |moves: &[Move]| -> Vec<String> {
            (moves.iter())
                .map(|mv| san::to_san(&record.board, *mv))
                .collect()
        };
        let asked = if let Some(moves) = record.mate {
            format!("#{moves}")
        } else {
            let mut best = write(&record.best);
            if best.is_empty() && record.avoid.is_empty() {
                let most = record.most_points();
                let rows = record.points.iter().filter(|(_, points)| *points == most);
                best = write(&rows.map(|(mv, _)| *mv).collect::<Vec<_>>());
            }
            let best = (!best.is_empty()).then(|| best.join(" or "));
            let avoid = write(&record.avoid).into_iter();
            let avoid = avoid.map(|mv| format!("not {mv}"));
            best.into_iter().chain(avoid).collect::<Vec<_>>().join(", ")
        };
        let mate = self
            .mate
            .map_or_else(String::new, |moves| format!(" #{moves}"));
        let found = san::to_san(&record.board, self.mv) + &mate;
        let points = match record.most_points() {
            0 => String::new(),
            most => format!("  {} of {most} points", record.points_of(self.mv)),
        };
        format!(
            "{:<28} expected {asked:<12} found {found:<12} depth {:>2}  {:>9} nodes  {:>6.2} s{points}",
            record.id,
            self.depth,
            self.nodes,
            self.elapsed.as_secs_f64()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether an answer solves a position, and the line that describes it.
    fn answer(operations: &str, mv: &str, mate: Option<i32>) -> (Option<bool>, String) {
        let line = format!("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - {operations}");
        let record = Record::read(&line).expect(operations);
        let answer = Answer {
            mv: san::parse(&record.board, mv).expect(mv),
            mate,
            depth: 1,
            nodes: 1,
            elapsed: Duration::ZERO,
        };
        (answer.solves(&record), answer.line(&record))
    }

    fn solves(operations: &str, mv: &str, mate: Option<i32>) -> Option<bool> {
        let (solves, line) = answer(operations, mv, mate);
        assert!(line.contains(mv));
        solves
    }

    #[test]
    fn all_that_was_expected_is_named() {
        for (operations, expected) in [
            ("bm Ra8 Re8;", "Ra8# or Re8#"),
            ("am Kf1 Kf2;", "not Kf1, not Kf2"),
            ("bm Ra8; am Kf1;", "Ra8#, not Kf1"),
            ("bm Ra8; dm 2;", "#2"),
            (r#"c0 "Ra8=9, Kf1=3, Re8=9";"#, "Ra8# or Re8#"),
        ] {
            let line = answer(operations, "Kh1", None);
            let wanted = format!(" expected {expected:<12} found Kh1 ");
            assert!(line.1.contains(&wanted), "{line:?}");
        }
    }

    #[test]
    fn moves_solve() {
        assert_eq!(solves("bm Ra8 Re8;", "Ra8#", None), Some(true));
        assert_eq!(solves("bm Ra8;", "Re8#", None), Some(false));
        assert_eq!(solves("am Ra8;", "Re8#", None), Some(true));
        assert_eq!(solves("am Ra8;", "Ra8#", None), Some(false));
        assert_eq!(solves("id \"1\";", "Ra8#", None), None);
    }

    #[test]
    fn mates_solve() {
        for (found, solved) in [
            (None, false),
            (Some(1), true),
            (Some(3), false),
            (Some(-1), false),
        ] {
            assert_eq!(solves("bm Ra8; dm 2;", "Re8#", found), Some(solved));
        }
        assert_eq!(solves("bm #-2;", "Kf1", Some(-2)), Some(true));
    }

    #[test]
    fn points_solve_where_nothing_else_does() {
        let points = r#"c0 "Ra8=10, Re8=10, Kf1=3";"#;
        assert_eq!(solves(points, "Re8#", None), Some(true));
        assert_eq!(solves(points, "Kf1", None), Some(false));
    }
}
