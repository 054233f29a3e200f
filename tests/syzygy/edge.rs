//! Results that hang on the last plies before the fifty-move rule.

use std::collections::HashMap;
use std::sync::Arc;

use rejoinder::board::Game;
use rejoinder::board::coordinates::move_to_uci;
use rejoinder::tablebase::{Probing, Ranks};
use rejoinder::types::Rng;
use rejoinder::types::score::DECISIVE;
use shakmaty::{Chess, Position};

use crate::oracle::{Oracle, fen_of, position, random_position};
use crate::{board, syzygy, tables};

/// Finds the results of positions by trying all moves up to the end of the game, without DTZ.
struct Solver {
    oracle: Oracle,
    known: HashMap<(Chess, u32), i32>,
}

impl Solver {
    /// Returns 1 if the side to move wins, -1 if it loses, and 0 for a draw.
    fn result(&mut self, position: &Chess) -> i32 {
        if position.is_checkmate() {
            return -1;
        }
        if position.halfmoves() >= 100 || position.is_stalemate() {
            return 0;
        }
        // Results that the fifty-move rule spoils are halves of the values.
        let at_best = self.oracle.wdl(position) / 2;
        if position.halfmoves() == 0 || at_best == 0 {
            return at_best;
        }
        let key = (position.clone(), position.halfmoves());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let mut best = -1;
        for mv in position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(mv);
            best = best.max(-self.result(&after));
            if best == at_best.max(0) {
                break;
            }
        }
        self.known.insert(key, best);
        best
    }
}

fn ranked(probing: &Probing, fen: &str, lines: usize) -> Ranks {
    let game = Game::new(board(fen));
    probing
        .rank_root(&game, &game.board().legal_moves(), lines, &|| false)
        .expect("the root was not ranked")
}

#[test]
fn the_last_plies_are_exact() {
    let Some(folder) = syzygy() else { return };
    let probing = Probing {
        tables: Some(Arc::new(tables(&folder))),
        ..Probing::default()
    };
    let mut solver = Solver {
        oracle: Oracle::new(&folder),
        known: HashMap::new(),
    };
    let mut rng = Rng::new(42);
    let (mut moves, mut open) = (0, 0);
    while moves < 5_000 {
        let Some(random) = random_position(&mut rng) else {
            continue;
        };
        if solver.oracle.wdl(&random) == 0 || random.legal_moves().is_empty() {
            continue;
        }
        let fen = fen_of(&random, 94 + rng.below(5) as i32);
        let root = position(&fen);
        let board = board(&fen);
        let best = ranked(&probing, &fen, 1).moves[0];
        for ranked in ranked(&probing, &fen, usize::MAX).moves {
            let text = move_to_uci(&board, ranked.mv, true);
            let uci: shakmaty::uci::UciMove = text.parse().expect("not a move in UCI notation");
            let mut after = root.clone();
            after.play_unchecked(uci.to_move(&root).expect("the move is illegal"));
            let found = i32::from(ranked.score >= DECISIVE) - i32::from(ranked.score <= -DECISIVE);
            assert_eq!(found, -solver.result(&after), "{fen} {text} {ranked:?}");
            if ranked.mv == best.mv {
                assert_eq!(found, solver.result(&root), "{fen} {text} {ranked:?}");
                assert_eq!(ranked.score, best.score, "{fen} {text}");
            }
            moves += 1;
            let way = solver.oracle.dtz(&after).abs();
            let clock = after.halfmoves() as i32;
            open += i32::from(clock > 0 && way > 0 && clock + way == 100);
        }
    }
    println!("{moves} moves, all right; {open} of them on the edge");
    assert!(open > 100);
}
