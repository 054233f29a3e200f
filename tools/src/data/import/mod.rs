//! `data import`: turns games of PGN, as OpenBench, fastchess and cutechess leave them, into files of
//! games for training.

mod container;
mod output;
mod record;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use rejoinder::build_info;
use rejoinder::eval::network::{self, Network};
use rejoinder::eval::win_rate::WinRate;
use rejoinder::search::Setup;
use rejoinder_study::parallel;
use rejoinder_study::pgn::{GameText, Source, games};

use crate::data::viri::{self, ViriError};
use crate::files::{self, FileError};
use crate::print::print;
use crate::progress::Progress;
use crate::selfplay::GameRecord;

use super::origin::Import;
use container::Visitor;
use output::{Output, Stored};
use record::{Reason, Refused};

/// Most games that are in memory at a time.
const BATCH: usize = 1024;
/// Bytes of text in memory beyond which no further game is read before those are stored.
const BATCH_BYTES: u64 = 8 << 20;
/// Number of reports of damage that are shown.
const SHOWN: u64 = 50;

/// Turns games of other programs into files of games for training: PGN with a score behind each move,
/// as OpenBench, fastchess and cutechess write it.
///
/// Files may be compressed (gzip, bzip2, Zstandard) or archives (tar) of such files. A move without a
/// score gets no label. A game is left out if it has no result, no score, or was lost on time or by
/// another fault (tag `Termination`). A damaged game is reported with its line and left out as a
/// whole; if a file cannot be read to its end, the games before that are stored. Files in DIR are
/// named after those that they come from, and the same command continues after an interruption.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory for the files of games; it is created if necessary
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Network that played, whose win-rate model turns scores back into internal centipawns: a file,
    /// or `zero` for the untrained network [default: the embedded network]
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network: Option<Arc<Network>>,
    /// Number of threads that read games [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Files of games
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// Imports the files and prints a summary.
///
/// # Errors
/// If a file cannot be opened, the games cannot be stored, or some are damaged. What was stored
/// before the error stays.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let progress = Progress::new(0, "kB");
    let summary = import(args, &progress, |line| progress.say(line))?;
    progress.finish();
    print(&summary)?;
    if summary.damage > 0 {
        bail!(
            "{} games or files are damaged and were left out",
            summary.damage
        );
    }
    Ok(())
}

/// The games of an import.
#[derive(Clone, Debug, Default)]
struct Summary {
    stored: Stored,
    /// Number of games without anything to learn from.
    left_out: BTreeMap<Reason, u64>,
    /// Number of damaged games and files.
    damage: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stored { new, known, twice } = self.stored;
        writeln!(
            f,
            "imported   {} games, {} positions, of which {} to train on",
            new.games(),
            new.positions,
            new.kept
        )?;
        let left_out = self
            .left_out
            .iter()
            .map(|(reason, count)| (*count, reason.to_string()));
        let others = [
            (known, "stored already".to_owned()),
            (twice, "equal to another one".to_owned()),
        ];
        for (count, why) in others
            .into_iter()
            .chain(left_out)
            .filter(|(count, _)| *count > 0)
        {
            writeln!(f, "           {count} {why}")?;
        }
        Ok(())
    }
}

/// Imports the files; `say` is given each report.
fn import(args: &Args, progress: &Progress, mut say: impl FnMut(&str)) -> anyhow::Result<Summary> {
    let tasks = tasks(&args.files)?;
    files::create_dir(&args.out)?;
    let network = Setup::with_network(args.network.clone()).network;
    progress.set_length(tasks.iter().map(|(_, import)| import.bytes / 1000).sum());
    let position = Cell::new(0);
    let mut importer = Importer {
        model: network.win_rate(),
        threads: args.threads.map_or_else(num_cpus::get, |n| n as usize),
        position: &position,
        progress,
        say: &mut say,
        output: None,
        summary: Summary::default(),
    };
    for (path, import) in tasks {
        let name = import.from.clone();
        let network = network.name();
        let output = Output::new(&args.out, Import { network, ..import });
        let file = File::open(&path).map_err(|reason| FileError::read(&path, reason))?;
        let counted = Counted {
            file,
            position: &position,
        };
        importer.file(&name, Box::new(counted), output)?;
    }
    Ok(importer.summary)
}

/// Pairs each file with its description, in which the network is missing.
fn tasks(files: &[PathBuf]) -> anyhow::Result<Vec<(PathBuf, Import)>> {
    let mut seen: HashMap<String, &Path> = HashMap::new();
    let mut tasks = Vec::new();
    for path in files {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if let Some(other) = seen.insert(output::stem(&name).to_owned(), path) {
            bail!(
                "{} and {} would get the same name",
                other.display(),
                path.display()
            );
        }
        let about = path
            .metadata()
            .map_err(|reason| FileError::read(path, reason))?;
        if about.is_dir() {
            bail!("{} is a directory: name its files", path.display());
        }
        let import = Import {
            from: name,
            bytes: about.len(),
            engine: build_info::ENGINE.to_owned(),
            network: String::new(),
        };
        tasks.push((path.clone(), import));
    }
    Ok(tasks)
}

