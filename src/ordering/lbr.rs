//! Last Best Reply: the best move found after a prior move, by ply.
//!
//! At a node with a real prior move, the best move is stored with that move in the store of the node's ply.
//! Where the same move is met again at the same ply, its last best reply gets a bonus when moves are ordered.
//!
//! Source: Steven Edwards, "Last Best Reply", Computer Chess Club, 26 March 2011;
//! <https://www.chessprogramming.org/Last_Best_Reply>

use super::PLIES;
use crate::types::{Move, Played};

/// Replies a ply has room for. A few hundred prior moves are met at one ply; the latest stay.
const SLOTS: usize = 256;

/// A reply and the whole prior move it answers, so that no other move is ever mistaken for it.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u32,
    reply: Move,
}

const EMPTY: Slot = Slot {
    key: 0,
    reply: Move::NULL,
};

/// The last best replies of one worker: a direct-mapped store for each ply.
#[derive(Debug)]
pub struct Lbr {
    stores: Box<[[Slot; SLOTS]]>,
    /// Which store is that of ply 0: the stores form a ring, so that shifting them copies nothing.
    start: usize,
}

impl Lbr {
    /// No replies yet.
    pub fn new() -> Self {
        Self {
            stores: vec![[EMPTY; SLOTS]; PLIES].into_boxed_slice(),
            start: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.stores.as_flattened_mut().fill(EMPTY);
    }

    /// Moves the stores `plies` towards the root: the game went on by so many.
    pub fn shift(&mut self, plies: usize) {
        let plies = plies.min(PLIES);
        for ply in 0..plies {
            let store = self.index(ply);
            self.stores[store].fill(EMPTY);
        }
        self.start = self.index(plies);
    }

    /// The last best reply to the prior move at this ply, [`Move::NULL`] if there is none. It need not be legal.
    #[inline]
    pub fn reply(&self, ply: usize, prior: Played) -> Move {
        let key = key(prior);
        let slot = self.stores[self.index(ply)][slot(key)];
        // The key of no move is that of an empty slot, which holds no reply.
        if slot.key == key {
            slot.reply
        } else {
            Move::NULL
        }
    }

    /// Remembers the best move found after the prior move at this ply; nothing if there was no prior move.
    #[inline]
    pub fn store(&mut self, ply: usize, prior: Played, reply: Move) {
        if !prior.is_none() {
            let key = key(prior);
            let store = self.index(ply);
            self.stores[store][slot(key)] = Slot { key, reply };
        }
    }

    #[inline(always)]
    fn index(&self, ply: usize) -> usize {
        (self.start + ply) % PLIES
    }
}

impl Default for Lbr {
    fn default() -> Self {
        Self::new()
    }
}

/// All that two prior moves must share to be the same: from, to and special case (the 16 bits of the move),
/// the man that moved, the man it took. Zero for no move, and for nothing else.
#[inline(always)]
fn key(prior: Played) -> u32 {
    let captured = prior.captured.map_or(0, |kind| kind.index() as u32 + 1);
    prior.mv.bits() as u32 | (prior.piece.index() as u32) << 16 | captured << 20
}

/// Multiplicative hashing by the golden ratio.
///
/// Source: D. Knuth, The Art of Computer Programming, volume 3, section 6.4.
#[inline(always)]
fn slot(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> (u32::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Piece, PieceType};
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// What may happen to a store.
    #[derive(Clone, Debug)]
    enum Event {
        Store(usize, Played, Move),
        Read(usize, Played),
        Shift(usize),
        Clear,
    }

    /// Few moves and plies, so that events meet.
    fn prior() -> impl Strategy<Value = Played> {
        (0..40_u16, 0..2_usize, prop::option::of(0..2_usize)).prop_map(|(bits, piece, captured)| {
            let mv = Move::from_bits(bits * 1637);
            if mv.is_null() {
                return Played::NONE;
            }
            Played {
                mv,
                piece: Piece::ALL[piece * 11],
                captured: captured.map(|kind| PieceType::ALL[kind * 4]),
            }
        })
    }

    fn event() -> impl Strategy<Value = Event> {
        let ply = || prop_oneof![0..4_usize, PLIES - 3..PLIES];
        let reply = (1..=u16::MAX).prop_map(Move::from_bits);
        prop_oneof![
            40 => (ply(), prior(), reply).prop_map(|(ply, prior, reply)| Event::Store(ply, prior, reply)),
            40 => (ply(), prior()).prop_map(|(ply, prior)| Event::Read(ply, prior)),
            4 => (0..5_usize).prop_map(Event::Shift),
            1 => prop_oneof![PLIES - 2..PLIES + 2, Just(usize::MAX)].prop_map(Event::Shift),
            1 => Just(Event::Clear),
        ]
    }

    proptest! {
        /// The store is a map from (ply, whole prior move) to the last reply, except that a reply may be lost
        /// to another prior move of the same slot: never to anything else.
        #[test]
        fn the_store_is_a_map(events in prop::collection::vec(event(), 1..400)) {
            let mut lbr = Lbr::new();
            let mut model: HashMap<(usize, usize), (Played, Move)> = HashMap::new();
            for event in events {
                match event {
                    Event::Store(ply, prior, reply) => {
                        lbr.store(ply, prior, reply);
                        if !prior.is_none() {
                            model.insert((ply, slot(key(prior))), (prior, reply));
                        }
                    }
                    Event::Read(ply, prior) => {
                        let expected = model
                            .get(&(ply, slot(key(prior))))
                            .filter(|(stored, _)| *stored == prior)
                            .map_or(Move::NULL, |(_, reply)| *reply);
                        prop_assert_eq!(lbr.reply(ply, prior), expected);
                    }
                    Event::Shift(plies) => {
                        lbr.shift(plies);
                        model = model
                            .into_iter()
                            .filter_map(|((ply, slot), entry)| {
                                Some(((ply.checked_sub(plies)?, slot), entry))
                            })
                            .collect();
                    }
                    Event::Clear => {
                        lbr.clear();
                        model.clear();
                    }
                }
            }
        }
    }

    #[test]
    fn keys_tell_every_component_apart() {
        let base = Played {
            mv: Move::from_bits(0x1234),
            piece: Piece::BlackQueen,
            captured: None,
        };
        let mut keys = vec![key(Played::NONE), key(base)];
        for kind in PieceType::ALL {
            keys.push(key(Played {
                captured: Some(kind),
                ..base
            }));
        }
        for piece in Piece::ALL.into_iter().filter(|&piece| piece != base.piece) {
            keys.push(key(Played { piece, ..base }));
        }
        for bit in 0..16 {
            let mv = Move::from_bits(base.mv.bits() ^ 1 << bit);
            keys.push(key(Played { mv, ..base }));
        }
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn replies_seldom_displace_each_other() {
        // Knights and bishops to all squares: 128 prior moves of a ply in 256 slots. Thrown at random, 101 would
        // keep a slot of their own or come last into a shared one.
        let mut lbr = Lbr::new();
        let priors: Vec<_> = [Piece::WhiteKnight, Piece::WhiteBishop]
            .into_iter()
            .flat_map(|piece| {
                (1..=64).map(move |to| Played {
                    mv: Move::from_bits(5 << 6 | (to & 63)),
                    piece,
                    captured: None,
                })
            })
            .collect();
        let reply = Move::from_bits(77);
        for &prior in &priors {
            lbr.store(0, prior, reply);
        }
        let kept = priors.iter().filter(|&&prior| lbr.reply(0, prior) == reply);
        assert!(kept.count() >= 95);
    }
}
