//! Tests Syzygy tablebases: known values, damaged files, and endings played against the best
//! defence.
//!
//! The tables are not in this repository. They are expected in `../shared` (or `REJOINDER_SHARED`);
//! if they are missing, the tests say so and pass.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use rejoinder::board::{Board, Game};
use rejoinder::clock::Limits;
use rejoinder::smp::{Engine, Event};
use rejoinder::tablebase::{Probing, Ranked, Tablebases, Wdl};
use rejoinder::types::Rng;
use rejoinder::types::score::DECISIVE;
use rejoinder::uci::format::{move_to_uci, parse_move};
use shakmaty::fen::Fen;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, FromSetup as _, Move, Position, Role, Square,
};
use shakmaty_syzygy::Tablebase;

/// Returns the folder of tables and known values, if it exists.
fn syzygy() -> Option<PathBuf> {
    let shared = env::var_os("REJOINDER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = shared.join("data/syzygy");
    if folder.join("3-4-man").is_dir() {
        return Some(folder);
    }
    println!(
        "SKIPPED: no tables in {} (set REJOINDER_SHARED)",
        folder.display()
    );
    None
}

fn tables(folder: &Path) -> Tablebases {
    let (tables, faults) = Tablebases::open(&folder.join("3-4-man").to_string_lossy());
    assert!(faults.is_empty(), "{faults:?}");
    tables
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Creates an empty folder for one test.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The folder only exists if the test ran before.
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("cannot create a folder");
    path
}

fn copy(from: &Path, to: &Path) {
    fs::write(to, fs::read(from).expect("cannot read the table")).expect("cannot copy the table");
}

/// Returns the FEN, WDL and DTZ of every known value.
fn vectors(folder: &Path) -> Vec<(String, i32, i32)> {
    let text =
        fs::read_to_string(folder.join("probe_gen_dev.csv")).expect("cannot read the vectors");
    let vector = |line: &str| {
        let mut fields = line.split(';');
        let mut field = || fields.next().expect("a field is missing");
        let fen = format!("{} 0 1", field());
        let mut number = || field().trim().parse().expect("not a number");
        (fen, number(), number())
    };
    text.lines().skip(1).map(vector).collect()
}

#[test]
fn every_vector_is_right() {
    let Some(folder) = syzygy() else { return };
    let tables = tables(&folder);
    assert_eq!((tables.count(), tables.largest()), ([35, 35], 4));
    let vectors = vectors(&folder);
    assert!(vectors.len() >= 1000);
    for (fen, wdl, dtz) in &vectors {
        let board = board(fen);
        let found = tables.wdl(&board).map(|wdl| wdl as i32);
        assert_eq!(found, Some(*wdl), "WDL of {fen}");
        let found = tables.dtz(&board).map(|dtz| dtz.ignore_rounding().0);
        assert_eq!(found, Some(*dtz), "DTZ of {fen}");
    }
    assert!(tables.take_faults().is_empty());
    println!("{} vectors, WDL and DTZ all right", vectors.len());
}

#[test]
fn what_no_table_knows_is_no_hit() {
    let Some(folder) = syzygy() else { return };
    let tables = tables(&folder);
    for fen in [
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "8/8/2k5/8/8/PPK5/8/7r w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
    ] {
        let board = board(fen);
        assert!(tables.wdl(&board).is_none() && tables.dtz(&board).is_none());
    }
    let kings = board("8/8/2k5/8/8/2K5/8/8 w - - 0 1");
    assert_eq!(tables.wdl(&kings), Some(Wdl::Draw));
}

#[test]
fn folders_add_up() {
    let Some(folder) = syzygy() else { return };
    let folder = folder.join("3-4-man");
    let (one, two) = (scratch("tables-1"), scratch("tables-2"));
    for (to, name) in [
        (&one, "KQvK.rtbw"),
        (&two, "KQvK.rtbw"),
        (&two, "KQvK.rtbz"),
        (&two, "KRvKP.rtbw"),
    ] {
        copy(&folder.join(name), &to.join(name));
    }
    fs::write(two.join("KRvK.rtbw"), "short").expect("cannot write a file");
    fs::write(two.join("readme.txt"), "not a table").expect("cannot write a file");
    let missing = one.join("missing");
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let path = [text(&one), text(&missing), text(&two)].join(";");
    let (tables, faults) = Tablebases::open(&path);
    assert_eq!((tables.count(), tables.largest()), ([2, 1], 4));
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].starts_with(&text(&missing)), "{faults:?}");
    assert!(faults[1].contains("KRvK.rtbw"), "{faults:?}");
    // The king can capture the rook, but KPvK is missing.
    let board = board("8/8/8/8/8/8/1p1k4/1K1R4 b - - 0 1");
    assert!(tables.wdl(&board).is_none() && tables.take_faults().is_empty());
    let (nothing, faults) = Tablebases::open("");
    assert!(nothing.count() == [0, 0] && nothing.largest() == 0 && faults.is_empty());
}

