//! Tests saving and loading the hash.

use std::fs;
use std::path::{Path, PathBuf};

use crate::networks::{OWN, louder};
use crate::session::*;

const MIDDLEGAME: &str = "r1bq1rk1/ppp1bppp/2n1pn2/3p4/2PP4/1P3NP1/P3PPBP/RNBQ1RK1 w - - 0 9";

/// Returns the path of a file that does not exist yet.
fn path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is left from an earlier run, or missing.
    drop(fs::remove_file(&path));
    path
}

/// Returns a session with a hash of this size and this file.
fn session(megabytes: u32, path: &Path) -> Session {
    let mut session = Session::start();
    session.send(&format!("setoption name Hash value {megabytes}"));
    choose(&mut session, path);
    // Windows has a remark on the pages of the hash.
    session.rest();
    session
}

fn choose(session: &mut Session, path: &Path) {
    session.send(&format!("setoption name HashFile value {}", path.display()));
}

/// Presses a button, and returns the only line that it prints.
fn press(session: &mut Session, button: &str) -> String {
    session.send(&format!("setoption name {button}"));
    let lines = session.rest();
    assert!(
        lines.len() == 1 && lines[0].starts_with("info string "),
        "{lines:?}"
    );
    lines[0]["info string ".len()..].to_owned()
}

/// Searches the middlegame to this depth, and returns the number of nodes and the first depth that
/// is reported.
fn search_to(session: &mut Session, depth: u32) -> (i64, i64) {
    session.send(&format!("position fen {MIDDLEGAME}"));
    let lines = session.ask(&format!("go depth {depth}"), "bestmove");
    let mut lines = lines.iter().filter(|line| line.starts_with("info depth"));
    let first = lines.next().expect("there is no info line");
    let last = lines.next_back().unwrap_or(first);
    (number(last, "nodes"), number(first, "depth"))
}

/// Searches the middlegame to this depth, and returns the number of nodes.
fn nodes_to(session: &mut Session, depth: u32) -> i64 {
    search_to(session, depth).0
}

/// Saves the hash in a file of its own, and returns the bytes of the file.
fn content(session: &mut Session) -> Vec<u8> {
    let file = path("content.hsh");
    choose(session, &file);
    press(session, "SaveHashtoFile");
    fs::read(&file).expect("there is no file")
}

#[test]
fn an_analysis_goes_on_in_another_process() {
    let file = path("goes on.hsh");
    let mut first = session(4, &file);
    let cold = nodes_to(&mut first, 12);
    let said = press(&mut first, "SaveHashtoFile");
    assert!(said.starts_with("hash of 4 MB saved to "), "{said}");
    first.quit();

    let mut second = session(2, &file);
    let said = press(&mut second, "LoadHashFromFile");
    let resized = said.starts_with("hash of 4 MB loaded") && said.contains("2 MB before");
    assert!(resized, "{said}");
    let (loaded, first_depth) = search_to(&mut second, 12);
    assert_eq!(first_depth, 12);
    println!("nodes to depth 12: {cold} cold, {loaded} with the loaded hash");
    assert!(loaded < cold / 4 * 3);

    // The size of the file is that of the hash from now on.
    let said = press(&mut second, "LoadHashFromFile");
    assert!(
        said.ends_with("goes on.hsh'") || said.ends_with("…'"),
        "{said}"
    );
    second.quit();
}

