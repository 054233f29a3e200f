//! The loop of games, training and match.
//!
//! Everything that a step needs is on the disk when it begins, and every step can be repeated or
//! continued, so the program may be killed at any point. A generation is finished once it is in
//! `grow.json`.

use std::iter;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::data::tally::Tally;
use crate::data::{find, manifest};
use crate::datagen::{self, MixtureArgs};
use crate::files;
use crate::matches::{ADJUDICATION, HASH, Match, Openings, Side};
use crate::plot;
use crate::print::print;
use crate::time_control::TimeControl;
use crate::train;
use anyhow::bail;
use rejoinder::eval::network::{self, Architecture, Network, Weights};
use rejoinder::search::Setup;
use rejoinder::types::Rng;

use super::args::Args;
use super::history::{Generation, History, Strength};
use super::plan::{self, GenerationPlan, GrowSettings};

/// Number of games against the network before for each game against the first network.
const FIRST_PART: u64 = 3;

/// Grows a network until the time or the number of generations of the arguments is reached.
///
/// # Errors
/// If a file cannot be read or written, or the settings do not fit the run.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let mut run = Run::open(args)?;
    let deadline =
        (args.hours).map(|hours| Instant::now() + Duration::from_secs_f64(hours * 3600.0));
    while args
        .generations
        .is_none_or(|wanted| run.history.generations.len() < wanted)
    {
        let Some(generation) = run.generation(args, deadline)? else {
            break;
        };
        print(format_args!("{generation}\n"))?;
        run.history.generations.push(generation);
        run.save()?;
        run.remove_checkpoints()?;
    }
    Ok(print(run.farewell())?)
}

/// A run on the disk.
struct Run {
    dir: PathBuf,
    history: History,
}

impl Run {
    /// Reads the run in the directory, or begins a new one.
    fn open(args: &Args) -> anyhow::Result<Self> {
        for given in &args.data {
            find::shards(slice::from_ref(given))?;
        }
        let dir = args.dir.clone();
        files::create_dir(&dir.join("networks"))?;
        let known = History::load(&dir.join("grow.json"))?;
        let given = args.network.as_deref().map(network::named).transpose()?;
        let history = if let Some(history) = known {
            let given = given.map(|network| network.name());
            if let Some(given) = given.filter(|given| *given != history.first) {
                let begun = history.first;
                let dir = dir.display();
                bail!("the run in {dir} was begun with the network {begun}, not with {given}");
            }
            History {
                settings: history.settings.with(args),
                ..history
            }
        } else {
            let first = given.unwrap_or_else(|| Arc::new(Network::zero()));
            let history = History {
                settings: GrowSettings::default().with(args),
                first: first.name(),
                from_zero: *first == Network::zero(),
                generations: Vec::new(),
            };
            let bytes = match args.network.as_deref().filter(|_| !history.from_zero) {
                Some(path) => network::load_weights(Path::new(path))?.to_bytes(),
                None => Weights::zero().to_bytes(),
            };
            files::replace(&network_path(&dir, 0), &bytes)?;
            history
        };
        let run = Self { dir, history };
        run.check()?;
        run.save()?;
        Ok(run)
    }

    /// Checks that the settings ask for a possible network, before any game is played.
    fn check(&self) -> anyhow::Result<()> {
        self.architectures()?;
        Ok(())
    }

    /// Returns the architectures of the next network's parent, if it has one, and of that network.
    fn architectures(&self) -> anyhow::Result<(Option<Architecture>, Architecture)> {
        let training = self.architecture_args();
        let parent = training.from.as_deref().map(network::load).transpose()?;
        let parent = parent.map(|parent| parent.architecture());
        Ok((parent, training.architecture(parent)?))
    }

    /// Returns whether the next network is a mean with its parent, which must be of the same
    /// architecture.
    fn averages(&self) -> anyhow::Result<bool> {
        let (parent, next) = self.architectures()?;
        let wanted = self.history.settings.averaged(self.history.from_zero);
        Ok(wanted && parent == Some(next))
    }

