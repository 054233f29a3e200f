//! Scores of generated moves. The generator fills a list of moves, and one loop then scores all of
//! them, so that the code of the generator and of the scores is not inlined into each other.

use arrayvec::ArrayVec;

use super::killers::KILLERS;
use super::quiet_tables::QuietTables;
use super::{Context, Histories, OrderingHook, captures};
use crate::board::see_value;
use crate::params::Params;
use crate::types::{Move, Piece};

/// A generated move and its score in one number: 32 bits of score, 16 free bits, 16 bits of move.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct ScoredMove(i64);

impl ScoredMove {
    /// Creates a move with its score in points. Scores of captures and of quiet moves are not
    /// comparable.
    #[inline(always)]
    pub fn new(mv: Move, score: i32) -> Self {
        Self((score as i64) << 32 | mv.bits() as i64)
    }

    #[inline(always)]
    pub const fn mv(self) -> Move {
        Move::from_bits(self.0 as u16)
    }

    /// Returns the score, in points.
    #[inline(always)]
    pub const fn score(self) -> i32 {
        (self.0 >> 32) as i32
    }

    /// Returns the index of the highest score, the first one of equals; `None` if the list is
    /// empty.
    ///
    /// The index is written into the free bits, so that a branchless maximum finds it.
    #[inline(always)]
    pub fn highest(list: &[Self]) -> Option<usize> {
        let mut best = list.first()?.0 | 0xFFFF << 16;
        for (index, scored) in list.iter().enumerate() {
            best = best.max(scored.0 | (0xFFFF - index as i64) << 16);
        }
        Some(0xFFFF - (best >> 16 & 0xFFFF) as usize)
    }

    /// Returns the same as [`highest`](Self::highest), faster if the list is long.
    #[cfg(not(target_feature = "avx512f"))]
    #[inline(always)]
    pub fn highest_of_many(list: &[Self]) -> Option<usize> {
        Self::highest(list)
    }

    /// Returns the same as [`highest`](Self::highest), faster if the list is long: eight moves at
    /// once, and the last ones without a loop of their own.
    #[cfg(target_feature = "avx512f")]
    #[inline(always)]
    pub fn highest_of_many(list: &[Self]) -> Option<usize> {
        use std::arch::x86_64::{
            _mm512_mask_or_epi64, _mm512_maskz_loadu_epi64, _mm512_max_epi64,
            _mm512_reduce_max_epi64, _mm512_set1_epi64, _mm512_setr_epi64, _mm512_sub_epi64,
        };
        const LANES: usize = 8;

        if list.is_empty() {
            return None;
        }
        // SAFETY: the program is compiled for these instructions, and the mask has no lane behind
        // the end of the list.
        let best = unsafe {
            let lowest = _mm512_set1_epi64(i64::MIN);
            let behind = |index: i64| (0xFFFF - index) << 16;
            let mut indices = _mm512_setr_epi64(
                behind(0),
                behind(1),
                behind(2),
                behind(3),
                behind(4),
                behind(5),
                behind(6),
                behind(7),
            );
            let mut best = lowest;
            for eight in list.chunks(LANES) {
                let lanes = ((1_u32 << eight.len()) - 1) as u8;
                let moves = _mm512_maskz_loadu_epi64(lanes, eight.as_ptr().cast());
                let moves = _mm512_mask_or_epi64(lowest, lanes, moves, indices);
                best = _mm512_max_epi64(best, moves);
                indices = _mm512_sub_epi64(indices, _mm512_set1_epi64((LANES as i64) << 16));
            }
            _mm512_reduce_max_epi64(best)
        };
        Some(0xFFFF - (best >> 16 & 0xFFFF) as usize)
    }
}

/// Room behind the last move of a list, because moves are written before they are counted.
pub const SCORE_MARGIN: usize = 16;

/// The moves of one node.
pub type ScoredList = ArrayVec<ScoredMove, { 256 + SCORE_MARGIN }>;

/// Adds the moves to the list with their scores, except for the move `without`.
#[inline(always)]
fn score_all(
    moves: &[Move],
    list: &mut ScoredList,
    without: Move,
    mut score: impl FnMut(Move) -> i32,
) {
    for &mv in moves {
        list.push(ScoredMove::new(mv, score(mv)));
        list.truncate(list.len() - usize::from(mv == without));
    }
}

/// Scores captures and promotions by MVV-LVA, capture history and a bonus for the LBR reply.
pub struct CaptureScorer<'a> {
    pub p: &'a Params,
    pub ctx: &'a Context<'a>,
    pub histories: &'a Histories,
    /// The TT move, which is left out because it has been tried.
    pub tt_move: Move,
    /// The last best reply, which gets a bonus.
    pub lbr_reply: Move,
}

