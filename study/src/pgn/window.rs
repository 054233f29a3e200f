//! A line of the input, of which only a part is in memory: a file without line ends may be one line.

use std::io::{self, BufRead};

use super::encoding;

const BOM: &[u8] = b"\xef\xbb\xbf";
/// Number of bytes that show whether an input is text, and most control characters among them.
const HEAD: usize = 512;
const MOST_ODD: usize = 8;

/// The lines of a stream, one at a time, with line ends of every kind.
#[derive(Debug)]
pub(crate) struct Window<R> {
    input: R,
    /// Number of bytes read from the input.
    position: u64,
    /// Number of the line, from 1.
    line: u64,
    /// Set if the last line ended with a carriage return, so that a line feed right after it
    /// belongs to the same line end.
    after_return: bool,
    /// The part of the line in memory, of which some was taken already.
    part: Part,
    /// Set if the line goes on behind that part.
    is_open: bool,
    /// Number of bytes of a line that are in memory at least, if the line has them.
    least: usize,
}

/// A part of a line.
#[derive(Debug)]
struct Part {
    text: String,
    /// The same in the encoding of the file, unless that is UTF-8.
    bytes: Option<Vec<u8>>,
    /// What was taken of both.
    text_taken: usize,
    bytes_taken: usize,
    /// Place of the first byte in the file.
    position: u64,
}

impl Part {
    fn new(bytes: Vec<u8>, position: u64) -> Self {
        let (text, bytes) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let bytes = error.into_bytes();
                (encoding::decode(bytes.clone()), Some(bytes))
            }
        };
        Self {
            text,
            bytes,
            text_taken: 0,
            bytes_taken: 0,
            position,
        }
    }

    fn bytes(&self) -> &[u8] {
        let bytes = self.bytes.as_deref().unwrap_or(self.text.as_bytes());
        &bytes[self.bytes_taken..]
    }
}

impl<R: BufRead> Window<R> {
    /// Shows at least so many bytes of each line, or all that are left of it.
    pub fn new(input: R, least: usize) -> Self {
        Self {
            input,
            position: 0,
            line: 0,
            after_return: false,
            part: Part::new(Vec::new(), 0),
            is_open: false,
            least,
        }
    }

    /// Returns the number of the line in the file, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the rest of the line, or the beginning of that rest.
    pub fn text(&self) -> &str {
        &self.part.text[self.part.text_taken..]
    }

    /// Returns whether more of the line is behind the text.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the number of bytes of the file before the text.
    pub fn position(&self) -> u64 {
        self.part.position + self.part.bytes_taken as u64
    }

    /// Takes so much of the text, and returns it in the encoding of the file.
    pub fn take(&mut self, length: usize) -> &[u8] {
        let part = &mut self.part;
        let bytes = match &part.bytes {
            None => length,
            // Each byte of such a line is a letter.
            Some(_) => part.text[part.text_taken..][..length].chars().count(),
        };
        let from = part.bytes_taken;
        part.text_taken += length;
        part.bytes_taken += bytes;
        let all = part.bytes.as_deref().unwrap_or(part.text.as_bytes());
        &all[from..from + bytes]
    }

    /// Makes the text long enough again after some of it was taken.
    pub fn refill(&mut self) -> io::Result<()> {
        if self.is_open && self.part.bytes().len() < self.least {
            let position = self.position();
            let bytes = self.part.bytes().to_vec();
            self.part = Part::new(Vec::new(), position);
            let bytes = self.read_on(bytes)?;
            self.part = Part::new(bytes, position);
        }
        Ok(())
    }

    /// Goes to the next line. Returns false at the end of the input. No line may be open.
    pub fn next_line(&mut self) -> io::Result<bool> {
        if std::mem::take(&mut self.after_return) && self.peek()? == Some(b'\n') {
            self.consume(1);
        }
        let mut position = self.position;
        self.part = Part::new(Vec::new(), position);
        if self.peek()?.is_none() {
            return Ok(false);
        }
        self.line += 1;
        if self.line == 1 {
            self.refuse_data()?;
        }
        let mut bytes = self.read_on(Vec::new())?;
        if bytes.starts_with(BOM) {
            bytes.drain(..BOM.len());
            position += BOM.len() as u64;
        }
        self.part = Part::new(bytes, position);
        Ok(true)
    }

    /// Fails if the input begins like text in UTF-16, or like an image or another file that is no
    /// text.
    fn refuse_data(&mut self) -> io::Result<()> {
        let buffer = self.input.fill_buf()?;
        let begin = &buffer[..buffer.len().min(HEAD)];
        let is_odd = |byte: &&u8| byte.is_ascii_control() && !matches!(byte, b'\t'..=b'\r' | 0x1a);
        let reason = if begin.starts_with(b"\xff\xfe") || begin.starts_with(b"\xfe\xff") {
            "this is UTF-16 text; save the file as UTF-8"
        } else if begin.iter().filter(is_odd).count() > MOST_ODD {
            "this is no text"
        } else {
            return Ok(());
        };
        Err(io::Error::new(io::ErrorKind::InvalidData, reason))
    }

