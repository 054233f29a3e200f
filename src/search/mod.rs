//! One worker: it searches a game's position by iterative deepening, and never prints.

mod correction;
mod deepening;
mod draws;
mod learn;
pub mod lmr;
mod moves;
mod node;
mod pruning;
mod pv;
mod pvs;
mod quiescence;
mod singular;
mod stack;
mod static_eval;
pub mod stats;
mod stop;
pub mod strength;
mod syzygy;
mod tried;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::board::Game;
use crate::clock::{Budget, Limits};
use crate::eval::Evaluator;
use crate::eval::kernels::Kernel;
use crate::eval::network::{self, Network};
use crate::ordering::hook::{self, Hook};
use crate::ordering::{Histories, RootMoves};
use crate::params::Params;
use crate::shared::{Shared, WorkerResult};
use crate::tt::{Bound, TranspositionTable};
use crate::types::{Move, Score};

use correction::Corrections;
use pv::PvTable;
use stack::Stack;
use stats::Stats;
use strength::Strength;

pub use syzygy::SearchTablebases;

/// What to search, and for how long.
#[derive(Clone, Debug)]
pub struct Job {
    /// The position and what led to it.
    pub game: Game,
    /// What the user asked for.
    pub limits: Limits,
    /// Time for this move; `None` without a clock.
    pub budget: Option<Budget>,
    /// When the `go` was read.
    pub start: Instant,
    /// How many best lines are wanted, from 1.
    pub multi_pv: usize,
    /// Play weaker than possible, by the luck of this seed.
    pub strength: Option<(Strength, u64)>,
    /// Endgame tables.
    pub tables: SearchTablebases,
}

impl Job {
    /// A search without clock, tables or strength that begins now; one line is wanted.
    pub fn new(game: Game, limits: Limits) -> Self {
        Self {
            game,
            limits,
            budget: None,
            start: Instant::now(),
            multi_pv: 1,
            strength: None,
            tables: SearchTablebases::default(),
        }
    }
}

/// Hears what worker 0 finds, while it finds it.
pub trait Reporter {
    /// A line was settled, or a bound of its score was.
    fn report(&mut self, report: &Report);

    /// A root move is about to be searched; `number` counts from 1.
    fn current_move(&mut self, _depth: i32, _mv: Move, _number: usize) {}
}

/// A [`Reporter`] that hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Reporter for Silent {
    fn report(&mut self, _report: &Report) {}
}

/// A line of the search, as a GUI wants it.
#[derive(Clone, Debug)]
pub struct Report {
    /// Iteration, plies.
    pub depth: i32,
    /// Deepest node of the iteration, plies.
    pub seldepth: usize,
    /// Rank of the line, from 1.
    pub multi_pv: usize,
    /// From the side to move.
    pub score: Score,
    /// What the score is.
    pub bound: Bound,
    /// Nodes of all workers.
    pub nodes: u64,
    /// Since the `go`.
    pub elapsed: Duration,
    /// Share of the table in use, per mille.
    pub hashfull: usize,
    /// Positions found in tablebases, all workers.
    pub tb_hits: u64,
    /// The line.
    pub pv: Vec<Move>,
}

impl Report {
    /// What a worker found, at this moment of the search that began at `start`; `line` counts from 0.
    pub fn new(
        line: usize,
        found: WorkerResult,
        shared: &Shared,
        table: &TranspositionTable,
        start: Instant,
    ) -> Self {
        Self {
            depth: found.depth,
            seldepth: found.seldepth,
            multi_pv: line + 1,
            score: found.score,
            bound: if found.at_least {
                Bound::Lower
            } else {
                Bound::Exact
            },
            nodes: shared.nodes(),
            elapsed: start.elapsed(),
            hashfull: table.hashfull(),
            tb_hits: shared.tb_hits(),
            pv: found.pv,
        }
    }
}

/// What a worker plays by.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The numbers of the search.
    pub params: Params,
    /// The evaluation.
    pub network: Arc<Network>,
    /// What runs it.
    pub kernel: Kernel,
    /// What of the laboratory it orders moves with.
    pub hook: fn() -> Hook,
}

impl Setup {
    /// The usual one with this network, if there is one given.
    pub fn with_network(network: Option<Arc<Network>>) -> Self {
        let usual = Self::default();
        Self {
            network: network.unwrap_or(usual.network),
            ..usual
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

/// One of many searchers, with all that it has learnt. Nothing of it is shared.
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
    /// Plies of the game at the last search; `None` if there was none.
    last_ply: Option<usize>,
    /// Score of the last search of the same game.
    last_score: Option<Score>,
}

impl Worker {
    /// Worker number `id`, from 0, that knows nothing yet.
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
            last_ply: None,
            last_score: None,
        }
    }

