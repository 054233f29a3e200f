//! `rejoinder match`: two settings of this engine play mirrored pairs of games at fixed nodes.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use rejoinder::board::Board;
use rejoinder::build_info;
use rejoinder::clock::Limits;
use rejoinder::eval::network::{self, Network};
use rejoinder::memory::MemoryError;
use rejoinder::search::Setup;
use rejoinder::types::{Color, Rng, fnv1a};

use crate::data::kept::{Contest, KeepError, Keeper, Kept, Maker};
use crate::data::shard::ShardError;
use crate::elo::{Pairs, Sprt, Verdict};
use crate::opener::{self, Opener};
use crate::progress::Progress;
use crate::selfplay::{self, Adjudication, GameRecord};
use rejoinder::commands::book::{self, BookError};
use rejoinder::commands::overrides::{self, SettingError};
use rejoinder::commands::player::{Player, SearchCost};

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
///
/// Without --book, the openings are the engine's own: 8 or 9 random plies, such as `datagen` plays from. They are chosen by --seed alone,
/// so matches between other networks or settings are played from the same ones. Only then may --keep store the games for training.
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
    /// Opening book: a file with one EPD or FEN a line. Without it, the engine makes its own openings, as `datagen` does: 8 or 9 random plies
    /// that leave neither side lost, chosen by --seed
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Share of the engine's own openings that begin from a Chess960 start, 0 to 1; half of those are double Chess960 [default: 0]
    #[arg(long, value_name = "SHARE", conflicts_with = "book", value_parser = opener::share)]
    pub chess960_share: Option<f64>,
    /// Store the games in this directory as training data, in files for `data` and `train`; the directory is made if need be. When a match that
    /// was stopped is repeated, only the games that are not there yet are stored. Games from a book cannot be kept
    #[arg(long, value_name = "DIR", conflicts_with = "book")]
    pub keep: Option<PathBuf>,
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
    /// Chooses the openings, or their order if there is a book
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
    /// Games from a book are not ours alone.
    #[error(
        "games from an opening book are not kept: networks learn from the engine's own openings only"
    )]
    KeptBook,
    /// The directory of the games is of no use.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// The games cannot be stored.
    #[error(transparent)]
    Shard(#[from] ShardError),
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
    /// What has become of the games, if they were to be kept.
    pub kept: Option<Kept>,
    elapsed: Duration,
    effort: SearchCost,
    threads: usize,
}

