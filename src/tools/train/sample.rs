//! A position to learn from, packed, as its side to move sees it.

use crate::board::Board;
use crate::eval::features;
use crate::types::{Bitboard, Color, Piece, PieceType, Square};

/// Men a board can hold.
pub const MAX_MEN: usize = 32;

/// A position with what came of it. The board is turned so that the side to move plays up the board, as White does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The squares with a man on them.
    occupied: Bitboard,
    /// Four bits for each of these men, lowest square first; the side to move's are white.
    men: [u8; MAX_MEN / 2],
    /// What the search said for the side to move, centipawns.
    pub score: i16,
    /// Half points of the side to move at the end of the game: 0, 1 or 2.
    pub result: u8,
}

/// What a network sees of a position.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    men: usize,
    /// The inputs that are on: the mover's half, then the other's.
    sides: [[u16; MAX_MEN]; 2],
    /// The output bucket.
    pub bucket: usize,
}

impl Inputs {
    /// The inputs of one half: 0 for the side to move, 1 for the other.
    #[inline(always)]
    pub fn side(&self, side: usize) -> &[u16] {
        &self.sides[side][..self.men]
    }
}

impl Sample {
    /// Bytes of a packed sample.
    pub const BYTES: usize = 8 + MAX_MEN / 2 + 2 + 1;

    /// Packs a position; score and half points are the side to move's.
    pub fn new(board: &Board, score: i16, result: u8) -> Self {
        let side = board.side_to_move();
        let men = board.occupied().into_iter().filter_map(|square| {
            let man = board.piece_on(square)?;
            let color = Color::ALL[usize::from(man.color() != side)];
            Some((Piece::new(color, man.kind()), square.relative(side)))
        });
        Self::of_men(men, score, result)
    }

    /// Packs these men, the side to move's being white; more than [`MAX_MEN`] are dropped.
    pub fn of_men(men: impl Iterator<Item = (Piece, Square)>, score: i16, result: u8) -> Self {
        let mut squares = [None; Square::COUNT];
        for (man, square) in men {
            squares[square.index()] = Some(man);
        }
        let mut sample = Self {
            occupied: Bitboard::EMPTY,
            men: [0; MAX_MEN / 2],
            score,
            result,
        };
        let men = Square::all().filter_map(|square| Some((squares[square.index()]?, square)));
        for (at, (man, square)) in men.take(MAX_MEN).enumerate() {
            sample.occupied |= square.bitboard();
            sample.men[at / 2] |= (man.index() as u8) << (4 * (at % 2));
        }
        sample
    }

    /// The men with their squares, lowest first; the side to move's are white.
    fn men(&self) -> impl Iterator<Item = (Piece, Square)> {
        let squares = self.occupied.into_iter().take(MAX_MEN).enumerate();
        squares.map(|(at, square)| {
            let man = usize::from(self.men[at / 2] >> (4 * (at % 2)) & 15);
            (Piece::ALL[man.min(Piece::ALL.len() - 1)], square)
        })
    }

    /// What a network sees of it.
    pub fn inputs(&self) -> Inputs {
        let mut mirrored = [false; 2];
        for (man, square) in self.men() {
            if man.kind() == PieceType::King {
                mirrored[man.color().index()] = features::is_mirrored(square);
            }
        }
        let mut inputs = Inputs {
            men: 0,
            sides: [[0; MAX_MEN]; 2],
            bucket: features::bucket(self.occupied.count()),
        };
        for (at, (man, square)) in self.men().enumerate() {
            for side in Color::ALL {
                let input = features::index(side, mirrored[side.index()], man, square);
                inputs.sides[side.index()][at] = input as u16;
            }
            inputs.men = at + 1;
        }
        inputs
    }

    /// The bytes to store.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.occupied.0.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.men);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26] = self.result;
        bytes
    }

    /// What these bytes store.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut occupied = [0; 8];
        occupied.copy_from_slice(&bytes[..8]);
        let mut men = [0; MAX_MEN / 2];
        men.copy_from_slice(&bytes[8..24]);
        Self {
            occupied: Bitboard(u64::from_le_bytes(occupied)),
            men,
            score: i16::from_le_bytes([bytes[24], bytes[25]]),
            result: bytes[26],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::train::made_up;
    use crate::types::Rng;

    /// The inputs of a side, sorted, straight from the board.
    fn seen(board: &Board, side: Color) -> Vec<u16> {
        let mirrored = features::is_mirrored(board.king(side));
        let input = |square| {
            let man = board.piece_on(square).expect("a man");
            features::index(side, mirrored, man, square) as u16
        };
        let mut inputs: Vec<u16> = board.occupied().into_iter().map(input).collect();
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn a_sample_keeps_what_a_network_sees() {
        let mut rng = Rng::new(8);
        for _ in 0..20 {
            let game = made_up::game(&mut rng);
            let mut board = game.opening;
            for (mv, score) in game.moves {
                let sample = Sample::new(&board, score as i16, 2);
                assert_eq!((i32::from(sample.score), sample.result), (score, 2));
                assert_eq!(Sample::from_bytes(&sample.to_bytes()), sample);
                let inputs = sample.inputs();
                let side = board.side_to_move();
                for (half, side) in [side, !side].into_iter().enumerate() {
                    let mut half = inputs.side(half).to_vec();
                    half.sort_unstable();
                    assert_eq!(half, seen(&board, side), "{}", board.fen(true));
                }
                let men = board.occupied().count();
                assert_eq!(inputs.bucket, features::bucket(men));
                board.make(mv);
            }
        }
    }

    #[test]
    fn any_bytes_can_be_looked_at() {
        let sample = Sample::from_bytes(&[255; Sample::BYTES]);
        assert_eq!(sample.inputs().side(1).len(), MAX_MEN);
    }
}