    /// Plays by these numbers from the next search on.
    pub fn set_params(&mut self, params: Params) {
        self.params = params;
    }

    /// Forgets everything learnt.
    pub fn new_game(&mut self) {
        self.histories.clear();
        self.corrections.clear();
        self.last_ply = None;
        self.last_score = None;
    }

    /// What the last search counted.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Counts from now on how well moves are ordered.
    pub fn count_ordering(&mut self) {
        self.stats.ordering = Some(Box::default());
    }

    /// Searches until a limit is reached, `shared` says stop, or there is nothing left to find. Worker 0 alone
    /// watches the limits; when it ends it tells the others. Every settled best move is published in `shared`.
    ///
    /// The answer's line is empty if, and only if, there is no legal move.
    pub fn search(
        &mut self,
        job: &Job,
        shared: &Shared,
        table: &TranspositionTable,
        reporter: &mut dyn Reporter,
    ) -> WorkerResult {
        let board = *job.game.board();
        let plies_played = self.last_ply.map_or(usize::MAX, |last| {
            job.game.ply().checked_sub(last).unwrap_or(usize::MAX)
        });
        self.histories.new_search(&self.params, plies_played);
        // Only the engine's own move before says how its hopes have changed.
        self.last_score = self.last_score.filter(|_| plies_played == 2);
        self.last_ply = Some(job.game.ply());
        self.stack
            .reset(std::array::from_fn(|back| job.game.played(back + 1)));
        self.stats.start_search();
        self.evaluator.reset();

        let mut roots = RootMoves::new(&board, &job.limits.search_moves);
        let mut tb_hits = 0;
        if let Some(ranks) = job.tables.ranks() {
            roots.rank(&ranks.moves);
            // They were looked up once for all.
            tb_hits = if self.id == 0 { ranks.hits } else { 0 };
        }

        let mut search = Search {
            id: self.id,
            p: self.params.clone(),
            job,
            shared,
            tt: table,
            reporter,
            evaluator: &mut self.evaluator,
            histories: &mut self.histories,
            corrections: &mut self.corrections,
            stack: &mut self.stack,
            pv: &mut self.pv,
            stats: &mut self.stats,
            keys: job.game.keys().to_vec(),
            roots,
            line: 0,
            depth: 0,
            seldepth: 0,
            best_changes: 0,
            last_score: self.last_score,
            root_width: 2 * crate::types::score::INFINITE,
            optimism: [0; 2],
            nodes: 0,
            tb_max_pieces: job.tables.max_pieces(),
            tb_hits,
            null_move_from: 0,
            proves_mate: job.limits.mate.is_some(),
            next_poll: 0,
            aborted: false,
            result: WorkerResult::default(),
        };
        search.deepen(&board);
        search.pick_weakened_move();
        search.count();
        let Search { result, nodes, .. } = search;
        self.stats.nodes = nodes;
        self.last_score = (!result.pv.is_empty()).then_some(result.score);
        if self.id == 0 {
            shared.stop();
        }
        result
    }
}

/// A search under way: the worker's own things beside those that are lent to it.
struct Search<'a> {
    id: usize,
    p: Params,
    job: &'a Job,
    shared: &'a Shared,
    tt: &'a TranspositionTable,
    reporter: &'a mut dyn Reporter,
    evaluator: &'a mut Evaluator,
    histories: &'a mut Histories,
    corrections: &'a mut Corrections,
    stack: &'a mut Stack,
    pv: &'a mut PvTable,
    stats: &'a mut Stats,
    /// Keys of the positions before the node at hand, from the start of the game on.
    keys: Vec<u64>,
    roots: RootMoves,
    /// Index of the line searched, 0 but for MultiPV.
    line: usize,
    /// The iteration.
    depth: i32,
    seldepth: usize,
    /// How often the best move changed in this iteration.
    best_changes: i32,
    /// Score of the engine's move before.
    last_score: Option<Score>,
    /// Width of the root's window, centipawns.
    root_width: Score,
    /// What each side is better off by what it stands for at the root, centipawns, by color.
    optimism: [Score; 2],
    nodes: u64,
    /// Nodes of so many pieces may be looked up in the endgame tables; 0 without them.
    tb_max_pieces: u32,
    tb_hits: u64,
    /// First ply where null moves are made: later ones only while a null move is verified.
    null_move_from: usize,
    /// A mate is asked for: no move is left out, as a quiet one may begin it.
    proves_mate: bool,
    next_poll: u64,
    aborted: bool,
    result: WorkerResult,
}
