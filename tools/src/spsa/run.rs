//! The games of a run. Each thread plays iterations of its own from where the numbers are at the moment, and what it finds counts as soon
//! as it is there: nobody waits for anybody.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::data::kept::{Contest, KeepError, Keeper, Maker};
use crate::datagen::run::differences;
use crate::matches::{self, ADJUDICATION};
use crate::opener::Opener;
use crate::progress::Progress;
use crate::selfplay::GameRecord;
use rejoinder::board::Board;
use rejoinder::build_info;
use rejoinder::clock::Limits;
use rejoinder::commands::book;
use rejoinder::commands::player::Player;
use rejoinder::commands::tunables::{self as lines, Row};
use rejoinder::params::Params;
use rejoinder::search::Setup;
use rejoinder::types::Rng;

use super::algorithm::Optimiser;
use super::checkpoint::{self, Settings, State};
use super::report;
use super::{Args, SpsaError};

/// Between two checkpoints.
const SAVE_EVERY: Duration = Duration::from_secs(30);

/// What captures are worth to SEE: measured against the evaluation, not by games.
const SEE_VALUES: [&str; 5] = [
    "see_pawn",
    "see_knight",
    "see_bishop",
    "see_rook",
    "see_queen",
];

/// What plays in a thread.
struct Team {
    /// They differ in nothing yet.
    players: [Player; 2],
    openings: Openings,
}

/// Where a thread gets its openings from.
enum Openings {
    /// One of these by chance.
    Book(Arc<[Board]>),
    /// Numbered ones of our own.
    Own(Box<Opener>),
}

/// Tunes up to the last iteration.
///
/// # Errors
/// As [`super::run`].
pub fn tune(args: &Args, iterations: u64) -> Result<State, SpsaError> {
    // What this build cannot do is said before anything is asked for.
    params(&[], &[])?;
    let book = args.book.as_deref().map(book::read).transpose()?;
    let book: Option<Arc<[Board]>> = book.map(Arc::from);
    let state = open(args, iterations, settings(args, book.as_deref()))?;
    let left = state.algorithm.iterations.saturating_sub(state.done);
    let threads = args.threads.unwrap_or(num_cpus::get() as u64).min(left);
    let teams = (0..threads)
        .map(|_| team(args, book.as_ref()))
        .collect::<Result<Vec<_>, _>>()?;
    let keeper = keeper(args)?;
    save(args, &state)?;
    play(args, state, teams, keeper)
}

/// The run in the file, or a new one.
fn open(args: &Args, iterations: u64, settings: Settings) -> Result<State, SpsaError> {
    let path = &args.out;
    if !path.exists() {
        return Ok(State::new(
            settings,
            Optimiser::new(rows(args)?, iterations),
        ));
    }
    if !args.resume {
        return Err(SpsaError::Exists { path: path.clone() });
    }
    let mut state = checkpoint::load(path)?;
    let differs = |reason| SpsaError::Differs {
        path: path.clone(),
        reason,
    };
    if state.settings != settings {
        return Err(differs(differences(&state.settings, &settings)));
    }
    let named = args.params.is_some() || !args.only.is_empty();
    if named && rows(args)? != state.algorithm.rows {
        return Err(differs("its numbers are not those named now".to_owned()));
    }
    state.algorithm.iterations = iterations;
    Ok(state)
}

fn settings(args: &Args, book: Option<&[Board]>) -> Settings {
    let next = |key, board: &Board| Rng::stream(key, board.key()).next();
    let book = match book {
        Some(openings) => format!("{:016x}", openings.iter().fold(0, next)),
        None => format!("own, {} of Chess960", chess960_share(args)),
    };
    Settings {
        engine: build_info::ENGINE.to_owned(),
        network: Setup::default().network.name(),
        book,
        pairs: args.pairs,
        nodes: args.nodes,
        hash: args.hash,
        seed: args.seed,
    }
}

fn chess960_share(args: &Args) -> f64 {
    args.chess960_share.unwrap_or(0.0)
}

/// What stores the games, if they are to be kept.
fn keeper(args: &Args) -> Result<Option<Keeper>, KeepError> {
    let Some(dir) = &args.keep else {
        return Ok(None);
    };
    let network = Setup::default().network.name();
    let contest = Contest {
        by: Maker::Spsa,
        engine: build_info::ENGINE.to_owned(),
        networks: [network.clone(), network],
        params: None,
        nodes: [args.nodes; 2],
        hash: [args.hash; 2],
        seed: args.seed,
        chess960_share: chess960_share(args),
    };
    Keeper::open(dir, contest).map(Some)
}

