//! `setoption`: what each option changes.

use std::path::Path;
use std::sync::Arc;

use super::Session;
use crate::eval::network;
use crate::native_text::to_path;
use crate::search::Setup;
use crate::smp::Engine;
use crate::tablebase::{Probing, Tablebases};
use crate::tt::HashFileError;
use crate::uci::command::quote;
use crate::uci::options::Change;

impl Session {
    /// Applies an option, or says why not.
    pub(super) fn change(&mut self, change: Change) {
        if let Err(error) = self.try_change(change) {
            self.note(&error);
        }
    }

    fn try_change(&mut self, change: Change) -> Result<(), String> {
        match change {
            Change::Hash(megabytes) => {
                self.answer();
                self.engine
                    .resize(megabytes)
                    .map_err(|error| error.to_string())?;
                if let Some(remark) = self.engine.hash_page_remark() {
                    self.note(&format!("Hash: {remark}"));
                }
            }
            Change::Threads(workers) => {
                self.answer();
                let result = self.engine.set_threads(workers);
                if !self.engine.placement().is_empty() {
                    self.tell_placement();
                }
                result.map_err(|error| error.to_string())?;
            }
            Change::NumaPolicy(policy) => {
                self.answer();
                self.engine.set_numa_binding(policy);
                self.tell_placement();
            }
            Change::ClearHash => {
                self.answer();
                self.engine.clear_hash();
            }
            Change::Ponder(on) => self.settings.ponder = on,
            Change::MultiPv(lines) => self.settings.multi_pv = lines,
            Change::MoveOverhead(overhead) => self.settings.overhead = overhead,
            Change::Chess960(on) => self.settings.chess960 = on,
            Change::ShowWdl(on) => self.settings.wdl = on,
            Change::Minimal(on) => self.settings.minimal = on,
            Change::SkillLevel(level) => self.settings.skill = level,
            Change::LimitStrength(on) => self.settings.limit_strength = on,
            Change::Elo(elo) => self.settings.elo = elo,
            Change::DebugLogFile(path) => {
                self.log
                    .open(&path)
                    .map_err(|error| format!("{}: {error}", quote(&path)))?;
            }
            Change::HashFile(path) => self.settings.hash_file = path,
            Change::SaveHash => {
                self.answer();
                self.with_hash_file(Engine::save_hash)?;
                let (size, path) = (self.engine.hash_megabytes(), &self.settings.hash_file);
                self.note(&format!("hash of {size} MB saved to {}", quote(path)));
            }
            Change::LoadHash => {
                self.answer();
                let before = self.engine.hash_megabytes();
                self.with_hash_file(Engine::load_hash)?;
                let (size, path) = (self.engine.hash_megabytes(), &self.settings.hash_file);
                let resized = if size == before {
                    String::new()
                } else {
                    format!("; its size was {before} MB before")
                };
                self.note(&format!(
                    "hash of {size} MB loaded from {}{resized}",
                    quote(path)
                ));
            }
            Change::EvalFile(path) => {
                let network = if path.is_empty() {
                    network::embedded()
                } else {
                    network::load(&to_path(&path)).map_err(|error| error.to_string())?
                };
                self.answer();
                let setup = Setup {
                    network,
                    ..self.engine.setup().clone()
                };
                self.engine
                    .set_up(setup)
                    .map_err(|error| error.to_string())?;
            }
            Change::SyzygyPath(folders) => self.open_tables(&folders),
            Change::SyzygyProbeDepth(depth) => self.probe(|probing| probing.depth = depth),
            Change::SyzygyProbeLimit(limit) => self.probe(|probing| probing.limit = limit),
            Change::Syzygy50MoveRule(on) => self.probe(|probing| probing.fifty = on),
            #[cfg(feature = "tune")]
            Change::Parameter(name, value) => {
                self.answer();
                let mut setup = self.engine.setup().clone();
                setup.params.set(name, value)?;
                self.engine
                    .set_up(setup)
                    .map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    /// Says which nodes the threads are bound to.
    fn tell_placement(&self) {
        self.note(&format!("NUMA: {}", self.engine.placement()));
        if let Some(error) = self.engine.numa_refusal() {
            self.note(&format!("NUMA: a thread could not be bound: {error}"));
        }
        if let Some(error) = self.engine.hash_refusal() {
            self.note(&format!(
                "NUMA: the hash could not follow the threads: {error}; set Hash again to place it"
            ));
        }
    }

    /// Saves or loads the hash.
    fn with_hash_file(
        &mut self,
        action: fn(&mut Engine, &Path) -> Result<(), HashFileError>,
    ) -> Result<(), String> {
        let path = &self.settings.hash_file;
        if path.is_empty() {
            return Err("HashFile must be set first".to_owned());
        }
        action(&mut self.engine, &to_path(path))
            .map_err(|error| format!("HashFile {} {error}", quote(path)))
    }

    /// Opens the tablebases of `SyzygyPath` and reports what was found.
    fn open_tables(&mut self, folders: &str) {
        self.answer();
        let (tables, faults) = Tablebases::open(folders);
        for fault in &faults {
            self.note(&format!("SyzygyPath: {fault}"));
        }
        let [wdl, dtz] = tables.count();
        let largest = tables.largest();
        if !folders.is_empty() {
            self.note(&format!(
                "{wdl} WDL and {dtz} DTZ tables of up to {largest} pieces"
            ));
        }
        let tables = (largest > 0).then(|| Arc::new(tables));
        self.probe(|probing| probing.tables = tables);
    }

    /// Changes an option of probing, as if `stop` came first.
    fn probe(&mut self, change: impl FnOnce(&mut Probing)) {
        self.answer();
        let mut probing = self.engine.probing().clone();
        change(&mut probing);
        self.engine.set_probing(probing);
    }
}