    /// Returns what the run has made so far, how strong it is, and what can be done next.
    fn farewell(&self) -> String {
        let generations = self.history.generations.len();
        let Some(champion) = self.history.champion() else {
            return format!(
                "{generations} generations, but none better than the first network yet, as is usual with \
                 few positions.\nThe same command goes on.\n"
            );
        };
        let path = network_path(&self.dir, champion.number);
        let elo = self.history.strength();
        format!(
            "{} is the best network so far: about {elo:+.0} Elo over the first one at {} nodes a move.\n\
             `make EVALFILE={}` builds an engine with it; the same command goes on.\n",
            path.display(),
            self.history.settings.match_nodes,
            path.display()
        )
    }

    /// Returns the number of the generation whose network plays; 0 for the first network.
    fn champion(&self) -> usize {
        let champion = self.history.champion();
        champion.map_or(0, |generation| generation.number)
    }

    /// Returns whether the next network is trained from random weights, because only the untrained
    /// network is there so far.
    fn starts_from_random_weights(&self) -> bool {
        self.champion() == 0 && self.history.from_zero
    }

    /// Returns the training arguments that state the parent and the architecture of the next
    /// network.
    fn architecture_args(&self) -> train::Args {
        let settings = &self.history.settings;
        train::Args {
            from: (!self.starts_from_random_weights())
                .then(|| network_path(&self.dir, self.champion())),
            hidden: settings.hidden,
            king_buckets: settings.king_buckets,
            relations: settings.relations,
            batch: plan::BATCH,
            ema: Some(plan::EMA),
            ..train::Args::default()
        }
    }

    /// Writes the history and its chart.
    fn save(&self) -> anyhow::Result<()> {
        self.history.save(&self.dir.join("grow.json"))?;
        plot::save(&self.dir.join("grow.svg"), self.history.svg())?;
        Ok(())
    }

    /// Returns the checkpoints of the passes on scores and on results.
    fn checkpoints(&self) -> [PathBuf; 2] {
        ["checkpoint", "checkpoint-results"].map(|name| self.dir.join(name))
    }

    /// Removes the checkpoints of a finished generation, because the next cannot continue from them.
    fn remove_checkpoints(&self) -> anyhow::Result<()> {
        for checkpoint in self.checkpoints() {
            if checkpoint.exists() {
                files::remove(&checkpoint)?;
            }
        }
        Ok(())
    }

