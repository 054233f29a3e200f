//! What a generated move is worth: the moves come into a plain list, and then one loop scores them all, so that neither
//! the generator nor the tables are at every place of the other.

use arrayvec::ArrayVec;

use super::killers::KILLERS;
use super::{Context, Histories, OrderingHook, captures, continuation, continuations, history};
use crate::board::{MoveSink, Threats, see_value};
use crate::params::Params;
use crate::types::{Bitboard, Move, Piece, PieceType};

/// A generated move and its score in one number: score (32 bits), nothing (16), move (16).
#[derive(Clone, Copy, Debug)]
pub struct Scored(i64);

impl Scored {
    /// A move; the higher its score, the earlier. Captures and quiet moves are not compared.
    #[inline(always)]
    pub fn new(mv: Move, score: i32) -> Self {
        Self((score as i64) << 32 | mv.bits() as i64)
    }

    /// The move.
    #[inline(always)]
    pub const fn mv(self) -> Move {
        Move::from_bits(self.0 as u16)
    }

    /// The score.
    #[inline(always)]
    pub const fn score(self) -> i32 {
        (self.0 >> 32) as i32
    }

    /// Where in the list the highest score stands, the first of equals; `None` in an empty list.
    ///
    /// The place goes into the free bits, so that one maximum of numbers answers without a branch.
    #[inline(always)]
    pub fn highest(list: &[Self]) -> Option<usize> {
        let mut best = list.first()?.0 | 0xFFFF << 16;
        for (place, scored) in list.iter().enumerate() {
            best = best.max(scored.0 | (0xFFFF - place as i64) << 16);
        }
        Some(0xFFFF - (best >> 16 & 0xFFFF) as usize)
    }
}

/// The moves of one node.
pub type ScoredList = ArrayVec<Scored, 256>;

/// Moves as they are generated, without scores: these are found in one loop when all moves are there.
impl MoveSink for ScoredList {
    #[inline(always)]
    fn push(&mut self, mv: Move) {
        Self::push(self, Scored::new(mv, 0));
    }
}

/// Gives the moves of the list from `start` on the scores of this function, and drops `without`.
#[inline(always)]
fn score_all(
    list: &mut ScoredList,
    start: usize,
    without: Move,
    mut score: impl FnMut(Move) -> i32,
) {
    let moves = &mut list[start..];
    let mut kept = 0;
    for at in 0..moves.len() {
        let mv = moves[at].mv();
        moves[kept] = Scored::new(mv, score(mv));
        kept += usize::from(mv != without);
    }
    list.truncate(start + kept);
}

/// Scores captures and promotions: first sight, capture history, LBR bonus.
pub struct CaptureScorer<'a> {
    /// The engine's numbers.
    pub p: &'a Params,
    /// The node.
    pub ctx: &'a Context<'a>,
    /// What is known of captures.
    pub histories: &'a Histories,
    /// Left out: it has been tried.
    pub tt_move: Move,
    /// The move that gets the bonus.
    pub lbr_reply: Move,
}

impl CaptureScorer<'_> {
    /// Scores the moves of the list from `start` on.
    #[inline(always)]
    pub fn score(self, list: &mut ScoredList, start: usize) {
        let (p, histories) = (self.p, self.histories);
        score_all(list, start, self.tt_move, |mv| {
            let played = self.ctx.board.describe(mv);
            let mut score = captures::mvv_lva(p, played)
                + histories.captures.get(played)
                + histories.hook.capture_points(p, self.ctx, played);
            if mv == self.lbr_reply {
                score += p.lbr_capture_bonus();
            }
            score
        });
    }
}

/// The tables that know the quiet moves of one node, looked up once.
#[derive(Clone, Copy)]
pub struct QuietTables<'a> {
    p: &'a Params,
    threats: &'a Threats,
    butterfly: &'a history::Boards,
    pawn: &'a continuation::Row,
    continuations: [&'a continuation::Row; 4],
}

