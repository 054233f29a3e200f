//! Whole games in viriformat: a packed first position, then two bytes of move and two of score for each ply.

use viriformat::chess::board::{Board as ViriBoard, DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::{Move as ViriMove, MoveFlags};
use viriformat::chess::piece::PieceType as ViriPiece;
use viriformat::chess::types::Square as ViriSquare;
use viriformat::dataformat::Game as ViriGame;

use crate::types::{Move, PieceType, Square};

use super::selfplay::{GameRecord, Outcome};

/// A game does not fit the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the position {fen} does not fit viriformat: {reason}")]
pub struct ViriError {
    fen: String,
    reason: String,
}

/// The game in viriformat.
///
/// # Errors
/// If the format has no room for the first position.
pub fn encode(record: &GameRecord) -> Result<ViriGame, ViriError> {
    let fen = record.opening.fen(true);
    let mut board = ViriBoard::new();
    if let Err(error) = board.set_from_fen(&fen, true) {
        let reason = error.to_string();
        return Err(ViriError { fen, reason });
    }
    let mut game = ViriGame::new(&board);
    for &(mv, score) in &record.moves {
        // Mates, the largest scores, are far inside 16 bits.
        game.add_move(encode_move(mv), score as i16);
    }
    game.set_outcome(match record.outcome {
        Outcome::WhiteWin => GameOutcome::WhiteWin(WinType::Adjudication),
        Outcome::Draw => GameOutcome::Draw(DrawType::Adjudication),
        Outcome::BlackWin => GameOutcome::BlackWin(WinType::Adjudication),
    });
    Ok(game)
}

/// Castling is king takes rook here and there.
fn encode_move(mv: Move) -> ViriMove {
    let (from, to) = (square(mv.from()), square(mv.to()));
    if let Some(piece) = mv.promotion() {
        ViriMove::new_with_promo(from, to, kind(piece))
    } else if mv.is_castle() {
        ViriMove::new_with_flags(from, to, MoveFlags::Castle)
    } else if mv.is_en_passant() {
        ViriMove::new_with_flags(from, to, MoveFlags::EnPassant)
    } else {
        ViriMove::new(from, to)
    }
}

fn square(square: Square) -> ViriSquare {
    ViriSquare::new_clamped(square.index() as u8)
}

const fn kind(piece: PieceType) -> ViriPiece {
    match piece {
        PieceType::Pawn => ViriPiece::Pawn,
        PieceType::Knight => ViriPiece::Knight,
        PieceType::Bishop => ViriPiece::Bishop,
        PieceType::Rook => ViriPiece::Rook,
        PieceType::Queen => ViriPiece::Queen,
        PieceType::King => ViriPiece::King,
    }
}
