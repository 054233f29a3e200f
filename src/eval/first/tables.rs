//! The numbers of the first evaluation: our own and round. The search's first games were played with them.

use std::ops::{Add, Mul, Sub};

use crate::types::{PieceType, Score, Square};

/// A middlegame and an endgame value in one word: the low and the high half of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phased(i64);

/// Both values, in centipawns.
pub const fn phased(middlegame: Score, endgame: Score) -> Phased {
    Phased(((endgame as i64) << 32) + middlegame as i64)
}

impl Phased {
    pub const ZERO: Self = phased(0, 0);

    pub const fn middlegame(self) -> Score {
        self.0 as Score
    }

    pub const fn endgame(self) -> Score {
        // A negative low half has borrowed one from the high half.
        ((self.0 + (1 << 31)) >> 32) as Score
    }
}

impl Add for Phased {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Phased {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<Score> for Phased {
    type Output = Self;
    fn mul(self, times: Score) -> Self {
        Self(self.0 * times as i64)
    }
}

/// Pawn to king.
pub const MATERIAL: [Phased; PieceType::COUNT] = [
    phased(90, 120),
    phased(330, 320),
    phased(340, 340),
    phased(480, 540),
    phased(980, 1000),
    phased(0, 0),
];

/// By the rank of the pawn as its side counts it.
pub const PASSED_PAWN: [Phased; 8] = [
    phased(0, 0),
    phased(0, 10),
    phased(0, 15),
    phased(10, 30),
    phased(25, 50),
    phased(50, 90),
    phased(90, 140),
    phased(0, 0),
];

/// Where one kind of man likes to stand in one phase.
struct Taste {
    /// For each step from the edge of the board, 0 to 3 of them.
    inside: Score,
    /// By file, a (or h) to d (or e).
    files: [Score; 4],
    /// By rank, its own back rank first.
    ranks: [Score; 8],
}

const fn taste(inside: Score, files: [Score; 4], ranks: [Score; 8]) -> Taste {
    Taste {
        inside,
        files,
        ranks,
    }
}

/// Middlegame and endgame, pawn to king.
const TASTES: [[Taste; 2]; PieceType::COUNT] = [
    [
        taste(10, [0, 0, 0, 0], [0, 0, 0, 0, 10, 20, 40, 0]),
        taste(0, [5, 5, 0, 0], [0, 0, 0, 10, 20, 40, 60, 0]),
    ],
    [
        taste(10, [-20, 0, 0, 0], [-20, -10, 0, 5, 10, 10, 0, -10]),
        taste(10, [-20, 0, 0, 0], [-10, -5, 0, 5, 5, 0, -5, -10]),
    ],
    [
        taste(5, [0, 5, 0, 0], [-15, 0, 0, 5, 5, 0, 0, 0]),
        taste(5, [0, 0, 0, 0], [-5, 0, 0, 0, 0, 0, 0, 0]),
    ],
    [
        taste(0, [-5, 0, 5, 10], [0, 0, 0, 0, 0, 5, 20, 10]),
        taste(0, [0, 0, 0, 0], [0, 0, 0, 5, 5, 10, 15, 10]),
    ],
    [
        taste(0, [0, 0, 0, 5], [0, 5, 0, 0, 0, 0, 5, 0]),
        taste(10, [0, 0, 0, 0], [-10, 0, 0, 5, 10, 10, 5, 0]),
    ],
    [
        taste(0, [20, 30, 0, -10], [20, 0, -30, -50, -60, -60, -60, -60]),
        taste(20, [0, 0, 0, 0], [-10, 0, 0, 5, 10, 10, 5, 0]),
    ],
];

/// The piece-square tables, as White sees the board.
pub const SQUARES: [[Phased; Square::COUNT]; PieceType::COUNT] = {
    let mut table = [[Phased::ZERO; Square::COUNT]; PieceType::COUNT];
    let mut at = 0;
    while at < PieceType::COUNT * Square::COUNT {
        let (kind, square) = (at / Square::COUNT, Square::new((at % Square::COUNT) as u8));
        let [middlegame, endgame] = &TASTES[kind];
        table[kind][square.index()] = phased(liking(middlegame, square), liking(endgame, square));
        at += 1;
    }
    table
};

const fn liking(taste: &Taste, square: Square) -> Score {
    let file = to_edge(square.file());
    let rank = to_edge(square.rank());
    let inside = if file < rank { file } else { rank };
    taste.inside * inside as Score
        + taste.files[file as usize]
        + taste.ranks[square.rank() as usize]
}

/// Steps from the nearer edge, 0..=3.
const fn to_edge(line: u8) -> u8 {
    if line < 4 { line } else { 7 - line }
}

/// Steps to the four central squares along ranks and files, 0..=6.
pub const fn steps_from_centre(square: Square) -> Score {
    6 - (to_edge(square.file()) + to_edge(square.rank())) as Score
}
