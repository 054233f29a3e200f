//! A training run, from the files of games to the network.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use crate::data::filter::Filter;
use crate::data::find;
use crate::files;
use crate::plot;
use crate::print::print;
use crate::progress::Progress;
use crate::scale;
use anyhow::bail;
use rejoinder::build_info;
use rejoinder::eval::network::Network;
use rejoinder::eval::win_rate::WinRate;
use rejoinder::memory;

use super::args::Args;
use super::checkpoint::{self, TrainSettings, TrainState};
use super::companion::Companion;
use super::history::{self, Measurement};
use super::loader::{self, Selection};
use super::model::{Shape, Target};
use super::optimizer::Schedule;
use super::origin::Origin;
use super::quantize;
use super::run_report::{DataCounts, RunReport, command_line, last_name, with_name};
use super::sample::Sample;
use super::shuffle::{BYTES_IN_MEMORY, Dataset, ShuffleBuffer};
use super::trainer::Trainer;
use super::win_rate::Outcomes;

/// Maximum number of batches that wait for the trainer.
const QUEUE: usize = 16;

/// Score scale K in centipawns if it can neither be fitted to the data nor is given.
const SCORE_SCALE: f64 = 400.0;

const MEGABYTE: u64 = 1 << 20;

/// The positions and results that the files of games hold.
struct TrainingData {
    training: Dataset,
    validation: Vec<Sample>,
    /// Results of the training games by score.
    outcomes: Outcomes,
    /// Results by score of the games that the win-rate model is fitted to.
    win_rate_outcomes: Outcomes,
    /// Counts by directory.
    counts: BTreeMap<String, DataCounts>,
    /// Checksum of the names and sizes of the files.
    key: u64,
}

/// Trains a network.
///
/// # Errors
/// If a file cannot be read or written, the settings are impossible, the training diverges, or
/// memory is short.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let from = args.from.as_deref().map(Origin::load).transpose()?;
    let shape = Shape(args.architecture(from.as_ref().map(Origin::architecture))?);
    let initial = match &from {
        None => shape.initial(args.seed),
        Some(from) => from.initial(shape, args.seed)?,
    };
    let files = find::shards(&args.data)?;
    create_output_dir(args)?;
    let positions = loader::upper_bound(&files)?;
    let chosen = positions.div_ceil(args.every);
    check_memory(args, shape, positions, chosen)?;
    let data = read(args, &files, chosen)?;
    let settings = settings(args, shape, from.as_ref(), &data)?;
    print(format_args!("network   {}\n", shape.0))?;
    print_plan(&settings, &data)?;

    let mut trainer = Trainer::new(shape, initial, settings.threads);
    if args.known_rate < 1.0 || args.own_rate < 1.0 {
        trainer.adam.factors = factors(args, shape, from.as_ref());
    }
    if let Some(decay) = args.ema {
        trainer.average(decay);
    }
    let path = args.beside(args.checkpoint.as_ref(), Companion::Checkpoint);
    let mut state = TrainState {
        settings,
        step: 0,
        seconds: 0.0,
        history: Vec::new(),
    };
    if args.resume && path.exists() {
        state = checkpoint::load(&path, &state.settings, &mut trainer)?;
        print(format_args!("resumed   at step {}\n", state.step))?;
    }
    learn(args, &data, &mut trainer, &mut state, &path)?;
    finish(args, &data, &trainer, state)
}

/// Returns the part of the learning rate at which each weight learns.
fn factors(args: &Args, shape: Shape, from: Option<&Origin>) -> Vec<f32> {
    let mut factors = vec![1.0; shape.numbers()];
    factors[..shape.features()].fill(args.own_rate as f32);
    if let Some(from) = from {
        let known = quantize::known(from.architecture(), shape);
        for (factor, known) in factors.iter_mut().zip(known) {
            *factor *= if known { args.known_rate as f32 } else { 1.0 };
        }
    }
    factors
}

/// Creates the directory of the network, so that a long run does not fail at its end.
fn create_output_dir(args: &Args) -> anyhow::Result<()> {
    let dir = args.out.parent().unwrap_or(Path::new(""));
    if !dir.as_os_str().is_empty() {
        files::create_dir(dir)?;
    }
    Ok(())
}

