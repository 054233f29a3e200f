//! Text from other programs that is not UTF-8, as when a GUI writes a path in the system's own
//! encoding.
//!
//! On Windows such text is read in the code page of the system. Elsewhere a path is bytes, and those
//! that are no UTF-8 must reach the file system as they are: each becomes a character of a private
//! area, from which [`to_path`] takes it back. So do the bytes of characters that lie in that area.

use std::path::PathBuf;

/// Where the characters for single bytes begin.
#[cfg(not(windows))]
const BYTES: u32 = 0xF700;

/// Returns the byte for which a character stands, if it stands for one.
#[cfg(not(windows))]
fn byte_of(letter: char) -> Option<u8> {
    let byte = u32::from(letter).checked_sub(BYTES)?;
    (0x80..=0xFF).contains(&byte).then_some(byte as u8)
}

/// Returns the text of these bytes. UTF-8 is not changed, except for characters that stand for bytes.
#[cfg(not(windows))]
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::new();
    let push_bytes = |text: &mut String, bytes: &[u8]| {
        let letters = bytes
            .iter()
            .map(|&byte| char::from_u32(BYTES + u32::from(byte)));
        text.extend(letters.flatten());
    };
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match byte_of(letter) {
                None => text.push(letter),
                Some(_) => push_bytes(&mut text, letter.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        push_bytes(&mut text, chunk.invalid());
    }
    text
}

/// Returns the text of these bytes. UTF-8 is not changed.
#[cfg(windows)]
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => decode_native(bytes),
    }
}

#[cfg(windows)]
fn decode_native(bytes: &[u8]) -> String {
    use windows_sys::Win32::Globalization::{CP_ACP, MultiByteToWideChar};

    let mut wide = vec![0_u16; bytes.len()];
    let Ok(length) = i32::try_from(bytes.len()) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    // SAFETY: both buffers have the lengths given, and a code page needs at most one unit a byte.
    let written = unsafe {
        MultiByteToWideChar(CP_ACP, 0, bytes.as_ptr(), length, wide.as_mut_ptr(), length)
    };
    let written = usize::try_from(written).unwrap_or(0);
    String::from_utf16_lossy(&wide[..written])
}

/// Returns the path that a decoded text names.
pub fn to_path(text: &str) -> PathBuf {
    #[cfg(unix)]
    {
        use std::ffi::OsString;
        use std::os::unix::ffi::OsStringExt;

        let mut bytes = Vec::new();
        for letter in text.chars() {
            match byte_of(letter) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
        PathBuf::from(OsString::from_vec(bytes))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_and_bytes_come_back() {
        assert_eq!(decode("Füchse ♞".as_bytes()), "Füchse ♞");
        assert_eq!(to_path("/tmp/Füchse"), PathBuf::from("/tmp/Füchse"));
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;

            for bytes in [
                b"/tmp/F\xfcchse\xff/\xe2\x99\x9e".as_slice(),
                "/tmp/net\u{F7A0}.rjn".as_bytes(),
                b"\xef\x9e\xa0\xa0",
            ] {
                assert_eq!(to_path(&decode(bytes)).as_os_str().as_bytes(), bytes);
            }
        }
    }
}
