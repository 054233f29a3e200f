//! `data rescore`: searches the positions to train on again, or lets networks evaluate those that
//! were never searched, and stores the games with the new scores.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::files;
use crate::player::Player;
use crate::print::print;
use crate::progress::Progress;
use crate::selfplay::{GameRecord, of_white};
use crate::time_control::soft_limits;
use crate::values::share;
use anyhow::{anyhow, bail};
use rejoinder::board::{Board, Game};
use rejoinder::build_info;
use rejoinder::eval::Evaluator;
use rejoinder::eval::kernels::Kernel;
use rejoinder::eval::network::{self, Network};
use rejoinder::memory::MemoryError;
use rejoinder::search::Setup;
use rejoinder::types::{Color, Score, score};
use rejoinder_study::parallel;

use super::filter::Filter;
use super::find;
use super::manifest::{self, Rescored};
use super::returns::Returns;
use super::shard::{self, ShardError};
use super::tally::Tally;
use super::viri;

/// Searches the positions again that training keeps, and stores the games with the new scores.
/// With --teachers, networks evaluate the plies without a score instead, so that another network can
/// learn from them.
///
/// Moves, results and the scores of all other positions stay unchanged. Finished files are skipped,
/// so the same command continues after an interruption. A file without a manifest, which a kill may
/// leave, gets one if the search gives the same games again; otherwise it stays as it is.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory for the new files; it is created if necessary
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Nodes after which a search begins no new iteration
    #[arg(long, required_unless_present = "teachers", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: Option<u64>,
    /// Networks of which the mean evaluation becomes the score of the quiet plies that have none;
    /// nothing is searched
    #[arg(long, value_name = "FILE,...", value_delimiter = ',', value_parser = network::named, conflicts_with_all = ["nodes", "network"])]
    pub teachers: Vec<Arc<Network>>,
    /// The score of each quiet ply, also of those that have one, becomes the TD(lambda) return of
    /// the teachers' evaluations: the mean of those of the plies behind it, of which each counts
    /// LAMBDA times as much as the one before, and at last of the result
    #[arg(long, value_name = "LAMBDA", requires = "teachers", value_parser = share)]
    pub td_lambda: Option<f64>,
    /// A search ends at once after the number of --nodes times this factor
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub hard_factor: u64,
    /// Network to search with: a file, or `zero` for the untrained network [default: the embedded
    /// network]
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network: Option<Arc<Network>>,
    /// Files rescored at a time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Hash of each search in MB
    #[arg(long, value_name = "MB", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub hash: u64,
    /// Files of games, or directories that hold such files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

impl Args {
    /// Returns what is made of the teachers' evaluations, if they are not the scores themselves.
    fn returns(&self) -> Option<Returns> {
        let (lambda, teacher) = self.td_lambda.zip(self.teachers.first())?;
        Some(Returns {
            lambda,
            score_scale: f64::from(teacher.scale()),
        })
    }
}

/// The state that all threads share.
struct RescoreJob<'a> {
    args: &'a Args,
    /// Name of the network in the manifests.
    network: String,
    progress: Progress,
    start: Instant,
    /// Bytes of the files that have been rescored or skipped.
    bytes: AtomicU64,
    /// Number of positions with new scores.
    positions: AtomicU64,
    /// Number of files that were finished already.
    skipped: AtomicU64,
    stop: AtomicBool,
}

/// Rescores the files and prints a summary.
///
/// # Errors
/// If a file cannot be read or written. Files that were finished before the error stay.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let files = tasks(&find::shards(&args.files)?, &args.out)?;
    let setup = Setup::with_network(args.network.clone());
    files::create_dir(&args.out)?;
    let threads = args.threads.map_or_else(num_cpus::get, |n| n as usize);
    let scorers = (0..threads).map(|_| Scorer::new(args, &setup));
    let mut scorers = scorers.collect::<Result<Vec<_>, _>>()?;
    let teachers: Vec<String> = args.teachers.iter().map(|teacher| teacher.name()).collect();
    let sizes = files.iter().filter_map(|(from, _)| from.metadata().ok());
    let job = RescoreJob {
        args,
        network: match teachers.as_slice() {
            [] => setup.network.name(),
            teachers => teachers.join(","),
        },
        progress: Progress::new(sizes.map(|size| size.len()).sum::<u64>() / 1000, "kB"),
        start: Instant::now(),
        bytes: AtomicU64::new(0),
        positions: AtomicU64::new(0),
        skipped: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    };
    let results = parallel::map_with(&mut scorers, &files, |scorer, (from, to)| {
        job.file(from, to, scorer)
    });
    job.progress.finish();
    results.into_iter().collect::<Result<(), _>>()?;
    let (positions, skipped) = (job.positions.into_inner(), job.skipped.into_inner());
    Ok(print(format_args!(
        "{positions} new scores in {} files, {:.0} a second and core; {skipped} files were finished already\n",
        files.len() as u64 - skipped,
        positions as f64 / (job.start.elapsed().as_secs_f64() * threads as f64)
    ))?)
}

