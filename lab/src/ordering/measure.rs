//! Measures forms against the default, one after the other.

use super::command::OrderingError;
use super::form::{DEFAULT, Form};
use super::row::Row;
use super::trees::Task;
use rejoinder::board::Board;
use rejoinder::search::Setup;
use rejoinder_tools::matches::{self, Match, Openings, Side};
use rejoinder_tools::progress::Progress;

/// The games of every form.
#[derive(Clone, Debug)]
pub struct Games {
    openings: Vec<Board>,
    nodes: u64,
    threads: usize,
    /// Forms whose trees differ by more than this are given none, percent.
    within: Option<f64>,
}

impl Games {
    /// Two from each of these openings, at so many nodes a move.
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

    /// Whether a form with these trees is to play.
    fn wanted(&self, form: &Form, row: &Row) -> bool {
        self.within
            .is_none_or(|within| row.nodes_percent.abs() <= within || form.is_without_a_classic())
    }

    /// The form is A, the default B.
    fn contest(&self, form: Setup) -> Match {
        let side = |setup| Side {
            setup,
            nodes: self.nodes,
            hash: matches::HASH as usize,
        };
        Match {
            openings: Openings::Book(self.openings.clone()),
            sides: [side(form), side(Setup::default())],
            sprt: None,
            adjudication: Some(matches::ADJUDICATION),
            threads: self.threads,
            keep: None,
        }
    }
}

/// Measures the default, then the forms; `heard` is given each row as soon as it is complete.
///
/// # Errors
/// If a form cannot be played, memory is short, or `heard` fails.
pub fn measure(
    forms: &[Form],
    task: &Task,
    games: Option<&Games>,
    mut heard: impl FnMut(Row) -> Result<(), OrderingError>,
) -> Result<(), OrderingError> {
    let positions = task.boards.len() as u64;
    let matches = games.map_or(0, Games::count);
    let mut length = positions * (forms.len() as u64 + 1) + matches * forms.len() as u64;
    let mut done = 0;
    let progress = Progress::new(length, "positions and games");
    let default = task.trees(&Setup::default(), None, || {
        done += 1;
        progress.update(done, DEFAULT);
    })?;
    heard(Row::new(None, task, &default, &default))?;
    for form in forms {
        let (setup, name) = (form.setup()?, form.name());
        let trees = task.trees(&setup, Some(&default.nodes), || {
            done += 1;
            progress.update(done, &name);
        })?;
        let mut row = Row::new(Some(form), task, &trees, &default);
        if let Some(games) = games {
            if games.wanted(form, &row) {
                // The trees are kept even if the games are not finished.
                heard(row.clone())?;
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
        heard(row)?;
    }
    progress.finish();
    Ok(())
}
