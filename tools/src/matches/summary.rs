//! The report of a match: score, pentanomial counts, Elo, sequential test and speed.

use std::fmt;
use std::time::Duration;

use crate::player::SearchCost;

use crate::data::kept::Kept;
use crate::elo::{Pairs, Sprt, SprtVerdict};

/// The result of a match so far, from the view of side A.
#[derive(Clone, Debug)]
pub struct MatchSummary {
    /// Number of pairs by the points of A (the pentanomial result).
    pub pairs: Pairs,
    /// Number of games that A has won, drawn and lost.
    pub games: [u64; 3],
    /// The sequential test and its verdict, if there is a test.
    pub sprt: Option<(Sprt, SprtVerdict)>,
    /// Number of games stored as training data, if the match keeps its games.
    pub kept: Option<Kept>,
    /// Duration of the match; zero while it runs.
    pub(super) elapsed: Duration,
    /// Searches, nodes and time of all players; zero while the match runs.
    pub(super) cost: SearchCost,
    threads: usize,
}

impl MatchSummary {
    /// Creates a match of which no game has been played yet.
    pub(super) fn new(sprt: Option<Sprt>, threads: usize) -> Self {
        Self {
            pairs: Pairs::default(),
            games: [0; 3],
            sprt: sprt.map(|sprt| (sprt, SprtVerdict::Open)),
            kept: None,
            elapsed: Duration::ZERO,
            cost: SearchCost::default(),
            threads,
        }
    }

    /// Counts the next pair in the order of the openings: the half points of A with White, then
    /// with Black.
    pub(super) fn add(&mut self, pair: [usize; 2]) {
        for half_points in pair {
            self.games[2 - half_points] += 1;
        }
        self.pairs.add(pair[0] + pair[1]);
        if let Some((sprt, verdict)) = &mut self.sprt {
            *verdict = sprt.verdict(&self.pairs);
        }
    }

    /// Returns whether the sequential test has reached a verdict.
    pub(super) fn decided(&self) -> bool {
        !matches!(self.sprt, None | Some((_, SprtVerdict::Open)))
    }

    /// Returns the Elo difference so far and the state of the test, for a progress bar.
    pub(super) fn brief(&self) -> String {
        let elo = self.pairs.elo();
        let line = format!("Elo {:+.1} ± {:.1}", elo.value, elo.error);
        let Some((sprt, _)) = self.sprt else {
            return line;
        };
        let ratio = self.pairs.log_likelihood_ratio(sprt.elo0, sprt.elo1);
        format!("{line}, LLR {ratio:+.2}")
    }
}

impl fmt::Display for MatchSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wins, draws, losses] = self.games;
        let games = wins + draws + losses;
        let seconds = self.elapsed.as_secs_f64();
        let (elo, normalized) = (self.pairs.elo(), self.pairs.normalized_elo());
        writeln!(
            f,
            "games  {games}: A +{wins} ={draws} -{losses}, {:.2}%",
            100.0 * self.pairs.score()
        )?;
        writeln!(f, "pairs  {:?} by points of A: 0 ½ 1 1½ 2", self.pairs.0)?;
        writeln!(f, "Elo    {:+.2} ± {:.2} (95%)", elo.value, elo.error)?;
        writeln!(
            f,
            "nElo   {:+.2} ± {:.2}",
            normalized.value, normalized.error
        )?;
        if let Some((sprt, verdict)) = self.sprt {
            let ratio = self.pairs.log_likelihood_ratio(sprt.elo0, sprt.elo1);
            let verdict = match verdict {
                SprtVerdict::Passed => "passed",
                SprtVerdict::Failed => "failed",
                SprtVerdict::Open => "not decided",
            };
            writeln!(
                f,
                "SPRT   [{}, {}] {verdict}: LLR {ratio:+.2} within ±{:.2}",
                sprt.elo0,
                sprt.elo1,
                Sprt::BOUND
            )?;
        }
        if let Some(kept) = self.kept {
            writeln!(f, "kept   {kept}")?;
        }
        writeln!(
            f,
            "speed  {:.0} games/h on {} threads, {:.1}% of their time in the search",
            games as f64 / seconds * 3600.0,
            self.threads,
            100.0 * self.cost.time.as_secs_f64() / (seconds * self.threads as f64),
        )
    }
}
