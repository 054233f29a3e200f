//! Games in viriformat: 32 bytes for the first position, then two bytes of move and two bytes of
//! score for each ply, then four zero bytes.
// Source: https://crates.io/crates/viriformat, the reference implementation that the tests compare
// with.

use std::fmt::Write;

use crate::selfplay::GameRecord;
use rejoinder::board::{Board, FenError, Outcome};
use rejoinder::types::{
    Bitboard, CastlingSide, Color, Move, MoveKind, Piece, PieceType, Score, Square,
};

/// Size of the first position in bytes.
const START: usize = 32;
/// Size of a move with its score in bytes.
const PLY: usize = 4;
/// The end of a game, which reads as the move a1a1.
const END: [u8; PLY] = [0; PLY];
/// Code of a rook that may still castle; the codes below it are the six kinds of pieces.
const CASTLING_ROOK: u8 = 6;
/// Bit in the code of a black piece.
const BLACK: u8 = 8;
/// Bit in the byte of the en passant square that is set if Black is to move.
const BLACK_TO_MOVE: u8 = 128;
/// Value of the en passant byte if there is no en passant square.
const NO_SQUARE: u8 = 64;
/// Values of the two high bits of a move.
const EN_PASSANT: u16 = 1;
const CASTLE: u16 = 2;
const PROMOTION: u16 = 3;
/// Pieces that a pawn promotes to, by code.
const PROMOTED: [PieceType; 4] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
];

/// Bytes are not a game, or a game does not fit the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViriError {
    /// The halfmove clock does not fit into its byte.
    #[error("the position {0} does not fit viriformat: its halfmove clock is above 255")]
    Clock(String),
    /// The data ends inside a game.
    #[error("the data ends in the middle of the game")]
    Truncated,
    /// There is an unknown piece code, or there are more than 32 pieces.
    #[error("the first position has an unknown piece, or too many pieces")]
    Piece,
    /// A castling rook is not on its back rank.
    #[error("the first position has a castling rook on {0}")]
    CastlingRook(Square),
    /// The first position is illegal.
    #[error("the first position {fen} is illegal: {reason}")]
    Start {
        /// The position.
        fen: String,
        reason: FenError,
    },
    /// The result is not a win, draw or loss.
    #[error("{0} is not a result")]
    Result(u8),
    /// A move is illegal.
    #[error("ply {ply}: {mv} is not a legal move in {fen}")]
    Move {
        /// Number of the ply, from 1.
        ply: usize,
        /// Origin and target square.
        mv: String,
        /// The position.
        fen: String,
    },
}

/// A game in some data is damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {number} (byte {offset}): {reason}")]
pub struct BadGame {
    /// Number of the game, from 1.
    pub number: u64,
    /// Offset of the game's first byte, from 0.
    pub offset: u64,
    /// The fault.
    pub reason: ViriError,
}

/// Appends a game in viriformat.
///
/// # Errors
/// If the first position does not fit the format; nothing is appended then.
pub fn encode(record: &GameRecord, bytes: &mut Vec<u8>) -> Result<(), ViriError> {
    let start = encode_start(&record.opening, record.outcome)?;
    bytes.extend_from_slice(&start);
    for &(mv, score) in &record.moves {
        bytes.extend_from_slice(&encode_move(mv).to_le_bytes());
        // The mark of a missing score is the largest number, and it fits into 16 bits.
        bytes.extend_from_slice(&(score as i16).to_le_bytes());
    }
    bytes.extend_from_slice(&END);
    Ok(())
}

/// Decodes the first game of the data and advances the slice to the byte after it. Returns `None`
/// if there is no data left. The first position and every move must be legal. After an error the
/// slice is unchanged.
///
/// # Errors
/// The fault of the game.
pub fn decode(bytes: &mut &[u8]) -> Result<Option<GameRecord>, ViriError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let (start, mut rest) = bytes
        .split_first_chunk::<START>()
        .ok_or(ViriError::Truncated)?;
    let (opening, outcome) = decode_start(start)?;
    let mut board = opening;
    let mut moves = Vec::with_capacity(128);
    loop {
        let (ply, behind) = rest
            .split_first_chunk::<PLY>()
            .ok_or(ViriError::Truncated)?;
        rest = behind;
        if *ply == END {
            break;
        }
        let bits = u16::from_le_bytes([ply[0], ply[1]]);
        let mv = decode_move(&board, bits)
            .filter(|&mv| board.is_legal(mv))
            .ok_or_else(|| ViriError::Move {
                ply: moves.len() + 1,
                mv: format!("{}{}", from(bits), to(bits)),
                fen: board.fen(true),
            })?;
        moves.push((mv, Score::from(i16::from_le_bytes([ply[2], ply[3]]))));
        board.make(mv);
    }
    *bytes = rest;
    Ok(Some(GameRecord {
        opening,
        moves,
        outcome,
    }))
}

/// Decodes the data game by game; the first damaged game is the last one returned.
pub fn games(bytes: &[u8]) -> impl Iterator<Item = Result<GameRecord, BadGame>> {
    let mut rest = bytes;
    let mut number = 0;
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        number += 1;
        let offset = (bytes.len() - rest.len()) as u64;
        let game = decode(&mut rest).map_err(|reason| BadGame {
            number,
            offset,
            reason,
        });
        failed = game.is_err();
        game.transpose()
    })
}

