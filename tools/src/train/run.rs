//! One run, from the files of games to the network.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Instant;
use std::{env, thread};

use crate::data::filter::Filter;
use crate::data::shard;
use crate::progress::Progress;
use rejoinder::build_info;
use rejoinder::eval::network::{self, Head, Network, Weights};
use rejoinder::eval::scale;
use rejoinder::eval::win_rate::WinRate;
use rejoinder::memory;
use rejoinder::types::Rng;

use super::checkpoint::{self, Settings, State};
use super::history::{self, Point};
use super::loader::{self, Selection};
use super::model::{Shape, Target};
use super::optimizer::Schedule;
use super::run_report::{Certificate, Data};
use super::sample::Sample;
use super::shuffle::{BYTES_IN_MEMORY, Batch, ShuffleBuffer};
use super::trainer::Trainer;
use super::win_rate::Outcomes;
use super::{Args, TrainError, quantize, rounding};

/// Batches that wait for the trainer.
const QUEUE: usize = 16;

/// K where the data cannot say it.
const SCORE_SCALE: f64 = 400.0;

const MEGABYTE: u64 = 1 << 20;

/// Positions to find those in that the rounding looks at. Some output buckets are rarer than others.
const ROUNDING_POSITIONS: usize = 32 * rounding::POSITIONS;

/// What the files of games come to.
struct Examples {
    deck: Batch,
    validation: Vec<Sample>,
    outcomes: Outcomes,
    /// The same of the games that the win-rate model is fitted to.
    slower: Outcomes,
    /// By directory.
    data: BTreeMap<String, Data>,
    /// Names and sizes as one number.
    key: u64,
}

/// Trains a network.
///
/// # Errors
/// Names the file or the number that is at fault.
pub fn run(args: &Args) -> Result<(), TrainError> {
    let from = args
        .from
        .as_deref()
        .map(network::load_weights)
        .transpose()?;
    let shape = Shape(args.architecture(from.as_ref().map(|from| from.architecture))?);
    let beginning = match &from {
        None => shape.initial(args.seed),
        Some(from) => quantize::grow(from, shape, args.seed),
    };
    let files = loader::find(&args.data)?;
    make_room(args)?;
    let upper_bound = loader::upper_bound(&files)?;
    check_memory(args, shape, upper_bound)?;
    let examples = read(args, &files, upper_bound)?;
    let settings = settings(args, shape, from.as_ref(), &examples)?;
    writeln!(io::stdout(), "network   {}", shape.0)?;
    report(&settings, &examples)?;

    let mut trainer = Trainer::new(shape, beginning, settings.threads);
    let path = args.beside(args.checkpoint.as_ref(), "checkpoint");
    let mut state = State {
        settings,
        step: 0,
        seconds: 0.0,
        history: Vec::new(),
    };
    if args.resume && path.exists() {
        state = checkpoint::load(&path, &state.settings, &mut trainer)?;
        writeln!(io::stdout(), "resumed   at step {}", state.step)?;
    }
    learn(args, &examples, &mut trainer, &mut state, &path)?;
    finish(args, &examples, &mut trainer, state)
}

/// Makes the directory of the network, so that a long run does not fail at its end.
fn make_room(args: &Args) -> Result<(), TrainError> {
    let dir = args.out.parent().unwrap_or(Path::new(""));
    let made = if dir.as_os_str().is_empty() {
        Ok(())
    } else {
        fs::create_dir_all(dir)
    };
    made.map_err(|source| TrainError::Write {
        path: dir.to_path_buf(),
        source,
    })
}

/// Says how much memory a run takes at most, and whether the machine has it.
fn check_memory(args: &Args, shape: Shape, upper_bound: u64) -> Result<(), TrainError> {
    let all = upper_bound * BYTES_IN_MEMORY;
    let shuffled = all.min(args.memory * MEGABYTE);
    let held_out = (all as f64 * args.validation) as u64;
    let trainer = Trainer::bytes(shape, args.threads()) as u64;
    let place = if shuffled < all { "files" } else { "memory" };
    writeln!(
        io::stdout(),
        "memory    up to {} MB for {upper_bound} positions at most, shuffled in {place}; {} MB for the network",
        (shuffled + held_out).div_ceil(MEGABYTE),
        trainer.div_ceil(MEGABYTE)
    )?;
    memory::check((shuffled + held_out + trainer) as usize)?;
    Ok(())
}

