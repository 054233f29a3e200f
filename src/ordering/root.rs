//! The root moves: what each iteration found out about them, and their order in the next.

use std::ops::Index;

use super::hook::{Hook, OrderingHook};
use crate::board::Board;
use crate::shared::WorkerResult;
use crate::tablebase::Ranked;
use crate::types::{Move, Score, score};

/// One legal move of the root.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Its score in this iteration, exact or at least; `-INFINITE` if it was not searched yet or proved no better
    /// than alpha.
    pub score: Score,
    /// Size of its subtree in this iteration, in nodes, over all windows and lines.
    pub nodes: u64,
    /// The last exact score and the line that belongs to it, itself first; depth 0 while there is none.
    pub found: WorkerResult,
    /// Its worth by the endgame tables: only moves of one rank are compared by the search. 0 without tables.
    pub rank: i32,
    /// Its score by the endgame tables, if they know it.
    pub tb_score: Option<Score>,
}

impl RootMove {
    fn new(mv: Move) -> Self {
        Self {
            mv,
            score: -score::INFINITE,
            nodes: 0,
            found: WorkerResult {
                pv: vec![mv],
                ..WorkerResult::default()
            },
            rank: 0,
            tb_score: None,
        }
    }

    /// Whether it ever had an exact score.
    pub fn is_known(&self) -> bool {
        self.found.depth > 0
    }

    /// What to tell of it: the last exact score, or what the endgame tables say if the search has not found mate.
    pub fn shown(&self) -> WorkerResult {
        let mut shown = self.found.clone();
        if let Some(known) = self.tb_score
            && !score::is_mate(shown.score)
        {
            shown.score = known;
        }
        shown
    }
}

/// The larger the subtree, the earlier: a tree that was hard to refute may hide the next best move. Equals keep their
/// order.
///
/// Source: "order by nodes searched", as T. King tells of Crafty, "Move ordering at root of search", Computer
/// Chess Club, 7 May 2001, <https://www.stmintz.com/ccc/index.php?id=168497>
pub fn by_subtree(moves: &mut [RootMove]) {
    moves.sort_by_key(|root| std::cmp::Reverse(root.nodes));
}

/// All root moves, in the order in which they are searched.
///
/// One iteration goes like this: [`Self::start_iteration`]; for each line of several, counted from 0, search
/// the moves from the line's index on, tell [`Self::add_nodes`] and [`Self::settle`], [`Self::fail_high`] or
/// [`Self::reject`] of each, then [`Self::sort_line`] (after each window of it) and [`Self::sort_lines`]; at the end
/// [`Self::sort_rest`].
#[derive(Clone, Debug)]
pub struct RootMoves {
    moves: Vec<RootMove>,
}

impl RootMoves {
    /// The legal moves among `search_moves`, or all legal moves if none is among them.
    pub fn new(board: &Board, search_moves: &[Move]) -> Self {
        let legal = board.legal_moves();
        let wanted = |mv: &Move| search_moves.contains(mv);
        let all = !legal.iter().any(wanted);
        let chosen = legal.iter().filter(|mv| all || wanted(mv));
        Self {
            moves: chosen.map(|&mv| RootMove::new(mv)).collect(),
        }
    }

    /// Orders them by what the endgame tables say; all of them must be told.
    pub fn rank(&mut self, ranked: &[Ranked]) {
        for root in &mut self.moves {
            if let Some(known) = ranked.iter().find(|known| known.mv == root.mv) {
                root.rank = known.rank;
                root.tb_score = Some(known.score);
            }
        }
        self.moves.sort_by_key(|root| -root.rank);
    }

    /// The moves that may become this line's: those from its index on that have the same rank.
    pub fn rivals(&self, line: usize) -> &[RootMove] {
        let moves = &self.moves[line..];
        let rank = moves.first().map(|root| root.rank);
        let end = moves.iter().position(|root| Some(root.rank) != rank);
        &moves[..end.unwrap_or(moves.len())]
    }

    /// The move at this index, if it may become this line's.
    pub fn rival(&self, line: usize, index: usize) -> Option<Move> {
        self.rivals(line).get(index - line).map(|root| root.mv)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether the game is over at the root.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The moves in their present order.
    pub fn iter(&self) -> std::slice::Iter<'_, RootMove> {
        self.moves.iter()
    }

    /// The first move in the present order: after sorting the best. `None` if there is none.
    pub fn best(&self) -> Option<&RootMove> {
        self.moves.first()
    }

