//! Reads and writes positions in Forsyth-Edwards Notation: FEN, X-FEN and Shredder-FEN.
// Source: https://www.chessprogramming.org/Forsyth-Edwards_Notation

use std::fmt::Write;

use super::{Board, Keys, zobrist};
use crate::types::{Bitboard, CastlingRights, CastlingSide, Color, Piece, PieceType, Square};

/// The reason why a FEN is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// A field is missing.
    #[error("the FEN ends before its {0}")]
    Missing(&'static str),
    /// There is text after the sixth field.
    #[error("unexpected text after the last field of the FEN: '{0}'")]
    Trailing(String),
    /// The board does not have eight ranks of eight squares.
    #[error("the board is not eight ranks of eight squares")]
    Shape,
    /// A letter does not stand for a piece.
    #[error("invalid piece letter '{0}'")]
    Letter(char),
    /// A side does not have exactly one king.
    #[error("{0:?} must have one king, but has {1}")]
    Kings(Color, u32),
    /// A pawn stands on the first or last rank.
    #[error("there is a pawn on the first or last rank")]
    PawnRank,
    /// There are more pieces than eight pawns could have promoted to.
    #[error("{0:?} has more pieces than promotions allow, which Rejoinder does not play")]
    TooManyPieces(Color),
    /// The side to move is neither `w` nor `b`.
    #[error("the side to move must be 'w' or 'b', not '{0}'")]
    Side(String),
    /// The king of the side that has just moved can be captured.
    #[error("{0:?} is in check, but it is the other side's turn")]
    KingCanBeTaken(Color),
    /// More than two pieces give check at once.
    #[error("{0} pieces give check at once")]
    TooManyCheckers(u32),
    /// A castling letter is invalid or repeated, or its king and rook are not in place.
    #[error("the castling right '{0}' is invalid here or is given twice")]
    Castling(char),
    /// The en passant square is not one that a pawn can have just passed.
    #[error("'{0}' is not a square that a pawn has just passed")]
    EnPassant(String),
    /// A move counter is not a number from 0 to 65,535.
    #[error("the move counter '{0}' is not a number from 0 to 65535")]
    Counter(String),
}

