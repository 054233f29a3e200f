//! The moves of an analysis: a line of moves, the place in it, and what undo restores.

use rejoinder::board::{Board, Game, notation};
use rejoinder::types::Move;

/// A line of legal moves and a place in it.
#[derive(Clone, Debug)]
pub struct Study {
    start: Board,
    moves: Vec<Move>,
    /// The number of moves played on the board; the others are still to come.
    at: usize,
    /// Earlier lines and places, the latest last.
    past: Vec<(Vec<Move>, usize)>,
}

impl Study {
    /// Begins at the end of a line of legal moves.
    pub fn new(start: Board, moves: Vec<Move>) -> Self {
        let at = moves.len();
        Self {
            start,
            moves,
            at,
            past: Vec::new(),
        }
    }

    /// Returns the position before the first move.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// Returns all moves of the line, with those that are still to come.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the number of moves played on the board.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the game up to the position on the board.
    pub fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        for &mv in &self.moves[..self.at] {
            game.play(mv);
        }
        game
    }

    /// Goes to another place in the line; a place beyond an end is that end. Returns whether the
    /// position changes.
    pub fn go_to(&mut self, place: usize) -> bool {
        let before = self.at;
        self.at = place.min(self.moves.len());
        self.at != before
    }

    /// Makes one step forward. At the end of the line, the best line found by the search becomes
    /// its continuation. Returns whether the position changes.
    pub(super) fn forward(&mut self, best: &[Move]) -> bool {
        if self.at == self.moves.len() && !best.is_empty() {
            self.remember();
            self.moves.extend_from_slice(best);
        }
        self.go_to(self.at + 1)
    }

    /// Plays a legal move. The line stays if it has the same move here; otherwise it ends with the
    /// new one.
    pub(super) fn play(&mut self, mv: Move) {
        self.remember();
        if self.moves.get(self.at) != Some(&mv) {
            self.moves.truncate(self.at);
            self.moves.push(mv);
        }
        self.at += 1;
    }

    /// Takes these moves in place of all others and goes to a place in them.
    pub(super) fn take(&mut self, moves: Vec<Move>, place: usize) {
        if moves != self.moves {
            self.remember();
            self.moves = moves;
        }
        self.go_to(place);
    }

    /// Restores the line and the place before the last move was played. Returns whether there was
    /// one.
    pub(super) fn undo(&mut self) -> bool {
        let Some((moves, at)) = self.past.pop() else {
            return false;
        };
        (self.moves, self.at) = (moves, at);
        true
    }

    fn remember(&mut self) {
        self.past.push((self.moves.clone(), self.at));
    }
}

/// Returns the legal move that a person means, as in `Nf3`, `e7e8q` or `1.e4`.
pub(super) fn move_of(board: &Board, text: &str) -> Option<Move> {
    notation::parse(board, notation::without_number(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(board: Board, text: &str) -> Vec<Move> {
        let mut after = board;
        let read = |word| {
            let mv = move_of(&after, word).expect("the test's move is illegal");
            after.make(mv);
            mv
        };
        text.split_whitespace().map(read).collect()
    }

    fn study(text: &str) -> Study {
        Study::new(Board::startpos(), line(Board::startpos(), text))
    }

    #[test]
    fn steps_stay_inside_the_line() {
        let mut study = study("e4 e5 Nf3");
        assert_eq!(study.at(), 3);
        assert!(!study.forward(&[]), "there is nothing to step to");
        assert!(study.go_to(0) && !study.go_to(0));
        assert!(study.forward(&[]) && study.at() == 1);
        assert_eq!(study.game().ply(), 1);
        assert!(study.go_to(99) && study.at() == 3);
    }

    #[test]
    fn the_best_line_goes_on_behind_the_last_move() {
        let mut study = study("e4 e5");
        let best = line(*study.game().board(), "Nf3 Nc6 Bb5");
        assert!(study.forward(&best));
        assert_eq!((study.moves().len(), study.at()), (5, 3));
        let other = line(*study.game().board(), "Nf6");
        assert!(study.forward(&other) && study.at() == 4);
        assert_eq!(study.moves()[3], best[1], "the line that was taken over");
        assert!(study.undo());
        assert_eq!((study.moves().len(), study.at()), (2, 2));
    }

    #[test]
    fn another_move_cuts_the_line_and_undo_restores_it() {
        let mut study = study("e4 e5 Nf3");
        study.go_to(1);
        let c5 = move_of(study.game().board(), "c7c5").expect("c5 is legal");
        study.play(c5);
        assert_eq!((study.moves().len(), study.at()), (2, 2));
        assert!(study.undo() && !study.undo());
        assert_eq!((study.moves().len(), study.at()), (3, 1));
        let e5 = study.moves()[1];
        study.play(e5);
        assert_eq!(
            (study.moves().len(), study.at()),
            (3, 2),
            "the line goes on"
        );
    }

    #[test]
    fn moves_are_read_in_either_notation() {
        let board = Board::from_fen("8/4P1k1/8/8/8/8/8/K7 w - - 0 1").expect("a valid FEN");
        let (san, squares) = (move_of(&board, "e8=N"), move_of(&board, "e7e8n"));
        assert!(san.is_some() && san == squares);
        assert_eq!(move_of(&board, "e7e8"), None, "the piece is missing");
        assert_eq!(move_of(&board, "Kä1"), None);
        let board = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").expect("a valid FEN");
        assert!(move_of(&board, "e1g1").is_some_and(Move::is_castle));
    }
}