/// Pairs each file with its output file.
fn tasks(files: &[PathBuf], out: &Path) -> anyhow::Result<Vec<(PathBuf, PathBuf)>> {
    let mut seen: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut tasks = Vec::new();
    for from in files {
        let ending = shard::ending(from).ok_or_else(|| ShardError::Name { path: from.clone() })?;
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(ending).unwrap_or(&name);
        let to = out.join(format!("{stem}{}", shard::ENDINGS[0]));
        if let Some(other) = seen.insert(to.clone(), from.clone()) {
            bail!(
                "{} and {} would get the same name",
                other.display(),
                from.display()
            );
        }
        tasks.push((from.clone(), to));
    }
    Ok(tasks)
}

/// Where new scores come from.
enum Scorer {
    Search(Box<Player>),
    Teachers(Teachers),
}

/// Networks that answer, and what is made of their answers.
struct Teachers {
    evaluators: Vec<Evaluator>,
    returns: Option<Returns>,
}

impl Scorer {
    fn new(args: &Args, setup: &Setup) -> Result<Self, MemoryError> {
        let Some(nodes) = args.nodes else {
            let teachers = args.teachers.iter().map(Arc::clone);
            let teachers = teachers.map(|teacher| Evaluator::new(teacher, Kernel::best()));
            return Ok(Self::Teachers(Teachers {
                evaluators: teachers.collect(),
                returns: args.returns(),
            }));
        };
        let limits = soft_limits(nodes, args.hard_factor);
        let player = Player::new(setup.clone(), args.hash as usize, limits)?;
        Ok(Self::Search(Box::new(player)))
    }

    /// Gives a game new scores, which depend on the game alone, and returns their number.
    fn score(&mut self, record: &mut GameRecord) -> u64 {
        match self {
            Self::Search(player) => search(record, player),
            Self::Teachers(teachers) => teachers.answer(record),
        }
    }
}

impl RescoreJob<'_> {
    /// Rescores one file, unless it is finished already or another thread has failed.
    fn file(&self, from: &Path, to: &Path, scorer: &mut Scorer) -> anyhow::Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let result = self.rescore(from, to, scorer);
        if result.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        result
    }

    fn rescore(&self, from: &Path, to: &Path, scorer: &mut Scorer) -> anyhow::Result<()> {
        let raw = shard::read_raw(from)?;
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let how = Rescored {
            from: name.into_owned(),
            checksum: manifest::checksum(&raw),
            engine: build_info::ENGINE.to_owned(),
            network: self.network.clone(),
            nodes: self.args.nodes.unwrap_or(0),
            hard_factor: self.args.hard_factor,
            hash: self.args.nodes.map_or(0, |_| self.args.hash),
            returns: self.args.returns(),
        };
        let bare = match manifest::read(to)? {
            _ if !to.exists() => None,
            Some(there) if there.rescored.last() == Some(&how) => {
                self.skipped.fetch_add(1, Ordering::Relaxed);
                self.advance(raw.len() as u64);
                return Ok(());
            }
            Some(_) => return Err(made_otherwise(to)),
            // A kill between shard and manifest leaves this. So that no other file gets a manifest
            // that is false, the games must be those that the search gives again.
            None => Some(shard::read_raw(to)?),
        };
        let there = bare
            .as_ref()
            .map(|raw| shard::unpack(to, raw))
            .transpose()?;
        let mut rest = there.as_deref();
        let games = shard::unpack(from, &raw)?;
        let (mut bytes, mut counts) = (Vec::with_capacity(games.len()), Tally::default());
        for game in shard::games(from, &games) {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let mut game = game?;
            let before = bytes.len();
            let scored = scorer.score(&mut game);
            viri::encode(&game, &mut bytes).map_err(ShardError::from)?;
            if let Some(games) = rest {
                let after = games.strip_prefix(&bytes[before..]);
                rest = Some(after.ok_or_else(|| made_otherwise(to))?);
            }
            counts.add(&game);
            self.positions.fetch_add(scored, Ordering::Relaxed);
            // Progress is counted in bytes of the compressed file.
            let share = raw.len() as f64 / games.len().max(1) as f64;
            self.advance(((bytes.len() - before) as f64 * share) as u64);
        }
        let (played, mut rescored) = manifest::read(from)?.map_or((None, Vec::new()), |manifest| {
            (manifest.played, manifest.rescored)
        });
        rescored.push(how);
        if rest.is_some_and(|games| !games.is_empty()) {
            return Err(made_otherwise(to));
        }
        match &bare {
            Some(raw) => {
                manifest::describe(to, raw, counts, played, rescored)?;
            }
            None => manifest::store(to, &bytes, counts, played, rescored)?,
        }
        Ok(())
    }

    fn advance(&self, bytes: u64) {
        let bytes = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let positions = self.positions.load(Ordering::Relaxed);
        let speed = positions as f64 / self.start.elapsed().as_secs_f64();
        let message = format!("{positions} new scores, {speed:.0} a second");
        self.progress.update(bytes / 1000, message);
    }
}

