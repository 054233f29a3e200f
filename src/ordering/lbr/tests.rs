//! The stores behave as the wiki page of the heuristic describes them.

use super::*;
use crate::board::Board;
use crate::ordering::PRIOR;
use crate::types::{Color, Piece, PieceType};
use proptest::prelude::*;
use std::collections::HashMap;

/// An event that reads or changes the stores.
#[derive(Clone, Debug)]
enum Event {
    Best(Node, Move),
    Order(Node),
    Go(usize),
    NewGame,
}

/// The parts of a node on which its reply depends.
#[derive(Clone, Copy, Debug)]
struct Node {
    side: Color,
    ply: usize,
    prior: [Played; 2],
}

/// The store in which the wiki page keeps a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Ply(usize),
    Side(usize),
}

/// A literal implementation of the wiki page, with maps that forget nothing.
#[derive(Default)]
struct Model {
    replies: HashMap<(Place, Vec<u64>), Move>,
    /// The key stored last in each slot: the engine's stores keep only this one.
    latest: HashMap<(Place, usize), Vec<u64>>,
}

impl Model {
    fn place(variant: LbrVariant, node: &Node) -> Place {
        match variant {
            LbrVariant::ByColor => Place::Side(node.side.index()),
            _ => Place::Ply(node.ply),
        }
    }

    /// Returns the prior moves that are compared; `None` if one of them is missing or the heuristic
    /// is off.
    fn needed(variant: LbrVariant, [last, before]: [Played; 2]) -> Option<Vec<Played>> {
        let needed = match variant {
            LbrVariant::Base | LbrVariant::QuietReplies | LbrVariant::ByColor => vec![last],
            LbrVariant::TwoMoves => vec![last, before],
            LbrVariant::TwoPliesAgo => vec![before],
            LbrVariant::Off => return None,
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

    fn store(&mut self, variant: LbrVariant, node: &Node, slot: usize, best: Move) {
        let place = Self::place(variant, node);
        let skipped =
            variant == LbrVariant::QuietReplies && (best.is_capture() || best.is_promotion());
        if let Some(needed) = Self::needed(variant, node.prior)
            && !skipped
        {
            let words = Self::words(needed);
            self.replies.insert((place, words.clone()), best);
            self.latest.insert((place, slot), words);
        }
    }

    /// Returns the reply, and whether the engine's stores must still hold it.
    fn reply(&self, variant: LbrVariant, node: &Node, slot: usize) -> Option<(Move, bool)> {
        let place = Self::place(variant, node);
        let words = Self::words(Self::needed(variant, node.prior)?);
        let kept = self.latest.get(&(place, slot)) == Some(&words);
        Some((*self.replies.get(&(place, words))?, kept))
    }

    /// Shifts the stores of the plies and empties the stores of the colors.
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

/// Returns one of a few moves, so that they occur repeatedly, or sometimes no move.
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

/// Returns the context of a node with this board, ply and last two moves.
fn context(board: &Board, ply: usize, [last, before]: [Played; 2]) -> Context<'_> {
    let mut prior = [Played::NONE; PRIOR];
    prior[..2].copy_from_slice(&[last, before]);
    Context::captures_only(board, ply, prior)
}

/// Returns a position with White to move and one with Black to move.
fn boards() -> [Board; 2] {
    let white = Board::startpos();
    let mut black = white;
    black.make_null();
    [white, black]
}

proptest! {
    /// The stores behave as on the wiki page, except that a reply may be lost to another key in the
    /// same slot. A reply is never lost otherwise, and never belongs to another key.
    #[test]
    fn the_stores_behave_as_on_the_wiki_page(
        variant in prop::sample::select(&LbrVariant::ALL[..]),
        events in prop::collection::vec(event(), 1..500),
    ) {
        let boards = boards();
        let context = |node: &Node| context(&boards[node.side.index()], node.ply, node.prior);
        let bits = if variant == LbrVariant::ByColor { COLOR_SLOTS } else { SLOTS }.ilog2();
        let slot = |node: &Node| hash(variant.key(node.prior), bits);
        let mut lbr = Lbr::new(&mut Arena::new(Lbr::BYTES));
        let mut model = Model::default();
        for event in events {
            match event {
                Event::Best(node, best) => {
                    lbr.store(variant, &context(&node), best);
                    model.store(variant, &node, slot(&node), best);
                }
                Event::Order(node) => {
                    let reply = lbr.reply(variant, &context(&node));
                    let known = model.reply(variant, &node, slot(&node));
                    let kept = known.filter(|&(_, kept)| kept);
                    prop_assert_eq!(reply, kept.map_or(Move::NULL, |(known, _)| known));
                    let needed = Model::needed(variant, node.prior);
                    prop_assert_eq!(Lbr::has_key(variant, &context(&node)), needed.is_some());
                }
                Event::Go(plies) => {
                    lbr.new_search(variant, plies);
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
                .map(|&before| LbrVariant::TwoMoves.key([last, before])),
        );
    }
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

#[test]
fn replies_seldom_displace_each_other() {
    // Knights and bishops to all squares are 128 prior moves of a ply in 256 slots. Of random keys,
    // about 101 would have a slot of their own or be the last one stored in a shared slot.
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
    for (variant, least) in [
        (LbrVariant::Base, 95),
        (LbrVariant::TwoMoves, 95),
        (LbrVariant::TwoPliesAgo, 95),
        (LbrVariant::ByColor, 120),
    ] {
        let mut lbr = Lbr::new(&mut Arena::new(Lbr::BYTES));
        for ctx in &contexts {
            lbr.store(variant, ctx, reply);
        }
        let kept = contexts
            .iter()
            .filter(|ctx| lbr.reply(variant, ctx) == reply);
        assert!(kept.count() >= least, "{variant:?}");
    }
}