impl CaptureScorer<'_> {
    /// Adds the moves to the list with their scores.
    #[inline(always)]
    pub fn score(self, moves: &[Move], list: &mut ScoredList) {
        score_all(moves, list, self.tt_move, |mv| self.points(mv));
    }

    /// Returns the score of one capture or promotion.
    #[inline(always)]
    pub fn points(&self, mv: Move) -> i32 {
        let (p, histories) = (self.p, self.histories);
        let played = self.ctx.board.describe(mv);
        let mut score = captures::mvv_lva(p, played)
            + histories.captures.get(played)
            + histories.hook.capture_points(p, self.ctx, played);
        if mv == self.lbr_reply {
            score += p.lbr_capture_bonus();
        }
        score
    }
}

/// The number of refutations: killers and countermove.
pub const REFUTATIONS: usize = KILLERS + 1;

/// Scores quiet moves by histories, threats and checks, with bonuses for killers, countermove and
/// LBR reply.
pub struct QuietScorer<'a> {
    pub p: &'a Params,
    pub ctx: &'a Context<'a>,
    pub tables: QuietTables<'a>,
    /// Only the hook uses them; all other scores come from `tables`.
    pub histories: &'a Histories,
    /// The TT move, which is left out because it has been tried.
    pub tt_move: Move,
    /// The killers and the countermove, which get a bonus. A countermove that is also a killer gets
    /// only the killer's bonus.
    pub refutations: [Move; REFUTATIONS],
    /// The last best reply, which gets its bonus on top of any other.
    pub lbr_reply: Move,
}

impl QuietScorer<'_> {
    /// Adds the moves to the list with their scores.
    #[inline(always)]
    pub fn score(self, moves: &[Move], list: &mut ScoredList) {
        #[cfg(all(target_feature = "avx512vbmi2", not(feature = "hook")))]
        self.score_by_sixteen(moves, list);
        #[cfg(not(all(target_feature = "avx512vbmi2", not(feature = "hook"))))]
        self.score_one_by_one(moves, list);
    }

    /// Does the same with each move for itself.
    #[cfg_attr(
        all(target_feature = "avx512vbmi2", not(feature = "hook")),
        allow(dead_code, reason = "only a test compares with it")
    )]
    #[inline(always)]
    pub(super) fn score_one_by_one(&self, moves: &[Move], list: &mut ScoredList) {
        let (p, ctx) = (self.p, self.ctx);
        let [first, second, countermove] = self.refutations;
        score_all(moves, list, self.tt_move, |mv| {
            // A generated move always starts from a piece; the default is never used.
            let piece = ctx.board.piece_on(mv.from()).unwrap_or(Piece::WhitePawn);
            let kind = piece.kind();
            let mut score = self.tables.score(piece, mv);
            // Source: https://www.chessprogramming.org/Move_Ordering
            let by_lesser = ctx.threats.by_lesser[kind.index()];
            let flees = i32::from(by_lesser.has(mv.from())) * p.quiet_escape();
            let blunders = i32::from(by_lesser.has(mv.to())) * p.quiet_blunder();
            score += see_value(p, kind) * (flees - blunders);
            if ctx.checks.squares(kind).has(mv.to()) && ctx.quiet_holds(p, mv, p.quiet_check_loss())
            {
                score += p.quiet_check();
            }
            if mv == first {
                score += p.killer_bonus();
            } else if mv == second {
                score += p.second_killer_bonus();
            } else if mv == countermove {
                score += p.countermove_bonus();
            }
            if mv == self.lbr_reply {
                score += p.lbr_quiet_bonus();
            }
            score
                + self
                    .histories
                    .hook
                    .quiet_points(p, self.histories, ctx, piece, mv)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_of_the_highest_is_found(
            entries in prop::collection::vec((any::<u16>(), prop_oneof![-3..3, any::<i32>()]), 0..256),
        ) {
            let list: Vec<_> = entries
                .iter()
                .map(|&(bits, score)| ScoredMove::new(Move::from_bits(bits), score))
                .collect();
            let highest = entries.iter().map(|&(_, score)| score).max();
            let expected = entries.iter().position(|&(_, score)| Some(score) == highest);
            prop_assert_eq!(ScoredMove::highest(&list), expected);
            prop_assert_eq!(ScoredMove::highest_of_many(&list), expected);
            for (scored, (bits, _)) in list.iter().zip(entries) {
                prop_assert_eq!(scored.mv().bits(), bits);
            }
        }
    }
}
