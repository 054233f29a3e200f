//! `rejoinder match`: two settings of this engine play mirrored pairs of games at fixed nodes.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::board::Board;
use crate::clock::Limits;
use crate::eval::network::{self, Network};
use crate::memory::MemoryError;
use crate::search::Setup;
use crate::types::Color;

use super::book::{self, BookError};
use super::elo::{Pairs, Sprt, Verdict};
use super::progress::Progress;
use super::selfplay::{self, Adjudication, Effort, Player};
use super::settings::{self, SettingError};
use crate::types::Rng;

/// Decided games need not be played to the end. Both sides have to agree for several moves.
pub const ADJUDICATION: Adjudication = Adjudication {
    win_score: 1000,
    win_plies: 8,
    draw_score: 5,
    draw_plies: 20,
    draw_from: 100,
    trust_mates: true,
};

/// Hash of each player, MB.
pub const HASH: u64 = 4;

/// Plays a match between two settings, A and B, of this engine at fixed nodes a move. Each opening is played twice
/// with colours reversed. The same arguments give the same games, whatever the number of threads.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Games to play at most; an odd number is rounded up
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Nodes a move of B, if not those of A
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes_b: Option<u64>,
    /// Opening book: a file with one EPD or FEN a line
    #[arg(long, value_name = "FILE")]
    pub book: PathBuf,
    /// Parameters of A that are not the default (needs a build with `--features tune`)
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',')]
    pub a: Vec<String>,
    /// Parameters of B that are not the default (needs a build with `--features tune`)
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',')]
    pub b: Vec<String>,
    /// Network of A, if not the embedded one: a file, or `zero` for the one that knows nothing
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network_a: Option<Arc<Network>>,
    /// The same for B
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network_b: Option<Arc<Network>>,
    /// Hash of each player in MB
    #[arg(long, value_name = "MB", default_value_t = HASH, value_parser = megabytes())]
    pub hash: u64,
    /// Hash of B in MB, if not that of A
    #[arg(long, value_name = "MB", value_parser = megabytes())]
    pub hash_b: Option<u64>,
    /// Stop as soon as A is known to be ELO1 stronger than B rather than ELO0, or the reverse, with 5% error
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
    pub sprt: Option<Vec<f64>>,
    /// Chooses the order of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Games at a time; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Play every game to its end by the rules
    #[arg(long)]
    pub no_adjudication: bool,
}

/// Sizes of hash a player may have.
fn megabytes() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=65536)
}

/// Why a match cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The book is no good.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The book is too small.
    #[error("the book holds {openings} different openings: enough for {} games, not {games}", 2 * openings)]
    TooFewOpenings {
        /// What it holds.
        openings: usize,
        /// What was asked for.
        games: u64,
    },
    /// A parameter is no good.
    #[error(transparent)]
    Parameter(#[from] SettingError),
    /// The bounds of the test are no interval.
    #[error("--sprt needs two numbers, the lower one first")]
    Bounds,
    /// The tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Output(#[from] io::Error),
}

/// What came of a match.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Pairs by the points of A.
    pub pairs: Pairs,
    /// Games that A won, drew and lost.
    pub games: [u64; 3],
    /// The test and what it found.
    pub sprt: Option<(Sprt, Verdict)>,
    elapsed: Duration,
    effort: Effort,
    threads: usize,
}

impl Summary {
    fn new(sprt: Option<Sprt>, threads: usize) -> Self {
        Self {
            pairs: Pairs::default(),
            games: [0; 3],
            sprt: sprt.map(|sprt| (sprt, Verdict::Open)),
            elapsed: Duration::ZERO,
            effort: Effort::default(),
            threads,
        }
    }

    /// Takes note of the next pair in order: the half points of A with White, then with Black.
    fn add(&mut self, pair: [usize; 2]) {
        for half_points in pair {
            self.games[2 - half_points] += 1;
        }
        self.pairs.add(pair[0] + pair[1]);
        if let Some((sprt, verdict)) = &mut self.sprt {
            *verdict = sprt.verdict(&self.pairs);
        }
    }

    fn decided(&self) -> bool {
        !matches!(self.sprt, None | Some((_, Verdict::Open)))
    }

