//! A packed position to train on, from the perspective of the side to move.

use arrayvec::ArrayVec;
use rejoinder::board::Board;
use rejoinder::eval::features::{self, KingBuckets, MAX_PIECES, Perspective};
use rejoinder::eval::network::Architecture;
use rejoinder::eval::relations::MAX_RELATIONS;
use rejoinder::eval::snapshot::Snapshot;
use rejoinder::types::{Bitboard, Color, Piece, PieceType, Square};

/// Maximum number of active inputs of a side: all pieces and all relations.
const MAX_INPUTS: usize = MAX_PIECES + MAX_RELATIONS;

/// A position with its score and result. The board is turned so that the side to move plays up the
/// board, as White does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The occupied squares.
    occupied: Bitboard,
    /// Four bits for each piece, from the lowest square on; the pieces of the side to move are
    /// white.
    pieces: [u8; MAX_PIECES / 2],
    /// Score of the search for the side to move in centipawns.
    pub score: i16,
    /// Half points of the side to move at the end of the game: 0, 1 or 2.
    pub result: u8,
}

/// The inputs of the network for a position.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The active inputs, equally many for the side to move, which comes first, and the other side.
    pub sides: [ArrayVec<u16, MAX_INPUTS>; 2],
    /// Output bucket of the position.
    pub bucket: usize,
}

impl Sample {
    /// Size of a packed sample in bytes.
    pub const BYTES: usize = 8 + MAX_PIECES / 2 + 2 + 1;

    /// Packs a position; score and half points are from the perspective of the side to move.
    pub fn new(board: &Board, score: i16, result: u8) -> Self {
        let side = board.side_to_move();
        let pieces = board.occupied().into_iter().filter_map(|square| {
            let piece = board.piece_on(square)?;
            let color = Color::ALL[usize::from(piece.color() != side)];
            Some((Piece::new(color, piece.kind()), square.relative(side)))
        });
        Self::of_pieces(pieces, score, result)
    }

    /// Packs these pieces, of which the side to move has the white ones; more than [`MAX_PIECES`]
    /// are dropped.
    pub fn of_pieces(
        pieces: impl Iterator<Item = (Piece, Square)>,
        score: i16,
        result: u8,
    ) -> Self {
        let mut squares = [None; Square::COUNT];
        for (piece, square) in pieces {
            squares[square.index()] = Some(piece);
        }
        let mut sample = Self {
            occupied: Bitboard::EMPTY,
            pieces: [0; MAX_PIECES / 2],
            score,
            result,
        };
        let pieces = Square::all().filter_map(|square| Some((squares[square.index()]?, square)));
        for (at, (piece, square)) in pieces.take(MAX_PIECES).enumerate() {
            sample.occupied |= square.bitboard();
            sample.pieces[at / 2] |= (piece.index() as u8) << (4 * (at % 2));
        }
        sample
    }

    /// Returns the pieces with their squares, from the lowest square on; the pieces of the side to
    /// move are white.
    fn pieces(&self) -> impl Iterator<Item = (Piece, Square)> {
        let squares = self.occupied.into_iter().take(MAX_PIECES).enumerate();
        squares.map(|(at, square)| {
            let piece = usize::from(self.pieces[at / 2] >> (4 * (at % 2)) & 15);
            (Piece::ALL[piece.min(Piece::ALL.len() - 1)], square)
        })
    }

    /// Returns the number of pieces.
    pub const fn pieces_on_board(&self) -> usize {
        self.occupied.count() as usize
    }

    /// Output bucket of the position.
    pub const fn bucket(&self) -> usize {
        features::output_bucket(self.occupied.count())
    }

    /// Returns the inputs of a network of this architecture.
    ///
    /// # Panics
    /// If no network can have this architecture.
    pub fn inputs(&self, architecture: Architecture) -> Inputs {
        let mut inputs = Inputs {
            sides: [const { ArrayVec::new_const() }; 2],
            bucket: self.bucket(),
        };
        self.each_input(architecture, |pair| {
            for (side, input) in inputs.sides.iter_mut().zip(pair) {
                side.push(input);
            }
        });
        inputs
    }

