//! The output of a run. A journal beside it records the progress, so that a later run can continue.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::links::{behind_links, is_special};
use super::part::{PartFile, cannot_write, length_of, part_of, resolved, with_ending, write_whole};

fn journal_of(target: &Path) -> PathBuf {
    with_ending(target, ".journal")
}

/// Lists the files that a run with these outputs writes, also for a time only.
pub(super) fn files_of(target: Option<&Path>, json: Option<&Path>) -> Vec<PathBuf> {
    // Where links have no end, nothing is written.
    let real = |path: Option<&Path>| path.and_then(|path| behind_links(path).ok());
    let target = real(target);
    let outputs = [target.clone(), real(json)].into_iter().flatten();
    let mut files: Vec<_> = outputs.flat_map(|path| [part_of(&path), path]).collect();
    if let Some(journal) = target.as_deref().map(journal_of) {
        files.extend([part_of(&journal), journal]);
    }
    files
}

/// Returns whether two paths are those of the same file, which need not exist yet.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| -> io::Result<PathBuf> {
        let path = behind_links(path)?;
        fs::canonicalize(&path).or_else(|_| {
            let path = std::path::absolute(&path)?;
            match (path.parent(), path.file_name()) {
                (Some(folder), Some(name)) => Ok(fs::canonicalize(folder)?.join(name)),
                _ => Ok(path),
            }
        })
    };
    whole(a).is_ok_and(|a| whole(b).is_ok_and(|b| a == b))
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// Number of games of the input that are done.
    pub games: u64,
    /// Number of games among them that are not annotated to their end.
    pub faulty: u64,
    /// Sizes of the output and of the JSON file, in bytes.
    pub lengths: [u64; 2],
}

impl Progress {
    fn parse(line: &str) -> Option<Self> {
        let mut numbers = line
            .strip_suffix('\n')?
            .split(' ')
            .map(|word| word.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Self {
            games: next()?,
            faulty: next()?,
            lengths: [next()?, next()?],
        })
    }
}

/// The output of a run: the games, the optional JSON file, and the journal.
#[derive(Debug)]
pub(super) struct Output {
    pgn: PartFile,
    json: Option<PartFile>,
    journal: Option<(File, PathBuf)>,
    progress: Progress,
}

/// The last line of the journal of a run that only has to rename its files.
const DONE: &str = "done";

impl Output {
    /// Opens the files of a run. With `resume`, continues an interrupted run of the same settings.
    ///
    /// # Errors
    /// Fails if a file cannot be written, or if the interrupted run cannot be continued.
    pub fn open(
        target: &Path,
        json: Option<&Path>,
        settings: &str,
        resume: bool,
    ) -> anyhow::Result<Self> {
        let target = &*resolved(target)?;
        let json = json.map(resolved).transpose()?;
        let json = json.as_deref();
        let is_special = is_special(target);
        // Another program may be writing what the journal tells of.
        let mut pgn = PartFile::hold(target)?;
        let journal_path = journal_of(target);
        let mut progress = Progress::default();
        let mut kept = format!("{settings}\n");
        if !is_special && let Ok(file) = File::open(&journal_path) {
            let part = part_of(target).display().to_string();
            let (then, lines) = read_journal(file);
            // This command may name another JSON file than that run, or none.
            let held = sound(&lines, [pgn.length(), u64::MAX]);
            let held = held.last().map_or(0, |progress| progress.games);
            if !resume && held > 0 {
                bail!(
                    "{part} holds {held} games of a run that was interrupted: give --resume to go on with it, or delete it to begin again"
                );
            }
            if resume && pgn.length() > 0 && then != settings {
                bail!(
                    "cannot go on with {part}: that run had other settings\n  then: {then}\n  now:  {settings}\nGive the same ones, or delete it to begin again"
                );
            }
            if resume {
                let there = [pgn.length(), json.map_or(0, length_of_json)];
                let reached = sound(&lines, there);
                progress = reached.last().copied().unwrap_or_default();
                kept.extend(lines[..reached.len()].iter().map(String::as_str));
            }
        }
        let json = json
            .map(|path| PartFile::open(path, progress.lengths[1]))
            .transpose()
            .inspect_err(|_| {
                if pgn.length() == 0 {
                    pgn.discard();
                }
            })?;
        pgn.cut(progress.lengths[0])?;
        let mut journal = None;
        if !is_special {
            write_whole(&journal_path, &kept)?;
            let file = OpenOptions::new()
                .append(true)
                .open(&journal_path)
                .with_context(cannot_write(&journal_path))?;
            journal = Some((file, journal_path));
        }
        Ok(Self {
            pgn,
            json,
            journal,
            progress,
        })
    }

