//! Games that teach: many games of cheap moves, and few labels from each.
//!
//! The positions of one game teach nearly the same, and good moves never lead to the positions of
//! which a search is full. So a move has few nodes, and some are random. One ply in a few, chosen at
//! random, is searched with many nodes, and its score is a label. Positions that training would drop
//! are never chosen, late endings and decided positions, of which a network needs few, rarely. A
//! search begins with the iteration in which that of the ply before has left the position in the table.

use crate::player::Player;
use rejoinder::board::Board;
use rejoinder::clock::Limits;
use rejoinder::search::SearchRequest;
use rejoinder::types::{Rng, Score};

use crate::data::filter::{Filter, is_useful};
use crate::data::origin::DatagenSettings;
use crate::selfplay::{self, Thought};
use crate::time_control::soft_limits;

/// One in this many of the late endings and decided positions that are chosen gets a label.
const RARELY: usize = 4;

/// The player's way of thinking in one game.
#[derive(Debug)]
pub struct Labels {
    /// The limits of a search that gives a label. It is short where the best move captures or
    /// promotes, because training drops that score.
    label: Limits,
    /// The limits of the other searches.
    cheap: Limits,
    /// One ply in this many may get a label; 0 for none.
    every: usize,
    /// Share of the plies without a label at which a random move is played.
    random_moves: f64,
    /// From this ply on, no move is random.
    random_until: Option<u64>,
    rng: Rng,
}

impl Labels {
    /// Begins a game of a run; the random numbers choose its labels and random moves.
    pub fn new(settings: &DatagenSettings, rng: Rng) -> Self {
        let mixture = settings.mixture.unwrap_or_default();
        Self {
            label: Limits {
                soft_nodes_tactical: Some(mixture.move_nodes),
                ..soft_limits(settings.nodes, settings.hard_factor)
            },
            cheap: soft_limits(mixture.move_nodes, settings.hard_factor),
            every: mixture.label_every as usize,
            random_moves: mixture.random_moves,
            random_until: mixture.random_until,
            rng,
        }
    }

    /// Searches the position of a request and chooses a move. `last` is the score of the search
    /// before.
    pub fn think(
        &mut self,
        player: &mut Player,
        request: &mut SearchRequest,
        last: Score,
    ) -> Thought {
        let board = *request.game.board();
        let chosen = self.chooses(&board, last);
        let limits = if chosen { &self.label } else { &self.cheap };
        let result = player.resume(request, limits.clone());
        let best = result.pv[0];
        let ply = selfplay::ply(&board) as u64;
        let may_be_random = !chosen && self.random_until.is_none_or(|until| ply < until);
        let random = may_be_random && self.rng.chance(self.random_moves);
        let other = random.then(|| self.rng.choose(&board.legal_moves()));
        Thought {
            mv: other.flatten().unwrap_or(best),
            score: result.score,
            recorded: chosen && best.is_quiet(),
        }
    }

    /// Returns whether the position gets a label unless its best move captures or promotes.
    fn chooses(&mut self, board: &Board, last: Score) -> bool {
        self.every > 0
            && self.rng.below(self.every) == 0
            && Filter::default().admits(board)
            && (is_useful(board, last) || self.rng.below(RARELY) == 0)
    }
}