/// Prints the maximum memory of a run, and checks that the machine has it. Of at most `positions`
/// positions, at most `chosen` are for training.
fn check_memory(args: &Args, shape: Shape, positions: u64, chosen: u64) -> anyhow::Result<()> {
    let bytes = chosen * BYTES_IN_MEMORY;
    let shuffled = bytes.min(args.memory * MEGABYTE);
    let held_out = ((positions * BYTES_IN_MEMORY) as f64 * args.validation) as u64;
    let trainer = Trainer::bytes(shape, args.batch as usize, args.threads()) as u64;
    let place = if shuffled < bytes { "files" } else { "memory" };
    print(format_args!(
        "memory    up to {} MB for {chosen} positions at most, shuffled in {place}; {} MB for the network\n",
        (shuffled + held_out).div_ceil(MEGABYTE),
        trainer.div_ceil(MEGABYTE)
    ))?;
    memory::check((shuffled + held_out + trainer) as usize)?;
    Ok(())
}

/// Reads all games, which have at most this many positions to train on.
fn read(args: &Args, files: &[PathBuf], at_most: u64) -> anyhow::Result<TrainingData> {
    let selection = Selection {
        filter: Filter {
            min_ply: args.min_ply,
            max_score: args.max_score,
        },
        validation: args.validation,
        every: args.every,
        seed: args.seed,
    };
    let dir = args.beside(args.temp.as_ref(), Companion::Shuffle);
    let memory = args.memory * MEGABYTE;
    let mut buffer = ShuffleBuffer::new(at_most, memory, &dir, args.seed)?;
    let mut validation = Vec::new();
    let mut outcomes = Outcomes::default();
    let mut counts: BTreeMap<String, DataCounts> = BTreeMap::new();
    let mut key = 0;
    let progress = Progress::new(files.len() as u64, "files");
    let mut done = 0;
    loader::each(files, selection, args.threads(), |path, loaded| {
        buffer.add(&loaded.training)?;
        validation.extend_from_slice(&loaded.validation);
        outcomes.merge(&loaded.outcomes);
        let dir = path.parent().unwrap_or(Path::new(""));
        let counts = counts.entry(last_name(dir)).or_default();
        counts.files += 1;
        counts.games += loaded.games;
        counts.positions += loaded.positions;
        counts.training += loaded.training.len() as u64;
        counts.validation += loaded.validation.len() as u64;
        counts.checksum = with_name(counts.checksum, path, loaded.positions);
        key = with_name(key, path, loaded.positions);
        done += 1;
        progress.update(done, "reading games");
        Ok(())
    })?;
    progress.finish();
    let win_rate_outcomes = if args.win_rate_games.is_empty() {
        outcomes.clone()
    } else {
        let files = find::shards(&args.win_rate_games)?;
        loader::outcomes(&files, selection, args.threads())?
    };
    let training = buffer.finish()?;
    if training.is_empty() {
        let games: u64 = counts.values().map(|counts| counts.games).sum();
        bail!("none of the positions of these {games} games can be trained on");
    }
    Ok(TrainingData {
        training,
        validation,
        outcomes,
        win_rate_outcomes,
        counts,
        key,
    })
}

fn settings(
    args: &Args,
    shape: Shape,
    from: Option<&Origin>,
    data: &TrainingData,
) -> anyhow::Result<TrainSettings> {
    let count = data.training.len();
    // A batch larger than the dataset would contain some positions twice.
    let batch = args.batch.min(count);
    let positions = args.positions.unwrap_or(count * args.epochs);
    let fitted = || data.outcomes.score_scale().map(f64::round);
    Ok(TrainSettings {
        king_buckets: shape.0.king_buckets,
        relations: shape.0.relations,
        hidden: shape.hidden(),
        from: from.map(Origin::name).transpose()?,
        batch: batch as usize,
        steps: positions.div_ceil(batch),
        rates: [args.lr, args.final_lr.unwrap_or(args.lr * 0.3_f64.powi(5))],
        known_rate: args.known_rate,
        own_rate: args.own_rate,
        weight_decay: args.weight_decay,
        floor: args.floor,
        dropout: args.dropout,
        lambdas: [args.lambda, args.lambda_end],
        score_scale: args.score_scale.or_else(fitted).unwrap_or(SCORE_SCALE),
        power: args.power,
        piece_weights: args.piece_weights.clone().unwrap_or_default(),
        ema: args.ema,
        seed: args.seed,
        threads: args.threads(),
        training_positions: count,
        validation_positions: data.validation.len() as u64,
        shuffle_files: data.training.files(),
        data: format!("{:016x}", data.key),
    })
}

