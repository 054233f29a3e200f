//! Butterfly history: the success of quiet moves by side, from square and to square. Moves that
//! leave or enter an attacked square have boards of their own.
//!
//! Source: <https://www.chessprogramming.org/History_Heuristic>,
//! <https://www.chessprogramming.org/Butterfly_Boards>

use super::gravity;
use crate::types::{Bitboard, Color, Move, Square};

/// One side's boards, in points: `[kind][from][to]`, see [`kind`].
pub type Boards = [[[i16; Square::COUNT]; Square::COUNT]; 4];

/// The butterfly history of one worker.
#[derive(Debug)]
pub struct History {
    /// The boards by side.
    boards: [Boards; 2],
}

impl History {
    /// Creates an empty history.
    pub const fn new() -> Self {
        Self {
            boards: [[[[0; Square::COUNT]; Square::COUNT]; 4]; 2],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Fades everything to `keep_1024`/1024.
    // Source: Stockfish and PlentyChess do so between searches.
    pub fn fade(&mut self, keep_1024: i32) {
        let values = self.boards.as_flattened_mut().as_flattened_mut();
        for value in values.as_flattened_mut() {
            *value = (i32::from(*value) * keep_1024 / 1024) as i16;
        }
    }

    /// Returns the boards of one side.
    #[inline(always)]
    pub fn of(&self, side: Color) -> &Boards {
        &self.boards[side.index()]
    }

    /// Gives a quiet move of a side a bonus in points, or a malus if negative. `attacked` are the
    /// squares that the opponent attacks.
    #[inline]
    pub fn update(&mut self, side: Color, attacked: Bitboard, mv: Move, bonus: i32, limit: i32) {
        let board = &mut self.boards[side.index()][kind(attacked, mv)];
        let value = &mut board[mv.from().index()][mv.to().index()];
        gravity::update(value, bonus, limit);
    }
}

/// Returns the index of the board to which a move belongs: bit 1 says whether it leaves an attacked
/// square, bit 0 whether it enters one.
#[inline(always)]
pub fn kind(attacked: Bitboard, mv: Move) -> usize {
    usize::from(attacked.has(mv.from())) << 1 | usize::from(attacked.has(mv.to()))
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
        let safe = Bitboard::EMPTY;
        let attacked = Square::new(28).bitboard();
        let mv = Move::new(Square::new(12), Square::new(28), MoveKind::DoublePush);
        history.update(Color::Black, safe, mv, 300, 4096);
        assert_eq!(history.of(Color::Black)[0][12][28], 300);
        assert_eq!(history.of(Color::Black)[0][28][12], 0);
        assert_eq!(history.of(Color::White)[0][12][28], 0);
        history.update(Color::Black, attacked, mv, -200, 4096);
        assert_eq!(history.of(Color::Black)[0][12][28], 300);
        assert_eq!(history.of(Color::Black)[1][12][28], -200);
        history.clear();
        assert_eq!(history.of(Color::Black)[0][12][28], 0);
    }
}