/// A file whose bytes are counted.
struct Counted<'a> {
    file: File,
    position: &'a Cell<u64>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.position.set(self.position.get() + count as u64);
        Ok(count)
    }
}

/// A game as it is stored, with the names of its players.
type Entry = (GameRecord, [String; 2]);

/// Reads texts and stores their games.
struct Importer<'a> {
    model: WinRate,
    threads: usize,
    /// Number of bytes read from all files.
    position: &'a Cell<u64>,
    progress: &'a Progress,
    say: &'a mut dyn FnMut(&str),
    /// The files for the games of the current input.
    output: Option<Output>,
    summary: Summary,
}

impl Importer<'_> {
    /// Imports one file.
    fn file(
        &mut self,
        name: &str,
        input: Box<dyn Read + '_>,
        output: Output,
    ) -> anyhow::Result<()> {
        self.output = Some(output);
        container::walk(name, input, self)?;
        if let Some(mut output) = self.output.take() {
            output.finish()?;
            let Stored { new, known, twice } = output.stored;
            self.summary.stored.new += new;
            self.summary.stored.known += known;
            self.summary.stored.twice += twice;
        }
        Ok(())
    }

    fn report(&mut self, name: &str, damage: &str) {
        self.summary.damage += 1;
        match self.summary.damage.cmp(&SHOWN) {
            std::cmp::Ordering::Less => (self.say)(&format!("{name}: {damage}")),
            std::cmp::Ordering::Equal => {
                (self.say)(&format!("{name}: {damage}; further damage is only counted"));
            }
            std::cmp::Ordering::Greater => {}
        }
    }

    /// Reads a batch of games on all threads and stores them in their order.
    fn store(&mut self, name: &str, batch: &[GameText]) -> anyhow::Result<()> {
        let model = self.model;
        let entries = parallel::map_with(&mut vec![(); self.threads], batch, |(), text| {
            entry(text, model)
        });
        for entry in entries {
            match entry {
                Ok((game, players)) => {
                    if let Some(output) = &mut self.output {
                        output.add(&game, &players)?;
                    }
                }
                Err(Refused::LeftOut(reason)) => {
                    *self.summary.left_out.entry(reason).or_default() += 1;
                }
                Err(Refused::Damaged(damage)) => self.report(name, &damage),
            }
        }
        self.progress.update(self.position.get() / 1000, name);
        Ok(())
    }
}

impl Visitor for Importer<'_> {
    fn text(&mut self, name: &str, text: Box<dyn Read + '_>) -> anyhow::Result<()> {
        let mut source = Source::new(BufReader::new(text));
        let mut is_empty = true;
        loop {
            let (mut batch, mut size) = (Vec::new(), 0);
            let end = loop {
                if batch.len() == BATCH || size >= BATCH_BYTES {
                    break None;
                }
                match source.next_game() {
                    Ok(Some(text)) => {
                        size += text.size();
                        batch.push(text);
                    }
                    Ok(None) => break Some(Ok(())),
                    Err(reason) => break Some(Err(reason)),
                }
            };
            is_empty &= batch.is_empty();
            self.store(name, &batch)?;
            match end {
                None => {}
                Some(Ok(())) => break,
                Some(Err(reason)) => {
                    self.damaged(name, &reason);
                    return Ok(());
                }
            }
        }
        if is_empty {
            (self.say)(&format!("{name}: there is no game in it"));
        }
        Ok(())
    }

    fn damaged(&mut self, name: &str, reason: &io::Error) {
        self.report(name, &format!("the rest cannot be read: {reason}"));
    }
}

/// Reads a game.
fn entry(text: &GameText, model: WinRate) -> Result<Entry, Refused> {
    let game = games::read(text).map_err(Refused::Damaged)?;
    let at = |reason| match reason {
        Refused::Damaged(damage) => Refused::Damaged(format!("line {}: {damage}", text.line)),
        Refused::LeftOut(why) => Refused::LeftOut(why),
    };
    let record = record::of(&game, model).map_err(at)?;
    let fits = |error: ViriError| at(Refused::Damaged(error.to_string()));
    viri::encode(&record, &mut Vec::new()).map_err(fits)?;
    let player = |name| game.tag(name).unwrap_or("?").to_owned();
    Ok((record, [player("White"), player("Black")]))
}
