//! Continues lines of won and lost positions by the tablebases, up to the mate.
// Source: Stockfish 17 completes its lines in tablebases too

use std::cmp::Reverse;

use super::root::Root;
use super::{Probing, Wdl};
use crate::board::{Board, Game};
use crate::types::{MAX_PLY, Move, score};

impl Probing {
    /// Returns a longer version of a line that ends in the tablebases, or `None` if they do not
    /// improve it before `is_over` ends the work. The first move stays. `wins` says whether the side
    /// to move in the game's position wins the line or loses it.
    ///
    /// Where the winner would lose the win, the line leaves the given one and goes on with the moves
    /// of the tables: the winner takes the shortest way to the next capture or pawn move, and the
    /// loser the longest. It ends in mate if neither `is_over` nor [`MAX_PLY`] ends it before.
    pub fn lengthen(
        &self,
        game: &Game,
        line: &[Move],
        wins: bool,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Vec<Move>> {
        let mut walk = Walk {
            board: *game.board(),
            line: Vec::with_capacity(MAX_PLY),
            wins,
            root: Root {
                probing: self,
                tables: self.tables.as_deref()?,
                clock: 0,
                repeated: true,
                keys: game.keys().to_vec(),
                ply: 0,
                is_over,
            },
        };
        let mut is_known = false;
        for &mv in line {
            walk.arrive();
            if walk.is_in_tables() {
                if !walk.keeps_result(mv)? {
                    walk.leave();
                    break;
                }
                is_known = true;
            }
            walk.play(mv);
        }
        // A position after which the line goes wrong is its end if the work ends there.
        let is_cut = is_known && walk.line.len() < line.len();
        while walk.line.len() < MAX_PLY {
            walk.arrive();
            let Some(mv) = walk.best_move() else { break };
            walk.play(mv);
        }
        let is_same_move = walk.line.first() == line.first() || line.is_empty();
        let is_longer = walk.line.len() > line.len() || !line.starts_with(&walk.line);
        (is_same_move && (is_longer || is_cut)).then_some(walk.line)
    }
}

/// A walk along a line from the position of the game.
struct Walk<'a> {
    board: Board,
    /// The moves so far.
    line: Vec<Move>,
    /// True if the side to move at the start wins.
    wins: bool,
    root: Root<'a>,
}

impl Walk<'_> {
    /// Prepares the judge of moves for the present position.
    fn arrive(&mut self) {
        self.root.clock = self.board.halfmove_clock() as i32;
        self.root.keys.push(self.board.key());
        self.root.ply = self.line.len() + 1;
    }

    /// Undoes the last [`Self::arrive`].
    fn leave(&mut self) {
        self.root.keys.pop();
    }

    fn play(&mut self, mv: Move) {
        self.board.make(mv);
        self.line.push(mv);
    }

    fn is_in_tables(&self) -> bool {
        let probing = self.root.probing;
        self.board.occupied().count() <= probing.max_pieces() && self.board.castling().is_empty()
    }

    /// Returns the result that the side to move must reach.
    fn wanted(&self) -> Wdl {
        if self.wins == self.line.len().is_multiple_of(2) {
            Wdl::Win
        } else {
            Wdl::Loss
        }
    }

    /// Returns whether the result stays the same after this move; `None` if that is unknown.
    fn keeps_result(&self, mv: Move) -> Option<bool> {
        let mut child = self.board;
        child.make(mv);
        let verdict = self.root.judge_exactly(&child)?;
        Some(self.root.probing.outcome(verdict.wdl) == self.wanted())
    }

    /// Returns the best move by the tables. `None` if there is no move, if the position is not in
    /// the tables, if they do not agree with the result, or if the time is over.
    fn best_move(&self) -> Option<Move> {
        if !self.is_in_tables() {
            return None;
        }
        let moves = self.board.legal_moves();
        if moves.is_empty() {
            return None;
        }
        let ranks = self.root.rank(&self.board, &moves, 1, true)?;
        let best = *ranks.moves.first()?;
        let agrees = match self.wanted() {
            Wdl::Win => best.score >= score::DECISIVE,
            _ => best.score <= -score::DECISIVE,
        };
        let equal = ranks
            .moves
            .iter()
            .take_while(|other| other.rank == best.rank);
        // Of equal moves, a mate is best, and then the move that leaves the fewest replies.
        let chosen = equal.min_by_key(|ranked| {
            let mut child = self.board;
            child.make(ranked.mv);
            let replies = child.legal_moves().len();
            (Reverse(child.in_check() && replies == 0), replies)
        });
        chosen.filter(|_| agrees).map(|ranked| ranked.mv)
    }
}
