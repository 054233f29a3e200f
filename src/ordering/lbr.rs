//! Last Best Reply: the best move found after a prior move, by ply.
//!
//! At a node with a real prior move, the best move is stored with that move in the store of the node's ply.
//! Where the same move is met again at the same ply (the first match), its last best reply, if it can be played
//! (the second match), gets a bonus when moves are ordered.
//!
//! Source: Steven Edwards, "Last Best Reply", Computer Chess Club, 26 March 2011;
//! <https://www.chessprogramming.org/Last_Best_Reply>

use super::{Context, PLIES};
use crate::memory::{Arena, Mapped};
use crate::params::Params;
use crate::types::{Move, Played};

/// Replies a ply has room for. A few hundred prior moves are met at one ply; the latest stay.
const SLOTS: usize = 256;
/// Replies a colour has room for, where one store serves all plies.
const COLOR_SLOTS: usize = 4096;

/// The forms of the heuristic: the one described on its page, then the page's variants by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The prior move is the key, and each ply has a store.
    Base,
    /// "Both the prior move and the move before it" are the key.
    TwoMoves,
    /// "The move two plies earlier" is the key: our own last move.
    TwoPliesAgo,
    /// "LBR operations are skipped if the reply move is a capture or promotion": such a best move is not stored,
    /// the reply stored before it stays, and so none is ever matched. The page asks this of the reply alone:
    /// a capture may still be the prior move.
    QuietReplies,
    /// "Only two LBR data stores (one for each color) for an entire search" instead of one for each ply.
    ByColor,
    /// Nothing is stored and nothing matched: to measure what the others are worth.
    Off,
}

impl Form {
    /// All of them, by the numbers that `lbr_variant` has for them.
    pub const ALL: [Self; 6] = [
        Self::Base,
        Self::TwoMoves,
        Self::TwoPliesAgo,
        Self::QuietReplies,
        Self::ByColor,
        Self::Off,
    ];

    /// The form that is to be played.
    #[inline(always)]
    pub const fn of(p: &Params) -> Self {
        Self::ALL[p.lbr_variant() as usize]
    }

    /// What the first match compares: the prior moves the form takes. Zero if there is none to compare, as one
    /// of them is no move; zero for nothing else.
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

/// All that two prior moves must share to be the same: from, to and special case (the 16 bits of the move),
/// the piece that moved, the piece it took. Zero for no move, and for nothing else.
#[inline(always)]
fn key(prior: Played) -> u64 {
    let captured = prior.captured.map_or(0, |kind| kind.index() as u64 + 1);
    prior.mv.bits() as u64 | (prior.piece.index() as u64) << 16 | captured << 20
}

/// Multiplicative hashing by the golden ratio, to `bits` bits; another factor brings a second move in.
///
/// Source: D. Knuth, The Art of Computer Programming, volume 3, section 6.4.
#[inline(always)]
fn hash(key: u64, bits: u32) -> usize {
    let (last, before) = (key & ((1 << KEY_BITS) - 1), key >> KEY_BITS);
    let both = (last as u32).wrapping_add((before as u32).wrapping_mul(0x85EB_CA6B));
    (both.wrapping_mul(0x9E37_79B1) >> (u32::BITS - bits)) as usize
}

/// A reply and the whole key it belongs to, so that no other move is ever mistaken for it, in one number: key
/// (46 bits), reply (16).
#[derive(Clone, Copy, Debug)]
struct Slot(u64);

impl Slot {
    const EMPTY: Self = Self(0);

    #[inline(always)]
    const fn new(key: u64, reply: Move) -> Self {
        Self(key << 16 | reply.bits() as u64)
    }

    /// The reply, [`Move::NULL`] if it belongs to another key. The key of no move is that of an empty slot, which
    /// holds no reply.
    #[inline(always)]
    const fn reply(self, key: u64) -> Move {
        if self.0 >> 16 == key {
            Move::from_bits(self.0 as u16)
        } else {
            Move::NULL
        }
    }
}

/// The last best replies of one worker: a direct-mapped store for each ply, or for each colour.
#[derive(Debug)]
pub struct Lbr {
    /// One store after the other; each word is a [`Slot`].
    slots: Mapped<u64>,
    /// Which store is that of ply 0: those of the plies form a ring, so that shifting them copies nothing.
    start: usize,
}

impl Lbr {
    /// The memory it takes.
    pub const BYTES: usize = PLIES * SLOTS * size_of::<u64>();

    /// No replies yet.
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

    /// Gets ready for the next search, `plies_played` after the last one: the stores of the plies move so far
    /// towards the root, those of the colours are for one search.
    pub fn new_search(&mut self, form: Form, plies_played: usize) {
        if form == Form::ByColor {
            self.slots[..2 * COLOR_SLOTS].fill(Slot::EMPTY.0);
            return;
        }
        let plies = plies_played.min(PLIES);
        for ply in 0..plies {
            let first = self.of_ply(ply);
            self.slots[first..first + SLOTS].fill(Slot::EMPTY.0);
        }
        self.start = (self.start + plies) % PLIES;
    }