impl Summary {
    fn new(sprt: Option<Sprt>, threads: usize) -> Self {
        Self {
            pairs: Pairs::default(),
            games: [0; 3],
            sprt: sprt.map(|sprt| (sprt, Verdict::Open)),
            kept: None,
            elapsed: Duration::ZERO,
            effort: SearchCost::default(),
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
        if let Some(kept) = self.kept {
            writeln!(f, "kept   {kept}")?;
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
/// Says what is wrong with the arguments, the book or the directory for the games, or that memory is short.
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
    let progress = Progress::new(2 * contest.openings.count(), "games");
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
                params: overrides::params(numbers)?,
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

/// What a match is played from.
#[derive(Clone, Debug)]
pub enum Openings {
    /// These positions, all different, in this order.
    Book(Vec<Board>),
    /// Random ones that neither side has lost already, all different. Those of a seed and a share are the same in every match.
    Own {
        /// Which ones.
        seed: u64,
        /// How many.
        count: u64,
        /// Share of them that begins from a Chess960 start, 0 to 1; every second one of those is double Chess960.
        chess960_share: f64,
    },
}

impl Openings {
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::Book(openings) => openings.len() as u64,
            Self::Own { count, .. } => *count,
        }
    }

    /// What makes them, if anything has to.
    fn opener(&self) -> Result<Option<Opener>, MemoryError> {
        match *self {
            Self::Book(_) => Ok(None),
            Self::Own {
                seed,
                chess960_share,
                ..
            } => Opener::new(seed, chess960_share).map(Some),
        }
    }
}

/// A match between two sides.
#[derive(Clone, Debug)]
pub struct Match {
    /// Each is played twice with colours reversed.
    pub openings: Openings,
    /// A and B.
    pub sides: [Side; 2],
    /// The test that may end it early.
    pub sprt: Option<Sprt>,
    /// What decides games before their end by the rules.
    pub adjudication: Option<Adjudication>,
    /// Games at a time.
    pub threads: usize,
    /// Directory that the games are stored in as training data; only if the openings are our own.
    pub keep: Option<PathBuf>,
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
            openings: match &args.book {
                Some(book) => Openings::Book(openings(book, args.games, args.seed)?),
                None => Openings::Own {
                    seed: args.seed,
                    count: args.games.div_ceil(2),
                    chess960_share: args.chess960_share.unwrap_or(0.0),
                },
            },
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
            keep: args.keep.clone(),
        })
    }

    /// Plays it; `heard` is told how it stands after every pair. What is kept are the games that count, in the order of their openings:
    /// the same match makes the same files, whatever the number of threads.
    ///
    /// # Errors
    /// If the tables do not fit into memory, or the games cannot be kept. Shards that are full by then stay on the disk.
    pub fn play(&self, mut heard: impl FnMut(&Summary)) -> Result<Summary, MatchError> {
        let mut keeper = self.keeper()?;
        let threads = (self.threads as u64).min(self.openings.count()) as usize;
        let mut teams = (0..threads)
            .map(|_| Ok((self.team()?, self.openings.opener()?)))
            .collect::<Result<Vec<_>, MemoryError>>()?;
        let mut summary = Summary::new(self.sprt, threads);
        let start = Instant::now();
        let draw = Draw::new(self.openings.count());
        let stop = AtomicBool::new(false);
        let stored = thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for (team, opener) in &mut teams {
                let sender = sender.clone();
                let (draw, stop) = (&draw, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed)
                        && let Some(number) = draw.take()
                    {
                        let pair = self.pair(number, draw, team, opener.as_mut());
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
            let mut next = 0;
            let mut stored = Ok(());
            for (number, pair) in receiver {
                early.insert(number, pair);
                while !stop.load(Ordering::Relaxed)
                    && let Some(pair) = early.remove(&next)
                {
                    // A lower number may have come to the same opening only after this one was played.
                    let counts =
                        |pair: &[GameRecord; 2]| draw.is_first(next, pair[0].opening.key());
                    let pair = pair.filter(counts);
                    next += 1;
                    let Some(pair) = pair else { continue };
                    if let Some(keeper) = &mut keeper {
                        stored = pair.iter().try_for_each(|game| keeper.add(game));
                    }
                    summary.add(half_points(&pair));
                    heard(&summary);
                    stop.store(summary.decided() || stored.is_err(), Ordering::Relaxed);
                }
            }
            stored
        });
        // Whatever stopped the match, the games that are there are worth keeping.
        let kept = keeper.map(|mut keeper| keeper.finish()).transpose();
        stored?;
        summary.kept = kept?;
        summary.elapsed = start.elapsed();
        let players = teams.iter().flat_map(|(team, _)| team);
        summary.effort = players.map(Player::effort).sum();
        Ok(summary)
    }

    /// The two players of one thread, A first.
    fn team(&self) -> Result<[Player; 2], MemoryError> {
        let [a, b] = &self.sides;
        Ok([a.player()?, b.player()?])
    }

    /// Both games of the opening with this number, that of A with White first; nothing if another number has the opening.
    fn pair(
        &self,
        number: u64,
        draw: &Draw,
        team: &mut [Player; 2],
        opener: Option<&mut Opener>,
    ) -> Option<[GameRecord; 2]> {
        let opening = match &self.openings {
            Openings::Book(openings) => openings[number as usize],
            Openings::Own { .. } => opener?.opening(number),
        };
        draw.enter(number, opening.key())
            .then(|| play_pair(opening, team, self.adjudication))
    }

    /// What stores the games, if they are to be kept.
    fn keeper(&self) -> Result<Option<Keeper>, MatchError> {
        let Some(dir) = &self.keep else {
            return Ok(None);
        };
        let Openings::Own {
            seed,
            chess960_share,
            ..
        } = self.openings
        else {
            return Err(MatchError::KeptBook);
        };
        let sides = self.sides.each_ref();
        let contest = Contest {
            by: Maker::Match,
            engine: build_info::ENGINE.to_owned(),
            networks: sides.map(|side| side.setup.network.name()),
            params: Some(sides.map(|side| {
                let numbers = format!("{:?}", side.setup.params);
                format!("{:016x}", fnv1a(numbers.as_bytes()))
            })),
            nodes: sides.map(|side| side.nodes),
            hash: sides.map(|side| side.hash as u64),
            seed,
            chess960_share,
        };
        Ok(Some(Keeper::open(dir, contest)?))
    }
}

/// Deals out the numbers of openings until enough different ones have come up. A second game from an opening would be the first
/// one again, so of the numbers with the same opening only the lowest counts, whichever thread comes to it first.
#[derive(Debug)]
struct Draw {
    wanted: u64,
    dealt: Mutex<Dealt>,
}

#[derive(Debug, Default)]
struct Dealt {
    next: u64,
    /// Numbers that will not count.
    repeats: u64,
    /// The lowest number of each opening.
    first: HashMap<u64, u64>,
}

