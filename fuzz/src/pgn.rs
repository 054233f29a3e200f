//! PGN made of bytes of unknown origin, as `annotate`, `data import` and the page read it.

use rejoinder::board::{Board, san};
use rejoinder_study::pgn::{self, GameText, Item, Line, Record, Source, games};

/// A file of games.
pub fn pgn(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let (mut number, mut end) = (0, 0);
    while let Ok(Some(game)) = source.next_game() {
        number += 1;
        assert_eq!(game.number, number);
        assert!((end..=bytes.len() as u64).contains(&game.end), "{game:?}");
        end = game.end;
        check_game(game);
    }
}

fn check_game(game: GameText) {
    let data = games::read(&game);
    if let Err(damage) = &data {
        assert!(!damage.contains('\n'), "{damage:?}");
    }
    match pgn::read(game) {
        Ok(record) => {
            check_record(&record);
            if let Ok(data) = data {
                let moves = data.moves.iter().map(|(mv, _)| mv);
                assert!(moves.eq(&record.moves), "{record:?}");
                assert_eq!(data.result, record.outcome());
            }
        }
        Err(refused) => {
            assert!(!refused.reason.is_empty());
            assert!(data.is_err(), "{}", refused.text);
        }
    }
}

/// The moves are legal, and a line names the same ones.
fn check_record(record: &Record) {
    assert!(["1-0", "0-1", "1/2-1/2", "*"].contains(&record.outcome()));
    check_line(&record.line, record.start);
    let mut board = record.start;
    for (mv, ply) in record.moves.iter().zip(&record.line.plies) {
        assert!(board.is_legal(*mv), "{mv:?} in {record:?}");
        assert_eq!(san::to_san(&board, *mv), ply.san);
        board.make(*mv);
    }
    assert!(record.moves.len() <= record.line.plies.len());
}

/// Every move of a line can be played, and so can those of its variations.
fn check_line(line: &Line, start: Board) {
    let (mut before, mut board) = (start, start);
    check_items(&line.head, before);
    for ply in &line.plies {
        before = board;
        if ply.san == "--" {
            board.make_null();
        } else {
            let mv = san::parse(&board, &ply.san);
            let mv = mv.unwrap_or_else(|| panic!("{} in {}", ply.san, board.fen(true)));
            board.make(mv);
        }
        check_items(&ply.items, before);
    }
}

fn check_items(items: &[Item], before: Board) {
    for item in items {
        match item {
            // Braces end a comment in the file that is written.
            Item::Comment(text) => assert!(!text.contains('}'), "{text}"),
            Item::Variation(line) => {
                assert!(!line.plies.is_empty());
                check_line(line, before);
            }
            Item::Nag(_) => {}
        }
    }
}
