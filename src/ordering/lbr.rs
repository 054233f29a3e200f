//! Last Best Reply (LBR): the best move that was found after a prior move, by ply.
//!
//! At a node with a real prior move, the best move is stored under that prior move in the store of
//! the node's ply. Where the same prior move occurs again at the same ply (the first match), the
//! stored reply gets a bonus when moves are ordered, if it can be played (the second match).
//!
//! Source: Steven Edwards, "Last Best Reply", Computer Chess Club, 26 March 2011;
//! <https://www.chessprogramming.org/Last_Best_Reply>

use super::{Context, PLIES};
use crate::memory::{Arena, Mapped};
use crate::params::Params;
use crate::types::{Move, Played};

/// Number of replies that a ply has room for. A few hundred prior moves occur at one ply; newer
/// ones replace older ones.
const SLOTS: usize = 256;
/// Number of replies that a color has room for in the variant with one store for each color.
const COLOR_SLOTS: usize = 4096;

/// The variants of the heuristic: the base form described on its wiki page, then the variants that
/// the page lists, in the page's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LbrVariant {
    /// The prior move is the key, and each ply has a store.
    Base,
    /// "Both the prior move and the move before it" are the key.
    TwoMoves,
    /// "The move two plies earlier" is the key: the last move of the side to move.
    TwoPliesAgo,
    /// "LBR operations are skipped if the reply move is a capture or promotion": such a best move
    /// is not stored and leaves the reply stored before in place, so that none is ever matched. A
    /// capture may still be the prior move, because the page restricts only the reply.
    QuietReplies,
    /// "Only two LBR data stores (one for each color) for an entire search" instead of one for each
    /// ply.
    ByColor,
    /// Nothing is stored and nothing matched, in order to measure the worth of the other variants.
    Off,
}

impl LbrVariant {
    /// All variants; the parameter `lbr_variant` is an index into this list.
    pub const ALL: [Self; 6] = [
        Self::Base,
        Self::TwoMoves,
        Self::TwoPliesAgo,
        Self::QuietReplies,
        Self::ByColor,
        Self::Off,
    ];

    /// Returns the variant that the parameters select.
    #[inline(always)]
    pub const fn of(p: &Params) -> Self {
        Self::ALL[p.lbr_variant() as usize]
    }

    /// Returns the key that the first match compares, made of the prior moves that the variant
    /// uses. The key is 0 if one of them is missing, and only then.
    #[inline(always)]
    fn key(self, [last, before]: [Played; 2]) -> u64 {
        match self {
            Self::Base | Self::QuietReplies | Self::ByColor => key(last),
            Self::TwoMoves if last.is_none() || before.is_none() => 0,
            Self::TwoMoves => key(last) | key(before) << KEY_BITS,
            Self::TwoPliesAgo => key(before),
            Self::Off => 0,
        }
    }
}

/// Bits of the key of one move.
const KEY_BITS: u32 = 23;

/// Returns the key of one prior move: from, to and special case (the 16 bits of the move), the
/// moving piece and the captured piece. Two prior moves are the same if all of these agree. The key
/// is 0 for no move, and only then.
#[inline(always)]
fn key(prior: Played) -> u64 {
    let captured = prior.captured.map_or(0, |kind| kind.index() as u64 + 1);
    prior.mv.bits() as u64 | (prior.piece.index() as u64) << 16 | captured << 20
}

/// Hashes a key to a number of `bits` bits by multiplication with the golden ratio. A second move
/// in the key is multiplied by another factor first.
///
/// Source: D. Knuth, The Art of Computer Programming, volume 3, section 6.4.
#[inline(always)]
fn hash(key: u64, bits: u32) -> usize {
    let (last, before) = (key & ((1 << KEY_BITS) - 1), key >> KEY_BITS);
    let both = (last as u32).wrapping_add((before as u32).wrapping_mul(0x85EB_CA6B));
    (both.wrapping_mul(0x9E37_79B1) >> (u32::BITS - bits)) as usize
}

