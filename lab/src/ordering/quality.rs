//! How early the moves came that failed high, and how often the TT move and the last best reply came
//! into play. A hook around that of the variant counts it.

use std::sync::{Arc, Mutex, PoisonError};

use rejoinder::ordering::hook::{Hook, no_hook};
use rejoinder::ordering::{Context, Histories, NodeKind, NodeOutcome, OrderingHook};
use rejoinder::params::Params;
use rejoinder::search::Worker;
use rejoinder::types::{Move, Piece, Played};

/// The nodes of one kind that searched all their moves or failed high; the root and singular
/// searches, which have an order of their own, are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCounts {
    /// Number of nodes.
    pub nodes: u64,
    /// Number of nodes with a TT move.
    pub tt_moves: u64,
    /// Number of nodes that failed high.
    pub cuts: u64,
    /// Number of nodes whose first move failed high.
    pub first: u64,
    /// Sum of the numbers, from 1, of the moves that failed high.
    pub index_sum: u64,
}

impl KindCounts {
    fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.tt_moves += other.tt_moves;
        self.cuts += other.cuts;
        self.first += other.first;
        self.index_sum += other.index_sum;
    }

    /// Returns the share of the fail highs that the first move caused, 0 to 1.
    pub fn first_move_share(&self) -> f64 {
        share(self.first, self.cuts)
    }

    /// Returns the mean number, from 1, of the moves that failed high.
    pub fn mean_index(&self) -> f64 {
        share(self.index_sum, self.cuts)
    }

    /// Returns the share of the nodes with a TT move, 0 to 1.
    pub fn tt_move_rate(&self) -> f64 {
        share(self.tt_moves, self.nodes)
    }
}

/// The counts of some searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    kinds: [KindCounts; NodeKind::ALL.len()],
    /// Number of nodes with the prior moves that the last best reply depends on.
    asked: u64,
    /// Number of first matches: a reply was stored.
    first_matches: u64,
    /// Number of second matches: the stored reply was legal.
    second_matches: u64,
}

impl Counts {
    /// Returns the counts of the nodes of this kind, or of all kinds.
    pub fn of(&self, kind: Option<NodeKind>) -> KindCounts {
        let mut sum = KindCounts::default();
        for (one, counts) in NodeKind::ALL.into_iter().zip(&self.kinds) {
            if kind.is_none_or(|kind| kind == one) {
                sum.add(counts);
            }
        }
        sum
    }

    /// Returns the share of the nodes with the needed prior moves for which a reply was stored, 0
    /// to 1.
    pub fn first_match_rate(&self) -> f64 {
        share(self.first_matches, self.asked)
    }

    /// Returns the share of the first matches whose reply was legal, 0 to 1.
    pub fn second_match_rate(&self) -> f64 {
        share(self.second_matches, self.first_matches)
    }

    /// Adds the counts of other searches.
    pub fn add(&mut self, other: &Self) {
        for (kind, other) in self.kinds.iter_mut().zip(&other.kinds) {
            kind.add(other);
        }
        self.asked += other.asked;
        self.first_matches += other.first_matches;
        self.second_matches += other.second_matches;
    }

    fn count_node(&mut self, outcome: &NodeOutcome) {
        let counts = &mut self.kinds[outcome.kind as usize];
        counts.nodes += 1;
        counts.tt_moves += u64::from(!outcome.tt_move.is_null());
        if outcome.fails_high {
            counts.cuts += 1;
            counts.first += u64::from(outcome.searched.count == 1);
            counts.index_sum += outcome.searched.count as u64;
        }
    }

    fn count_reply(&mut self, p: &Params, histories: &Histories, ctx: &Context) {
        if let Some(reply) = histories.reply(p, ctx) {
            self.asked += 1;
            self.first_matches += u64::from(!reply.is_null());
            self.second_matches += u64::from(!reply.is_null() && ctx.board.is_legal(reply));
        }
    }
}

/// Returns the share of a part in a total, or 0 if the total is 0.
fn share(part: u64, total: u64) -> f64 {
    part as f64 / total.max(1) as f64
}

