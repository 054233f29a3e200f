//! The scores of sixteen quiet moves at once, for CPUs with AVX-512.
//!
//! Most quiet moves of a node are scored and never picked, so what a score costs counts more than
//! how soon the first one is known.

use std::arch::x86_64::{
    __m512i, _bzhi_u32, _mm256_maskz_loadu_epi16, _mm512_add_epi32, _mm512_and_si512,
    _mm512_cmpeq_epi32_mask, _mm512_cvtepu16_epi32, _mm512_loadu_si512, _mm512_madd_epi16,
    _mm512_mask_add_epi8, _mm512_mask_add_epi32, _mm512_mask_blend_epi16,
    _mm512_mask_i32gather_epi32, _mm512_mask_or_epi32, _mm512_mask_sub_epi32,
    _mm512_maskz_compress_epi32, _mm512_maskz_mov_epi16, _mm512_min_epu8, _mm512_movm_epi8,
    _mm512_or_si512, _mm512_permutex2var_epi32, _mm512_permutexvar_epi8, _mm512_permutexvar_epi32,
    _mm512_set1_epi8, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi32,
    _mm512_sllv_epi32, _mm512_srai_epi32, _mm512_srli_epi32, _mm512_srlv_epi32,
    _mm512_storeu_si512, _mm512_test_epi32_mask, _mm512_xor_si512,
};

use super::quiet_tables::QuietTables;
use super::scoring::{QuietScorer, SCORE_MARGIN, ScoredList};
use crate::board::see_value;
use crate::types::{Bitboard, Move, Piece, PieceType, Square};

/// The number of moves that are scored at once.
const LANES: usize = 16;
const _: () = assert!(LANES <= SCORE_MARGIN);

/// The bit that tells the two entries of a history apart that are read as one word.
const ODD: i32 = 1;
/// All bits of a move's from and to square.
const SQUARES: i32 = 0xFFF;
/// The number of entries of a butterfly board, by the power of two.
const BOARD_SHIFT: u32 = 2 * Square::COUNT.ilog2();

/// Sixteen quiet moves or fewer, a move to a lane of a register.
#[derive(Clone, Copy)]
struct Sixteen {
    /// The lanes that hold a move.
    lanes: u16,
    mv: __m512i,
    from: __m512i,
    to: __m512i,
    piece: __m512i,
}

impl Sixteen {
    /// Takes these moves, at most sixteen, which start from pieces of the mailbox.
    #[inline(always)]
    fn new(moves: &[Move], mailbox: __m512i) -> Self {
        // SAFETY: the program is compiled for these instructions. Only the moves are read.
        unsafe {
            let all = _mm512_set1_epi32;
            let lanes = _bzhi_u32(0xFFFF, moves.len() as u32) as u16;
            let mv = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, moves.as_ptr().cast()));
            let from = _mm512_and_si512(_mm512_srli_epi32::<6>(mv), all(63));
            let piece = _mm512_and_si512(_mm512_permutexvar_epi8(from, mailbox), all(0xFF));
            Self {
                lanes,
                mv,
                from,
                to: _mm512_and_si512(mv, all(63)),
                piece,
            }
        }
    }
}

/// Returns the lanes whose square has one of these bits in a table by squares.
#[inline(always)]
fn at(squares: __m512i, table: __m512i, bits: __m512i) -> u16 {
    // SAFETY: the program is compiled for these instructions.
    unsafe { _mm512_test_epi32_mask(_mm512_permutexvar_epi8(squares, table), bits) }
}

