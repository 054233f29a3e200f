//! Thrifty games: only positions that training will keep are searched with all nodes.
//!
//! A search has few nodes where its score would be dropped anyway: in check, in the opening, and where
//! the best move captures or promotes when it has spent them. Late endings and decided positions, of
//! which a network needs few, are searched with all nodes in one of four plies. A search begins with
//! the iteration in which the search of the ply before has left the position in the table.

use crate::player::Player;
use rejoinder::board::Board;
use rejoinder::clock::Limits;
use rejoinder::search::SearchRequest;
use rejoinder::types::Score;

use crate::data::filter::{Filter, is_useful};
use crate::selfplay::{self, Thought};

/// One in this many plies of late endings and decided positions is searched thoroughly.
const RARELY: usize = 4;

/// The player's way of thinking in a thrifty game.
#[derive(Clone, Debug)]
pub struct Thrift {
    /// The limits of a short search.
    pub short: Limits,
    /// The limits of a thorough search.
    pub thorough: Limits,
    /// Number of the game; it decides which plies of late endings are searched thoroughly.
    pub game: u64,
}

impl Thrift {
    /// Searches the position of a request, thoroughly if training may keep it. `last` is the score of
    /// the search before.
    pub fn think(&self, player: &mut Player, request: &mut SearchRequest, last: Score) -> Thought {
        let teaches = self.teaches(request.game.board(), last);
        let limits = if teaches { &self.thorough } else { &self.short };
        request.resumes = true;
        let result = player.search(request, limits.clone());
        Thought {
            recorded: teaches && result.pv[0].is_quiet(),
            result,
        }
    }

    /// Returns whether training keeps this position unless its best move captures or promotes.
    fn teaches(&self, board: &Board, last: Score) -> bool {
        Filter::default().admits(board)
            && (is_useful(board, last)
                || (self.game as usize + selfplay::ply(board)).is_multiple_of(RARELY))
    }
}
