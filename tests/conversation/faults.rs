//! Tests faults of the system: lack of memory, full disks, broken pipes, and signals. These tests
//! run on Linux only.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rejoinder::board::Board;

use crate::session::*;

/// Starts the program in a shell that sets limits first; `ulimit -v` counts kilobytes.
fn limited(limits: &str) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -c 0; {limits}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(program());
    command
}

#[test]
fn a_start_without_memory_is_refused_aloud() {
    // With less than the first size the system cannot load the program; with more than the last
    // there is enough memory.
    for kilobytes in (22_000..166_000).step_by(12_000) {
        let mut command = limited(&format!("ulimit -v {kilobytes}"));
        let mut session = Session::of(&mut command);
        // The program may have ended before it reads.
        drop(writeln!(
            session.input.as_mut().expect("the stream is not piped"),
            "go depth 3"
        ));
        let (lines, status) = session.end_input();
        assert_eq!(status.signal(), None, "{kilobytes} KB: {status}");
        if status.success() {
            check_answer(&Board::startpos(), &lines);
        } else {
            assert!(
                lines.len() == 1 && lines[0].starts_with("info string"),
                "{kilobytes} KB: {lines:#?}"
            );
        }
    }
}

#[test]
fn memory_that_is_refused_later_changes_nothing() {
    let mut session = Session::of(&mut limited("ulimit -v 400000"));
    for option in [
        "Hash value 1000",
        "Hash value 4000",
        "Hash value 33554432",
        "Threads value 16",
        "Threads value 1024",
    ] {
        session.send(&format!("setoption name {option}"));
        let lines = session.rest();
        assert!(
            lines.iter().any(|line| line.starts_with("info string")),
            "{option}: {lines:#?}"
        );
        let lines = session.ask("go depth 4", "bestmove");
        check_answer(&Board::startpos(), &lines);
    }
    session.send("setoption name Hash value 32");
    assert!(session.rest().is_empty());
    session.quit();
}

/// `readyok` comes after the table is cleared, so that clearing does not cost time of the first
/// move.
fn a_large_table_is_clear_before_readyok(megabytes: u64) {
    let mut session = Session::start();
    session.send(&format!("setoption name Hash value {megabytes}"));
    assert!(session.rest().is_empty(), "{megabytes} MB are refused");
    assert!(
        session.memory() > megabytes * 1024,
        "not all of it is touched: {} KB",
        session.memory()
    );
    session.ask("go nodes 100000", "bestmove");
    // Processor time, which does not depend on what else the machine does.
    let begun = session.ticks();
    session.send("ucinewgame");
    session.rest();
    let cleared = session.ticks() - begun;
    let begun = session.ticks();
    let lines = session.ask("go depth 1", "bestmove");
    let answered = session.ticks() - begun;
    assert_eq!(number(&lines[0], "hashfull"), 0);
    println!("{megabytes} MB, in ticks of 10 ms: cleared in {cleared}, first answer in {answered}");
    assert!(
        answered <= (cleared / 2).max(3),
        "{answered} ticks after {cleared}: is the table cleared later?"
    );
    session.quit();
}

#[test]
fn half_a_gigabyte_is_clear_before_readyok() {
    a_large_table_is_clear_before_readyok(512);
}

#[test]
#[ignore = "4 GB of memory: `make memory`"]
fn four_gigabytes_are_clear_before_readyok() {
    a_large_table_is_clear_before_readyok(4096);
}

#[test]
fn a_hash_that_does_not_fit_on_the_disk_leaves_the_old_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hash on a full disk");
    // It is left from an earlier run, or missing.
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("cannot create a folder");
    let file = folder.join("hash.hsh");
    // No file may be larger than 4 MB (8,192 blocks), and the signal is turned into an error.
    let mut session = Session::of(&mut limited("trap '' XFSZ; ulimit -f 8192"));
    session.send(&format!("setoption name HashFile value {}", file.display()));
    session.send("setoption name Hash value 1");
    session.ask("go depth 6", "bestmove");
    session.send("setoption name SaveHashtoFile");
    let lines = session.rest();
    assert!(
        lines.len() == 1 && lines[0].contains("1 MB saved"),
        "{lines:?}"
    );
    let before = fs::read(&file).expect("there is no file");

    session.send("setoption name Hash value 8");
    session.send("setoption name SaveHashtoFile");
    let lines = session.rest();
    let refused = lines.len() == 1 && lines[0].contains("cannot be written");
    assert!(refused, "{lines:?}");
    assert_eq!(fs::read(&file).ok(), Some(before));
    let left = fs::read_dir(&folder).expect("cannot read the folder");
    assert_eq!(left.count(), 1, "the incomplete file is still there");
    let lines = session.ask("go depth 4", "bestmove");
    check_answer(&Board::startpos(), &lines);
    session.quit();
}

