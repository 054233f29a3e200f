//! Commands for people at a prompt, beside those of the protocol.

use super::Session;
use crate::board::{Board, Game, notation};
use crate::commands::bench::{self, Plan};
use crate::eval;
use crate::uci::flip::flipped;
use crate::uci::request::NO_BOARD;
use crate::uci::{command, format};

/// The answer to `help`.
pub(super) const HELP: &str = "\
position startpos moves e4 e7e5     set up a position; moves as in UCI or in books
Nf3 Nc6                             play moves on the board; 'position startpos' begins again
go movetime 5000                    think for five seconds; also depth, nodes, mate, infinite, wtime …
stop                                answer now
setoption name Threads value 2      change an option; 'uci' lists them
go perft 5                          count the positions five plies on
d, eval, flip                       show the board, its evaluation; change its colors
bench                               the fixed run that measures speed
compiler                            what this program was built with
quit, exit                          leave

The program rejoinder-study plays and analyzes at the terminal.";

impl Session {
    /// `bench`
    pub(super) fn bench(&self, depth: Option<i32>) {
        let mut plan = Plan::usual(self.engine.setup().clone());
        plan.depth = depth.unwrap_or(plan.depth);
        if let Err(error) = bench::run(plan, &mut self.writer.as_write()) {
            self.note(&error.to_string());
        }
    }

    /// `eval`
    pub(super) fn explain(&mut self) {
        let setup = self.engine.setup();
        let text = eval::explain(&setup.network, setup.kernel, self.board());
        self.print(&text);
    }

    /// Plays the moves of a line that is no command. Returns whether it was one of moves.
    pub(super) fn play(&mut self, line: &str) -> bool {
        let board = *self.board();
        match notation::parse_line(&board, line.split_whitespace()) {
            Ok(moves) if moves.is_empty() => return false,
            Ok(_) if self.position_refused => {
                self.answer();
                self.note(NO_BOARD);
            }
            Ok(moves) => {
                self.answer();
                for mv in moves {
                    self.game.play(mv);
                }
                self.print(&format::diagram(self.board()));
            }
            // The first word tells whether moves are meant.
            Err(word) if line.trim_start().starts_with(word) => return false,
            Err(word) => self.note(&format!("{} is not legal there", command::quote(word))),
        }
        true
    }

    /// `d`
    pub(super) fn display(&self) {
        let board = self.board();
        let checkers: Vec<String> = board
            .checkers()
            .into_iter()
            .map(|square| square.to_string())
            .collect();
        self.print(&format::diagram(board));
        self.writer
            .say(format!("Fen: {}", board.fen(self.settings.chess960)));
        self.writer.say(format!("Key: {:016X}", board.key()));
        self.writer.say(format!("Checkers: {}", checkers.join(" ")));
    }

    /// `flip`
    pub(super) fn flip(&mut self) {
        let fen = flipped(&self.board().fen(true));
        match Board::from_fen(&fen) {
            Ok(board) => self.game = Game::new(board),
            Err(error) => self.note(&format!("position refused: {error}")),
        }
    }

    /// Text for people, in as many lines as it has.
    pub(super) fn print(&self, text: &str) {
        for line in text.lines() {
            self.writer.say(line);
        }
    }
}
