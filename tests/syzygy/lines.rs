//! Lines that tablebases lengthen.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rejoinder::board::Game;
use rejoinder::board::coordinates::{move_to_uci, parse_move};
use rejoinder::tablebase::Probing;
use rejoinder::types::score::DECISIVE;
use shakmaty::Position;

use crate::oracle::{Oracle, is_drawn, position, won_positions};
use crate::{board, syzygy, tables};

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
    let is_over = || Instant::now() >= late;
    let lengthen = |game: &Game, line: &[_], wins| probing.lengthen(game, line, wins, &is_over);
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
        assert_eq!(probing.lengthen(&game, &[], true, &|| true), None);

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
            let ranks = probing.rank_root(game, &game.board().legal_moves(), 1, &|| false)?;
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