#[test]
fn a_reader_who_sleeps_stops_neither_clock_nor_stop() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hash of a sleeper.hsh");
    // It is left from an earlier run, or missing.
    drop(fs::remove_file(&file));
    let (mut session, output) = Session::unheard(&mut Command::new(program()));
    // A small hash is soon used to its end, so that memory no longer grows by it.
    session.send(&format!(
        "uci\nsetoption name Hash value 1\nsetoption name HashFile value {}",
        file.display()
    ));
    session.send("setoption name MultiPV value 256\nposition fen 8/8/8/4k3/8/3QK3/8/5r2 w - - 0 1");
    // This is far more than a pipe and the writer's queue can hold. The answers are not read, but
    // each search must end for the next to begin.
    for _ in 0..200 {
        session.send("go depth 6\nisready\nstop");
    }
    // The file shows, without a line of output, that all of them have ended.
    session.send("setoption name SaveHashtoFile\ngo infinite");
    let end = Instant::now() + STUCK;
    while !file.exists() {
        assert!(Instant::now() < end, "the searches do not end");
        thread::sleep(Duration::from_millis(5));
    }
    session.until_ticks(30);
    let memory = session.memory();
    session.until_ticks(60);
    assert!(session.memory() < memory + 2_000, "memory grows");
    // The time limit ends the search, after which nothing is left to do.
    session.send("stop\nposition startpos\ngo movetime 100");
    session.until_idle();
    // No important line is lost when the reader continues.
    let reader = thread::spawn(move || std::io::read_to_string(output).expect("not UTF-8"));
    session.send("quit");
    assert!(session.exit().success());
    let text = reader.join().expect("the reader panicked");
    let count = |start| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("bestmove"), count("readyok")), (202, 200));
}

#[test]
fn closed_streams_end_the_program() {
    // Standard output is closed from the start or leads to a full disk, and so does standard error.
    for redirection in [">&-", ">/dev/full", ">/dev/full 2>&1", "2>&-", ">&- 2>&-"] {
        let script = format!("ulimit -c 0; exec \"$0\" {redirection}");
        let mut command = Command::new("sh");
        let (mut session, _output) = Session::unheard(command.arg("-c").arg(script).arg(program()));
        // The program may have ended before the second line.
        for line in ["uci", "go infinite", "isready", "stop", "quit"] {
            drop(writeln!(
                session.input.as_mut().expect("the stream is not piped"),
                "{line}"
            ));
        }
        let status = session.exit();
        assert_eq!(status.signal(), None, "{redirection}: {status}");
    }
    // Standard input is closed from the start, which counts as its end.
    let status = Command::new("sh")
        .args(["-c", "exec \"$0\" <&-"])
        .arg(program())
        .status()
        .expect("cannot start the program");
    assert!(status.success(), "{status}");
}

#[test]
fn a_full_disk_costs_the_log_and_nothing_else() {
    let mut session = Session::of(Command::new(program()).stderr(Stdio::piped()));
    session.send("setoption name Debug Log File value /dev/full");
    for _ in 0..20 {
        let lines = session.ask("go depth 5", "bestmove");
        check_answer(&Board::startpos(), &lines);
    }
    session.send("setoption name Debug Log File value /no/such/folder/log");
    let lines = session.rest();
    assert!(
        lines.len() == 1 && lines[0].starts_with("info string"),
        "{lines:#?}"
    );
    session.send("setoption name Debug Log File value");
    session.quit();
}

/// The signals that ask a program to end.
const ENDING: [i32; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// Resets the actions of signals, because the program would inherit those that `nohup`, for
/// example, ignores.
fn with_usual_signals(command: &mut Command) -> &mut Command {
    let reset = || {
        for signal in ENDING {
            // SAFETY: the default action of a signal may be set at any time.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: between fork and exec it calls nothing but `signal`, which is allowed there.
    unsafe { command.pre_exec(reset) }
}

#[test]
fn signals_end_it_at_once() {
    for signal in ENDING {
        for go in ["isready", "go infinite", "go wtime 600000 btime 600000"] {
            assert_prompt(&format!("{signal} during {go}"), || {
                let mut session = Session::of(with_usual_signals(&mut Command::new(program())));
                session.send("setoption name Threads value 4");
                let is_ready = go == "isready";
                session.ask(go, if is_ready { "readyok" } else { "info depth" });
                let sent = Instant::now();
                let killed = Command::new("kill")
                    .arg(format!("-{signal}"))
                    .arg(session.child.id().to_string())
                    .status()
                    .expect("cannot run `kill`");
                assert!(killed.success());
                let status = session.exit();
                let time = sent.elapsed();
                // The signal itself ends the program, which catches none.
                assert_eq!(status.signal(), Some(signal), "{go}: {status}");
                time
            });
        }
    }
}

#[test]
fn a_network_that_cannot_be_read_changes_nothing() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let cut = folder.join("cut.rjn");
    let whole = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("networks/rejoinder.rjn"));
    let mut file = File::create(&cut).expect("cannot write a file");
    file.write_all(&whole.expect("cannot read our network")[..1000])
        .expect("cannot write a file");
    let mut session = Session::start();
    for path in [
        "/dev/zero",
        "/dev/full",
        "/proc/self/mem",
        "/",
        cut.to_str().expect("not UTF-8"),
    ] {
        session.send(&format!("setoption name EvalFile value {path}"));
        let lines = session.rest();
        assert!(
            lines.len() == 1 && lines[0].contains(path),
            "{path}: {lines:#?}"
        );
    }
    let lines = session.ask("go depth 4", "bestmove");
    check_answer(&Board::startpos(), &lines);
    session.quit();
}
