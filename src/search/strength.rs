//! Playing below full strength: a search of limited depth, and at lower levels a random choice among
//! its MultiPV lines that prefers the better ones. The levels of beginners also play some moves
//! without looking. A simply won ending is played well at every level, as people do.
//!
//! Source: the Chess Programming Wiki, "Playing Strength"; the idea to choose among the lines of a
//! shallow MultiPV search by chance

use crate::board::Board;
use crate::shared::SearchResult;
use crate::types::{PieceType, Rng, Score, score};

/// The skill level that plays at full strength. Ratings in Elo have levels beyond it, which are
/// limited by their depth only.
pub(crate) const FULL: i32 = 20;

/// Number of steps within a level.
const FINE: i32 = 100;
/// Depth of level 0, in plies. The levels below it search a ply less.
const MIN_DEPTH: i32 = 2;
/// Number of steps for each further ply.
const STEPS_PER_PLY: i32 = 2 * FINE;
/// The weakest level, which only ratings in Elo reach, in hundredths.
const LEAST_LEVEL: i32 = -20 * FINE;
/// The number of lines below level 0: all legal moves.
const ALL_LINES: usize = 256;
/// The smallest number of lines among which a level chooses.
const MIN_LINES: i32 = 3;
/// Number of levels below full strength for each further line.
const LEVELS_PER_LINE: i32 = 5;
/// The largest error of level 0 and below, in centipawns.
const MAX_ERROR: Score = 480;
/// The score, in centipawns, from which a position is won: errors are a quarter as large there, so
/// that progress counts. Losses beyond it count as equal.
const WINNING: Score = 1500;
/// What a mate is worth, in centipawns: more than any material with any error.
const MATE: Score = 20_000;
/// What each ply makes a mate worth less, in centipawns.
const MATE_PLY: Score = 100;
/// Depth of every level in a simply won ending, in plies.
const ENDING_DEPTH: i32 = 10;
/// Moves in a thousand that the weakest level plays without looking. Levels between it and 0 play
/// fewer, by the square of their distance from 0.
const BLIND: i32 = 700;

/// The Elo ratings of some levels, ascending, with the level in hundredths. Ratings in between are
/// interpolated. docs/analysis.md describes the scale.
const SCALE: [(i32, i32); 11] = [
    (400, LEAST_LEVEL),
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
    /// The level in hundredths, from [`LEAST_LEVEL`].
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
    pub(crate) fn depth(self, board: &Board, seed: u64) -> i32 {
        let draw = Rng::new(!seed).below(STEPS_PER_PLY as usize) as i32;
        let depth = (MIN_DEPTH + (self.level + draw).div_euclid(STEPS_PER_PLY)).max(1);
        if is_simply_won(board) {
            depth.max(ENDING_DEPTH)
        } else {
            depth
        }
    }

    /// Returns the number of lines among which the move is chosen.
    pub(crate) fn lines(self, board: &Board) -> usize {
        if is_simply_won(board) {
            return 1;
        }
        if self.level < 0 {
            return ALL_LINES;
        }
        let missing = FULL - self.level / FINE;
        if missing > 0 {
            (MIN_LINES + missing / LEVELS_PER_LINE) as usize
        } else {
            1
        }
    }

    /// Returns the most by which a line is overestimated, in centipawns.
    fn error(self) -> Score {
        MAX_ERROR * (FULL * FINE - self.level.max(0)).max(0) / (FULL * FINE)
    }

    /// Returns how many moves in a thousand are played without looking.
    fn blindness(self) -> usize {
        let below = self.level.min(0);
        (BLIND * below / LEAST_LEVEL * below / LEAST_LEVEL) as usize
    }

    /// Returns the line that seems best after a random error was added to each score, or any line
    /// if the move is played without looking; `None` if there are no lines. `lines` begins with the
    /// best one.
    pub(crate) fn choose<'a>(
        self,
        lines: &'a [SearchResult],
        rng: &mut Rng,
    ) -> Option<&'a SearchResult> {
        let blindness = self.blindness();
        if blindness > 0 && rng.below(1000) < blindness {
            return lines.get(rng.below(lines.len().max(1)));
        }
        let is_won = lines.first().is_some_and(|best| best.score >= WINNING);
        let error = self.error() / if is_won { 4 } else { 1 };
        let with_errors = lines.iter().map(|line| {
            let known = worth(line.score);
            (known + rng.below(error as usize + 1) as Score, line)
        });
        // The first of equal lines wins.
        with_errors
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, line)| line)
    }
}

