//! One worker: it searches a position of a game by iterative deepening. It prints nothing.

mod correction;
mod deepening;
mod draws;
mod learn;
mod lmr;
mod move_info;
mod moves;
mod node;
mod pruning;
mod pv;
mod pvs;
mod quiescence;
mod request;
mod root_move;
mod root_moves;
mod singular;
mod stack;
mod static_eval;
pub mod stats;
mod stop;
pub mod strength;
mod syzygy;
mod window;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::eval::Evaluator;
use crate::eval::kernels::Kernel;
use crate::eval::network::{self, Network};
use crate::ordering::Histories;
use crate::ordering::hook::{self, Hook};
use crate::params::Params;
use crate::shared::{SearchResult, Shared};
use crate::tt::{Bound, TranspositionTable};
use crate::types::{Move, Score};

use correction::Corrections;
use pv::PvTable;
use root_moves::RootMoves;
use stack::Stack;
use stats::Stats;

pub(crate) use request::SearchPlan;
pub use request::SearchRequest;
pub use syzygy::SearchTablebases;

/// A receiver of worker 0's results during the search.
pub trait Reporter {
    /// Returns whether anybody reads the lines. If not, none are made.
    fn wants_lines(&self) -> bool {
        true
    }

    /// Called with each line of a report, and with a bound of the present line's score before the
    /// re-search that follows it.
    fn report(&mut self, report: &Report);

    /// Called with all lines, the best first, whenever a line has a new score.
    fn lines(&mut self, lines: &[Report]) {
        for line in lines {
            self.report(line);
        }
    }

    /// Called when a root move is about to be searched to `depth` plies; `number` counts from 1.
    fn current_move(&mut self, _depth: i32, _mv: Move, _number: usize) {}
}

/// A [`Reporter`] that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn wants_lines(&self) -> bool {
        false
    }

    fn report(&mut self, _report: &Report) {}
}

/// A line of the search with everything that a GUI shows.
#[derive(Clone, Debug)]
pub struct Report {
    /// Depth of the iteration, in plies.
    pub depth: i32,
    /// Depth of the deepest node of the iteration, in plies.
    pub seldepth: usize,
    /// Rank of the line among the MultiPV lines, from 1.
    pub multi_pv: usize,
    /// The score from the side to move, in internal centipawns, which are not scaled for the GUI.
    pub score: Score,
    /// The kind of the score: exact or a bound.
    pub bound: Bound,
    /// Number of nodes of all workers.
    pub nodes: u64,
    /// Time since the `go`.
    pub elapsed: Duration,
    /// Share of the transposition table in use, per mille.
    pub hashfull: usize,
    /// Number of tablebase hits of all workers.
    pub tb_hits: u64,
    /// The moves of the line as the search found them.
    pub pv: Vec<Move>,
    /// The line as the endgame tablebases continue it, if they do.
    pub lengthened: Option<Vec<Move>>,
}

impl Report {
    /// Creates a report of a worker's result in the search that began at `start`; `line` counts
    /// from 0.
    pub(crate) fn new(
        line: usize,
        result: SearchResult,
        shared: &Shared,
        tt: &TranspositionTable,
        start: Instant,
    ) -> Self {
        Self {
            depth: result.depth,
            seldepth: result.seldepth,
            multi_pv: line + 1,
            score: result.score,
            bound: if result.at_least {
                Bound::Lower
            } else {
                Bound::Exact
            },
            nodes: shared.nodes(),
            elapsed: start.elapsed(),
            hashfull: tt.hashfull(),
            tb_hits: shared.tb_hits(),
            pv: result.pv,
            lengthened: None,
        }
    }

    /// Returns the moves to show: those that the search found, or the longer line that the
    /// tablebases made of them.
    pub fn line(&self) -> &[Move] {
        self.lengthened.as_ref().unwrap_or(&self.pv)
    }

    /// Creates the reports of all lines of the search that began at `start`, the best line first.
    ///
    /// The first line is better than every other one, and so on, although the search has not given
    /// all of them a score in the present iteration. If a line had a higher score in the iteration
    /// before, the score of the line above it is therefore an upper bound.
    pub(crate) fn of_lines(
        lines: Vec<SearchResult>,
        shared: &Shared,
        tt: &TranspositionTable,
        start: Instant,
    ) -> Vec<Self> {
        let mut reports: Vec<Self> = Vec::with_capacity(lines.len());
        for (line, found) in lines.into_iter().enumerate() {
            let mut report = Self::new(line, found, shared, tt, start);
            if let Some(above) = reports.last()
                && report.score > above.score
            {
                report.depth = above.depth;
                report.score = above.score;
                report.bound = Bound::Upper;
            }
            reports.push(report);
        }
        reports
    }
}

/// The configuration of a worker.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The parameters of the search.
    pub params: Params,
    /// The network that evaluates positions.
    pub network: Arc<Network>,
    /// The kernel that computes the network.
    pub kernel: Kernel,
    /// Makes the worker's hook for experiments with move ordering.
    pub hook: fn() -> Hook,
}

impl Setup {
    /// Creates the default configuration, with another network if one is given.
    pub fn with_network(network: Option<Arc<Network>>) -> Self {
        let default = Self::default();
        Self {
            network: network.unwrap_or(default.network),
            ..default
        }
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            params: Params::default(),
            network: network::embedded(),
            kernel: Kernel::best(),
            hook: hook::no_hook,
        }
    }
}

/// One of several workers, with everything it has learned. Workers share none of it.
#[derive(Debug)]
pub struct Worker {
    id: usize,
    params: Params,
    evaluator: Evaluator,
    histories: Box<Histories>,
    corrections: Corrections,
    stack: Stack,
    pv: PvTable,
    stats: Stats,
    /// Number of plies played in the game at the last search, and the key of its position; `None` if
    /// there was none.
    last_root: Option<(usize, u64)>,
    /// Score of the last search of the same game, in centipawns.
    last_score: Option<Score>,
}