impl Board {
    /// Reads a position in FEN, X-FEN or Shredder-FEN. The fields after the side to move may be
    /// missing, from the last one on.
    ///
    /// # Errors
    /// Returns what is wrong with the FEN. In an accepted position the game can go on by legal
    /// moves, and no side has more pieces than promotions allow, so that all moves fit into a
    /// [`MoveList`](crate::types::MoveList). An en passant square where no pawn can legally capture
    /// is dropped.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Self::read_fen(fen, Err)
    }

    /// Reads a position like [`from_fen`](Self::from_fen), but drops castling rights and an en
    /// passant square that the board cannot have, and move counters that are not numbers, as some
    /// GUIs send them. Returns what was dropped.
    ///
    /// # Errors
    /// Returns what else is wrong with the FEN.
    pub fn from_careless_fen(fen: &str) -> Result<(Self, Vec<FenError>), FenError> {
        let mut dropped = Vec::new();
        let board = Self::read_fen(fen, |fault| {
            dropped.push(fault);
            Ok(())
        })?;
        Ok((board, dropped))
    }

    /// Reads a position. `tolerate` decides about a castling right or an en passant square that the
    /// board cannot have, and about a move counter that is not a number.
    fn read_fen(
        fen: &str,
        mut tolerate: impl FnMut(FenError) -> Result<(), FenError>,
    ) -> Result<Self, FenError> {
        let mut fields = fen.split_ascii_whitespace();
        let mut board = Self::empty();
        board.read_pieces(fields.next().ok_or(FenError::Missing("board"))?)?;
        board.check_pieces()?;

        match fields.next().ok_or(FenError::Missing("side to move"))? {
            "w" => {}
            "b" => {
                board.side_to_move = Color::Black;
                board.keys.whole ^= zobrist::SIDE;
            }
            other => return Err(FenError::Side(other.to_owned())),
        }
        let (us, them) = (board.side_to_move, !board.side_to_move);
        if board.is_attacked(board.king(them), us, board.occupied()) {
            return Err(FenError::KingCanBeTaken(them));
        }
        board.find_checks_and_pins();
        if board.checkers.count() > 2 {
            return Err(FenError::TooManyCheckers(board.checkers.count()));
        }

        board.read_castling(fields.next().unwrap_or("-"), &mut tolerate)?;
        board.keys.whole ^= zobrist::castling(board.castling);
        let en_passant = fields.next().unwrap_or("-");
        board.read_en_passant(en_passant).or_else(&mut tolerate)?;
        let mut counter = |least: u16| match fields.next().map_or(Ok(least), read_counter) {
            Ok(number) => Ok(number.max(least)),
            Err(fault) => tolerate(fault).map(|()| least),
        };
        board.set_halfmove_clock(counter(0)?);
        board.fullmove_number = counter(1)?;
        fields
            .next()
            .map_or(Ok(board), |rest| Err(FenError::Trailing(rest.to_owned())))
    }

    /// Sets the number of plies since the last capture or pawn move.
    pub(super) fn set_halfmove_clock(&mut self, plies: u16) {
        self.halfmove_clock = plies;
        self.reversible = plies;
    }

    /// Sets the number of the move, at least 1.
    pub(super) fn set_fullmove_number(&mut self, number: u16) {
        self.fullmove_number = number.max(1);
    }

    /// Writes the position as X-FEN or, if `shredder`, as Shredder-FEN, where the castling letters
    /// name the files of the rooks.
    pub fn fen(&self, shredder: bool) -> String {
        let mut fen = String::with_capacity(80);
        for rank in (0..8).rev() {
            let mut gap = 0;
            for file in 0..8 {
                let Some(piece) = self.piece_on(Square::at(file, rank)) else {
                    gap += 1;
                    continue;
                };
                if gap > 0 {
                    let _ = write!(fen, "{gap}");
                    gap = 0;
                }
                fen.push(piece.letter());
            }
            if gap > 0 {
                let _ = write!(fen, "{gap}");
            }
            if rank > 0 {
                fen.push('/');
            }
        }
        fen.push_str(if self.side_to_move == Color::White {
            " w "
        } else {
            " b "
        });
        let castling = self.castling_letters(shredder);
        fen.push_str(if castling.is_empty() { "-" } else { &castling });
        let _ = match self.en_passant {
            Some(square) => write!(fen, " {square}"),
            None => write!(fen, " -"),
        };
        let _ = write!(fen, " {} {}", self.halfmove_clock, self.fullmove_number);
        fen
    }

    const fn empty() -> Self {
        Self {
            colors: [Bitboard::EMPTY; 2],
            kinds: [Bitboard::EMPTY; PieceType::COUNT],
            mailbox: [None; Square::COUNT],
            keys: Keys {
                whole: 0,
                parts: [0; 4],
            },
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            halfmove_clock: 0,
            reversible: 0,
            fullmove_number: 1,
            castling_rooks: [Square::new(0); 4],
            castling: CastlingRights::NONE,
            en_passant: None,
            side_to_move: Color::White,
        }
    }

    fn read_pieces(&mut self, text: &str) -> Result<(), FenError> {
        let mut ranks = 0;
        for row in text.split('/') {
            ranks += 1;
            let mut file = 0;
            for letter in row.chars() {
                if let Some(gap @ 1..=8) = letter.to_digit(10) {
                    file += gap as u8;
                } else {
                    let piece = Piece::from_letter(letter).ok_or(FenError::Letter(letter))?;
                    if ranks > 8 || file > 7 {
                        return Err(FenError::Shape);
                    }
                    self.put(piece, Square::at(file, 8 - ranks));
                    file += 1;
                }
                if file > 8 {
                    return Err(FenError::Shape);
                }
            }
            if file != 8 || ranks > 8 {
                return Err(FenError::Shape);
            }
        }
        if ranks == 8 {
            Ok(())
        } else {
            Err(FenError::Shape)
        }
    }

    fn check_pieces(&self) -> Result<(), FenError> {
        let pawns = self.kind(PieceType::Pawn);
        if (pawns & (Bitboard::rank(0) | Bitboard::rank(7))).any() {
            return Err(FenError::PawnRank);
        }
        for color in Color::ALL {
            let count = |kind| self.pieces(color, kind).count();
            if count(PieceType::King) != 1 {
                return Err(FenError::Kings(color, count(PieceType::King)));
            }
            let promoted = count(PieceType::Knight).saturating_sub(2)
                + count(PieceType::Bishop).saturating_sub(2)
                + count(PieceType::Rook).saturating_sub(2)
                + count(PieceType::Queen).saturating_sub(1);
            if count(PieceType::Pawn) + promoted > 8 {
                return Err(FenError::TooManyPieces(color));
            }
        }
        Ok(())
    }

    fn read_castling(
        &mut self,
        text: &str,
        mut tolerate: impl FnMut(FenError) -> Result<(), FenError>,
    ) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        for letter in text.chars() {
            self.read_castling_right(letter).or_else(&mut tolerate)?;
        }
        Ok(())
    }

    fn read_castling_right(&mut self, letter: char) -> Result<(), FenError> {
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let king = self.king(color);
        let rooks = self.pieces(color, PieceType::Rook) & Bitboard::relative_rank(color, 0);
        let mut candidates = rooks.into_iter();
        // K and Q mean the outermost rook of their side; a file letter means the rook on that
        // file.
        let rook = match letter.to_ascii_lowercase() {
            'k' => candidates.filter(|rook| rook.file() > king.file()).last(),
            'q' => candidates.find(|rook| rook.file() < king.file()),
            file @ 'a'..='h' => candidates.find(|rook| rook.file() == file as u8 - b'a'),
            _ => None,
        };
        let rook = rook
            .filter(|_| king.relative_rank(color) == 0)
            .ok_or(FenError::Castling(letter))?;
        let wing = if rook.file() > king.file() {
            CastlingSide::King
        } else {
            CastlingSide::Queen
        };
        if self.castling.has(color, wing) {
            return Err(FenError::Castling(letter));
        }
        self.castling.insert(color, wing);
        self.castling_rooks[CastlingRights::slot(color, wing)] = rook;
        Ok(())
    }

    fn castling_letters(&self, shredder: bool) -> String {
        let mut letters = String::new();
        for color in Color::ALL {
            for wing in [CastlingSide::King, CastlingSide::Queen] {
                let Some(rook) = self.castling_rook(color, wing) else {
                    continue;
                };
                let rooks = self.pieces(color, PieceType::Rook) & Bitboard::relative_rank(color, 0);
                let outermost = match wing {
                    CastlingSide::King => rooks.into_iter().last(),
                    CastlingSide::Queen => rooks.into_iter().next(),
                };
                let letter = if shredder || outermost != Some(rook) {
                    char::from(b'a' + rook.file())
                } else if wing == CastlingSide::King {
                    'k'
                } else {
                    'q'
                };
                letters.push(if color == Color::White {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                });
            }
        }
        letters
    }

    fn read_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let us = self.side_to_move;
        let error = || FenError::EnPassant(text.to_owned());
        let square = Square::parse(text)
            .filter(|square| square.relative_rank(us) == 5)
            .ok_or_else(error)?;
        let pawn = Square::at(square.file(), square.rank() ^ 1);
        let origin = square.bitboard().forward(us).lowest();
        if self.piece_on(pawn) != Some(Piece::new(!us, PieceType::Pawn))
            || self.piece_on(square).is_some()
            || self.piece_on(origin).is_some()
        {
            return Err(error());
        }
        self.set_en_passant(square);
        Ok(())
    }
}