fn encode_start(board: &Board, outcome: Outcome) -> Result<[u8; START], ViriError> {
    let clock =
        u8::try_from(board.halfmove_clock()).map_err(|_| ViriError::Clock(board.fen(true)))?;
    let mut start = [0; START];
    start[..8].copy_from_slice(&board.occupied().0.to_le_bytes());
    for (index, square) in board.occupied().into_iter().enumerate() {
        start[8 + index / 2] |= encode_piece(board, square) << (index % 2 * 4);
    }
    start[24] = board
        .en_passant()
        .map_or(NO_SQUARE, |square| square.index() as u8);
    if board.side_to_move() == Color::Black {
        start[24] |= BLACK_TO_MOVE;
    }
    start[25] = clock;
    start[26..28].copy_from_slice(&(board.fullmove_number() as u16).to_le_bytes());
    // The score of the position stays zero, since the moves have scores; so does the unused last
    // byte.
    start[30] = outcome.half_points(Color::White) as u8;
    Ok(start)
}

fn encode_piece(board: &Board, square: Square) -> u8 {
    let Some(piece) = board.piece_on(square) else {
        return 0;
    };
    let color = piece.color();
    let castles = CastlingSide::ALL
        .into_iter()
        .any(|side| board.castling_rook(color, side) == Some(square));
    let kind = if castles {
        CASTLING_ROOK
    } else {
        piece.kind() as u8
    };
    kind | if color == Color::Black { BLACK } else { 0 }
}

fn decode_start(start: &[u8; START]) -> Result<(Board, Outcome), ViriError> {
    let outcome = match start[30] {
        0 => Outcome::BlackWin,
        1 => Outcome::Draw,
        2 => Outcome::WhiteWin,
        other => return Err(ViriError::Result(other)),
    };
    let word = |at: usize| u16::from_le_bytes([start[at], start[at + 1]]);
    let occupied = start[..8]
        .iter()
        .rev()
        .fold(0_u64, |all, &byte| all << 8 | u64::from(byte));
    let occupied = Bitboard(occupied);
    if occupied.count() > 32 {
        return Err(ViriError::Piece);
    }
    let mut pieces = [None; Square::COUNT];
    let mut castling = String::new();
    for (index, square) in occupied.into_iter().enumerate() {
        let code = start[8 + index / 2] >> (index % 2 * 4) & 15;
        let color = if code & BLACK == 0 {
            Color::White
        } else {
            Color::Black
        };
        let kind = match code & !BLACK {
            CASTLING_ROOK => {
                if square.relative_rank(color) != 0 {
                    return Err(ViriError::CastlingRook(square));
                }
                let letter = char::from(b'a' + square.file());
                castling.push(match color {
                    Color::White => letter.to_ascii_uppercase(),
                    Color::Black => letter,
                });
                PieceType::Rook
            }
            kind => *PieceType::ALL
                .get(usize::from(kind))
                .ok_or(ViriError::Piece)?,
        };
        pieces[square.index()] = Some(Piece::new(color, kind));
    }
    let fen = fen(&pieces, &castling, start[24], start[25], word(26));
    match Board::from_fen(&fen) {
        Ok(board) => Ok((board, outcome)),
        Err(reason) => Err(ViriError::Start { fen, reason }),
    }
}

/// The first position as FEN, so that the FEN reader decides whether it is legal.
fn fen(
    pieces: &[Option<Piece>; Square::COUNT],
    castling: &str,
    side: u8,
    clock: u8,
    number: u16,
) -> String {
    let mut fen = String::with_capacity(96);
    for rank in (0..8).rev() {
        for file in 0..8 {
            fen.push(pieces[Square::at(file, rank).index()].map_or('1', Piece::letter));
        }
        fen.push(if rank > 0 { '/' } else { ' ' });
    }
    fen.push(if side & BLACK_TO_MOVE == 0 { 'w' } else { 'b' });
    let castling = if castling.is_empty() { "-" } else { castling };
    let square = side & !BLACK_TO_MOVE;
    let _ = if square < NO_SQUARE {
        write!(fen, " {castling} {} {clock} {number}", Square::new(square))
    } else {
        write!(fen, " {castling} - {clock} {number}")
    };
    fen
}

/// Encodes a move. Castling is "king takes rook", in the engine as in the format.
fn encode_move(mv: Move) -> u16 {
    let special = if let Some(piece) = mv.promotion() {
        PROMOTION << 2 | (piece as u16 - PieceType::Knight as u16)
    } else if mv.is_castle() {
        CASTLE << 2
    } else if mv.is_en_passant() {
        EN_PASSANT << 2
    } else {
        0
    };
    special << 12 | (mv.to().index() as u16) << 6 | mv.from().index() as u16
}

/// Returns the move that these bits encode on this board; it need not be legal.
fn decode_move(board: &Board, bits: u16) -> Option<Move> {
    let (from, to) = (from(bits), to(bits));
    let takes = board.piece_on(to).is_some();
    let promoted = PROMOTED[usize::from(bits >> 12 & 3)];
    let kind = match (bits >> 14, bits >> 12 & 3) {
        (PROMOTION, _) if takes => MoveKind::CapturePromotion(promoted),
        (PROMOTION, _) => MoveKind::Promotion(promoted),
        (EN_PASSANT, 0) => MoveKind::EnPassant,
        (CASTLE, 0) => MoveKind::Castle,
        (0, 0) if takes => MoveKind::Capture,
        (0, 0) => {
            let pawn = board.piece_on(from)?.kind() == PieceType::Pawn;
            if pawn && from.rank().abs_diff(to.rank()) == 2 {
                MoveKind::DoublePush
            } else {
                MoveKind::Quiet
            }
        }
        _ => return None,
    };
    Some(Move::new(from, to, kind))
}

const fn from(bits: u16) -> Square {
    Square::new(bits as u8)
}

const fn to(bits: u16) -> Square {
    Square::new((bits >> 6) as u8)
}

#[cfg(test)]
mod tests;
