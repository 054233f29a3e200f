//! Thrifty games: only positions that training will keep are searched with all nodes.
//!
//! Every search begins with a few nodes. It ends there where its score would be dropped anyway: in
//! check, in the opening, and where the best move captures or promotes. Late endings and decided
//! positions, of which a network needs few, go on in one of four plies.

use crate::player::Player;
use rejoinder::board::Board;
use rejoinder::clock::Limits;
use rejoinder::search::Job;
use rejoinder::types::Score;

use crate::data::filter::{Filter, is_useful};
use crate::selfplay::{self, Thought};

/// One in this many plies of late endings and decided positions is searched thoroughly.
const RARELY: usize = 4;

/// The player's way of thinking in a thrifty game.
#[derive(Clone, Debug)]
pub struct Thrift {
    /// The limits of a short search.
    pub limits: Limits,
    /// Number of the game; it decides which plies of late endings are searched thoroughly.
    pub game: u64,
}

impl Thrift {
    /// Searches the position of a job, thoroughly if training may keep it. `last` is the score of
    /// the search before.
    pub fn think(&self, player: &mut Player, job: &mut Job, last: Score) -> Thought {
        let board = *job.game.board();
        let short = player.search(job, self.limits.clone());
        let quiet = short.pv[0].is_quiet();
        if quiet && self.teaches(&board, last) {
            Thought {
                result: player.think(job),
                recorded: true,
            }
        } else {
            Thought {
                result: short,
                recorded: false,
            }
        }
    }

    /// True if training keeps this position unless its best move captures or promotes.
    fn teaches(&self, board: &Board, last: Score) -> bool {
        Filter::default().admits(board)
            && (is_useful(board, last)
                || (self.game as usize + selfplay::ply(board)).is_multiple_of(RARELY))
    }
}
