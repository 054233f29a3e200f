//! Reads files of games as samples.

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::data::filter::Filter;
use crate::data::shard;
use crate::files::FileError;
use crate::selfplay;
use rejoinder::eval::win_rate::material;
use rejoinder::types::{Color, Rng};

use super::sample::Sample;
use super::win_rate::Outcomes;

/// Size of a ply in a shard in bytes; a sample never takes less.
const PLY: u64 = 4;

/// The choice of samples from the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// The choice of positions.
    pub filter: Filter,
    /// Share of the games that is held out for validation, 0 to 1.
    pub validation: f64,
    /// One position in this many of each training game is chosen, at random.
    pub every: u64,
    /// Seed of that choice.
    pub seed: u64,
}

/// The contents of a file of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Samples to train on.
    pub training: Vec<Sample>,
    pub validation: Vec<Sample>,
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Results of the positions after the opening, by score.
    pub outcomes: Outcomes,
}

/// Returns an upper bound for the number of samples in these files.
///
/// # Errors
/// If a file cannot be read.
pub fn upper_bound(files: &[PathBuf]) -> anyhow::Result<u64> {
    let mut plies = 0;
    for path in files {
        // The size of a compressed file says little about its contents.
        let bytes = if path.extension().is_some_and(|end| end == "zst") {
            shard::read(path)?.len() as u64
        } else {
            let size = fs::metadata(path).map_err(|reason| FileError::read(path, reason))?;
            size.len()
        };
        plies += bytes / PLY;
    }
    Ok(plies)
}

