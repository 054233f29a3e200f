//! The searches of a game: one for each position, and another one where the second-best move
//! matters.

use std::sync::atomic::{AtomicBool, Ordering};

use rejoinder::board::Game;
use rejoinder::clock::Limits;
use rejoinder::smp::runner::EngineRunner;
use rejoinder::types::{Move, Score, score};

use super::judge;
use super::opinion::Opinion;
use crate::pgn::Record;

/// Whoever searches the positions of a game.
pub(super) trait Searcher {
    /// Forgets everything, before a game.
    fn forget(&mut self);

    /// Searches the position of a game within the limits, with what earlier searches have left.
    fn search(&mut self, game: Game, limits: &Limits) -> Found;
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

    fn search(&mut self, game: Game, limits: &Limits) -> Found {
        let outcome = self.think_on(game, limits);
        let nodes = outcome.nodes();
        let (score, line) = outcome.report.map_or((score::DRAW, Vec::new()), |report| {
            (report.score, report.pv)
        });
        Found { score, line, nodes }
    }
}

/// The opinions of all positions of a game, and their cost.
#[derive(Clone, Debug)]
pub(super) struct Analysis {
    /// The opinions of the position before each move and of the last one.
    pub opinions: Vec<Opinion>,
    /// Number of nodes of all searches.
    pub nodes: u64,
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
    limits: &Limits,
    stop: &AtomicBool,
    tick: &mut dyn FnMut(),
) -> Option<Analysis> {
    let mut analysis = Analysis {
        opinions: Vec::new(),
        nodes: 0,
    };
    if record.moves.is_empty() {
        return Some(analysis);
    }
    searcher.forget();
    for played in (0..=record.moves.len()).rev() {
        let game = game_after(record, played);
        let is_last = played == record.moves.len();
        let opinion = match (game.outcome(), is_last) {
            // Two positions of a draw by repetition may differ by what comes next; only the last
            // one is surely the end.
            (Some(_), true) => ended(&game),
            _ => search(searcher, game, limits, &mut analysis.nodes),
        };
        analysis.opinions.push(opinion);
        tick();
        if stop.load(Ordering::Relaxed) {
            return None;
        }
    }
    analysis.opinions.reverse();
    // Afterwards, for these searches leave scores in the hash that are not those of the positions.
    let half = halved(limits);
    for (played, &mv) in record.moves.iter().enumerate() {
        if judge::may_stand_out(
            &analysis.opinions[played],
            mv,
            record.moves[..played].last(),
        ) {
            let board = &analysis.opinions[played].board;
            let mut others: Vec<Move> = board.legal_moves().into_iter().collect();
            others.retain(|other| *other != mv);
            let limits = Limits {
                search_moves: others,
                ..half.clone()
            };
            let game = game_after(record, played);
            let other = search(searcher, game, &limits, &mut analysis.nodes);
            analysis.opinions[played].second = Some(other.score);
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

fn ended(game: &Game) -> Opinion {
    let board = *game.board();
    let is_mate = board.in_check() && board.legal_moves().is_empty();
    Opinion {
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

fn search(searcher: &mut dyn Searcher, game: Game, limits: &Limits, nodes: &mut u64) -> Opinion {
    let board = *game.board();
    let found = searcher.search(game, limits);
    *nodes += found.nodes;
    Opinion {
        board,
        score: found.score,
        line: found.line,
        second: None,
    }
}

/// Returns limits that allow about half the work.
fn halved(limits: &Limits) -> Limits {
    Limits {
        move_time: limits.move_time.map(|time| (time / 2).max(1)),
        nodes: limits.nodes.map(|nodes| (nodes / 2).max(1)),
        depth: limits.depth.map(|depth| (depth - 1).max(1)),
        ..limits.clone()
    }
}
