//! Tests loading another network at run time.

use std::fs;
use std::path::{Path, PathBuf};

use crate::session::*;

pub const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/networks/rejoinder.rjn");

/// Writes a file for one test.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).expect("cannot write a file");
    path
}

fn load(session: &mut Session, path: &Path) -> Vec<String> {
    session.send(&format!("setoption name EvalFile value {}", path.display()));
    session.rest()
}

fn evaluation(session: &mut Session) -> Vec<String> {
    session.ask("eval", "Chances")
}

/// Returns the same network with twice the scale, and the checksum that the format demands.
pub fn louder(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let scale = u32::from_le_bytes(
        bytes[32..36]
            .try_into()
            .expect("the slice does not have four bytes"),
    );
    bytes[32..36].copy_from_slice(&(2 * scale).to_le_bytes());
    let counted = bytes[..56].iter().chain(&bytes[64..]);
    let checksum = counted.fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn another_network_evaluates_otherwise_until_it_is_taken_back() {
    let own = fs::read(OWN).expect("cannot read our network");
    let mut session = Session::start();
    session.send("position fen rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1");
    let before = evaluation(&mut session);
    assert_eq!(load(&mut session, Path::new(OWN)), Vec::<String>::new());
    assert_eq!(evaluation(&mut session), before);
    assert!(load(&mut session, &file("louder.rjn", &louder(&own))).is_empty());
    assert_ne!(evaluation(&mut session), before);
    session.ask("go depth 5", "bestmove");
    session.send("setoption name EvalFile value <empty>");
    assert!(session.rest().is_empty());
    assert_eq!(evaluation(&mut session), before);
    session.quit();
}

#[test]
fn a_file_that_is_no_network_changes_nothing() {
    let own = fs::read(OWN).expect("cannot read our network");
    let mut damaged = own.clone();
    damaged[1000] ^= 4;
    let mut session = Session::start();
    let before = evaluation(&mut session);
    for (path, reason) in [
        (PathBuf::from("/no/such/network.rjn"), "cannot read"),
        (PathBuf::from(env!("CARGO_MANIFEST_DIR")), "cannot read"),
        (file("empty.rjn", b""), "not a Rejoinder network"),
        (
            file("text.rjn", b"This is a text."),
            "not a Rejoinder network",
        ),
        (file("short.rjn", &own[..own.len() - 1]), "bytes instead of"),
        (
            file("long.rjn", &[own.as_slice(), b"x"].concat()),
            "bytes instead of",
        ),
        (file("damaged.rjn", &damaged), "checksum"),
    ] {
        let lines = load(&mut session, &path);
        let said = lines.len() == 1
            && lines[0].starts_with("info string ")
            && lines[0].contains(reason)
            && lines[0].contains(&*path.to_string_lossy());
        assert!(said, "{}: {lines:?}", path.display());
        assert_eq!(evaluation(&mut session), before);
    }
    session.ask("go depth 3", "bestmove");
    session.quit();
}
