//! Making moves.

use super::attacks::{between, knight_attacks, pawn_attacks};
use super::{Board, zobrist};
use crate::types::{
    Bitboard, CastlingRights, CastlingSide, Color, Move, MoveKind, Piece, PieceType, Played, Square,
};

impl Board {
    /// Makes a legal move, and returns it with its pieces. After any other move the board is
    /// meaningless.
    ///
    /// # Panics
    /// If there is no piece on the square that the move starts from.
    pub fn make(&mut self, mv: Move) -> Played {
        let us = self.side_to_move;
        let (from, to) = (mv.from(), mv.to());
        let moved = self.mailbox[from.index()].expect("the move starts from an empty square");
        let mut captured = None;

        self.clear_en_passant();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.reversible = self.reversible.saturating_add(1);

        match mv.kind() {
            Some(MoveKind::Castle) => {
                let wing = if to.file() > from.file() {
                    CastlingSide::King
                } else {
                    CastlingSide::Queen
                };
                let rook = Piece::new(us, PieceType::Rook);
                // Both pieces leave before either arrives, because in Chess960 the squares may
                // overlap.
                self.remove_piece(moved, from);
                self.remove_piece(rook, to);
                self.put(moved, Square::at(wing.king_file(), from.rank()));
                self.put(rook, Square::at(wing.rook_file(), from.rank()));
            }
            Some(MoveKind::EnPassant) => {
                let pawn = Piece::new(!us, PieceType::Pawn);
                let square = Square::at(to.file(), from.rank());
                captured = Some(PieceType::Pawn);
                self.remove_piece(pawn, square);
                self.shift(moved, from, to);
            }
            _ => {
                if mv.is_capture()
                    && let Some(taken) = self.mailbox[to.index()]
                {
                    captured = Some(taken.kind());
                    self.remove_piece(taken, to);
                }
                if let Some(kind) = mv.promotion() {
                    self.remove_piece(moved, from);
                    self.put(Piece::new(us, kind), to);
                } else {
                    self.shift(moved, from, to);
                }
            }
        }

        if moved.kind() == PieceType::Pawn || captured.is_some() {
            self.halfmove_clock = 0;
            self.reversible = 0;
        }
        if !self.castling.is_empty() {
            self.spoil_castling(moved, from, to);
        }
        self.fullmove_number = self.fullmove_number.saturating_add(us as u16);
        self.pass_turn();

        // Whether the pawn can be captured depends on the pins of the side to move now.
        if mv.kind() == Some(MoveKind::DoublePush) {
            let skipped = Square::new(u8::midpoint(from.index() as u8, to.index() as u8));
            self.set_en_passant(skipped);
        }
        Played {
            mv,
            piece: moved,
            captured,
        }
    }

    /// Predicts the key after a move, as a hint for prefetching. The prediction is wrong for
    /// castling, en passant captures, promotions, moves that change castling rights, and double
    /// pushes that can be answered en passant.
    #[inline(always)]
    pub(crate) fn key_hint(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let mut key = self.null_key();
        if let Some(moved) = self.mailbox[from.index()] {
            key ^= zobrist::piece(moved, from) ^ zobrist::piece(moved, to);
        }
        if let Some(taken) = self.mailbox[to.index()] {
            key ^= zobrist::piece(taken, to);
        }
        key
    }

    /// Returns the key after a null move.
    #[inline(always)]
    pub(crate) fn null_key(&self) -> u64 {
        let en_passant = self.en_passant.map_or(0, zobrist::en_passant);
        self.keys.whole ^ zobrist::SIDE ^ en_passant
    }

    /// Makes a null move. The side to move must not be in check.
    pub fn make_null(&mut self) {
        self.clear_en_passant();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.reversible = 0;
        self.pass_turn();
    }

    /// Puts a piece on an empty square.
    #[inline(always)]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        self.mailbox[square.index()] = Some(piece);
        self.toggle(piece, square.bitboard(), zobrist::piece(piece, square));
    }

    #[inline(always)]
    fn remove_piece(&mut self, piece: Piece, square: Square) {
        self.mailbox[square.index()] = None;
        self.toggle(piece, square.bitboard(), zobrist::piece(piece, square));
    }

    #[inline(always)]
    fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        self.mailbox[from.index()] = None;
        self.mailbox[to.index()] = Some(piece);
        let key = zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
        self.toggle(piece, from.bitboard() | to.bitboard(), key);
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, squares: Bitboard, key: u64) {
        let (color, kind) = (piece.color(), piece.kind());
        self.colors[color.index()] ^= squares;
        self.kinds[kind.index()] ^= squares;
        self.keys.toggle(piece, key);
    }

    fn spoil_castling(&mut self, moved: Piece, from: Square, to: Square) {
        let before = self.castling;
        if moved.kind() == PieceType::King {
            self.castling.remove_all(moved.color());
        }
        for color in Color::ALL {
            for wing in CastlingSide::ALL {
                let rook = self.castling_rooks[CastlingRights::slot(color, wing)];
                if rook == from || rook == to {
                    self.castling.remove(color, wing);
                }
            }
        }
        self.keys.whole ^= zobrist::castling(before) ^ zobrist::castling(self.castling);
    }

    fn clear_en_passant(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.keys.whole ^= zobrist::en_passant(square);
        }
    }

    /// Notes the square that a double push skipped, if a pawn can legally capture there.
    pub(super) fn set_en_passant(&mut self, square: Square) {
        let us = self.side_to_move;
        let takers = pawn_attacks(!us, square) & self.pieces(us, PieceType::Pawn);
        if takers
            .into_iter()
            .any(|from| self.en_passant_is_safe(from, square))
        {
            self.en_passant = Some(square);
            self.keys.whole ^= zobrist::en_passant(square);
        }
    }

    fn pass_turn(&mut self) {
        self.side_to_move = !self.side_to_move;
        self.keys.whole ^= zobrist::SIDE;
        self.find_checks_and_pins();
    }

    /// Finds the pieces that check the side to move, and its pieces that are pinned to its king.
    pub(super) fn find_checks_and_pins(&mut self) {
        let us = self.side_to_move;
        let king = self.king(us);
        self.checkers = (pawn_attacks(us, king) & self.kind(PieceType::Pawn)
            | knight_attacks(king) & self.kind(PieceType::Knight))
            & self.color(!us);
        self.pinned = Bitboard::EMPTY;
        let occupied = self.occupied();
        for sniper in self.snipers(king, !us) {
            let shield = between(king, sniper) & occupied;
            if shield.is_empty() {
                self.checkers |= sniper.bitboard();
            } else if !shield.more_than_one() {
                self.pinned |= shield;
            }
        }
    }
}
