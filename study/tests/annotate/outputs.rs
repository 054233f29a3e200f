//! The other forms of output: games for readers, pages, JSON and graphs.

use std::fs;

use crate::{annotated, data, flat, run, scratch, text};

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
        "\"drawn\":[\"d8h4\",\"e1\"]",
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
fn a_page_says_why_its_game_ends_early() {
    let scratch = scratch();
    let folder = scratch.path().join("pages");
    let options = format!("--nodes 10 --html {}", folder.display());
    assert_eq!(
        run(&data("bad_between.pgn"), &options).status.code(),
        Some(1)
    );
    let page = text(&folder.join("game-00002.html"));
    assert!(
        page.contains("line 9: 2. Ke3 is not one legal move there"),
        "{page}"
    );
}

#[test]
fn the_pages_of_several_games_have_an_index() {
    let scratch = scratch();
    let folder = scratch.path().join("pages");
    let games = scratch.path().join("a.pgn");
    let one = "[White \"<b> & Co\"]\n[Black \"B\"]\n[Date \"2024.01.02\"]\n\n1. e4 e5 1-0\n\n";
    fs::write(&games, format!("{one}1. d4 *\n\n{one}")).expect("a file");
    let pages = |range: &str| {
        let options = format!("--nodes 10 --games {range} --html {}", folder.display());
        annotated(&games.to_string_lossy(), &options);
    };
    pages("1");
    assert!(!folder.join("index.html").exists(), "one page needs none");
    // A later run adds to it, and what is no page of a game is passed over.
    fs::write(folder.join("game-x.html"), "no game").expect("a file");
    pages("2-3");
    let index = text(&folder.join("index.html"));
    let row = "<tr><td class=\"n\"><a href=\"game-00003.html\">3</a>\
        <td>&lt;b&gt; &amp; Co<td>B<td>1-0<td>2024.01.02<td class=\"n\">";
    let second = "<a href=\"game-00002.html\">2</a><td>?<td>?<td>*<td>????.??.??<td class=\"n\">";
    for part in [
        row,
        second,
        "<a href=\"game-00001.html\">1</a>",
        "<p>3 games</p>",
    ] {
        assert!(index.contains(part), "{part}\n{index}");
    }
    // Black has made no move in the second game.
    assert_eq!(index.matches("%<td").count(), 3, "{index}");
    assert_eq!(index.matches("%\n").count(), 2, "{index}");
    assert_eq!(index.matches("<tr><td").count(), 3, "{index}");
    assert!(!index.contains("@@"), "{index}");
}

#[test]
fn json_has_a_game_a_line_and_graphs_are_drawn() {
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
        r#""mark":"??","reason":"Allows mate in 1: 2... Qh4#.","motif":"mate","drawn":["d8h4","e1"],"drawnBetter":[],"#,
        r#""mark":"??","reason":"Misses mate in 1: 2... Qh4#.","motif":"mate","drawn":[],"drawnBetter":[],"line":["Qh4#"]}"#,
    ] {
        assert!(lines[1].contains(part), "{part}\n{}", lines[1]);
    }
    let graph = text(&svg.join("game-00001.svg"));
    for part in [
        "<svg ",
        "</svg>",
        "prefers-color-scheme:dark",
        "4. Qxf7+??</title>",
        "Accuracy and marks: White ",
    ] {
        assert!(graph.contains(part), "{part}\n{graph}");
    }
    assert!(svg.join("game-00002.svg").exists());
}
