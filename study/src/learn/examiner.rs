//! Whether a move solves an exercise.

use rejoinder::board::{Board, Game};
use rejoinder::clock::Limits;
use rejoinder::types::Move;

use crate::runner::EngineRunner;
use crate::scale::{Ruler, Scale};

/// The loss of winning chance, 0 to 1, that a solution may have.
pub(super) const MOST_LOSS: f64 = 0.05;
/// Megabytes of the transposition table.
const HASH: u64 = 64;

/// An engine that compares moves.
pub(super) struct Examiner {
    runner: EngineRunner,
    ruler: Ruler,
    nodes: u64,
}

/// A move, compared with the best one.
pub(super) struct Verdict {
    /// The winning chance that the move loses, 0 to 1.
    pub loss: f64,
    /// The move, and how the engine goes on.
    pub line: Vec<Move>,
}

impl Verdict {
    /// Returns whether the move counts as a solution.
    pub fn is_right(&self) -> bool {
        self.loss <= MOST_LOSS
    }
}

impl Examiner {
    /// Starts an engine that searches so many nodes for a move.
    ///
    /// # Errors
    /// If memory or threads are lacking.
    pub fn new(nodes: u64) -> anyhow::Result<Self> {
        let runner = EngineRunner::new(HASH, 1)?;
        let ruler = Ruler {
            scale: Scale::Lichess,
            model: runner.win_rate(),
        };
        Ok(Self {
            runner,
            ruler,
            nodes,
        })
    }

    /// Compares a move with the best one.
    pub fn judge(&mut self, board: &Board, mv: Move) -> Verdict {
        let (best, _) = self.search(board, &[]);
        let (tried, line) = self.search(board, &[mv]);
        Verdict {
            loss: (best - tried).max(0.0),
            line: if line.is_empty() { vec![mv] } else { line },
        }
    }

    /// Searches among these moves, or all; returns the winning chance of the side to move, 0 to 1, and
    /// the line.
    fn search(&mut self, board: &Board, among: &[Move]) -> (f64, Vec<Move>) {
        let limits = Limits {
            nodes: Some(self.nodes),
            search_moves: among.to_vec(),
            ..Limits::default()
        };
        let found = self.runner.think_on(Game::new(*board), &limits);
        let Some(report) = found.report else {
            return (0.0, Vec::new());
        };
        (self.ruler.chance(report.score, board), report.pv)
    }
}

#[cfg(test)]
mod tests {
    use rejoinder::board::san;

    use super::*;

    #[test]
    fn moves_within_the_limit_are_right_and_others_are_refuted() {
        // Black threatens nothing; Qxb7 loses the queen to Rxb7.
        let board = Board::from_fen("1r4k1/1p3ppp/8/8/8/1Q6/5PPP/6K1 w - - 0 1").expect("valid");
        let mut examiner = Examiner::new(20_000).expect("an engine");
        let mut judge = |text: &str| {
            let mv = san::parse(&board, text).expect("legal");
            examiner.judge(&board, mv)
        };
        assert!(judge("h3").is_right());
        let wrong = judge("Qxb7");
        assert!(!wrong.is_right() && wrong.loss > 0.2, "{}", wrong.loss);
        let line = san::words(&board, &wrong.line).join(" ");
        assert!(line.starts_with("1. Qxb7 Rxb7"), "{line}");
    }
}
