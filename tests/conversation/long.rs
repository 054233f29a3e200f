//! Tests long games and many searches, where counters wrap and keys accumulate.

use std::fmt::Write as _;
use std::time::Instant;

use rejoinder::board::coordinates::move_to_uci;
use rejoinder::board::{Board, Game};
use rejoinder::types::Rng;

use crate::session::*;

/// The transposition table has 32 ages, so an entry from 32 searches ago looks new again.
#[test]
fn ages_come_round() {
    let mut session = Session::start();
    session.send("setoption name Hash value 1");
    let board = Board::startpos();
    for number in 0..100 {
        let lines = session.ask("go nodes 4000", "bestmove");
        check_answer(&board, &lines);
        // A search in between writes entries that are not probed again.
        if number % 7 == 3 {
            session.send("position fen 8/8/8/4k3/8/3QK3/8/5r2 w - - 0 1");
            session.ask("go nodes 20000", "bestmove");
            session.send("position startpos");
        }
    }
    session.quit();
}

/// Returns a game of random legal moves that goes on even where it would be drawn.
fn endless_game(plies: usize) -> Game {
    let mut rng = Rng::new(11);
    loop {
        let mut game = Game::new(Board::startpos());
        while game.ply() < plies {
            // Quiet moves are preferred, so that pieces stay on the board and mates are rare.
            let moves = game.board().legal_moves();
            let all: Vec<_> = moves.into_iter().collect();
            let quiet: Vec<_> = all.iter().copied().filter(|mv| mv.is_quiet()).collect();
            let from = if quiet.is_empty() { &all } else { &quiet };
            match rng.choose(from) {
                Some(mv) => game.play(mv),
                None => break,
            }
        }
        if game.ply() == plies && !game.board().legal_moves().is_empty() {
            return game;
        }
    }
}

#[test]
fn a_game_of_over_a_thousand_plies() {
    const PLIES: usize = 1200;
    let whole = endless_game(PLIES);
    let mut session = Session::start();
    let mut game = Game::new(Board::startpos());
    let mut line = "position startpos moves".to_owned();
    let begun = Instant::now();
    #[cfg(target_os = "linux")]
    let mut memory = 0;
    for ply in 0..PLIES {
        let mv = whole.played(PLIES - ply).mv;
        let _ = write!(line, " {}", move_to_uci(game.board(), mv, false));
        game.play(mv);
        // The whole game is sent before each move, as a GUI does it.
        if ply % 10 == 9 {
            session.send(&line);
            let lines = session.ask("go nodes 500", "bestmove");
            check_answer(game.board(), &lines);
        }
        #[cfg(target_os = "linux")]
        if ply == 200 {
            memory = session.memory();
        }
    }
    #[cfg(target_os = "linux")]
    assert!(
        session.memory() < memory + 4_000,
        "{} KB after {memory} KB",
        session.memory()
    );
    let halfmoves = game.board().halfmove_clock();
    println!(
        "{PLIES} plies in {:?}, {halfmoves} since the last capture",
        begun.elapsed()
    );
    // Reading the line alone takes almost no time.
    assert_prompt("a long game", || {
        let asked = Instant::now();
        session.send(&line);
        session.rest();
        asked.elapsed()
    });
    assert_eq!(session.fen(), game.board().fen(false));
    session.quit();
}
