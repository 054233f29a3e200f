//! A list of generated moves that takes all moves of a piece at once.

use arrayvec::ArrayVec;

use super::MoveSink;
use crate::types::Move;
#[cfg(target_feature = "avx512vbmi2")]
use crate::types::{Bitboard, MoveKind, Square};

/// Room behind the last move, because as many moves as there are squares are written before they
/// are counted.
const MARGIN: usize = 64;

/// The moves of one position, with room for [`MARGIN`] more.
pub(crate) type MoveBuffer = ArrayVec<Move, { 256 + MARGIN }>;

/// How many moves a piece has is hard to foresee, so where the instructions exist, there is no loop
/// over them: the numbers of the target squares are moved to the front of a register and become
/// moves there.
impl MoveSink for MoveBuffer {
    #[inline(always)]
    fn push(&mut self, mv: Move) {
        Self::push(self, mv);
    }

    #[cfg(target_feature = "avx512vbmi2")]
    #[inline(always)]
    fn push_targets(&mut self, from: Square, targets: Bitboard, kind: MoveKind) {
        push_all(self, targets, Move::new(from, Square::new(0), kind), 0);
    }

    #[cfg(target_feature = "avx512vbmi2")]
    #[inline(always)]
    fn push_pawns(&mut self, targets: Bitboard, step: i8, kind: MoveKind) {
        let on_a1 = Move::new(Square::new(0), Square::new(0), kind).bits();
        let first = on_a1.wrapping_add_signed(-(i16::from(step) << FROM_SHIFT));
        push_all(self, targets, Move::from_bits(first), !0);
    }
}

/// The place of the from square in the bits of a move.
#[cfg(target_feature = "avx512vbmi2")]
const FROM_SHIFT: u32 = 6;

/// Adds a move for each target, given the move to a1. The from squares change with the targets where
/// `follows` has ones, and stay where it has none.
#[cfg(target_feature = "avx512vbmi2")]
#[inline(always)]
fn push_all(list: &mut MoveBuffer, targets: Bitboard, first: Move, follows: i16) {
    use std::arch::x86_64::{
        __m256i, _mm512_add_epi16, _mm512_and_si512, _mm512_castsi512_si256, _mm512_cvtepu8_epi16,
        _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_maskz_compress_epi8,
        _mm512_set1_epi16, _mm512_slli_epi16, _mm512_storeu_si512,
    };
    const HALF: usize = Square::COUNT / 2;

    let (start, count) = (list.len(), targets.count() as usize);
    assert!(
        start + MARGIN <= list.capacity(),
        "the list has no room for all squares"
    );
    // SAFETY: the program is compiled for these instructions. The list has room for 64 moves, of any
    // bits, behind the last one, and `count` of them have been written.
    unsafe {
        let squares = _mm512_loadu_si512(Square::ALL.as_ptr().cast());
        let squares = _mm512_maskz_compress_epi8(targets.0, squares);
        let behind = list.as_mut_ptr().add(start);
        let write = |at: usize, half: __m256i| {
            let to = _mm512_cvtepu8_epi16(half);
            let from = _mm512_slli_epi16::<FROM_SHIFT>(to);
            let from = _mm512_and_si512(from, _mm512_set1_epi16(follows));
            let moves = _mm512_add_epi16(
                _mm512_add_epi16(to, from),
                _mm512_set1_epi16(first.bits().cast_signed()),
            );
            _mm512_storeu_si512(behind.add(at).cast(), moves);
        };
        write(0, _mm512_castsi512_si256(squares));
        if count > HALF {
            write(HALF, _mm512_extracti64x4_epi64::<1>(squares));
        }
        list.set_len(start + count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::types::{MoveList, Rng};

    #[test]
    fn holds_the_same_moves_as_a_list_that_takes_them_one_by_one() {
        let mut rng = Rng::new(4);
        let mut compared = 0;
        for start in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/1P4P1/8/2pP4/4pP2/8/1p4p1/R3K2R w KQkq c6 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
        ] {
            for _ in 0..20 {
                let mut board = Board::from_fen(start).expect(start);
                for _ in 0..60 {
                    let (mut captures, mut quiets) = (MoveBuffer::new(), MoveBuffer::new());
                    board.generate_captures(&mut captures);
                    board.generate_quiets(&mut quiets);
                    let moves: MoveList = captures.into_iter().chain(quiets).collect();
                    assert_eq!(moves, board.legal_moves(), "{board:?}");
                    compared += moves.len();
                    let Some(mv) = rng.choose(&moves) else { break };
                    board.make(mv);
                }
            }
        }
        assert!(compared > 50_000, "{compared}");
    }
}