/// Reads all games.
fn read(args: &Args, files: &[PathBuf], upper_bound: u64) -> Result<Examples, TrainError> {
    let selection = Selection {
        filter: Filter {
            min_ply: args.min_ply,
            max_score: args.max_score,
        },
        validation: args.validation,
    };
    let dir = args.beside(args.temp.as_ref(), "shuffle");
    let memory = args.memory * MEGABYTE;
    let mut dealer = ShuffleBuffer::new(upper_bound, memory, &dir, args.seed)?;
    let mut validation = Vec::new();
    let mut outcomes = Outcomes::default();
    let mut data: BTreeMap<String, Data> = BTreeMap::new();
    let mut key = 0;
    let progress = Progress::new(files.len() as u64, "files");
    let mut done = 0;
    loader::each(files, selection, args.threads(), |path, loaded| {
        dealer.add(&loaded.training)?;
        validation.extend_from_slice(&loaded.validation);
        outcomes.merge(&loaded.outcomes);
        let dir = path.parent().unwrap_or(Path::new(""));
        let data = data.entry(dir.display().to_string()).or_default();
        data.files += 1;
        data.games += loaded.games;
        data.positions += loaded.positions;
        data.training += loaded.training.len() as u64;
        data.validation += loaded.validation.len() as u64;
        let name = path.file_name().unwrap_or_default();
        let bytes = name.as_encoded_bytes().iter().copied();
        let numbers = bytes.map(u64::from).chain([loaded.positions]);
        key = numbers.fold(key, |key, number| Rng::stream(key, number).next());
        done += 1;
        progress.update(done, "reading games");
        Ok(())
    })?;
    progress.finish();
    let slower = if args.win_rate_games.is_empty() {
        outcomes.clone()
    } else {
        let mut slower = Outcomes::default();
        let files = loader::find(&args.win_rate_games)?;
        loader::each(&files, selection, args.threads(), |_, loaded| {
            slower.merge(&loaded.outcomes);
            Ok(())
        })?;
        slower
    };
    let deck = dealer.finish()?;
    if deck.is_empty() {
        let games = data.values().map(|data| data.games).sum();
        return Err(TrainError::NoPositions { games });
    }
    Ok(Examples {
        deck,
        validation,
        outcomes,
        slower,
        data,
        key,
    })
}

fn settings(
    args: &Args,
    shape: Shape,
    from: Option<&Weights>,
    examples: &Examples,
) -> Result<Settings, TrainError> {
    let count = examples.deck.len();
    // A batch of more positions than there are would learn some of them twice at once.
    let batch = args.batch.min(count);
    let positions = args.positions.unwrap_or(count * args.epochs);
    let fitted = || examples.outcomes.score_scale().map(f64::round);
    let from = from.map(Network::new).transpose()?;
    Ok(Settings {
        king_buckets: shape.0.king_buckets,
        hidden: shape.hidden(),
        layered: shape.0.head == Head::Layered,
        from: from.map(|from| from.name()),
        batch: batch as usize,
        steps: positions.div_ceil(batch),
        rates: [args.lr, args.final_lr.unwrap_or(args.lr * 0.3_f64.powi(5))],
        blends: [args.blend, args.blend_end],
        score_scale: args.score_scale.or_else(fitted).unwrap_or(SCORE_SCALE),
        power: args.power,
        few_pieces: args.few_pieces,
        seed: args.seed,
        threads: args.threads(),
        training_positions: count,
        validation_positions: examples.validation.len() as u64,
        shuffle_files: examples.deck.files(),
        data: format!("{:016x}", examples.key),
    })
}