/// Returns the error for an output file that this command would not write.
fn made_otherwise(path: &Path) -> anyhow::Error {
    anyhow!(
        "{} exists already and was made in another way: choose another directory",
        path.display()
    )
}

/// Searches the positions of a game that training keeps, and returns their number.
fn search(record: &mut GameRecord, player: &mut Player) -> u64 {
    let filter = Filter::default();
    let mut game = Game::new(record.opening);
    let mut searched = 0;
    player.forget();
    for (mv, score) in &mut record.moves {
        let board = game.board();
        if filter.keeps(board, *mv, *score) {
            *score = of_white(board.side_to_move(), player.score(&game));
            searched += 1;
        }
        game.play(*mv);
    }
    searched
}

impl Teachers {
    /// Gives the plies of a game without a score that training would keep the mean of the teachers'
    /// evaluations, or all of them the returns, and returns their number.
    // Source: Bucilă, Caruana, Niculescu-Mizil, "Model compression" (2006)
    fn answer(&mut self, record: &mut GameRecord) -> u64 {
        let filter = Filter::default();
        let mut board = record.opening;
        let mut answers = Vec::with_capacity(record.moves.len());
        for &(mv, score) in &record.moves {
            let is_asked = score == score::NONE || self.returns.is_some();
            let is_asked = is_asked && filter.keeps(&board, mv, 0);
            answers.push(is_asked.then(|| f64::from(self.evaluate(&board))));
            board.make(mv);
        }
        if let Some(returns) = self.returns {
            let points = record.outcome.half_points(Color::White) as f64 / 2.0;
            returns.replace(&mut answers, points);
        }
        for ((_, score), answer) in record.moves.iter_mut().zip(&answers) {
            if let Some(answer) = answer {
                *score = answer.round() as Score;
            }
        }
        answers.iter().flatten().count() as u64
    }

