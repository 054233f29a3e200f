//! Files that are either complete or absent: they are written under another name, ending in
//! `.part`, and renamed at the end. One program at a time writes such a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf, is_separator};

use anyhow::{Context, bail};

pub(super) fn cannot_write(path: &Path) -> impl FnOnce() -> String {
    move || format!("cannot write {}", path.display())
}

/// A file written under a temporary name, and locked. A special file such as `/dev/null` is written
/// directly, and behind what it holds. A link is written through.
#[derive(Debug)]
pub(super) struct PartFile {
    target: PathBuf,
    part: PathBuf,
    file: File,
}

impl PartFile {
    /// Opens the file with what an interrupted run has left in it, if there is any.
    ///
    /// # Errors
    /// Fails if it cannot be written, or if another program is writing it.
    pub fn open(target: &Path) -> anyhow::Result<Self> {
        Self::locked(target, File::try_lock)
    }

    /// Opens the file empty. If another program is writing it, waits until that is done.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn wait_for(target: &Path) -> anyhow::Result<Self> {
        let mut file = Self::locked(target, |file| file.lock().map_err(TryLockError::Error))?;
        file.cut(0)?;
        Ok(file)
    }

    /// Opens the file, creates it if necessary, and locks it until it is closed, by whatever end of
    /// the program.
    fn locked(
        target: &Path,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> anyhow::Result<Self> {
        let target = resolved(target)?;
        let part = part_of(&target);
        let mut options = OpenOptions::new();
        if part == target {
            options.append(true);
        } else {
            options.write(true).create(true).truncate(false);
        }
        loop {
            let file = options.open(&part).with_context(cannot_write(&part))?;
            // Some file systems know no locks.
            let lock = if part == target { Ok(()) } else { lock(&file) };
            if let Err(TryLockError::WouldBlock) = lock {
                bail!(
                    "another program is writing {}: wait until it is done, or give another name",
                    part.display()
                );
            }
            // A file that was renamed before the lock was there is no longer the one to write.
            if part == target || is_at(&file, &part) {
                return Ok(Self { target, part, file });
            }
        }
    }

    /// Returns the temporary name; `None` for a special file, which has no other one.
    pub fn part(&self) -> Option<&Path> {
        (self.part != self.target).then_some(&*self.part)
    }

    /// Returns the final name.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns whether it holds anything that could be lost.
    pub fn is_begun(&self) -> bool {
        self.part().is_some() && self.file.metadata().is_ok_and(|data| data.len() > 0)
    }

    /// Truncates the file to `length` bytes.
    pub fn cut(&mut self, length: u64) -> anyhow::Result<()> {
        if self.part().is_some() {
            let cut = self.file.set_len(length);
            let cut = cut.and_then(|()| self.file.seek(SeekFrom::Start(length)));
            cut.with_context(cannot_write(&self.part))?;
        }
        Ok(())
    }

    /// Appends a text, and returns when it is on the disk.
    pub fn add(&mut self, text: &str) -> anyhow::Result<()> {
        let written = self.file.write_all(text.as_bytes());
        let written = written.and_then(|()| match self.file.sync_data() {
            // There is no disk behind a special file.
            Err(error) if self.part().is_some() => Err(error),
            _ => Ok(()),
        });
        written.with_context(cannot_write(&self.part))
    }

    /// Renames the file to its final name.
    pub fn publish(mut self) -> anyhow::Result<()> {
        if self.part != self.target {
            fs::rename(&self.part, &self.target).with_context(cannot_write(&self.target))?;
            self.part.clone_from(&self.target);
        }
        // It stays locked until it has its name.
        Ok(())
    }
}

impl Drop for PartFile {
    /// Deletes a file in which nothing was written.
    fn drop(&mut self) {
        if self.part().is_some() && !self.is_begun() {
            // An empty file that stays is no harm.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Returns whether this is the name of an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let identity = |data: fs::Metadata| (data.dev(), data.ino());
    let there = fs::metadata(path).map(identity);
    there.is_ok_and(|there| {
        file.metadata()
            .map(identity)
            .is_ok_and(|here| here == there)
    })
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Returns whether this is neither a file nor a folder but, for example, a device. A file that the
/// program got open, such as `/dev/stdout` in a shell's redirection, is special, too.
fn is_special(path: &Path) -> bool {
    let is_open = |folder: PathBuf| folder == Path::new("/dev") || folder.starts_with("/proc");
    let folder = path.parent().map(fs::canonicalize);
    fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
        || folder.is_some_and(|folder| folder.is_ok_and(is_open))
}

/// Returns the path of the file that is written to under this name.
///
/// # Errors
/// If it is the name of a folder.
pub(super) fn resolved(target: &Path) -> anyhow::Result<PathBuf> {
    let mut path = target.to_path_buf();
    if target.is_symlink() && !is_special(target) {
        // A link that leads nowhere becomes the file itself.
        path = fs::canonicalize(target).unwrap_or(path);
    }
    // Behind `out/` may be nothing yet.
    if path.is_dir() || target.to_string_lossy().ends_with(is_separator) {
        bail!(
            "cannot write {}: it is a folder, not a file",
            target.display()
        );
    }
    Ok(path)
}

/// Returns the temporary name of a resolved path.
pub(super) fn part_of(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    if !is_special(target) {
        name.push(".part");
    }
    PathBuf::from(name)
}

/// Returns whether two paths lead to the same file.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b))
}

/// Returns the number of bytes of the first lines of a file; `None` if it has not so many.
pub(super) fn length_of_lines(path: &Path, count: u64) -> io::Result<Option<u64>> {
    let mut input = BufReader::new(File::open(path)?);
    let (mut length, mut line) = (0, Vec::new());
    for _ in 0..count {
        line.clear();
        length += input.read_until(b'\n', &mut line)? as u64;
        if !line.ends_with(b"\n") {
            return Ok(None);
        }
    }
    Ok(Some(length))
}

/// Writes a small file atomically, replacing an older one.
pub(crate) fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = PartFile::wait_for(path)?;
    file.add(text)?;
    file.publish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary directory")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).expect("text")
    }