/// The numbers that the arguments choose.
fn rows(args: &Args) -> Result<Vec<Row>, SpsaError> {
    let rows = if let Some(path) = &args.params {
        lines::read(path)?
    } else {
        let mut rows = lines::all();
        rows.retain(|row| judged_by_games(&row.name));
        rows
    };
    Ok(lines::select(rows, &args.only)?)
}

/// Whether games at fixed nodes on one thread can judge a number, neither those of the clock nor those of more workers,
/// and a step in it means something: the number of a variant is a name.
fn judged_by_games(name: &str) -> bool {
    let elsewhere = ["_worker", "_noise", "_variant"];
    !name.starts_with("clock_")
        && !elsewhere.iter().any(|end| name.ends_with(end))
        && !SEE_VALUES.contains(&name)
}

/// What plays in one thread.
fn team(args: &Args, book: Option<&Arc<[Board]>>) -> Result<Team, SpsaError> {
    let player = || {
        let limits = Limits {
            nodes: Some(args.nodes),
            ..Limits::default()
        };
        Player::new(Setup::default(), args.hash as usize, limits)
    };
    let openings = match book {
        Some(book) => Openings::Book(Arc::clone(book)),
        // The changes are drawn from the seed itself, and are to have nothing to do with the openings.
        None => Openings::Own(Box::new(Opener::new(
            Rng::new(args.seed).next(),
            chess960_share(args),
        )?)),
    };
    Ok(Team {
        players: [player()?, player()?],
        openings,
    })
}

/// The default numbers with these values for these rows.
#[cfg(feature = "tune")]
fn params(rows: &[Row], values: &[i32]) -> Result<Params, SpsaError> {
    let mut params = Params::default();
    for (row, &value) in rows.iter().zip(values) {
        params.set(&row.name, value).map_err(SpsaError::Parameter)?;
    }
    Ok(params)
}

/// The numbers of this build are constants.
#[cfg(not(feature = "tune"))]
fn params(_rows: &[Row], _values: &[i32]) -> Result<Params, SpsaError> {
    Err(SpsaError::Constants)
}