    /// Returns the progress of the run.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Appends a game and its JSON; `is_faulty` says that it is not annotated to its end.
    pub fn add(&mut self, pgn: &str, json: &str, is_faulty: bool) -> anyhow::Result<()> {
        self.pgn.add(pgn.as_bytes())?;
        if let Some(file) = &mut self.json {
            file.add(json.as_bytes())?;
        }
        self.progress.faulty += u64::from(is_faulty);
        self.progress.games += 1;
        self.progress.lengths = [
            self.pgn.length(),
            self.json.as_ref().map_or(0, PartFile::length),
        ];
        let Progress {
            games,
            faulty,
            lengths: [pgn, json],
        } = self.progress;
        self.note(&format!("{games} {faulty} {pgn} {json}"))
    }

    fn note(&mut self, line: &str) -> anyhow::Result<()> {
        let Some((file, path)) = &mut self.journal else {
            return Ok(());
        };
        file.write_all(format!("{line}\n").as_bytes())
            .with_context(cannot_write(path))
    }

    /// Deletes the temporary files of a run without any output.
    pub fn discard(self) {
        for file in [Some(self.pgn), self.json].into_iter().flatten() {
            file.discard();
        }
        if let Some((_, path)) = self.journal {
            // An empty file that stays is no harm.
            let _ = fs::remove_file(path);
        }
    }

    /// Renames the files to their final names and deletes the journal.
    pub fn publish(mut self) -> anyhow::Result<()> {
        self.note(DONE)?;
        // Until the games have their name, they are locked, and with them the run.
        if let Some(json) = self.json {
            json.publish()?;
        }
        self.pgn.publish()?;
        if let Some((file, path)) = self.journal {
            drop(file);
            remove(&path)?;
        }
        Ok(())
    }
}

/// Deletes a journal, unless another program was faster, which found the run complete.
fn remove(journal: &Path) -> anyhow::Result<()> {
    match fs::remove_file(journal) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(cannot_write(journal))
        }
        _ => Ok(()),
    }
}

/// Gives the files of a complete run their names, if one with these settings was interrupted before
/// it did so itself, and returns its progress.
///
/// # Errors
/// Fails if a file cannot be renamed.
pub(super) fn complete(
    target: &Path,
    json: Option<&Path>,
    settings: &str,
) -> anyhow::Result<Option<Progress>> {
    let target = resolved(target)?;
    let json = json.map(resolved).transpose()?;
    let journal = journal_of(&target);
    let Ok(file) = File::open(&journal) else {
        return Ok(None);
    };
    let (then, lines) = read_journal(file);
    let progress = match &*lines {
        [.., last, done] if done == DONE && then == settings => Progress::parse(last),
        _ => None,
    };
    let Some(progress) = progress else {
        return Ok(None);
    };
    let files = [Some(&target), json.as_ref()].into_iter();
    let files = files.zip(progress.lengths);
    let files = files.filter_map(|(target, length)| Some((target?, length)));
    let files: Vec<_> = files.filter(|(target, _)| !is_special(target)).collect();
    let mut parts = Vec::new();
    for (target, length) in files {
        // That run may have renamed some of them.
        let there = if part_of(target).is_file() {
            let part = PartFile::hold(target)?;
            let there = part.length();
            parts.push(part);
            there
        } else if target.is_file() {
            length_of(target)
        } else {
            return Ok(None);
        };
        if there != length {
            return Ok(None);
        }
    }
    // As in `Output::publish`.
    for part in parts.into_iter().rev() {
        part.publish()?;
    }
    remove(&journal)?;
    Ok(Some(progress))
}