    /// Begins or continues the next generation. Returns `None` if the time is over before its games
    /// are played.
    fn generation(
        &self,
        args: &Args,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Option<Generation>> {
        let start = Instant::now();
        let number = self.history.generations.len() + 1;
        let champion = self.champion();
        let player = network::load(&network_path(&self.dir, champion))?;
        let settings = &self.history.settings;
        let plan = settings.plan(self.history.positions(), self.history.from_zero);

        let games = self.play(args, number, &player, plan, deadline)?;
        if games.useful < plan.fresh {
            return Ok(None);
        }
        let window = self.window(args, number)?;
        let (network, learned) = self.train(args, number, plan, &window)?;
        let contest = |rival: &Arc<Network>, games, name: &str| {
            self.contest(args, number, [&network, rival], games, name)
        };
        let before = contest(&player, plan.games, "before")?;
        let first = if champion == 0 {
            before
        } else {
            let first = network::load(&network_path(&self.dir, 0))?;
            contest(&first, plan.games / FIRST_PART, "first")?
        };
        Ok(Some(Generation {
            number,
            settings: settings.clone(),
            player: player.name(),
            games,
            window: window.positions,
            learned,
            lr: plan.rates[0],
            network: network.name(),
            before,
            first,
            accepted: before.elo >= 0.0,
            seconds: start.elapsed().as_secs_f64(),
        }))
    }

    /// Plays the games of a generation, up to the deadline.
    fn play(
        &self,
        args: &Args,
        number: usize,
        player: &Arc<Network>,
        plan: GenerationPlan,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Tally> {
        let out = self.dir.join("games").join(format!("{number:04}"));
        let begun = out.exists() && !datagen::seeds(&out)?.is_empty();
        let mixture = self.history.settings.mixture.filter(|_| !begun);
        let summary = datagen::generate(&datagen::Args {
            out,
            games: None,
            positions: Some(plan.fresh),
            resume: begun,
            network: Some(Arc::clone(player)),
            // A datagen run continues with the settings that it was begun with.
            nodes: (!begun).then_some(self.history.settings.nodes),
            label_every: mixture.map(|mixture| mixture.label_every),
            mixture: mixture.map_or_else(MixtureArgs::default, MixtureArgs::from),
            params: if begun {
                Vec::new()
            } else {
                self.history.settings.params.clone()
            },
            hard_factor: None,
            threads: if begun { None } else { args.threads },
            seed: None,
            chess960_share: None,
            hash: None,
            shard_games: None,
            until: deadline,
        })?;
        Ok(summary.tally)
    }

    /// Returns the endings of the directories with games of an earlier generation that are worth
    /// learning from. Scores of the untrained network teach nothing, so its games are left out
    /// unless the next network learns from results only.
    fn lessons(&self, earlier: &Generation) -> &'static [&'static str] {
        if !self.history.from_zero || self.starts_from_random_weights() {
            &["", "-before", "-first"]
        } else if earlier.player != self.history.first {
            &["", "-before"]
        } else {
            &[]
        }
    }

    /// Finds the files with the newest positions: those of this generation, of earlier ones, and of
    /// the older games given.
    fn window(&self, args: &Args, number: usize) -> anyhow::Result<Window> {
        let mut window = Window {
            files: Vec::new(),
            positions: 0,
        };
        // The matches of this generation have not been played yet.
        let played = iter::once((number, ""));
        let earlier = self.history.generations.iter().rev().flat_map(|earlier| {
            let contests = self.lessons(earlier).iter();
            contests.map(|contest| (earlier.number, *contest))
        });
        let own = played.chain(earlier).map(|(number, contest)| {
            let name = format!("{number:04}{contest}");
            self.dir.join("games").join(name)
        });
        let own = own.filter(|dir| dir.exists()).map(|dir| (dir, true));
        let given = args.data.iter().cloned().map(|dir| (dir, false));
        for (dir, is_own) in own.chain(given) {
            let mut files = match find::shards(&[dir]) {
                // The directory of a match may have no shard yet.
                Err(_) if is_own => continue,
                found => found?,
            };
            files.reverse();
            for path in files {
                if window.positions >= self.history.settings.window {
                    return Ok(window);
                }
                window.positions += manifest::counts(&path)?.kept;
                window.files.push(path);
            }
        }
        Ok(window)
    }

    /// Trains the champion further on the window: a first pass on scores, and a last one with
    /// results. Returns the new network, which may be the mean of the champion and the trained one,
    /// and the number of positions of the first pass.
    fn train(
        &self,
        args: &Args,
        number: usize,
        plan: GenerationPlan,
        window: &Window,
    ) -> anyhow::Result<(Arc<Network>, u64)> {
        let learned = plan::learned(window.positions);
        let new = network_path(&self.dir, number);
        let averaged = self.averages()?;
        let out = if averaged {
            new.with_file_name(format!("{number:04}-trained.rjn"))
        } else {
            new.clone()
        };
        let [scores_checkpoint, results_checkpoint] = self.checkpoints();
        let first = train::Args {
            data: window.files.clone(),
            out: out.clone(),
            positions: Some(learned),
            lr: plan.rates[0],
            final_lr: Some(plan.rates[1]),
            lambda: 0.0,
            lambda_end: 0.0,
            threads: args.threads,
            seed: number as u64,
            checkpoint: Some(scores_checkpoint),
            resume: true,
            ..self.architecture_args()
        };
        let results = self.history.settings.results;
        if self.starts_from_random_weights() {
            // The scores of the untrained network teach nothing.
            continue_training(&train::Args {
                lambda: 1.0,
                lambda_end: 1.0,
                ..first
            })?;
        } else if results == 0.0 {
            continue_training(&first)?;
        } else {
            let scores = new.with_file_name(format!("{number:04}-scores.rjn"));
            let last = train::Args {
                positions: Some((window.positions / plan::RESULTS_EVERY).max(1)),
                every: plan::RESULTS_EVERY,
                lr: plan.results_rates[0],
                final_lr: Some(plan.results_rates[1]),
                lambda: results,
                lambda_end: results,
                from: Some(scores.clone()),
                checkpoint: Some(results_checkpoint),
                ..first.clone()
            };
            continue_training(&train::Args {
                out: scores,
                ..first
            })?;
            continue_training(&last)?;
        }
        if averaged {
            train::write_mean(&[network_path(&self.dir, self.champion()), out], &new)?;
        }
        Ok((network::load(&new)?, learned))
    }

    /// Plays a match between two networks from the engine's own openings and keeps the games.
    fn contest(
        &self,
        args: &Args,
        number: usize,
        networks: [&Arc<Network>; 2],
        games: u64,
        name: &str,
    ) -> anyhow::Result<Strength> {
        let settings = &self.history.settings;
        let side = |network: &Arc<Network>| Side {
            setup: Setup::with_network(Some(Arc::clone(network))),
            time_control: TimeControl::Nodes(settings.match_nodes),
            hash: HASH as usize,
        };
        let contest = Match {
            openings: Openings::Own {
                seed: Rng::stream(number as u64, games).next(),
                count: games.div_ceil(2),
                chess960_share: 0.0,
            },
            sides: networks.map(side),
            sprt: None,
            adjudication: Some(ADJUDICATION),
            threads: args.threads.map_or_else(num_cpus::get, |n| n as usize),
            keep: Some(self.dir.join("games").join(format!("{number:04}-{name}"))),
            pgn: None,
        };
        Ok(Strength::of(&contest.play(|_| ())?))
    }
}

/// Trains from the checkpoint of these arguments, or from the beginning if the checkpoint belongs to
/// an earlier generation, or to this one with other settings.
fn continue_training(args: &train::Args) -> anyhow::Result<()> {
    match train::run(args) {
        Err(error) if error.is::<train::CheckpointError>() => {
            if let Some(checkpoint) = &args.checkpoint {
                files::remove(checkpoint)?;
            }
            train::run(args)
        }
        result => result,
    }
}

/// The training data of a generation.
#[derive(Debug)]
struct Window {
    files: Vec<PathBuf>,
    positions: u64,
}

/// Returns the path of a generation's network; generation 0 has the first network of the run.
fn network_path(dir: &Path, generation: usize) -> PathBuf {
    dir.join("networks").join(format!("{generation:04}.rjn"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::parse_args;

    fn args(scratch: &tempfile::TempDir, more: &str) -> Args {
        let dir = scratch.path().join("run").display().to_string();
        let line = format!(
            "{dir} --nodes 60 --positions 1500 --games 4 --match-nodes 50 --threads 2 --hidden 32 {more}"
        );
        parse_args(&line).expect("valid arguments")
    }

    #[test]
    fn a_network_grows_from_nothing_and_continues() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path().join("run");
        run(&args(&scratch, "--generations 2")).expect("two generations");
        let history = |dir: &Path| {
            History::load(&dir.join("grow.json"))
                .expect("a file")
                .expect("a run")
        };
        let two = history(&dir);
        assert_eq!(two.generations.len(), 2);
        assert!(
            two.from_zero
                && two
                    .generations
                    .iter()
                    .all(|generation| generation.games.kept >= 1500)
        );
        let player = network::load(&network_path(&dir, 0)).expect("a network");
        assert_eq!(two.generations[0].player, player.name());
        for generation in &two.generations {
            let network = network::load(&network_path(&dir, generation.number)).expect("a network");
            assert_eq!(generation.network, network.name());
        }
        assert!(
            files::names(&dir)
                .expect("a directory")
                .iter()
                .all(|name| !name.contains("checkpoint"))
        );
        // The second generation trains at least on its own games.
        let kept = |number: usize| two.generations[number].games.kept;
        assert!(two.generations[1].window >= kept(1));
        let text = fs::read_to_string(dir.join("grow.svg")).expect("a chart");
        assert!(text.contains("first network"));

        run(&args(&scratch, "--generations 2")).expect("nothing to do");
        assert_eq!(history(&dir), two);
        // A generation without time for its games is continued by the next run.
        run(&args(&scratch, "--generations 3 --hours 0")).expect("no time");
        assert_eq!(history(&dir).generations, two.generations);
        run(&args(&scratch, "--generations 3 --king-buckets 4")).expect("a third one");
        let three = history(&dir);
        assert_eq!(three.generations[..2], two.generations);
        let network = network::load(&network_path(&dir, 3)).expect("a network");
        assert_eq!(network.architecture().king_buckets, 4);
    }

    #[test]
    fn a_network_is_the_mean_of_its_parent_and_what_that_became() {
        let first = tempfile::tempdir().expect("a temporary directory");
        run(&args(&first, "--generations 1 --mean true")).expect("a generation");
        // Random weights are no parent.
        let first = first.path().join("run/networks");
        assert!(!first.join("0001-trained.rjn").exists());

        let scratch = tempfile::tempdir().expect("a temporary directory");
        let networks = scratch.path().join("run/networks");
        let network = first.join("0001.rjn").display().to_string();
        let more = format!("--generations 1 --network {network}");
        run(&args(&scratch, &more)).expect("a generation from a trained network");
        let biases = |name: &str| {
            let weights = network::load_weights(&networks.join(name)).expect("a network");
            weights.feature_biases
        };
        let [parent, trained, mean] = ["0000.rjn", "0001-trained.rjn", "0001.rjn"].map(biases);
        assert_ne!(parent, trained);
        for ((before, after), mean) in parent.iter().zip(&trained).zip(&mean) {
            let twice = i32::from(*before) + i32::from(*after);
            assert!((twice - 2 * i32::from(*mean)).abs() <= 1);
        }
        // A network that grows is no mean with one that is smaller.
        run(&args(&scratch, "--generations 2 --king-buckets 4")).expect("a second one");
        assert!(!networks.join("0002-trained.rjn").exists());
    }

    /// Returns a finished generation of a run from the untrained network, whose name is `zero`.
    fn generation(number: usize, player: &str, accepted: bool) -> Generation {
        let even = Strength {
            games: 2,
            elo: 0.0,
            error: 1.0,
        };
        Generation {
            number,
            settings: GrowSettings::default(),
            player: player.to_owned(),
            games: Tally::default(),
            window: 0,
            learned: 0,
            lr: 0.001,
            network: number.to_string(),
            before: even,
            first: even,
            accepted,
            seconds: 1.0,
        }
    }

    #[test]
    fn scores_of_the_untrained_network_are_not_learned() {
        let run = |from_zero, generations: &[Generation]| Run {
            dir: PathBuf::new(),
            history: History {
                settings: GrowSettings::default(),
                first: "zero".to_owned(),
                from_zero,
                generations: generations.to_vec(),
            },
        };
        let lessons = |run: &Run| -> Vec<Vec<&str>> {
            let generations = run.history.generations.iter();
            generations.map(|one| run.lessons(one).to_vec()).collect()
        };
        let all = vec!["", "-before", "-first"];
        let failed = generation(1, "zero", false);
        let learned = generation(2, "zero", true);
        let next = generation(3, "2", true);
        // Only results are learned until a network plays better.
        let only_failed = run(true, slice::from_ref(&failed));
        assert_eq!(lessons(&only_failed), slice::from_ref(&all));
        let generations = [failed, learned, next];
        let none: Vec<&str> = Vec::new();
        assert_eq!(
            lessons(&run(true, &generations)),
            [none.clone(), none, vec!["", "-before"]]
        );
        let from_other = run(false, &generations);
        assert_eq!(lessons(&from_other), [all.clone(), all.clone(), all]);
    }

    #[test]
    fn a_generation_begins_after_a_kill_before_its_first_file() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let games = scratch.path().join("run/games/0001");
        fs::create_dir_all(&games).expect("a writable directory");
        fs::write(games.join("run-1.json.tmp"), b"{").expect("a writable directory");
        run(&args(&scratch, "--generations 1")).expect("a generation");
    }

    #[test]
    fn games_without_manifests_count_in_the_window() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        run(&args(&scratch, "--generations 1")).expect("a generation");
        let games = scratch.path().join("run/games/0001");
        let given = scratch.path().join("given");
        fs::create_dir(&given).expect("a writable directory");
        for name in files::names(&games).expect("a directory") {
            if Path::new(&name).extension().is_some_and(|end| end == "zst") {
                fs::copy(games.join(&name), given.join(&name)).expect("a copy");
            }
        }
        let other = tempfile::tempdir().expect("a temporary directory");
        let more = format!("--generations 1 --data {}", given.display());
        let line = args(&other, &more);
        run(&line).expect("a generation");
        let history = History::load(&other.path().join("run/grow.json"));
        let history = history.expect("a file").expect("a run");
        let generation = &history.generations[0];
        assert!(generation.window >= generation.games.kept + 1500);
    }