    /// Returns the mean of the teachers' evaluations, in centipawns from White's view.
    fn evaluate(&mut self, board: &Board) -> Score {
        let each = self.evaluators.iter_mut();
        let sum: Score = each.map(|teacher| teacher.evaluate_alone(board)).sum();
        of_white(board.side_to_move(), sum / self.evaluators.len() as Score)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use rejoinder::board::{Outcome, openings};
    use rejoinder::types::Rng;

    /// Writes a file of two games of random moves, all with a score that no search would return.
    fn file(path: &Path) -> Vec<GameRecord> {
        let mut rng = Rng::new(5);
        let mut bytes = Vec::new();
        let games = [0, 1].map(|number| {
            let opening = openings::random(f64::from(number), &mut rng).expect("an opening");
            let mut board = opening;
            let mut moves = Vec::new();
            while let Some(mv) = rng
                .choose(&board.legal_moves())
                .filter(|_| moves.len() < 60)
            {
                moves.push((mv, 9_999));
                board.make(mv);
            }
            let outcome = Outcome::BlackWin;
            GameRecord {
                opening,
                moves,
                outcome,
            }
        });
        for game in &games {
            viri::encode(game, &mut bytes).expect("the game fits the format");
        }
        fs::write(path, bytes).expect("a writable directory");
        games.to_vec()
    }

    fn args(out: &Path, nodes: u64, from: &Path) -> Args {
        Args {
            out: out.to_path_buf(),
            nodes: Some(nodes),
            teachers: Vec::new(),
            td_lambda: None,
            hard_factor: 8,
            network: None,
            threads: Some(2),
            hash: 1,
            files: vec![from.to_path_buf()],
        }
    }

    fn games(path: &Path) -> Vec<GameRecord> {
        let bytes = shard::read(path).expect("a shard");
        viri::games(&bytes)
            .map(|game| game.expect("a game"))
            .collect()
    }

    #[test]
    fn kept_positions_get_new_scores_and_the_rest_stays() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [from, out] = ["old.vf", "new"].map(|name| scratch.path().join(name));
        let old = file(&from);
        run(&args(&out, 50, &from)).expect("a writable directory");
        let path = out.join("old.vf.zst");
        let (mut kept, mut dropped) = (0, 0);
        for (old, new) in old.iter().zip(games(&path)) {
            let mut board: Board = old.opening;
            assert_eq!(
                (old.opening.key(), old.outcome),
                (new.opening.key(), new.outcome)
            );
            assert_eq!(old.moves.len(), new.moves.len());
            for (&(mv, score), &(new_mv, new_score)) in old.moves.iter().zip(&new.moves) {
                assert_eq!(mv, new_mv);
                let keeps = Filter::default().keeps(&board, mv, score);
                assert_eq!(score != new_score, keeps, "{board:?}");
                if keeps {
                    kept += 1;
                } else {
                    dropped += 1;
                }
                board.make(mv);
            }
        }
        assert!(kept > 20 && dropped > 20, "{kept} {dropped}");
        let manifest = manifest::read(&path)
            .expect("a readable manifest")
            .expect("a manifest");
        assert_eq!(manifest.played, None);
        let [how] = manifest.rescored.as_slice() else {
            panic!("{:?}", manifest.rescored);
        };
        assert_eq!((how.from.as_str(), how.nodes), ("old.vf", 50));
        let raw = fs::read(&from).expect("the old file");
        assert_eq!(how.checksum, manifest::checksum(&raw));

        // The manifest of a file that was rescored twice states both searches.
        let again = scratch.path().join("again");
        run(&args(&again, 60, &path)).expect("a writable directory");
        let manifest = manifest::read(&again.join("old.vf.zst")).expect("a readable file");
        let nodes: Vec<u64> = manifest
            .expect("a manifest")
            .rescored
            .iter()
            .map(|how| how.nodes)
            .collect();
        assert_eq!(nodes, [50, 60]);
    }

