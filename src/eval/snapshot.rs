//! The part of a position that the network sees: the pieces, and the relations between them.

use crate::board::{Board, Lanes};
use crate::types::{Bitboard, Color, Piece, PieceType, Square};

use super::changes::{Changes, FeatureList, FeatureSet};
use super::relations::{
    self, ATTACKERS, ATTACKS, FIRST_OF_ATTACKERS, OF_PIECES, RelationSets, SETS,
};

/// The pieces of a position and the relations between them.
///
/// What is written and read by whole cache lines comes first, so that it does not cross them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Snapshot {
    /// The squares of each relation that the network sees; the others are empty.
    relations: RelationSets,
    /// The piece on each square.
    mailbox: [Option<Piece>; Square::COUNT],
    /// The squares of each side's pieces.
    colors: [Bitboard; 2],
    /// The squares of both sides' pieces of each kind.
    kinds: [Bitboard; PieceType::COUNT],
    /// The number of relations that the network sees.
    count: usize,
}

impl Snapshot {
    /// The empty board.
    pub const EMPTY: Self = Self {
        colors: [Bitboard::EMPTY; 2],
        kinds: [Bitboard::EMPTY; PieceType::COUNT],
        mailbox: [None; Square::COUNT],
        count: 0,
        relations: relations::NONE,
    };

    /// Returns what a network sees of a board, given the number of relations that it sees.
    #[cfg(test)]
    pub(crate) fn new(board: &Board, relations: usize) -> Self {
        let mut snapshot = Self::EMPTY;
        snapshot.take(board);
        snapshot.find_relations(relations);
        snapshot
    }

    /// Takes the pieces of a board. The relations between them are yet to be
    /// [found](Self::find_relations).
    #[inline(always)]
    pub(crate) fn take(&mut self, board: &Board) {
        self.colors = Color::ALL.map(|color| board.color(color));
        self.kinds = PieceType::ALL.map(|kind| board.kind(kind));
        self.mailbox = *board.mailbox();
    }

    /// Finds the relations between the pieces, given the number of those that a network sees.
    #[inline(always)]
    pub(crate) fn find_relations(&mut self, count: usize) {
        self.count = count;
        relations::find(count, &self.colors, &self.kinds, &mut self.relations);
    }

    /// Returns the square of a side's king.
    #[inline(always)]
    pub(crate) fn king(&self, side: Color) -> Square {
        (self.colors[side.index()] & self.kinds[PieceType::King.index()]).lowest()
    }

    /// Returns what a network sees of these pieces, given as the squares of each side's pieces and
    /// of both sides' pieces of each kind, with this many relations.
    pub fn of_sets(
        colors: [Bitboard; 2],
        kinds: [Bitboard; PieceType::COUNT],
        relations: usize,
    ) -> Self {
        let mut mailbox = [None; Square::COUNT];
        for kind in PieceType::ALL {
            for color in Color::ALL {
                for square in kinds[kind.index()] & colors[color.index()] {
                    mailbox[square.index()] = Some(Piece::new(color, kind));
                }
            }
        }
        let mut snapshot = Self {
            mailbox,
            colors,
            kinds,
            ..Self::EMPTY
        };
        snapshot.find_relations(relations);
        snapshot
    }

    /// Returns the active features.
    pub fn features(&self) -> FeatureList {
        let mut changes = Changes::default();
        self.changes(&Self::EMPTY, &mut changes);
        changes.added
    }

    /// Compares the snapshot with an earlier one, and adds the differences to a list.
    #[inline(always)]
    pub fn changes(&self, before: &Self, changes: &mut Changes) {
        let mut touched = Bitboard::EMPTY;
        for (now, before) in self.colors.iter().zip(&before.colors) {
            touched |= *now ^ *before;
        }
        for (now, before) in self.kinds.iter().zip(&before.kinds) {
            touched |= *now ^ *before;
        }
        let Changes { added, removed } = changes;
        FeatureSet::PIECES.push(touched & self.occupied(), &self.mailbox, &mut added.pieces);
        FeatureSet::PIECES.push(
            touched & before.occupied(),
            &before.mailbox,
            &mut removed.pieces,
        );
        match self.count {
            0 => {}
            ATTACKS => self.changed_relations::<ATTACKS>(before, touched, changes),
            _ => self.changed_relations::<SETS>(before, touched, changes),
        }
    }

    /// Compares the first `N` sets of relations, given the squares on which pieces have changed.
    ///
    /// Most sets are equal, and a test for each would be hard to predict, so the others are picked
    /// out without branches.
    #[inline(always)]
    fn changed_relations<const N: usize>(
        &self,
        before: &Self,
        touched: Bitboard,
        changes: &mut Changes,
    ) {
        let mut changed = relations::NONE;
        let mut filled = 0;
        let touched = Lanes::of_all(touched.0);
        let lanes = |sets: &RelationSets, first: usize| {
            Lanes::new(std::array::from_fn(|lane| sets[first + lane].0))
        };
        for first in (0..N).step_by(Lanes::COUNT) {
            let now = lanes(&self.relations, first);
            let then = lanes(&before.relations, first);
            // On a touched square, the relation of a piece is now that of another piece.
            let of_others = touched & lanes(&ON_PIECES, first) & (now | then);
            let differ = (now ^ then) | of_others;
            filled |= differ.any() << first;
            for (changed, set) in changed[first..].iter_mut().zip(differ.sets()) {
                *changed = Bitboard(set);
            }
        }
        while filled != 0 {
            let set = filled.trailing_zeros() as usize;
            filled &= filled - 1;
            let of = |snapshot: &Self| changed[set] & snapshot.relations[set];
            let Changes { added, removed } = changes;
            OF_SETS[set].push(of(self), &self.mailbox, &mut added.relations);
            OF_SETS[set].push(of(before), &before.mailbox, &mut removed.relations);
        }
    }

    fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }
}

/// All squares for each set of relations about pieces, and none for the others.
const ON_PIECES: RelationSets = {
    let mut sets = relations::NONE;
    let mut set = 0;
    while set < OF_PIECES {
        sets[set] = Bitboard(!0);
        set += 1;
    }
    sets
};

/// The features that each set of relations stands for.
const OF_SETS: [FeatureSet; SETS] = {
    let mut of_sets = [FeatureSet::PIECES; SETS];
    let mut at = 0;
    while at < SETS {
        if at < OF_PIECES {
            of_sets[at] = FeatureSet::of_pieces(at);
        } else if at >= FIRST_OF_ATTACKERS {
            let (relation, attacker) = ATTACKERS[at - FIRST_OF_ATTACKERS];
            of_sets[at] = FeatureSet::of_attacker(relation, attacker);
        }
        at += 1;
    }
    of_sets
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::features::Feature;
    use std::collections::HashSet;

    fn features(fen: &str) -> HashSet<Feature> {
        let board = Board::from_fen(fen).expect(fen);
        let mut features = HashSet::new();
        for feature in Snapshot::new(&board, relations::COUNTS[2])
            .features()
            .iter()
        {
            assert!(features.insert(feature), "{feature:?} twice");
        }
        features
    }

    /// Returns the attacks, as a network with no other relations sees them.
    fn attacks(fen: &str) -> HashSet<Feature> {
        let board = Board::from_fen(fen).expect(fen);
        let features = Snapshot::new(&board, ATTACKS).features();
        features.relations.into_iter().collect()
    }

    #[test]
    fn the_start_position_has_no_attacks() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let pieces = features(fen)
            .into_iter()
            .filter(|feature| !feature.is_relation());
        assert_eq!(pieces.count(), 32);
        assert_eq!(attacks(fen), HashSet::new());
    }

    #[test]
    fn attacks_are_found_by_kind_and_hanging_pieces_besides() {
        // The rook attacks the bishop, which is defended; the pawns attack each other.
        let found = attacks("4k3/8/2p5/3b2R1/4P3/8/8/4K3 w - - 0 1");
        let (d5, e4) = (Square::at(3, 4), Square::at(4, 3));
        let expected = [
            Feature::relation(PieceType::Rook.index(), Piece::BlackBishop, d5),
            Feature::relation(PieceType::Pawn.index(), Piece::BlackBishop, d5),
            Feature::relation(PieceType::Bishop.index(), Piece::WhitePawn, e4),
            Feature::relation(relations::HANGING, Piece::WhitePawn, e4),
        ];
        assert_eq!(found, HashSet::from(expected));
    }

    #[test]
    fn relations_come_with_their_pieces() {
        // The white pawn and the black bishop attack each other, and nobody defends the pawn.
        let found = features("4k3/8/2p5/3b4/4P3/8/8/4K3 w - - 0 1");
        let (d5, e4) = (Square::at(3, 4), Square::at(4, 3));
        for feature in [
            Feature::piece(Piece::BlackBishop, d5),
            Feature::relation(PieceType::Pawn.index(), Piece::BlackBishop, d5),
            Feature::relation(PieceType::Bishop.index(), Piece::WhitePawn, e4),
            Feature::relation(relations::HANGING, Piece::WhitePawn, e4),
        ] {
            assert!(found.contains(&feature), "{feature:?}");
        }
        let defended = Feature::relation(relations::HANGING, Piece::BlackBishop, d5);
        assert!(!found.contains(&defended));
    }

    #[test]
    fn attackers_of_a_square_are_told_apart() {
        // The rook could safely give check on e1; the knight does not get there.
        let found = features("6k1/8/8/8/6n1/8/5PPP/3r2K1 w - - 0 1");
        let check = |piece| Feature::relation(relations::SAFE_CHECK, piece, Square::at(4, 0));
        assert!(found.contains(&check(Piece::BlackRook)));
        assert!(!found.contains(&check(Piece::BlackKnight)));
    }

    #[test]
    fn changes_lead_from_one_position_to_the_other() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2Pnp1/4N3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "1rk4r/p1ppqpb1/bn2Pnp1/4N3/1p2P3/2N2Q1p/PPPBBPPP/R4RK1 b - - 0 1",
        ];
        for [from, to] in [[0, 1], [1, 2], [2, 0]].map(|pair| pair.map(|at: usize| fens[at])) {
            let mut set = features(from);
            let [before, now] = [from, to].map(|fen| {
                let board = Board::from_fen(fen).expect(fen);
                Snapshot::new(&board, relations::COUNTS[2])
            });
            let mut changes = Changes::default();
            now.changes(&before, &mut changes);
            for feature in changes.removed.iter() {
                assert!(set.remove(&feature), "{feature:?}");
            }
            for feature in changes.added.iter() {
                assert!(set.insert(feature), "{feature:?}");
            }
            assert_eq!(set, features(to));
        }
    }
}