impl QuietTables<'_> {
    /// Returns the weighted sums of all histories, as [`score`](Self::score) does for one move.
    #[inline(always)]
    fn scores(&self, moves: &Sixteen) -> __m512i {
        let p = self.p;
        let weights = [
            (p.quiet_continuation_one(), p.quiet_continuation_two()),
            (p.quiet_continuation_four(), p.quiet_pawn()),
            (
                p.quiet_butterfly(),
                self.low_ply.map_or(0, |(_, weight)| weight),
            ),
        ];
        let Sixteen {
            lanes,
            mv,
            from,
            to,
            piece,
        } = *moves;
        // SAFETY: the program is compiled for these instructions. Indices are those of a table's
        // last entry at most, of which there is an even number: a piece's is below `Piece::COUNT`.
        unsafe {
            let all = _mm512_set1_epi32;
            let weights = weights.map(|(low, high)| all(high << 16 | low & 0xFFFF));
            let odd = _mm512_slli_epi32::<4>(_mm512_and_si512(mv, all(ODD)));
            let even = _mm512_xor_si512(odd, all(16));
            let read = |table: *const i16, index: __m512i| {
                let word = _mm512_srli_epi32::<1>(index);
                let none = _mm512_setzero_si512();
                _mm512_mask_i32gather_epi32::<4>(none, lanes, word, table.cast())
            };
            let pair = |low: __m512i, high: __m512i| {
                let (low, high) = (_mm512_srlv_epi32(low, odd), _mm512_sllv_epi32(high, even));
                _mm512_mask_blend_epi16(0xAAAA_AAAA, low, high)
            };
            let from_to = _mm512_and_si512(mv, all(SQUARES));
            let attacked = _mm512_movm_epi8(self.attacked.0);
            let (leaves, enters) = (at(from, attacked, all(1)), at(to, attacked, all(1)));
            let board = _mm512_mask_or_epi32(from_to, leaves, from_to, all(2 << BOARD_SHIFT));
            let board = _mm512_mask_or_epi32(board, enters, board, all(1 << BOARD_SHIFT));
            let butterfly = read(self.butterfly.as_ptr().cast(), board);
            let index = _mm512_or_si512(_mm512_slli_epi32::<6>(piece), to);
            let [one, two, four] = self.continuations;
            let [one, two, four, pawn] =
                [one, two, four, self.pawn].map(|row| read(row.as_ptr().cast(), index));
            let boards = match self.low_ply {
                Some((board, _)) => pair(butterfly, read(board.as_ptr().cast(), from_to)),
                None => _mm512_maskz_mov_epi16(0x5555_5555, _mm512_srlv_epi32(butterfly, odd)),
            };
            let sum = _mm512_add_epi32(
                _mm512_add_epi32(
                    _mm512_madd_epi16(pair(one, two), weights[0]),
                    _mm512_madd_epi16(pair(four, pawn), weights[1]),
                ),
                _mm512_madd_epi16(boards, weights[2]),
            );
            // A division by 1024 that rounds toward zero.
            let rounding = _mm512_srli_epi32::<22>(_mm512_srai_epi32::<31>(sum));
            _mm512_srai_epi32::<10>(_mm512_add_epi32(sum, rounding))
        }
    }
}

impl QuietScorer<'_> {
    /// Adds the moves to the list with their scores. They start from pieces of the board.
    #[inline(always)]
    pub(super) fn score_by_sixteen(&self, moves: &[Move], list: &mut ScoredList) {
        let (p, ctx) = (self.p, self.ctx);
        let [first, second, countermove] = self.refutations;
        // SAFETY: the program is compiled for these instructions, and the tables that are read have
        // the size of a register.
        unsafe {
            let [escapes, blunders] = [p.quiet_escape(), p.quiet_blunder()].map(|points| {
                let of_piece = |piece: usize| {
                    let kind = PieceType::ALL.get(piece / 2);
                    kind.map_or(0, |&kind| see_value(p, kind) * points)
                };
                let table: [i32; LANES] = std::array::from_fn(of_piece);
                _mm512_loadu_si512(table.as_ptr().cast())
            });
            let lesser = by_kind(|kind| ctx.threats.by_lesser[kind.index()]);
            let checks = by_kind(|kind| ctx.checks.squares(kind));
            let mailbox = _mm512_loadu_si512(ctx.board.mailbox().as_ptr().cast());
            let mailbox = _mm512_min_epu8(mailbox, _mm512_set1_epi8(Piece::COUNT as i8 - 1));
            let all = _mm512_set1_epi32;

            for chunk in moves.chunks(LANES) {
                let sixteen = Sixteen::new(chunk, mailbox);
                let Sixteen {
                    lanes,
                    mv,
                    from,
                    to,
                    piece,
                } = sixteen;
                let kind_bit = _mm512_sllv_epi32(all(1), _mm512_srli_epi32::<1>(piece));
                let mut score = self.tables.scores(&sixteen);

                let flees = at(from, lesser, kind_bit);
                let of_escape = _mm512_permutexvar_epi32(piece, escapes);
                score = _mm512_mask_add_epi32(score, flees, score, of_escape);
                let threatened = at(to, lesser, kind_bit);
                let of_blunder = _mm512_permutexvar_epi32(piece, blunders);
                score = _mm512_mask_sub_epi32(score, threatened, score, of_blunder);

                let is = |other: Move| _mm512_cmpeq_epi32_mask(mv, all(other.bits().into()));
                let (first, second) = (is(first), is(second));
                let countermove = is(countermove) & !first & !second;
                let checks = holding(lanes & at(to, checks, kind_bit), |lane| {
                    ctx.quiet_holds(p, chunk[lane], p.quiet_check_loss())
                });
                for (which, bonus) in [
                    (first, p.killer_bonus()),
                    (second & !first, p.second_killer_bonus()),
                    (countermove, p.countermove_bonus()),
                    (is(self.lbr_reply), p.lbr_quiet_bonus()),
                    (checks, p.quiet_check()),
                ] {
                    score = _mm512_mask_add_epi32(score, which, score, all(bonus));
                }
                append(list, lanes & !is(self.tt_move), mv, score);
            }
        }
    }
}

