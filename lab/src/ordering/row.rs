//! The figures of one variant: a row of the table and of the file.

use serde::{Deserialize, Serialize};

use super::bootstrap;
use super::form::{self, DEFAULT, Form};
use super::trees::{Task, Trees};
use rejoinder::ordering::NodeKind;
use rejoinder_tools::matches;

/// The figures of one variant against the default. Shares and rates are in percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Name of the technique, or [`DEFAULT`].
    pub name: String,
    /// Name of its variant.
    pub variant: String,
    /// Whether the default has the technique.
    pub in_default: bool,
    /// Positions searched.
    pub positions: usize,
    /// To this depth, plies.
    pub depth: i32,
    /// With a table of this size.
    pub hash_mb: usize,
    /// Positions given up for their size.
    pub limited: usize,
    /// Nodes of all positions.
    pub nodes: u64,
    /// The same of the default that it was measured against.
    pub default_nodes: u64,
    /// How many more than the default's.
    pub nodes_percent: f64,
    /// How many more in the geometric mean of the positions.
    pub mean_percent: f64,
    /// Lower end of its 95% interval.
    pub mean_low: f64,
    /// Upper end.
    pub mean_high: f64,
    /// Share of the cuts that the first move made, here and below.
    pub first_move: f64,
    /// At PV nodes.
    pub first_move_pv: f64,
    /// At expected cut nodes.
    pub first_move_cut: f64,
    /// At expected all nodes.
    pub first_move_all: f64,
    /// Mean number of the move that cut, from 1, here and below.
    pub cut_index: f64,
    /// At PV nodes.
    pub cut_index_pv: f64,
    /// At expected cut nodes.
    pub cut_index_cut: f64,
    /// At expected all nodes.
    pub cut_index_all: f64,
    /// Share of the nodes with a TT move, here and below.
    pub tt_move: f64,
    /// Of the PV nodes.
    pub tt_move_pv: f64,
    /// Of the expected cut nodes.
    pub tt_move_cut: f64,
    /// Of the expected all nodes.
    pub tt_move_all: f64,
    /// Nodes that asked for the last best reply for which one was stored.
    pub lbr_first: f64,
    /// Stored replies that were legal.
    pub lbr_second: f64,
    /// Moves that were reduced at other nodes than PV nodes.
    pub lmr_double_reduced: u64,
    /// Those searched again to full depth.
    pub lmr_double_again: f64,
    /// Moves that were reduced at PV nodes.
    pub lmr_triple_reduced: u64,
    /// Those searched again to full depth.
    pub lmr_triple_again: f64,
    /// Those searched with the full window.
    pub lmr_triple_whole: f64,
    /// Growth of an iteration over the one before.
    pub branching: f64,
    /// Nodes a second.
    pub nps: u64,
    /// The same in those of the default.
    pub nps_ratio: f64,
    /// Games against the default; 0 if there were none, and then the rest is empty.
    pub games: u64,
    /// Nodes a move of both sides.
    pub match_nodes: Option<u64>,
    /// What the variant is stronger by.
    pub elo: Option<f64>,
    /// Half the width of its 95% interval.
    pub elo_error: Option<f64>,
}

impl Row {
    /// The figures of these trees against those of the default; `form` is `None` for the default itself.
    pub fn new(form: Option<&Form>, task: &Task, trees: &Trees, default: &Trees) -> Self {
        let ratios: Vec<f64> = (trees.nodes.iter().zip(&default.nodes))
            .map(|(&nodes, &usual)| nodes as f64 / usual.max(1) as f64)
            .collect();
        let mean = bootstrap::geometric_mean(&ratios);
        let (counted, summary) = (&trees.ordering, &trees.summary);
        let all = counted.of_all_kinds();
        let [pv, cut, late] = NodeKind::ALL.map(|kind| counted.of_kind(kind));
        let [double, triple] = [false, true].map(|pv| counted.researches(pv));
        let [nps, default_nps] = [trees, default].map(|trees| trees.summary.nps());
        Self {
            name: form.map_or(DEFAULT, |form| form.entry.name).to_owned(),
            variant: form.map_or("", |form| form.variant.name).to_owned(),
            in_default: form.is_none_or(|form| form.entry.in_default),
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
            first_move: percent(all.moves.first_move_share()),
            first_move_pv: percent(pv.moves.first_move_share()),
            first_move_cut: percent(cut.moves.first_move_share()),
            first_move_all: percent(late.moves.first_move_share()),
            cut_index: rounded(all.moves.mean_index()),
            cut_index_pv: rounded(pv.moves.mean_index()),
            cut_index_cut: rounded(cut.moves.mean_index()),
            cut_index_all: rounded(late.moves.mean_index()),
            tt_move: percent(all.tt_move_rate()),
            tt_move_pv: percent(pv.tt_move_rate()),
            tt_move_cut: percent(cut.tt_move_rate()),
            tt_move_all: percent(late.tt_move_rate()),
            lbr_first: percent(counted.first_match_rate()),
            lbr_second: percent(counted.second_match_rate()),
            lmr_double_reduced: double.reduced,
            lmr_double_again: percent(double.full_depth_rate()),
            lmr_triple_reduced: triple.reduced,
            lmr_triple_again: percent(triple.full_depth_rate()),
            lmr_triple_whole: percent(triple.full_window_rate()),
            branching: rounded(summary.branching_factor()),
            nps,
            nps_ratio: rounded(nps as f64 / default_nps.max(1) as f64),
            games: 0,
            match_nodes: None,
            elo: None,
            elo_error: None,
        }
    }

    /// Takes note of a match of the variant against the default, at so many nodes a move.
    pub fn add_match(&mut self, summary: &matches::Summary, nodes: u64) {
        let elo = summary.pairs.elo();
        self.games = 2 * summary.pairs.count();
        self.match_nodes = Some(nodes);
        self.elo = Some(rounded(elo.value));
        self.elo_error = Some(rounded(elo.error));
    }

    /// Keeps the match of an earlier row, if this one has none and the trees are the same.
    pub fn keep_match(&mut self, earlier: &Self) {
        let same = (self.nodes, self.default_nodes) == (earlier.nodes, earlier.default_nodes);
        if self.games == 0 && same {
            self.games = earlier.games;
            self.match_nodes = earlier.match_nodes;
            self.elo = earlier.elo;
            self.elo_error = earlier.elo_error;
        }
    }

    /// Whether both are of the same variant.
    pub fn is_of(&self, other: &Self) -> bool {
        (&self.name, &self.variant) == (&other.name, &other.variant)
    }

    /// Whether it is that of the default.
    pub fn is_default(&self) -> bool {
        self.name == DEFAULT
    }

    /// `technique/variant`.
    pub fn full_name(&self) -> String {
        form::full_name(&self.name, &self.variant)
    }

    /// Elo and its error, if games were played.
    pub fn elo(&self) -> Option<(f64, f64)> {
        self.elo.zip(self.elo_error)
    }
}

/// A share in percent.
fn percent(share: f64) -> f64 {
    rounded(100.0 * share)
}

/// What a ratio is above 1, in percent.
fn more(ratio: f64) -> f64 {
    percent(ratio - 1.0)
}

/// To the digits that a file needs.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
