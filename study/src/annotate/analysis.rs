//! The searches of a game: one for each position, longer ones where these contradict each other, and
//! another one where the second-best move matters.

use std::sync::atomic::{AtomicBool, Ordering};

use rejoinder::board::Game;
use rejoinder::clock::Limits;
use rejoinder::types::{Move, Score, score};

use super::effort::Effort;
use super::evaluation::{Analysis, Evaluation};
use super::judge;
use super::settle::settle;
use crate::pgn::Record;
use crate::runner::EngineRunner;
use crate::scale::Ruler;

/// Whoever searches the positions of a game.
pub(super) trait Searcher {
    /// Forgets everything, before a game.
    fn forget(&mut self);

    /// Searches the position of a game within the limits, with what earlier searches have left.
    fn search(&mut self, game: Game, limits: &Limits, purpose: Purpose) -> Found;
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Purpose {
    /// The score of the position, with the effort doubled so many times.
    Score(u32),
    /// The best of the moves beside the first choice.
    Others,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The score for the side to move, in internal centipawns.
    pub score: Score,
    /// The principal variation.
    pub line: Vec<Move>,
    /// Number of nodes.
    pub nodes: u64,
}

impl Searcher for EngineRunner {
    fn forget(&mut self) {
        Self::forget(self);
    }

    fn search(&mut self, game: Game, limits: &Limits, _: Purpose) -> Found {
        let outcome = self.think_on(game, limits);
        let nodes = outcome.nodes();
        let (score, line) = outcome.report.map_or((score::DRAW, Vec::new()), |report| {
            (report.score, report.pv)
        });
        Found { score, line, nodes }
    }
}

/// Analyzes a game and calls `tick` after each position. Returns `None` if `stop` was set
/// meanwhile.
///
/// The positions are searched from the last to the first with the hash kept. The search of a
/// position thus knows the consequences of the move played, and does not prefer a move that the
/// next search would refute.
pub(super) fn analyze(
    searcher: &mut dyn Searcher,
    record: &Record,
    effort: &Effort,
    ruler: Ruler,
    stop: &AtomicBool,
    tick: &mut dyn FnMut(),
) -> Option<Analysis> {
    let mut analysis = Analysis {
        evaluations: Vec::new(),
        doublings: Vec::new(),
        nodes: 0,
    };
    if record.moves.is_empty() {
        return Some(analysis);
    }
    searcher.forget();
    for played in (0..=record.moves.len()).rev() {
        let game = game_after(record, played);
        let is_last = played == record.moves.len();
        // Two positions of a draw by repetition may differ by what comes next; only the last one is
        // surely the end.
        let evaluation = if is_last && game.outcome().is_some() {
            ended(&game)
        } else {
            let (limits, purpose) = (effort.doubled(0), Purpose::Score(0));
            search(searcher, game, &limits, purpose, &mut analysis.nodes)
        };
        analysis.evaluations.push(evaluation);
        tick();
        if stop.load(Ordering::Relaxed) {
            return None;
        }
    }
    analysis.evaluations.reverse();
    analysis.doublings = vec![0; analysis.evaluations.len()];
    settle(
        &mut analysis,
        record,
        ruler,
        &mut |analysis, place, doublings| {
            let game = game_after(record, place);
            let limits = effort.doubled(doublings);
            let purpose = Purpose::Score(doublings);
            analysis.evaluations[place] =
                search(searcher, game, &limits, purpose, &mut analysis.nodes);
            (!stop.load(Ordering::Relaxed)).then_some(())
        },
    )?;
    // Afterwards, for these searches leave scores in the hash that are not those of the positions.
    for (played, &mv) in record.moves.iter().enumerate() {
        if judge::may_stand_out(
            &analysis.evaluations[played],
            mv,
            record.moves[..played].last(),
        ) {
            let board = &analysis.evaluations[played].board;
            let mut others: Vec<Move> = board.legal_moves().into_iter().collect();
            others.retain(|other| *other != mv);
            let limits = Limits {
                search_moves: others,
                ..effort.half_of(analysis.doublings[played])
            };
            let game = game_after(record, played);
            let other = search(
                searcher,
                game,
                &limits,
                Purpose::Others,
                &mut analysis.nodes,
            );
            analysis.evaluations[played].second = Some(other.score);
        }
        if stop.load(Ordering::Relaxed) {
            return None;
        }
    }
    Some(analysis)
}

fn game_after(record: &Record, plies: usize) -> Game {
    let mut game = Game::new(record.start);
    for &mv in &record.moves[..plies] {
        game.play(mv);
    }
    game
}

fn ended(game: &Game) -> Evaluation {
    let board = *game.board();
    let is_mate = board.in_check() && board.legal_moves().is_empty();
    Evaluation {
        board,
        score: if is_mate {
            score::mated_in(0)
        } else {
            score::DRAW
        },
        line: Vec::new(),
        second: None,
    }
}

fn search(
    searcher: &mut dyn Searcher,
    game: Game,
    limits: &Limits,
    purpose: Purpose,
    nodes: &mut u64,
) -> Evaluation {
    let board = *game.board();
    let found = searcher.search(game, limits, purpose);
    *nodes += found.nodes;
    Evaluation {
        board,
        score: found.score,
        line: found.line,
        second: None,
    }
}
