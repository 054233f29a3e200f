use proptest::prelude::*;
use viriformat::chess::board::Board as ViriBoard;
use viriformat::chess::piece::Colour;
use viriformat::chess::types::Square as ViriSquare;
use viriformat::dataformat::Game as ViriGame;

use super::*;
use rejoinder::board::{Game, openings};
use rejoinder::types::{Rng, score};

/// Number of special moves that have been played.
#[derive(Debug, Default)]
struct Seen {
    castlings: usize,
    promotions: usize,
    en_passants: usize,
}

/// Plays a game of random moves that prefers special moves.
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
        seen.en_passants += usize::from(mv.is_en_passant());
        moves.push((mv, rng.below(64_001) as i32 - score::MATE));
        game.play(mv);
    }
    GameRecord {
        opening,
        moves,
        outcome: [Outcome::WhiteWin, Outcome::Draw, Outcome::BlackWin][rng.below(3)],
    }
}

/// Asserts that both boards hold the same position.
fn assert_same(ours: &Board, theirs: &ViriBoard) {
    let (here, there) = (ours.fen(true), theirs.to_string());
    let fields = |fen: &str| -> Vec<String> { fen.split(' ').map(String::from).collect() };
    let (here, there) = (fields(&here), fields(&there));
    for field in [0, 1, 4, 5] {
        assert_eq!(here[field], there[field], "{here:?}");
    }
    for (color, colour) in [(Color::White, Colour::White), (Color::Black, Colour::Black)] {
        let rights = theirs.castling_rights();
        for (side, rook) in [
            (CastlingSide::King, rights.kingside(colour)),
            (CastlingSide::Queen, rights.queenside(colour)),
        ] {
            let expected = ours
                .castling()
                .has(color, side)
                .then(|| ours.castling_rook(color, side).map(square))
                .flatten();
            assert_eq!(rook, expected, "{here:?}");
        }
    }
    // The reference also keeps an en passant square where the capture would leave the king in
    // check.
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
        encode(record, &mut bytes).expect("the game fits the format");
    }
    bytes
}

#[test]
fn games_come_back_as_they_were_played() {
    let mut seen = Seen::default();
    let records = random_games(300, &mut Rng::new(2), &mut seen);
    assert!(
        seen.castlings > 50 && seen.promotions > 50 && seen.en_passants > 50,
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
        // With debug assertions the reference refuses illegal moves.
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
        (8, 7, "an unknown piece, or too many pieces"),
        (7, 255, "an unknown piece, or too many pieces"),
        (30, 3, "3 is not a result"),
        (24, 7, "is illegal"),
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
