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
        let first = line.split_whitespace().next().unwrap_or_default();
        if self.position_refused && is_like_a_move(first) {
            self.answer();
            self.note(NO_BOARD);
            return true;
        }
        match notation::parse_line(&board, line.split_whitespace()) {
            Ok(moves) if moves.is_empty() => return false,
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

/// Returns whether a word looks like a move on some board, perhaps behind its number: it names a
/// square behind a piece or a file, or castles.
fn is_like_a_move(word: &str) -> bool {
    let word = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let is_castling = ["O-O", "0-0", "o-o"]
        .iter()
        .any(|king| word.starts_with(king));
    let is_square = |two: &[u8]| matches!(two, [b'a'..=b'h', b'1'..=b'8']);
    let names_a_square = word.as_bytes().windows(2).any(is_square);
    is_castling || names_a_square && word.starts_with(|first| "abcdefghKQRBNP".contains(first))
}

#[cfg(test)]
mod tests {
    use super::is_like_a_move;

    #[test]
    fn moves_of_any_board_are_told_from_other_words() {
        for word in [
            "e4", "1.Nf6", "12...", "a7a8q", "O-O", "exd5", "Nbd7+", "e8=Q#", "e2-e4",
        ] {
            assert_eq!(is_like_a_move(word), word != "12...", "{word}");
        }
        for word in ["d", "uci", "godot", "help", "e9", "hello", "x4", ""] {
            assert!(!is_like_a_move(word), "{word}");
        }
    }
}