impl Draw {
    fn new(wanted: u64) -> Self {
        Self {
            wanted,
            dealt: Mutex::default(),
        }
    }

    /// The next number, if as many openings as are wanted may not have been dealt yet. Who enters a number asks again: if it was a
    /// repeat, there is one more to play.
    fn take(&self) -> Option<u64> {
        let mut dealt = self.dealt.lock();
        let number = dealt.next;
        (number < self.wanted + dealt.repeats).then(|| {
            dealt.next += 1;
            number
        })
    }

    /// Takes note of the opening with this number, and says whether it is worth playing as far as is known.
    fn enter(&self, number: u64, key: u64) -> bool {
        let dealt = &mut *self.dealt.lock();
        match dealt.first.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(number);
                true
            }
            Entry::Occupied(mut entry) => {
                dealt.repeats += 1;
                let first = number < *entry.get();
                if first {
                    entry.insert(number);
                }
                first
            }
        }
    }

    /// Whether no lower number has this opening. All lower ones must have been entered.
    fn is_first(&self, number: u64, key: u64) -> bool {
        self.dealt.lock().first.get(&key) == Some(&number)
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

/// Both games of one opening: the first of the team has White, then Black.
pub fn play_pair(
    opening: Board,
    team: &mut [Player; 2],
    rules: Option<Adjudication>,
) -> [GameRecord; 2] {
    let [a, b] = team;
    [
        selfplay::play(opening, [a, b], rules),
        selfplay::play(opening, [b, a], rules),
    ]
}

/// The half points of the first player of a pair's team, in each game.
pub fn half_points([first, second]: &[GameRecord; 2]) -> [usize; 2] {
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
    use crate::data::manifest::{self, Part, Played};
    use crate::data::{shard, viri};
    use rejoinder::board::openings;
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    /// The arguments of a command line, with a book of so many random openings.
    fn args(scratch: &tempfile::TempDir, openings: usize, line: &str) -> Args {
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
        parse(&format!("--book {book} {line}")).expect("good arguments")
    }

    fn parse(line: &str) -> Result<Args, clap::Error> {
        let words = ["match"].into_iter().chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.args)
    }

    /// A match from openings of our own, whose games are kept in this directory.
    fn kept(dir: &Path, line: &str) -> Summary {
        // Two sides that play alike would leave one game of each pair.
        let other = if line.contains("--nodes-b") {
            ""
        } else {
            "--nodes-b 40"
        };
        let line = format!(
            "--nodes 60 {other} --hash 1 --keep {} {line}",
            dir.display()
        );
        play(&parse(&line).expect("good arguments")).expect("a match")
    }

    /// The files of a directory.
    fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
        let names = shard::names(dir).expect("a directory").into_iter();
        names
            .map(|name| {
                let bytes = fs::read(dir.join(&name)).expect("a file");
                (name, bytes)
            })
            .collect()
    }

    /// The games that are kept in a directory, in the order of its files. Their moves are legal, or they would not be read.
    fn games(dir: &Path) -> Vec<GameRecord> {
        let names = shard::names(dir).expect("a directory").into_iter();
        let shards = names.filter(|name| shard::ending(Path::new(name)).is_some());
        let games = |name: String| {
            let bytes = shard::read(&dir.join(name)).expect("a shard");
            let games: Result<Vec<_>, _> = viri::games(&bytes).collect();
            games.expect("good games")
        };
        shards.flat_map(games).collect()
    }

    #[test]
    fn a_match_makes_the_same_files_whatever_the_threads() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [first, second] = [1, 3].map(|threads| {
            let dir = scratch.path().join(format!("deep/{threads}"));
            let line = format!("--games 11 --threads {threads} --seed 7 --chess960-share 0.5");
            let summary = kept(&dir, &line);
            (summary, dir)
        });
        assert_eq!(first.0.games, second.0.games);
        assert_eq!(files(&first.1), files(&second.1));
        assert_eq!(files(&first.1).len(), 3, "settings, games and manifest");

        let (summary, dir) = first;
        let games = games(&dir);
        assert_eq!(games.len() as u64, summary.games.iter().sum::<u64>());
        let stored = summary.kept.expect("kept");
        assert_eq!((stored.stored.games(), stored.known), (12, 0));
        let mut again = Summary::new(None, 1);
        let mut keys = HashSet::new();
        for pair in games.chunks(2) {
            let pair: &[GameRecord; 2] = pair.try_into().expect("a pair");
            assert_eq!(pair[0].opening.key(), pair[1].opening.key());
            assert_ne!(pair[0].moves, pair[1].moves);
            keys.insert(pair[0].opening.key());
            again.add(half_points(pair));
        }
        assert_eq!(keys.len(), 6);
        assert_eq!((again.games, again.pairs), (summary.games, summary.pairs));
        let chess960 = games
            .iter()
            .filter(|game| !game.opening.has_standard_castling());
        assert!((1..12).contains(&chess960.count()));

        let names = shard::names(&dir).expect("a directory");
        let name = names
            .iter()
            .find(|name| shard::ending(Path::new(name)).is_some());
        let manifest = manifest::read(&dir.join(name.expect("a shard"))).expect("readable");
        let Some(Played::Contest(Part { contest, shard: 0 })) = manifest.expect("there").played
        else {
            panic!("the manifest tells of something else");
        };
        assert_eq!(
            (contest.by, contest.nodes, contest.seed),
            (Maker::Match, [60, 40], 7)
        );
        let network = Setup::default().network.name();
        assert_eq!(contest.networks, [network.clone(), network]);
    }

    #[test]
    fn a_repeated_match_stores_only_what_is_new() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [parts, whole] = ["parts", "whole"].map(|name| scratch.path().join(name));
        kept(&parts, "--games 4 --seed 3");
        let summary = kept(&parts, "--games 10 --seed 3");
        let text = summary.to_string();
        assert!(
            text.contains("kept   6 games with ") && text.contains("; 4 games were"),
            "{text}"
        );
        kept(&whole, "--games 10 --seed 3");
        assert_eq!(games(&parts), games(&whole));
        let before = files(&parts).len();
        // Games of other players and from other openings have files of their own.
        kept(&parts, "--games 4 --seed 4");
        kept(&parts, "--games 4 --seed 3 --nodes-b 50");
        let after = files(&parts).len();
        assert_eq!((before, after), (5, 11));
        assert_eq!(games(&parts).len(), 18);
    }

    #[test]
    fn openings_of_our_own_depend_on_the_seed_alone() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let openings = |name: &str, line: &str| {
            let dir = scratch.path().join(name);
            kept(&dir, line);
            let games = games(&dir).into_iter().step_by(2);
            games.map(|game| game.opening.key()).collect::<Vec<_>>()
        };
        let usual = openings("usual", "--games 12 --seed 1");
        let zero = openings("zero", "--games 12 --seed 1 --network-a zero --nodes-b 90");
        let other = openings("other", "--games 12 --seed 2");
        assert_eq!(usual, zero);
        assert!(other.iter().all(|key| !usual.contains(key)));
    }

    #[test]
    fn repeated_openings_are_skipped_whatever_the_order() {
        // The openings by number: 10, 10, 20, 10, 30, 20, 40, 50.
        let keys = [10, 10, 20, 10, 30, 20, 40, 50];
        let in_order = |draw: &Draw| {
            let mut numbers = Vec::new();
            while let Some(number) = draw.take() {
                if draw.enter(number, keys[number as usize]) {
                    numbers.push(number);
                }
            }
            numbers
        };
        let draw = Draw::new(4);
        assert_eq!(in_order(&draw), [0, 2, 4, 6]);
        // Slow threads: number 0 comes after 1, and 2 after all others.
        let draw = Draw::new(4);
        let taken: Vec<u64> = std::iter::from_fn(|| draw.take()).collect();
        assert_eq!(taken, [0, 1, 2, 3]);
        assert!(draw.enter(1, 10), "the best that is known");
        assert!(draw.enter(0, 10) && !draw.enter(3, 10));
        assert_eq!(in_order(&draw), [4, 5]);
        assert!(draw.enter(2, 20));
        assert_eq!(in_order(&draw), [6]);
        let counting = |&number: &u64| draw.is_first(number, keys[number as usize]);
        let counting: Vec<u64> = (0..7).filter(counting).collect();
        assert_eq!(counting, [0, 2, 4, 6]);
    }

    #[test]
    fn games_from_a_book_are_not_kept() {
        for line in [
            "--book x --keep y",
            "--book x --chess960-share 0.1",
            "--chess960-share 2",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("--keep y --chess960-share 0.1").is_ok());
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let mut contest = Match::of(&args(&scratch, 1, "--games 2")).expect("a match");
        contest.keep = Some(scratch.path().join("games"));
        let error = contest.play(|_| ()).expect_err("a book").to_string();
        assert!(error.contains("opening book"), "{error}");
        assert!(!scratch.path().join("games").exists());
    }

    #[test]
    fn equal_players_share_the_points_whatever_the_threads() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
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
        let scratch = tempfile::tempdir().expect("a temporary directory");
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
        let scratch = tempfile::tempdir().expect("a temporary directory");
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
