//! Which game a record is, whatever is said about it.

use std::fmt;

use super::record::Record;

/// The tags that tell two games with the same moves apart.
const TAGS: [&str; 5] = ["White", "Black", "Date", "Round", "Site"];

/// A hash of the players, the place, the first position and the moves of a game. Annotations do not
/// change it, nor do tags that are there without saying anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity(u64);

impl Identity {
    /// Returns the identity of a game.
    pub fn of(record: &Record) -> Self {
        let mut hash = Hash::NEW;
        for name in TAGS {
            let value = record.tag(name).unwrap_or_default().trim();
            let says_nothing = value.bytes().all(|byte| b"?.*-".contains(&byte));
            hash.add(if says_nothing { &[] } else { value.as_bytes() });
            hash.add(&[0]);
        }
        hash.add(record.start.fen(record.chess960).as_bytes());
        for mv in &record.moves {
            hash.add(&mv.bits().to_le_bytes());
        }
        Self(hash.0)
    }
}

/// Writes 16 hexadecimal digits.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The hash FNV-1a with 64 bits. It must not change, because browsers keep games under it.
// Source: RFC 9923, https://www.rfc-editor.org/rfc/rfc9923
struct Hash(u64);

impl Hash {
    const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Source, read};
    use super::*;

    fn identity(text: &str) -> Identity {
        let game = Source::new(text.as_bytes()).next_game();
        let game = game.expect("a text").expect("a game");
        Identity::of(&read(game).expect("a record"))
    }

    #[test]
    fn annotations_do_not_change_it() {
        let plain = identity("[White \"A\"]\n\n1. e4 e5 *");
        let roster = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[White \"A\"]\n";
        let annotated = format!("{roster}[Annotator \"x\"]\n\n{{ x }} 1. e4 $1 (1. d4) e5 *");
        assert_eq!(plain, identity(&annotated));
        for other in [
            "[White \"B\"]\n\n1. e4 e5 *",
            "[Black \"A\"]\n\n1. e4 e5 *",
            "[White \"A\"]\n[Round \"2\"]\n\n1. e4 e5 *",
            "[White \"A\"]\n\n1. e4 *",
        ] {
            assert_ne!(plain, identity(other), "{other}");
        }
    }

    #[test]
    fn the_hash_is_the_published_one() {
        let hash = |text: &str| {
            let mut hash = Hash::NEW;
            hash.add(text.as_bytes());
            hash.0
        };
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
