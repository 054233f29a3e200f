//! Converts positions for the crate that reads the tables.

use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, ByColor, ByRole, CastlingMode, Chess, FromSetup, PositionError, Role, Setup,
};

use crate::board::Board;
use crate::types::{Color, PieceType};

/// The kinds of pieces besides the king, in the order of file names.
const KINDS: [(char, PieceType); 5] = [
    ('Q', PieceType::Queen),
    ('R', PieceType::Rook),
    ('B', PieceType::Bishop),
    ('N', PieceType::Knight),
    ('P', PieceType::Pawn),
];

/// The pieces of both sides regardless of color: four bits for the number of each kind, the larger
/// number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Material([u32; 2]);

impl Material {
    pub fn of(board: &Board) -> Self {
        let side = |color| {
            let pack = |sum, (_, kind)| sum << 4 | board.pieces(color, kind).count();
            KINDS.into_iter().fold(0, pack)
        };
        Self::sorted(side(Color::White), side(Color::Black))
    }

    /// Returns the pieces that a file name such as `KQPvKR` stands for, and their number, 3 to 7.
    pub fn parse(name: &str) -> Option<(Self, u32)> {
        let (left, right) = name.split_once('v')?;
        let side = |text: &str| {
            let pieces = text.strip_prefix('K')?;
            let counts = KINDS.map(|(letter, _)| pieces.matches(letter).count() as u32);
            let all = counts.iter().sum::<u32>() as usize == pieces.len() && pieces.len() <= 5;
            all.then(|| counts.into_iter().fold(0, |sum, count| sum << 4 | count))
        };
        let pieces = name.len() as u32 - 1;
        let material = Self::sorted(side(left)?, side(right)?);
        (3..=7).contains(&pieces).then_some((material, pieces))
    }

    /// Returns whether both sides have the same pieces, including pawns.
    pub fn is_symmetric_with_pawns(self) -> bool {
        self.0[0] == self.0[1] && self.0[0] & 15 > 0
    }

    fn sorted(a: u32, b: u32) -> Self {
        Self([a.max(b), a.min(b)])
    }
}

/// Converts a position without castling rights. `None` if the crate considers it impossible.
pub(super) fn to_shakmaty(board: &Board) -> Option<Chess> {
    let roles = ByRole::new_with(|role| {
        let kind = match role {
            Role::Pawn => PieceType::Pawn,
            Role::Knight => PieceType::Knight,
            Role::Bishop => PieceType::Bishop,
            Role::Rook => PieceType::Rook,
            Role::Queen => PieceType::Queen,
            Role::King => PieceType::King,
        };
        Bitboard(board.kind(kind).0)
    });
    let colors = ByColor {
        black: Bitboard(board.color(Color::Black).0),
        white: Bitboard(board.color(Color::White).0),
    };
    let setup = Setup {
        board: shakmaty::Board::try_from_bitboards(roles, colors).ok()?,
        promoted: Bitboard::EMPTY,
        pockets: None,
        turn: shakmaty::Color::from_white(board.side_to_move() == Color::White),
        castling_rights: Bitboard::EMPTY,
        // The board keeps an en passant square only if a pawn can capture there.
        ep_square: (board.en_passant()).map(|square| shakmaty::Square::new(square.index() as u32)),
        remaining_checks: None,
        halfmoves: board.halfmove_clock(),
        fullmoves: NonZeroU32::MIN,
    };
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_boards_agree() {
        let board =
            Board::from_fen("8/1p6/8/4k3/8/2KR4/8/8 w - - 0 1").expect("the test's FEN is invalid");
        let (material, pieces) = Material::parse("KRvKP").expect("KRvKP is not accepted as a name");
        assert_eq!((material, pieces), (Material::of(&board), 4));
        assert_eq!(Material::parse("KPvKR"), Some((material, 4)));
        for bad in [
            "",
            "v",
            "KvK",
            "KQ",
            "KQvQ",
            "QKvK",
            "KXvK",
            "KQvKv",
            "krvk",
            "KQQQQvKQQ",
            "KéK",
        ] {
            assert_eq!(Material::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn positions_go_across() {
        for fen in [
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            "8/8/8/2pP4/8/8/k7/3K4 w - c6 0 2",
            "4k3/8/8/8/8/8/8/4K2R w - - 57 1",
        ] {
            let board = Board::from_fen(fen).expect("the test's FEN is invalid");
            let text: shakmaty::fen::Fen =
                fen.parse().expect("shakmaty cannot read the test's FEN");
            let expected: Chess = text
                .into_position(CastlingMode::Chess960)
                .expect("shakmaty finds the test's position illegal");
            assert_eq!(to_shakmaty(&board), Some(expected), "{fen}");
        }
    }
}
