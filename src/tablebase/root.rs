//! Ranks the moves of the root by the tablebases, taking the halfmove clock on the board into
//! account.

use super::edge::Edge;
use super::{FIFTY_MOVES, Probing, Tablebases, Wdl, score_of};
use crate::board::{Board, Game, repetition};
use crate::types::{Color, MAX_PLY, Move, Score};

/// Wins that reach a capture or pawn move before this halfmove clock rank equally, so that the
/// search may choose among them; in plies.
const AMPLE: i32 = 80;

/// A root move and its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    pub mv: Move,
    /// The value of the move for the game; only moves of the highest rank are played.
    pub rank: i32,
    /// The score of its result in centipawns, from the point of view of the side to move.
    pub score: Score,
}

/// The ranked root moves, the best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// The moves, at least one.
    pub moves: Vec<Ranked>,
    /// True if the moves are ranked by DTZ rather than only by WDL.
    pub by_dtz: bool,
    /// The number of positions found in the tables.
    pub hits: u64,
}

impl Probing {
    /// Ranks the moves of a game's position, of which the best `lines` are wanted. `None` if it has
    /// castling rights, too many pieces or no move, if a table is missing, or if `is_over` ends
    /// probing, which is asked before each move.
    pub fn rank_root(
        &self,
        game: &Game,
        moves: &[Move],
        lines: usize,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Ranks> {
        let tables = self.tables.as_deref()?;
        let board = game.board();
        if board.occupied().count() > self.max_pieces()
            || !board.castling().is_empty()
            || moves.is_empty()
        {
            return None;
        }
        let root = Root {
            probing: self,
            tables,
            clock: board.halfmove_clock() as i32,
            repeated: was_repeated(game),
            keys: game.keys().iter().copied().chain([board.key()]).collect(),
            ply: 0,
            is_over,
        };
        root.rank(board, moves, lines, true)
            .or_else(|| root.rank(board, moves, lines, false))
    }
}

/// Returns whether a position has occurred twice since the last capture or pawn move.
fn was_repeated(game: &Game) -> bool {
    let keys = game.keys();
    let back = keys.len().min(game.board().halfmove_clock() as usize);
    let since = &keys[keys.len() - back..];
    let board = game.board().key();
    (0..since.len()).any(|at| since[at] == board || since[at + 1..].contains(&since[at]))
}

/// The position whose moves are judged.
pub(super) struct Root<'a> {
    pub probing: &'a Probing,
    pub tables: &'a Tablebases,
    /// The halfmove clock, in plies.
    pub clock: i32,
    /// True if wins are ranked by their length alone.
    pub repeated: bool,
    /// The keys of all positions up to this one.
    pub keys: Vec<u64>,
    /// Distance from the position of the game, in plies. A position that occurred once since then
    /// counts as a repetition.
    pub ply: usize,
    /// Whether judging must end without a result.
    pub is_over: &'a dyn Fn() -> bool,
}

/// The result of a move for the side that makes it.
#[derive(Clone, Copy)]
pub(super) struct Verdict {
    pub wdl: Wdl,
    /// The number of plies to the next capture or pawn move, including the move itself; 100 more if
    /// the fifty-move rule interferes later. 1 for mate.
    plies: i32,
    /// True if the tables' rounding leaves open whether the win or loss comes in time.
    is_open: bool,
}

impl Verdict {
    const DRAW: Self = Self::new(Wdl::Draw, 0);

    const fn new(wdl: Wdl, plies: i32) -> Self {
        Self {
            wdl,
            plies,
            is_open: false,
        }
    }

    /// Returns the side that wins after a decisive move of `mover`.
    fn winner(self, mover: Color) -> Color {
        if self.wdl == Wdl::Loss { !mover } else { mover }
    }

    /// Returns the verdict on an open win or loss that comes in time or one ply too late.
    fn closed(self, in_time: bool) -> Self {
        match self.wdl {
            _ if in_time => Self::new(self.wdl, self.plies),
            Wdl::Loss => Self::new(Wdl::BlessedLoss, self.plies + 1),
            _ => Self::new(Wdl::CursedWin, self.plies + 1),
        }
    }
}

