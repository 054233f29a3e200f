//! Files as they are packed: archives (tar) and compressed files (gzip, bzip2, Zstandard), one inside
//! the other, down to plain text. Their first bytes tell what they are, whatever their names say.
//! Everything is read as a stream, so that the size of a file does not matter.

use std::io::{self, BufReader, Cursor, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

/// Number of bytes at the beginning that tell what a file is: a block of tar.
const HEAD: u64 = 512;
/// Greatest number of containers inside each other.
const DEEPEST: usize = 8;

/// What a file is.
#[derive(Clone, Copy)]
enum Kind {
    Tar,
    Gzip,
    Bzip2,
    Zstandard,
    Text,
}

impl Kind {
    /// Returns the kind of file that begins like this.
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstandard,
            // The mark of tar stands behind the name of the first member and more.
            _ if head
                .get(257..)
                .is_some_and(|mark| mark.starts_with(b"ustar")) =>
            {
                Self::Tar
            }
            _ => Self::Text,
        }
    }
}

/// The one who gets what a file holds.
pub(super) trait Visitor {
    /// Takes a text. Its name is that of the file, with the names of the members of archives behind
    /// it.
    ///
    /// # Errors
    /// If nothing else is to be read.
    fn text(&mut self, name: &str, text: Box<dyn Read + '_>) -> anyhow::Result<()>;

    /// Is told that the rest of a file cannot be read; the next member of the archive that holds it
    /// is read nevertheless.
    fn damaged(&mut self, name: &str, reason: &io::Error);
}

/// Calls the visitor for each text in this input.
///
/// # Errors
/// The error of the visitor.
pub(super) fn walk(
    name: &str,
    input: Box<dyn Read + '_>,
    visitor: &mut dyn Visitor,
) -> anyhow::Result<()> {
    enter(name, input, 0, visitor)
}

fn enter(
    name: &str,
    mut input: Box<dyn Read + '_>,
    depth: usize,
    visitor: &mut dyn Visitor,
) -> anyhow::Result<()> {
    let mut head = Vec::new();
    if let Err(reason) = (&mut input).take(HEAD).read_to_end(&mut head) {
        visitor.damaged(name, &reason);
        return Ok(());
    }
    if depth > DEEPEST {
        visitor.damaged(name, &io::Error::other("it is packed too often"));
        return Ok(());
    }
    let kind = Kind::of(&head);
    let input = Cursor::new(head).chain(input);
    let unpacked: Box<dyn Read> = match kind {
        Kind::Tar => return members(name, input, depth, visitor),
        Kind::Gzip => Box::new(MultiGzDecoder::new(BufReader::new(input))),
        Kind::Bzip2 => Box::new(MultiBzDecoder::new(BufReader::new(input))),
        Kind::Zstandard => match zstd::Decoder::new(input) {
            Ok(decoder) => Box::new(decoder),
            Err(reason) => {
                visitor.damaged(name, &reason);
                return Ok(());
            }
        },
        Kind::Text => return visitor.text(name, Box::new(input)),
    };
    enter(name, unpacked, depth + 1, visitor)
}

/// Reads the files of an archive.
fn members(
    name: &str,
    input: impl Read,
    depth: usize,
    visitor: &mut dyn Visitor,
) -> anyhow::Result<()> {
    let mut archive = tar::Archive::new(input);
    let mut entries = match archive.entries() {
        Ok(entries) => entries,
        Err(reason) => {
            visitor.damaged(name, &reason);
            return Ok(());
        }
    };
    loop {
        match entries.next() {
            None => return Ok(()),
            Some(Ok(entry)) if entry.header().entry_type().is_file() => {
                let member = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                enter(
                    &format!("{name}: {member}"),
                    Box::new(entry),
                    depth + 1,
                    visitor,
                )?;
            }
            Some(Ok(_)) => {}
            // Where the next member begins is unknown.
            Some(Err(reason)) => {
                visitor.damaged(name, &reason);
                return Ok(());
            }
        }
    }
}
