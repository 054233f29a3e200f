//! `rejoinder-study annotate`, as people run it: games of every kind go in, and nothing of them is
//! lost.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

fn data(name: &str) -> String {
    format!("{}/tests/data/pgn/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn program(games: &str, options: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rejoinder-study"));
    command
        .args(["annotate", games, "--hash", "1"])
        .args(options.split_whitespace());
    command
}

fn run(games: &str, options: &str) -> Output {
    program(games, options).output().expect("the program runs")
}

/// Returns what the program writes to standard output, with the spaces and line ends of the movetext made
/// one space.
fn annotated(games: &str, options: &str) -> String {
    let output = run(games, options);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn failure(games: &str, options: &str) -> String {
    let output = run(games, options);
    assert_eq!(output.status.code(), Some(1), "{options}");
    String::from_utf8(output.stderr).expect("text")
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The glyphs of the game's own moves: "4. Qxf7+ $4" and so on.
fn marks(pgn: &str) -> Vec<String> {
    let mut depth = 0;
    let mut all: Vec<String> = Vec::new();
    let mut last = String::new();
    for word in flat(pgn).split(' ') {
        match word {
            "(" | "{" => depth += 1,
            ")" | "}" => depth -= 1,
            _ if depth > 0 || word.ends_with('.') => {}
            _ if word.starts_with('$') => all.push(format!("{last}{word}")),
            _ => word.clone_into(&mut last),
        }
    }
    all
}

#[test]
fn known_mistakes_get_their_marks_and_better_lines() {
    let pgn = annotated(&data("mistakes.pgn"), "--nodes 20000");
    let (first, second) = pgn.split_once("[Event \"A mate").expect("two games");
    let first_marks = marks(first);
    assert!(
        first_marks.contains(&"Qxf7+$4".to_owned()),
        "{first_marks:?}"
    );
    let bad = |mark: &&String| mark.contains("$4") || mark.contains("$2");
    assert!(
        !first_marks
            .iter()
            .filter(bad)
            .any(|mark| mark.starts_with("Kxf7")),
        "{first_marks:?}"
    );
    assert!(flat(first).contains("Qxf7+ $4 { [%eval -"), "{first}");
    assert!(flat(first).contains("( 4. "), "{first}");
    // 2. g4 allows mate, and 2... d5 does not give it.
    let second_marks = marks(second);
    for mark in ["g4$4", "d5$4"] {
        assert!(second_marks.contains(&mark.to_owned()), "{second_marks:?}");
    }
    let second = flat(second);
    for part in [
        "2. g4 $4 { [%eval #-1] Allows mate in 1: 2... Qh4#. }",
        "Misses mate in 1: 2... Qh4#. }",
        "[ECO \"A00\"] [Opening \"Barnes Opening\"]",
    ] {
        assert!(second.contains(part), "{part}\n{second}");
    }
    assert!(second.contains("( 2... Qh4# { [%eval #-1] } )"), "{second}");
    assert!(
        second.contains("White: accuracy ")
            && second.contains("1 mistake, 1 blunder. Black: accuracy "),
        "{second}"
    );
    assert!(pgn.contains("[Annotator \"Rejoinder "), "{pgn}");
}

#[test]
fn the_scale_can_be_that_of_the_engine() {
    let pgn = annotated(&data("mistakes.pgn"), "--nodes 20000 --scale engine");
    // 2... d5 does not give mate, but stays won by the network's win-rate model.
    let marks = marks(&pgn);
    for mark in ["g4$4", "d5$2"] {
        assert!(marks.contains(&mark.to_owned()), "{marks:?}");
    }
}

#[test]
fn a_plain_game_has_comments_only_where_something_is_said() {
    let pgn = flat(&annotated(&data("mistakes.pgn"), "--nodes 20000 --plain"));
    assert!(!pgn.contains("[%eval"), "{pgn}");
    for part in [
        "2. g4 $4 { Allows mate in 1: 2... Qh4#. } ( 2. ",
        "{ Misses mate in 1: 2... Qh4#. } ( 2... Qh4# )",
        "1. e4 e5 2. ",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
}

#[test]
fn a_page_of_a_game_stands_alone() {
    let scratch = scratch();
    let folder = scratch.path().join("pages");
    annotated(
        &data("mistakes.pgn"),
        &format!("--nodes 2000 --html {}", folder.display()),
    );
    let page = text(&folder.join("game-00002.html"));
    for part in [
        "<title>Fool - Blind *</title>",
        "\"san\":\"g4\",\"from\":\"g2\",\"to\":\"g4\"",
        "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR",
        "Misses mate in 1",
        "<svg",
        "</script>",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // Nothing is loaded from elsewhere, and nothing of the template is left.
    for part in ["src=", "href=", "@@", "@import", "url("] {
        assert!(!page.contains(part), "{part}\n{page}");
    }
    assert!(folder.join("game-00001.html").exists());
}

#[test]
fn comments_glyphs_and_variations_are_kept() {
    let pgn = flat(&annotated(&data("crlf.pgn"), "--nodes 500"));
    for part in [
        "[Event \"Carriage returns\"]",
        "{ Before the game. } 1. e4 $1 { [%eval ",
        "] [%clk 0:01:00] The king's pawn. } ( 1. d4 $5 d5 ( 1... Nf6 2. c4 ) 2. c4 { Queen's gambit } )",
        " a rest-of-line comment }",
        "2. Nf3 $14 { [%eval ",
        "( 2... d6 $6 3. d4 -- 4. dxe5 )",
        "] Spanish }",
        "1/2-1/2",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
    assert!(!pgn.contains("[%eval 0.30] Spanish"), "{pgn}");
    assert!(!pgn.contains('\u{feff}') && !pgn.contains('\r'));
}

#[test]
fn other_encodings_become_utf_8() {
    let pgn = annotated(&data("latin1.pgn"), "--nodes 200");
    for part in [
        "[Event \"Café de la Régence\"]",
        "[Site \"?\"]",
        "[Date \"????.??.??\"]",
        "[White \"Hübner, R\"]",
        "[Black \"Šahoviæ\"]",
        "[Result \"*\"]",
        "[Annotator \"Laskér; Rejoinder ",
        " très solide }",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
    assert!(pgn.trim_end().ends_with('*'), "{pgn}");
}

/// The values of the tags `Event`.
fn events(pgn: &str) -> Vec<&str> {
    pgn.lines()
        .filter_map(|line| line.strip_prefix("[Event \"")?.strip_suffix("\"]"))
        .collect()
}

#[test]
fn bad_games_are_named_and_all_are_written() {
    let output = run(&data("bad_between.pgn"), "--nodes 100 --concurrency 2");
    assert_eq!(output.status.code(), Some(1));
    let (pgn, says) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let wanted = [
        "Good",
        "Illegal",
        "No moves",
        "Open comment",
        "No word",
        "Other rules",
        "?",
        "Last",
    ];
    assert_eq!(events(&pgn), wanted, "{pgn}");
    for part in [
        "game 2 (line 6): 2. Ke3 is not one legal move there; the game is kept as text from there on",
        "game 4 (line 16): line 18: this comment does not end",
        "game 6 (line 24) is not annotated: this engine does not play the variant 'Atomic'",
        "3: ? - ? 0-1  no moves, copied as it is",
        "8 games, 3 not annotated to their end",
        "3 of the 8 games of ",
    ] {
        assert!(says.contains(part), "{part}\n{says}");
    }
    let pgn = flat(&pgn);
    for part in [
        "] 2. Ke3 } ",
        "] this does not end * } ",
        "] Zug } ",
        "[Variant \"Atomic\"] 1. e4 *",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
}

#[test]
fn nothing_of_a_careless_file_is_lost() {
    let output = run(&data("torture.pgn"), "--nodes 50");
    assert_eq!(output.status.code(), Some(1));
    let pgn = String::from_utf8(output.stdout).expect("UTF-8");
    let says = String::from_utf8_lossy(&output.stderr);
    let input = text(Path::new(&data("torture.pgn")));
    let wanted: Vec<String> = input
        .split("[Event \"")
        .skip(1)
        .filter_map(|game| Some(game.split_once('"')?.0.to_owned()))
        .collect();
    assert_eq!(events(&pgn), wanted, "{pgn}");
    for part in [
        "4 of the 12 games of ",
        "'Atomic960'",
        "2. Ke3 is not one legal move",
        "its FEN: ",
        "'Sf6' is not a move",
    ] {
        assert!(says.contains(part), "{part}\n{says}");
    }
    // Every line of tags is there as it was.
    for line in input
        .lines()
        .filter(|line| line.starts_with('[') && line.ends_with(']'))
    {
        assert!(pgn.lines().any(|other| other == line), "{line}\n{pgn}");
    }
    let plain = flat(&pgn);
    for part in [
        "{ A file of all that people write: this line and the next belong to the first game. }",
        "{ % escaped by a percent sign }",
        "{ In braces, before the tags. }",
        "{ Printed on a4 paper }",
        "{ Before the moves. } 1. e4 $1 ",
        "( 1... c5 2. Nf3 ( 2. c3 { inner } ) 2... d6 )",
        "{ Before the second game. } 1. e4 ",
        "] [#] } ",
        "] TN } ",
        "] RR } ",
        "] Diagram } ",
        " -- *",
        "] 2. Ke3 (no) Ke7 } ",
        "[SetUp \"1\"] 1. Kf7 { kept } *",
        " a1=N ",
        " better. Sf6 2. e5 } ",
        "{ After the last game. } ( 1. Nf3 { [%eval 0.51] } 1... a6 ) *",
    ] {
        assert!(plain.contains(part), "{part}\n{pgn}");
    }
}

#[test]
fn games_are_read_from_standard_input() {
    let games = data("bad_between.pgn");
    let file = fs::File::open(&games).expect("the games");
    let options = "--nodes 100";
    let piped = program("-", options).stdin(file).output();
    let piped = piped.expect("the program runs");
    assert_eq!(piped.status.code(), Some(1));
    assert_eq!(piped.stdout, run(&games, options).stdout);
    let empty = program("-", options).stdin(Stdio::null()).output();
    let says = String::from_utf8(empty.expect("the program runs").stderr).expect("text");
    assert!(says.contains("standard input holds no game"), "{says}");
}

#[test]
fn chess960_castles() {
    let pgn = flat(&annotated(&data("chess960.pgn"), "--nodes 300"));
    for part in [
        "3. O-O",
        "1. O-O",
        "O-O-O",
        "20. O-O-O",
        "[FEN \"rk2r3/4p3/8/8/8/8/4P3/RK2R3 w EAea - 0 1\"]",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
}

#[test]
fn what_is_written_can_be_annotated_again() {
    let scratch = scratch();
    let path = scratch.path().join("once.pgn");
    fs::write(&path, annotated(&data("crlf.pgn"), "--nodes 200")).expect("a file");
    let again = annotated(&path.to_string_lossy(), "--nodes 200");
    // Scores, marks, lines and the summary are found again, and not written twice.
    assert_eq!(again, text(&path));
}

#[test]
fn text_beside_a_summary_is_kept() {
    let scratch = scratch();
    let path = scratch.path().join("edited.pgn");
    let once = flat(&annotated(&data("crlf.pgn"), "--nodes 200"));
    let edited = once
        .replacen("{ White: accuracy", "{ Found in a book. White: accuracy", 1)
        .replacen(" a position. }", " a position. An introduction. }", 1);
    fs::write(&path, edited).expect("a file");
    let again = flat(&annotated(&path.to_string_lossy(), "--nodes 200"));
    let wanted = once.replacen(
        " a position. }",
        " a position. } { Found in a book. An introduction. }",
        1,
    );
    assert_eq!(again, wanted);
}

#[test]
fn the_move_played_is_no_better_line() {
    let pgn = flat(&annotated(&data("mistakes.pgn"), "--nodes 700 --loss 0"));
    let mut lines = 0;
    // A better line follows the move that it replaces, its score, and perhaps the move's comment.
    for (before, line) in pgn.match_indices("( ").map(|(at, _)| pgn.split_at(at)) {
        let is_move = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_alphabetic());
        let outside = before
            .split('}')
            .map(|part| part.split('{').next().unwrap_or(part));
        let played = outside.flat_map(str::split_whitespace).rfind(is_move);
        let better = line.split_whitespace().find(is_move);
        assert_ne!(played, better, "{pgn}");
        lines += 1;
    }
    assert!(lines > 0, "{pgn}");
}

#[test]
fn the_same_nodes_give_the_same_output() {
    for limit in ["--nodes 700", "--depth 4"] {
        let once = annotated(&data("mistakes.pgn"), limit);
        let options = format!("{limit} --concurrency 3");
        assert_eq!(once, annotated(&data("mistakes.pgn"), &options));
    }
}

#[test]
fn time_limits_and_threads_are_taken() {
    let pgn = annotated(&data("latin1.pgn"), "--time 5 --threads 2");
    // Five milliseconds may find fault with a good move, whose better line has a score as well.
    let main_line = pgn
        .split('(')
        .map(|part| part.split(')').next_back().unwrap_or(part));
    let scores: usize = main_line.map(|part| part.matches("[%eval").count()).sum();
    assert_eq!(scores, 4, "{pgn}");
    assert!(flat(&pgn).contains("5 ms a position"), "{pgn}");
}

/// Many games in a file.
fn many(folder: &Path) -> String {
    let one = fs::read_to_string(data("mistakes.pgn")).expect("games");
    let bad = fs::read_to_string(data("bad_between.pgn")).expect("games");
    let path = folder.join("many.pgn");
    fs::write(&path, [&*one, "\n", &*bad, "\n"].concat().repeat(6)).expect("a file");
    path.to_string_lossy().into_owned()
}

fn games_in_journal(out: &Path) -> usize {
    let journal = fs::read_to_string(out.with_extension("pgn.journal")).unwrap_or_default();
    journal.lines().count().saturating_sub(1)
}

/// Starts a run that writes to `out` and kills it when this number of games is done. Returns whether
/// it was killed before its end.
fn is_killed_after(mut command: Command, out: &Path, games: usize) -> bool {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a run");
    let start = Instant::now();
    while games_in_journal(out) < games && child.try_wait().expect("a state").is_none() {
        assert!(start.elapsed() < Duration::from_mins(5), "stuck");
        sleep(Duration::from_millis(2));
    }
    let is_running = child.try_wait().expect("a state").is_none();
    child.kill().expect("killed");
    child.wait().expect("an end");
    is_running
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_end() {
    let scratch = scratch();
    let games = many(scratch.path());
    let folder = |name: &str| scratch.path().join(name);
    let options = |run: &str, more: &str| {
        let name = |end: &str| folder(&format!("{run}{end}")).display().to_string();
        let (out, json, svg) = (name(".pgn"), name(".json"), name("-svg"));
        format!("--nodes 3000 -o {out} --json {json} --svg {svg} {more}")
    };
    assert_eq!(run(&games, &options("whole", "")).status.code(), Some(1));
    let out = folder("killed.pgn");
    let mut kills = 0;
    for (number, stop) in [3, 9, 20, 30].into_iter().enumerate() {
        let more = ["--resume", "--resume --concurrency 2"][number % 2];
        // The name of the JSON file is part of the settings, and so both runs have the same.
        let command = program(&games, &options("killed", more));
        kills += usize::from(is_killed_after(command, &out, stop));
        assert!(!out.exists(), "the name is for whole files");
    }
    assert!(kills >= 3, "it was too fast to be killed");
    let anew = options("killed", "");
    for anew in [anew.replace("killed.json", "other.json"), anew] {
        let refused = failure(&games, &anew);
        assert!(refused.contains("give --resume to go on"), "{refused}");
    }
    let same = options("killed", "--resume");
    // Pages and pictures of the games before would be missing.
    let pages = format!("{same} --html {}", folder("killed-svg").display());
    for other in [
        same.replace("3000", "3001"),
        same.replace("killed-svg", "whole-svg"),
        pages,
    ] {
        let refused = failure(&games, &other);
        assert!(refused.contains("other settings"), "{refused}");
    }

    let last = run(&games, &options("killed", "--resume"));
    assert_eq!(last.status.code(), Some(1));
    let says = String::from_utf8_lossy(&last.stdout).into_owned();
    assert!(
        says.contains("resuming after game")
            && says.contains("60 games, 18 not annotated to their end"),
        "{says}"
    );
    for end in [".pgn", ".json"] {
        let [whole, killed] = ["whole", "killed"].map(|run| text(&folder(&format!("{run}{end}"))));
        assert!(whole == killed, "{end} differs");
    }
    let pictures = |run: &str| {
        let mut all: Vec<PathBuf> = fs::read_dir(folder(run))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        all.sort();
        all.into_iter().map(|path| text(&path)).collect::<Vec<_>>()
    };
    assert_eq!(pictures("whole-svg").len(), 54);
    assert!(pictures("whole-svg") == pictures("killed-svg"));
    let names: Vec<_> = fs::read_dir(scratch.path()).expect("a folder").collect();
    assert_eq!(names.len(), 7, "{names:?}");
}

#[test]
fn a_run_without_json_goes_on() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let options = format!("--nodes 1000 -o {}", out.display());
    assert!(is_killed_after(program(&games, &options), &out, 2));
    let last = run(&games, &format!("{options} --resume"));
    let says = String::from_utf8_lossy(&last.stdout).into_owned();
    assert!(
        says.contains("resuming after game") && says.contains("60 games, "),
        "{says}"
    );
    let whole = run(&games, "--nodes 1000").stdout;
    assert!(text(&out).as_bytes() == whole, "the games differ");
}

#[test]
fn two_runs_do_not_write_one_file() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let options = |nodes| format!("--nodes {nodes} -o {}", out.display());
    let mut first = program(&games, &options(300_000))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a run");
    let start = Instant::now();
    while !out.with_extension("pgn.journal").exists() {
        assert!(start.elapsed() < Duration::from_mins(5), "stuck");
        sleep(Duration::from_millis(2));
    }
    let second = ["", "--resume"].map(|more| failure(&games, &format!("{} {more}", options(10))));
    let is_running = first.try_wait().expect("a state").is_none();
    first.kill().expect("killed");
    first.wait().expect("an end");
    assert!(is_running, "it was over");
    for says in second {
        assert!(says.contains("another program is writing "), "{says}");
        assert!(says.contains("a.pgn.part"), "{says}");
    }
}

/// As after a kill or a power cut between the last game and the name of the file.
#[test]
fn a_complete_run_only_gets_its_names() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let (part, journal) = (
        out.with_extension("pgn.part"),
        out.with_extension("pgn.journal"),
    );
    let options = format!("--nodes 1000 -o {}", out.display());
    assert!(is_killed_after(program(&games, &options), &out, 1));
    let begun = text(&journal);
    let settings = begun.lines().next().expect("settings");
    let last = format!("60 18 {} 0", fs::metadata(&part).expect("a file").len());
    fs::write(&journal, format!("{settings}\n{last}\ndone\n")).expect("a file");
    let whole = text(&part);

    let output = run(&games, &format!("{options} --resume"));
    assert_eq!(output.status.code(), Some(1));
    let says = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        says,
        "the run was complete, with 60 games: its files have their names now\n"
    );
    let says = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(says.contains("18 of the 60 games of "), "{says}");
    assert_eq!(text(&out), whole);
    assert!(!part.exists() && !journal.exists());
}

#[test]
fn json_has_a_game_a_line_and_pictures_are_drawn() {
    let scratch = scratch();
    let name = |name: &str| scratch.path().join(name);
    let (out, json, svg) = (name("a.pgn"), name("a.json"), name("svg"));
    let options = format!(
        "--nodes 20000 -o {} --json {} --svg {}",
        out.display(),
        json.display(),
        svg.display()
    );
    assert!(run(&data("mistakes.pgn"), &options).status.success());
    let json = text(&json);
    let lines: Vec<_> = json.lines().collect();
    assert_eq!(lines.len(), 2);
    for part in [
        r#"{"game":2,"tags":{"Event":"A mate in one is missed","White":"Fool","#,
        r#""start":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","chess960":false,"result":"*","effort":"20000 nodes""#,
        r#"{"san":"g4","eval":{"mate":-1},"#,
        r#""mark":"??","reason":"Misses mate in 1: 2... Qh4#.","line":["Qh4#"]}"#,
    ] {
        assert!(lines[1].contains(part), "{part}\n{}", lines[1]);
    }
    let picture = text(&svg.join("game-00001.svg"));
    for part in [
        "<svg ",
        "</svg>",
        "prefers-color-scheme:dark",
        "4. Qxf7+??</title>",
        "Accuracy and marks: White ",
    ] {
        assert!(picture.contains(part), "{part}\n{picture}");
    }
    assert!(svg.join("game-00002.svg").exists());
}

#[test]
fn what_is_wrong_is_said_plainly() {
    let scratch = scratch();
    let empty = scratch.path().join("empty.pgn");
    fs::write(&empty, "\n% nothing\n").expect("a file");
    let empty = empty.to_string_lossy().into_owned();
    let text = scratch.path().join("text.pgn");
    fs::write(&text, "1. Zug *\n").expect("a file");
    let text = text.to_string_lossy().into_owned();
    let utf16 = scratch.path().join("wide.pgn");
    fs::write(&utf16, b"\xff\xfe1\0.\0").expect("a file");
    let good = data("latin1.pgn");
    let unfinished = scratch.path().join("b.pgn.part");
    fs::copy(&good, &unfinished).expect("a file");
    let unfinished = unfinished.to_string_lossy().into_owned();
    let folder = scratch.path().display().to_string();
    for (games, options, says) in [
        (
            "/no/such.pgn",
            String::new(),
            "cannot read /no/such.pgn: No such file",
        ),
        (&*folder, String::new(), "it is a folder"),
        (
            &*empty,
            format!("-o {folder}/a.pgn"),
            "empty.pgn holds no game",
        ),
        (
            &*text,
            format!("-o {folder}/a.pgn"),
            "text.pgn holds no game",
        ),
        (
            &*utf16.to_string_lossy(),
            String::new(),
            "this is UTF-16 text",
        ),
        (
            &*good,
            format!("-o {folder}/none/a.pgn"),
            "none/a.pgn.part: No such file",
        ),
        (
            &*good,
            format!("-o {good}"),
            "is the input: give the output another name",
        ),
        (
            &*unfinished,
            format!("-o {folder}/b.pgn"),
            "b.pgn.part is the input: give the output another name",
        ),
        (
            &*good,
            format!("-o {folder}/a.pgn --json {folder}/./a.pgn"),
            "a.pgn would hold both the games and the JSON",
        ),
        (
            &*good,
            format!("--json {folder}/none/a.json"),
            "none/a.json.part: No such file",
        ),
        (&*good, format!("--svg {good}/svg"), "cannot write "),
        (&*good, format!("-o {folder}"), "it is a folder, not a file"),
        (
            &*good,
            format!("-o {folder}/out/"),
            "out/: it is a folder, not a file",
        ),
        (
            &*good,
            format!("-o {folder}/a.pgn --json {folder}/."),
            "/.: it is a folder, not a file",
        ),
        (
            &*good,
            format!("--syzygy {folder}"),
            "there are no Syzygy tablebases in",
        ),
    ] {
        let error = failure(games, &format!("--nodes 10 {options}"));
        assert!(error.contains(says), "{says}\n{error}");
        assert!(
            !scratch.path().join("a.pgn.part").exists()
                && !scratch.path().join("a.pgn.journal").exists()
        );
    }
    let bytes = |path: &str| fs::read(path).expect("a file");
    assert_eq!(bytes(&unfinished), bytes(&good));
    for options in ["--nodes 5 --depth 3", "--nodes 0", "--loss 101", "--resume"] {
        assert_eq!(run(&good, options).status.code(), Some(2), "{options}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_plainly() {
    let error = failure(&data("latin1.pgn"), "--nodes 10 -o /dev/full");
    assert!(
        error.contains("cannot write /dev/full: No space left on device"),
        "{error}"
    );
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a full disk");
    let mut child = program(&data("latin1.pgn"), "--nodes 10")
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("a run");
    let mut says = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut says)
        .expect("text");
    assert_eq!(child.wait().expect("an end").code(), Some(1));
    assert!(
        says.contains("cannot print the result: No space left"),
        "{says}"
    );
}
