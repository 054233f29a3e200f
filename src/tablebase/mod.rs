//! Syzygy endgame tables: who wins (WDL), and how many plies it takes to the next capture or pawn move (DTZ).
//!
//! The files are mapped into memory and read when they are first asked, by all workers alike. A file that turns out to be
//! damaged is reported once and not asked again. Nothing here survives a file that is made shorter while it is mapped: the
//! system ends the program then (`SIGBUS`), so tables are replaced only while no engine has them open.
// Source: R. de Man, https://www.chessprogramming.org/Syzygy_Bases

mod files;
mod position;
mod root;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use shakmaty::Chess;
use shakmaty_syzygy::{Dtz, MaybeRounded, Metric, ProbeError, SyzygyError, Tablebase};

use crate::board::Board;
use crate::types::{PieceType, Score, score};
use position::{Material, to_shakmaty};

pub use root::{Ranked, Ranks};
pub use shakmaty_syzygy::Wdl;

/// Tables of all folders named by `SyzygyPath`. Looking up takes no lock; a table is opened when it is first asked.
pub struct Tablebases {
    base: Tablebase<Chess>,
    tables: HashMap<Material, Table>,
    files: HashMap<String, PathBuf>,
    largest: u32,
    faults: Mutex<Faults>,
}

/// Which tables there are of one balance of pieces, and have not been found damaged.
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

/// What went wrong while tables were asked.
#[derive(Debug, Default)]
struct Faults {
    all: Vec<String>,
    /// So many of them have been told.
    told: usize,
}

impl Tablebases {
    /// The most pieces of any table, 0 without tables.
    pub fn largest(&self) -> u32 {
        self.largest
    }

    /// How many tables there are: WDL, DTZ.
    pub fn count(&self) -> [usize; 2] {
        let count = |metric| {
            let has = |table: &&Table| table.usable(metric).load(Ordering::Relaxed);
            self.tables.values().filter(has).count()
        };
        [count(Metric::Wdl), count(Metric::Dtz)]
    }

    /// What was found wrong with files since this was last asked, a line each.
    pub fn take_faults(&self) -> Vec<String> {
        let mut faults = self.faults.lock();
        let news = faults.all[faults.told..].to_vec();
        faults.told = faults.all.len();
        news
    }

    /// Who wins, for the side to move, if a capture or a pawn move led here; the halfmove clock is not looked at.
    /// `None` if no table knows: with castling rights there is none.
    pub fn wdl(&self, board: &Board) -> Option<Wdl> {
        if board.occupied() == board.kind(PieceType::King) {
            return Some(Wdl::Draw);
        }
        self.ask(board, Metric::Wdl, Tablebase::probe_wdl_after_zeroing)
    }

    /// Plies to the next capture or pawn move of perfect play, positive for a win of the side to move; 100 more where the
    /// fifty-move rule makes it a draw. 0 is a draw. `None` if no table knows.
    pub fn dtz(&self, board: &Board) -> Option<MaybeRounded<Dtz>> {
        if board.occupied() == board.kind(PieceType::King) {
            return Some(MaybeRounded::Precise(Dtz(0)));
        }
        self.ask(board, Metric::Dtz, Tablebase::probe_dtz)
    }

    /// Asks if there is a table; one that fails is not asked again for these pieces.
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
            // A table that captures lead to is missing.
            Err(_) => None,
        }
    }

    #[cold]
    fn note_fault(&self, name: &str, error: &ProbeError) {
        let path = self.files.get(name).cloned().unwrap_or_default();
        let reason = match error {
            ProbeError::Read { error } => error.to_string(),
            ProbeError::Magic { .. } => "this is no Syzygy table".to_owned(),
            ProbeError::CorruptedTable { .. } => "this table is damaged".to_owned(),
        };
        let fault = format!("{}: {reason}; it is not used", path.display());
        let mut faults = self.faults.lock();
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

/// Which tables a search may ask, and when.
#[derive(Clone, Debug)]
pub struct Probing {
    /// The tables; `None` for none.
    pub tables: Option<Arc<Tablebases>>,
    /// Least remaining depth, plies, at which a position of as many pieces as the largest table has is looked up.
    pub depth: i32,
    /// Positions of more pieces than this are not looked up.
    pub limit: u32,
    /// Whether fifty moves without capture or pawn move are a draw.
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
    /// The most pieces of a position that may be looked up; 0 for none.
    pub fn max_pieces(&self) -> u32 {
        let largest = self.tables.as_ref().map_or(0, |tables| tables.largest());
        largest.min(self.limit)
    }

    /// The result that counts: without the fifty-move rule there is nothing it could spoil.
    pub fn outcome(&self, wdl: Wdl) -> Wdl {
        match wdl {
            Wdl::CursedWin if !self.fifty => Wdl::Win,
            Wdl::BlessedLoss if !self.fifty => Wdl::Loss,
            _ => wdl,
        }
    }
}

/// The score of a result `ply` plies from the root, 0 to [`MAX_PLY`](crate::types::MAX_PLY). What only the fifty-move rule saves or spoils is
/// a draw of the better or the worse kind.
pub const fn score_of(wdl: Wdl, ply: usize) -> Score {
    match wdl {
        Wdl::Win => score::TB_WIN - ply as Score,
        Wdl::CursedWin => score::DRAW + 1,
        Wdl::Draw => score::DRAW,
        Wdl::BlessedLoss => score::DRAW - 1,
        Wdl::Loss => -score::TB_WIN + ply as Score,
    }
}
