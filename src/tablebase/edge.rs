//! Decides whether a win comes in time where the tables' rounding leaves that open.
//!
//! Most DTZ tables count moves, so their values may be one ply too small. That matters where only
//! the last ply before the fifty-move rule would do: there the moves of both sides are followed
//! until the tables are certain.

use std::collections::HashMap;

use shakmaty_syzygy::MaybeRounded;

use super::{FIFTY_MOVES, Tablebases, Wdl};
use crate::board::Board;
use crate::types::Color;

/// The number of positions whose moves are followed before the question stays open.
const MOST_POSITIONS: usize = 2000;

/// The question whether one side wins before the fifty-move rule ends the game.
pub(super) struct Edge<'a> {
    tables: &'a Tablebases,
    winner: Color,
    /// The answers by position. A position is only followed at one halfmove clock, that of which
    /// its DTZ leaves the question open.
    found: HashMap<u64, bool>,
    /// The number of positions that may still be followed.
    left: usize,
    is_over: &'a dyn Fn() -> bool,
}

/// What the tables say about a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    InTime,
    TooLate,
    Open,
}

impl Answer {
    fn new(in_time: bool) -> Self {
        if in_time { Self::InTime } else { Self::TooLate }
    }
}

impl<'a> Edge<'a> {
    pub fn new(tables: &'a Tablebases, winner: Color, is_over: &'a dyn Fn() -> bool) -> Self {
        Self {
            tables,
            winner,
            found: HashMap::new(),
            left: MOST_POSITIONS,
            is_over,
        }
    }

    /// Returns whether the winner mates or enters a won position by a capture or pawn move in time.
    /// `None` if a table is missing, if too many positions would have to be followed, or if
    /// `is_over` ends the work.
    pub fn is_won(&mut self, board: &Board) -> Option<bool> {
        match self.ask(board)? {
            Answer::Open => self.follow(board),
            sure => Some(sure == Answer::InTime),
        }
    }

    fn ask(&self, board: &Board) -> Option<Answer> {
        let is_winners = board.side_to_move() == self.winner;
        if board.in_check() && board.legal_moves().is_empty() {
            return Some(Answer::new(!is_winners));
        }
        let clock = board.halfmove_clock() as i32;
        if clock == 0 {
            let won = if is_winners { Wdl::Win } else { Wdl::Loss };
            return Some(Answer::new(self.tables.wdl(board)? == won));
        }
        if clock >= FIFTY_MOVES {
            return Some(Answer::TooLate);
        }
        let dtz = self.tables.dtz(board)?;
        let value = dtz.ignore_rounding().0;
        if value == 0 || (value > 0) != is_winners {
            return Some(Answer::TooLate);
        }
        let end = clock + value.abs();
        // The crate computes some losses from several moves, and loses sight of rounding there.
        let is_exact = is_winners && matches!(dtz, MaybeRounded::Precise(_));
        Some(if end == FIFTY_MOVES && !is_exact {
            Answer::Open
        } else {
            Answer::new(end <= FIFTY_MOVES)
        })
    }

    /// Answers for an open position by its moves: the winner needs one that wins in time, and the
    /// other side one that does not lose in time.
    fn follow(&mut self, board: &Board) -> Option<bool> {
        if let Some(&found) = self.found.get(&board.key()) {
            return Some(found);
        }
        if (self.is_over)() {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let is_winners = board.side_to_move() == self.winner;
        let mut open = Vec::new();
        let mut is_settled = false;
        for mv in board.legal_moves() {
            let mut child = *board;
            child.make(mv);
            match self.ask(&child)? {
                Answer::Open => open.push(child),
                sure => is_settled |= sure == Answer::new(is_winners),
            }
            if is_settled {
                break;
            }
        }
        while !is_settled && let Some(child) = open.pop() {
            is_settled = self.follow(&child)? == is_winners;
        }
        let found = is_settled == is_winners;
        self.found.insert(board.key(), found);
        Some(found)
    }
}
