//! Playing below full strength: shallow searches of several lines, and a blind eye for how far one is behind another.
//!
//! Source: the Chess Programming Wiki, "Playing Strength"; the idea to choose among the lines of a shallow MultiPV search by chance

use crate::shared::WorkerResult;
use crate::types::{Rng, Score, score};

/// The level that plays at full strength.
pub const FULL: i32 = 20;

/// Hundredths of a level.
const FINE: i32 = 100;
/// Iterations of the weakest level, plies.
const LEAST_DEPTH: i32 = 2;
/// Levels for each ply more.
const LEVELS_A_PLY: i32 = 2;
/// Lines that even the best of the weak levels looks at.
const LEAST_LINES: i32 = 3;
/// Levels below full strength for each line more.
const LEVELS_A_LINE: i32 = 5;
/// What the weakest level is off by at most, centipawns.
const WORST_BLUNDER: Score = 480;
/// Beyond this one win is as good as another, centipawns.
const ENOUGH: Score = 1500;

/// Elo of some levels, in hundredths, ascending: between them the strength is a straight line.
/// How they were measured is told in docs/testers.md.
const SCALE: [(i32, i32); 6] = [
    (1000, 0),
    (1350, 400),
    (1600, 800),
    (1900, 1200),
    (2100, 1600),
    (2350, 1900),
];

/// The weakest rating that can be asked for.
pub const LEAST_ELO: i32 = SCALE[0].0;
/// The strongest rating that can be asked for; without a limit it plays stronger.
pub const GREATEST_ELO: i32 = SCALE[SCALE.len() - 1].0;

/// How much weaker than it could the engine plays a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// Hundredths of a level, from 0, below [`FULL`].
    level: i32,
}

impl Strength {
    /// Of a level from 0 to [`FULL`], which has none.
    pub fn of_level(level: i32) -> Option<Self> {
        (level < FULL).then_some(Self {
            level: level.max(0) * FINE,
        })
    }

    /// Of a rating; clamped to what can be asked for.
    pub fn of_elo(elo: i32) -> Self {
        let elo = elo.clamp(LEAST_ELO, GREATEST_ELO);
        let upper = SCALE.iter().position(|point| elo <= point.0).unwrap_or(0);
        let (high, low) = (SCALE[upper], SCALE[upper.saturating_sub(1)]);
        let level = low.1 + (elo - low.0) * (high.1 - low.1) / (high.0 - low.0).max(1);
        Self { level }
    }

    /// The deepest iteration, plies.
    pub fn depth(self) -> i32 {
        LEAST_DEPTH + self.level / (LEVELS_A_PLY * FINE)
    }

    /// How many lines it chooses among.
    pub fn lines(self) -> usize {
        let missing = FULL - self.level / FINE;
        (LEAST_LINES + missing / LEVELS_A_LINE) as usize
    }

    /// What a line may seem better than it is by, centipawns.
    fn error(self) -> Score {
        WORST_BLUNDER * (FULL * FINE - self.level) / (FULL * FINE)
    }

    /// The line that seems best. The better lines come first; `None` if there is none.
    pub fn choose<'a>(
        self,
        lines: impl Iterator<Item = &'a WorkerResult>,
        rng: &mut Rng,
    ) -> Option<&'a WorkerResult> {
        let error = self.error();
        let seeming = lines.map(|line| {
            let known = line.score.clamp(-ENOUGH, ENOUGH);
            (known + rng.below(error as usize + 1) as Score, line)
        });
        // Of equals the first.
        seeming
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, line)| line)
    }
}

const _: () = assert!(ENOUGH < score::EVAL_LIMIT);

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(scores: &[Score]) -> Vec<WorkerResult> {
        let line = |&score| WorkerResult {
            score,
            ..WorkerResult::default()
        };
        scores.iter().map(line).collect()
    }

    /// How often each line is chosen in a thousand tries.
    fn choices(level: i32, scores: &[Score]) -> Vec<usize> {
        let lines = lines(scores);
        let strength = Strength::of_level(level).expect("a strength");
        let mut rng = Rng::new(7);
        let mut counts = vec![0; scores.len()];
        for _ in 0..1000 {
            let line = strength.choose(lines.iter(), &mut rng).expect("a line");
            counts[lines.iter().position(|other| other == line).expect("it")] += 1;
        }
        counts
    }

    #[test]
    fn the_weaker_the_oftener_a_worse_line() {
        let weak = choices(0, &[50, 0, -100, -600]);
        assert!(
            weak[0] > weak[1] && weak[1] > weak[2] && weak[2] > 50,
            "{weak:?}"
        );
        assert_eq!(weak[3], 0, "a queen is not left for nothing");
        let strong = choices(19, &[50, 0, -100, -600]);
        assert_eq!(strong[0], 1000, "{strong:?}");
        assert!(choices(12, &[50, 0])[0] > choices(4, &[50, 0])[0]);
    }

    #[test]
    fn ratings_are_levels() {
        assert_eq!(Strength::of_level(FULL), None);
        assert_eq!(Some(Strength::of_elo(LEAST_ELO)), Strength::of_level(0));
        assert_eq!(Strength::of_elo(0), Strength::of_elo(LEAST_ELO));
        assert_eq!(Strength::of_elo(i32::MAX), Strength::of_elo(GREATEST_ELO));
        let levels = SCALE.map(|(elo, _)| Strength::of_elo(elo).level);
        assert_eq!(levels, SCALE.map(|(_, level)| level));
        let all: Vec<i32> = (LEAST_ELO..=GREATEST_ELO)
            .map(|elo| Strength::of_elo(elo).level)
            .collect();
        assert!(all.is_sorted());
    }

    #[test]
    fn weak_levels_look_less_deep_and_at_more_lines() {
        let (weak, strong) = (Strength { level: 0 }, Strength { level: 1950 });
        assert_eq!((weak.depth(), strong.depth()), (2, 11));
        assert!(weak.lines() > strong.lines() && strong.lines() > 1);
        assert!(weak.choose(lines(&[]).iter(), &mut Rng::new(1)).is_none());
    }
}
