//! Inputs of the engine made of bytes of unknown origin.
//!
//! Nothing here may panic, whatever the bytes are. What is accepted is held to what is promised of it.

use std::sync::Arc;

use rejoinder::board::coordinates::{move_to_uci, parse_move};
use rejoinder::board::{Board, Game};
use rejoinder::eval::kernels::Kernel;
use rejoinder::eval::{evaluate, explain, network::Network};
use rejoinder::types::fnv1a;
use rejoinder::uci::command::{self, Command};
use rejoinder::uci::options;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position, PositionError};

/// A position that was accepted: it is written and read again, and its moves are those that shakmaty finds.
fn check_board(board: &Board) {
    let moves = board.legal_moves();
    for shredder in [false, true] {
        let fen = board.fen(shredder);
        let again = Board::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(again.key(), board.key(), "{fen}");
        assert_eq!(again.fen(shredder), fen);
    }
    let fen = board.fen(true);
    for mv in moves.clone() {
        for chess960 in [false, true] {
            let text = move_to_uci(board, mv, chess960);
            assert_eq!(parse_move(board, &text), Some(mv), "{text} in {fen}");
        }
        let mut after = *board;
        after.make(mv);
        let text = after.fen(true);
        // The counters may have left the range that a FEN is read in.
        let read = Board::from_fen(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.key(), after.key(), "{fen}: {mv:?}");
    }
    if let Some(position) = shakmatys(&fen) {
        assert_eq!(moves.len(), position.legal_moves().len(), "{fen}");
        assert_eq!(board.in_check(), position.is_check(), "{fen}");
    }
}

/// The position as shakmaty sees it, if it takes it.
fn shakmatys(fen: &str) -> Option<Chess> {
    let fen: Fen = fen.parse().ok()?;
    fen.into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// A position, as `position fen` gets it.
pub fn fen(bytes: &[u8]) {
    if let Ok(board) = Board::from_fen(&String::from_utf8_lossy(bytes)) {
        check_board(&board);
    }
}

/// The lines of a conversation, as far as they are understood without searching.
pub fn uci(bytes: &[u8]) {
    let mut game = Game::new(Board::startpos());
    for line in String::from_utf8_lossy(bytes).lines() {
        match command::parse(line.trim()) {
            Ok(Some(Command::SetOption { name, value })) => {
                let _ = options::parse(&name, value.as_deref()).map_err(|error| error.to_string());
            }
            Ok(Some(Command::Position(position))) => {
                let start = match &position.fen {
                    None => Ok(Board::startpos()),
                    Some(fen) => Board::from_fen(fen),
                };
                let Ok(start) = start else { continue };
                game = Game::new(start);
                for text in &position.moves {
                    let Some(mv) = parse_move(game.board(), text) else {
                        break;
                    };
                    game.play(mv);
                }
                check_board(game.board());
                let _ = game.outcome();
            }
            Ok(Some(Command::Go(go))) => {
                for text in &go.search_moves {
                    let _ = parse_move(game.board(), text);
                }
            }
            Ok(_) => {}
            Err(mistake) => assert!(!mistake.to_string().contains('\n')),
        }
    }
}

/// Bytes of a network file's header, and where its checksum is.
const HEADER: usize = 64;
const CHECKSUM_AT: usize = 56;
/// The least size of the hidden layer.
const HIDDEN: usize = 32;
/// Bytes of such a network.
const SIZE: usize = HEADER + 2 * HIDDEN * (768 + 1 + 2 * 8) + 4 * 8;

/// A network file: as it is; and again as the header of a file that is otherwise whole, so that a checksum is no wall.
pub fn network(bytes: &[u8]) {
    if let Ok(network) = Network::from_bytes(bytes) {
        check_network(network);
    }
    // A file of the smallest size there is, whose header these bytes change here and there.
    let (patch, weights) = bytes.split_at(bytes.len().min(CHECKSUM_AT - 8));
    let mut file = b"REJOINDR".to_vec();
    for word in [1, 768, HIDDEN as u32, 8, 255, 64, 400, 0, 0, 100, 0, 0] {
        file.extend(u32::to_le_bytes(word));
    }
    for (byte, change) in file[8..].iter_mut().zip(patch) {
        *byte ^= change;
    }
    file.extend([0; HEADER - CHECKSUM_AT]);
    // Weights of the output are small, whatever the bytes are: else nothing would come through.
    let mut weights = weights.iter().copied().cycle();
    let mut weight = || weights.next().unwrap_or(0);
    file.extend((0..2 * HIDDEN * (768 + 1)).map(|_| weight()));
    for _ in 0..HIDDEN * 2 * 8 {
        file.extend(i16::from(weight() as i8).max(-127).to_le_bytes());
    }
    file.extend((0..4 * 8).map(|_| weight()));
    assert_eq!(file.len(), SIZE);
    let sum = fnv1a(file[..CHECKSUM_AT].iter().chain(&file[HEADER..]));
    file[CHECKSUM_AT..HEADER].copy_from_slice(&sum.to_le_bytes());
    if let Ok(network) = Network::from_bytes(&file) {
        check_network(network);
    }
}

fn check_network(network: Network) {
    let network = Arc::new(network);
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
    ] {
        let board = Board::from_fen(fen).expect("a position");
        let _ = evaluate(&network, &board);
        let _ = explain(&network, Kernel::best(), &board);
    }
}