/// Returns the ranked moves of a game's position: whether they are ranked by DTZ, and each move's
/// rank and score.
fn ranks(probing: &Probing, game: &Game) -> (bool, Vec<(String, i32, i32)>) {
    let moves = game.board().legal_moves();
    let ranks = probing
        .rank_root(game, &moves, None)
        .expect("the root was not ranked");
    let tell = |ranked: &Ranked| {
        let mv = move_to_uci(game.board(), ranked.mv, false);
        (mv, ranked.rank, ranked.score)
    };
    (ranks.by_dtz, ranks.moves.iter().map(tell).collect())
}

/// Returns the number of moves with the highest rank.
fn best(ranks: &[(String, i32, i32)]) -> usize {
    ranks.iter().filter(|ranked| ranked.1 == ranks[0].1).count()
}

#[test]
fn the_moves_of_the_root_are_ranked() {
    let Some(folder) = syzygy() else { return };
    let probing = |path: &Path, fifty| Probing {
        tables: Some(Arc::new(Tablebases::open(&path.to_string_lossy()).0)),
        fifty,
        ..Probing::default()
    };
    let all = probing(&folder.join("3-4-man"), true);
    let rook = |clock| Game::new(board(&format!("8/8/8/8/4k3/8/8/R3K3 w - - {clock} 80")));
    let won = |ranks: &[(String, i32, i32)]| ranks.iter().filter(|r| r.2 >= DECISIVE).count();

    // With time to spare all wins rank equally; when time runs short, only the fastest has the
    // highest rank.
    let (by_dtz, early) = ranks(&all, &rook(0));
    assert!(
        by_dtz && best(&early) == won(&early) && won(&early) > 10,
        "{early:?}"
    );
    let (_, late) = ranks(&all, &rook(70));
    assert!(best(&late) < won(&late) && won(&late) > 0, "{late:?}");
    let (_, over) = ranks(&all, &rook(90));
    assert!(won(&over) == 0 && over[0].2 == 1, "{over:?}");
    let (_, endless) = ranks(&probing(&folder.join("3-4-man"), false), &rook(90));
    assert_eq!(won(&endless), won(&early));

    // Once a position has been repeated, the shortest win ranks highest.
    let mut shuffled = rook(0);
    for text in ["a1b1", "e4d4", "b1a1", "d4e4"] {
        let mv = parse_move(shuffled.board(), text).expect("the move is illegal");
        shuffled.play(mv);
    }
    let (_, again) = ranks(&all, &shuffled);
    assert!(best(&again) < won(&again), "{again:?}");
    // The third occurrence is a draw even in a won position.
    for text in ["a1b1", "e4d4", "b1a1"] {
        let mv = parse_move(shuffled.board(), text).expect("the move is illegal");
        shuffled.play(mv);
    }
    let (_, lost) = ranks(&all, &shuffled);
    assert!(
        lost[0].0 == "d4e4" && lost[0].2 == 0 && lost[1].2 <= -DECISIVE,
        "{lost:?}"
    );
    assert!(
        lost[1..].is_sorted_by(|a, b| a.1 >= b.1 && a.2 >= b.2),
        "{lost:?}"
    );

    // Without DTZ tables only the results count.
    let scratch = scratch("tables-wdl");
    copy(
        &folder.join("3-4-man/KRvK.rtbw"),
        &scratch.join("KRvK.rtbw"),
    );
    let (by_dtz, plain) = ranks(&probing(&scratch, true), &rook(70));
    assert!(!by_dtz && best(&plain) == won(&early), "{plain:?}");
}

