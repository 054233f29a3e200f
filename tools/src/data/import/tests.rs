use std::fs;
use std::io::Write;

use rejoinder::board::Outcome;
use rejoinder::types::score;

use super::*;
use crate::data::check;
use crate::data::manifest;
use crate::data::origin::{ImportPart, Origin};
use crate::testing::{games_in, parse_args};

/// Plays a match, keeps its games in one directory, and returns them as PGN.
fn played(dir: &Path, line: &str) -> String {
    let path = dir.with_extension("pgn");
    let line = format!(
        "{line} --hash 1 --threads 2 --keep {} --pgn {}",
        dir.display(),
        path.display()
    );
    crate::matches::run(&parse_args(&line).expect("valid arguments")).expect("a match");
    fs::read_to_string(&path).expect("the games")
}

/// An import and its reports.
struct Imported {
    result: anyhow::Result<Summary>,
    reports: Vec<String>,
    games: Vec<GameRecord>,
}

/// Imports a file into a directory of its own beside it.
fn imported(file: &Path) -> Imported {
    let out = file.with_extension("out");
    let args = Args {
        out: out.clone(),
        network: None,
        threads: Some(2),
        files: vec![file.to_path_buf()],
    };
    let mut reports = Vec::new();
    let result = import(&args, &Progress::new(0, "kB"), |line| {
        reports.push(line.to_owned());
    });
    let games = games_in(&out);
    Imported {
        result,
        reports,
        games,
    }
}

/// Writes a file and imports it.
fn of(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) -> Imported {
    let path = dir.join(name);
    fs::write(&path, bytes).expect("a writable directory");
    imported(&path)
}

impl Imported {
    fn summary(&self) -> &Summary {
        self.result.as_ref().expect("an import")
    }
}

