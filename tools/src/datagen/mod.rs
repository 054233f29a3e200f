//! `rejoinder datagen`: the engine plays itself, and whole games go to the disk for the trainer.

pub mod run;

use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fmt, process};

use parking_lot::Mutex;

use crate::data::shard::ShardError;
use crate::data::tally::Tally;
use crate::opener;
use crate::progress::Progress;
use crate::selfplay::{self, Adjudication};
use rejoinder::board::Board;
use rejoinder::build_info;
use rejoinder::clock::Limits;
use rejoinder::commands::player::{Player, SearchCost};
use rejoinder::eval::network::{self, Network};
use rejoinder::memory::MemoryError;
use rejoinder::search::Setup;
use rejoinder::types::Rng;

use run::{Run, RunError, Settings, Shards};

/// Games end when there is nothing left to learn from them.
const ADJUDICATION: Adjudication = Adjudication {
    win_score: 2500,
    win_plies: 4,
    draw_score: 4,
    draw_plies: 12,
    draw_from: 80,
    trust_mates: true,
};

/// An opening is judged by so many times the nodes of a move.
const OPENING_FACTOR: u64 = 10;

/// Plays games of this engine against itself and stores them, with every move's score, in viriformat.
///
/// A game depends only on the settings, the seed and its number. Files appear under their names when they are complete on the disk; the
/// program may be stopped at any time and loses at most the games of the unfinished files. The same command with --resume goes on.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory for the files, made if need be
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Stop when there are so many games, those of earlier parts of the run included
    #[arg(long, required_unless_present = "positions", conflicts_with = "positions", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// Stop when there are so many positions that a trainer would keep
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: Option<u64>,
    /// Go on with the run in DIR; settings not given are those it was begun with
    #[arg(long)]
    pub resume: bool,
    /// Network to play with, if not the embedded one: a file, or `zero` for the one that knows nothing
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network: Option<Arc<Network>>,
    /// Nodes after which no new iteration begins [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: Option<u64>,
    /// Times these nodes that end a search at once [default: 8]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub hard_factor: Option<u64>,
    /// Games at a time; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Which games to play; by default never the same again, or those of the only run in DIR
    #[arg(long)]
    pub seed: Option<u64>,
    /// Share of the games that begin from a Chess960 start, 0 to 1; half of them double Chess960 [default: 0.15]
    #[arg(long, value_name = "SHARE", value_parser = opener::share)]
    pub chess960_share: Option<f64>,
    /// Hash in MB, for both sides of a game [default: 2]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub hash: Option<u64>,
    /// Games in a file [default: 1000]
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub shard_games: Option<u64>,
    /// Stop at this moment even if there are fewer.
    #[arg(skip)]
    pub until: Option<Instant>,
}

impl Args {
    /// What the arguments ask for; `others` says what they do not.
    fn settings(&self, setup: &Setup, others: &Settings) -> Settings {
        Settings {
            engine: build_info::ENGINE.to_owned(),
            network: setup.network.name(),
            nodes: self.nodes.unwrap_or(others.nodes),
            hard_factor: self.hard_factor.unwrap_or(others.hard_factor),
            hash: self.hash.unwrap_or(others.hash),
            chess960_share: self.chess960_share.unwrap_or(others.chess960_share),
            seed: self.seed.unwrap_or(others.seed),
            threads: self.threads.unwrap_or(others.threads),
            shard_games: self.shard_games.unwrap_or(others.shard_games),
        }
    }

    /// The run they mean, begun or resumed.
    fn open(&self, setup: &Setup) -> Result<Run, RunError> {
        if self.resume {
            return Run::resume(&self.out, self.seed, |begun| self.settings(setup, begun));
        }
        let usual = Settings {
            engine: String::new(),
            network: String::new(),
            nodes: 1000,
            hard_factor: 8,
            hash: 2,
            chess960_share: 0.15,
            seed: fresh_seed(),
            threads: num_cpus::get() as u64,
            shard_games: 1000,
        };
        Run::begin(&self.out, self.settings(setup, &usual))
    }