/// Adds the moves of these lanes to the list with their scores.
#[inline(always)]
fn append(list: &mut ScoredList, lanes: u16, mv: __m512i, score: __m512i) {
    let end = list.len();
    assert!(end + LANES <= list.capacity(), "the list has no room");
    // SAFETY: the program is compiled for these instructions. There is room for sixteen behind the
    // end of the list, of which those of the lanes come first. A scored move is a move below its
    // score.
    unsafe {
        let mv = _mm512_maskz_compress_epi32(lanes, mv);
        let score = _mm512_maskz_compress_epi32(lanes, score);
        for (half, order) in [LOW, HIGH].iter().enumerate() {
            let order = _mm512_loadu_si512(order.as_ptr().cast());
            let scored = _mm512_permutex2var_epi32(mv, order, score);
            let to = list.as_mut_ptr().add(end + half * LANES / 2);
            _mm512_storeu_si512(to.cast(), scored);
        }
        list.set_len(end + lanes.count_ones() as usize);
    }
}

/// Puts the lower half of two registers' words in turns, those of the second behind those of the
/// first.
const LOW: [u32; LANES] = [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23];
/// The same for the upper half.
const HIGH: [u32; LANES] = [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31];

/// Returns a byte for each square, in which the bit of each kind says whether the square belongs to
/// its set.
#[inline(always)]
fn by_kind(set: impl Fn(PieceType) -> Bitboard) -> __m512i {
    // SAFETY: the program is compiled for these instructions.
    unsafe {
        PieceType::ALL
            .into_iter()
            .fold(_mm512_setzero_si512(), |table, kind| {
                let bit = _mm512_set1_epi8(1 << kind.index());
                _mm512_mask_add_epi8(table, set(kind).0, table, bit)
            })
    }
}

/// Returns the lanes out of these for which a condition holds.
#[inline(always)]
fn holding(mut lanes: u16, condition: impl Fn(usize) -> bool) -> u16 {
    let mut holding = 0;
    while lanes != 0 {
        let lane = lanes.trailing_zeros();
        lanes &= lanes - 1;
        holding |= u16::from(condition(lane as usize)) << lane;
    }
    holding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, MoveBuffer};
    use crate::ordering::{Context, Histories, PRIOR, SearchedMoves, hook};
    use crate::params::Params;
    use crate::types::{Played, Rng};

    /// Scores the quiet moves of a node in both ways, and returns how many there were.
    fn compare(histories: &Histories, ctx: &Context, rng: &mut Rng) -> usize {
        let p = &Params::default();
        let mut moves = MoveBuffer::new();
        ctx.board.generate_quiets(&mut moves);
        let mut any = || rng.choose(&moves).unwrap_or(Move::NULL);
        let scorer = QuietScorer {
            p,
            ctx,
            tables: histories.quiet_tables(p, ctx),
            histories,
            tt_move: any(),
            refutations: [any(), any(), any()],
            lbr_reply: any(),
        };
        let (mut found, mut expected) = (ScoredList::new(), ScoredList::new());
        scorer.score_by_sixteen(&moves, &mut found);
        scorer.score_one_by_one(&moves, &mut expected);
        let plain = |list: &ScoredList| -> Vec<_> {
            let scored = list.iter();
            scored.map(|scored| (scored.mv(), scored.score())).collect()
        };
        assert_eq!(plain(&found), plain(&expected), "{:?}", ctx.board);
        found.len()
    }

    #[test]
    fn agree_with_the_scores_of_single_moves() {
        let mut rng = Rng::new(6);
        let p = &Params::default();
        let mut histories = Histories::new(hook::no_hook());
        let mut compared = 0;
        for start in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
        ] {
            for _ in 0..30 {
                let mut board = Board::from_fen(start).expect(start);
                let mut prior = [Played::NONE; PRIOR];
                for ply in 0..40 {
                    let ctx = Context::new(&board, ply, prior);
                    compared += compare(&histories, &ctx, &mut rng);
                    let moves = board.legal_moves();
                    let Some(mv) = rng.choose(&moves) else { break };
                    let depth = rng.below(20) as i32;
                    let searched: SearchedMoves = moves.iter().copied().take(9).collect();
                    histories.learn_cutoff(p, &ctx, mv, &searched, depth);
                    prior.rotate_right(1);
                    prior[0] = board.describe(mv);
                    board.make(mv);
                }
            }
        }
        assert!(compared > 40_000, "{compared}");
    }
}