/// Says what will be done.
fn report(settings: &Settings, examples: &Examples) -> Result<(), TrainError> {
    let mut out = io::stdout().lock();
    for (dir, data) in &examples.data {
        writeln!(
            out,
            "data      {dir}: {} files, {} games, {} positions; {} to learn from, {} to validate with",
            data.files, data.games, data.positions, data.training, data.validation
        )?;
    }
    let count = settings.training_positions;
    let passes = (settings.steps * settings.batch as u64) as f64 / count as f64;
    writeln!(
        out,
        "run       {} steps of {} positions ({passes:.1} passes), {} threads, seed {}",
        settings.steps, settings.batch, settings.threads, settings.seed
    )?;
    if let Some(from) = &settings.from {
        writeln!(out, "from      {from}")?;
    }
    writeln!(
        out,
        "target    {:.2} to {:.2} result, the rest sigmoid(score / {:.0})",
        settings.blends[0], settings.blends[1], settings.score_scale
    )?;
    Ok(())
}

/// Learns up to the last step.
fn learn(
    args: &Args,
    examples: &Examples,
    trainer: &mut Trainer,
    state: &mut State,
    path: &Path,
) -> Result<(), TrainError> {
    let settings = state.settings.clone();
    let (steps, batch) = (settings.steps, settings.batch);
    let schedule = Schedule {
        steps,
        rates: settings.rates,
        blends: settings.blends,
    };
    let target = |step| Target {
        blend: schedule.blend(step),
        score_scale: settings.score_scale as f32,
        power: settings.power as f32,
        few_pieces: settings.few_pieces as f32,
    };
    let progress = Progress::new(steps, "steps");
    let skip = trainer.step * batch as u64;
    let (send, receive) = mpsc::sync_channel(QUEUE);
    let result = thread::scope(|scope| {
        let deck = &examples.deck;
        let dealer = scope.spawn(move || deck.deal(skip, batch, |cards| send.send(cards).is_ok()));
        let mut point = Stretch::new();
        while trainer.step < steps {
            // The dealer ends before its time only if it fails.
            let Ok(cards) = receive.recv() else { break };
            let step = trainer.step;
            point.loss += trainer.learn(&cards, target(step), schedule.rate(step));
            point.positions += cards.len() as u64;
            if !point.loss.is_finite() {
                return Err(TrainError::Diverged { step });
            }
            progress.update(trainer.step, point.message());
            if trainer.step.is_multiple_of(args.superbatch) || trainer.step == steps {
                let point = std::mem::replace(&mut point, Stretch::new());
                let speed = point.speed();
                state.step = trainer.step;
                state.seconds += point.start.elapsed().as_secs_f64();
                let [validation_loss, final_loss] =
                    trainer.losses(&examples.validation, [target(step), target(steps)]);
                state.history.push(Point {
                    positions: trainer.step * batch as u64,
                    training_loss: point.loss / point.positions as f64,
                    validation_loss,
                    final_loss,
                    rate: schedule.rate(step),
                    blend: schedule.blend(step),
                    speed,
                });
                checkpoint::save(path, state, trainer)?;
                draw(args, state)?;
                progress.say(line(state));
            }
        }
        drop(receive);
        dealer.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    progress.finish();
    result
}

/// What has been learnt since the last checkpoint.
struct Stretch {
    start: Instant,
    loss: f64,
    positions: u64,
}

impl Stretch {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            loss: 0.0,
            positions: 0,
        }
    }

    fn speed(&self) -> f64 {
        self.positions as f64 / self.start.elapsed().as_secs_f64()
    }

    fn message(&self) -> String {
        let loss = self.loss / self.positions as f64;
        format!("loss {loss:.6}, {:.0} positions/s", self.speed())
    }
}

/// The newest point as text.
fn line(state: &State) -> String {
    let Some(point) = state.history.last() else {
        return String::new();
    };
    format!(
        "step {:>7}: training {:.6}, validation {:.6} (final target {:.6}), {:.0} positions/s, rate {:.2e}, blend {:.3}",
        state.step,
        point.training_loss,
        point.validation_loss,
        point.final_loss,
        point.speed,
        point.rate,
        point.blend
    )
}

