//! The content of a TT entry, and how it fits into 64 bits.
//!
//! ```text
//! bits  0..16  move
//!      16..32  score, counted from the node
//!      32..48  raw static evaluation
//!      48..56  depth, counted from -7; 0 is an empty slot
//!      56..58  bound; 0 if only the evaluation is known
//!      58      PV
//!      59..64  age
//! ```

use crate::types::score::{from_tt, to_tt};
use crate::types::{Move, Score};

/// The relation of a stored score to the true one. The discriminants are bits: an exact score is both
/// an upper and a lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// There is no score; only the evaluation is known.
    None = 0,
    /// The true score is at most this, because no move raised alpha.
    Upper = 1,
    /// The true score is at least this, because a move reached beta.
    Lower = 2,
    /// The score is exact.
    Exact = 3,
}

impl Bound {
    /// Returns the kind of bound that a search with this window gives by this score.
    #[inline(always)]
    pub const fn of(score: Score, alpha: Score, beta: Score) -> Self {
        if score >= beta {
            Self::Lower
        } else if score > alpha {
            Self::Exact
        } else {
            Self::Upper
        }
    }
}

/// An entry of the transposition table: everything that it knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtEntry {
    /// The best move, or the null move if none is known. It may be illegal, since two positions may
    /// share a key.
    pub mv: Move,
    /// The score in centipawns, with mates and tablebase wins counted from the root of the current
    /// search.
    pub score: Score,
    /// The static evaluation before any correction, in centipawns;
    /// [`score::NONE`](crate::types::score::NONE) in check.
    pub eval: Score,
    /// The depth of the search that found the entry, in plies, -6 to 248. Quiescence search stores
    /// 0.
    pub depth: i32,
    /// The relation of the score to the true score.
    pub bound: Bound,
    /// True if the node is or was on a principal variation.
    pub pv: bool,
}

impl TtEntry {
    /// Returns whether there is a score besides the evaluation.
    #[inline(always)]
    pub(crate) const fn has_score(&self) -> bool {
        !matches!(self.bound, Bound::None)
    }

    /// Returns whether the score would end a node with this window if the entry is deep enough.
    #[inline(always)]
    pub const fn decides(&self, alpha: Score, beta: Score) -> bool {
        // An array, because nobody can foresee where a `match` would jump.
        [false, self.score <= alpha, self.score >= beta, true][self.bound as usize]
    }
}

const SCORE_AT: u32 = 16;
const EVAL_AT: u32 = 32;
const DEPTH_AT: u32 = 48;
const BOUND_AT: u32 = 56;
const PV_AT: u32 = 58;
const AGE_AT: u32 = 59;
const MOVE_BITS: u64 = 0xFFFF;
const BOUND_BITS: u64 = 3 << BOUND_AT;
const DEPTH_BITS: u64 = 0xFF << DEPTH_AT;

/// The depth that is stored as 0, which marks an empty slot.
const EMPTY_DEPTH: i32 = -7;
/// The depth of an entry that holds only an evaluation.
pub(super) const EVALUATION_DEPTH: i32 = EMPTY_DEPTH + 1;

/// An entry of the current search is kept if it is at least this many plies deeper than a new bound
/// for the same position.
// Source: Stockfish keeps entries by the same rule.
const DEEPER: i32 = 4;
/// A new entry of a PV node counts as this many plies deeper.
const PV_DEEPER: i32 = 2;

/// Each search since an entry was stored counts as this many plies less depth.
const AGE_WEIGHT: i32 = 4;

/// The number of ages that can be distinguished.
pub(super) const AGES: u8 = 32;

/// A [`TtEntry`] and the age of its search in 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Entry(pub(super) u64);

impl Entry {
    /// Packs an entry of a node `ply` plies from the root. `age` is that of the search, 0 to 31.
    #[inline(always)]
    pub(super) fn pack(hit: TtEntry, ply: usize, age: u8) -> Self {
        debug_assert!((EVALUATION_DEPTH..=EMPTY_DEPTH + 255).contains(&hit.depth));
        debug_assert!(age < AGES);
        Self(
            u64::from(hit.mv.bits())
                | u64::from(to_tt(hit.score, ply) as u16) << SCORE_AT
                | u64::from(hit.eval as u16) << EVAL_AT
                | u64::from((hit.depth - EMPTY_DEPTH) as u8) << DEPTH_AT
                | (hit.bound as u64) << BOUND_AT
                | u64::from(hit.pv) << PV_AT
                | u64::from(age) << AGE_AT,
        )
    }

