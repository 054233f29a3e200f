//! The root moves and their order from iteration to iteration.

use std::cmp::Reverse;
use std::ops::Index;

use super::root_move::RootMove;
use crate::board::Board;
use crate::tablebase::Ranked;
use crate::types::{Move, Score, score};

/// All root moves, in the order in which they are searched.
///
/// An iteration begins with [`Self::start_iteration`]. For each of the MultiPV lines, counted from
/// 0, the moves from the line's index on are searched. Each of them is followed by
/// [`Self::add_nodes`] and one of [`Self::settle`], [`Self::fail_high`] and [`Self::reject`], each
/// window by [`Self::sort_line`], and each line by [`Self::sort_lines`]. [`Self::sort_rest`] ends
/// the iteration.
#[derive(Clone, Debug)]
pub struct RootMoves {
    moves: Vec<RootMove>,
}

impl RootMoves {
    /// Collects the legal moves among `search_moves`, or all legal moves if none of them is legal.
    pub fn new(board: &Board, search_moves: &[Move]) -> Self {
        let legal = board.legal_moves();
        let wanted = |mv: &Move| search_moves.contains(mv);
        let all = !legal.iter().any(wanted);
        let chosen = legal.iter().filter(|mv| all || wanted(mv));
        Self {
            moves: chosen.map(|&mv| RootMove::new(mv)).collect(),
        }
    }

    /// Sorts the moves by what the endgame tablebases say. `ranked` holds every root move.
    pub fn rank(&mut self, ranked: &[Ranked]) {
        for root in &mut self.moves {
            if let Some(known) = ranked.iter().find(|known| known.mv == root.mv) {
                root.rank = known.rank;
                root.tb_score = Some(known.score);
            }
        }
        self.moves.sort_by_key(|root| -root.rank);
    }

    /// Returns the moves that this line chooses from: those from its index on that share its
    /// tablebase rank.
    pub fn candidates(&self, line: usize) -> &[RootMove] {
        let moves = &self.moves[line..];
        let rank = moves.first().map(|root| root.rank);
        let end = moves.iter().position(|root| Some(root.rank) != rank);
        &moves[..end.unwrap_or(moves.len())]
    }

    /// Returns the move at this index; `None` if it is not a candidate of the line.
    pub fn candidate(&self, line: usize, index: usize) -> Option<Move> {
        self.candidates(line).get(index - line).map(|root| root.mv)
    }

    /// Returns the number of root moves.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Returns the moves in their present order.
    pub fn iter(&self) -> std::slice::Iter<'_, RootMove> {
        self.moves.iter()
    }

    /// Returns the first move in the present order, which is the best one after sorting. `None` if
    /// the root has no legal move.
    pub fn best(&self) -> Option<&RootMove> {
        self.moves.first()
    }

    /// Returns the share of the nodes that were spent on the best move, in 1/1024. Nodes of this
    /// iteration count in full, and those of earlier ones less.
    pub fn best_node_share_1024(&self) -> u64 {
        let effort = |root: &RootMove| root.nodes + root.earlier_nodes;
        let all: u64 = self.moves.iter().map(effort).sum();
        self.best()
            .map_or(0, |best| effort(best) * 1024 / all.max(1))
    }

    /// Resets scores and node counts of the iteration. Exact scores and lines of earlier iterations
    /// stay, and so does this part of their nodes, in 1/1024.
    pub fn start_iteration(&mut self, memory_1024: i32) {
        for root in &mut self.moves {
            root.score = -score::INFINITE;
            root.earlier_nodes = (root.earlier_nodes + root.nodes) * memory_1024 as u64 / 1024;
            root.nodes = 0;
        }
    }

    /// Adds nodes that were spent below the move at this index.
    pub fn add_nodes(&mut self, index: usize, nodes: u64) {
        self.moves[index].nodes += nodes;
    }

    /// Records an exact score of the move at this index, which raised alpha. `tail` is the PV after
    /// the move. A mate that an earlier iteration proved stays, unless this one is as short.
    pub fn settle(
        &mut self,
        index: usize,
        depth: i32,
        seldepth: usize,
        score: Score,
        tail: &[Move],
    ) {
        let root = &mut self.moves[index];
        root.score = score;
        root.found.depth = depth;
        if score::is_won_mate(root.found.score) && score < root.found.score {
            return;
        }
        root.found.seldepth = seldepth;
        root.found.score = score;
        root.found.pv.truncate(1);
        root.found.pv.extend_from_slice(tail);
    }

    /// Records that the move at this index failed high: `score` is a lower bound, and a re-search
    /// with a wider window has to find the exact score.
    pub fn fail_high(&mut self, index: usize, score: Score) {
        self.moves[index].score = score;
    }

    /// Records that the move at this index did not raise alpha.
    pub fn reject(&mut self, index: usize) {
        self.moves[index].score = -score::INFINITE;
    }

    /// Moves the best candidate of a line to the line's index and leaves the others in their order.
    /// Called after each window, even an aborted one.
    pub fn sort_line(&mut self, line: usize) {
        let end = line + self.candidates(line).len();
        let moves = &mut self.moves[line..end];
        if let Some(best) = (0..moves.len())
            .rev()
            .max_by_key(|&index| moves[index].score)
        {
            moves[..=best].rotate_right(1);
        }
    }

    /// Moves the candidate of the first line with the shortest proven mate to the front, where a
    /// later iteration may not have seen it.
    pub fn recall_mate(&mut self) {
        let mates = self.candidates(0).iter();
        let mates = mates.filter(|root| score::is_won_mate(root.found.score));
        if let Some(shortest) = mates.rev().max_by_key(|root| root.found.score) {
            self.promote(shortest.mv);
        }
    }

    /// Sorts the lines searched so far, of which `line` is the last, by rank and score. Equal ones
    /// keep their order.
    pub fn sort_lines(&mut self, line: usize) {
        self.moves[..=line].sort_by_key(|root| (-root.rank, -root.found.score));
    }

    /// Sorts the moves behind the first `lines` ones after an iteration, by the size of their
    /// subtrees, largest first: a move that was hard to refute may be the next best move. Equal ones
    /// keep their order.
    // Source: "order by nodes searched", as T. King tells of Crafty, "Move ordering at root of search",
    // Computer Chess Club, 7 May 2001, https://www.stmintz.com/ccc/index.php?id=168497
    pub fn sort_rest(&mut self, lines: usize) {
        let lines = lines.min(self.moves.len());
        self.moves[lines..].sort_by_key(|root| (-root.rank, Reverse(root.nodes)));
    }

    /// Moves this move to the front, if it is among the candidates of the first line. Returns
    /// whether it is.
    pub fn promote(&mut self, mv: Move) -> bool {
        let index = self.candidates(0).iter().position(|root| root.mv == mv);
        if let Some(index) = index {
            self.moves[..=index].rotate_right(1);
        }
        index.is_some()
    }
}

impl Index<usize> for RootMoves {
    type Output = RootMove;

    fn index(&self, index: usize) -> &RootMove {
        &self.moves[index]
    }
}

#[cfg(test)]
mod tests;
