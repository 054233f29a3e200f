//! Several programs share the games of a file.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{failure, files, many, program, run, scratch, text};

fn start(games: &str, folder: &Path, number: usize, range: &str) -> Child {
    let name = |end: &str| folder.join(format!("{number}.{end}")).display().to_string();
    let html = folder.join("html").display().to_string();
    let (out, json) = (name("pgn"), name("json"));
    let options = format!("--nodes 1000 --games {range} -o {out} --json {json} --html {html}");
    program(games, &options)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a run")
}

#[test]
fn workers_write_together_what_one_run_writes() {
    let scratch = scratch();
    let games = many(scratch.path());
    let name = |name: &str| scratch.path().join(name);
    let (out, json, html) = (name("a.pgn"), name("a.json"), name("whole"));
    let options = format!(
        "--nodes 1000 -o {} --json {} --html {}",
        out.display(),
        json.display(),
        html.display()
    );
    assert_eq!(run(&games, &options).status.code(), Some(1));

    let ranges = ["-13", "14-30", "31-31", "32-"].iter().enumerate();
    let workers = ranges.map(|(number, range)| start(&games, scratch.path(), number, range));
    for mut worker in workers.collect::<Vec<_>>() {
        worker.wait().expect("an end");
    }
    let joined = |end: &str| {
        let parts = (0..4).map(|number| text(&name(&format!("{number}.{end}"))));
        parts.collect::<String>()
    };
    assert!(joined("pgn") == text(&out), "the games differ");
    assert!(joined("json") == text(&json), "the JSON differs");
    // The index as well: it tells of all pages in the folder, whoever wrote them.
    let (whole, shared) = (files(&html), files(&name("html")));
    assert_eq!(whole.len(), 55);
    assert!(whole == shared, "the pages differ");
}

#[test]
fn games_that_are_not_there_are_said_plainly() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let options = format!("--nodes 10 --games 61- -o {}", out.display());
    let says = failure(&games, &options);
    assert!(says.contains("many.pgn holds no game 61"), "{says}");
    let names: Vec<_> = files(scratch.path()).into_keys().collect();
    assert_eq!(names, ["many.pgn"]);
    for range in ["0", "5-4", "x"] {
        let output = run(&games, &format!("--games {range}"));
        assert_eq!(output.status.code(), Some(2), "{range}");
        let says = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(says.contains("as in 17, 1001-2000 or 1001-"), "{says}");
    }
}

/// Returns the scripts of docs/annotate.md for several machines, for a file of few games.
#[cfg(unix)]
fn scripts() -> Vec<String> {
    let page = text(Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/annotate.md"
    )));
    let (_, section) = page
        .split_once("## More than one machine")
        .expect("a section");
    let scripts = section.split("```sh\n").skip(1).map(|rest| {
        let (script, _) = rest.split_once("```").expect("an end");
        for part in ["step=100", "--nodes 200000"] {
            let wanted = script.contains("annotate GAMES.pgn") || part == "step=100";
            assert_eq!(script.contains(part), wanted, "{part}\n{script}");
        }
        script
            .replace("step=100", "step=7")
            .replace("--nodes 200000", "--hash 1 --nodes 500")
    });
    scripts.collect()
}

/// What stands in for Slurm: it runs all tasks of an array at the same time.
#[cfg(unix)]
const SBATCH: &str = "#!/bin/bash
tasks=${2#--array=1-}
for task in $(seq $tasks); do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MAX=$tasks bash $3 &
done
wait
";

#[cfg(unix)]
#[test]
fn the_scripts_of_the_docs_write_what_one_run_writes() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let scripts = scripts();
    let [parallel, array, start] = &scripts[..] else {
        panic!("{scripts:?}");
    };
    let has_parallel = Command::new("parallel").arg("--version").output().is_ok();
    for (is_there, script) in [(has_parallel, parallel), (true, start)] {
        if !is_there {
            continue;
        }
        let scratch = scratch();
        let name = |name: &str| scratch.path().join(name);
        let games = many(scratch.path());
        fs::rename(&games, name("GAMES.pgn")).expect("another name");
        symlink(
            env!("CARGO_BIN_EXE_rejoinder-study"),
            name("rejoinder-study"),
        )
        .expect("a link");
        fs::write(name("annotate.sbatch"), array).expect("a file");
        fs::write(name("sbatch"), SBATCH).expect("a file");
        fs::set_permissions(name("sbatch"), fs::Permissions::from_mode(0o755)).expect("a program");
        let path = std::env::var("PATH").expect("a path");
        let shell = || {
            let mut shell = Command::new("bash");
            shell.args(["-c", script]).current_dir(scratch.path());
            shell.env("PATH", format!("{}:{path}", scratch.path().display()));
            shell.output().expect("bash")
        };
        let said = shell();
        let whole = run(&name("GAMES.pgn").to_string_lossy(), "--nodes 500").stdout;
        let says = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(
            text(&name("OUT.pgn")).as_bytes() == whole,
            "{script}\n{says}"
        );
        let parts = files_named(scratch.path(), "part-");
        assert_eq!(parts.len(), 8, "{parts:?}");

        // After an interruption only what is missing is done, from where it was.
        let (done, torn) = (name(&parts[2]), name(&parts[5]));
        let before = text(&torn);
        fs::write(&done, "kept\n").expect("a file");
        fs::remove_file(&torn).expect("a file");
        let (half, _) = before.split_at(before.len() / 2);
        fs::write(torn.with_extension("pgn.part"), half).expect("a file");
        let said = shell();
        let says = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(says.contains("resuming after game "), "{says}");
        assert_eq!(text(&done), "kept\n");
        assert!(text(&torn) == before);

        // A part that is missing is noticed.
        fs::remove_file(&done).expect("a file");
        let joined = script.lines().last().expect("a line");
        let alone = script
            .replace("parallel '", "true '")
            .replace("sbatch --wait", "true");
        assert!(joined.starts_with("cat "), "{joined}");
        let failed = Command::new("bash")
            .args(["-c", &alone])
            .current_dir(scratch.path())
            .status();
        assert!(!failed.expect("bash").success());
    }
}

/// Returns the names of the files in a folder that begin like this.
#[cfg(unix)]
fn files_named(folder: &Path, start: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry.expect("an entry")))
        .filter(|name| name.starts_with(start))
        .collect();
    names.sort();
    names
}