    /// Whether the node has the prior moves that a match takes.
    pub fn has_key(form: Form, ctx: &Context) -> bool {
        form.key([ctx.prior[0], ctx.prior[1]]) != 0
    }

    /// The first match: the last best reply to the prior move, [`Move::NULL`] if there is none. It need not be legal.
    #[inline]
    pub fn reply(&self, form: Form, ctx: &Context) -> Move {
        let key = form.key([ctx.prior[0], ctx.prior[1]]);
        Slot(self.slots[self.index(form, ctx, key)]).reply(key)
    }

    /// Remembers the best move found after the prior move; nothing if there was no prior move.
    #[inline]
    pub fn store(&mut self, form: Form, ctx: &Context, best: Move) {
        let key = form.key([ctx.prior[0], ctx.prior[1]]);
        let skipped = form == Form::QuietReplies && !best.is_quiet();
        if key != 0 && !skipped {
            let index = self.index(form, ctx, key);
            self.slots[index] = Slot::new(key, best).0;
        }
    }

    #[inline(always)]
    fn index(&self, form: Form, ctx: &Context, key: u64) -> usize {
        if form == Form::ByColor {
            let first = ctx.board.side_to_move().index() * COLOR_SLOTS;
            first + hash(key, COLOR_SLOTS.ilog2())
        } else {
            self.of_ply(ctx.ply) + hash(key, SLOTS.ilog2())
        }
    }

    /// The first slot of a ply.
    #[inline(always)]
    fn of_ply(&self, ply: usize) -> usize {
        (self.start + ply) % PLIES * SLOTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::ordering::PRIOR;
    use crate::types::{Color, Piece, PieceType};
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// What may happen to the histories.
    #[derive(Clone, Debug)]
    enum Event {
        Best(Node, Move),
        Order(Node),
        Go(usize),
        NewGame,
    }

    /// A node, as far as its reply is concerned.
    #[derive(Clone, Copy, Debug)]
    struct Node {
        side: Color,
        ply: usize,
        prior: [Played; 2],
    }

    /// Where the page keeps a reply.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    enum Place {
        Ply(usize),
        Side(usize),
    }

    /// The page's description in as many words, with maps that forget nothing.
    #[derive(Default)]
    struct Model {
        replies: HashMap<(Place, Vec<u64>), Move>,
        /// What was last stored in each slot: our table keeps only that.
        latest: HashMap<(Place, usize), Vec<u64>>,
    }

    impl Model {
        fn place(form: Form, node: &Node) -> Place {
            match form {
                Form::ByColor => Place::Side(node.side.index()),
                _ => Place::Ply(node.ply),
            }
        }

        /// The moves that are compared; `None` if one of them is no move, or the heuristic is off.
        fn needed(form: Form, [last, before]: [Played; 2]) -> Option<Vec<Played>> {
            let needed = match form {
                Form::Base | Form::QuietReplies | Form::ByColor => vec![last],
                Form::TwoMoves => vec![last, before],
                Form::TwoPliesAgo => vec![before],
                Form::Off => return None,
            };
            (!needed.iter().any(|prior| prior.is_none())).then_some(needed)
        }

        /// From, to and special case, moving piece and captured piece of each move.
        fn words(needed: Vec<Played>) -> Vec<u64> {
            let word = |prior: Played| {
                let captured = prior.captured.map_or(9, PieceType::index);
                prior.mv.bits() as u64 * 1000 + prior.piece.index() as u64 * 10 + captured as u64
            };
            needed.into_iter().map(word).collect()
        }

        fn store(&mut self, form: Form, node: &Node, slot: usize, best: Move) {
            let place = Self::place(form, node);
            let skipped = form == Form::QuietReplies && (best.is_capture() || best.is_promotion());
            if let Some(needed) = Self::needed(form, node.prior)
                && !skipped
            {
                let words = Self::words(needed);
                self.replies.insert((place, words.clone()), best);
                self.latest.insert((place, slot), words);
            }
        }

        /// The reply, and whether our table must still know it.
        fn reply(&self, form: Form, node: &Node, slot: usize) -> Option<(Move, bool)> {
            let place = Self::place(form, node);
            let words = Self::words(Self::needed(form, node.prior)?);
            let kept = self.latest.get(&(place, slot)) == Some(&words);
            Some((*self.replies.get(&(place, words))?, kept))
        }

        /// The stores of the plies come nearer, those of the colours are for one search.
        fn go(&mut self, plies: usize) {
            let moved = |place| match place {
                Place::Ply(ply) => ply.checked_sub(plies).map(Place::Ply),
                Place::Side(_) => None,
            };
            let replies = std::mem::take(&mut self.replies).into_iter();
            self.replies = replies
                .filter_map(|((place, words), reply)| Some(((moved(place)?, words), reply)))
                .collect();
            let latest = std::mem::take(&mut self.latest).into_iter();
            self.latest = latest
                .filter_map(|((place, slot), words)| Some(((moved(place)?, slot), words)))
                .collect();
        }
    }

