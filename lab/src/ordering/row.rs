//! The figures of one variant: a row of the CSV file.

use serde::{Deserialize, Serialize};

use super::bootstrap;
use super::trees::{TreeTask, Trees};
use super::variants::{self, DEFAULT, NamedVariant};
use rejoinder::ordering::NodeKind;
use rejoinder_tools::matches;

/// The figures of one variant against the default. Shares and rates are in percent; the order of
/// the fields is that of the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultRow {
    /// Name of the experiment, or [`DEFAULT`].
    pub name: String,
    /// Name of the variant; empty if the experiment has only one.
    pub variant: String,
    /// True if the default has the technique.
    pub in_default: bool,
    /// Number of positions searched.
    pub positions: usize,
    /// Depth of the searches in plies.
    pub depth: i32,
    /// Size of the transposition table in MB.
    pub hash_mb: usize,
    /// Number of positions whose search was given up because the tree was too large.
    pub limited: usize,
    /// Number of nodes of all positions.
    pub nodes: u64,
    /// Number of nodes of the default against which the variant was measured.
    pub default_nodes: u64,
    /// Difference of the nodes from the default in percent.
    pub nodes_percent: f64,
    /// Difference of the nodes in percent, as the geometric mean over the positions.
    pub mean_percent: f64,
    /// Lower end of the 95% interval of `mean_percent`.
    pub mean_low: f64,
    /// Upper end of the 95% interval of `mean_percent`.
    pub mean_high: f64,
    /// Share of the cutoffs by the first move, at all nodes.
    pub first_move: f64,
    /// Share of the cutoffs by the first move, at PV nodes.
    pub first_move_pv: f64,
    /// Share of the cutoffs by the first move, at expected cut nodes.
    pub first_move_cut: f64,
    /// Share of the cutoffs by the first move, at expected all nodes.
    pub first_move_all: f64,
    /// Mean number of the move that caused a cutoff, from 1, at all nodes.
    pub cut_index: f64,
    /// Mean number of the move that caused a cutoff, at PV nodes.
    pub cut_index_pv: f64,
    /// Mean number of the move that caused a cutoff, at expected cut nodes.
    pub cut_index_cut: f64,
    /// Mean number of the move that caused a cutoff, at expected all nodes.
    pub cut_index_all: f64,
    /// Share of the nodes with a TT move.
    pub tt_move: f64,
    /// Share of the PV nodes with a TT move.
    pub tt_move_pv: f64,
    /// Share of the expected cut nodes with a TT move.
    pub tt_move_cut: f64,
    /// Share of the expected all nodes with a TT move.
    pub tt_move_all: f64,
    /// Share of the nodes that asked for a last best reply and found one.
    pub lbr_first: f64,
    /// Share of the found replies that were legal.
    pub lbr_second: f64,
    /// Branching factor: the growth of the nodes from one iteration to the next.
    pub branching: f64,
    /// Nodes per second.
    pub nps: u64,
    /// Nodes per second divided by those of the default.
    pub nps_ratio: f64,
    /// Number of games against the default; if it is 0, the remaining fields are empty.
    pub games: u64,
    /// Nodes a move of both sides in the games.
    pub match_nodes: Option<u64>,
    /// Elo difference from the default.
    pub elo: Option<f64>,
    /// Half the width of the 95% interval of `elo`.
    pub elo_error: Option<f64>,
}

impl ResultRow {
    /// Returns the figures of a variant's trees against those of the default; `variant` is `None`
    /// for the default itself.
    pub fn new(
        variant: Option<&NamedVariant>,
        task: &TreeTask,
        trees: &Trees,
        default: &Trees,
    ) -> Self {
        let ratios: Vec<f64> = (trees.nodes.iter().zip(&default.nodes))
            .map(|(&nodes, &usual)| nodes as f64 / usual.max(1) as f64)
            .collect();
        let mean = bootstrap::geometric_mean(&ratios);
        let (counted, summary) = (&trees.ordering, &trees.summary);
        let all = counted.of(None);
        let [pv, cut, late] = NodeKind::ALL.map(|kind| counted.of(Some(kind)));
        let [nps, default_nps] = [trees, default].map(|trees| trees.summary.nps());
        Self {
            name: variant
                .map_or(DEFAULT, |one| one.experiment.name)
                .to_owned(),
            variant: variant.map_or("", |one| one.variant.name).to_owned(),
            in_default: variant.is_none_or(|one| one.experiment.in_default),
            positions: trees.nodes.len(),
            depth: task.depth,
            hash_mb: task.hash,
            limited: trees.limited,
            nodes: summary.nodes,
            default_nodes: default.summary.nodes,
            nodes_percent: more(summary.nodes as f64 / default.summary.nodes.max(1) as f64),
            mean_percent: more(mean.value),
            mean_low: more(mean.low),
            mean_high: more(mean.high),
            first_move: percent(all.first_move_share()),
            first_move_pv: percent(pv.first_move_share()),
            first_move_cut: percent(cut.first_move_share()),
            first_move_all: percent(late.first_move_share()),
            cut_index: rounded(all.mean_index()),
            cut_index_pv: rounded(pv.mean_index()),
            cut_index_cut: rounded(cut.mean_index()),
            cut_index_all: rounded(late.mean_index()),
            tt_move: percent(all.tt_move_rate()),
            tt_move_pv: percent(pv.tt_move_rate()),
            tt_move_cut: percent(cut.tt_move_rate()),
            tt_move_all: percent(late.tt_move_rate()),
            lbr_first: percent(counted.first_match_rate()),
            lbr_second: percent(counted.second_match_rate()),
            branching: rounded(summary.branching_factor()),
            nps,
            nps_ratio: rounded(nps as f64 / default_nps.max(1) as f64),
            games: 0,
            match_nodes: None,
            elo: None,
            elo_error: None,
        }
    }

    /// Adds the result of a match of the variant against the default at `nodes` nodes a move.
    pub fn add_match(&mut self, summary: &matches::MatchSummary, nodes: u64) {
        let elo = summary.pairs.elo();
        self.games = 2 * summary.pairs.count();
        self.match_nodes = Some(nodes);
        self.elo = Some(rounded(elo.value));
        self.elo_error = Some(rounded(elo.error));
    }

    /// Takes over the match of an earlier row, if this one has none and the trees are the same.
    pub fn keep_match(&mut self, earlier: &Self) {
        let same = (self.nodes, self.default_nodes) == (earlier.nodes, earlier.default_nodes);
        if self.games == 0 && same {
            self.games = earlier.games;
            self.match_nodes = earlier.match_nodes;
            self.elo = earlier.elo;
            self.elo_error = earlier.elo_error;
        }
    }

    /// Returns whether both rows belong to the same variant.
    pub fn is_of(&self, other: &Self) -> bool {
        (&self.name, &self.variant) == (&other.name, &other.variant)
    }

    /// Returns whether this is the row of the default.
    pub fn is_default(&self) -> bool {
        self.name == DEFAULT
    }

    /// Returns the full name of the variant: `experiment/variant`.
    pub fn full_name(&self) -> String {
        variants::full_name(&self.name, &self.variant)
    }

    /// Returns the Elo difference and its error, if games were played.
    pub fn elo(&self) -> Option<(f64, f64)> {
        self.elo.zip(self.elo_error)
    }
}

/// Converts a share to percent.
fn percent(share: f64) -> f64 {
    rounded(100.0 * share)
}

/// Converts a ratio to a difference from 1 in percent.
fn more(ratio: f64) -> f64 {
    percent(ratio - 1.0)
}

/// Rounds to the digits of the CSV file.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
