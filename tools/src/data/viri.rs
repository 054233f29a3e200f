//! Whole games in viriformat: 32 bytes of first position, two bytes of move and two of score for each ply, four zeros.
// Source: https://crates.io/crates/viriformat, whose own reader and writer the tests compare with.

use std::fmt::Write;

use crate::selfplay::GameRecord;
use rejoinder::board::Outcome;
use rejoinder::board::{Board, FenError};
use rejoinder::types::{
    Bitboard, CastlingSide, Color, Move, MoveKind, Piece, PieceType, Score, Square,
};

/// Bytes of a first position.
const START: usize = 32;
/// Bytes of a move with its score.
const PLY: usize = 4;
/// What ends a game: the move a1a1.
const END: [u8; PLY] = [0; PLY];
/// The code of a rook that may still castle, above those of the six kinds.
const CASTLING_ROOK: u8 = 6;
/// Bit of a piece's code: it is black.
const BLACK: u8 = 8;
/// Bit of the byte that holds the en passant square: Black is to move.
const BLACK_TO_MOVE: u8 = 128;
/// En passant byte without a square.
const NO_SQUARE: u8 = 64;
/// What the two high bits of a move say.
const EN_PASSANT: u16 = 1;
const CASTLE: u16 = 2;
const PROMOTION: u16 = 3;
/// Promotions from code 0 on.
const PROMOTED: [PieceType; 4] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
];

/// Why bytes are no game, or a game does not fit the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ViriError {
    /// The format has one byte for the fifty-move counter.
    #[error("the position {0} does not fit viriformat: its halfmove clock is above 255")]
    Clock(String),
    /// The data ends inside a game.
    #[error("the data ends in the middle of the game")]
    Truncated,
    /// A code that no piece has, or more than 32 pieces.
    #[error("the first position holds a piece that is none, or too many")]
    Piece,
    /// A castling rook that is not on its back rank.
    #[error("the first position has a castling rook on {0}")]
    CastlingRook(Square),
    /// The pieces are known, but stand against the rules.
    #[error("the first position {fen} is against the rules: {source}")]
    Start {
        /// What the bytes say.
        fen: String,
        /// What is wrong with it.
        source: FenError,
    },
    /// Neither win, draw nor loss.
    #[error("{0} is no result")]
    Result(u8),
    /// A move that the rules do not allow.
    #[error("ply {ply}: {mv} is no legal move in {fen}")]
    Move {
        /// Counted from 1.
        ply: usize,
        /// From and to square.
        mv: String,
        /// The position.
        fen: String,
    },
}

/// Which game of some data is at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {number} (byte {offset}): {source}")]
pub struct BadGame {
    /// Counted from 1.
    pub number: u64,
    /// Of the game's first byte, from 0.
    pub offset: u64,
    /// What is wrong with it.
    pub source: ViriError,
}

/// Appends the game in viriformat.
///
/// # Errors
/// If the format has no room for the first position; nothing is appended.
pub fn encode(record: &GameRecord, bytes: &mut Vec<u8>) -> Result<(), ViriError> {
    let start = encode_start(&record.opening, record.outcome)?;
    bytes.extend_from_slice(&start);
    for &(mv, score) in &record.moves {
        bytes.extend_from_slice(&encode_move(mv).to_le_bytes());
        // Mates, the largest scores, are far inside 16 bits.
        bytes.extend_from_slice(&(score as i16).to_le_bytes());
    }
    bytes.extend_from_slice(&END);
    Ok(())
}

/// Reads the game that the data begins with, and moves on behind it; `None` if there is no data left. The position and
/// every move are checked against the rules. After an error the data is where it was.
///
/// # Errors
/// Says what is wrong with the game.
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

/// The games of some data one after the other; the first bad one is the last.
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
        let game = decode(&mut rest).map_err(|source| BadGame {
            number,
            offset,
            source,
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
        start[8 + index / 2] |= encode_man(board, square) << (index % 2 * 4);
    }
    start[24] = board
        .en_passant()
        .map_or(NO_SQUARE, |square| square.index() as u8);
    if board.side_to_move() == Color::Black {
        start[24] |= BLACK_TO_MOVE;
    }
    start[25] = clock;
    start[26..28].copy_from_slice(&(board.fullmove_number() as u16).to_le_bytes());
    // Then a score of the position and a free byte, both zero: the moves have the scores.
    start[30] = outcome.half_points(Color::White) as u8;
    Ok(start)
}

