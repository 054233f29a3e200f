//! Measures variants against the default, one after the other.

use super::row::ResultRow;
use super::trees::TreeTask;
use super::variants::{DEFAULT, NamedVariant};
use rejoinder::board::Board;
use rejoinder::search::Setup;
use rejoinder_tools::matches::{self, Match, Openings, Side};
use rejoinder_tools::progress::Progress;
use rejoinder_tools::time_control::TimeControl;

/// The settings of the games of every variant.
#[derive(Clone, Debug)]
pub struct Games {
    openings: Vec<Board>,
    nodes: u64,
    threads: usize,
    /// Maximum difference of the nodes, in percent, for which games are played.
    within: Option<f64>,
}

impl Games {
    /// Two games from each of these openings, at `nodes` nodes a move.
    pub const fn new(
        openings: Vec<Board>,
        nodes: u64,
        threads: usize,
        within: Option<f64>,
    ) -> Self {
        Self {
            openings,
            nodes,
            threads,
            within,
        }
    }

    fn count(&self) -> u64 {
        2 * self.openings.len() as u64
    }

    /// Returns whether games are played for a variant with this row.
    fn wanted(&self, variant: &NamedVariant, row: &ResultRow) -> bool {
        self.within.is_none_or(|within| {
            row.nodes_percent.abs() <= within || variant.is_without_a_classic()
        })
    }

    /// Returns the match of a variant, which is side A, against the default.
    fn contest(&self, variant: Setup) -> Match {
        let side = |setup| Side {
            setup,
            time_control: TimeControl::Nodes(self.nodes),
            hash: matches::HASH as usize,
        };
        Match {
            openings: Openings::Book(self.openings.clone()),
            sides: [side(variant), side(Setup::default())],
            sprt: None,
            adjudication: Some(matches::ADJUDICATION),
            threads: self.threads,
            keep: None,
            pgn: None,
        }
    }
}

/// Measures the default and then the variants. `on_row` is called with each row when it is
/// complete, and before its games are played.
///
/// # Errors
/// If a variant cannot be played, memory is short, or `on_row` fails.
pub fn measure(
    variants: &[NamedVariant],
    task: &TreeTask,
    games: Option<&Games>,
    mut on_row: impl FnMut(ResultRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let positions = task.boards.len() as u64;
    let matches = games.map_or(0, Games::count);
    let mut length = positions * (variants.len() as u64 + 1) + matches * variants.len() as u64;
    let mut done = 0;
    let progress = Progress::new(length, "positions and games");
    let default = task.trees(&Setup::default(), None, || {
        done += 1;
        progress.update(done, DEFAULT);
    })?;
    on_row(ResultRow::new(None, task, &default, &default))?;
    for variant in variants {
        let (setup, name) = (variant.setup()?, variant.name());
        let trees = task.trees(&setup, Some(&default.nodes), || {
            done += 1;
            progress.update(done, &name);
        })?;
        let mut row = ResultRow::new(Some(variant), task, &trees, &default);
        if let Some(games) = games {
            if games.wanted(variant, &row) {
                // The figures of the trees are kept even if the games are interrupted.
                on_row(row.clone())?;
                let before = done;
                let summary = games.contest(setup).play(|summary| {
                    done = before + 2 * summary.pairs.count();
                    let elo = summary.pairs.elo();
                    let elo = format!("Elo {:+.1} ± {:.1}", elo.value, elo.error);
                    progress.update(done, format!("{name} {elo}"));
                })?;
                row.add_match(&summary, games.nodes);
            } else {
                length -= matches;
                progress.set_length(length);
            }
        }
        on_row(row)?;
    }
    progress.finish();
    Ok(())
}
