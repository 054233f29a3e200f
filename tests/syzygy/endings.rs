//! Endings against a perfect opponent.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use rejoinder::board::Game;
use rejoinder::board::coordinates::{move_to_uci, parse_move};
use rejoinder::clock::Limits;
use rejoinder::search::SearchRequest;
use rejoinder::smp::{Engine, Event};
use rejoinder::tablebase::Probing;
use rejoinder::types::Rng;
use shakmaty::{CastlingMode, Chess, Color, Move, Position};

use crate::oracle::{Oracle, drawn_positions, is_drawn, position, won_positions};
use crate::{board, syzygy, tables};

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
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        self.engine.go(SearchRequest::new(game.clone(), limits));
        while !matches!(self.inbox.recv(), Ok(Event::Finished)) {}
        let best = self.engine.stop_and_vote().best;
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