/// Three games as OpenBench and fastchess write them, and the scores of the first one.
const GAMES: &str = "\
[Event \"?\"]
[White \"Rejoinder-dev\"]
[Black \"Rejoinder-base\"]
[Result \"0-1\"]
[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]
[TimeControl \"nodes=500\"]
[ScaleFactor \"1.0\"]
[SetUp \"1\"]

f3 {+0.35/7} e5 {-0.29/6, line=cp 3} g4 {unknown} Qh4# {+M1/1} 0-1

[Event \"?\"]
[White \"Rejoinder-dev\"]
[Black \"Rejoinder-base\"]
[Result \"1/2-1/2\"]
[FEN \"1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 20\"]
[SetUp \"1\"]
[Variant \"Chess960\"]

O-O-O {0.00/9 0.010s, n=500, sd=14} O-O {0.00/8 0.010s, n=500, sd=12} 1/2-1/2

[Event \"?\"]
[White \"one\"]
[Black \"two\"]
[Result \"1-0\"]
[Termination \"adjudication\"]

1. e4 {book} e5 {book} 2. Nf3 {+0.50/9 0.1s} Nc6 {-0.40/9 0.1s, White wins by
adjudication} 1-0
";

#[test]
fn games_of_a_match_come_back_as_they_were_kept() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let kept = scratch.path().join("kept");
    played(
        &kept,
        "--games 60 --nodes 300 --nodes-b 60 --chess960-share 0.4 --seed 5",
    );
    let before = games_in(&kept);
    let import = imported(&kept.with_extension("pgn"));
    assert_eq!(import.summary().damage, 0, "{:?}", import.reports);
    assert_eq!(import.games.len(), before.len());
    for (one, other) in before.iter().zip(&import.games) {
        assert_eq!(one, other);
    }
    let is = |wanted: fn(i32) -> bool| {
        let mut scores = before
            .iter()
            .flat_map(|game| &game.moves)
            .map(|(_, score)| *score);
        scores.any(wanted)
    };
    assert!(is(|score| score > 300) && is(|score| score < -300));
    assert!(is(|score| score::is_mate(score) && score > 0));
    assert!(is(|score| score::is_mate(score) && score < 0));
    let chess960 = before
        .iter()
        .filter(|game| !game.opening.has_standard_castling());
    assert!((5..before.len() - 5).contains(&chess960.count()));
    let castles = before
        .iter()
        .flat_map(|game| &game.moves)
        .filter(|(mv, _)| mv.is_castle());
    assert!(castles.count() > 10);
}

#[test]
fn every_form_of_score_and_opening_is_read() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let import = of(scratch.path(), "games.pgn", GAMES);
    assert_eq!(import.summary().damage, 0, "{:?}", import.reports);
    let scores = |game: &GameRecord| {
        game.moves
            .iter()
            .map(|(_, score)| *score)
            .collect::<Vec<_>>()
    };
    let [mate, chess960, adjudicated] = &*import.games else {
        panic!("{} games", import.games.len());
    };
    // On a full board, a pawn of the embedded network is worth 79 internal centipawns. All scores are
    // from White's view.
    let pawn = Setup::default().network.win_rate().score(100.0, 78);
    let cp = |centipawns: f64| (centipawns * f64::from(pawn) / 100.0).round() as i32;
    assert_eq!(
        scores(mate),
        [cp(35.0), cp(29.0), score::NONE, -score::mate_in(1)]
    );
    assert_eq!(scores(chess960), [0, 0]);
    assert!(chess960.moves.iter().all(|(mv, _)| mv.is_castle()));
    assert_eq!(
        scores(adjudicated),
        [score::NONE, score::NONE, cp(50.0), cp(40.0)]
    );
    let outcomes = import.games.iter().map(|game| game.outcome);
    assert!(outcomes.eq([Outcome::BlackWin, Outcome::Draw, Outcome::WhiteWin]));

    let shard = scratch.path().join("games.out/games-00000.vf.zst");
    let manifest = manifest::read(&shard)
        .expect("a readable file")
        .expect("a manifest");
    assert_eq!(manifest.counts, import.summary().stored.new);
    let Some(Origin::Import(ImportPart {
        import,
        players,
        shard: 0,
    })) = manifest.played
    else {
        panic!("{:?}", manifest.played);
    };
    assert_eq!(
        (&*import.from, import.bytes),
        ("games.pgn", GAMES.len() as u64)
    );
    assert_eq!(import.network, Setup::default().network.name());
    assert_eq!(players, ["Rejoinder-base", "Rejoinder-dev", "one", "two"]);
    let files = vec![scratch.path().join("games.out")];
    check::run(&check::Args { files }).expect("sound files");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory")
}

/// Returns an archive of these members in a folder.
fn tar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut folder = tar::Header::new_ustar();
    folder.set_entry_type(tar::EntryType::Directory);
    folder.set_size(0);
    folder.set_cksum();
    archive
        .append_data(&mut folder, "PGNs/", &[][..])
        .expect("memory");
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        let name = format!("PGNs/{name}");
        archive
            .append_data(&mut header, name, &**bytes)
            .expect("memory");
    }
    archive.into_inner().expect("memory")
}

#[test]
fn files_may_be_packed_in_every_way() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path();
    let text = GAMES.as_bytes();
    let plain = of(dir, "plain.pgn", text).games;
    let (first, rest) = text.split_at(GAMES.find("\n\n[Event").expect("games") + 2);
    let in_two = |pack: fn(&[u8]) -> Vec<u8>| [pack(first), pack(rest)].concat();
    let archive = tar(&[
        ("1.2.3.pgn.bz2", bzip2(first)),
        ("1.2.4.pgn.gz", gzip(rest)),
    ]);
    for (name, bytes) in [
        ("a.pgn.gz", gzip(text)),
        ("b.pgn.bz2", bzip2(text)),
        ("c.pgn.zst", zstd(text)),
        ("two.pgn.gz", in_two(gzip)),
        ("both.bz2", in_two(bzip2)),
        ("halves.zst", in_two(zstd)),
        ("no-ending", bzip2(text)),
        ("d.pgn.tar", archive.clone()),
        ("e.tar.zst", zstd(&archive)),
        ("f.tgz", gzip(&archive)),
        (
            "g.tar",
            tar(&[("x.tar.bz2", bzip2(&archive)), ("empty.pgn", Vec::new())]),
        ),
    ] {
        let import = of(dir, name, bytes);
        assert_eq!(import.summary().damage, 0, "{name}: {:?}", import.reports);
        assert_eq!(import.games, plain, "{name}");
        let empty = import
            .reports
            .iter()
            .any(|line| line.contains("empty.pgn: there is no game"));
        assert_eq!(empty, name == "g.tar");
    }
}

#[test]
fn damaged_games_are_reported_with_their_lines_and_left_out() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path();
    let plain = of(dir, "plain.pgn", GAMES).games;
    for (number, (from, to, damage, game)) in [
        (
            "g4 {unknown}",
            "g5 {unknown}",
            "line 10: 2. g5 is not one legal move",
            0,
        ),
        ("g4 {unknown}", "\x01@ {unknown}", "line 10: '", 0),
        (
            "Qh4# {+M1/1} 0-1",
            "Qh4# {+M1/1} 1-0",
            "line 1: its result is 1-0",
            0,
        ),
        ("HBhb - 0 20", "HBhb - 300 200", "line 12: ", 1),
        ("0 20", "0 20 x y z", "line 12: its FEN: ", 1),
        (
            "1/2-1/2\n\n[Event",
            "\n\n[Event",
            "line 12: its result is missing",
            1,
        ),
        (
            "adjudication} 1-0\n",
            "adj",
            "line 28: this comment does not end",
            2,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let text = GAMES.replacen(from, to, 1);
        assert_ne!(text, GAMES);
        let import = of(dir, &format!("{number}.pgn"), text);
        assert_eq!(import.summary().damage, 1, "{:?}", import.reports);
        let [report] = &*import.reports else {
            panic!("{:?}", import.reports);
        };
        assert!(
            report.starts_with(&format!("{number}.pgn: {damage}")),
            "{report}"
        );
        let mut rest = plain.clone();
        rest.remove(game);
        assert_eq!(import.games, rest, "{report}");
    }
    // The tag agrees with the moves, but the position does not.
    let wrong = GAMES
        .replace("[Result \"0-1\"]", "[Result \"1-0\"]")
        .replace("} 0-1", "} 1-0");
    let import = of(dir, "mate.pgn", wrong);
    assert!(
        import.reports[0].contains("but its last move makes it 0-1"),
        "{:?}",
        import.reports
    );
}

#[test]
fn games_without_anything_to_learn_from_are_left_out() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let text = GAMES
        .replace("1/2-1/2", "*")
        .replace("adjudication\"]", "time forfeit\"]")
        + "\n[White \"a\"]\n[Result \"1-0\"]\n\n1. e4 {a comment} e5 1-0\n";
    let import = of(scratch.path(), "games.pgn", text);
    let summary = import.summary();
    assert_eq!(
        (summary.damage, import.games.len()),
        (0, 1),
        "{:?}",
        import.reports
    );
    let counts: Vec<_> = summary
        .left_out
        .iter()
        .map(|(why, count)| (*why, *count))
        .collect();
    let one = |why| (why, 1);
    assert_eq!(
        counts,
        [Reason::Unfinished, Reason::Fault, Reason::NoScore].map(one)
    );
    let shown = summary.to_string();
    assert!(shown.contains("imported   1 games, 4 positions"), "{shown}");
    assert!(
        shown.contains(" 1 lost on time or by another fault\n"),
        "{shown}"
    );
}

#[test]
fn damaged_containers_cost_only_what_they_hold() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path();
    // Enough games that a part of a compressed file can be read.
    let kept = dir.join("kept");
    let text = played(&kept, "--games 40 --nodes 30 --nodes-b 20 --seed 3");
    let games = imported(&kept.with_extension("pgn")).games;
    let cut = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - 100);
        bytes
    };
    for (name, bytes) in [
        ("a.gz", cut(gzip(text.as_bytes()))),
        ("b.bz2", cut(bzip2(text.as_bytes()))),
        ("c.zst", cut(zstd(text.as_bytes()))),
    ] {
        let import = of(dir, name, bytes);
        assert_eq!(import.summary().damage, 1, "{name}: {:?}", import.reports);
        assert!(import.reports[0].starts_with(&format!("{name}: the rest cannot be read")));
        assert!(
            games.starts_with(&import.games) && import.games.len() < games.len(),
            "{name}"
        );
    }
    let mut broken = gzip(text.as_bytes());
    let middle = broken.len() / 2;
    broken[middle] ^= 0xff;
    let whole = tar(&[
        ("1.gz", broken),
        ("2.bz2", bzip2(text.as_bytes())),
        ("3.bin", vec![0; 2000]),
        ("4.pgn", text.clone().into_bytes()),
    ]);
    let import = of(dir, "d.tar", &whole);
    assert!(
        import.reports[0].starts_with("d.tar: PGNs/1.gz: "),
        "{:?}",
        import.reports
    );
    assert!(
        import
            .reports
            .iter()
            .any(|line| line.starts_with("d.tar: PGNs/3.bin: ")),
        "{:?}",
        import.reports
    );
    // The games of the second member come behind the sound ones of the first, which are the same.
    assert_eq!(import.summary().stored.new.games(), games.len() as u64);
    let cut_short = of(dir, "e.tar", &whole[..whole.len() - text.len()]);
    assert!(
        cut_short.summary().damage > import.summary().damage,
        "{:?}",
        cut_short.reports
    );
    assert_eq!(cut_short.games.len(), games.len());
}

#[test]
fn an_import_is_repeated_without_harm() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path();
    let text = format!("{GAMES}\n{GAMES}");
    let first = of(dir, "games.pgn", &text);
    let stored = first.summary().stored;
    assert_eq!((stored.new.games(), stored.known, stored.twice), (3, 0, 3));
    let shard = dir.join("games.out/games-00000.vf.zst");
    let before =
        [shard.clone(), manifest::path(&shard)].map(|path| fs::read(path).expect("a file"));
    // A kill between shard and manifest is made good.
    fs::remove_file(manifest::path(&shard)).expect("removed");
    let again = of(dir, "games.pgn", &text);
    let stored = again.summary().stored;
    assert_eq!((stored.new.games(), stored.known, stored.twice), (0, 3, 3));
    let after = [shard.clone(), manifest::path(&shard)].map(|path| fs::read(path).expect("a file"));
    assert_eq!(before, after);

    let other = of(dir, "games.pgn", GAMES.replacen("+0.50", "+0.60", 1));
    let error = other.result.expect_err("other games").to_string();
    assert!(
        error.contains("games-00000.vf.zst exists already and holds other games"),
        "{error}"
    );
    assert_eq!(fs::read(&shard).expect("a file"), before[0]);
}

#[test]
fn full_shards_follow_each_other() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let numbered = |number| {
        let score = format!("+{}.{:02}", number / 100, number % 100);
        GAMES[GAMES.rfind("\n[Event").expect("games")..].replace("+0.50", &score)
    };
    // On a full board, every other score of the mover has centipawns of its own at most.
    let text: String = (0..3000).map(numbered).collect();
    let import = of(scratch.path(), "games.pgn", text);
    let stored = import.summary().stored;
    assert_eq!(stored.new.games() + stored.twice, 3000);
    assert!(stored.new.games() > 2000, "{stored:?}");
    let names = files::names(&scratch.path().join("games.out")).expect("a directory");
    assert_eq!(names.len(), 6, "{names:?}");
    assert_eq!(import.games.len() as u64, stored.new.games());
}

#[test]
fn names_must_differ() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| scratch.path().join(name);
    fs::write(path("7.pgn.tar"), b"").expect("a writable directory");
    fs::write(path("7.pgn"), b"").expect("a writable directory");
    let error = tasks(&[path("7.pgn.tar"), path("7.pgn")]).expect_err("one name");
    assert!(
        error.to_string().contains("would get the same name"),
        "{error}"
    );
    let error = tasks(&[scratch.path().to_path_buf()]).expect_err("a directory");
    assert!(error.to_string().contains("is a directory"), "{error}");
    for (name, stem) in [
        ("7.pgn.tar", "7"),
        ("1.2.3.pgn.bz2", "1.2.3"),
        ("games", "games"),
        (".pgn", ".pgn"),
    ] {
        assert_eq!(output::stem(name), stem);
    }
}
