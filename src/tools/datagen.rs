//! `rejoinder datagen`: the engine plays itself, and whole games go to the disk for the trainer.

use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fmt, process};

use parking_lot::Mutex;

use crate::board::Board;
use crate::clock::Limits;
use crate::memory::MemoryError;
use crate::search::Setup;
use crate::types::Score;

use super::filter::Filter;
use super::openings;
use super::progress::Progress;
use super::selfplay::{self, Adjudication, Effort, GameRecord, Outcome, Player};
use super::shard::{self, ShardError, Shards};
use crate::types::Rng;

/// Games end when there is nothing left to learn from them.
const ADJUDICATION: Adjudication = Adjudication {
    win_score: 2500,
    win_plies: 4,
    draw_score: 4,
    draw_plies: 12,
    draw_from: 80,
    trust_mates: true,
};

/// An opening is judged by so many times the nodes of a move …
const OPENING_FACTOR: u64 = 10;
/// … and dropped if one side is ahead by more than this, centipawns.
const OPENING_LIMIT: Score = 1000;

/// Plays games of this engine against itself and stores them, with every move's score, in viriformat.
///
/// A game depends only on the seed and its number. Files appear under their names when they are complete on the disk; the program
/// may be stopped at any time and loses at most the games of the unfinished files.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory for the files, made if need be
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Stop after so many games
    #[arg(long, required_unless_present = "positions", conflicts_with = "positions", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// Stop after so many positions that a trainer would keep
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: Option<u64>,
    /// Nodes after which no new iteration begins
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: u64,
    /// Times these nodes that end a search at once
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub hard_factor: u64,
    /// Games at a time; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Which games to play; by default never the same again
    #[arg(long)]
    pub seed: Option<u64>,
    /// Share of the games that begin from a Chess960 start, 0 to 1; half of them double Chess960
    #[arg(long, value_name = "SHARE", default_value_t = 0.15, value_parser = share)]
    pub chess960_share: f64,
    /// Hash of each player in MB
    #[arg(long, value_name = "MB", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub hash: u64,
    /// Games in a file
    #[arg(long, value_name = "GAMES", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub shard_games: u64,
}

/// A share as the user writes it.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("must be a number from 0 to 1".to_string()),
    }
}

/// Why data cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DatagenError {
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

/// What has been made so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games that White won, drew and lost.
    pub results: [u64; 3],
    /// Positions with a score.
    pub positions: u64,
    /// Those that a trainer would keep.
    pub kept: u64,
}

impl Tally {
    /// Games played.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    fn add(&mut self, record: &GameRecord) {
        self.results[match record.outcome {
            Outcome::WhiteWin => 0,
            Outcome::Draw => 1,
            Outcome::BlackWin => 2,
        }] += 1;
        self.positions += record.moves.len() as u64;
        self.kept += Filter::default().count(record);
    }
}

/// What came of a run.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// The seed it used.
    pub seed: u64,
    /// What was made.
    pub tally: Tally,
    effort: Effort,
    elapsed: Duration,
    threads: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.tally;
        let games = tally.games();
        let [wins, draws, losses] = tally.results;
        let core_seconds = self.elapsed.as_secs_f64() * self.threads as f64;
        let searching = self.effort.time.as_secs_f64();
        writeln!(
            f,
            "games      {games} of seed {}: White +{wins} ={draws} -{losses}",
            self.seed
        )?;
        writeln!(
            f,
            "positions  {}, of which {} to train on ({:.1} a game)",
            tally.positions,
            tally.kept,
            tally.kept as f64 / games as f64
        )?;
        writeln!(
            f,
            "speed      {:.0} positions to train on a second and core, {:.0} games/h, {:.0} nodes a search",
            tally.kept as f64 / core_seconds,
            games as f64 / self.elapsed.as_secs_f64() * 3600.0,
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

/// What all threads of a run see.
struct Run<'a> {
    args: &'a Args,
    seed: u64,
    threads: usize,
    start: Instant,
    tally: Mutex<Tally>,
    progress: Progress,
    stop: AtomicBool,
}

/// Makes the data and prints what came of it.
///
/// # Errors
/// Names the file that cannot be written, or says that memory is short.
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
    let seed = args.seed.unwrap_or_else(fresh_seed);
    shard::claim(&args.out, seed)?;
    let threads = args.threads.map_or_else(num_cpus::get, |n| n as usize);
    let mut teams = (0..threads)
        .map(|_| Ok([player(args)?, player(args)?]))
        .collect::<Result<Vec<_>, MemoryError>>()?;
    let run = Run {
        args,
        seed,
        threads,
        start: Instant::now(),
        tally: Mutex::new(Tally::default()),
        progress: match args.positions {
            Some(positions) => Progress::new(positions, "positions"),
            None => Progress::new(args.games.unwrap_or(0), "games"),
        },
        stop: AtomicBool::new(false),
    };
    let results: Vec<_> = thread::scope(|scope| {
        let run = &run;
        let handles: Vec<_> = teams
            .iter_mut()
            .enumerate()
            .map(|(thread, team)| scope.spawn(move || run.work(thread, team)))
            .collect();
        let join = |handle: thread::ScopedJoinHandle<_>| {
            handle.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        handles.into_iter().map(join).collect()
    });
    run.progress.finish();
    results.into_iter().collect::<Result<(), _>>()?;
    Ok(Summary {
        seed,
        tally: run.tally.into_inner(),
        effort: teams.iter().flatten().map(Player::effort).sum(),
        elapsed: run.start.elapsed(),
        threads,
    })
}