/// Damages one table after the other at random, and probes it for all its known values. Returns how
/// often the damage was noticed.
fn damage(folder: &Path, rounds: u32, seed: u64) -> u32 {
    let mut by_pieces: BTreeMap<String, Vec<Board>> = BTreeMap::new();
    for (fen, ..) in vectors(folder) {
        let board = board(&fen);
        by_pieces.entry(pieces(&fen)).or_default().push(board);
    }
    let scratch = scratch("tables-damaged");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.join("3-4-man")).expect("cannot open the tables") {
        let path = entry.expect("cannot read an entry of the folder").path();
        let name = path
            .file_name()
            .expect("the file has no name")
            .to_string_lossy()
            .into_owned();
        copy(&path, &scratch.join(&name));
        names.push(name);
    }
    names.sort();
    let mut rng = Rng::new(seed);
    let mut noticed = 0;
    for _ in 0..rounds {
        let name = &names[rng.below(names.len())];
        let pieces = name
            .split('.')
            .next()
            .expect("there are no pieces in the name");
        let path = scratch.join(name);
        let whole = fs::read(&path).expect("cannot read the table");
        fs::write(&path, damaged(whole.clone(), &mut rng)).expect("cannot write a file");
        let (tables, faults) = Tablebases::open(&scratch.to_string_lossy());
        for board in &by_pieces[pieces] {
            tables.wdl(board);
            tables.dtz(board);
        }
        let found = tables.take_faults();
        // A wrong WDL value may make the DTZ table of the same pieces look damaged.
        assert!(found.len() <= 2, "each is reported once: {found:?}");
        assert!(
            found.iter().all(|fault| fault.contains(pieces)),
            "{found:?}"
        );
        noticed += u32::from(faults.len() + found.len() > 0);
        drop(tables);
        fs::write(&path, whole).expect("cannot write a file");
    }
    noticed
}

/// Returns the name of the table for a position.
fn pieces(fen: &str) -> String {
    let pieces = fen
        .split(' ')
        .next()
        .expect("there are no pieces in the name");
    let side = |is_own: fn(&char) -> bool| {
        let own = pieces.chars().filter(is_own);
        let mut pieces: Vec<char> = own.map(|piece| piece.to_ascii_uppercase()).collect();
        pieces.sort_by_key(|piece| "KQRBNP".find(*piece));
        pieces
    };
    let mut sides = [
        side(char::is_ascii_uppercase),
        side(char::is_ascii_lowercase),
    ];
    let worth = |side: &Vec<char>| {
        let order: Vec<_> = side.iter().map(|piece| "PNBRQK".find(*piece)).collect();
        (side.len(), order)
    };
    sides.sort_by_key(|side| std::cmp::Reverse(worth(side)));
    sides
        .map(|side| side.into_iter().collect::<String>())
        .join("v")
}

