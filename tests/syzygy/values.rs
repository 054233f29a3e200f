//! Known values, and the ranks of root moves.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rejoinder::board::Game;
use rejoinder::board::coordinates::{move_to_uci, parse_move};
use rejoinder::tablebase::{Probing, Ranked, Tablebases, Wdl};
use rejoinder::types::score::DECISIVE;

use crate::{board, copy, scratch, syzygy, tables, vectors};

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
        .rank_root(game, &moves, 1, &|| false)
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