    #[test]
    fn teachers_answer_what_was_not_searched() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [from, out] = ["old.vf", "new"].map(|name| scratch.path().join(name));
        let mut old = file(&from);
        let mut bytes = Vec::new();
        for game in &mut old {
            for (_, score) in game.moves.iter_mut().skip(1).step_by(2) {
                *score = score::NONE;
            }
            viri::encode(game, &mut bytes).expect("the game fits the format");
        }
        fs::write(&from, bytes).expect("a writable directory");
        let teachers = [network::embedded(), Arc::new(Network::zero())];
        let taught = Args {
            nodes: None,
            teachers: teachers.to_vec(),
            ..args(&out, 1, &from)
        };
        run(&taught).expect("a writable directory");
        let mut answered = 0;
        let path = out.join("old.vf.zst");
        for (old, new) in old.iter().zip(games(&path)) {
            let mut board: Board = old.opening;
            for (&(mv, score), &(_, new_score)) in old.moves.iter().zip(&new.moves) {
                if score == score::NONE && Filter::default().keeps(&board, mv, 0) {
                    // The other teacher says 0.
                    let mean = rejoinder::eval::evaluate(&teachers[0], &board) / 2;
                    let of_white = [mean, -mean][board.side_to_move().index()];
                    assert_eq!(new_score, of_white, "{board:?}");
                    answered += 1;
                } else {
                    assert_eq!(new_score, score);
                }
                board.make(mv);
            }
        }
        assert!(answered > 10, "{answered}");
        let manifest = manifest::read(&path)
            .expect("readable")
            .expect("a manifest");
        let [how] = manifest.rescored.as_slice() else {
            panic!("{:?}", manifest.rescored);
        };
        let names = teachers.map(|teacher| teacher.name()).join(",");
        assert_eq!((how.nodes, how.network.as_str()), (0, names.as_str()));
    }

    #[test]
    fn returns_replace_all_scores_of_quiet_plies() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [from, out] = ["old.vf", "new"].map(|name| scratch.path().join(name));
        let old = file(&from);
        let teacher = network::embedded();
        let taught = Args {
            nodes: None,
            teachers: vec![Arc::clone(&teacher)],
            td_lambda: Some(0.0),
            ..args(&out, 1, &from)
        };
        run(&taught).expect("a writable directory");
        let path = out.join("old.vf.zst");
        let mut replaced = 0;
        for (old, new) in old.iter().zip(games(&path)) {
            // With a lambda of 0, each quiet ply has the evaluation of the next one.
            let mut board: Board = old.opening;
            let (mut quiet, mut evals) = (Vec::new(), Vec::new());
            for (&(mv, score), &(_, new_score)) in old.moves.iter().zip(&new.moves) {
                if Filter::default().keeps(&board, mv, 0) {
                    let eval = rejoinder::eval::evaluate(&teacher, &board);
                    evals.push([eval, -eval][board.side_to_move().index()]);
                    quiet.push(new_score);
                } else {
                    assert_eq!(new_score, score);
                }
                board.make(mv);
            }
            let limit = |eval: i32| eval.clamp(-1000, 1000);
            for (new_score, eval) in quiet.iter().zip(&evals[1..]) {
                assert!((limit(*new_score) - limit(*eval)).abs() <= 1);
                replaced += 1;
            }
            // Black has won.
            assert!(quiet.last().is_none_or(|&last| last <= -1000));
        }
        assert!(replaced > 10, "{replaced}");
        let manifest = manifest::read(&path).expect("readable");
        let rescored = manifest.expect("a manifest").rescored;
        assert_eq!(rescored[0].returns, taught.returns());
    }

    #[test]
    fn finished_files_are_skipped_and_others_never_replaced() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [from, out] = ["old.vf", "new"].map(|name| scratch.path().join(name));
        file(&from);
        run(&args(&out, 50, &from)).expect("a writable directory");
        let path = out.join("old.vf.zst");
        let before = path
            .metadata()
            .and_then(|data| data.modified())
            .expect("a time");
        run(&args(&out, 50, &from)).expect("nothing to do");
        let after = path
            .metadata()
            .and_then(|data| data.modified())
            .expect("a time");
        assert_eq!(before, after);

        for (nodes, from) in [(51, &from), (50, &path)] {
            let error = run(&args(&out, nodes, from)).expect_err("something else");
            assert!(
                error.to_string().contains("old.vf.zst exists already"),
                "{error}"
            );
        }

        let mut two = args(&out, 50, &from);
        two.files.push(path);
        let error = run(&two).expect_err("one name").to_string();
        assert!(error.contains("same name"), "{error}");
    }

    #[test]
    fn a_kill_between_shard_and_manifest_is_made_good() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [from, out] = ["old.vf", "new"].map(|name| scratch.path().join(name));
        file(&from);
        run(&args(&out, 50, &from)).expect("a writable directory");
        let shard = out.join("old.vf.zst");
        let manifest = manifest::path(&shard);
        let both = || [&shard, &manifest].map(|path| fs::read(path).expect("a file"));
        let before = both();
        fs::remove_file(&manifest).expect("removed");
        run(&args(&out, 50, &from)).expect("the same command continues");
        assert!(both() == before);
    }

    #[test]
    fn a_file_without_a_manifest_that_was_made_in_another_way_stays_as_it_is() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let [from, out] = ["old.vf", "new"].map(|name| scratch.path().join(name));
        file(&from);
        run(&args(&out, 50, &from)).expect("a writable directory");
        let path = out.join("old.vf.zst");
        fs::remove_file(manifest::path(&path)).expect("removed");
        let rescored = shard::read(&path).expect("a shard");
        let mut one_game = Vec::new();
        viri::encode(&games(&path)[0], &mut one_game).expect("the game fits the format");
        let refused = |nodes: u64, games: &[u8]| {
            let bytes = shard::compress(&path, games).expect("memory");
            fs::write(&path, &bytes).expect("a writable directory");
            let error = run(&args(&out, nodes, &from)).expect_err("another way");
            assert!(error.to_string().contains("in another way"), "{error}");
            assert!(fs::read(&path).expect("the file") == bytes);
            assert!(!manifest::path(&path).exists());
        };
        refused(2000, &rescored);
        refused(50, &shard::read(&from).expect("the old scores"));
        refused(50, &one_game);
        refused(50, &rescored.repeat(2));
    }
}
