//! The choice of positions to train on: the quiet and undecided ones after the opening.

use crate::selfplay::{self, GameRecord};
use rejoinder::board::Board;
use rejoinder::types::{Move, Score};

/// Limits for the positions to train on. In addition, the side to move must not be in check, and
/// its best move must neither capture nor promote: the search evaluates only such positions and
/// looks deeper in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// First ply to keep, counted from the initial position of chess.
    pub min_ply: usize,
    /// Positions with a score of at least this size in centipawns are dropped: their result is
    /// plain. The mark of a missing score is larger than any limit.
    pub max_score: Score,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            min_ply: 16,
            max_score: 10_000,
        }
    }
}

impl Filter {
    /// Returns whether a position is kept whose best move and score (in centipawns, from either
    /// view) are these.
    pub fn keeps(&self, board: &Board, best: Move, score: Score) -> bool {
        best.is_quiet() && score.abs() < self.max_score && self.admits(board)
    }

    /// Returns whether the position may be kept, whatever its score: only the best move is unknown.
    pub fn admits(&self, board: &Board) -> bool {
        !board.in_check() && selfplay::ply(board) >= self.min_ply
    }

    /// Calls `see` with the position and the score of each position of a game that is kept.
    pub fn each(&self, game: &GameRecord, mut see: impl FnMut(&Board, Score)) {
        let mut board = game.opening;
        for &(mv, score) in &game.moves {
            if self.keeps(&board, mv, score) {
                see(&board, score);
            }
            board.make(mv);
        }
    }
}

/// Least score in centipawns, from either view, of a position that is as good as decided.
pub const DECIDED: Score = 800;
/// Greatest number of pieces, kings and pawns included, in a late ending.
pub const FEW_PIECES: u32 = 7;

/// Returns whether a position teaches about middlegames and undecided endings, where games are won
/// and lost.
pub fn is_useful(board: &Board, score: Score) -> bool {
    score.abs() < DECIDED && board.occupied().count() > FEW_PIECES
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoinder::types::MoveKind;

    #[test]
    fn only_quiet_open_positions_are_kept() {
        let filter = Filter::default();
        let keeps = |fen: &str, mv: &str, score| {
            let board = Board::from_fen(fen).expect("a position");
            let mut moves = board.legal_moves().into_iter();
            let best = moves.find(|legal| format!("{legal:?}") == mv);
            filter.keeps(&board, best.expect("a legal move"), score)
        };
        let fen = "4k3/P7/8/3p4/4P3/8/8/R3K2R w KQ - 0 9";
        assert!(keeps(fen, "e4e5", 9_999) && keeps(fen, "e1h1", -9_999));
        assert!(!keeps(fen, "e4e5", 10_000) && !keeps(fen, "e4e5", -10_000));
        assert!(!keeps(fen, "e4d5", 0) && !keeps(fen, "a7a8q", 0));
        assert!(!keeps(&fen.replace(" 9", " 8"), "e4e5", 0));
        assert!(keeps("4k3/8/8/8/8/8/8/4K3 b - - 0 9", "e8e7", 0));
        assert!(!keeps("4k3/8/8/8/8/8/8/4RK2 b - - 0 9", "e8d8", 0));
    }

    #[test]
    fn the_positions_of_a_game_are_counted() {
        let opening = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 8").expect("a position");
        let mut board = opening;
        let mut moves = Vec::new();
        for name in ["e1e2", "e8e7", "h1h8", "e7d7", "h8h7", "d7d6"] {
            let mut legal = board.legal_moves().into_iter();
            let mv = legal.find(|legal| format!("{legal:?}") == name);
            let mv = mv.expect("a legal move");
            assert_eq!(mv.kind(), Some(MoveKind::Quiet));
            moves.push((mv, 500));
            board.make(mv);
        }
        let game = GameRecord {
            opening,
            moves,
            outcome: rejoinder::board::Outcome::WhiteWin,
        };
        // Plies 14 and 15 are too early, and the last move answers a check.
        let mut kept = Vec::new();
        Filter::default().each(&game, |board, score| {
            kept.push((selfplay::ply(board), score));
        });
        assert_eq!(kept, [(16, 500), (17, 500), (18, 500)]);
    }
}