/// The picture of the losses so far.
fn draw(args: &Args, state: &State) -> Result<(), TrainError> {
    let path = args.beside(args.plot.as_ref(), "svg");
    let title = format!(
        "H {}, {} positions",
        state.settings.hidden, state.settings.training_positions
    );
    match history::svg(&title, &state.history) {
        Ok(text) => Ok(shard::replace(&path, text.as_bytes())?),
        Err(reason) => Err(TrainError::Plot { path, reason }),
    }
}

/// Rounds the network, and writes it with its run_report.
fn finish(
    args: &Args,
    examples: &Examples,
    trainer: &mut Trainer,
    state: State,
) -> Result<(), TrainError> {
    let samples = samples_to_round_by(trainer.shape, &examples.deck)?;
    let threads = state.settings.threads;
    let rounded = rounding::round_head(trainer.shape, &trainer.network, &samples, threads);
    let (mut weights, cut) = quantize::quantize(trainer.shape, &rounded);
    weights.scale = scale::fitting(&weights)?.clamp(1, 100_000);
    weights.win_rate = examples.slower.win_rate().unwrap_or(WinRate::DEFAULT);
    let network = Network::new(&weights)?;
    let outputs = trainer.outputs(&examples.validation);
    let losses = quantize::losses(&weights, cut, &examples.validation, &outputs)?;
    let WinRate { a, b } = weights.win_rate;
    let positions = state.step * state.settings.batch as u64;
    let run_report = Certificate {
        command: env::args().collect(),
        version: build_info::ENGINE,
        network: network.name(),
        settings: state.settings,
        data: examples.data.clone(),
        scale: weights.scale,
        win_rate: [a, b],
        quantisation: losses,
        seconds: state.seconds,
        positions_per_second: positions as f64 / state.seconds,
        history: state.history,
    };
    let text = serde_json::to_string_pretty(&run_report).map_err(io::Error::from)?;
    shard::replace(&args.out, &weights.to_bytes())?;
    shard::replace(&args.out.with_extension("json"), text.as_bytes())?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "rounding  {:.2} centipawns in the mean, {:.1} at most; {} weights cut; largest unit {} of 32767",
        losses.mean_error, losses.max_error, losses.cut_weights, losses.largest_unit
    )?;
    writeln!(out, "scale     {}", weights.scale)?;
    writeln!(out, "win rate  a {a:?}, b {b:?}")?;
    writeln!(
        out,
        "network   {} in {:.0} s, {:.0} positions/s",
        args.out.display(),
        run_report.seconds,
        run_report.positions_per_second
    )?;
    Ok(())
}

