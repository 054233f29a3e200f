//! The games of a tuning run. Each thread plays iterations of its own from the current values of
//! the parameters and applies its result at once, without waiting for the others.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use parking_lot::Mutex;

use crate::data::kept::{KeepError, Keeper};
use crate::data::origin::{Contest, Maker};
use crate::differences::differences;
use crate::matches::{self, ADJUDICATION};
use crate::opener::Opener;
use crate::player::Player;
use crate::progress::Progress;
use crate::selfplay::GameRecord;
use rejoinder::board::Board;
use rejoinder::board::book;
use rejoinder::build_info;
use rejoinder::commands::params::select;
use rejoinder::params::Params;
use rejoinder::search::Setup;
use rejoinder::types::Rng;

use super::algorithm::Spsa;
use super::args::Args;
use super::checkpoint::{self, SpsaSettings, SpsaState};
use super::report;
use super::rows::{self, Row};

/// Time between two checkpoints.
const SAVE_EVERY: Duration = Duration::from_secs(30);

/// The piece values of SEE, which are measured against the evaluation and not by games.
const SEE_VALUES: [&str; 5] = [
    "see_pawn",
    "see_knight",
    "see_bishop",
    "see_rook",
    "see_queen",
];

/// The players and openings of one thread.
struct Team {
    /// Players that get their parameters before each pair of games.
    players: [Player; 2],
    openings: OpeningSource,
}

/// The source of a thread's openings.
enum OpeningSource {
    /// A random one of these positions.
    Book(Arc<[Board]>),
    /// The engine's own numbered openings.
    Own(Box<Opener>),
}

/// Tunes up to the last iteration.
///
/// # Errors
/// If the arguments, the book, the file of the run or the directory for the games cannot be used,
/// or memory is short.
pub fn tune(args: &Args, iterations: u64) -> anyhow::Result<SpsaState> {
    // A build without tunable parameters fails before any file is read.
    params(&[], &[])?;
    let book = args.openings.book.as_deref().map(book::read).transpose()?;
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

/// Reads the run in the file, or begins a new one.
fn open(args: &Args, iterations: u64, settings: SpsaSettings) -> anyhow::Result<SpsaState> {
    let path = &args.out;
    if !path.exists() {
        return Ok(SpsaState::new(
            settings,
            Spsa::new(rows_of(args)?, iterations),
        ));
    }
    if !args.resume {
        let path = path.display();
        bail!("{path} exists already: continue with --resume, or remove it");
    }
    let mut state = checkpoint::load(path)?;
    let differs = |reason: &str| {
        let path = path.display();
        anyhow!("{path}: the run cannot continue, because {reason}")
    };
    if state.settings != settings {
        return Err(differs(&differences(&state.settings, &settings)));
    }
    let named = args.params.is_some() || !args.only.is_empty();
    if named && rows_of(args)? != state.algorithm.rows {
        return Err(differs("its parameters are not those named now"));
    }
    state.algorithm.iterations = iterations;
    Ok(state)
}

fn settings(args: &Args, book: Option<&[Board]>) -> SpsaSettings {
    let next = |key, board: &Board| Rng::stream(key, board.key()).next();
    let book = match book {
        Some(openings) => format!("{:016x}", openings.iter().fold(0, next)),
        None => format!("own, {} of Chess960", args.openings.chess960_share),
    };
    SpsaSettings {
        engine: build_info::ENGINE.to_owned(),
        network: Setup::default().network.name(),
        book,
        pairs: args.pairs,
        nodes: args.time_control(),
        hash: args.hash,
        seed: args.seed,
    }
}

/// Returns the writer of the training data, if the run keeps its games.
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
        nodes: [args.time_control(); 2],
        hash: [args.hash; 2],
        seed: args.seed,
        chess960_share: args.openings.chess960_share,
        played_out: false,
    };
    Keeper::open(dir, contest).map(Some)
}

/// Returns the parameters that the arguments choose.
fn rows_of(args: &Args) -> anyhow::Result<Vec<Row>> {
    let rows = if let Some(path) = &args.params {
        rows::read(path)?
    } else {
        let mut rows = rows::all();
        rows.retain(|row| judged_by_games(&row.name, args.clock.is_some()));
        rows
    };
    select(rows, |row| &row.name, &args.only).map_err(anyhow::Error::msg)
}

/// Returns whether games on one thread can judge a parameter. They cannot judge those of several
/// workers, nor those of the time management unless they are played by a clock. The number of a
/// variant is a name, so that a step in it means nothing.
fn judged_by_games(name: &str, clock: bool) -> bool {
    let elsewhere = ["_worker", "_noise", "_variant"];
    (clock || !name.starts_with("clock_"))
        && !elsewhere.iter().any(|end| name.ends_with(end))
        && !SEE_VALUES.contains(&name)
}

/// Returns the players and openings of one thread.
fn team(args: &Args, book: Option<&Arc<[Board]>>) -> anyhow::Result<Team> {
    let player = || {
        Player::new(
            Setup::default(),
            args.hash as usize,
            args.time_control().limits(),
        )
    };
    let openings = match book {
        Some(book) => OpeningSource::Book(Arc::clone(book)),
        // The changes are drawn from the seed itself; the openings must be independent of them.
        None => OpeningSource::Own(Box::new(Opener::new(
            Rng::new(args.seed).next(),
            args.openings.chess960_share,
        )?)),
    };
    Ok(Team {
        players: [player()?, player()?],
        openings,
    })
}

/// Returns the default parameters with these values for these rows.
#[cfg(feature = "tune")]
fn params(rows: &[Row], values: &[i32]) -> anyhow::Result<Params> {
    let mut params = Params::default();
    for (row, &value) in rows.iter().zip(values) {
        params.set(&row.name, value).map_err(anyhow::Error::msg)?;
    }
    Ok(params)
}

/// Fails, because the parameters of this build are constants.
#[cfg(not(feature = "tune"))]
fn params(_rows: &[Row], _values: &[i32]) -> anyhow::Result<Params> {
    bail!("the parameters of this build are constants; build with `--features tune`")
}

/// Plays the remaining iterations.
fn play(
    args: &Args,
    state: SpsaState,
    mut teams: Vec<Team>,
    mut keeper: Option<Keeper>,
) -> anyhow::Result<SpsaState> {
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
        let result: anyhow::Result<()> = receiver.iter().try_for_each(|done| {
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
    // The games played so far are stored even if the run ends with an error.
    let kept = keeper.map(|mut keeper| keeper.finish()).transpose();
    result?;
    if let Some(kept) = kept? {
        eprintln!("kept {kept}");
    }
    let state = state.into_inner();
    save(args, &state)?;
    Ok(state)
}

/// Writes the run and its chart.
fn save(args: &Args, state: &SpsaState) -> anyhow::Result<()> {
    checkpoint::save(&args.out, state)?;
    Ok(report::draw(args.plot.as_deref(), state)?)
}

/// Plays an iteration and learns from its games. They depend on its number and on the values at its
/// beginning.
fn iterate(
    number: u64,
    state: &Mutex<SpsaState>,
    team: &mut Team,
) -> anyhow::Result<Vec<GameRecord>> {
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
            OpeningSource::Book(openings) => openings[rng.below(openings.len())],
            OpeningSource::Own(opener) => opener.opening(number * pairs + pair),
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
mod tests;
