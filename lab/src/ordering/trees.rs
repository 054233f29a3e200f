//! The search trees of one variant. Every position is searched to a fixed depth, with an empty
//! transposition table and a worker without histories.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rejoinder::board::{Board, Game};
use rejoinder::clock::Limits;
use rejoinder::commands::bench::Summary;
use rejoinder::memory::MemoryError;
use rejoinder::search::stats::Stats;
use rejoinder::search::{SearchRequest, Setup, Silent};
use rejoinder::smp::Solo;

use super::quality::{self, Counts};

/// A search is given up after the nodes of the default times this factor.
const EXPLOSION: u64 = 20;

/// The searches that every variant is measured by.
#[derive(Clone, Debug)]
pub struct TreeTask {
    /// Positions to search.
    pub boards: Vec<Board>,
    /// Depth of each search in plies.
    pub depth: i32,
    /// Size of the transposition table of each thread in MB.
    pub hash: usize,
    /// Number of positions searched at a time.
    pub threads: usize,
}

/// The figures of the searches; except for the time, they do not depend on the number of threads.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    /// Nodes, time and branching factor.
    pub summary: Summary,
    /// Figures about the order of moves.
    pub ordering: Counts,
    /// Number of nodes of each position.
    pub nodes: Vec<u64>,
    /// Number of positions whose search was given up.
    pub limited: usize,
}

/// The search of one position.
struct Tree {
    stats: Stats,
    elapsed: Duration,
}

impl TreeTask {
    /// Searches the positions with this setup, and calls `on_position` after each. `usual` is the
    /// number of nodes of each position by default, if it is known.
    ///
    /// # Errors
    /// If the transposition tables do not fit into memory.
    pub fn trees(
        &self,
        setup: &Setup,
        usual: Option<&[u64]>,
        mut on_position: impl FnMut(),
    ) -> Result<Trees, MemoryError> {
        let threads = self.threads.min(self.boards.len());
        let solos = (0..threads)
            .map(|_| Solo::new(setup.clone(), self.hash))
            .collect::<Result<Vec<_>, _>>()?;
        let next = AtomicUsize::new(0);
        let mut found: Vec<Option<Tree>> = self.boards.iter().map(|_| None).collect();
        let mut trees = Trees::default();
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let workers: Vec<_> = (solos.into_iter())
                .map(|mut solo| {
                    let (sender, next) = (sender.clone(), &next);
                    scope.spawn(move || {
                        let counts = quality::count(solo.worker());
                        loop {
                            let number = next.fetch_add(1, Relaxed);
                            if number >= self.boards.len() {
                                break *counts.lock().unwrap_or_else(PoisonError::into_inner);
                            }
                            let limit = usual.map(|usual| EXPLOSION * usual[number]);
                            let tree = self.tree(number, limit, &mut solo);
                            // The receiver outlives all workers.
                            let _ = sender.send((number, tree));
                        }
                    })
                })
                .collect();
            drop(sender);
            for (number, tree) in receiver {
                found[number] = Some(tree);
                on_position();
            }
            for worker in workers {
                if let Ok(counted) = worker.join() {
                    trees.ordering.add(&counted);
                }
            }
        });
        // Sums of logarithms depend on the order, so it is that of the positions.
        for (number, tree) in found.into_iter().flatten().enumerate() {
            let nodes = tree.stats.nodes;
            trees.summary.add(&tree.stats, tree.elapsed);
            trees.nodes.push(nodes);
            let given_up = usual.is_some_and(|usual| nodes >= EXPLOSION * usual[number]);
            trees.limited += usize::from(given_up);
        }
        Ok(trees)
    }

    fn tree(&self, number: usize, limit: Option<u64>, solo: &mut Solo) -> Tree {
        solo.forget();
        let limits = Limits {
            depth: Some(self.depth),
            nodes: limit,
            ..Limits::default()
        };
        let request = SearchRequest::new(Game::new(self.boards[number]), limits);
        solo.search(&request, &mut Silent);
        let elapsed = request.start.elapsed();
        let stats = solo.stats().clone();
        Tree { stats, elapsed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::variants::NamedVariant;
    use rejoinder_tools::scale;

    /// On some of these positions, each variant searches another tree than the default. No variant
    /// remembers earlier searches, so the number of threads does not matter.
    #[test]
    fn every_variant_changes_the_tree() {
        let trees = |setup: &Setup, positions, threads| {
            let task = TreeTask {
                boards: scale::positions().take(positions).collect(),
                depth: 8,
                hash: 1,
                threads,
            };
            task.trees(setup, None, || {}).expect("memory").nodes
        };
        let (few, many) = (3, 30);
        let usual = trees(&Setup::default(), many, 2);
        let mut idle = Vec::new();
        for variant in NamedVariant::choose(&[]).expect("all") {
            let (setup, name) = (variant.setup().expect("parameters"), variant.name());
            let nodes = trees(&setup, few, 2);
            assert_eq!(nodes, trees(&setup, few, 1), "{name}");
            if nodes == usual[..few] && trees(&setup, many, 2) == usual {
                idle.push(name);
            }
        }
        assert!(idle.is_empty(), "{idle:?}");
    }

    #[test]
    fn an_explosion_is_cut_short() {
        let task = TreeTask {
            boards: scale::positions().take(2).collect(),
            depth: 6,
            hash: 1,
            threads: 1,
        };
        let free = task
            .trees(&Setup::default(), None, || {})
            .expect("memory")
            .nodes;
        let usual = [free[0] / EXPLOSION - 1, free[1]];
        let trees = task
            .trees(&Setup::default(), Some(&usual), || {})
            .expect("memory");
        assert_eq!(trees.limited, 1);
        assert_eq!(trees.nodes, [EXPLOSION * usual[0], free[1]]);
    }
}