fn encode_man(board: &Board, square: Square) -> u8 {
    let Some(piece) = board.piece_on(square) else {
        return 0;
    };
    let color = piece.color();
    let castles = CastlingSide::ALL
        .into_iter()
        .any(|wing| board.castling_rook(color, wing) == Some(square));
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
        Err(source) => Err(ViriError::Start { fen, source }),
    }
}

/// The first position as text: one reader of positions, and one judge of them, is enough.
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

/// Castling is king takes rook here and there.
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

/// The move these bits may stand for on this board.
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
mod tests {
    use proptest::prelude::*;
    use viriformat::chess::board::Board as ViriBoard;
    use viriformat::chess::piece::Colour;
    use viriformat::chess::types::Square as ViriSquare;
    use viriformat::dataformat::Game as ViriGame;

    use super::*;
    use rejoinder::board::Game;
    use rejoinder::board::openings;
    use rejoinder::types::{Rng, score};

    /// Which kinds of special moves have been seen.
    #[derive(Debug, Default)]
    struct Seen {
        castlings: usize,
        promotions: usize,
        in_passing: usize,
    }

    /// A game of random moves that prefers the special ones.
    fn random_game(opening: Board, rng: &mut Rng, seen: &mut Seen) -> GameRecord {
        let mut game = Game::new(opening);
        let mut moves = Vec::new();
        while moves.len() < 200 && game.outcome().is_none() {
            let legal = game.board().legal_moves();
            let special: Vec<Move> = legal
                .iter()
                .copied()
                .filter(|mv| mv.is_castle() || mv.is_promotion() || mv.is_en_passant())
                .collect();
            let Some(mv) = rng.choose(&special).or_else(|| rng.choose(&legal)) else {
                break;
            };
            seen.castlings += usize::from(mv.is_castle());
            seen.promotions += usize::from(mv.is_promotion());
            seen.in_passing += usize::from(mv.is_en_passant());
            moves.push((mv, rng.below(64_001) as i32 - score::MATE));
            game.play(mv);
        }
        GameRecord {
            opening,
            moves,
            outcome: [Outcome::WhiteWin, Outcome::Draw, Outcome::BlackWin][rng.below(3)],
        }
    }

    /// Both boards hold the same position.
    fn assert_same(ours: &Board, theirs: &ViriBoard) {
        let (here, there) = (ours.fen(true), theirs.to_string());
        let fields = |fen: &str| -> Vec<String> { fen.split(' ').map(String::from).collect() };
        let (here, there) = (fields(&here), fields(&there));
        for field in [0, 1, 4, 5] {
            assert_eq!(here[field], there[field], "{here:?}");
        }
        for (color, colour) in [(Color::White, Colour::White), (Color::Black, Colour::Black)] {
            let rights = theirs.castling_rights();
            for (wing, rook) in [
                (CastlingSide::King, rights.kingside(colour)),
                (CastlingSide::Queen, rights.queenside(colour)),
            ] {
                let expected = ours
                    .castling()
                    .has(color, wing)
                    .then(|| ours.castling_rook(color, wing).map(square))
                    .flatten();
                assert_eq!(rook, expected, "{here:?}");
            }
        }
        // Theirs also remembers a square where no pawn can take without leaving its king in check.
        if let Some(passed) = ours.en_passant() {
            assert_eq!(theirs.ep_sq(), Some(square(passed)), "{here:?}");
        }
    }

    fn square(square: Square) -> ViriSquare {
        ViriSquare::new_clamped(square.index() as u8)
    }

