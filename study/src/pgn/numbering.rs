//! The move numbers of a text beside the moves of the game.

use super::words::Number;

/// What the move numbers so far have shown.
#[derive(Default)]
pub(crate) struct Numbering {
    /// The last move number, if no move of the main line followed yet.
    last: Option<Number>,
    /// What the file's move numbers are larger by than those of the game.
    offset: Option<i64>,
}

impl Numbering {
    /// Takes a move number of the main line.
    pub fn take(&mut self, number: Number) {
        self.last = Some(joined(self.last, number));
    }

    /// Returns whether digits without dots are those of another move than the next one, which is at
    /// this ply of the game, so that they are no move number.
    pub fn is_other(&self, number: Number, ply: u32) -> bool {
        let is_bare = number.dots == 0 && self.offset.is_some();
        is_bare && offset(number, ply) != self.offset
    }

    /// Returns whether a variation may begin with this number if its first move replaces the one at
    /// this ply of the game. It may count as the file does or as the game does. Some programs write
    /// Black's number with the dot of White's, so that only a move that is legal there belongs there.
    pub fn fits(&self, number: Number, ply: u32, is_legal: bool) -> bool {
        let is_white = ply.is_multiple_of(2);
        let is_side = match number.dots {
            0 => true,
            1 => is_white || is_legal,
            _ => !is_white,
        };
        let is_number = |offset| offset == 0 || Some(offset) == self.offset;
        is_side && offset(number, ply).is_none_or(is_number)
    }

    /// Returns whether a number was taken that no move followed yet.
    pub fn is_pending(&self) -> bool {
        self.last.is_some()
    }

    /// Returns whether a move had a number.
    pub fn is_counted(&self) -> bool {
        self.offset.is_some()
    }

    /// Forgets the last move number.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// Returns whether the last move number is that of another move than the next one, which is at
    /// this ply of the game.
    pub fn contradicts(&self, ply: u32) -> bool {
        let Some(number) = self.last else {
            return false;
        };
        let is_white = ply.is_multiple_of(2);
        let is_other_side = match number.dots {
            0 => false,
            1 => !is_white,
            _ => is_white,
        };
        let offset = offset(number, ply);
        let is_other_number = self.offset.is_some() && offset.is_some() && offset != self.offset;
        is_other_side || is_other_number
    }

    /// Learns that the move at this ply of the game is legal. Returns whether it has a number.
    pub fn confirm(&mut self, ply: u32) -> bool {
        let Some(number) = self.last.take() else {
            return false;
        };
        self.offset = offset(number, ply).or(self.offset);
        true
    }
}

/// Returns a move number together with what stood right before it; dots may stand apart from their
/// number.
pub(crate) fn joined(before: Option<Number>, number: Number) -> Number {
    let before = before.filter(|_| number.value.is_none());
    let before = before.unwrap_or_default();
    Number {
        value: number.value.or(before.value),
        dots: number.dots + before.dots,
    }
}

/// Returns what a move number is larger by than that of the game at this ply.
fn offset(number: Number, ply: u32) -> Option<i64> {
    let value = number.value?;
    Some(i64::from(value) - i64::from(ply / 2 + 1))
}