    /// Adds what follows of the line, up to its end or the size of the window.
    fn read_on(&mut self, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        // With some more than the least, not each game moves the rest of a long line.
        let most = self.least + self.least / 4;
        self.is_open = true;
        while self.is_open {
            let Some(next) = self.peek()? else {
                self.is_open = false;
                break;
            };
            // A letter of several bytes is not cut; it has no more than three behind the first one.
            let is_inside = next & 0xc0 == 0x80 && bytes.len() < most + 3;
            let room = match most.saturating_sub(bytes.len()) {
                0 if is_inside || matches!(next, b'\n' | b'\r') => 1,
                0 => break,
                room => room,
            };
            let buffer = self.input.fill_buf()?;
            let buffer = &buffer[..buffer.len().min(room)];
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let length = end.unwrap_or(buffer.len());
            bytes.extend_from_slice(&buffer[..length]);
            if let Some(end) = end {
                self.after_return = buffer[end] == b'\r';
                self.is_open = false;
            }
            self.consume(length + usize::from(end.is_some()));
        }
        Ok(bytes)
    }

    /// Returns the next byte of the input, which stays there.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.input.fill_buf() {
                Ok(buffer) => return Ok(buffer.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn consume(&mut self, length: usize) {
        self.input.consume(length);
        self.position += length as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a window of this size shows of a text if each part is taken as a whole, with the
    /// numbers of the lines.
    fn parts(text: &[u8], least: usize) -> Vec<(u64, String)> {
        let mut window = Window::new(text, least);
        let mut found = Vec::new();
        while window.next_line().expect("a readable text") {
            loop {
                let text = window.text().to_owned();
                found.push((window.line(), text.clone()));
                window.take(text.len());
                if !window.is_open() {
                    break;
                }
                window.refill().expect("a readable text");
            }
        }
        assert_eq!(window.position(), text.len() as u64);
        found
    }

    #[test]
    fn a_long_line_is_shown_in_parts() {
        let wanted = [(1, "ab"), (2, "abcde"), (2, "fg"), (3, ""), (4, "abcde")];
        let wanted = wanted.map(|(line, text)| (line, text.to_owned()));
        assert_eq!(parts(b"ab\r\nabcdefg\r\rabcde", 4), wanted);
        assert_eq!(parts(b"ab\nabcdefg\n\nabcde\n", 4), wanted);
    }

    #[test]
    fn no_letter_is_cut() {
        for text in ["♘♘♘♘♘♘♘", "a♘♘♘♘♘♘", "ab😀😀😀😀"] {
            let parts = parts(text.as_bytes(), 4);
            let joined: String = parts.iter().map(|(_, part)| &**part).collect();
            assert_eq!(joined, text);
            assert!(parts.len() > 1, "{text}");
        }
    }

    #[test]
    fn what_is_left_is_shown_with_more_behind_it() {
        let mut window = Window::new(&b"\xef\xbb\xbfabcdefghij"[..], 8);
        assert!(window.next_line().is_ok_and(|is_there| is_there));
        assert_eq!((window.text(), window.position()), ("abcdefg", 3));
        assert_eq!(window.take(3), b"abc");
        window.refill().expect("a readable text");
        assert_eq!((window.text(), window.position()), ("defghij", 6));
        assert!(!window.is_open());
    }

    #[test]
    fn bytes_are_those_of_the_file() {
        let mut window = Window::new(&b"\xbd-\xbd 1-0"[..], 80);
        assert!(window.next_line().is_ok_and(|is_there| is_there));
        assert_eq!(window.text(), "½-½ 1-0");
        assert_eq!(window.take("½-½".len()), b"\xbd-\xbd");
        assert_eq!((window.text(), window.position()), (" 1-0", 3));
        assert_eq!(window.take(4), b" 1-0");
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\xda\0\0\x01\0\x08\x02\0\0";
        for (data, says) in [
            (&image[..], "no text"),
            (b"\xfe\xff\0[", "UTF-16"),
            (b"\xff\xfe[\0", "UTF-16"),
        ] {
            let error = Window::new(data, 8).next_line().expect_err(says);
            assert!(error.to_string().contains(says), "{error}");
        }
        for text in [&b"1. e4\0 *\x1a"[..], b"\t\r\n\x0c", b""] {
            assert!(Window::new(text, 8).next_line().is_ok(), "{text:?}");
        }
    }
}