fn damaged(mut bytes: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    let header = 300.min(bytes.len());
    match rng.below(8) {
        // The file is cut to a size that tables can have, or to any other.
        0 => bytes.truncate(16 + 64 * rng.below(bytes.len() / 64)),
        1 => bytes.truncate(rng.below(bytes.len())),
        2 => bytes[16..].fill(0),
        3 => {
            let at = rng.below(bytes.len());
            bytes[at..].fill(rng.below(256) as u8);
        }
        kind => {
            for _ in 0..=rng.below(1 << (kind - 3)) {
                let reach = if kind < 6 { header } else { bytes.len() };
                let at = rng.below(reach);
                if rng.below(2) == 0 {
                    bytes[at] ^= 1 << rng.below(8);
                } else {
                    bytes[at] = rng.below(256) as u8;
                }
            }
        }
    }
    bytes
}

#[test]
fn damaged_files_do_no_harm() {
    let Some(folder) = syzygy() else { return };
    let noticed = damage(&folder, 150, 1);
    assert!(noticed >= 40, "only {noticed} were noticed");
}

/// A table with pawns and the same pieces on both sides serves both sides to move. One that claims
/// to be for Black would make a probe recurse without end.
#[test]
fn a_table_that_leads_in_a_circle_is_refused() {
    let Some(folder) = syzygy() else { return };
    let scratch = scratch("tables-circle");
    for name in ["KPvKP.rtbw", "KPvKP.rtbz"] {
        let mut bytes = fs::read(folder.join("3-4-man").join(name)).expect("cannot read the table");
        // The offsets of the flags for the four files of the board.
        for at in [30, 1052, 2590, 3924] {
            bytes[at] |= u8::from(name.ends_with('z'));
        }
        fs::write(scratch.join(name), bytes).expect("cannot write a file");
    }
    let (tables, _) = Tablebases::open(&scratch.to_string_lossy());
    let oracle = Oracle::new(&folder);
    let mut rng = Rng::new(4);
    let mut asked = 0;
    while asked < 40 {
        let Some(position) = random_position(&mut rng) else {
            continue;
        };
        let fen = fen_of(&position, 0);
        // The distance is too long to be explained by pawn moves alone.
        if pieces(&fen) == "KPvKP" && oracle.dtz(&position).abs() > 4 {
            assert!(tables.dtz(&board(&fen)).is_none(), "{fen}");
            asked += 1;
        }
    }
    let faults = tables.take_faults();
    assert!(
        faults.len() == 1 && faults[0].contains("KPvKP.rtbz: the table is damaged"),
        "{faults:?}"
    );
}

#[test]
#[ignore = "a minute: `make endings`"]
fn many_damaged_files_do_no_harm() {
    let Some(folder) = syzygy() else { return };
    let rounds = 20_000;
    let noticed = damage(&folder, rounds, 2);
    println!("{rounds} damaged files, {noticed} noticed, no crash");
}

/// Checks that a line is legal, mates, and is not drawn before.
fn check_mates(game: &Game, line: &[rejoinder::types::Move]) {
    let fen = game.board().fen(false);
    let (mut game, mut position) = (game.clone(), position(&fen));
    let mut before = Vec::new();
    for &mv in line {
        let is_over = is_drawn(&position, &before) || position.is_checkmate();
        assert!(!is_over, "{fen} is over at {}", game.board().fen(false));
        let uci: shakmaty::uci::UciMove = move_to_uci(game.board(), mv, false)
            .parse()
            .expect("not a move in UCI notation");
        let theirs = uci.to_move(&position).expect("the move is illegal");
        before.push(position.clone());
        position.play_unchecked(theirs);
        game.play(mv);
    }
    assert!(position.is_checkmate(), "{fen} ends in {position:?}");
}

