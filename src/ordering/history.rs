//! Butterfly history: how often a quiet move of a side cut, wherever it was played.
//!
//! Source: <https://www.chessprogramming.org/History_Heuristic>, <https://www.chessprogramming.org/Butterfly_Boards>

use super::gravity;
use crate::types::{Color, Move, Square};

/// One side's boards: `[from][to]`.
pub type Boards = [[i16; Square::COUNT]; Square::COUNT];

/// The butterfly history of one worker: `[side][from][to]`.
#[derive(Debug)]
pub struct History {
    boards: [Boards; 2],
}

impl History {
    /// Nothing learnt.
    pub const fn new() -> Self {
        Self {
            boards: [[[0; Square::COUNT]; Square::COUNT]; 2],
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
    pub fn update(&mut self, side: Color, mv: Move, bonus: i32, limit: i32) {
        let value = &mut self.boards[side.index()][mv.from().index()][mv.to().index()];
        gravity::update(value, bonus, limit);
    }
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
    fn sides_and_squares_are_kept_apart() {
        let mut history = History::new();
        let mv = Move::new(Square::new(12), Square::new(28), MoveKind::DoublePush);
        history.update(Color::Black, mv, 300, 4096);
        assert_eq!(history.of(Color::Black)[12][28], 300);
        assert_eq!(history.of(Color::Black)[28][12], 0);
        assert_eq!(history.of(Color::White)[12][28], 0);
        history.clear();
        assert_eq!(history.of(Color::Black)[12][28], 0);
    }
}
