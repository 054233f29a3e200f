//! A small corpus for `make test`: each input, and others much like it.

use std::fs;
use std::panic;
use std::path::Path;

use rejoinder::types::Rng;

/// Feeds a function with every file of a corpus, and with this many changed copies of each.
pub fn feed(folder: &Path, body: fn(&[u8]), copies: usize) {
    let mut rng = Rng::new(5);
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("a corpus") {
        let path = entry.expect("a readable entry").path();
        let bytes = fs::read(&path).expect("a readable file");
        files += 1;
        body(&bytes);
        for copy in 0..copies {
            let changed = mutate(&bytes, &mut rng);
            panic::catch_unwind(|| body(&changed)).unwrap_or_else(|_| {
                panic!(
                    "{}, copy {copy}: {}",
                    path.display(),
                    changed.escape_ascii()
                )
            });
        }
    }
    assert!(
        files >= 4,
        "the corpus in {} is too small",
        folder.display()
    );
}

/// Other bytes, much like these: some changed, left out, or taken from elsewhere among them.
fn mutate(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        let end = (at + 1 + rng.below(8)).min(bytes.len());
        match rng.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 => drop(bytes.drain(at.min(end)..end)),
            2 => bytes.insert(at, rng.next() as u8),
            3 => {
                let piece = bytes[at.min(end)..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = rng
                        .choose(b" \n/0918aehwkKpP-=;\"(){}[]\x00\xff\x7f")
                        .unwrap_or(0);
                }
            }
        }
    }
    bytes
}