    /// The best move's part of all nodes of this iteration, in 1/1024.
    pub fn best_node_share_1024(&self) -> u64 {
        let all: u64 = self.moves.iter().map(|root| root.nodes).sum();
        self.best().map_or(0, |best| best.nodes * 1024 / all.max(1))
    }

    /// Starts to count anew; what was found stays.
    pub fn start_iteration(&mut self) {
        for root in &mut self.moves {
            root.score = -score::INFINITE;
            root.nodes = 0;
        }
    }

    /// So many nodes were spent below the move at this index.
    pub fn add_nodes(&mut self, index: usize, nodes: u64) {
        self.moves[index].nodes += nodes;
    }

    /// The move at this index raised alpha: it has an exact score, and `tail` is the PV after it.
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
        root.found.seldepth = seldepth;
        root.found.score = score;
        root.found.pv.truncate(1);
        root.found.pv.extend_from_slice(tail);
    }

    /// The move at this index is worth this score or more; how much, a wider window has to tell.
    pub fn fail_high(&mut self, index: usize, score: Score) {
        self.moves[index].score = score;
    }

    /// The move at this index is no better than alpha, by how much is not known.
    pub fn reject(&mut self, index: usize) {
        self.moves[index].score = -score::INFINITE;
    }

    /// After a window of a line was searched, even in part: brings the best of its moves to the line's index.
    /// The others keep their order.
    pub fn sort_line(&mut self, line: usize) {
        let end = line + self.rivals(line).len();
        let moves = &mut self.moves[line..end];
        if let Some(best) = (0..moves.len())
            .rev()
            .max_by_key(|&index| moves[index].score)
        {
            moves[..=best].rotate_right(1);
        }
    }

    /// After a line: brings the lines searched so far, the last with this index, into the order of their scores.
    /// Equals keep their order.
    pub fn sort_lines(&mut self, line: usize) {
        self.moves[..=line].sort_by_key(|root| (-root.rank, -root.found.score));
    }

    /// After an iteration: the moves behind the first `lines` by the size of their subtrees, see [`by_subtree`], or as the
    /// hook wants them.
    pub fn sort_rest(&mut self, lines: usize, hook: &mut Hook) {
        let lines = lines.min(self.moves.len());
        let (best, rest) = self.moves.split_at_mut(lines);
        hook.order_root(best, rest);
        rest.sort_by_key(|root| -root.rank);
    }

    /// Brings a move to the front: it is the answer.
    pub fn promote(&mut self, mv: Move) {
        if let Some(index) = self.moves.iter().position(|root| root.mv == mv) {
            self.moves[..=index].rotate_right(1);
        }
    }
}

impl Index<usize> for RootMoves {
    type Output = RootMove;

    fn index(&self, index: usize) -> &RootMove {
        &self.moves[index]
    }
}

impl<'a> IntoIterator for &'a RootMoves {
    type Item = &'a RootMove;
    type IntoIter = std::slice::Iter<'a, RootMove>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::hook::no_hook;

    /// Moves 1, 2, 3, … in this order: their legality does not matter here.
    fn roots(count: u16) -> RootMoves {
        RootMoves {
            moves: (1..=count)
                .map(|bits| RootMove::new(Move::from_bits(bits)))
                .collect(),
        }
    }

    fn settle(roots: &mut RootMoves, index: usize, score: Score, tail: &[Move]) {
        roots.settle(index, 1, 1, score, tail);
    }

    fn order(roots: &RootMoves) -> Vec<u16> {
        roots.iter().map(|root| root.mv.bits()).collect()
    }

    #[test]
    fn best_first_then_by_subtree() {
        let mut roots = roots(5);
        roots.start_iteration();
        for (index, nodes) in [100, 30, 50, 30, 80].into_iter().enumerate() {
            roots.add_nodes(index, nodes);
        }
        settle(&mut roots, 0, 10, &[]);
        settle(&mut roots, 2, 25, &[Move::from_bits(9)]);
        roots.sort_line(0);
        assert_eq!(order(&roots), [3, 1, 2, 4, 5]);
        roots.sort_rest(1, &mut no_hook());
        assert_eq!(order(&roots), [3, 1, 5, 2, 4]);
        let line = [Move::from_bits(3), Move::from_bits(9)];
        assert_eq!(roots[0].found.pv, line);
        assert_eq!(roots.best_node_share_1024(), 50 * 1024 / 290);
    }