    /// How much of the target is reached.
    fn done(&self, tally: &Tally) -> u64 {
        if self.positions.is_some() {
            tally.kept
        } else {
            tally.games()
        }
    }
}

/// Why data cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DatagenError {
    /// The run cannot begin or go on.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file cannot be written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Output(#[from] io::Error),
}

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// The seed it used.
    pub seed: u64,
    /// All that is there now.
    pub tally: Tally,
    /// What was there before.
    before: Tally,
    effort: SearchCost,
    elapsed: Duration,
    threads: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.tally;
        let games = tally.games();
        writeln!(
            f,
            "games      {games} of seed {}: White +{} ={} -{}",
            self.seed, tally.white_wins, tally.draws, tally.black_wins
        )?;
        writeln!(
            f,
            "positions  {}, of which {} to train on ({:.1} a game)",
            tally.positions,
            tally.kept,
            tally.kept as f64 / games as f64
        )?;
        let fresh = games - self.before.games();
        if self.before.games() > 0 {
            writeln!(f, "now        {fresh} games of them")?;
        }
        if fresh == 0 {
            return Ok(());
        }
        let core_seconds = self.elapsed.as_secs_f64() * self.threads as f64;
        let searching = self.effort.time.as_secs_f64();
        writeln!(
            f,
            "speed      {:.0} positions to train on a second and core, {:.0} games/h, {:.0} nodes a search",
            (tally.kept - self.before.kept) as f64 / core_seconds,
            fresh as f64 / self.elapsed.as_secs_f64() * 3600.0,
            self.effort.nodes as f64 / self.effort.searches as f64,
        )?;
        writeln!(
            f,
            "search     {:.1}% of the time, {:.0} nodes/s a core inside it",
            100.0 * searching / core_seconds,
            self.effort.nodes as f64 / searching
        )
    }
}

/// What all threads see.
struct Job<'a> {
    args: &'a Args,
    run: &'a Run,
    adjudication: Adjudication,
    start: Instant,
    tally: Mutex<Tally>,
    progress: Progress,
    stop: AtomicBool,
}

/// Makes the data and prints what came of it.
///
/// # Errors
/// Names the file that cannot be written, or says what else is wrong.
pub fn run(args: &Args) -> Result<(), DatagenError> {
    let summary = generate(args)?;
    write!(io::stdout(), "{summary}")?;
    Ok(())
}

