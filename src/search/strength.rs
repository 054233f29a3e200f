//! Playing below full strength: a search of limited depth, and at lower levels a random choice among
//! its MultiPV lines that prefers the better ones.
//!
//! Source: the Chess Programming Wiki, "Playing Strength"; the idea to choose among the lines of a
//! shallow MultiPV search by chance

use crate::shared::SearchResult;
use crate::types::{Rng, Score, score};

/// The skill level that plays at full strength. Ratings in Elo have levels beyond it, which are
/// limited by their depth only.
pub(crate) const FULL: i32 = 20;

/// Number of steps within a level.
const FINE: i32 = 100;
/// Depth of the weakest level, in plies.
const MIN_DEPTH: i32 = 2;
/// Number of steps for each further ply.
const PLY: i32 = 2 * FINE;
/// The smallest number of lines among which a level chooses.
const MIN_LINES: i32 = 3;
/// Number of levels below full strength for each further line.
const LEVELS_PER_LINE: i32 = 5;
/// The largest error of the weakest level, in centipawns.
const MAX_ERROR: Score = 480;
/// The score, in centipawns, beyond which all wins count as equal.
const WINNING: Score = 1500;

/// The Elo ratings of some levels, ascending, with the level in hundredths. Ratings in between are
/// interpolated. docs/analysis.md describes the scale.
const SCALE: [(i32, i32); 10] = [
    (1150, 0),
    (1500, 400),
    (1800, 800),
    (2010, 1200),
    (2300, 1600),
    (2750, 1900),
    (2820, 2000),
    (3070, 2400),
    (3180, 2800),
    (3300, 3200),
];

/// The lowest rating of weakened play, in Elo.
pub const LEAST_ELO: i32 = SCALE[0].0;
/// The highest rating of weakened play, in Elo. Full strength is higher.
pub const GREATEST_ELO: i32 = SCALE[SCALE.len() - 1].0;

/// A playing strength below full strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// The level in hundredths, from 0.
    level: i32,
}

impl Strength {
    /// Returns the strength of a level from 0; `None` for [`FULL`].
    pub(crate) fn of_level(level: i32) -> Option<Self> {
        (level < FULL).then_some(Self {
            level: level.max(0) * FINE,
        })
    }

    /// Returns the strength of a rating in Elo, clamped to [`LEAST_ELO`] and [`GREATEST_ELO`].
    pub fn of_elo(elo: i32) -> Self {
        let elo = elo.clamp(LEAST_ELO, GREATEST_ELO);
        let upper = SCALE.iter().position(|point| elo <= point.0).unwrap_or(0);
        let (high, low) = (SCALE[upper], SCALE[upper.saturating_sub(1)]);
        let level = low.1 + (elo - low.0) * (high.1 - low.1) / (high.0 - low.0).max(1);
        Self { level }
    }

    /// Returns the deepest iteration of a search, in plies. A level between those of two depths
    /// searches to either depth, as the seed decides.
    pub(crate) fn depth(self, seed: u64) -> i32 {
        let draw = Rng::new(!seed).below(PLY as usize) as i32;
        MIN_DEPTH + (self.level + draw) / PLY
    }

    /// Returns the number of lines among which the move is chosen.
    pub(crate) fn lines(self) -> usize {
        let missing = FULL - self.level / FINE;
        if missing > 0 {
            (MIN_LINES + missing / LEVELS_PER_LINE) as usize
        } else {
            1
        }
    }

    /// Returns the most by which a line is overestimated, in centipawns.
    fn error(self) -> Score {
        MAX_ERROR * (FULL * FINE - self.level).max(0) / (FULL * FINE)
    }

    /// Returns the line that seems best after a random error was added to each score; `None` if
    /// there are no lines. `lines` begins with the best one.
    pub(crate) fn choose<'a>(
        self,
        lines: impl Iterator<Item = &'a SearchResult>,
        rng: &mut Rng,
    ) -> Option<&'a SearchResult> {
        let error = self.error();
        let with_errors = lines.map(|line| {
            let known = line.score.clamp(-WINNING, WINNING);
            (known + rng.below(error as usize + 1) as Score, line)
        });
        // The first of equal lines wins.
        with_errors
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, line)| line)
    }
}

const _: () = assert!(WINNING < score::EVAL_LIMIT);

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(scores: &[Score]) -> Vec<SearchResult> {
        let line = |&score| SearchResult {
            score,
            ..SearchResult::default()
        };
        scores.iter().map(line).collect()
    }

    /// Counts how often each line is chosen in a thousand trials.
    fn choices(level: i32, scores: &[Score]) -> Vec<usize> {
        let lines = lines(scores);
        let strength = Strength::of_level(level).expect("a strength");
        let mut rng = Rng::new(7);
        let mut counts = vec![0; scores.len()];
        for _ in 0..1000 {
            let line = strength.choose(lines.iter(), &mut rng).expect("a line");
            counts[lines
                .iter()
                .position(|other| other == line)
                .expect("a known line")] += 1;
        }
        counts
    }

    #[test]
    fn weaker_levels_choose_worse_lines_more_often() {
        let weak = choices(0, &[50, 0, -100, -600]);
        assert!(
            weak[0] > weak[1] && weak[1] > weak[2] && weak[2] > 50,
            "{weak:?}"
        );
        assert_eq!(weak[3], 0, "no level gives a queen away");
        let strong = choices(19, &[50, 0, -100, -600]);
        assert_eq!(strong[0], 1000, "{strong:?}");
        assert!(choices(12, &[50, 0])[0] > choices(4, &[50, 0])[0]);
    }

    #[test]
    fn ratings_map_to_levels() {
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
    fn weak_levels_search_less_deep_and_more_lines() {
        let [weak, strong, strongest] = [0, 1900, 2600].map(|level| Strength { level });
        assert!((0..99).all(|seed| weak.depth(seed) == 2 && strongest.depth(seed) == 15));
        let deeper = (0..1000).filter(|&seed| strong.depth(seed) == 12).count();
        assert!((400..600).contains(&deeper), "{deeper}");
        assert!(weak.lines() > strong.lines() && strong.lines() > 1);
        assert_eq!((strongest.lines(), strongest.error()), (1, 0));
        assert!(weak.choose(lines(&[]).iter(), &mut Rng::new(1)).is_none());
    }
}
