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

#[cfg(test)]
mod tests {
    use std::fs;

    use viriformat::chess::piece::Colour;

    use super::*;
    use crate::board::{Board, Game};
    use crate::tools::openings;
    use crate::tools::scratch::Scratch;
    use crate::tools::selfplay::Reason;
    use crate::tools::shard::Shards;
    use crate::types::Rng;
    use crate::types::{Color, Wing, score};

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
        while moves.len() < 200 && !game.drawn_by_rule() {
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
            reason: Reason::Rule,
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
                (Wing::King, rights.kingside(colour)),
                (Wing::Queen, rights.queenside(colour)),
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

    #[test]
    fn games_come_back_as_they_were_played() {
        let mut rng = Rng::new(2);
        let mut seen = Seen::default();
        let pawns = Board::from_fen("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1").expect("legal");
        let records: Vec<GameRecord> = (0..300)
            .map(|number| {
                let opening = match number % 3 {
                    0 => openings::random(0.0, &mut rng),
                    1 => openings::random(1.0, &mut rng),
                    _ => openings::random_plies(pawns, 3, &mut rng),
                };
                random_game(opening.unwrap_or_else(Board::startpos), &mut rng, &mut seen)
            })
            .collect();
        assert!(
            seen.castlings > 50 && seen.promotions > 50 && seen.in_passing > 50,
            "{seen:?}"
        );

        let scratch = Scratch::new();
        let mut shards = Shards::new(scratch.path(), 1, 0, records.len());
        for record in &records {
            let game = encode(record).expect("a legal position");
            shards.add(&game).expect("room");
        }
        let bytes = fs::read(scratch.path().join("games-1-00-00000.vf")).expect("a shard");
        let mut reader = bytes.as_slice();
        for record in &records {
            // The reader itself refuses illegal moves where debug assertions are on, as here.
            let game = ViriGame::deserialise_from(&mut reader, Vec::new()).expect("a game");
            assert_eq!(game.len(), record.moves.len());
            let (mut theirs, _, result, _) = game.initial_position.unpack();
            assert_eq!(
                usize::from(result),
                record.outcome.half_points(Color::White)
            );
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
    }
}