    /// Few moves, so that they meet; now and then none.
    fn prior() -> impl Strategy<Value = Played> {
        (0..12_u16, 0..2_usize, prop::option::of(0..2_usize)).prop_map(|(bits, piece, captured)| {
            let mv = Move::from_bits(bits * 5641);
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

    fn node() -> impl Strategy<Value = Node> {
        let ply = prop_oneof![0..3_usize, PLIES - 2..PLIES];
        let side = prop::sample::select(&Color::ALL[..]);
        (side, ply, prior(), prior()).prop_map(|(side, ply, last, before)| Node {
            side,
            ply,
            prior: [last, before],
        })
    }

    fn event() -> impl Strategy<Value = Event> {
        let best = (1..=u16::MAX).prop_map(Move::from_bits);
        prop_oneof![
            50 => (node(), best).prop_map(|(node, best)| Event::Best(node, best)),
            50 => node().prop_map(Event::Order),
            3 => (0..5_usize).prop_map(Event::Go),
            1 => prop_oneof![PLIES - 2..PLIES + 2, Just(usize::MAX)].prop_map(Event::Go),
            1 => Just(Event::NewGame),
        ]
    }

    /// A node of which only its board, ply and the last two moves matter.
    fn context(board: &Board, ply: usize, [last, before]: [Played; 2]) -> Context<'_> {
        let mut prior = [Played::NONE; PRIOR];
        prior[..2].copy_from_slice(&[last, before]);
        Context::captures_only(board, ply, prior)
    }

    /// White to move, black to move.
    fn boards() -> [Board; 2] {
        let white = Board::startpos();
        let mut black = white;
        black.make_null();
        [white, black]
    }

    proptest! {
        /// The stores are the page's, except that a reply may be lost to another key of the same slot: never to
        /// anything else, and never to a wrong one.
        #[test]
        fn the_stores_are_those_of_the_page(
            form in prop::sample::select(&Form::ALL[..]),
            events in prop::collection::vec(event(), 1..500),
        ) {
            let boards = boards();
            let context = |node: &Node| context(&boards[node.side.index()], node.ply, node.prior);
            let bits = if form == Form::ByColor { COLOR_SLOTS } else { SLOTS }.ilog2();
            let slot = |node: &Node| hash(form.key(node.prior), bits);
            let mut lbr = Lbr::new(&mut Arena::new(Lbr::BYTES));
            let mut model = Model::default();
            for event in events {
                match event {
                    Event::Best(node, best) => {
                        lbr.store(form, &context(&node), best);
                        model.store(form, &node, slot(&node), best);
                    }
                    Event::Order(node) => {
                        let reply = lbr.reply(form, &context(&node));
                        let known = model.reply(form, &node, slot(&node));
                        let kept = known.filter(|&(_, kept)| kept);
                        prop_assert_eq!(reply, kept.map_or(Move::NULL, |(known, _)| known));
                        let needed = Model::needed(form, node.prior);
                        prop_assert_eq!(Lbr::has_key(form, &context(&node)), needed.is_some());
                    }
                    Event::Go(plies) => {
                        lbr.new_search(form, plies);
                        model.go(plies);
                    }
                    Event::NewGame => {
                        lbr.clear();
                        model = Model::default();
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
        let mut moves = vec![base];
        for kind in PieceType::ALL {
            moves.push(Played {
                captured: Some(kind),
                ..base
            });
        }
        for piece in Piece::ALL.into_iter().filter(|&piece| piece != base.piece) {
            moves.push(Played { piece, ..base });
        }
        for bit in 0..16 {
            let mv = Move::from_bits(base.mv.bits() ^ 1 << bit);
            moves.push(Played { mv, ..base });
        }
        let mut keys = vec![0];
        keys.extend(moves.iter().map(|&mv| key(mv)));
        assert!(keys.iter().all(|key| key >> KEY_BITS == 0));
        for &last in &moves {
            keys.extend(
                moves
                    .iter()
                    .map(|&before| Form::TwoMoves.key([last, before])),
            );
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
        let board = Board::startpos();
        let moves: Vec<_> = [Piece::WhiteKnight, Piece::WhiteBishop]
            .into_iter()
            .flat_map(|piece| (1..=64).map(move |to| (piece, to)))
            .map(|(piece, to)| Played {
                mv: Move::from_bits(5 << 6 | (to & 63)),
                piece,
                captured: None,
            })
            .collect();
        let before = moves.iter().cycle().skip(37);
        let contexts: Vec<_> = moves
            .iter()
            .zip(before)
            .map(|(&last, &before)| context(&board, 0, [last, before]))
            .collect();
        let reply = Move::from_bits(77);
        for (form, least) in [
            (Form::Base, 95),
            (Form::TwoMoves, 95),
            (Form::TwoPliesAgo, 95),
            (Form::ByColor, 120),
        ] {
            let mut lbr = Lbr::new(&mut Arena::new(Lbr::BYTES));
            for ctx in &contexts {
                lbr.store(form, ctx, reply);
            }
            let kept = contexts.iter().filter(|ctx| lbr.reply(form, ctx) == reply);
            assert!(kept.count() >= least, "{form:?}");
        }
    }
}