impl Run<'_> {
    /// One thread's share: every `threads`-th game, until the target is reached or any thread fails.
    fn work(&self, thread: usize, team: &mut [Player; 2]) -> Result<(), DatagenError> {
        let games_each = self.args.shard_games as usize;
        let mut shards = Shards::new(&self.args.out, self.seed, thread, games_each);
        let result = (thread as u64..self.args.games.unwrap_or(u64::MAX))
            .step_by(self.threads)
            .take_while(|_| !self.stop.load(Ordering::Relaxed))
            .try_for_each(|number| self.one_game(number, team, &mut shards));
        if result.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        // Whatever stopped the run, the games that are there are worth keeping.
        let finished = shards.finish().map_err(DatagenError::from);
        result.and(finished)
    }

    fn one_game(
        &self,
        number: u64,
        team: &mut [Player; 2],
        shards: &mut Shards,
    ) -> Result<(), DatagenError> {
        let [first, second] = team;
        let opening = self.opening(number, first);
        let record = selfplay::play(opening, [first, second], Some(ADJUDICATION));
        shards.add(&record)?;

        let mut tally = self.tally.lock();
        tally.add(&record);
        let done = match self.args.positions {
            Some(_) => tally.kept,
            None => tally.games(),
        };
        if self
            .args
            .positions
            .is_some_and(|positions| done >= positions)
        {
            self.stop.store(true, Ordering::Relaxed);
        }
        let core_seconds = self.start.elapsed().as_secs_f64() * self.threads as f64;
        let speed = tally.kept as f64 / core_seconds;
        let message = format!(
            "{} games, {} positions to train on, {speed:.0} a second and core",
            tally.games(),
            tally.kept
        );
        self.progress.update(done, message);
        Ok(())
    }

    /// The opening of this game: the first random one that neither side has lost already.
    fn opening(&self, number: u64, judge: &mut Player) -> Board {
        let mut rng = Rng::for_game(self.seed, number);
        let nodes = OPENING_FACTOR * self.args.nodes;
        judge.forget();
        loop {
            if let Some(board) = openings::random(self.args.chess960_share, &mut rng)
                && judge.judge(board, nodes).abs() <= OPENING_LIMIT
            {
                return board;
            }
        }
    }
}

/// One side of the games.
fn player(args: &Args) -> Result<Player, MemoryError> {
    let limits = Limits {
        nodes: Some(args.nodes * args.hard_factor),
        soft_nodes: Some(args.nodes),
        ..Limits::default()
    };
    Player::new(Setup::default(), args.hash as usize, limits)
}

/// A seed that no run had before.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |now| now.as_nanos() as u64);
    Rng::for_game(nanoseconds, u64::from(process::id())).next()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use clap::Parser;
    use viriformat::dataformat::{Filter, Game};

    use super::*;
    use crate::tools::scratch::Scratch;

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

    /// Files by name.
    fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
        fs::read_dir(dir)
            .expect("a directory")
            .map(|entry| entry.expect("an entry").path())
            .map(|path| {
                (
                    path.file_name()
                        .expect("a name")
                        .to_string_lossy()
                        .into_owned(),
                    fs::read(path).expect("a file"),
                )
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
        let scratch = Scratch::new();
        let summary = made(
            scratch.path(),
            "--games 7 --nodes 60 --threads 2 --seed 1 --shard-games 2 --chess960-share 0.5",
        );
        let files = files(scratch.path());
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        let expected = [
            "games-1-00-00000.vf",
            "games-1-00-00001.vf",
            "games-1-01-00000.vf",
            "games-1-01-00001.vf",
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
        let scratch = Scratch::new();
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
        assert!(error.contains("games-4-00-00000.vf"), "{error}");
        made(&first, "--games 1 --nodes 60 --threads 1");
        assert_eq!(files(&first).len(), 2, "a run without a seed finds its own");
    }

    #[test]
    fn a_run_stops_at_its_positions() {
        let scratch = Scratch::new();
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
        ] {
            assert!(parse(out, line).is_err(), "{line}");
        }
        assert!(parse(out, "--positions 5 --chess960-share 0").is_ok());
    }
}