impl Root<'_> {
    /// Ranks the moves of `board`, the best `lines` of them exactly if there is time. `None` if a
    /// table is missing or `is_over` ends the work.
    pub fn rank(&self, board: &Board, moves: &[Move], lines: usize, by_dtz: bool) -> Option<Ranks> {
        let mut judged = Vec::with_capacity(moves.len());
        for &mv in moves {
            judged.push((mv, self.judge(&after(board, mv), by_dtz)?));
        }
        let best_first = |(_, verdict): &(Move, Verdict)| -self.rank_of(verdict, by_dtz);
        judged.sort_by_key(best_first);
        // What follows from the wins of one side helps with its other wins.
        let mut edges = Color::ALL.map(|winner| Edge::new(self.tables, winner, self.is_over));
        let is_open = |(_, verdict): &(Move, Verdict)| verdict.is_open;
        while let Some(at) = judged.iter().take(lines).position(is_open) {
            let (mv, verdict) = judged[at];
            let winner = verdict.winner(board.side_to_move());
            let Some(in_time) = edges[winner.index()].is_won(&after(board, mv)) else {
                break;
            };
            judged[at].1 = verdict.closed(in_time);
            judged.sort_by_key(best_first);
        }
        let ranked = |(mv, verdict): (Move, Verdict)| Ranked {
            mv,
            rank: self.rank_of(&verdict, by_dtz),
            score: score_of(
                self.probing.outcome(verdict.wdl),
                (verdict.plies as usize).min(MAX_PLY),
            ),
        };
        Some(Ranks {
            hits: judged.len() as u64,
            moves: judged.into_iter().map(ranked).collect(),
            by_dtz,
        })
    }

    /// Judges a move as [`Self::judge`] does by DTZ, and exactly if there is time.
    pub fn judge_exactly(&self, child: &Board) -> Option<Verdict> {
        let verdict = self.judge(child, true)?;
        if !verdict.is_open {
            return Some(verdict);
        }
        let winner = verdict.winner(!child.side_to_move());
        let in_time = Edge::new(self.tables, winner, self.is_over).is_won(child);
        Some(in_time.map_or(verdict, |in_time| verdict.closed(in_time)))
    }

    /// Judges the move that led to `child`. `None` if a table is missing or `is_over` ends the work.
    pub fn judge(&self, child: &Board, by_dtz: bool) -> Option<Verdict> {
        if (self.is_over)() {
            return None;
        }
        if child.in_check() && child.legal_moves().is_empty() {
            return Some(Verdict::new(Wdl::Win, 1));
        }
        let fifty = self.probing.fifty && child.halfmove_clock() as i32 >= FIFTY_MOVES;
        if fifty || repetition::is_repetition(child, &self.keys, self.ply) {
            return Some(Verdict::DRAW);
        }
        if by_dtz && child.halfmove_clock() > 0 {
            self.judge_by_dtz(child)
        } else {
            let wdl = -self.tables.wdl(child)?;
            let spoilt = matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss);
            Some(Verdict::new(wdl, if spoilt { 101 } else { 1 }))
        }
    }

    fn judge_by_dtz(&self, child: &Board) -> Option<Verdict> {
        let value = -self.tables.dtz(child)?.ignore_rounding().0;
        if value == 0 {
            return Some(Verdict::DRAW);
        }
        let plies = value.abs() + 1;
        let end = self.clock + plies;
        let wdl = match (value > 0, end <= FIFTY_MOVES) {
            (true, true) => Wdl::Win,
            (true, false) => Wdl::CursedWin,
            (false, true) => Wdl::Loss,
            (false, false) => Wdl::BlessedLoss,
        };
        Some(Verdict {
            is_open: self.probing.fifty && end == FIFTY_MOVES,
            ..Verdict::new(wdl, plies)
        })
    }

    /// Ranks by the result, then by distance: among wins that are too slow the fastest is best, and
    /// among losses the slowest. Wins with time to spare rank equally, unless a position has been
    /// repeated: then the shortest is best.
    fn rank_of(&self, verdict: &Verdict, by_dtz: bool) -> i32 {
        let plies = if by_dtz { verdict.plies } else { 0 };
        match self.probing.outcome(verdict.wdl) {
            Wdl::Win if verdict.is_open => 6000 - plies,
            Wdl::Win if !self.repeated && self.clock + plies <= AMPLE => 8000,
            Wdl::Win => 8000 - plies,
            Wdl::CursedWin => 4000 - plies,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => plies - 4000,
            Wdl::Loss if verdict.is_open => plies - 6000,
            Wdl::Loss => plies - 8000,
        }
    }
}

fn after(board: &Board, mv: Move) -> Board {
    let mut child = *board;
    child.make(mv);
    child
}