/// Plays all iterations that are left.
fn play(
    args: &Args,
    state: State,
    mut teams: Vec<Team>,
    mut keeper: Option<Keeper>,
) -> Result<State, SpsaError> {
    let (begun, seconds) = (state.done, state.seconds);
    let iterations = state.algorithm.iterations;
    let progress = Progress::new(iterations, "iterations");
    let start = Instant::now();
    let (next, stop) = (AtomicU64::new(begun), AtomicBool::new(false));
    let state = Mutex::new(state);
    let result = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for team in &mut teams {
            let sender = sender.clone();
            let (state, next, stop) = (&state, &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= iterations {
                        break;
                    }
                    if sender.send(iterate(number, state, team)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut saved = Instant::now();
        let result: Result<(), SpsaError> = receiver.iter().try_for_each(|done| {
            let games = done?;
            if let Some(keeper) = &mut keeper {
                games.iter().try_for_each(|game| keeper.add(game))?;
            }
            let (done, distance) = {
                let mut state = state.lock();
                state.seconds = seconds + start.elapsed().as_secs_f64();
                (state.done, state.algorithm.distance())
            };
            let games = (done - begun) * 2 * args.pairs;
            let speed = games as f64 / start.elapsed().as_secs_f64() * 3600.0;
            let moved = 100.0 * distance;
            progress.update(
                done,
                format!("{speed:.0} games/h, moved {moved:.2}% of the ranges"),
            );
            if saved.elapsed() >= SAVE_EVERY {
                saved = Instant::now();
                let state = state.lock().clone();
                save(args, &state)?;
            }
            Ok(())
        });
        stop.store(true, Ordering::Relaxed);
        result
    });
    progress.finish();
    // Whatever stopped the run, the games that are there are worth keeping.
    let kept = keeper.map(|mut keeper| keeper.finish()).transpose();
    result?;
    if let Some(kept) = kept? {
        eprintln!("kept {kept}");
    }
    let state = state.into_inner();
    save(args, &state)?;
    Ok(state)
}

/// Writes the run and its picture.
fn save(args: &Args, state: &State) -> Result<(), SpsaError> {
    checkpoint::save(&args.out, state)?;
    report::draw(args.plot.as_deref(), state)
}

/// Plays an iteration, and learns from its games. It depends on its number and on where the numbers were at its beginning.
fn iterate(
    number: u64,
    state: &Mutex<State>,
    team: &mut Team,
) -> Result<Vec<GameRecord>, SpsaError> {
    let (trial, mut rng, rows, pairs) = {
        let state = state.lock();
        let mut rng = Rng::stream(state.settings.seed, number);
        let trial = state.algorithm.propose(number, &mut rng);
        let rows = state.algorithm.rows.clone();
        (trial, rng, rows, state.settings.pairs)
    };
    let Team { players, openings } = team;
    let mut results = [0; 3];
    let mut games = Vec::new();
    for pair in 0..pairs {
        for (player, values) in players.iter_mut().zip(trial.rounded(&mut rng)) {
            player.set_params(params(&rows, &values)?);
        }
        let opening = match openings {
            Openings::Book(openings) => openings[rng.below(openings.len())],
            Openings::Own(opener) => opener.opening(number * pairs + pair),
        };
        let played = matches::play_pair(opening, players, Some(ADJUDICATION));
        for half_points in matches::half_points(&played) {
            results[2 - half_points] += 1;
        }
        games.extend(played);
    }
    state.lock().learn(&trial, results);
    Ok(games)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::super::state;
    use super::*;
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn parse(words: &str) -> Result<Args, clap::Error> {
        Line::try_parse_from(["spsa"].into_iter().chain(words.split_whitespace()))
            .map(|line| line.args)
    }

    /// The arguments of a run in the scratch directory.
    fn args(scratch: &tempfile::TempDir, more: &str) -> Args {
        let book = scratch.path().join("book.epd");
        let openings = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n\
            rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -\n";
        fs::write(&book, openings).expect("room");
        let (out, book) = (scratch.path().join("run.json"), book.display().to_string());
        let out = out.display();
        let line = format!("--out {out} --book {book} --pairs 1 --nodes 50 --hash 1 {more}");
        parse(&line).expect("good arguments")
    }

    #[test]
    fn the_arguments_are_checked() {
        for line in [
            "",
            "--out x",
            "--out x --iterations 5 --book x --keep y",
            "--out x --iterations 5 --book x --chess960-share 0.1",
            "--out x --show --keep y",
            "--out x --book x --iterations 0",
            "--out x --book x --iterations 5 --pairs 0",
            "--out x --book x --iterations 5 --show",
            "--out x --resume --show",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("--out x --show --plot y").is_ok());
        assert!(parse("--out x --iterations 5 --keep y --chess960-share 0.1").is_ok());
    }

    #[test]
    fn numbers_that_games_cannot_judge_are_left_out() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let names = |more: &str| {
            let rows = rows(&args(&scratch, more)).expect("rows");
            rows.into_iter().map(|row| row.name).collect::<Vec<_>>()
        };
        let all = names("--iterations 1");
        assert!(all.len() > 50 && all.iter().any(|name| name == "see_quiet_margin"));
        assert!(
            !all.iter()
                .any(|name| name.starts_with("clock_") || name == "see_pawn")
        );
        let lmr = names("--iterations 1 --only lmr_check,lmr_kil");
        assert_eq!(lmr, ["lmr_check", "lmr_killer"]);
        let error = rows(&args(&scratch, "--iterations 1 --only clock_")).expect_err("none");
        assert!(error.to_string().contains("`clock_`"), "{error}");
    }

    #[cfg(not(feature = "tune"))]
    #[test]
    fn constants_are_not_tuned() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let args = args(&scratch, "--iterations 2");
        let error = state(&args).expect_err("constants").to_string();
        assert!(error.contains("--features tune"), "{error}");
        assert!(!args.out.exists());
    }

    #[cfg(feature = "tune")]
    mod tuning {
        use std::collections::HashSet;
        use std::path::Path;

        use super::*;
        use crate::data::{shard, viri};

        #[test]
        fn a_run_ends_is_the_same_again_and_goes_on() {
            let [first, second] = [(); 2].map(|()| {
                let scratch = tempfile::tempdir().expect("a temporary directory");
                let plot = scratch.path().join("paths.svg");
                let line = format!("--iterations 2 --threads 1 --plot {}", plot.display());
                let args = args(&scratch, &line);
                state(&args).expect("a run");
                let svg = fs::read_to_string(plot).expect("a picture");
                assert!(svg.starts_with("<svg"), "{svg}");
                (checkpoint::load(&args.out).expect("a run"), scratch)
            });
            let (run, scratch) = first;
            assert_eq!(run.algorithm, second.0.algorithm);
            assert_eq!((run.done, run.games), (2, second.0.games));
            assert_eq!(run.games.iter().sum::<u64>(), 4);

            // Nothing is left to play, and then something is.
            state(&args(&scratch, "--iterations 2 --resume")).expect("the end of a run");
            let longer = args(&scratch, "--iterations 5 --threads 2 --resume");
            state(&longer).expect("a longer run");
            let run = checkpoint::load(&longer.out).expect("a run");
            assert_eq!((run.done, run.games.iter().sum::<u64>()), (5, 10));
            assert_eq!(run.history.len(), 6);
            let show = format!("--out {} --show", longer.out.display());
            let shown = state(&parse(&show).expect("good arguments")).expect("a run");
            assert_eq!(shown, run);
            let mut table = Vec::new();
            report::print(&shown, &mut table).expect("a table");
            let table = String::from_utf8(table).expect("text");
            let check = &shown.algorithm.rounded()[0];
            let name = &shown.algorithm.rows[0].name;
            assert!(table.contains(&format!("{name}={check},")), "{table}");
            assert!(table.contains("5 of 5, 10 games"), "{table}");
        }

        /// The arguments of a run from openings of our own whose games are kept.
        fn keeping(scratch: &tempfile::TempDir, more: &str) -> Args {
            let path = |name: &str| scratch.path().join(name).display().to_string();
            let (out, keep) = (path("run.json"), path("games"));
            let line = format!("--out {out} --keep {keep} --pairs 2 --nodes 50 --hash 1 {more}");
            parse(&line).expect("good arguments")
        }

        /// The kept games of each file.
        fn games(scratch: &tempfile::TempDir) -> Vec<Vec<GameRecord>> {
            let dir = scratch.path().join("games");
            let names = shard::names(&dir).expect("a directory").into_iter();
            let shards = names.filter(|name| shard::ending(Path::new(name)).is_some());
            let games = |name: String| {
                let bytes = shard::read(&dir.join(name)).expect("a shard");
                let games: Result<Vec<_>, _> = viri::games(&bytes).collect();
                games.expect("good games")
            };
            shards.map(games).collect()
        }

        #[test]
        fn games_are_kept_and_a_resumed_run_goes_on_with_them() {
            let [parts, whole] =
                [(); 2].map(|()| tempfile::tempdir().expect("a temporary directory"));
            let run = state(&keeping(&parts, "--iterations 3 --threads 1")).expect("a run");
            let book = run.settings.book;
            assert_eq!(book, "own, 0 of Chess960");
            let first = games(&parts);
            assert_eq!(first.len(), 1);
            let run = state(&keeping(&parts, "--iterations 5 --threads 1 --resume"));
            let run = run.expect("a longer run");
            let both = games(&parts);
            assert_eq!((both.len(), &both[0]), (2, &first[0]));
            // A pair that both sides played alike is stored as one game.
            let distinct: HashSet<Vec<u8>> = both.iter().flatten().map(encoded).collect();
            let stored = both.iter().flatten().count();
            assert_eq!(distinct.len(), stored);
            let played = run.games.iter().sum::<u64>() as usize;
            assert_eq!(played, 20);
            assert!((10..=20).contains(&stored), "{stored}");
            let keys = |games: &[Vec<GameRecord>]| -> HashSet<u64> {
                games
                    .iter()
                    .flatten()
                    .map(|game| game.opening.key())
                    .collect()
            };
            assert_eq!(keys(&both).len(), 10);

            // The openings are those of a run that was not stopped and had other changes and threads; those of another seed differ.
            let line = "--iterations 5 --threads 2 --only lmr_";
            state(&keeping(&whole, line)).expect("a run");
            assert_eq!(keys(&games(&whole)), keys(&both));
            let other = tempfile::tempdir().expect("a temporary directory");
            state(&keeping(&other, "--iterations 5 --seed 2")).expect("a run");
            assert!(keys(&games(&other)).is_disjoint(&keys(&both)));

            let line = "--iterations 6 --resume --chess960-share 0.5";
            let error = state(&keeping(&parts, line)).expect_err("other openings");
            assert!(
                error.to_string().contains("own, 0.5 of Chess960"),
                "{error}"
            );
        }

        fn encoded(game: &GameRecord) -> Vec<u8> {
            let mut bytes = Vec::new();
            viri::encode(game, &mut bytes).expect("room");
            bytes
        }

        #[test]
        fn another_run_is_not_gone_on_with() {
            let scratch = tempfile::tempdir().expect("a temporary directory");
            let only = "--iterations 1 --only lmr_";
            state(&args(&scratch, only)).expect("a run");
            for (line, says) in [
                ("--iterations 1", "is there already"),
                ("--iterations 1 --resume --seed 2", "seed was 1 and is 2"),
                ("--iterations 1 --resume --only see_", "not those named"),
            ] {
                let error = state(&args(&scratch, line)).expect_err(line).to_string();
                assert!(error.contains(says), "{error}");
            }
            state(&args(&scratch, &format!("{only} --resume"))).expect("the same");
            let mut elsewhere = args(&scratch, "--iterations 1");
            elsewhere.out = scratch.path().join("missing/run.json");
            let error = state(&elsewhere).expect_err("no directory").to_string();
            assert!(error.contains("missing"), "{error}");
        }
    }
}
