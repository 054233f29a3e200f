//! Syzygy endgame tablebases: the result of a position (WDL), and the number of plies to the next
//! capture or pawn move (DTZ).
//!
//! The files are mapped into memory and read when they are first probed, by all workers alike. A
//! file that turns out to be damaged is reported once and not probed again. If a file is truncated
//! while it is mapped, the system ends the program (`SIGBUS`), so replace tables only while no
//! engine has them open.
// Source: R. de Man, https://www.chessprogramming.org/Syzygy_Bases

mod edge;
mod files;
mod line;
mod position;
mod root;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::locks::{Mutex, lock};
use shakmaty::Chess;
use shakmaty_syzygy::{Dtz, MaybeRounded, Metric, ProbeError, SyzygyError, Tablebase};

use crate::board::{self, Board};
use crate::types::{PieceType, Score, score};
use position::{Material, to_shakmaty};

pub use root::{Ranked, Ranks};
pub use shakmaty_syzygy::Wdl;

/// The halfmove clock at which the fifty-move rule ends the game, in plies.
const FIFTY_MOVES: i32 = board::FIFTY_MOVES as i32;

/// The tables of all folders of a `SyzygyPath`. Probing takes no lock, and a table is opened when
/// it is first probed.
pub struct Tablebases {
    base: Tablebase<Chess>,
    tables: HashMap<Material, Table>,
    files: HashMap<String, PathBuf>,
    largest: u32,
    faults: Mutex<Faults>,
}

/// The tables of one set of pieces that exist and were not found damaged.
#[derive(Debug, Default)]
struct Table {
    wdl: AtomicBool,
    dtz: AtomicBool,
}

impl Table {
    fn usable(&self, metric: Metric) -> &AtomicBool {
        match metric {
            Metric::Wdl => &self.wdl,
            Metric::Dtz => &self.dtz,
        }
    }
}

/// The faults found while tables were probed.
#[derive(Debug, Default)]
struct Faults {
    all: Vec<String>,
    /// The number of faults that have been reported.
    reported: usize,
}

impl Tablebases {
    /// Returns the number of pieces of the largest table, 0 without tables.
    pub fn largest(&self) -> u32 {
        self.largest
    }

    /// Returns the number of WDL tables and of DTZ tables.
    pub fn count(&self) -> [usize; 2] {
        let count = |metric| {
            let has = |table: &&Table| table.usable(metric).load(Ordering::Relaxed);
            self.tables.values().filter(has).count()
        };
        [count(Metric::Wdl), count(Metric::Dtz)]
    }

    /// Takes the faults found since the last call, one line each.
    pub fn take_faults(&self) -> Vec<String> {
        let mut faults = lock(&self.faults);
        let news = faults.all[faults.reported..].to_vec();
        faults.reported = faults.all.len();
        news
    }

    /// Returns the result for the side to move, assuming a halfmove clock of 0. `None` if no table
    /// has the position, which includes all positions with castling rights.
    pub fn wdl(&self, board: &Board) -> Option<Wdl> {
        if board.occupied() == board.kind(PieceType::King) {
            return Some(Wdl::Draw);
        }
        self.ask(board, Metric::Wdl, Tablebase::probe_wdl_after_zeroing)
    }

    /// Returns the number of plies to the next capture or pawn move of perfect play, positive if
    /// the side to move wins and negative if it loses, and 0 for a draw. The size is 100 larger if
    /// the fifty-move rule turns the result into a draw. `None` if no table has the position.
    pub fn dtz(&self, board: &Board) -> Option<MaybeRounded<Dtz>> {
        if board.occupied() == board.kind(PieceType::King) {
            return Some(MaybeRounded::Precise(Dtz(0)));
        }
        self.ask(board, Metric::Dtz, Tablebase::probe_dtz)
    }

    /// Probes if there is a table. A table that fails is not probed again for these pieces.
    fn ask<T>(
        &self,
        board: &Board,
        metric: Metric,
        probe: impl Fn(&Tablebase<Chess>, &Chess) -> Result<T, SyzygyError>,
    ) -> Option<T> {
        if !board.castling().is_empty() {
            return None;
        }
        let usable = self.tables.get(&Material::of(board))?.usable(metric);
        if !usable.load(Ordering::Relaxed) {
            return None;
        }
        match probe(&self.base, &to_shakmaty(board)?) {
            Ok(value) => Some(value),
            Err(SyzygyError::ProbeFailed {
                metric,
                material,
                error,
            }) => {
                usable.store(false, Ordering::Relaxed);
                self.note_fault(&files::name(&material.to_string(), metric), &error);
                None
            }
            // A table for the positions after captures is missing.
            Err(_) => None,
        }
    }

    #[cold]
    fn note_fault(&self, name: &str, error: &ProbeError) {
        let path = self.files.get(name).cloned().unwrap_or_default();
        let reason = match error {
            ProbeError::Read { error } => error.to_string(),
            ProbeError::Magic { .. } => "the file is not a Syzygy table".to_owned(),
            ProbeError::CorruptedTable { .. } => "the table is damaged".to_owned(),
        };
        let fault = format!("{}: {reason}; it is not used", path.display());
        let mut faults = lock(&self.faults);
        if !faults.all.contains(&fault) {
            faults.all.push(fault);
        }
    }
}

impl std::fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tablebases")
            .field("largest", &self.largest)
            .field("faults", &self.faults)
            .finish_non_exhaustive()
    }
}

/// The tables that a search may probe, and under which conditions.
#[derive(Clone, Debug)]
pub struct Probing {
    /// The tables, if there are any.
    pub tables: Option<Arc<Tablebases>>,
    /// The minimum remaining depth, in plies, for probing positions with as many pieces as the
    /// largest table.
    pub depth: i32,
    /// The maximum number of pieces of a position that is probed.
    pub limit: u32,
    /// True if the fifty-move rule counts.
    pub fifty: bool,
}

impl Default for Probing {
    fn default() -> Self {
        Self {
            tables: None,
            depth: 1,
            limit: 7,
            fifty: true,
        }
    }
}

impl Probing {
    /// Returns the maximum number of pieces of a position that can be probed; 0 if no position can.
    pub(crate) fn max_pieces(&self) -> u32 {
        let largest = self.tables.as_ref().map_or(0, |tables| tables.largest());
        largest.min(self.limit)
    }

    /// Returns the result that counts: without the fifty-move rule, cursed wins are wins and
    /// blessed losses are losses.
    pub fn outcome(&self, wdl: Wdl) -> Wdl {
        match wdl {
            Wdl::CursedWin if !self.fifty => Wdl::Win,
            Wdl::BlessedLoss if !self.fifty => Wdl::Loss,
            _ => wdl,
        }
    }
}

/// Returns the score of a result at a node `ply` plies from the root, 0 to
/// [`MAX_PLY`](crate::types::MAX_PLY). A result that the fifty-move rule turns into a draw scores
/// slightly better or worse than a draw.
pub(crate) const fn score_of(wdl: Wdl, ply: usize) -> Score {
    match wdl {
        Wdl::Win => score::TB_WIN - ply as Score,
        Wdl::CursedWin => score::DRAW + 1,
        Wdl::Draw => score::DRAW,
        Wdl::BlessedLoss => score::DRAW - 1,
        Wdl::Loss => -score::TB_WIN + ply as Score,
    }
}
