//! Tests binding threads to groups of CPUs. These tests run on Linux only.

use std::fs;
use std::path::Path;

use crate::session::*;

/// Returns the CPUs that each worker may use, as the kernel lists them, in the order of the workers.
fn cpus_of_workers(session: &Session) -> Vec<String> {
    let tasks = format!("/proc/{}/task", session.child.id());
    let mut workers: Vec<(usize, String)> = fs::read_dir(tasks)
        .expect("the process has ended")
        .filter_map(|task| {
            let status = task.expect("cannot read the folder").path().join("status");
            let status = fs::read_to_string(status).expect("a thread has ended");
            let field = |name| status.lines().find_map(|line| line.strip_prefix(name));
            let name = field("Name:").expect("a thread has no name").trim();
            let number = name.strip_prefix("worker ")?.parse().expect(name);
            let cpus = field("Cpus_allowed_list:").expect("the kernel does not tell");
            Some((number, cpus.trim().to_owned()))
        })
        .collect();
    workers.sort();
    workers.into_iter().map(|(_, cpus)| cpus).collect()
}

fn set(session: &mut Session, option: &str) -> Vec<String> {
    session.send(&format!("setoption name {option}"));
    session.rest()
}

/// Saves the hash, and returns the bytes of the file.
fn hash(session: &mut Session) -> Vec<u8> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hash of nodes.hsh");
    set(session, &format!("HashFile value {}", file.display()));
    set(session, "SaveHashtoFile");
    fs::read(&file).expect("there is no file")
}

#[test]
fn threads_are_bound_to_the_groups_of_the_user() {
    let mut session = Session::start();
    // The workers exist when the first command is answered.
    session.rest();
    let all = cpus_of_workers(&session).remove(0);
    if !all.starts_with("0-") {
        println!("SKIPPED: the CPUs 0 and 1 are needed, but there are {all}");
        return;
    }
    session.send("setoption name Hash value 4");
    session.ask("go depth 8", "bestmove");
    let before = hash(&mut session);
    assert_eq!(
        set(&mut session, "NumaPolicy value 1:0"),
        ["info string NUMA: 1 thread on node 0 (CPUs 1)"]
    );
    assert_eq!(cpus_of_workers(&session), ["1"]);
    assert!(hash(&mut session) == before, "the hash was not copied");
    assert_eq!(
        set(&mut session, "Threads value 3"),
        ["info string NUMA: 2 threads on node 0 (CPUs 1), 1 on node 1 (CPUs 0)"]
    );
    assert_eq!(cpus_of_workers(&session), ["1", "0", "1"]);

    // What is refused changes nothing.
    for policy in ["0-1:1", "hard", "0:", "x"] {
        let lines = set(&mut session, &format!("NumaPolicy value {policy}"));
        assert!(
            lines[0].contains("NumaPolicy must be auto, none"),
            "{lines:?}"
        );
        assert_eq!(cpus_of_workers(&session), ["1", "0", "1"]);
    }
    for policy in ["none", "auto"] {
        let lines = set(&mut session, &format!("NumaPolicy value {policy}"));
        assert_eq!(lines.len(), 1, "{lines:?}");
        // A machine with several nodes may bind threads by itself.
        if lines[0].ends_with("no thread is bound") {
            assert_eq!(cpus_of_workers(&session), [&all[..]; 3]);
        } else {
            assert_eq!(policy, "auto");
        }
    }
    session.ask("go depth 6", "bestmove");
    session.quit();
}