/// A reply (16 bits) and its full key (46 bits) in one number, so that a reply is never taken for
/// that of another key.
#[derive(Clone, Copy, Debug)]
struct Slot(u64);

impl Slot {
    const EMPTY: Self = Self(0);

    #[inline(always)]
    const fn new(key: u64, reply: Move) -> Self {
        Self(key << 16 | reply.bits() as u64)
    }

    /// Returns the reply, or [`Move::NULL`] if the slot holds another key. The key 0 matches an
    /// empty slot, whose reply is [`Move::NULL`] as well.
    #[inline(always)]
    const fn reply(self, key: u64) -> Move {
        if self.0 >> 16 == key {
            Move::from_bits(self.0 as u16)
        } else {
            Move::NULL
        }
    }
}

/// The last best replies of one worker: a direct-mapped store for each ply, or for each color.
#[derive(Debug)]
pub struct Lbr {
    /// The stores one after another; each word is a [`Slot`].
    slots: Mapped<u64>,
    /// Index of the store of ply 0. The stores of the plies form a ring, so that shifting them
    /// copies nothing.
    start: usize,
}

impl Lbr {
    /// Size of the stores, in bytes.
    pub const BYTES: usize = PLIES * SLOTS * size_of::<u64>();

    /// Creates empty stores.
    pub fn new(memory: &mut Arena) -> Self {
        Self {
            slots: memory.take(PLIES * SLOTS),
            start: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(Slot::EMPTY.0);
    }

    /// Prepares for the next search, `plies_played` plies after the last one: the stores of the
    /// plies move that far toward the root, and the stores of the colors become empty.
    pub fn new_search(&mut self, variant: LbrVariant, plies_played: usize) {
        if variant == LbrVariant::ByColor {
            self.slots[..2 * COLOR_SLOTS].fill(Slot::EMPTY.0);
            return;
        }
        let plies = plies_played.min(PLIES);
        for ply in 0..plies {
            let first = self.first_slot(ply);
            self.slots[first..first + SLOTS].fill(Slot::EMPTY.0);
        }
        self.start = (self.start + plies) % PLIES;
    }

    /// Returns whether the node has the prior moves that the variant uses.
    pub fn has_key(variant: LbrVariant, ctx: &Context) -> bool {
        variant.key([ctx.prior[0], ctx.prior[1]]) != 0
    }

    /// Returns the first match: the last best reply to the prior move, or [`Move::NULL`] if there
    /// is none. It need not be legal.
    #[inline]
    pub fn reply(&self, variant: LbrVariant, ctx: &Context) -> Move {
        let key = variant.key([ctx.prior[0], ctx.prior[1]]);
        Slot(self.slots[self.index(variant, ctx, key)]).reply(key)
    }

    /// Stores the best move found after the prior move. Without a prior move nothing is stored.
    #[inline]
    pub fn store(&mut self, variant: LbrVariant, ctx: &Context, best: Move) {
        let key = variant.key([ctx.prior[0], ctx.prior[1]]);
        let skipped = variant == LbrVariant::QuietReplies && !best.is_quiet();
        if key != 0 && !skipped {
            let index = self.index(variant, ctx, key);
            self.slots[index] = Slot::new(key, best).0;
        }
    }

    /// Returns the index of the slot for this key at this node.
    #[inline(always)]
    fn index(&self, variant: LbrVariant, ctx: &Context, key: u64) -> usize {
        if variant == LbrVariant::ByColor {
            let first = ctx.board.side_to_move().index() * COLOR_SLOTS;
            first + hash(key, COLOR_SLOTS.ilog2())
        } else {
            self.first_slot(ctx.ply) + hash(key, SLOTS.ilog2())
        }
    }

    /// Returns the index of the first slot of a ply.
    #[inline(always)]
    fn first_slot(&self, ply: usize) -> usize {
        (self.start + ply) % PLIES * SLOTS
    }
}

#[cfg(test)]
mod tests;
