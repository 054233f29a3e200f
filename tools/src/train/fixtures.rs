//! Games of random moves for tests. The material on the board decides scores and results, so that a
//! network can learn from them.

use std::path::{Path, PathBuf};

use crate::data::viri;
use crate::files;
use crate::selfplay::GameRecord;
use rejoinder::board::{Board, Game, Outcome, openings};
use rejoinder::eval::win_rate::material;
use rejoinder::types::{Color, Move, PieceType, Rng, Score};

use super::sample::Sample;

/// Material balance in centipawns from White's view.
fn balance(board: &Board) -> Score {
    let worth = [100, 300, 300, 500, 900, 0];
    let points =
        |color, kind: PieceType| board.pieces(color, kind).count() as Score * worth[kind.index()];
    let difference = |kind| points(Color::White, kind) - points(Color::Black, kind);
    PieceType::ALL.into_iter().map(difference).sum()
}

/// Plays a game.
pub fn game(rng: &mut Rng) -> GameRecord {
    let opening = openings::random(0.3, rng).unwrap_or_else(Board::startpos);
    let mut game = Game::new(opening);
    let mut moves: Vec<(Move, Score)> = Vec::new();
    while moves.len() < 120 && material(game.board()) > 4 && game.outcome().is_none() {
        let Some(mv) = rng.choose(&game.board().legal_moves()) else {
            break;
        };
        moves.push((mv, balance(game.board())));
        game.play(mv);
    }
    let outcome = match balance(game.board()) {
        201.. => Outcome::WhiteWin,
        -200..=200 => Outcome::Draw,
        _ => Outcome::BlackWin,
    };
    GameRecord {
        opening,
        moves,
        outcome,
    }
}

/// Writes a file of random games.
pub fn file(dir: &Path, name: &str, games: usize, seed: u64) -> PathBuf {
    let mut rng = Rng::new(seed);
    let mut bytes = Vec::new();
    for _ in 0..games {
        viri::encode(&game(&mut rng), &mut bytes).expect("the game fits the format");
    }
    let path = dir.join(name);
    files::create(&path, &bytes).expect("a writable directory");
    path
}

/// Samples of random games.
pub fn samples(count: usize, seed: u64) -> Vec<Sample> {
    let mut rng = Rng::new(seed);
    let mut samples = Vec::new();
    while samples.len() < count {
        let game = game(&mut rng);
        let mut board = game.opening;
        for &(mv, score) in &game.moves {
            let side = board.side_to_move();
            let own = if side == Color::White { score } else { -score };
            samples.push(Sample::new(
                &board,
                own as i16,
                game.outcome.half_points(side) as u8,
            ));
            board.make(mv);
        }
    }
    samples.truncate(count);
    samples
}