/// Reads the files, as many at a time as there are threads, and passes their contents to `take` in
/// the order of the files.
///
/// # Errors
/// If a file cannot be read, a game is damaged, or `take` fails.
pub fn each(
    files: &[PathBuf],
    selection: Selection,
    threads: usize,
    mut take: impl FnMut(&Path, Loaded) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for wave in files.chunks(threads.max(1)) {
        let loaded: Vec<_> = thread::scope(|scope| {
            let handles: Vec<_> = wave
                .iter()
                .map(|path| scope.spawn(move || load(path, selection)))
                .collect();
            let join = |handle: thread::ScopedJoinHandle<_>| {
                handle.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            handles.into_iter().map(join).collect()
        });
        for (path, loaded) in wave.iter().zip(loaded) {
            take(path, loaded?)?;
        }
    }
    Ok(())
}

/// Reads the files and returns the results of their positions by score.
///
/// # Errors
/// If a file cannot be read, or a game is damaged.
pub fn outcomes(
    files: &[PathBuf],
    selection: Selection,
    threads: usize,
) -> anyhow::Result<Outcomes> {
    let mut outcomes = Outcomes::default();
    each(files, selection, threads, |_, loaded| {
        outcomes.merge(&loaded.outcomes);
        Ok(())
    })?;
    Ok(outcomes)
}

/// Reads a file of games.
///
/// # Errors
/// If the file cannot be read or a game is damaged.
pub fn load(path: &Path, selection: Selection) -> anyhow::Result<Loaded> {
    let bytes = shard::read(path)?;
    let key = name_key(path);
    let mut loaded = Loaded {
        training: Vec::new(),
        validation: Vec::new(),
        games: 0,
        positions: 0,
        outcomes: Outcomes::default(),
    };
    for game in shard::games(path, &bytes) {
        let game = game?;
        let held_out = Rng::stream(key, loaded.games).chance(selection.validation);
        let every = if held_out { 1 } else { selection.every };
        let mut choice = Rng::stream(key ^ !selection.seed, loaded.games);
        loaded.games += 1;
        let samples = if held_out {
            &mut loaded.validation
        } else {
            &mut loaded.training
        };
        let filter = selection.filter;
        let mut board = game.opening;
        for &(mv, score) in &game.moves {
            let side = board.side_to_move();
            let own_score = if side == Color::White { score } else { -score };
            let half_points = game.outcome.half_points(side) as u8;
            let chosen = choice.below(every as usize) == 0;
            if chosen && filter.keeps(&board, mv, score) {
                // The filter's limit is inside 16 bits.
                samples.push(Sample::new(&board, own_score as i16, half_points));
            }
            if selfplay::ply(&board) >= filter.min_ply {
                loaded
                    .outcomes
                    .add(material(&board), own_score, half_points);
            }
            board.make(mv);
        }
        loaded.positions += game.moves.len() as u64;
    }
    Ok(loaded)
}

/// Returns a hash of the file's name, which does not depend on its directory and compression.
fn name_key(path: &Path) -> u64 {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    name.bytes()
        .fold(0, |key, byte| Rng::stream(key, u64::from(byte)).next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::find;
    use crate::data::tally::Tally;
    use crate::data::viri;
    use crate::train::fixtures;
    use rejoinder::board::Board;

    const ALL: Selection = Selection {
        filter: Filter {
            min_ply: 0,
            max_score: 30_000,
        },
        validation: 0.0,
        every: 1,
        seed: 1,
    };

    #[test]
    fn the_filter_decides_and_games_are_held_out_whole() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = fixtures::file(scratch.path(), "some.vf", 60, 1);
        let all = load(&path, ALL).expect("games");
        assert_eq!((all.games, all.validation.len()), (60, 0));
        let later = Selection {
            filter: Filter::default(),
            ..ALL
        };
        let mut tally = Tally::default();
        for game in viri::games(&shard::read(&path).expect("games")) {
            tally.add(&game.expect("a game"));
        }
        let kept = tally.kept;
        let later = load(&path, later).expect("games");
        assert_eq!(later.training.len() as u64, kept);
        assert!(kept > 0 && kept < all.training.len() as u64);

        let held_out = Selection {
            validation: 0.3,
            ..ALL
        };
        let split = load(&path, held_out).expect("games");
        let (training, validation) = (split.training.len(), split.validation.len());
        assert_eq!(training + validation, all.training.len());
        let share = validation as f64 / all.training.len() as f64;
        assert!((0.1..0.5).contains(&share), "{share}");
        // The name decides, not the directory.
        let other = scratch.path().join("other");
        fs::create_dir_all(&other).expect("a writable directory");
        fs::copy(&path, other.join("some.vf")).expect("a writable directory");
        assert_eq!(
            load(&other.join("some.vf"), held_out).expect("games"),
            split
        );
    }

    #[test]
    fn some_positions_of_each_game_are_chosen() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = fixtures::file(scratch.path(), "some.vf", 60, 1);
        let choose = |every, seed| {
            let selection = Selection {
                validation: 0.3,
                every,
                seed,
                ..ALL
            };
            load(&path, selection).expect("games")
        };
        let (all, some) = (choose(1, 1), choose(4, 1));
        assert_eq!(some.validation, all.validation);
        assert_eq!(some.outcomes, all.outcomes);
        let share = some.training.len() as f64 / all.training.len() as f64;
        assert!((0.2..0.3).contains(&share), "{share}");
        assert!(some.training.iter().all(|one| all.training.contains(one)));
        assert_eq!(choose(4, 1), some);
        assert_ne!(choose(4, 2).training, some.training);
    }

    #[test]
    fn scores_and_results_are_the_mover_s() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = fixtures::file(scratch.path(), "some.vf", 40, 2);
        let bytes = shard::read(&path).expect("games");
        let mut samples = load(&path, ALL).expect("games").training.into_iter();
        for game in viri::games(&bytes) {
            let game = game.expect("a game");
            let mut board: Board = game.opening;
            for (mv, score) in game.moves {
                let black = board.side_to_move() == Color::Black;
                if ALL.filter.keeps(&board, mv, score) {
                    let sample = samples.next().expect("a sample");
                    let score = if black { -score } else { score };
                    assert_eq!(i32::from(sample.score), score);
                    let half_points = game.outcome.half_points(board.side_to_move());
                    assert_eq!(usize::from(sample.result), half_points);
                }
                board.make(mv);
            }
        }
        assert!(samples.next().is_none());
    }

    #[test]
    fn files_come_in_order_and_once() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let deep = scratch.path().join("deep/er");
        fs::create_dir_all(&deep).expect("a writable directory");
        let paths = ["b.vf", "a.vf", "c.vf"].map(|name| fixtures::file(&deep, name, 3, 3));
        fs::write(deep.join("note.txt"), "").expect("a writable directory");
        let arguments = [scratch.path().to_path_buf(), paths[0].clone()];
        let files = find::shards(&arguments).expect("files");
        assert_eq!(files, ["a.vf", "b.vf", "c.vf"].map(|name| deep.join(name)));
        let mut seen = Vec::new();
        let mut positions = 0;
        let take = |path: &Path, loaded: Loaded| {
            seen.push(path.to_path_buf());
            positions += loaded.positions;
            Ok(())
        };
        each(&files, ALL, 2, take).expect("games");
        assert_eq!(seen, files);
        assert!(upper_bound(&files).expect("files") > positions);
    }

    #[test]
    fn errors_name_file_and_game() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = fixtures::file(scratch.path(), "some.vf", 5, 4);
        let mut bytes = fs::read(&path).expect("a file");
        bytes.truncate(bytes.len() - 3);
        fs::write(&path, bytes).expect("a writable directory");
        let error = load(&path, ALL).expect_err("damaged").to_string();
        assert!(
            error.contains("some.vf") && error.contains("game 5"),
            "{error}"
        );

        let missing = scratch.path().join("missing.vf");
        let error = load(&missing, ALL).expect_err("missing").to_string();
        assert!(error.contains("missing.vf"), "{error}");
    }
}
