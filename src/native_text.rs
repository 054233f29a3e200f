//! Text from other programs that is not UTF-8, as when a GUI writes a path in the system's own
//! encoding.
//!
//! On Windows such text is read in the code page of the system. Elsewhere a path is bytes, and those
//! that are no UTF-8 must reach the file system as they are: each becomes a character of a private
//! area, from which [`to_path`] takes it back.

use std::path::PathBuf;

/// Where the characters for single bytes begin.
#[cfg(not(windows))]
const BYTES: u32 = 0xF700;

/// Returns the text of these bytes. Nothing that is UTF-8 is changed.
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => decode_native(bytes),
    }
}

#[cfg(not(windows))]
fn decode_native(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let bytes = chunk.invalid().iter();
        text.extend(bytes.filter_map(|&byte| char::from_u32(BYTES + u32::from(byte))));
    }
    text
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
            match u32::from(letter).checked_sub(BYTES) {
                Some(byte @ 0x80..=0xFF) => bytes.push(byte as u8),
                _ => bytes.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
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

            let bytes = b"/tmp/F\xfcchse\xff/\xe2\x99\x9e";
            assert_eq!(to_path(&decode(bytes)).as_os_str().as_bytes(), bytes);
        }
    }
}
