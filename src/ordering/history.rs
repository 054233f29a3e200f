//! Butterfly history: how often a quiet move of a side cut, wherever it was played. A move that leaves or enters a
//! square the other side attacks is not the same as one that does not: each has boards of its own.
//!
//! Source: <https://www.chessprogramming.org/History_Heuristic>, <https://www.chessprogramming.org/Butterfly_Boards>

use super::gravity;
use crate::board::Threats;
use crate::types::{Color, Move, Square};

/// One side's boards: `[attacked squares][from][to]`, see [`kind`].
pub type Boards = [[[i16; Square::COUNT]; Square::COUNT]; 4];

/// The butterfly history of one worker: `[side]` and its boards.
#[derive(Debug)]
pub struct History {
    boards: [Boards; 2],
}

impl History {
    /// Nothing learnt.
    pub const fn new() -> Self {
        Self {
            boards: [[[[0; Square::COUNT]; Square::COUNT]; 4]; 2],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// What is known of the moves of one side.
    #[inline(always)]
    pub fn of(&self, side: Color) -> &Boards {
        &self.boards[side.index()]
    }

    /// Learns from one move; see `gravity::update`.
    #[inline]
    pub fn update(&mut self, side: Color, threats: &Threats, mv: Move, bonus: i32, limit: i32) {
        let board = &mut self.boards[side.index()][kind(threats, mv)];
        let value = &mut board[mv.from().index()][mv.to().index()];
        gravity::update(value, bonus, limit);
    }
}

/// Which of a side's boards a move belongs to: whether it leaves or enters an attacked square.
#[inline(always)]
pub fn kind(threats: &Threats, mv: Move) -> usize {
    usize::from(threats.has(mv.from())) << 1 | usize::from(threats.has(mv.to()))
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::MoveKind;

    #[test]
    fn sides_squares_and_threats_are_kept_apart() {
        let mut history = History::new();
        let safe = Threats::default();
        let attacked = Threats {
            all: Square::new(28).bitboard(),
            ..safe
        };
        let mv = Move::new(Square::new(12), Square::new(28), MoveKind::DoublePush);
        history.update(Color::Black, &safe, mv, 300, 4096);
        assert_eq!(history.of(Color::Black)[0][12][28], 300);
        assert_eq!(history.of(Color::Black)[0][28][12], 0);
        assert_eq!(history.of(Color::White)[0][12][28], 0);
        history.update(Color::Black, &attacked, mv, -200, 4096);
        assert_eq!(history.of(Color::Black)[0][12][28], 300);
        assert_eq!(history.of(Color::Black)[1][12][28], -200);
        history.clear();
        assert_eq!(history.of(Color::Black)[0][12][28], 0);
    }
}