#[test]
fn won_and_lost_lines_go_on_to_the_mate() {
    let Some(folder) = syzygy() else { return };
    let oracle = Oracle::new(&folder);
    let probing = Probing {
        tables: Some(Arc::new(tables(&folder))),
        ..Probing::default()
    };
    let late = Instant::now() + Duration::from_mins(10);
    let lengthen = |game: &Game, line: &[_], wins| probing.lengthen(game, line, wins, late);
    let mut blunders = 0;
    for fen in won_positions(&oracle, 60, 7) {
        let game = Game::new(board(&fen));
        let line = lengthen(&game, &[], true).expect("the position is won");
        check_mates(&game, &line);
        assert_eq!(lengthen(&game, &line, true), None);
        let start = &line[..line.len().min(3)];
        if start.len() < line.len() {
            let again = lengthen(&game, start, true).expect("the line does not mate yet");
            assert!(again.starts_with(start));
            check_mates(&game, &again);
        }
        assert_eq!(lengthen(&game, start, false), None, "{fen} is not lost");
        assert_eq!(probing.lengthen(&game, &[], true, Instant::now()), None);

        // The loser's side.
        let mut after = game.clone();
        after.play(line[0]);
        if let Some(lost) = lengthen(&after, &[], false) {
            check_mates(&after, &lost);
        } else {
            assert_eq!(line.len(), 1, "{fen}");
        }

        // A line is not followed where it loses the win, but its first move stays.
        let worst = |game: &Game| {
            let ranks = probing.rank_root(game, &game.board().legal_moves(), None)?;
            let worst = *ranks.moves.last()?;
            (worst.score < DECISIVE).then_some(worst.mv)
        };
        if let Some(blunder) = worst(&game) {
            assert_eq!(lengthen(&game, &[blunder], true), None);
        }
        if line.len() > 2 {
            let mut later = game.clone();
            line[..2].iter().for_each(|&mv| later.play(mv));
            let Some(blunder) = worst(&later) else {
                continue;
            };
            let spoilt = [line[0], line[1], blunder];
            let mended = lengthen(&game, &spoilt, true).expect("the position is won");
            assert!(mended.starts_with(&line[..2]) && mended[2] != blunder);
            check_mates(&game, &mended);
            blunders += 1;
        }
    }
    assert!(blunders > 10, "only {blunders} positions could be spoilt");

    // A line that enters the tables by a capture.
    let game = Game::new(board("8/2k5/3r4/8/3PK3/8/3R4/8 b - - 0 1"));
    assert_eq!(lengthen(&game, &[], false), None);
    let capture = parse_move(game.board(), "d6d4").expect("the move is illegal");
    let line = lengthen(&game, &[capture], false).expect("the rook is lost");
    assert_eq!(line[0], capture);
    check_mates(&game, &line);
}

/// The oracle of the games below: the same tables, read only by the crate.
struct Oracle(Tablebase<Chess>);

impl Oracle {
    fn new(folder: &Path) -> Self {
        let mut tables = Tablebase::new();
        tables
            .add_directory(folder.join("3-4-man"))
            .expect("cannot open the tables");
        Self(tables)
    }

    /// Returns the result for the side to move.
    fn wdl(&self, position: &Chess) -> i32 {
        self.0
            .probe_wdl_after_zeroing(position)
            .expect("no table has the position") as i32
    }

    fn dtz(&self, position: &Chess) -> i32 {
        self.0
            .probe_dtz(position)
            .expect("no table has the position")
            .ignore_rounding()
            .0
    }
}

/// A game between the engine and a perfect opponent. Draws are detected here, independently of the
/// engine.
struct Match<'a> {
    oracle: &'a Oracle,
    engine: Engine,
    inbox: Receiver<Event>,
    nodes: u64,
    rng: Rng,
}

/// The result of a game for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Won,
    Drawn,
    Lost,
}

impl<'a> Match<'a> {
    fn new(folder: &Path, oracle: &'a Oracle, nodes: u64, seed: u64) -> Self {
        let (events, inbox) = mpsc::channel();
        let sink = move |event| drop(events.send(event));
        let mut engine = Engine::new(Arc::new(sink), 1, 1).expect("cannot start the engine");
        engine.set_probing(Probing {
            tables: Some(Arc::new(tables(folder))),
            ..Probing::default()
        });
        Self {
            oracle,
            engine,
            inbox,
            nodes,
            rng: Rng::new(seed),
        }
    }