impl<'a> QuietTables<'a> {
    /// The tables for this node.
    #[inline(always)]
    pub fn new(p: &'a Params, histories: &'a Histories, ctx: &'a Context) -> Self {
        Self {
            p,
            threats: &ctx.threats,
            butterfly: histories.history.of(ctx.board.side_to_move()),
            pawn: histories.pawn_history.with(ctx.board.pawn_key()),
            continuations: continuations(ctx).map(|prior| histories.continuation.after(prior)),
        }
    }

    /// The sum of what they know of a piece's quiet move, each by its weight.
    #[inline(always)]
    pub fn score(&self, piece: Piece, mv: Move) -> i32 {
        let (p, from, to) = (self.p, mv.from().index(), mv.to().index());
        let of = |row: &continuation::Row| i32::from(row[piece.index()][to]);
        let butterfly = self.butterfly[history::kind(self.threats, mv)][from][to];
        let [one, two, four, six] = self.continuations;
        let sum = i32::from(butterfly) * p.quiet_butterfly()
            + of(self.pawn) * p.quiet_pawn()
            + of(one) * p.quiet_continuation_one()
            + of(two) * p.quiet_continuation_two()
            + of(four) * p.quiet_continuation_four()
            + of(six) * p.quiet_continuation_six();
        sum / 1024
    }
}

/// A tunable loss of this size means: whatever it loses.
const ANY_LOSS: i32 = 2000;

/// Killers and countermove.
pub const REFUTATIONS: usize = KILLERS + 1;

/// Scores quiet moves: killers, countermove, histories, threats, checks and LBR bonus.
pub struct QuietScorer<'a> {
    /// The engine's numbers.
    pub p: &'a Params,
    /// The node.
    pub ctx: &'a Context<'a>,
    /// What is known of quiet moves.
    pub tables: QuietTables<'a>,
    /// What the laboratory knows of them.
    pub histories: &'a Histories,
    /// Left out: it has been tried.
    pub tt_move: Move,
    /// Killers and countermove: each gets its bonus, a move that is both only the killer's.
    pub refutations: [Move; REFUTATIONS],
    /// The last best reply: it gets its bonus, whatever else it is.
    pub lbr_reply: Move,
}

impl QuietScorer<'_> {
    /// Scores the moves of the list from `start` on.
    #[inline(always)]
    pub fn score(self, list: &mut ScoredList, start: usize) {
        let (p, ctx) = (self.p, self.ctx);
        let kinds = PieceType::ALL.map(|kind| OfKind {
            lesser: ctx.threats.by_lesser(kind),
            checks: ctx.checks.squares(kind),
            escape: see_value(p, kind) * p.quiet_escape(),
            blunder: see_value(p, kind) * p.quiet_blunder(),
        });
        let [first, second, countermove] = self.refutations;
        score_all(list, start, self.tt_move, |mv| {
            // A quiet move moves a piece: there is none without.
            let piece = ctx.board.piece_on(mv.from()).unwrap_or(Piece::WhitePawn);
            let kind = &kinds[piece.kind().index()];
            let mut score = self.tables.score(piece, mv);
            // Source: https://www.chessprogramming.org/Move_Ordering
            if kind.lesser.has(mv.from()) {
                score += kind.escape;
            }
            if kind.lesser.has(mv.to()) {
                score -= kind.blunder;
            }
            if kind.checks.has(mv.to())
                && (p.quiet_check_loss() == ANY_LOSS
                    || ctx.quiet_holds(p, mv, p.quiet_check_loss()))
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

/// What all quiet moves of pieces of one kind have in common.
struct OfKind {
    /// Squares where a lesser piece attacks them.
    lesser: Bitboard,
    /// Squares they check from.
    checks: Bitboard,
    /// What it is worth to leave an attacked square.
    escape: i32,
    /// What it costs to enter one.
    blunder: i32,
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
                .map(|&(bits, score)| Scored::new(Move::from_bits(bits), score))
                .collect();
            let highest = entries.iter().map(|&(_, score)| score).max();
            let expected = entries.iter().position(|&(_, score)| Some(score) == highest);
            prop_assert_eq!(Scored::highest(&list), expected);
            for (scored, (bits, _)) in list.iter().zip(entries) {
                prop_assert_eq!(scored.mv().bits(), bits);
            }
        }
    }
}