/// Prints the data and the settings of a run before it begins.
fn print_plan(settings: &TrainSettings, data: &TrainingData) -> anyhow::Result<()> {
    for (dir, counts) in &data.counts {
        print(format_args!(
            "data      {dir}: {} files, {} games, {} positions; {} to train on, {} for validation\n",
            counts.files, counts.games, counts.positions, counts.training, counts.validation
        ))?;
    }
    if data.validation.is_empty() {
        print(format_args!(
            "warning   no game is held out for validation, so the validation losses mean nothing\n"
        ))?;
    }
    let count = settings.training_positions;
    let epochs = (settings.steps * settings.batch as u64) as f64 / count as f64;
    print(format_args!(
        "run       {} steps of {} positions ({epochs:.1} epochs), {} threads, seed {}\n",
        settings.steps, settings.batch, settings.threads, settings.seed
    ))?;
    if let Some(from) = &settings.from {
        print(format_args!("from      {from}\n"))?;
    }
    Ok(print(format_args!(
        "target    {:.2} to {:.2} result, the rest sigmoid(score / {:.0})\n",
        settings.lambdas[0], settings.lambdas[1], settings.score_scale
    ))?)
}

/// Trains up to the last step.
fn learn(
    args: &Args,
    data: &TrainingData,
    trainer: &mut Trainer,
    state: &mut TrainState,
    path: &Path,
) -> anyhow::Result<()> {
    let settings = state.settings.clone();
    let (steps, batch) = (settings.steps, settings.batch);
    let schedule = Schedule {
        steps,
        rates: settings.rates,
        lambdas: settings.lambdas,
    };
    trainer.adam.weight_decay = settings.weight_decay as f32;
    trainer.adam.floor_share = settings.floor as f32;
    trainer.dropout = settings.dropout;
    trainer.seed = settings.seed;
    let weights = settings.piece_weights.table();
    let target = |step| Target {
        lambda: schedule.lambda(step),
        score_scale: settings.score_scale as f32,
        power: settings.power as f32,
        weights,
    };
    let progress = Progress::new(steps, "steps");
    let skip = trainer.step * batch as u64;
    let (send, receive) = mpsc::sync_channel(QUEUE);
    let result = thread::scope(|scope| {
        let training = &data.training;
        let loader =
            scope.spawn(move || training.batches(skip, batch, |batch| send.send(batch).is_ok()));
        let mut superbatch = Superbatch::new();
        while trainer.step < steps {
            // The loader ends early only if it fails.
            let Ok(samples) = receive.recv() else { break };
            let step = trainer.step;
            superbatch.loss += trainer.learn(&samples, target(step), schedule.rate(step));
            superbatch.positions += samples.len() as u64;
            if !superbatch.loss.is_finite() {
                bail!("the loss is not a number after step {step}: choose a lower learning rate");
            }
            progress.update(trainer.step, superbatch.message());
            if trainer.step.is_multiple_of(args.superbatch) || trainer.step == steps {
                let done = std::mem::replace(&mut superbatch, Superbatch::new());
                // Validation does not count.
                let speed = done.speed();
                state.step = trainer.step;
                state.seconds += done.start.elapsed().as_secs_f64();
                let [validation_loss, final_loss] =
                    trainer.losses(&data.validation, [target(step), target(steps)]);
                state.history.push(Measurement {
                    positions: trainer.step * batch as u64,
                    training_loss: done.loss / done.positions as f64,
                    validation_loss,
                    final_loss,
                    rate: schedule.rate(step),
                    lambda: schedule.lambda(step),
                    speed,
                });
                checkpoint::save(path, state, trainer)?;
                draw(args, state)?;
                progress.say(line(state));
            }
        }
        drop(receive);
        let loaded = loader.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(loaded?)
    });
    progress.finish();
    result
}

/// The progress since the last checkpoint.
struct Superbatch {
    start: Instant,
    loss: f64,
    positions: u64,
}