/// Returns what a score counts when lines are compared: a mate more than any material, the nearer the
/// better, and all lost positions the same.
fn worth(score: Score) -> Score {
    if score::is_mate(score) && score > 0 {
        MATE - MATE_PLY * (score::MATE - score)
    } else {
        score.clamp(-WINNING, MATE / 2)
    }
}

/// Returns whether anybody who knows the rules would win: the other side has its king alone, or no
/// more than pawns against a rook or a queen.
fn is_simply_won(board: &Board) -> bool {
    let (us, them) = (board.side_to_move(), !board.side_to_move());
    let has = |color, kind| board.pieces(color, kind).any();
    !board.has_non_pawn_material(them)
        && (!has(them, PieceType::Pawn) || has(us, PieceType::Rook) || has(us, PieceType::Queen))
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
            let line = strength.choose(&lines, &mut rng).expect("a line");
            let chosen = lines.iter().position(|other| other == line);
            counts[chosen.expect("a known line")] += 1;
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
        assert_eq!(Some(Strength::of_elo(1150)), Strength::of_level(0));
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
        let board = Board::startpos();
        let [weakest, weak, strong, strongest] =
            [LEAST_LEVEL, 0, 1900, 2600].map(|level| Strength { level });
        let all_search =
            |strength: Strength, depth| (0..99).all(|seed| strength.depth(&board, seed) == depth);
        assert!(all_search(weakest, 1) && all_search(weak, 2) && all_search(strongest, 15));
        let deeper = (0..1000).filter(|&seed| strong.depth(&board, seed) == 12);
        let deeper = deeper.count();
        assert!((400..600).contains(&deeper), "{deeper}");
        assert!(
            weakest.lines(&board) >= 218,
            "no move of a beginner is left out"
        );
        assert!(weak.lines(&board) > strong.lines(&board) && strong.lines(&board) > 1);
        assert_eq!((strongest.lines(&board), strongest.error()), (1, 0));
        assert!(weakest.choose(&lines(&[]), &mut Rng::new(1)).is_none());
    }

    #[test]
    fn beginners_play_moves_without_looking() {
        let queen_lost = |level| {
            let (lines, mut rng) = (lines(&[0, -900]), Rng::new(3));
            let strength = Strength { level };
            let lost =
                |_: &i32| strength.choose(&lines, &mut rng).map(|line| line.score) == Some(-900);
            (0..1000).filter(lost).count()
        };
        let lost = [LEAST_LEVEL, LEAST_LEVEL / 2, 0].map(queen_lost);
        assert!(
            lost[0] > 300 && lost[0] > lost[1] + 100 && lost[1] > 50,
            "{lost:?}"
        );
        assert_eq!(lost[2], 0);
    }

    #[test]
    fn a_near_mate_is_worth_more_than_a_far_one_and_any_material() {
        let scores = [score::mate_in(3), score::mate_in(41), 9000, 1500, 0];
        assert!(
            scores
                .map(worth)
                .is_sorted_by(|nearer, farther| nearer > farther)
        );
        assert_eq!(worth(score::mated_in(2)), worth(-3000));
        assert_eq!(choices(0, &scores)[0], 1000);
        let progress = choices(0, &[2500, 2300, 2000]);
        assert_eq!((progress[0] + progress[1], progress[2]), (1000, 0));
    }

    #[test]
    fn an_ending_is_simply_won_against_a_bare_king_or_pawns_without_a_piece() {
        for (fen, is_won) in [
            ("8/8/8/4k3/8/8/8/3RK3 w - - 0 1", true),
            ("8/4P3/8/4k3/8/8/8/4K3 w - - 0 1", true),
            ("8/5p2/8/4k3/8/8/8/3QK3 w - - 0 1", true),
            ("8/5p2/8/4k3/8/8/5P2/4K3 w - - 0 1", false),
            ("8/5n2/8/4k3/8/8/8/3QK3 w - - 0 1", false),
            ("8/8/8/4k3/8/8/8/3RK3 b - - 0 1", false),
        ] {
            let board = Board::from_fen(fen).expect(fen);
            assert_eq!(is_simply_won(&board), is_won, "{fen}");
        }
    }
}