    #[test]
    fn a_file_that_another_program_writes_is_left_alone() {
        let folder = scratch();
        let target = folder.path().join("a.pgn");
        let mut first = PartFile::open(&target).expect("a file");
        first.add("one\n").expect("a game");
        let second = PartFile::open(&target).expect_err("busy");
        let says = second.to_string();
        assert!(says.starts_with("another program is writing "), "{says}");
        assert!(says.contains("a.pgn.part"), "{says}");
        first.add("two\n").expect("a game");
        first.publish().expect("a name");
        assert_eq!(text(&target), "one\ntwo\n");
        assert!(PartFile::open(&target).is_ok());
        assert_eq!(names(folder.path()), ["a.pgn"], "empty files go away");
    }

    #[test]
    fn who_waits_for_a_file_writes_another_one() {
        let folder = scratch();
        let target = folder.path().join("a.html");
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let target = target.clone();
                std::thread::spawn(move || {
                    for _ in 0..20 {
                        let mut file = PartFile::wait_for(&target).expect("a file");
                        // In two parts, so that another one could come between.
                        file.add(&format!("{number} ")).expect("a word");
                        file.add(&format!("{number}\n")).expect("a word");
                        file.publish().expect("a name");
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
        let text = text(&target);
        assert!(
            (0..8).any(|number| text == format!("{number} {number}\n")),
            "{text}"
        );
        assert_eq!(names(folder.path()), ["a.html"]);
    }

    #[test]
    fn what_an_interrupted_run_has_left_is_kept_until_it_is_cut() {
        let folder = scratch();
        let target = folder.path().join("a.pgn");
        let open = || PartFile::open(&target).expect("a file");
        open().add("one\ntw").expect("a game");
        let mut again = open();
        assert!(again.is_begun());
        let part = again.part().expect("another name").to_path_buf();
        let length = |count| length_of_lines(&part, count).expect("a file");
        assert_eq!((length(0), length(1), length(2)), (Some(0), Some(4), None));
        again.cut(4).expect("cut");
        again.add("two\n").expect("a game");
        assert!(!target.exists());
        again.publish().expect("a name");
        assert_eq!(text(&target), "one\ntwo\n");
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = scratch();
        let path = folder.path().display().to_string();
        for name in [path.clone(), format!("{path}/."), format!("{path}/none/")] {
            let error = PartFile::open(Path::new(&name)).expect_err("a folder");
            let wanted = format!("cannot write {name}: it is a folder, not a file");
            assert_eq!(error.to_string(), wanted);
        }
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through() {
        use std::os::unix::fs::symlink;

        let folder = scratch();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("real")).expect("a folder");
        fs::write(path("real/a.pgn"), "old\n").expect("a file");
        symlink("real/a.pgn", path("near.pgn")).expect("a link");
        symlink(path("near.pgn"), path("far.pgn")).expect("a link");
        symlink("/dev/null", path("null")).expect("a link");
        assert!(is_same(&path("far.pgn"), &path("real/./a.pgn")));
        assert!(!is_same(&path("far.pgn"), &path("null")));
        for (name, part) in [("far.pgn", Some(path("real/a.pgn.part"))), ("null", None)] {
            let mut file = PartFile::open(&path(name)).expect("a file");
            // The folder itself may be behind a link.
            let found = file
                .part()
                .map(|part| fs::canonicalize(part).expect("a file"));
            assert_eq!(
                found,
                part.map(|part| fs::canonicalize(part).expect("a file"))
            );
            file.add("new\n").expect("a game");
            file.publish().expect("a name");
        }
        assert_eq!(text(&path("real/a.pgn")), "new\n");
        assert!(path("far.pgn").is_symlink() && path("near.pgn").is_symlink());
        let null = fs::read_link(path("null")).expect("a link");
        assert_eq!(null, Path::new("/dev/null"));
        assert_eq!(
            names(folder.path()),
            ["far.pgn", "near.pgn", "null", "real"]
        );
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
        for folder in ["/proc/self/fd", "/dev/fd"] {
            let open = format!("{folder}/{}", file.as_raw_fd());
            write_whole(Path::new(&open), "one\n").expect("written");
        }
        assert_eq!(text(&path), "old\none\none\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = scratch();
        let none = folder.path().join("none/a.pgn");
        for (path, says) in [
            (&*none, "none/a.pgn.part: No such file"),
            (Path::new("/dev/full"), "/dev/full: No space left"),
            (Path::new("/sys/a.pgn"), "/sys/a.pgn.part: "),
        ] {
            let error = write_whole(path, "one\n").expect_err("no file");
            let error = format!("{error:#}");
            assert!(
                error.starts_with("cannot write ") && error.contains(says),
                "{error}"
            );
        }
    }
}