#[test]
fn a_hash_that_is_refused_leaves_the_hash_as_it_was() {
    let good = path("refused.hsh");
    let mut session = session(4, &good);
    assert!(press(&mut session, "LoadHashFromFile").contains("cannot be read"));
    nodes_to(&mut session, 12);
    press(&mut session, "SaveHashtoFile");
    let bytes = fs::read(&good).expect("there is no file");
    let bad = path("bad.hsh");
    choose(&mut session, &bad);
    let mut damaged = bytes.clone();
    damaged[1_000_000] ^= 1;
    let mut newer = bytes.clone();
    newer[8] += 1;
    for (bytes, reason) in [
        (&b""[..], "not a hash file"),
        (b"This is a text.", "not a hash file"),
        (&bytes[..100], "100 bytes instead of"),
        (&bytes[..bytes.len() - 1], "incomplete"),
        (&[&bytes[..], b"x"].concat(), "bytes instead of"),
        (&damaged, "checksum is wrong"),
        (&newer, "another version"),
    ] {
        fs::write(&bad, bytes).expect("cannot write a file");
        let said = press(&mut session, "LoadHashFromFile");
        assert!(
            said.starts_with("HashFile '") && said.contains(reason),
            "{said}"
        );
    }
    choose(&mut session, Path::new(env!("CARGO_TARGET_TMPDIR")));
    assert!(press(&mut session, "LoadHashFromFile").contains("not a regular file"));
    choose(&mut session, Path::new("<empty>"));
    assert!(press(&mut session, "LoadHashFromFile").contains("must be set"));
    assert!(press(&mut session, "SaveHashtoFile").contains("must be set"));
    assert!(content(&mut session) == bytes, "the hash has changed");

    // What was made under other conditions is refused as well.
    choose(&mut session, &good);
    session.send("setoption name Syzygy50MoveRule value false");
    let said = press(&mut session, "LoadHashFromFile");
    assert!(said.ends_with("Syzygy50MoveRule on"), "{said}");
    session.send("setoption name Syzygy50MoveRule value true");
    let network = path("louder for the hash.rjn");
    let own = fs::read(OWN).expect("cannot read our network");
    fs::write(&network, louder(&own)).expect("cannot write a file");
    session.send(&format!(
        "setoption name EvalFile value {}",
        network.display()
    ));
    assert!(press(&mut session, "LoadHashFromFile").contains("scores of network"));
    session.send("setoption name EvalFile value <empty>");
    assert!(press(&mut session, "LoadHashFromFile").contains("4 MB loaded"));
    assert!(content(&mut session) == bytes, "another hash was loaded");
    session.quit();
}

#[test]
fn a_file_that_cannot_be_written_is_reported() {
    let text = path("a text.txt");
    fs::write(&text, "This is a text.").expect("cannot write a file");
    let mut session = session(1, &text);
    assert!(press(&mut session, "SaveHashtoFile").contains("is not overwritten"));
    let text = fs::read_to_string(&text).expect("cannot read the file");
    assert_eq!(text, "This is a text.");
    choose(&mut session, Path::new("/no/such/folder/hash.hsh"));
    assert!(press(&mut session, "SaveHashtoFile").contains("cannot be written"));
    session.quit();
}

#[test]
fn a_running_search_is_answered_first() {
    let file = path("during a search.hsh");
    let mut session = session(1, &file);
    for (button, said) in [("SaveHashtoFile", "saved"), ("LoadHashFromFile", "loaded")] {
        session.send("go infinite");
        session.until("info depth");
        session.send(&format!("setoption name {button}"));
        let lines = session.rest();
        let answers = lines.iter().position(|line| line.starts_with("bestmove"));
        let done = lines.iter().position(|line| line.contains(said));
        assert!(answers.is_some() && answers < done, "{button}: {lines:#?}");
    }
    session.quit();
}

/// A GUI may write a path in the encoding of its system.
#[cfg(unix)]
#[test]
fn a_path_may_have_bytes_that_are_no_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let path = path("hash").with_file_name(OsStr::from_bytes(b"F\xfcchse \xff.hash"));
    drop(fs::remove_file(&path));
    let mut session = Session::start();
    let option = b"setoption name HashFile value ";
    session.send_bytes(&[option, path.as_os_str().as_bytes()].concat());
    let answer = press(&mut session, "SaveHashtoFile");
    assert!(answer.contains("saved"), "{answer}");
    assert!(path.is_file(), "{answer}");
    session.quit();
}
