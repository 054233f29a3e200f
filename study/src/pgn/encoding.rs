//! Text of old files: UTF-8, or else Windows-1252, of which Latin-1 is a part.
// Source: https://encoding.spec.whatwg.org/index-windows-1252.txt

/// Characters of the bytes 0x80 to 0x9F; five of them have none, and stay control characters.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text that the bytes mean. Every sequence of bytes means something.
pub(crate) fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(letter).collect())
}

fn letter(byte: &u8) -> char {
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(*byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_are_read() {
        assert_eq!(decode("Šiška ½".into()), "Šiška ½");
        assert_eq!(
            decode(b"H\xfcbner \x96 \x8aahovi\xe6".to_vec()),
            "Hübner – Šahoviæ"
        );
    }
}
