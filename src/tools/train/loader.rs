//! From files of games to samples.

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::eval::win_rate::material;
use crate::tools::filter::Filter;
use crate::tools::selfplay;
use crate::tools::{shard, viri};
use crate::types::{Color, Rng};

use super::TrainError;
use super::sample::Sample;
use super::win_rate::Outcomes;

/// Bytes of a ply in a file of games; there are fewer samples than that.
const PLY: u64 = 4;

/// What is taken from the games, and for what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// The positions to take.
    pub filter: Filter,
    /// The share of the games that is kept to validate with, 0 to 1.
    pub validation: f64,
}

/// What a file of games holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Samples to learn from.
    pub training: Vec<Sample>,
    /// Samples to validate with.
    pub validation: Vec<Sample>,
    /// Games read.
    pub games: u64,
    /// Positions in them.
    pub positions: u64,
    /// The results of the positions behind the opening.
    pub outcomes: Outcomes,
}

/// The files of games that the arguments mean, directories searched through: sorted, and each only once.
///
/// # Errors
/// If a path cannot be read, or there is no file.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TrainError> {
    let mut files = Vec::new();
    for path in paths {
        let before = files.len();
        if path.is_dir() {
            search(path, &mut files)?;
        } else {
            files.push(path.clone());
        }
        if files.len() == before {
            return Err(TrainError::NoFiles { path: path.clone() });
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn search(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), TrainError> {
    let failed = |source| TrainError::Read {
        path: dir.to_path_buf(),
        source,
    };
    for entry in fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.to_string_lossy();
        if path.is_dir() {
            search(&path, files)?;
        } else if name.ends_with(".vf") || name.ends_with(".vf.zst") {
            files.push(path);
        }
    }
    Ok(())
}

/// More samples than these files can hold.
///
/// # Errors
/// If a file cannot be read.
pub fn upper_bound(files: &[PathBuf]) -> Result<u64, TrainError> {
    let mut plies = 0;
    for path in files {
        // Only unpacking tells what is inside a compressed file.
        let bytes = if path.extension().is_some_and(|end| end == "zst") {
            shard::read(path)?.len() as u64
        } else {
            let failed = |source| TrainError::Read {
                path: path.clone(),
                source,
            };
            fs::metadata(path).map_err(failed)?.len()
        };
        plies += bytes / PLY;
    }
    Ok(plies)
}

/// Reads the files, as many at a time as there are threads, and hands over what they hold in their order.
///
/// # Errors
/// Names the file, and the game if one is damaged; or what `take` says.
pub fn each(
    files: &[PathBuf],
    selection: Selection,
    threads: usize,
    mut take: impl FnMut(&Path, Loaded) -> Result<(), TrainError>,
) -> Result<(), TrainError> {
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

/// Reads a file of games.
///
/// # Errors
/// Names the file, and the game if one is damaged.
pub fn load(path: &Path, selection: Selection) -> Result<Loaded, TrainError> {
    let bytes = shard::read(path)?;
    let key = name_key(path);
    let mut loaded = Loaded {
        training: Vec::new(),
        validation: Vec::new(),
        games: 0,
        positions: 0,
        outcomes: Outcomes::default(),
    };
    for game in viri::games(&bytes) {
        let game = game.map_err(|source| TrainError::Game {
            path: path.to_path_buf(),
            source,
        })?;
        let held_out = Rng::for_game(key, loaded.games).chance(selection.validation);
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
            if filter.keeps(&board, mv, score) {
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

/// A number for the file's name, the same whether it is compressed or not and wherever it is.
fn name_key(path: &Path) -> u64 {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    name.bytes()
        .fold(0, |key, byte| Rng::for_game(key, u64::from(byte)).next())
}
