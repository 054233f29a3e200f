//! Finds the file behind the name of an output, so that a link is written through, not replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Most links that are followed; as many as Linux follows.
const MOST_LINKS: usize = 40;

/// Returns the path of the file to which a chain of links leads. The file need not exist yet. The
/// last link before a special file is not followed, because a pipe has no path of its own.
///
/// # Errors
/// If a link cannot be read, or if the links lead back to themselves.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..=MOST_LINKS {
        if !path.is_symlink() || is_special(&path) {
            return Ok(path);
        }
        let to = fs::read_link(&path)?;
        path = folder_of(&path).join(to);
    }
    Err(io::Error::other("its links have no end"))
}

/// Returns whether this is neither a file nor a folder but, for example, a device. A file that the
/// program got open, such as `/proc/self/fd/1` in a shell's redirection, is special, too.
pub(super) fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) || is_open_file(path)
}

/// Returns whether the path names an open file of a process.
fn is_open_file(path: &Path) -> bool {
    path.is_symlink() && fs::canonicalize(folder_of(path)).is_ok_and(|to| to.starts_with("/proc"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_a_file_that_need_not_exist() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("real")).expect("a folder");
        symlink("real/x.pgn", path("near.pgn")).expect("a link");
        symlink(path("near.pgn"), path("far.pgn")).expect("a link");
        symlink("round.pgn", path("round.pgn")).expect("a link");
        symlink("/dev/null", path("null")).expect("a link");
        let behind = |name| behind_links(&path(name)).expect("a path");
        for name in ["near.pgn", "far.pgn"] {
            assert_eq!(behind(name), path("real/x.pgn"));
        }
        fs::write(path("real/x.pgn"), "").expect("a file");
        for name in ["near.pgn", "far.pgn", "real/x.pgn"] {
            assert_eq!(behind(name), path("real/x.pgn"));
            assert!(!is_special(&path(name)));
        }
        assert_eq!(behind("none.pgn"), path("none.pgn"));
        assert!(is_special(&behind("null")));
        assert!(behind_links(&path("round.pgn")).is_err());
    }
}