    /// Unpacks an entry for a node `ply` plies from the root; `None` for an empty slot.
    #[inline(always)]
    pub(super) fn unpack(self, ply: usize) -> Option<TtEntry> {
        // An array instead of a `match` avoids a branch that may be mispredicted.
        const BOUNDS: [Bound; 4] = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact];
        (!self.is_empty()).then(|| TtEntry {
            mv: self.mv(),
            score: from_tt(Score::from((self.0 >> SCORE_AT) as i16), ply),
            eval: Score::from((self.0 >> EVAL_AT) as i16),
            depth: self.depth(),
            bound: BOUNDS[((self.0 & BOUND_BITS) >> BOUND_AT) as usize],
            pv: self.is_pv(),
        })
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.0 & DEPTH_BITS == 0
    }

    #[inline(always)]
    pub(super) fn age(self) -> u8 {
        (self.0 >> AGE_AT) as u8
    }

    #[inline(always)]
    fn mv(self) -> Move {
        Move::from_bits(self.0 as u16)
    }

    #[inline(always)]
    fn depth(self) -> i32 {
        i32::from((self.0 >> DEPTH_AT) as u8) + EMPTY_DEPTH
    }

    #[inline(always)]
    fn is_pv(self) -> bool {
        self.0 >> PV_AT & 1 != 0
    }

    #[inline(always)]
    fn is_exact(self) -> bool {
        self.0 & BOUND_BITS == BOUND_BITS
    }

    /// Returns the entry that replaces this one when `new` is stored for the same position, or
    /// `None` if this one is kept as it is. The old move is kept if the new entry has none, and the
    /// new one is taken over even if the rest is not. An exact score replaces even a deeper entry,
    /// unless it is that of quiescence search, at depth 0.
    #[inline(always)]
    pub(super) fn updated(self, new: Self) -> Option<Self> {
        let outlived = new.depth() + DEEPER + PV_DEEPER * i32::from(new.is_pv());
        let replaces = new.is_exact() && new.depth() > 0;
        if !replaces && self.age() == new.age() && self.depth() >= outlived {
            let with_move = Self(self.0 & !MOVE_BITS | u64::from(new.mv().bits()));
            (!new.mv().is_null() && new.mv() != self.mv()).then_some(with_move)
        } else if new.mv().is_null() {
            Some(Self(new.0 | u64::from(self.mv().bits())))
        } else {
            Some(new)
        }
    }

    /// Returns how valuable an entry of another position is, in plies: deep and recent entries are
    /// the most valuable, empty slots the least.
    #[inline(always)]
    pub(super) fn worth(self, age: u8) -> i32 {
        if self.is_empty() {
            return i32::MIN;
        }
        let searches = age.wrapping_sub(self.age()) % AGES;
        self.depth() - AGE_WEIGHT * i32::from(searches)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::MAX_PLY;
    use crate::types::score::{EVAL_LIMIT, MATE, NONE, TB_WIN, mate_in, mated_in};

    fn any_bound() -> impl Strategy<Value = Bound> {
        prop_oneof![
            Just(Bound::None),
            Just(Bound::Upper),
            Just(Bound::Lower),
            Just(Bound::Exact)
        ]
    }

    fn any_eval() -> impl Strategy<Value = Score> {
        prop_oneof![-EVAL_LIMIT..=EVAL_LIMIT, Just(NONE)]
    }

    proptest! {
        #[test]
        fn packing_keeps_everything(
            bits: u16, score in -MATE..=MATE, eval in any_eval(), depth in -6..=247, bound in any_bound(), pv: bool,
            age in 0..AGES,
        ) {
            let hit = TtEntry { mv: Move::from_bits(bits), score, eval, depth, bound, pv };
            let entry = Entry::pack(hit, 0, age);
            prop_assert_eq!(entry.unpack(0), Some(hit));
            prop_assert_eq!(entry.age(), age);
            prop_assert!(!entry.is_empty());
        }

        #[test]
        fn decided_scores_count_from_the_node(here in 0..100usize, there in 0..100usize, distance in 0..100usize) {
            for score in [mate_in, mated_in, |ply| TB_WIN - ply as Score] {
                let hit = TtEntry { score: score(here + distance), ..hit(0, Bound::Exact) };
                let found = Entry::pack(hit, here, 0).unpack(there);
                prop_assert_eq!(found.map(|hit| hit.score), Some(score(there + distance)));
            }
        }
    }

    fn hit(depth: i32, bound: Bound) -> TtEntry {
        TtEntry {
            mv: Move::from_bits(7),
            score: 0,
            eval: 0,
            depth,
            bound,
            pv: false,
        }
    }

    fn entry(depth: i32, bound: Bound) -> Entry {
        Entry::pack(hit(depth, bound), 0, 0)
    }

    #[test]
    fn the_extremes_fit() {
        for score in [mate_in(MAX_PLY), mated_in(MAX_PLY), MATE, -MATE, NONE] {
            for ply in [0, MAX_PLY] {
                let hit = TtEntry {
                    score,
                    ..hit(0, Bound::Lower)
                };
                // A mate on the board cannot be nearer than the node.
                if score.abs() != MATE || ply == 0 {
                    assert_eq!(Entry::pack(hit, ply, 31).unpack(ply), Some(hit));
                }
            }
        }
    }

    #[test]
    fn zero_is_empty() {
        assert!(Entry(0).is_empty());
        assert_eq!(Entry(0).unpack(0), None);
    }

    #[test]
    fn a_much_deeper_entry_outlives_a_bound() {
        for bound in [Bound::Upper, Bound::Lower] {
            assert!(entry(14, bound).updated(entry(10, bound)).is_none());
            assert!(entry(13, bound).updated(entry(10, bound)).is_some());
            let new = TtEntry {
                pv: true,
                ..hit(10, bound)
            };
            let new = Entry::pack(new, 0, 0);
            assert!(entry(16, bound).updated(new).is_none());
            assert!(entry(15, bound).updated(new).is_some());
            // An entry of an earlier search is replaced.
            let new = Entry::pack(hit(1, bound), 0, 1);
            assert!(entry(99, bound).updated(new).is_some());
        }
    }

    #[test]
    fn an_evaluation_alone_decides_nothing() {
        let known = entry(EVALUATION_DEPTH, Bound::None);
        assert!(!known.is_empty());
        let hit = known
            .unpack(0)
            .expect("an evaluation alone is not an entry");
        for bound in [-MATE, 0, MATE] {
            assert!(!hit.decides(bound, bound));
        }
    }

    #[test]
    fn an_exact_score_of_the_main_search_always_replaces() {
        let exact = entry(1, Bound::Exact);
        for old in [Bound::Upper, Bound::Lower, Bound::Exact] {
            let left = entry(247, old).updated(exact);
            assert_eq!(left.map(|left| left.0), Some(exact.0));
            assert!(entry(247, old).updated(entry(0, Bound::Exact)).is_none());
        }
    }

    #[test]
    fn the_old_move_stays_where_there_is_no_new_one() {
        let moveless = Entry(entry(9, Bound::Upper).0 & !0xFFFF);
        let left = entry(9, Bound::Lower).updated(moveless);
        assert_eq!(left.map(|left| left.0), Some(entry(9, Bound::Upper).0));

        let other = Entry(moveless.0 | 8);
        let left = entry(9, Bound::Lower).updated(other);
        assert_eq!(left.map(|left| left.0), Some(other.0));
    }

    #[test]
    fn an_entry_that_stays_takes_over_the_new_move() {
        let deep = entry(30, Bound::Lower);
        let shallow = Entry(entry(9, Bound::Upper).0 & !0xFFFF | 8);
        let left = deep.updated(shallow).and_then(|left| left.unpack(0));
        let expected = TtEntry {
            mv: Move::from_bits(8),
            ..hit(30, Bound::Lower)
        };
        assert_eq!(left, Some(expected));
    }

    #[test]
    fn a_search_of_age_is_worth_four_plies() {
        assert_eq!(entry(10, Bound::Lower).worth(0), 10);
        assert_eq!(entry(10, Bound::Lower).worth(1), 6);
        assert_eq!(entry(-6, Bound::Lower).worth(31), -130);
        let last = Entry::pack(hit(10, Bound::Lower), 0, 31);
        assert_eq!(last.worth(0), 6, "the age after 31 is 0");
        assert!(Entry(0).worth(0) < entry(-6, Bound::Lower).worth(31));
    }
}
