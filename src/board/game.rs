//! A game: the position on the board and everything that led to it.

use super::Board;
use crate::types::{Color, Move, Played};

/// A position with its history, which the repetition rule and the move ordering look back to.
///
/// ```
/// use rejoinder::board::{Board, Game, Outcome, san};
///
/// let mut game = Game::new(Board::startpos());
/// for text in ["f3", "e5", "g4", "Qh4#"] {
///     assert_eq!(game.outcome(), None);
///     let mv = san::parse(game.board(), text).expect("the move is illegal");
///     game.play(mv);
/// }
/// assert_eq!(game.outcome(), Some(Outcome::BlackWin));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    board: Board,
    keys: Vec<u64>,
    played: Vec<Played>,
}

impl Game {
    /// Starts a game from this position.
    pub const fn new(board: Board) -> Self {
        Self {
            board,
            keys: Vec::new(),
            played: Vec::new(),
        }
    }

    /// Returns the current position.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the keys of all earlier positions, the oldest first.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Returns the number of plies played so far.
    pub const fn ply(&self) -> usize {
        self.played.len()
    }

    /// Returns the number of plies since the game had the position with this key after `ply` plies.
    /// `None` if it did not.
    pub fn plies_since(&self, ply: usize, key: u64) -> Option<usize> {
        let current = self.board.key();
        let mut keys = self.keys.iter().chain([&current]).skip(ply);
        (keys.next() == Some(&key)).then(|| keys.count())
    }

    /// Returns the move played `back` plies ago, where 1 is the last move; [`Played::NONE`] before
    /// the start of the game.
    pub fn played(&self, back: usize) -> Played {
        self.played
            .len()
            .checked_sub(back)
            .and_then(|i| self.played.get(i))
            .copied()
            .unwrap_or(Played::NONE)
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        self.keys.push(self.board.key());
        self.played.push(self.board.describe(mv));
        self.board.make(mv);
    }

    /// Passes the turn without a move. The side to move must not be in check.
    pub fn pass(&mut self) {
        self.keys.push(self.board.key());
        self.played.push(Played::NONE);
        self.board.make_null();
        if self.board.side_to_move == Color::White {
            self.board.fullmove_number = self.board.fullmove_number.saturating_add(1);
        }
    }

    /// Returns the result of the game if the rules end it here: by checkmate, stalemate, the third
    /// occurrence of the position, fifty moves without a capture or a pawn move, or insufficient
    /// material.
    pub fn outcome(&self) -> Option<Outcome> {
        let board = &self.board;
        if board.legal_moves().is_empty() {
            return Some(if board.in_check() {
                Outcome::win(!board.side_to_move())
            } else {
                Outcome::Draw
            });
        }
        let key = board.key();
        let drawn = board.halfmove_clock() >= FIFTY_MOVES
            || board.insufficient_material()
            || self.keys.iter().filter(|&&earlier| earlier == key).count() >= 2;
        drawn.then_some(Outcome::Draw)
    }
}

/// The halfmove clock at which the fifty-move rule ends the game, in plies.
pub const FIFTY_MOVES: u32 = 100;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// White won.
    WhiteWin,
    /// The game is drawn.
    Draw,
    /// Black won.
    BlackWin,
}

impl Outcome {
    /// Returns the result of a win of this side.
    pub const fn win(side: Color) -> Self {
        match side {
            Color::White => Self::WhiteWin,
            Color::Black => Self::BlackWin,
        }
    }

    /// Returns the score of this side in half points: 0, 1 or 2.
    pub const fn half_points(self, side: Color) -> usize {
        match (self, side) {
            (Self::Draw, _) => 1,
            (Self::WhiteWin, Color::White) | (Self::BlackWin, Color::Black) => 2,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(fen: &str) -> Option<Outcome> {
        Game::new(Board::from_fen(fen).expect("the test's FEN is invalid")).outcome()
    }

    #[test]
    fn mate_counts_before_the_fifty_move_rule() {
        let mate = "R5k1/5ppp/8/8/8/8/8/K7 b - - 100 80";
        assert_eq!(outcome(mate), Some(Outcome::WhiteWin));
        assert_eq!(
            outcome("6k1/5ppp/8/8/8/8/1R6/K7 w - - 100 80"),
            Some(Outcome::Draw)
        );
        assert_eq!(outcome("6k1/5ppp/8/8/8/8/1R6/K7 w - - 99 80"), None);
        assert_eq!(
            outcome("k7/2Q5/8/8/8/8/8/K7 b - - 0 1"),
            Some(Outcome::Draw)
        );
    }

    #[test]
    fn an_earlier_position_is_known_by_its_key() {
        let mut game = Game::new(Board::startpos());
        let start = game.board().key();
        game.play(game.board().legal_moves()[0]);
        assert_eq!(game.plies_since(0, start), Some(1));
        assert_eq!(game.plies_since(1, game.board().key()), Some(0));
        assert_eq!(game.plies_since(1, start), None);
        assert_eq!(game.plies_since(2, start), None);
    }

    #[test]
    fn points_are_shared() {
        for outcome in [Outcome::WhiteWin, Outcome::Draw, Outcome::BlackWin] {
            let [white, black] = Color::ALL.map(|side| outcome.half_points(side));
            assert_eq!(white + black, 2);
        }
        assert_eq!(Outcome::win(Color::Black).half_points(Color::Black), 2);
    }
}