    /// Calls `visit` with the inputs of a network of this architecture: each pair is what the side
    /// to move and the other side see of one feature.
    ///
    /// # Panics
    /// If no network can have this architecture.
    #[inline(always)]
    pub fn each_input(&self, architecture: Architecture, mut visit: impl FnMut([u16; 2])) {
        let buckets = KingBuckets::of_count(architecture.king_buckets);
        let buckets = buckets.expect("a grouping of king squares");
        let mut colors = [Bitboard::EMPTY; 2];
        let mut kinds = [Bitboard::EMPTY; PieceType::COUNT];
        // Damaged samples may lack a king.
        let mut kings = [Square::new(0); 2];
        for (piece, square) in self.pieces() {
            if piece.kind() == PieceType::King {
                kings[piece.color().index()] = square;
            }
            colors[piece.color().index()] |= square.bitboard();
            kinds[piece.kind().index()] |= square.bitboard();
        }
        let snapshot = Snapshot::of_sets(colors, kinds, architecture.relations);
        let perspectives =
            Color::ALL.map(|side| Perspective::new(side, kings[side.index()], buckets));
        for feature in snapshot.features().iter() {
            visit(perspectives.map(|perspective| perspective.input(feature) as u16));
        }
    }

    /// Converts the sample to bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.occupied.0.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26] = self.result;
        bytes
    }

    /// Converts bytes back to a sample.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut occupied = [0; 8];
        occupied.copy_from_slice(&bytes[..8]);
        let mut pieces = [0; MAX_PIECES / 2];
        pieces.copy_from_slice(&bytes[8..24]);
        Self {
            occupied: Bitboard(u64::from_le_bytes(occupied)),
            pieces,
            score: i16::from_le_bytes([bytes[24], bytes[25]]),
            result: bytes[26],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::fixtures;
    use rejoinder::eval::relations::COUNTS;
    use rejoinder::types::Rng;

    fn architectures() -> impl Iterator<Item = Architecture> {
        let kinds = |king_buckets| COUNTS.map(|relations| (king_buckets, relations));
        let kinds = KingBuckets::counts().flat_map(kinds);
        kinds.map(|(king_buckets, relations)| Architecture {
            king_buckets,
            relations,
            hidden: 32,
        })
    }

    /// Returns the inputs of a side, sorted, straight from the board.
    fn seen(board: &Board, side: Color, architecture: Architecture) -> Vec<u16> {
        let buckets = KingBuckets::of_count(architecture.king_buckets).expect("a grouping");
        let perspective = Perspective::new(side, board.king(side), buckets);
        let snapshot = Snapshot::of_sets(
            Color::ALL.map(|color| board.color(color)),
            PieceType::ALL.map(|kind| board.kind(kind)),
            architecture.relations,
        );
        let features = snapshot.features();
        let inputs = features
            .iter()
            .map(|feature| perspective.input(feature) as u16);
        let mut inputs: Vec<_> = inputs.collect();
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn a_sample_keeps_what_a_network_sees() {
        let mut rng = Rng::new(8);
        for architecture in architectures() {
            for _ in 0..8 {
                let game = fixtures::game(&mut rng);
                let mut board = game.opening;
                for (mv, score) in game.moves {
                    let sample = Sample::new(&board, score as i16, 2);
                    assert_eq!((i32::from(sample.score), sample.result), (score, 2));
                    assert_eq!(Sample::from_bytes(&sample.to_bytes()), sample);
                    let inputs = sample.inputs(architecture);
                    let side = board.side_to_move();
                    for (half, side) in [side, !side].into_iter().enumerate() {
                        let mut half = inputs.sides[half].to_vec();
                        half.sort_unstable();
                        assert_eq!(
                            half,
                            seen(&board, side, architecture),
                            "{}",
                            board.fen(true)
                        );
                    }
                    let pieces = board.occupied().count();
                    assert_eq!(inputs.bucket, features::output_bucket(pieces));
                    board.make(mv);
                }
            }
        }
    }

    #[test]
    fn any_bytes_can_be_looked_at() {
        let sample = Sample::from_bytes(&[255; Sample::BYTES]);
        for architecture in architectures() {
            assert!(!sample.inputs(architecture).sides[1].is_empty());
        }
    }
}