    /// Plays the game to its end. `best` chooses the opponent's moves.
    fn play(
        &mut self,
        fen: &str,
        ours: Color,
        best: fn(&mut Self, &Chess, &[Chess]) -> Move,
    ) -> End {
        let mut game = Game::new(board(fen));
        let mut position = position(fen);
        let mut before: Vec<Chess> = Vec::new();
        self.engine.new_game();
        loop {
            if let Some(end) = end_of(&position, &before, ours) {
                return end;
            }
            let text = if position.turn() == ours {
                self.engines_move(&game)
            } else {
                let mv = best(self, &position, &before);
                mv.to_uci(CastlingMode::Chess960).to_string()
            };
            let mv = parse_move(game.board(), &text).expect("the move is illegal");
            game.play(mv);
            let uci: shakmaty::uci::UciMove = text.parse().expect("not a move in UCI notation");
            let mv = uci.to_move(&position).expect("the move is illegal");
            before.push(position.clone());
            position.play_unchecked(mv);
        }
    }

    fn engines_move(&mut self, game: &Game) -> String {
        self.engine.set_position(game.clone());
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        self.engine.go(limits, Instant::now(), Duration::ZERO, 1);
        while !matches!(self.inbox.recv(), Ok(Event::Finished)) {}
        let best = self.engine.conclude().best;
        move_to_uci(game.board(), best, false)
    }

    /// Returns the move with the greatest value, at random among several.
    fn pick(&mut self, position: &Chess, worth: impl Fn(&Chess, Move) -> i64) -> Move {
        let moves = position.legal_moves();
        let worths: Vec<i64> = moves
            .iter()
            .map(|&mv| {
                let mut after = position.clone();
                after.play_unchecked(mv);
                worth(&after, mv)
            })
            .collect();
        let most = worths.iter().max();
        let best: Vec<Move> = (moves.iter().zip(&worths))
            .filter(|(_, worth)| Some(*worth) == most)
            .map(|(mv, _)| *mv)
            .collect();
        self.rng.choose(&best).expect("there is no move")
    }

    /// Takes a draw if there is one, else the longest way to the next capture or pawn move.
    fn resist(&mut self, position: &Chess, before: &[Chess]) -> Move {
        let oracle = self.oracle;
        self.pick(position, |after, mv| {
            let is_draw = is_drawn(after, &with(before, position));
            let theirs = oracle.dtz(after);
            let way = if mv.is_zeroing() {
                0
            } else {
                i64::from(theirs.abs())
            };
            match theirs {
                _ if is_draw => 100_000,
                ..0 => 200_000,
                0 => 100_000,
                // The win takes longer than the fifty-move rule allows.
                _ if way + i64::from(after.halfmoves()) > 100 => 90_000 + way,
                _ if oracle.wdl(after) == 1 => 80_000 + way,
                _ => way,
            }
        })
    }

    /// Keeps the draw, avoids repetitions, and leaves the engine as many losing moves as possible.
    fn tempt(&mut self, position: &Chess, before: &[Chess]) -> Move {
        let oracle = self.oracle;
        self.pick(position, |after, _| {
            let loses = |reply: &Move| {
                let mut answer = after.clone();
                answer.play_unchecked(*reply);
                oracle.wdl(&answer) == 2
            };
            let traps = after.legal_moves().iter().filter(|mv| loses(mv)).count();
            let repeats = before.contains(after);
            let kept = -1000 * i64::from(oracle.wdl(after));
            kept - 500 * i64::from(repeats) + traps as i64
        })
    }
}

fn with(before: &[Chess], position: &Chess) -> Vec<Chess> {
    [before, std::slice::from_ref(position)].concat()
}

fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().expect("the FEN is invalid");
    fen.into_position(CastlingMode::Chess960)
        .expect("the position is illegal")
}

fn is_drawn(position: &Chess, before: &[Chess]) -> bool {
    !position.is_checkmate()
        && (position.halfmoves() >= 100
            || position.is_stalemate()
            || position.is_insufficient_material()
            || before.iter().filter(|earlier| *earlier == position).count() >= 2)
}

