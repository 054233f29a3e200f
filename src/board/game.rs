//! A game: the position on the board and all that led to it.

use super::Board;
use crate::types::{Move, Played};

/// A position with its past: repetitions and the stores of replies look back to it.
#[derive(Clone, Debug)]
pub struct Game {
    board: Board,
    keys: Vec<u64>,
    played: Vec<Played>,
}

impl Game {
    /// A game that starts from this position.
    pub const fn new(board: Board) -> Self {
        Self {
            board,
            keys: Vec::new(),
            played: Vec::new(),
        }
    }

    /// The position now.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Keys of all positions before this one, oldest first.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Moves played so far, in plies.
    pub const fn ply(&self) -> usize {
        self.played.len()
    }

    /// The move `back` plies ago, 1 being the last; [`Played::NONE`] before the start.
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

    /// Whether the rules end the game here as a draw: the third occurrence of the position, fifty moves
    /// without capture or pawn move (unless it is mate), or material that cannot mate. Stalemate is not asked.
    pub fn drawn_by_rule(&self) -> bool {
        let key = self.board.key();
        let fifty = self.board.halfmove_clock() >= 100
            && !(self.board.in_check() && self.board.legal_moves().is_empty());
        fifty
            || self.board.insufficient_material()
            || self.keys.iter().filter(|&&earlier| earlier == key).count() >= 2
    }
}