/// Makes the data.
///
/// # Errors
/// As [`run`].
pub fn generate(args: &Args) -> Result<Summary, DatagenError> {
    let setup = Setup::with_network(args.network.clone());
    let run = args.open(&setup)?;
    let settings = &run.settings;
    let mut players = (0..settings.threads)
        .map(|_| player(settings, &setup))
        .collect::<Result<Vec<_>, MemoryError>>()?;
    let job = Job {
        args,
        run: &run,
        adjudication: adjudication(&setup.network),
        start: Instant::now(),
        tally: Mutex::new(run.tally),
        progress: match args.positions {
            Some(positions) => Progress::new(positions, "positions"),
            None => Progress::new(args.games.unwrap_or(0), "games"),
        },
        stop: AtomicBool::new(false),
    };
    job.stop_at_target(&run.tally);
    let results: Vec<_> = thread::scope(|scope| {
        let job = &job;
        let handles: Vec<_> = players
            .iter_mut()
            .enumerate()
            .map(|(thread, player)| scope.spawn(move || job.work(thread, player)))
            .collect();
        let join = |handle: thread::ScopedJoinHandle<_>| {
            handle.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        handles.into_iter().map(join).collect()
    });
    job.progress.finish();
    results.into_iter().collect::<Result<(), _>>()?;
    Ok(Summary {
        seed: settings.seed,
        tally: job.tally.into_inner(),
        before: run.tally,
        effort: players.iter().map(Player::effort).sum(),
        elapsed: job.start.elapsed(),
        threads: settings.threads,
    })
}

impl Job<'_> {
    /// One thread's share: every `threads`-th game, until the target is reached or any thread fails.
    fn work(&self, thread: usize, player: &mut Player) -> Result<(), DatagenError> {
        let threads = self.run.settings.threads;
        let first = thread as u64 + self.run.places[thread].games * threads;
        let mut shards = Shards::new(self.run, thread);
        let result = (first..self.args.games.unwrap_or(u64::MAX))
            .step_by(threads as usize)
            .take_while(|_| !self.stop.load(Ordering::Relaxed))
            .try_for_each(|number| self.one_game(number, player, &mut shards));
        if result.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        // Whatever stopped the run, the games that are there are worth keeping.
        let finished = shards.finish();
        Ok(result.and(finished)?)
    }

    fn one_game(
        &self,
        number: u64,
        player: &mut Player,
        shards: &mut Shards,
    ) -> Result<(), ShardError> {
        let opening = self.opening(number, player);
        let record = selfplay::play_alone(opening, player, Some(self.adjudication));
        let counts = shards.add(&record)?;

        let mut tally = self.tally.lock();
        *tally += counts;
        self.stop_at_target(&tally);
        let fresh = tally.kept - self.run.tally.kept;
        let core_seconds = self.start.elapsed().as_secs_f64() * self.run.settings.threads as f64;
        let message = format!(
            "{} games, {} positions to train on, {:.0} a second and core",
            tally.games(),
            tally.kept,
            fresh as f64 / core_seconds
        );
        self.progress.update(self.args.done(&tally), message);
        Ok(())
    }

    /// Ends the run if there are positions enough, or the time is over. The games end by their numbers.
    fn stop_at_target(&self, tally: &Tally) {
        let enough = (self.args.positions).is_some_and(|positions| tally.kept >= positions);
        let late = (self.args.until).is_some_and(|until| Instant::now() >= until);
        if enough || late {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The opening of this game: the first random one that neither side has lost already.
    fn opening(&self, number: u64, judge: &mut Player) -> Board {
        let settings = &self.run.settings;
        let mut rng = Rng::stream(settings.seed, number);
        let nodes = OPENING_FACTOR * settings.nodes;
        opener::first_fair(settings.chess960_share, &mut rng, judge, nodes)
    }
}

/// When games end. A network that finds everything even has no say in what is a draw.
fn adjudication(network: &Network) -> Adjudication {
    let blank = *network == Network::zero();
    Adjudication {
        draw_plies: if blank {
            u32::MAX
        } else {
            ADJUDICATION.draw_plies
        },
        ..ADJUDICATION
    }
}

/// What plays both sides of the games.
fn player(settings: &Settings, setup: &Setup) -> Result<Player, MemoryError> {
    let limits = Limits {
        nodes: Some(settings.nodes * settings.hard_factor),
        soft_nodes: Some(settings.nodes),
        ..Limits::default()
    };
    Player::new(setup.clone(), settings.hash as usize, limits)
}

/// A seed that no run had before.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |now| now.as_nanos() as u64);
    Rng::stream(nanoseconds, u64::from(process::id())).next()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use clap::Parser;
    use viriformat::dataformat::{Filter, Game};

    use super::*;
    use crate::data::shard;
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn parse(out: &Path, line: &str) -> Result<Args, clap::Error> {
        let out = out.to_string_lossy();
        let words = ["datagen", "--out", &out]
            .into_iter()
            .chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.args)
    }

    fn made(out: &Path, line: &str) -> Summary {
        generate(&parse(out, line).expect("good arguments")).expect("a run")
    }

    /// Games by file name.
    fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
        let names = shard::names(dir).expect("a directory").into_iter();
        names
            .filter(|name| shard::ending(Path::new(name)).is_some())
            .map(|name| {
                let games = shard::read(&dir.join(&name)).expect("a shard");
                (name, games)
            })
            .collect()
    }

    fn games(bytes: &[u8]) -> Vec<Game> {
        let mut reader = bytes;
        let mut games = Vec::new();
        while !reader.is_empty() {
            games.push(Game::deserialise_from(&mut reader, Vec::new()).expect("a game"));
        }
        games
    }

    #[test]
    fn a_run_stores_every_game_and_counts_like_the_format() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let summary = made(
            scratch.path(),
            "--games 7 --nodes 60 --threads 2 --seed 1 --shard-games 2 --chess960-share 0.5",
        );
        let files = files(scratch.path());
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        let expected = [
            "games-1-00-00000.vf.zst",
            "games-1-00-00001.vf.zst",
            "games-1-01-00000.vf.zst",
            "games-1-01-00001.vf.zst",
        ];
        assert_eq!(names, expected);
        let games: Vec<Game> = files.values().flat_map(|bytes| games(bytes)).collect();
        assert_eq!((summary.tally.games(), games.len()), (7, 7));

        let filter = Filter {
            min_ply: 16,
            max_eval: 10_000,
            filter_tactical: true,
            filter_check: true,
            ..Filter::UNRESTRICTED
        };
        let positions: usize = games.iter().map(Game::len).sum();
        let kept: u64 = games
            .iter()
            .map(|game| game.filter_pass_count(&filter))
            .sum();
        assert_eq!(summary.tally.positions, positions as u64);
        assert_eq!(summary.tally.kept, kept);
        assert!(kept > 50 && kept < positions as u64, "{summary}");
    }

    #[test]
    fn the_seed_decides_the_games() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [first, again, other] =
            ["first", "again", "other"].map(|name| scratch.path().join(name));
        let line = "--games 3 --nodes 60 --threads 1 --seed 4";
        made(&first, line);
        made(&again, line);
        made(&other, "--games 3 --nodes 60 --threads 1 --seed 5");
        assert_eq!(files(&first), files(&again));
        let [first_bytes, other_bytes] =
            [&first, &other].map(|dir| files(dir).into_values().next());
        assert_ne!(first_bytes, other_bytes);

        let args = parse(&first, line).expect("good arguments");
        let error = generate(&args).expect_err("the seed is taken").to_string();
        assert!(error.contains("seed 4"), "{error}");
        made(&first, "--games 1 --nodes 60 --threads 1");
        assert_eq!(files(&first).len(), 2, "a run without a seed finds its own");
    }

    #[test]
    fn a_run_goes_on_to_its_target() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [parts, whole] = ["parts", "whole"].map(|name| scratch.path().join(name));
        made(
            &parts,
            "--games 3 --nodes 60 --threads 2 --hash 1 --seed 4 --shard-games 4",
        );
        let summary = made(&parts, "--games 10 --resume");
        assert_eq!((summary.before.games(), summary.tally.games()), (3, 10));
        let summary = made(&parts, "--games 10 --resume --nodes 60 --seed 4");
        assert_eq!(summary.before, summary.tally, "there is nothing to do");
        let summary = made(&parts, "--positions 50 --resume");
        assert_eq!(summary.before, summary.tally, "there is nothing to do");
        made(
            &whole,
            "--games 10 --nodes 60 --threads 2 --hash 1 --seed 4",
        );
        for thread in ["games-4-00", "games-4-01"] {
            let games = |dir| -> Vec<u8> {
                let files = files(dir).into_iter();
                let own = files.filter(|(name, _)| name.starts_with(thread));
                own.flat_map(|(_, games)| games).collect()
            };
            assert!(games(&whole) == games(&parts), "{thread}");
        }
        let args = parse(&parts, "--games 10 --resume --hash 2").expect("good arguments");
        let error = generate(&args).expect_err("other games").to_string();
        assert!(error.contains("hash was 1 and is 2"), "{error}");
    }

    #[test]
    fn a_run_stops_at_its_positions() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let summary = made(scratch.path(), "--positions 100 --nodes 60 --threads 1");
        assert!(summary.tally.kept >= 100, "{summary}");
        let games = files(scratch.path())
            .values()
            .map(|bytes| games(bytes).len())
            .sum::<usize>();
        assert_eq!(summary.tally.games(), games as u64);
    }

    #[test]
    fn a_run_needs_one_target_and_a_share() {
        let out = Path::new("nowhere");
        for line in [
            "",
            "--games 1 --positions 1",
            "--games 0",
            "--games 1 --chess960-share 1.1",
            "--games 1 --network nowhere/net",
        ] {
            assert!(parse(out, line).is_err(), "{line}");
        }
        assert!(parse(out, "--positions 5 --chess960-share 0").is_ok());
    }
}