impl Superbatch {
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

/// Formats the newest measurement.
fn line(state: &TrainState) -> String {
    let Some(point) = state.history.last() else {
        return String::new();
    };
    format!(
        "step {:>7}: training {:.6}, validation {:.6} (final target {:.6}), {:.0} positions/s, rate {:.2e}, lambda {:.3}",
        state.step,
        point.training_loss,
        point.validation_loss,
        point.final_loss,
        point.speed,
        point.rate,
        point.lambda
    )
}

/// Draws the losses so far.
fn draw(args: &Args, state: &TrainState) -> anyhow::Result<()> {
    let path = args.beside(args.plot.as_ref(), Companion::Chart);
    let title = format!(
        "H {}, {} positions",
        state.settings.hidden, state.settings.training_positions
    );
    plot::save(&path, history::svg(&title, &state.history))?;
    Ok(())
}

/// Rounds the weights, and writes the network and its run report.
fn finish(
    args: &Args,
    data: &TrainingData,
    trainer: &Trainer,
    state: TrainState,
) -> anyhow::Result<()> {
    let (mut weights, cut) = quantize::quantize(trainer.shape, trainer.result());
    weights.scale = scale::fitting(&weights)?.clamp(1, 100_000);
    weights.win_rate = data
        .win_rate_outcomes
        .win_rate()
        .unwrap_or(WinRate::DEFAULT);
    let network = Network::new(&weights)?;
    let outputs = trainer.outputs(&data.validation);
    let losses = quantize::losses(&weights, cut, &data.validation, &outputs)?;
    let WinRate { a, b } = weights.win_rate;
    checkpoint::save_weights(&Companion::Weights.beside(&args.out), &state, trainer)?;
    let positions = state.step * state.settings.batch as u64;
    let run_report = RunReport {
        command: command_line(),
        version: build_info::ENGINE,
        network: network.name(),
        settings: state.settings,
        data: data.counts.clone(),
        scale: weights.scale,
        win_rate: [a, b],
        quantization: losses,
        seconds: state.seconds,
        positions_per_second: positions as f64 / state.seconds,
        history: state.history,
    };
    files::replace(&args.out, &weights.to_bytes())?;
    files::replace_json(&Companion::Report.beside(&args.out), &run_report)?;
    print(format_args!(
        "rounding  {:.2} centipawns on average, {:.1} at most; {} weights cut; largest unit {} of 32767\n",
        losses.mean_error, losses.max_error, losses.cut_weights, losses.largest_unit
    ))?;
    print(format_args!(
        "scale     {}\nwin rate  a {a:?}, b {b:?}\n",
        weights.scale
    ))?;
    Ok(print(format_args!(
        "network   {} in {:.0} s, {:.0} positions/s\n",
        args.out.display(),
        run_report.seconds,
        run_report.positions_per_second
    ))?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::parse_args;
    use crate::train::{self, fixtures};
    use rejoinder::eval::network::Architecture;

    /// Returns a short run over the games of the directory, with another file name for its network.
    fn args(dir: &Path, name: &str, more: &str) -> Args {
        let (games, out) = (dir.join("games").display().to_string(), dir.join(name));
        let line = format!(
            "{games} --out {} --hidden 32 --epochs 4 --batch 100 --superbatch 9 --validation 0.1 --threads 2 {more}",
            out.display()
        );
        parse_args(&line).expect("valid arguments")
    }

    fn games(dir: &Path) {
        fs::create_dir_all(dir.join("games")).expect("a writable directory");
        for number in 0..3 {
            fixtures::file(&dir.join("games"), &format!("{number}.vf"), 25, number);
        }
    }

    fn bytes(dir: &Path, name: &str) -> Vec<u8> {
        fs::read(dir.join(name)).expect("a file")
    }

    #[test]
    fn weights_of_single_inputs_may_rest() {
        let args = args(Path::new("."), "x.rjn", "--own-rate 0.25");
        let shape = Shape(Architecture {
            king_buckets: 4,
            relations: 17,
            hidden: 32,
        });
        let factors = factors(&args, shape, None);
        assert_eq!(factors.len(), shape.numbers());
        let (own, others) = factors.split_at(shape.features());
        assert!(own.iter().all(|factor| (factor - 0.25).abs() < 1e-6));
        assert!(others.iter().all(|factor| (factor - 1.0).abs() < 1e-6));
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

        // A chart that cannot be written stops a run directly after its first checkpoint.
        let stop = format!("--plot {}", dir.join("missing/x.svg").display());
        let error = run(&args(dir, "fourth.rjn", &stop)).expect_err("no chart");
        assert!(error.to_string().contains("x.svg"), "{error}");
        assert!(!dir.join("fourth.rjn").exists());
        run(&args(dir, "fourth.rjn", "--resume")).expect("a network");
        assert_eq!(first, bytes(dir, "fourth.rjn"));
        // A finished run only writes its network again.
        run(&args(dir, "fourth.rjn", "--resume")).expect("a network");
        assert_eq!(first, bytes(dir, "fourth.rjn"));
        let error = run(&args(dir, "fourth.rjn", "--resume --lr 0.002")).expect_err("another");
        assert!(error.to_string().contains("rates"), "{error}");

        // So does a run with a mean of the weights, which is another network.
        let mean = "--ema 0.9 --piece-weights 8:0.5,32:1 --power 2.5";
        run(&args(dir, "mean.rjn", mean)).expect("a network");
        run(&args(dir, "again.rjn", &format!("{mean} {stop}"))).expect_err("no chart");
        run(&args(dir, "again.rjn", &format!("{mean} --resume"))).expect("a network");
        assert_eq!(bytes(dir, "mean.rjn"), bytes(dir, "again.rjn"));
        let power = "--piece-weights 8:0.5,32:1 --power 2.5";
        run(&args(dir, "last.rjn", power)).expect("a network");
        assert_ne!(bytes(dir, "mean.rjn"), bytes(dir, "last.rjn"));

        // Training continues from unrounded weights without a loss.
        let from = format!("--from {} --lr 1e-9", dir.join("mean.weights").display());
        run(&args(dir, "exact.rjn", &from)).expect("a network");
        assert_eq!(
            bytes(dir, "mean.rjn")[..1000],
            bytes(dir, "exact.rjn")[..1000]
        );
        let error = run(&args(dir, "x.rjn", &format!("{from} --king-buckets 4")));
        let error = error.expect_err("they cannot grow").to_string();
        assert!(error.contains("mean.weights"), "{error}");

        // Training continues from a network, which grows.
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
        .map(|()| "the king buckets are those of the network to continue from");
        assert!(error.is_ok(), "{error:?}");
        let back = format!(
            "--from {} --king-buckets 1",
            dir.join("fifth.rjn").display()
        );
        let error = run(&args(dir, "seventh.rjn", &back)).expect_err("it is larger");
        assert!(error.to_string().contains("fifth.rjn"), "{error}");
    }

    #[test]
    fn a_run_leaves_the_files_of_another_alone() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path();
        games(dir);
        run(&args(dir, "lr0.001", "--lr 0.001")).expect("a network");
        let endings = ["", ".weights", ".json", ".svg", ".checkpoint"];
        let first = || endings.map(|ending| bytes(dir, &format!("lr0.001{ending}")));
        let before = first();
        assert!(Network::from_bytes(&before[0]).is_ok());
        run(&args(dir, "lr0.003", "--lr 0.003")).expect("another network");
        assert!(first() == before);
        let names = files::names(dir).expect("a directory");
        assert_eq!(names.len(), 1 + 2 * endings.len(), "{names:?}");
    }

    #[test]
    fn a_network_is_not_written_where_a_file_beside_it_belongs() {
        for ending in ["json", "svg", "weights", "checkpoint"] {
            let line = format!("games --out tr/net.{ending}");
            let error = parse_args::<Args>(&line).expect_err("refused").to_string();
            assert!(error.contains("end it in .rjn"), "{error}");
        }
    }

    #[test]
    fn impossible_arguments_are_refused() {
        for line in [
            "",
            "x --hidden -32",
            "x --lr 0",
            "x --lr nan",
            "x --lambda 1.1",
            "x --ema 1.1",
            "x --piece-weights 40:1",
            "x --validation 0.9",
            "x --epochs 3 --positions 1000",
            "x --benchmark",
        ] {
            assert!(parse_args::<Args>(line).is_err(), "{line}");
        }
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path();
        games(dir);
        // An impossible architecture is refused before any file is read.
        for (line, said) in [
            ("missing --hidden 33", "hidden size is 33"),
            ("missing --king-buckets 2", "king buckets is 2"),
            ("--benchmark --hidden 48", "multiple of 32"),
        ] {
            let error = train::run(&parse_args(line).expect("valid arguments")).expect_err(line);
            assert!(
                error.is::<rejoinder::eval::network::ArchitectureError>(),
                "{error}"
            );
            assert!(error.to_string().contains(said), "{error}");
        }
        let error = run(&args(dir, "x.rjn", "--min-ply 10000")).expect_err("nothing left");
        assert!(error.to_string().contains("75 games"), "{error}");
        fs::write(dir.join("games/9.vf"), "rubbish").expect("a writable directory");
        let error = run(&args(dir, "x.rjn", "")).expect_err("damaged");
        assert!(error.to_string().contains("9.vf: game 1"), "{error}");
    }
}