    #[test]
    fn an_impossible_network_is_refused_before_any_game() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path().join("run");
        let refused = |more: &str, said: &str| {
            let line = format!("{} --generations 1 {more}", dir.display());
            let args = parse_args(&line).expect("valid arguments");
            let error = run(&args).expect_err(more).to_string();
            assert!(error.contains(said), "{error}");
            assert!(!dir.join("games").exists() && !dir.join("grow.json").exists());
        };
        refused("--hidden 33", "hidden size is 33");
        refused("--king-buckets 3", "one of [1, 4, 8]");
        refused("--data /no/such/games", "/no/such/games");

        let mut four = Weights::zero();
        four.architecture.king_buckets = 4;
        four.feature_weights = four.feature_weights.repeat(4);
        // With another scale this is not the untrained network.
        four.scale += 1;
        let path = scratch.path().join("four.rjn");
        fs::write(&path, four.to_bytes()).expect("a writable directory");
        let four = format!("--network {}", path.display());
        refused(&format!("{four} --king-buckets 8"), "does not fit into");
        let first = network_path(&dir, 0).display().to_string();
        refused(&format!("{four} --king-buckets 1"), &first);
    }

    #[test]
    fn another_first_network_is_refused() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        run(&args(&scratch, "--generations 0")).expect("a run");
        let path = scratch.path().join("run/networks/0000.rjn");
        let again = format!("--generations 0 --network {}", path.display());
        run(&args(&scratch, &again)).expect("the same network");
        let mut other = Weights::zero();
        other.scale += 1;
        let other_path = scratch.path().join("other.rjn");
        fs::write(&other_path, other.to_bytes()).expect("a writable directory");
        let other = format!("--generations 0 --network {}", other_path.display());
        let error = run(&args(&scratch, &other)).expect_err("another network");
        assert!(error.to_string().contains("was begun with"), "{error}");
    }
}