    /// One line for the progress bar.
    fn brief(&self) -> String {
        let elo = self.pairs.elo();
        let line = format!("Elo {:+.1} ± {:.1}", elo.value, elo.error);
        let Some((sprt, _)) = self.sprt else {
            return line;
        };
        let ratio = self.pairs.log_likelihood_ratio(sprt.elo0, sprt.elo1);
        format!("{line}, LLR {ratio:+.2}")
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wins, draws, losses] = self.games;
        let games = wins + draws + losses;
        let seconds = self.elapsed.as_secs_f64();
        let (elo, normalised) = (self.pairs.elo(), self.pairs.normalised_elo());
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
            normalised.value, normalised.error
        )?;
        if let Some((sprt, verdict)) = self.sprt {
            let ratio = self.pairs.log_likelihood_ratio(sprt.elo0, sprt.elo1);
            let verdict = match verdict {
                Verdict::Passed => "passed",
                Verdict::Failed => "failed",
                Verdict::Open => "not decided",
            };
            writeln!(
                f,
                "SPRT   [{}, {}] {verdict}: LLR {ratio:+.2} within ±{:.2}",
                sprt.elo0,
                sprt.elo1,
                Sprt::BOUND
            )?;
        }
        writeln!(
            f,
            "speed  {:.0} games/h on {} threads, {:.1}% of their time in the search",
            games as f64 / seconds * 3600.0,
            self.threads,
            100.0 * self.effort.time.as_secs_f64() / (seconds * self.threads as f64),
        )
    }
}

/// Plays the match and prints the result.
///
/// # Errors
/// Says what is wrong with the arguments or the book, or that memory is short.
pub fn run(args: &Args) -> Result<(), MatchError> {
    let summary = play(args)?;
    write!(io::stdout(), "{summary}")?;
    Ok(())
}

/// Plays the match.
///
/// # Errors
/// As [`run`].
pub fn play(args: &Args) -> Result<Summary, MatchError> {
    let contest = Match::of(args)?;
    let progress = Progress::new(2 * contest.openings.len() as u64, "games");
    let summary = contest.play(|summary| {
        progress.update(2 * summary.pairs.count(), summary.brief());
    })?;
    progress.finish();
    Ok(summary)
}

/// One side of a match.
#[derive(Clone, Debug)]
pub struct Side {
    /// What it plays by.
    pub setup: Setup,
    /// Nodes a move.
    pub nodes: u64,
    /// Hash, MB.
    pub hash: usize,
}

impl Side {
    /// What the user wants of it.
    fn of(
        numbers: &[String],
        network: Option<&Arc<Network>>,
        nodes: u64,
        hash: u64,
    ) -> Result<Self, SettingError> {
        Ok(Self {
            setup: Setup {
                params: settings::params(numbers)?,
                ..Setup::with_network(network.cloned())
            },
            nodes,
            hash: hash as usize,
        })
    }

    fn player(&self) -> Result<Player, MemoryError> {
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        Player::new(self.setup.clone(), self.hash, limits)
    }
}

/// A match between two sides.
#[derive(Clone, Debug)]
pub struct Match {
    /// Each is played twice with colours reversed.
    pub openings: Vec<Board>,
    /// A and B.
    pub sides: [Side; 2],
    /// The test that may end it early.
    pub sprt: Option<Sprt>,
    /// What decides games before their end by the rules.
    pub adjudication: Option<Adjudication>,
    /// Games at a time.
    pub threads: usize,
}

impl Match {
    /// What the user wants.
    fn of(args: &Args) -> Result<Self, MatchError> {
        let sprt = match args.sprt.as_deref() {
            None => None,
            Some(&[elo0, elo1]) if elo0 < elo1 => Some(Sprt { elo0, elo1 }),
            Some(_) => return Err(MatchError::Bounds),
        };
        let (nodes_b, hash_b) = (args.nodes_b, args.hash_b);
        Ok(Self {
            openings: openings(&args.book, args.games, args.seed)?,
            sides: [
                Side::of(&args.a, args.network_a.as_ref(), args.nodes, args.hash)?,
                Side::of(
                    &args.b,
                    args.network_b.as_ref(),
                    nodes_b.unwrap_or(args.nodes),
                    hash_b.unwrap_or(args.hash),
                )?,
            ],
            sprt,
            adjudication: (!args.no_adjudication).then_some(ADJUDICATION),
            threads: args.threads.map_or_else(num_cpus::get, |n| n as usize),
        })
    }

    /// Plays it; `heard` is told how it stands after every pair.
    ///
    /// # Errors
    /// If the tables do not fit into memory.
    pub fn play(&self, mut heard: impl FnMut(&Summary)) -> Result<Summary, MemoryError> {
        let threads = self.threads.min(self.openings.len());
        let mut teams = (0..threads)
            .map(|_| self.team())
            .collect::<Result<Vec<_>, _>>()?;
        let mut summary = Summary::new(self.sprt, threads);
        let start = Instant::now();
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for team in &mut teams {
                let sender = sender.clone();
                let (next, stop) = (&next, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&opening) = self.openings.get(number) else {
                            break;
                        };
                        let pair = play_pair(opening, team, self.adjudication);
                        if sender.send((number, pair)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            // Pairs count in the order of their openings: a test that looked at them as they come in would see
            // the short games first, and the result would depend on the threads.
            let mut early = BTreeMap::new();
            for (number, pair) in receiver {
                early.insert(number, pair);
                while !summary.decided()
                    && let Some(pair) = early.remove(&(summary.pairs.count() as usize))
                {
                    summary.add(pair);
                    heard(&summary);
                }
                stop.fetch_or(summary.decided(), Ordering::Relaxed);
            }
        });
        summary.elapsed = start.elapsed();
        summary.effort = teams.iter().flatten().map(Player::effort).sum();
        Ok(summary)
    }