fn end_of(position: &Chess, before: &[Chess], ours: Color) -> Option<End> {
    if position.is_checkmate() {
        let end = if position.turn() == ours {
            End::Lost
        } else {
            End::Won
        };
        return Some(end);
    }
    is_drawn(position, before).then_some(End::Drawn)
}

/// Returns a random position with four pieces.
fn random_position(rng: &mut Rng) -> Option<Chess> {
    const KINDS: [Role; 5] = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ];
    let mut setup = shakmaty::Setup::empty();
    setup.turn = Color::from_white(rng.chance(0.5));
    let first = KINDS[rng.below(5)].of(Color::White);
    let second = KINDS[rng.below(5)].of(Color::from_white(rng.chance(0.5)));
    for piece in [Color::White.king(), Color::Black.king(), first, second] {
        let square = Square::new(rng.below(64) as u32);
        let edge = [shakmaty::Rank::First, shakmaty::Rank::Eighth].contains(&square.rank());
        if setup.board.piece_at(square).is_some() || edge && piece.role == Role::Pawn {
            return None;
        }
        setup.board.set_piece_at(square, piece);
    }
    Chess::from_setup(setup, CastlingMode::Chess960).ok()
}

fn fen_of(position: &Chess, clock: i32) -> String {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    setup.halfmoves = clock as u32;
    Fen::try_from(setup)
        .expect("the FEN is invalid")
        .to_string()
}

/// Positions that the side to move wins. In every third one, the halfmove clock leaves exactly as
/// much time as the table needs.
fn won_positions(oracle: &Oracle, count: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut fens = Vec::new();
    while fens.len() < count {
        let Some(position) = random_position(&mut rng) else {
            continue;
        };
        if oracle.wdl(&position) != 2 {
            continue;
        }
        let way = oracle.dtz(&position);
        let is_tight = fens.len() % 3 == 2;
        if way < 10 && (is_tight || rng.chance(0.9)) {
            continue;
        }
        fens.push(fen_of(&position, if is_tight { 99 - way } else { 0 }));
    }
    fens
}

/// Drawn positions in which the side to move can go wrong.
fn drawn_positions(oracle: &Oracle, count: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut fens = Vec::new();
    while fens.len() < count {
        let Some(position) = random_position(&mut rng) else {
            continue;
        };
        let loses = |mv: &Move| {
            let mut after = position.clone();
            after.play_unchecked(*mv);
            oracle.wdl(&after) == 2
        };
        if oracle.wdl(&position) == 0 && position.legal_moves().iter().any(loses) {
            fens.push(fen_of(&position, 0));
        }
    }
    fens
}

/// Plays this many won and this many drawn endings; none may be spoilt.
fn endings(folder: &Path, count: usize, nodes: u64, seed: u64) {
    let oracle = Oracle::new(folder);
    let mut game = Match::new(folder, &oracle, nodes, seed);
    let begun = Instant::now();
    for fen in won_positions(&oracle, count, seed) {
        let ours = position(&fen).turn();
        assert_eq!(game.play(&fen, ours, Match::resist), End::Won, "{fen}");
    }
    println!("{count} won endings won, {:.1?}", begun.elapsed());
    let begun = Instant::now();
    for fen in drawn_positions(&oracle, count, seed) {
        let ours = position(&fen).turn();
        assert_eq!(game.play(&fen, ours, Match::tempt), End::Drawn, "{fen}");
    }
    println!("{count} drawn endings held, {:.1?}", begun.elapsed());
}

#[test]
fn some_endings_are_won_and_held() {
    let Some(folder) = syzygy() else { return };
    endings(&folder, 10, 300, 1);
}

#[test]
#[ignore = "minutes: `make endings`"]
fn endings_are_won_and_held() {
    let Some(folder) = syzygy() else { return };
    endings(&folder, 300, 2000, 2);
}