/// Some of the positions that were learned from, for the rounding of a layered head to look at.
fn samples_to_round_by(shape: Shape, deck: &Batch) -> Result<Vec<Sample>, TrainError> {
    let mut samples = Vec::new();
    if shape.0.head == Head::Layered {
        let count = (ROUNDING_POSITIONS as u64).min(deck.len()) as usize;
        deck.deal(0, count, |cards| {
            samples = cards;
            false
        })?;
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::train::{self, fixtures};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn parse(line: &str) -> Result<Args, clap::Error> {
        let words = line.split_whitespace();
        Line::try_parse_from(["train"].into_iter().chain(words)).map(|line| line.args)
    }

    /// A short run over the games of the directory, with another file name for its network.
    fn args(dir: &Path, name: &str, more: &str) -> Args {
        let (games, out) = (dir.join("games").display().to_string(), dir.join(name));
        let line = format!(
            "{games} --out {} --hidden 32 --epochs 4 --batch 100 --superbatch 9 --validation 0.1 --threads 2 {more}",
            out.display()
        );
        parse(&line).expect("arguments")
    }

    fn games(dir: &Path) {
        fs::create_dir_all(dir.join("games")).expect("room");
        for number in 0..3 {
            fixtures::file(&dir.join("games"), &format!("{number}.vf"), 25, number);
        }
    }

    fn bytes(dir: &Path, name: &str) -> Vec<u8> {
        fs::read(dir.join(name)).expect("a file")
    }

    #[test]
    fn a_run_gives_the_same_network_again_in_memory_or_not_and_stopped_or_not() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path();
        games(dir);
        run(&args(dir, "first.rjn", "")).expect("a network");
        run(&args(dir, "second.rjn", "")).expect("a network");
        let first = bytes(dir, "first.rjn");
        assert_eq!(first, bytes(dir, "second.rjn"));
        run(&args(dir, "third.rjn", "--seed 2")).expect("a network");
        assert_ne!(first, bytes(dir, "third.rjn"));
        let network = Network::from_bytes(&first).expect("a network");
        assert_eq!(network.architecture().hidden, 32);

        let text = String::from_utf8(bytes(dir, "first.json")).expect("text");
        let run_report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(run_report["network"], network.name());
        let history = run_report["history"].as_array().expect("points");
        let loss = |at: usize| history[at]["training_loss"].as_f64().expect("a loss");
        assert!(loss(history.len() - 1) < loss(0), "{text}");
        assert!(bytes(dir, "first.svg").starts_with(b"<svg"));

        // A picture that cannot be drawn stops a run right behind its first checkpoint.
        let stop = format!("--plot {}", dir.join("missing/x.svg").display());
        let error = run(&args(dir, "fourth.rjn", &stop)).expect_err("no picture");
        assert!(error.to_string().contains("x.svg"), "{error}");
        assert!(!dir.join("fourth.rjn").exists());
        run(&args(dir, "fourth.rjn", "--resume")).expect("a network");
        assert_eq!(first, bytes(dir, "fourth.rjn"));
        // Nothing is left to learn, but the network is there again.
        run(&args(dir, "fourth.rjn", "--resume")).expect("a network");
        assert_eq!(first, bytes(dir, "fourth.rjn"));
        let error = run(&args(dir, "fourth.rjn", "--resume --lr 0.002")).expect_err("another");
        assert!(error.to_string().contains("rates"), "{error}");

        // A network is trained on, and grows.
        let from = format!("--from {}", dir.join("first.rjn").display());
        let more = format!("{from} --king-buckets 4 --lr 1e-9");
        run(&args(dir, "fifth.rjn", &more)).expect("a network");
        let text = String::from_utf8(bytes(dir, "fifth.json")).expect("text");
        let grown: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(grown["settings"]["from"], network.name());
        let history = grown["history"].as_array().expect("points");
        assert!(
            history[0]["training_loss"].as_f64().expect("a loss") < loss(0),
            "{text}"
        );
        let error = run(&args(
            dir,
            "sixth.rjn",
            &format!("--from {}", dir.join("fifth.rjn").display()),
        ))
        .map(|()| "the king buckets are those of the network trained on");
        assert!(error.is_ok(), "{error:?}");
        let back = format!(
            "--from {} --king-buckets 1",
            dir.join("fifth.rjn").display()
        );
        let error = run(&args(dir, "seventh.rjn", &back)).expect_err("it is larger");
        assert!(error.to_string().contains("fifth.rjn"), "{error}");
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        for line in [
            "",
            "x --hidden -32",
            "x --lr 0",
            "x --lr nan",
            "x --blend 1.1",
            "x --validation 0.9",
            "x --epochs 3 --positions 1000",
            "x --benchmark",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path();
        games(dir);
        // What no network can be is said before any file is looked for.
        for (line, said) in [
            ("missing --hidden 33", "hidden size is 33"),
            ("missing --hidden 96 --layered", "multiple of 64"),
            ("missing --king-buckets 2", "king buckets is 2"),
            ("--benchmark --hidden 96 --layered", "multiple of 64"),
        ] {
            let error = train::run(&parse(line).expect("arguments")).expect_err(line);
            assert!(matches!(error, TrainError::Architecture(_)), "{error}");
            assert!(error.to_string().contains(said), "{error}");
        }
        let error = run(&args(dir, "x.rjn", "--min-ply 10000")).expect_err("nothing left");
        assert!(error.to_string().contains("75 games"), "{error}");
        fs::write(dir.join("games/9.vf"), "rubbish").expect("room");
        let error = run(&args(dir, "x.rjn", "")).expect_err("damaged");
        assert!(error.to_string().contains("9.vf: game 1"), "{error}");
    }
}