impl Worker {
    /// Creates a worker with the number `id`, from 0, that has learned nothing yet.
    pub fn new(id: usize, setup: Setup) -> Self {
        Self {
            id,
            params: setup.params,
            evaluator: Evaluator::new(setup.network, setup.kernel),
            histories: Histories::new((setup.hook)()),
            corrections: Corrections::new(),
            stack: Stack::new(),
            pv: PvTable::new(),
            stats: Stats::default(),
            last_root: None,
            last_score: None,
        }
    }

    /// Changes the parameters from the next search on.
    pub fn set_params(&mut self, params: Params) {
        self.params = params;
    }

    /// Returns the parameters of the search.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Forgets everything, for a new game.
    pub fn new_game(&mut self) {
        self.histories.clear();
        self.corrections.clear();
        self.last_root = None;
        self.last_score = None;
    }

    /// Returns the counters of the last search.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Returns the worker's hook, for a laboratory that wants to put another one around it.
    #[cfg(feature = "hook")]
    pub fn hook(&mut self) -> &mut Hook {
        &mut self.histories.hook
    }

    /// Searches until a limit is reached, `shared` is stopped, or the deepest iteration is
    /// finished. Only worker 0 checks the limits, and it stops the other workers when it ends.
    /// From the end of depth 1 on, every new best move is published in `shared`.
    ///
    /// The line of the result is empty if and only if there is no legal move.
    pub(crate) fn search(
        &mut self,
        request: &SearchRequest,
        plan: &SearchPlan,
        shared: &Shared,
        tt: &TranspositionTable,
        reporter: &mut dyn Reporter,
    ) -> SearchResult {
        let board = *request.game.board();
        let plies_played = (self.last_root)
            .and_then(|(ply, key)| request.game.plies_since(ply, key))
            .unwrap_or(usize::MAX);
        self.histories.new_search(&self.params, plies_played);
        // The score can be compared only with the one of the engine's previous move.
        self.last_score = self.last_score.filter(|_| plies_played == 2);
        self.last_root = Some((request.game.ply(), board.key()));
        self.stack
            .reset(std::array::from_fn(|back| request.game.played(back + 1)));
        self.stats = Stats::default();
        self.evaluator.enter(&board, 0);

        let mut roots = RootMoves::new(&board, &request.limits.search_moves);
        let mut tb_hits = 0;
        if let Some(ranks) = plan.tables.ranks() {
            roots.rank(&ranks.moves);
            // The root was probed once for all workers.
            tb_hits = if self.id == 0 { ranks.hits } else { 0 };
        }

        let mut search = Search {
            id: self.id,
            p: &self.params,
            request,
            plan,
            shared,
            tt,
            reporter,
            evaluator: &mut self.evaluator,
            histories: &mut self.histories,
            corrections: &mut self.corrections,
            stack: &mut self.stack,
            pv: &mut self.pv,
            stats: &mut self.stats,
            keys: request.game.keys().to_vec(),
            roots,
            line: 0,
            depth: 0,
            seldepth: 0,
            best_changes: 0,
            last_score: self.last_score,
            average: None,
            nodes: 0,
            tb_max_pieces: plan.tables.max_pieces(),
            tb_hits,
            null_move_from: 0,
            proves_mate: request.limits.mate.is_some(),
            next_poll: 0,
            aborted: false,
            result: SearchResult::default(),
        };
        search.deepen(&board);
        search.pick_weakened_move(&board);
        search.publish_counters();
        let Search { result, nodes, .. } = search;
        self.stats.nodes = nodes;
        self.last_score = (!result.pv.is_empty()).then_some(result.score);
        if self.id == 0 {
            shared.stop();
        }
        result
    }
}

/// A search in progress: the worker's own state and references to everything it uses.
struct Search<'a> {
    id: usize,
    p: &'a Params,
    request: &'a SearchRequest,
    plan: &'a SearchPlan,
    shared: &'a Shared,
    tt: &'a TranspositionTable,
    reporter: &'a mut dyn Reporter,
    evaluator: &'a mut Evaluator,
    histories: &'a mut Histories,
    corrections: &'a mut Corrections,
    stack: &'a mut Stack,
    pv: &'a mut PvTable,
    stats: &'a mut Stats,
    /// Keys of the positions before the present node, from the start of the game on.
    keys: Vec<u64>,
    roots: RootMoves,
    /// Index of the present MultiPV line, from 0.
    line: usize,
    /// Depth of the iteration, in plies.
    depth: i32,
    /// Depth of the deepest node of the iteration, in plies.
    seldepth: usize,
    /// Number of changes of the best move in this iteration.
    best_changes: i32,
    /// Score of the engine's previous move in the game, in centipawns.
    last_score: Option<Score>,
    /// Running average of the first line's scores in this search, in centipawns.
    average: Option<Score>,
    nodes: u64,
    /// Largest number of pieces of a node that is probed in the tablebases; 0 disables probing.
    tb_max_pieces: u32,
    tb_hits: u64,
    /// First ply at which null moves are allowed. It is above 0 only during the verification of a
    /// null move.
    null_move_from: usize,
    /// True if `go mate` asks for a mate. The techniques of `pruning` are off then, because a quiet
    /// move may begin it.
    proves_mate: bool,
    /// Number of nodes at which the limits are checked next.
    next_poll: u64,
    /// True if the search has been stopped: scores are meaningless from then on.
    aborted: bool,
    /// The answer so far.
    result: SearchResult,
}