    /// The two players of one thread, A first.
    fn team(&self) -> Result<[Player; 2], MemoryError> {
        let [a, b] = &self.sides;
        Ok([a.player()?, b.player()?])
    }
}

/// As many openings of a book as so many games need, in the order of the seed.
///
/// # Errors
/// If the book is no good, or too small.
pub fn openings(book: &Path, games: u64, seed: u64) -> Result<Vec<Board>, MatchError> {
    let mut openings = book::read(book)?;
    let needed = games.div_ceil(2);
    if (openings.len() as u64) < needed {
        // A second game from an opening would be the first one again.
        return Err(MatchError::TooFewOpenings {
            openings: openings.len(),
            games,
        });
    }
    Rng::new(seed).shuffle(&mut openings);
    openings.truncate(needed as usize);
    Ok(openings)
}

/// Both games of one opening: the half points of A, the first of the team, with White, then with Black.
pub fn play_pair(
    opening: Board,
    team: &mut [Player; 2],
    rules: Option<Adjudication>,
) -> [usize; 2] {
    let [a, b] = team;
    let first = selfplay::play(opening, [a, b], rules);
    let second = selfplay::play(opening, [b, a], rules);
    [
        first.outcome.half_points(Color::White),
        second.outcome.half_points(Color::Black),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;

    use clap::Parser;

    use super::*;
    use crate::tools::openings;
    use crate::tools::scratch::Scratch;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    /// The arguments of a command line, with a book of so many random openings.
    fn args(scratch: &Scratch, openings: usize, line: &str) -> Args {
        let book = scratch.path().join("book.epd");
        let mut rng = Rng::new(5);
        let mut fens = HashSet::new();
        while fens.len() < openings {
            fens.extend(openings::random(0.0, &mut rng).map(|board| board.fen(false)));
        }
        let mut fens = Vec::from_iter(fens);
        fens.sort();
        fs::write(&book, fens.join("\n")).expect("room");
        let book = book.to_string_lossy().into_owned();
        let words = ["match", "--book", &book]
            .into_iter()
            .chain(line.split_whitespace());
        Line::try_parse_from(words).expect("good arguments").args
    }

    #[test]
    fn equal_players_share_the_points_whatever_the_threads() {
        let scratch = Scratch::new();
        let summaries = [1, 2].map(|threads| {
            let line = format!("--games 7 --nodes 60 --threads {threads}");
            play(&args(&scratch, 6, &line)).expect("a match")
        });
        for summary in &summaries {
            assert_eq!(summary.pairs, Pairs([0, 0, 4, 0, 0]));
            assert_eq!(summary.games, summaries[0].games);
            assert_eq!(summary.games.iter().sum::<u64>(), 8);
        }
    }

    #[test]
    fn more_nodes_win_and_the_test_stops_early() {
        let scratch = Scratch::new();
        let line = "--games 400 --nodes 1500 --nodes-b 50 --sprt 0 50 --threads 2";
        let summary = play(&args(&scratch, 200, line)).expect("a match");
        assert!(summary.pairs.count() < 100, "{summary}");
        assert!(summary.pairs.score() > 0.6, "{summary}");
        assert!(
            matches!(summary.sprt, Some((_, Verdict::Passed))),
            "{summary}"
        );
        let text = summary.to_string();
        assert!(text.contains("SPRT   [0, 50] passed"), "{text}");
    }

    #[test]
    fn bad_requests_are_explained() {
        let scratch = Scratch::new();
        let tune = cfg!(feature = "tune");
        for (line, says) in [
            ("--games 100", "enough for 6 games, not 100"),
            ("--games 2 --sprt 5 0", "lower one first"),
            ("--games 2 --sprt 5 nan", "lower one first"),
            (
                "--games 2 --a see_pawn",
                if tune { "no `=`" } else { "--features tune" },
            ),
            (
                "--games 2 --b a=1,b=2",
                if tune {
                    "no parameter is called"
                } else {
                    "`a=1`"
                },
            ),
        ] {
            let error = play(&args(&scratch, 3, line)).expect_err(line).to_string();
            assert!(error.contains(says), "{line}: {error}");
        }
    }
}