/// Counts what the worker does from now on. The counts grow with each search.
pub fn count(worker: &mut Worker) -> Arc<Mutex<Counts>> {
    let counts = Arc::<Mutex<Counts>>::default();
    let inner = std::mem::replace(worker.hook(), no_hook());
    *worker.hook() = Box::new(Counting {
        inner,
        counts: Arc::clone(&counts),
    });
    counts
}

#[derive(Debug)]
struct Counting {
    inner: Hook,
    counts: Arc<Mutex<Counts>>,
}

impl Counting {
    fn change(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl OrderingHook for Counting {
    fn new_search(&mut self, plies_played: usize) {
        self.inner.new_search(plies_played);
    }

    fn learn(&mut self, ctx: &Context, outcome: &NodeOutcome) {
        if ctx.ply > 0 {
            self.change(|counts| counts.count_node(outcome));
        }
        self.inner.learn(ctx, outcome);
    }

    fn first_move(&self, p: &Params, histories: &Histories, ctx: &Context, tt_move: Move) -> Move {
        self.change(|counts| counts.count_reply(p, histories, ctx));
        self.inner.first_move(p, histories, ctx, tt_move)
    }

    fn capture_points(&self, p: &Params, ctx: &Context, capture: Played) -> i32 {
        self.inner.capture_points(p, ctx, capture)
    }

    fn is_good_capture(&self, p: &Params, ctx: &Context, capture: Move) -> Option<bool> {
        self.inner.is_good_capture(p, ctx, capture)
    }

    fn quiet_points(
        &self,
        p: &Params,
        histories: &Histories,
        ctx: &Context,
        piece: Piece,
        mv: Move,
    ) -> i32 {
        self.inner.quiet_points(p, histories, ctx, piece, mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoinder::board::{Board, Game};
    use rejoinder::clock::Limits;
    use rejoinder::ordering::SearchedMoves;
    use rejoinder::search::{SearchRequest, Setup, Silent};
    use rejoinder::smp::Solo;

    #[test]
    fn nodes_are_counted_by_kind() {
        let quiets = Board::startpos().quiets().to_vec();
        let mut counts = Counts::default();
        for (kind, tt_move, searched, fails_high) in [
            (NodeKind::Cut, quiets[0], 1, true),
            (NodeKind::Cut, Move::NULL, 3, true),
            (NodeKind::All, Move::NULL, 20, false),
        ] {
            let searched: SearchedMoves = quiets.iter().copied().take(searched).collect();
            counts.count_node(&NodeOutcome {
                kind,
                tt_move,
                best: quiets[0],
                score: 0,
                fails_high,
                depth: 1,
                searched: &searched,
            });
        }
        counts.add(&counts.clone());
        let cut = counts.of(Some(NodeKind::Cut));
        assert_eq!((cut.nodes, cut.tt_moves, cut.cuts, cut.first), (4, 2, 4, 2));
        assert!((cut.mean_index() - 2.0).abs() < 1e-9);
        let all = counts.of(None);
        assert_eq!((all.nodes, all.cuts, all.index_sum), (6, 4, 8));
        assert!((all.tt_move_rate() - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn counting_changes_no_search() {
        let limits = Limits {
            depth: Some(8),
            ..Limits::default()
        };
        let request = SearchRequest::new(Game::new(Board::startpos()), limits);
        let [plain, counted] = [false, true].map(|counts| {
            let mut solo = Solo::new(Setup::default(), 1).expect("memory");
            let counts = counts.then(|| count(solo.worker()));
            solo.search(&request, &mut Silent);
            let counts = counts.map(|counts| *counts.lock().expect("no panic"));
            (solo.stats().nodes, solo.stats().cuts, counts)
        });
        assert_eq!((plain.0, plain.1), (counted.0, counted.1));
        let counts = counted.2.expect("counts");
        assert!(counts.of(None).cuts <= plain.1 && 10 * counts.of(None).cuts > 9 * plain.1);
        assert!(
            counts.asked > counts.first_matches && counts.first_matches > counts.second_matches
        );
    }
}