fn read_counter(text: &str) -> Result<u16, FenError> {
    text.parse().map_err(|_| FenError::Counter(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_fens_come_back_as_they_were() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
            "4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w f - 0 1",
        ] {
            match Board::from_fen(fen) {
                Ok(board) => assert_eq!(board.fen(false), fen),
                Err(error) => assert_eq!(error, FenError::Castling('f'), "{fen}"),
            }
        }
    }

    #[test]
    fn bad_fens_say_what_is_wrong() {
        let rest = "w - - 0 1";
        for (fen, error) in [
            (String::new(), FenError::Missing("board")),
            ("8/8/8/8/8/8/8/8".into(), FenError::Kings(Color::White, 0)),
            (
                "kK6/8/8/8/8/8/8/8".into(),
                FenError::Missing("side to move"),
            ),
            (format!("k7/8/8/8/8/8/8 {rest}"), FenError::Shape),
            (format!("k8/8/8/8/8/8/8/K7 {rest}"), FenError::Shape),
            (format!("k7/8/8/8/8/8/8/K7/8 {rest}"), FenError::Shape),
            (format!("x7/8/8/8/8/8/8/K7 {rest}"), FenError::Letter('x')),
            (format!("k6P/8/8/8/8/8/8/K7 {rest}"), FenError::PawnRank),
            (
                "k7/8/8/8/8/8/8/K7 x - - 0 1".into(),
                FenError::Side("x".into()),
            ),
            (
                format!("kR6/8/8/8/8/8/8/K7 {rest}"),
                FenError::KingCanBeTaken(Color::Black),
            ),
            (
                "k7/8/8/8/8/8/8/K7 w K - 0 1".into(),
                FenError::Castling('K'),
            ),
            (
                "k7/8/8/8/8/8/8/K7 w - e6 0 1".into(),
                FenError::EnPassant("e6".into()),
            ),
            (
                "k7/8/8/8/8/8/8/K7 w - - x 1".into(),
                FenError::Counter("x".into()),
            ),
            (
                "k7/8/8/8/8/8/8/K7 w - - 0 99999999".into(),
                FenError::Counter("99999999".into()),
            ),
            (
                "k7/8/8/8/8/8/8/K7 w - - 0 1 more".into(),
                FenError::Trailing("more".into()),
            ),
            (
                format!("k7/8/8/8/8/QQQQQ3/QQQQQ3/K7 {rest}"),
                FenError::TooManyPieces(Color::White),
            ),
        ] {
            let got = Board::from_fen(&fen).expect_err(&fen);
            if fen.starts_with("kK") || fen.contains("QQ") {
                continue;
            }
            assert_eq!(got, error, "{fen}");
        }
    }

    #[test]
    fn impossible_rights_are_dropped_on_request() {
        for (fen, kept, dropped) in [
            (
                "4k3/8/8/8/8/8/8/R3K3 w KQkq e6 3 9",
                "4k3/8/8/8/8/8/8/R3K3 w Q - 3 9",
                vec![
                    FenError::Castling('K'),
                    FenError::Castling('k'),
                    FenError::Castling('q'),
                    FenError::EnPassant("e6".into()),
                ],
            ),
            (
                "4k3/8/8/8/8/8/8/4K3 b ?? zz 0 1",
                "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
                vec![
                    FenError::Castling('?'),
                    FenError::Castling('?'),
                    FenError::EnPassant("zz".into()),
                ],
            ),
            (
                "4k3/8/8/8/8/8/8/4K3 w - - - -1",
                "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
                vec![
                    FenError::Counter("-".into()),
                    FenError::Counter("-1".into()),
                ],
            ),
        ] {
            let (board, faults) = Board::from_careless_fen(fen).expect(fen);
            assert_eq!((board.fen(false).as_str(), faults), (kept, dropped));
            assert!(Board::from_fen(fen).is_err(), "{fen}");
        }
        assert!(Board::from_careless_fen("8/8/8/8/8/8/8/8 w - - 0 1").is_err());
    }

    #[test]
    fn en_passant_is_kept_only_if_a_pawn_can_take() {
        let kept = |fen: &str| Board::from_fen(fen).unwrap().en_passant().is_some();
        assert!(kept("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1"));
        assert!(!kept("4k3/8/8/8/3P4/8/8/4K3 b - d3 0 1"));
        // Both pawns would leave the fourth rank, and the rook would give check.
        assert!(!kept("8/8/8/8/R2Pp2k/8/8/4K3 b - d3 0 1"));
    }
}