/// Returns how much of the JSON is there. A pipe has no length and is believed to have taken all.
fn length_of_json(target: &Path) -> u64 {
    if is_special(target) {
        u64::MAX
    } else {
        length_of(&part_of(target))
    }
}

/// Reads the lines of a journal up to the first that tells of more bytes than are there, in the
/// output and in the JSON file.
fn sound(lines: &[String], there: [u64; 2]) -> Vec<Progress> {
    let progress = lines.iter().map_while(|line| Progress::parse(line));
    progress
        .take_while(|progress| progress.lengths[0] <= there[0] && progress.lengths[1] <= there[1])
        .collect()
}

/// Splits a journal into the settings and the lines after them, with their line ends; the last one
/// may be `DONE`, without a line end.
fn read_journal(file: File) -> (String, Vec<String>) {
    let mut input = BufReader::new(file);
    let mut take = || {
        let mut line = String::new();
        let length = input.read_line(&mut line).unwrap_or(0);
        (length > 0).then_some(line)
    };
    let mut settings = take().unwrap_or_default();
    // They may end in a space.
    if settings.ends_with('\n') {
        settings.pop();
    }
    let lines = std::iter::from_fn(take).map(|line| match line.trim_end() {
        DONE => DONE.to_owned(),
        _ => line,
    });
    (settings, lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: &str = "nodes 3";

    fn scratch() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary directory")
    }

    #[test]
    fn a_run_goes_on_behind_its_last_whole_game() {
        let folder = scratch();
        let (target, json) = (folder.path().join("a.pgn"), folder.path().join("a.json"));
        let open = |resume| Output::open(&target, Some(&json), SETTINGS, resume);
        let mut output = open(false).expect("an output");
        output.add("one\n", "1\n", false).expect("a game");
        output.add("odd\n", "", true).expect("a copied game");
        let reached = output.progress();
        assert_eq!((reached.games, reached.faulty), (2, 1));
        output.add("two\n", "2\n", false).expect("a game");
        drop(output);
        // Killed while it wrote: the second game is torn, and so is the journal's line.
        let part = folder.path().join("a.pgn.part");
        File::options()
            .write(true)
            .open(&part)
            .and_then(|file| file.set_len(10))
            .expect("cut");
        let error = open(false).expect_err("an interrupted run");
        assert!(error.to_string().contains("holds 2 games"), "{error}");
        let error =
            Output::open(&target, Some(&json), "nodes 4", true).expect_err("other settings");
        assert!(
            error.to_string().contains("nodes 3\n  now:  nodes 4"),
            "{error}"
        );

        let mut output = open(true).expect("an output");
        assert_eq!(output.progress(), reached);
        output.add("two\n", "2\n", false).expect("a game");
        assert!(!target.exists());
        output.publish().expect("names");
        let read = |path| fs::read_to_string(path).expect("text");
        assert_eq!(
            (read(&target), read(&json)),
            ("one\nodd\ntwo\n".into(), "1\n2\n".into())
        );
        let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn a_run_that_goes_on_elsewhere_is_left_alone() {
        let folder = scratch();
        let path = |name: &str| folder.path().join(name);
        let (target, json) = (path("a.pgn"), path("a.json"));
        let open = |target, resume| Output::open(target, Some(&json), SETTINGS, resume);
        let mut output = open(&target, false).expect("an output");
        output.add("one\n", "1\n", false).expect("a game");
        // The other program may have the same name for its JSON alone.
        for (target, resume) in [(&target, true), (&target, false), (&path("b.pgn"), false)] {
            let error = open(target, resume).expect_err("busy").to_string();
            assert!(error.starts_with("another program is writing "), "{error}");
        }
        output.add("two\n", "2\n", false).expect("a game");
        output.note(DONE).expect("a journal");
        let error = complete(&target, Some(&json), SETTINGS).expect_err("busy");
        let error = error.to_string();
        assert!(error.starts_with("another program is writing "), "{error}");
        output.publish().expect("names");
        let read = |path| fs::read_to_string(path).expect("text");
        assert_eq!(
            (read(&target), read(&json)),
            ("one\ntwo\n".into(), "1\n2\n".into())
        );
        let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn another_json_file_does_not_hide_an_interrupted_run() {
        let folder = scratch();
        let path = |name: &str| folder.path().join(name);
        let (target, json) = (path("a.pgn"), path("a.json"));
        let mut output = Output::open(&target, Some(&json), SETTINGS, false).expect("an output");
        output.add("one\n", "1\n", false).expect("a game");
        output.add("two\n", "2\n", false).expect("a game");
        drop(output);
        for json in [None, Some(path("b.json")), Some(json)] {
            let error = Output::open(&target, json.as_deref(), "nodes 4", false)
                .expect_err("an interrupted run");
            let error = error.to_string();
            assert!(error.contains("a.pgn.part holds 2 games"), "{error}");
        }
        let read = |name| fs::read_to_string(path(name)).expect("text");
        assert_eq!(
            (read("a.pgn.part"), read("a.json.part")),
            ("one\ntwo\n".into(), "1\n2\n".into())
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_run_whose_json_goes_to_a_device_goes_on() {
        let folder = scratch();
        let target = folder.path().join("a.pgn");
        let open = |resume| Output::open(&target, Some(Path::new("/dev/null")), SETTINGS, resume);
        let mut output = open(false).expect("an output");
        output.add("one\n", "1\n", false).expect("a game");
        drop(output);
        assert_eq!(open(true).expect("an output").progress().games, 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through() {
        use std::os::unix::fs::symlink;

        let folder = scratch();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("real")).expect("a folder");
        fs::write(path("real/a.pgn"), "old\n").expect("a file");
        for name in ["a.pgn", "a.json"] {
            symlink(Path::new("real").join(name), path(name)).expect("a link");
        }
        let open = |target: &str, resume| {
            Output::open(&path(target), Some(&path("a.json")), SETTINGS, resume)
        };
        let mut output = open("a.pgn", false).expect("an output");
        output.add("one\n", "1\n", false).expect("a game");
        drop(output);
        // Both names are those of the same run.
        let mut output = open("real/a.pgn", true).expect("an output");
        output.add("two\n", "2\n", false).expect("a game");
        output.publish().expect("names");
        let read = |name: &str| fs::read_to_string(path(name)).expect("text");
        assert_eq!(
            (read("real/a.pgn"), read("real/a.json")),
            ("one\ntwo\n".into(), "1\n2\n".into())
        );
        assert!(path("a.pgn").is_symlink() && path("a.json").is_symlink());
        assert!(is_same(&path("a.pgn"), &path("real/a.pgn")));
        let files = files_of(Some(&path("a.pgn")), None);
        assert!(files.contains(&path("real/a.pgn.part")), "{files:?}");
        let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 3, "{left:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_special_file_stays() {
        let folder = scratch();
        let target = folder.path().join("a.pgn");
        std::os::unix::fs::symlink("/dev/null", &target).expect("a link");
        let mut output = Output::open(&target, None, SETTINGS, false).expect("an output");
        output.add("one\n", "", false).expect("a game");
        output.publish().expect("no other name");
        assert_eq!(
            fs::read_link(&target).expect("a link"),
            Path::new("/dev/null")
        );
        let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    /// As in `annotate -o /dev/stdout >> a.pgn`.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_an_open_file_holds_is_kept() {
        use std::os::fd::AsRawFd;

        let folder = scratch();
        let path = folder.path().join("a.pgn");
        fs::write(&path, "old\n").expect("a file");
        let file = File::options().append(true).open(&path).expect("a file");
        let link = folder.path().join("link");
        let open = format!("/proc/self/fd/{}", file.as_raw_fd());
        std::os::unix::fs::symlink(open, &link).expect("a link");
        let mut output = Output::open(&link, None, SETTINGS, false).expect("an output");
        output.add("one\n", "", false).expect("a game");
        output.publish().expect("no other name");
        assert_eq!(fs::read_to_string(&path).expect("text"), "old\none\n");
        assert!(link.is_symlink());
    }

    #[test]
    fn settings_may_end_in_a_space() {
        let folder = scratch();
        let target = folder.path().join("a.pgn");
        let open = |resume| Output::open(&target, None, "nodes 3, JSON ", resume);
        let mut output = open(false).expect("an output");
        output.add("one\n", "", false).expect("a game");
        drop(output);
        assert_eq!(open(true).expect("an output").progress().games, 1);
    }

    #[test]
    fn a_run_that_is_done_gets_its_names() {
        // It may have been interrupted before the first name or the second, or behind both.
        for named in 0..=2 {
            let folder = scratch();
            let path = |name: &str| folder.path().join(name);
            let (target, json) = (path("a.pgn"), path("a.json"));
            for (number, (name, text)) in [("a.pgn", "one\n"), ("a.json", "1\n")]
                .into_iter()
                .enumerate()
            {
                let end = if number < named { "" } else { ".part" };
                fs::write(path(&format!("{name}{end}")), text).expect("a file");
            }
            let journal = "nodes 3\n1 1 4 2\ndone\n";
            fs::write(path("a.pgn.journal"), journal).expect("a file");
            let done = |settings| complete(&target, Some(&json), settings).expect("names");
            assert_eq!(done("nodes 4"), None);
            let progress = done(SETTINGS).expect("a complete run");
            assert_eq!((progress.games, progress.faulty), (1, 1));
            let read = |path| fs::read_to_string(path).expect("text");
            assert_eq!((read(&target), read(&json)), ("one\n".into(), "1\n".into()));
            let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
            assert_eq!(left.len(), 2, "{left:?}");
            assert_eq!(done(SETTINGS), None);
        }
    }

    #[test]
    fn a_run_that_is_done_is_not_believed_without_its_files() {
        let folder = scratch();
        let path = |name: &str| folder.path().join(name);
        let target = path("a.pgn");
        fs::write(path("a.pgn.journal"), "nodes 3\n1 0 4 0\ndone\n").expect("a file");
        let done = || complete(&target, None, SETTINGS).expect("no error");
        assert_eq!(done(), None);
        // A file of an earlier run.
        fs::write(&target, "older\n").expect("a file");
        assert_eq!(done(), None);
        fs::write(path("a.pgn.part"), "on").expect("a file");
        assert_eq!(done(), None);
        let output = Output::open(&target, None, SETTINGS, true).expect("an output");
        assert_eq!(output.progress(), Progress::default());
        assert_eq!(fs::read_to_string(&target).expect("text"), "older\n");
    }

    #[test]
    fn a_run_that_is_done_is_not_begun_anew_unasked() {
        let folder = scratch();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.pgn.part"), "one\n").expect("a file");
        fs::write(path("a.pgn.journal"), "nodes 3\n1 0 4 0\ndone\n").expect("a file");
        let target = path("a.pgn");
        let error = Output::open(&target, None, SETTINGS, false).expect_err("an interrupted run");
        assert!(error.to_string().contains("give --resume"), "{error}");
        let error = Output::open(&target, None, "nodes 4", true).expect_err("other settings");
        assert!(error.to_string().contains("other settings"), "{error}");
    }

    #[test]
    fn a_journal_may_be_torn() {
        let folder = scratch();
        let target = folder.path().join("a.pgn");
        fs::write(folder.path().join("a.pgn.part"), "one\ntwo\n").expect("a file");
        fs::write(
            folder.path().join("a.pgn.journal"),
            "nodes 3\n1 0 4 0\n2 0 8",
        )
        .expect("a file");
        let output = Output::open(&target, None, SETTINGS, true).expect("an output");
        assert_eq!(
            (
                output.progress().games,
                length_of(&folder.path().join("a.pgn.part"))
            ),
            (1, 4)
        );
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = scratch();
        for path in [
            folder.path().join("none/a.pgn"),
            folder.path().to_path_buf(),
        ] {
            let error = Output::open(&path, None, SETTINGS, false).and_then(Output::publish);
            let text = format!("{:#}", error.expect_err("no file"));
            assert!(
                text.starts_with("cannot write ") && text.contains(&*path.to_string_lossy()),
                "{text}"
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_named() {
        let path = Path::new("/dev/full");
        let mut output = Output::open(path, None, SETTINGS, false).expect("an output");
        let error = output.add("one", "", false).expect_err("a full disk");
        let error = format!("{error:#}");
        assert!(error.contains("/dev/full: No space left"), "{error}");
    }
}
