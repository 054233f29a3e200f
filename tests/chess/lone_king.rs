//! A lone king is mated without tablebases, because the evaluation knows the way.

use rejoinder::board::{Board, Game, Outcome};
use rejoinder::clock::Limits;
use rejoinder::search::{SearchRequest, Setup, Silent};
use rejoinder::smp::Solo;
use rejoinder::types::Color;

/// Lets the engine play both sides with this many nodes a move. Returns the result and the number
/// of plies.
fn play(fen: &str, nodes: u64) -> (Outcome, usize) {
    let board = Board::from_fen(fen).expect(fen);
    let mut solo = Solo::new(Setup::default(), 4).expect("no memory");
    let mut game = Game::new(board);
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    loop {
        if let Some(outcome) = game.outcome() {
            return (outcome, game.ply());
        }
        let job = SearchRequest::new(game.clone(), limits.clone());
        let result = solo.search(&job, &mut Silent);
        game.play(result.pv[0]);
    }
}

#[test]
fn a_lone_king_is_mated() {
    for (fen, nodes, winner) in [
        ("8/8/8/4k3/8/8/8/3QK3 w - - 0 1", 1_000, Color::White),
        ("8/8/8/4k3/8/8/8/3RK3 w - - 0 1", 2_000, Color::White),
        ("8/8/8/4k3/8/8/8/2B1KB2 w - - 0 1", 10_000, Color::White),
        ("8/8/8/4k3/8/8/8/4KBN1 w - - 0 1", 100_000, Color::White),
        ("4kbn1/8/8/8/3K4/8/8/8 b - - 0 1", 100_000, Color::Black),
    ] {
        let (outcome, plies) = play(fen, nodes);
        println!("{fen}: {outcome:?} after {plies} plies");
        assert_eq!(outcome, Outcome::win(winner), "{fen}");
    }
}