    #[test]
    fn lines_are_sorted_by_score() {
        let mut roots = roots(4);
        roots.start_iteration();
        settle(&mut roots, 0, 10, &[]);
        roots.sort_line(0);
        // The second line turns out better than the first.
        settle(&mut roots, 1, 5, &[]);
        settle(&mut roots, 3, 20, &[]);
        roots.sort_line(1);
        assert_eq!(order(&roots), [1, 4, 2, 3]);
        roots.sort_lines(1);
        assert_eq!(order(&roots), [4, 1, 2, 3]);
        roots.sort_rest(9, &mut no_hook());
        assert_eq!(order(&roots), [4, 1, 2, 3]);
    }

    #[test]
    fn an_aborted_iteration_changes_only_what_it_settled() {
        let mut roots = roots(3);
        roots.start_iteration();
        settle(&mut roots, 1, 40, &[Move::from_bits(7)]);
        roots.sort_line(0);
        roots.start_iteration();
        roots.sort_line(0);
        assert_eq!(order(&roots), [2, 1, 3]);
        let best = roots.best().expect("moves");
        assert_eq!((best.found.score, best.found.pv.len()), (40, 2));
        // A better move was found before the end.
        settle(&mut roots, 0, 30, &[]);
        settle(&mut roots, 2, 35, &[]);
        roots.sort_line(0);
        assert_eq!(order(&roots), [3, 2, 1]);
        assert!(roots[0].is_known() && !roots[2].is_known());
    }

    #[test]
    fn only_an_exact_score_changes_what_was_found() {
        let mut roots = roots(3);
        roots.start_iteration();
        settle(&mut roots, 0, 10, &[Move::from_bits(7)]);
        roots.fail_high(1, 20);
        roots.sort_line(0);
        assert_eq!(order(&roots), [2, 1, 3]);
        assert!(!roots[0].is_known());
        // The wider window takes it back.
        roots.reject(0);
        settle(&mut roots, 1, 15, &[]);
        roots.sort_line(0);
        assert_eq!(order(&roots), [1, 2, 3]);
        roots.fail_high(0, 90);
        assert_eq!((roots[0].score, roots[0].found.score), (90, 15));
        roots.promote(Move::from_bits(3));
        assert_eq!(order(&roots), [3, 1, 2]);
    }

    #[test]
    fn tables_rank_before_the_search() {
        let mut roots = roots(4);
        let ranked = |bits, rank, score| Ranked {
            mv: Move::from_bits(bits),
            rank,
            score,
        };
        roots.rank(&[
            ranked(1, 0, 0),
            ranked(2, 9, score::TB_WIN),
            ranked(3, 9, score::TB_WIN),
            ranked(4, 0, 0),
        ]);
        assert_eq!(order(&roots), [2, 3, 1, 4]);
        assert_eq!((roots.rivals(0).len(), roots.rivals(1).len()), (2, 1));
        assert_eq!(
            (roots.rival(1, 1), roots.rival(1, 2)),
            (Some(Move::from_bits(3)), None)
        );
        settle(&mut roots, 0, 10, &[]);
        settle(&mut roots, 1, 20, &[]);
        roots.sort_line(0);
        roots.sort_lines(1);
        // The third line thinks more of its move than the first does.
        settle(&mut roots, 3, 500, &[]);
        roots.sort_line(2);
        roots.sort_lines(2);
        roots.sort_rest(3, &mut no_hook());
        assert_eq!(order(&roots), [3, 2, 4, 1]);
        settle(&mut roots, 0, 20, &[]);
        assert_eq!(roots[0].shown().score, score::TB_WIN);
        settle(&mut roots, 0, score::mate_in(3), &[]);
        assert_eq!(roots[0].shown().score, score::mate_in(3));
    }

    #[test]
    fn search_moves_restrict_unless_none_is_legal() {
        let board = Board::startpos();
        let legal = board.legal_moves();
        assert_eq!(RootMoves::new(&board, &[]).len(), 20);
        assert_eq!(RootMoves::new(&board, &[Move::NULL]).len(), 20);
        let some = RootMoves::new(&board, &[legal[3], Move::NULL, legal[1]]);
        assert_eq!(order(&some), [legal[1].bits(), legal[3].bits()]);
        assert!(some.iter().all(|root| root.found.pv == [root.mv]));
    }
}
