//! The games of a datagen run, played on several threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;

use crate::player::Player;
use rejoinder::board::Board;
use rejoinder::eval::network::Network;
use rejoinder::memory::MemoryError;
use rejoinder::params::overrides;
use rejoinder::search::{SearchRequest, Setup};
use rejoinder::types::Rng;

use crate::data::origin::DatagenSettings;
use crate::data::shard::ShardError;
use crate::data::tally::Tally;
use crate::opener;
use crate::progress::Progress;
use crate::selfplay::{self, Adjudication};
use crate::time_control::soft_limits;

use super::args::Args;
use super::labels::Labels;
use super::run::{Run, Shards};
use super::summary::DatagenSummary;

/// The rules that end a game as soon as training would gain nothing more from it.
const ADJUDICATION: Adjudication = Adjudication {
    win_score: 1200,
    win_plies: 4,
    draw_score: 8,
    draw_plies: 8,
    draw_from: 60,
    trust_mates: true,
};

/// The state that all threads share.
struct DatagenJob<'a> {
    args: &'a Args,
    run: &'a Run,
    adjudication: Adjudication,
    start: Instant,
    tally: Mutex<Tally>,
    progress: Progress,
    stop: AtomicBool,
}

/// Plays the games and writes them to the disk.
///
/// # Errors
/// If the run cannot begin or continue, a file cannot be written, or memory is short.
pub fn generate(args: &Args) -> anyhow::Result<DatagenSummary> {
    // Wrong parameters are refused before the run exists.
    overrides::params(&args.params)?;
    let mut setup = Setup::with_network(args.network.clone());
    let run = args.open(&setup)?;
    let settings = &run.settings;
    setup.params = overrides::params(&settings.params)?;
    let mut players = (0..settings.threads)
        .map(|_| player(settings, &setup))
        .collect::<Result<Vec<_>, MemoryError>>()?;
    let job = DatagenJob {
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
    Ok(DatagenSummary {
        settings: settings.clone(),
        tally: job.tally.into_inner(),
        before: run.tally,
        cost: players.iter().map(Player::effort).sum(),
        elapsed: job.start.elapsed(),
    })
}

impl DatagenJob<'_> {
    /// Plays the games of one thread, which are every `threads`-th one, until the target is reached
    /// or a thread fails.
    fn work(&self, thread: usize, player: &mut Player) -> anyhow::Result<()> {
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
        // The games played so far are stored even if the run ends with an error.
        let finished = shards.finish();
        result?;
        Ok(finished?)
    }

    fn one_game(
        &self,
        number: u64,
        player: &mut Player,
        shards: &mut Shards,
    ) -> Result<(), ShardError> {
        let settings = &self.run.settings;
        let mut rng = Rng::stream(settings.seed, number);
        let opening = opening(settings, &mut rng, player);
        let mut labels = Labels::new(settings, rng);
        let think = |player: &mut Player, request: &mut SearchRequest, last| {
            labels.think(player, request, last)
        };
        let record = selfplay::play_alone(opening, player, Some(self.adjudication), think);
        let counts = shards.add(&record)?;

        let mut tally = self.tally.lock();
        *tally += counts;
        self.stop_at_target(&tally);
        let (counted, kind) = settings.counted(&tally);
        let fresh = counted - settings.counted(&self.run.tally).0;
        let core_seconds = self.start.elapsed().as_secs_f64() * self.run.settings.threads as f64;
        let message = format!(
            "{} games, {counted} {kind}, {:.0} a second and core",
            tally.games(),
            fresh as f64 / core_seconds
        );
        self.progress
            .update(self.args.done(settings, &tally), message);
        Ok(())
    }

    /// Stops the threads if there are enough positions or the time is over. A target in games needs
    /// no check: the numbers of the games run out.
    fn stop_at_target(&self, tally: &Tally) {
        let done = self.args.done(&self.run.settings, tally);
        let enough = (self.args.positions).is_some_and(|positions| done >= positions);
        let late = (self.args.until).is_some_and(|until| Instant::now() >= until);
        if enough || late {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Returns the opening of a game: the first random one in which neither side is much better.
fn opening(settings: &DatagenSettings, rng: &mut Rng, judge: &mut Player) -> Board {
    let mixture = settings.mixture.unwrap_or_default();
    let (nodes, limit) = (mixture.opening_nodes, mixture.opening_score);
    opener::first_fair(settings.chess960_share, rng, judge, nodes, limit)
}

/// Returns the rules that end games. The untrained network scores every position as even, so it
/// cannot decide what is a draw.
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

/// Returns the player of both sides in the games of one thread.
fn player(settings: &DatagenSettings, setup: &Setup) -> Result<Player, MemoryError> {
    let limits = soft_limits(settings.nodes, settings.hard_factor);
    Player::new(setup.clone(), settings.hash as usize, limits)
}
