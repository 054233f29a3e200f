//! The part of a position that the network sees: the pieces, and the threats between them.

use std::ops::BitOr;

use arrayvec::ArrayVec;

use crate::board::{Board, attack_sets};
use crate::types::{Bitboard, Color, Piece, PieceType, Square};

use super::features::{Feature, HANGING, MAX_PIECES, MAX_THREATS, THREATS};

/// A list of features in no particular order.
#[derive(Clone, Debug, Default)]
pub struct FeatureList {
    /// The features that are pieces.
    pub pieces: ArrayVec<Feature, MAX_PIECES>,
    /// The features that are threats.
    pub threats: ArrayVec<Feature, MAX_THREATS>,
}

impl FeatureList {
    /// Returns an iterator over the features, the pieces first.
    pub fn iter(&self) -> impl Iterator<Item = Feature> {
        self.pieces.iter().chain(&self.threats).copied()
    }
}

/// The features that only one of two snapshots has.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Those of the later one.
    pub added: FeatureList,
    /// Those of the earlier one.
    pub removed: FeatureList,
}

/// The pieces of a position and the threats between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The squares of each side's pieces.
    colors: [Bitboard; 2],
    /// The squares of both sides' pieces of each kind.
    kinds: [Bitboard; PieceType::COUNT],
    /// The piece on each square.
    mailbox: [Option<Piece>; Square::COUNT],
    /// The squares of the pieces under each threat; empty if the network does not see threats.
    threats: [Bitboard; THREATS],
}

impl Snapshot {
    /// The empty board.
    pub const EMPTY: Self = Self {
        colors: [Bitboard::EMPTY; 2],
        kinds: [Bitboard::EMPTY; PieceType::COUNT],
        mailbox: [None; Square::COUNT],
        threats: [Bitboard::EMPTY; THREATS],
    };

    /// Returns what a network sees of a board, with or without threats.
    #[inline(always)]
    pub(crate) fn new(board: &Board, with_threats: bool) -> Self {
        let colors = Color::ALL.map(|color| board.color(color));
        let kinds = PieceType::ALL.map(|kind| board.kind(kind));
        Self::assemble(colors, kinds, *board.mailbox(), with_threats)
    }

    /// Returns what a network sees of these pieces, given as the squares of each side's pieces and
    /// of both sides' pieces of each kind.
    pub fn of_sets(
        colors: [Bitboard; 2],
        kinds: [Bitboard; PieceType::COUNT],
        with_threats: bool,
    ) -> Self {
        let mut mailbox = [None; Square::COUNT];
        for kind in PieceType::ALL {
            for color in Color::ALL {
                for square in kinds[kind.index()] & colors[color.index()] {
                    mailbox[square.index()] = Some(Piece::new(color, kind));
                }
            }
        }
        Self::assemble(colors, kinds, mailbox, with_threats)
    }

    #[inline(always)]
    fn assemble(
        colors: [Bitboard; 2],
        kinds: [Bitboard; PieceType::COUNT],
        mailbox: [Option<Piece>; Square::COUNT],
        with_threats: bool,
    ) -> Self {
        Self {
            colors,
            kinds,
            mailbox,
            threats: if with_threats {
                threats(colors, kinds)
            } else {
                [Bitboard::EMPTY; THREATS]
            },
        }
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
        for square in touched & self.occupied() {
            (added.pieces).push(Feature::piece(self.piece_on(square), square));
        }
        for square in touched & before.occupied() {
            (removed.pieces).push(Feature::piece(before.piece_on(square), square));
        }
        for (threat, (&now, &then)) in self.threats.iter().zip(&before.threats).enumerate() {
            // On a touched square, the threat is now against another piece.
            for square in now & (!then | touched) {
                (added.threats).push(Feature::threat(threat, self.piece_on(square), square));
            }
            for square in then & (!now | touched) {
                (removed.threats).push(Feature::threat(threat, before.piece_on(square), square));
            }
        }
    }

    fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Returns the piece on an occupied square.
    #[inline(always)]
    fn piece_on(&self, square: Square) -> Piece {
        self.mailbox[square.index()].unwrap_or(Piece::WhitePawn)
    }
}

/// Returns the squares of the pieces under each threat.
#[inline(always)]
fn threats(colors: [Bitboard; 2], kinds: [Bitboard; PieceType::COUNT]) -> [Bitboard; THREATS] {
    let [by_white, by_black] = attack_sets(colors, kinds);
    let attacked =
        [by_white, by_black].map(|sets| sets.into_iter().fold(Bitboard::EMPTY, BitOr::bitor));
    let mut threats = [Bitboard::EMPTY; THREATS];
    for kind in PieceType::ALL {
        let at = kind.index();
        threats[at] = by_white[at] & colors[1] | by_black[at] & colors[0];
    }
    let [white, black] = attacked;
    threats[HANGING] = colors[0] & black & !white | colors[1] & white & !black;
    threats
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn features(fen: &str) -> HashSet<Feature> {
        let board = Board::from_fen(fen).expect(fen);
        let mut features = HashSet::new();
        for feature in Snapshot::new(&board, true).features().iter() {
            assert!(features.insert(feature), "{feature:?} twice");
        }
        features
    }

    fn threats_of(fen: &str) -> HashSet<Feature> {
        features(fen)
            .into_iter()
            .filter(|feature| feature.is_threat())
            .collect()
    }

    #[test]
    fn the_start_position_has_no_threats() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(features(fen).len(), 32);
        assert_eq!(threats_of(fen), HashSet::new());
    }

    #[test]
    fn threats_are_found_by_kind_and_hanging_pieces_besides() {
        // The rook attacks the bishop, which is defended; the pawns attack each other.
        let found = threats_of("4k3/8/2p5/3b2R1/4P3/8/8/4K3 w - - 0 1");
        let (d5, e4) = (Square::at(3, 4), Square::at(4, 3));
        let expected = [
            Feature::threat(PieceType::Rook.index(), Piece::BlackBishop, d5),
            Feature::threat(PieceType::Pawn.index(), Piece::BlackBishop, d5),
            Feature::threat(PieceType::Bishop.index(), Piece::WhitePawn, e4),
            Feature::threat(HANGING, Piece::WhitePawn, e4),
        ];
        assert_eq!(found, HashSet::from(expected));
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
                Snapshot::new(&board, true)
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