    fn random_games(count: usize, rng: &mut Rng, seen: &mut Seen) -> Vec<GameRecord> {
        let pawns = Board::from_fen("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1").expect("legal");
        let mut game = |number| {
            let opening = match number % 3 {
                0 => openings::random(0.0, rng),
                1 => openings::random(1.0, rng),
                _ => openings::random_plies(pawns, 3, rng),
            };
            random_game(opening.unwrap_or_else(Board::startpos), rng, seen)
        };
        (0..count).map(&mut game).collect()
    }

    fn encoded(records: &[GameRecord]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for record in records {
            encode(record, &mut bytes).expect("room");
        }
        bytes
    }

    #[test]
    fn games_come_back_as_they_were_played() {
        let mut seen = Seen::default();
        let records = random_games(300, &mut Rng::new(2), &mut seen);
        assert!(
            seen.castlings > 50 && seen.promotions > 50 && seen.in_passing > 50,
            "{seen:?}"
        );
        let bytes = encoded(&records);
        let read: Vec<GameRecord> = games(&bytes).map(|game| game.expect("a game")).collect();
        assert_eq!(read.len(), records.len());
        for (here, there) in records.iter().zip(&read) {
            assert_eq!(here.opening.fen(true), there.opening.fen(true));
            assert_eq!(here.opening.key(), there.opening.key());
            assert_eq!((&here.moves, here.outcome), (&there.moves, there.outcome));
        }
        assert_eq!(encoded(&read), bytes);
    }

    #[test]
    fn the_crate_reads_and_writes_the_same() {
        let records = random_games(100, &mut Rng::new(3), &mut Seen::default());
        let bytes = encoded(&records);
        let mut reader = bytes.as_slice();
        let mut rewritten = Vec::new();
        for record in &records {
            // It refuses illegal moves where debug assertions are on, as here.
            let game = ViriGame::deserialise_from(&mut reader, Vec::new()).expect("a game");
            assert_eq!(game.len(), record.moves.len());
            let (mut theirs, _, result, _) = game.initial_position.unpack();
            assert_eq!(
                usize::from(result),
                record.outcome.half_points(Color::White)
            );
            game.serialise_into(&mut rewritten).expect("memory");
            let mut ours = record.opening;
            assert_same(&ours, &theirs);
            for (&(mv, score), &(packed, packed_score)) in record.moves.iter().zip(&game.moves) {
                assert_eq!(i32::from(packed_score.get()), score);
                ours.make(mv);
                assert!(theirs.make_move_simple(packed));
                assert_same(&ours, &theirs);
            }
        }
        assert!(reader.is_empty());
        assert_eq!(rewritten, bytes);
    }

    #[test]
    fn faults_are_named() {
        let records = random_games(2, &mut Rng::new(4), &mut Seen::default());
        let good = encoded(&records);
        let second = encoded(&records[..1]).len();
        for (at, byte, says) in [
            (8, 7, "a piece that is none, or too many"),
            (7, 255, "a piece that is none, or too many"),
            (30, 3, "3 is no result"),
            (24, 7, "against the rules"),
            (32, 0xFF, "ply 1: h8"),
        ] {
            let mut bytes = good.clone();
            bytes[second + at] = byte;
            if at == 7 {
                bytes[second..second + 8].fill(255);
            }
            let read: Vec<_> = games(&bytes).collect();
            assert_eq!(read.len(), 2);
            let error = read[1].as_ref().expect_err(says).to_string();
            assert!(error.starts_with(&format!("game 2 (byte {second}): ")));
            assert!(error.contains(says), "{error}");
        }
        let mut rest = &good[..second - 1];
        assert_eq!(decode(&mut rest), Err(ViriError::Truncated));
        assert_eq!(rest.len(), second - 1);
        let clock = Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 256 200").expect("a position");
        let record = GameRecord {
            opening: clock,
            moves: Vec::new(),
            outcome: Outcome::Draw,
        };
        assert!(encode(&record, &mut Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = games(&bytes).count();
        }

        #[test]
        fn no_damage_panics(seed: u64, at in 0_usize..1000, byte: u8) {
            let mut bytes = encoded(&random_games(1, &mut Rng::new(seed), &mut Seen::default()));
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = games(&bytes).count();
            prop_assert!(games(&bytes[..at]).all(|game| game.is_err()));
        }
    }
}
