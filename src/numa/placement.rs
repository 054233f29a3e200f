//! The distribution of workers over nodes, as a pure function.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{Cpus, CpusError, Node};

/// A node with at most this share of the largest one's CPUs, in percent, is small.
// Source: Stockfish counts nodes by the same share.
const SMALL: usize = 60;

/// With this many workers for each node that is not small, the workers are distributed.
// Source: as above.
const WORKERS_PER_NODE: usize = 4;

/// Decides which workers are bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// Workers are bound to the nodes of the machine if there are several nodes, and enough workers
    /// to make use of them.
    #[default]
    Auto,
    /// No worker is bound.
    None,
    /// Workers are always bound to these groups of CPUs.
    Groups(Vec<Cpus>),
}

/// The reason why a text is not a binding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindingError {
    /// A group is not a list of CPUs.
    #[error("{0}")]
    List(#[from] CpusError),
    /// A group has no CPU.
    #[error("a group has no CPU")]
    Empty,
    /// A CPU is in several groups.
    #[error("CPUs {0} are in two groups")]
    Twice(Cpus),
}

/// Reads `auto`, `none`, or groups of CPUs separated by colons, such as `0-15:16-31`.
impl FromStr for Binding {
    type Err = BindingError;

    fn from_str(text: &str) -> Result<Self, BindingError> {
        match text.trim().to_ascii_lowercase().as_str() {
            // The last two are Stockfish's names.
            "auto" | "hardware" | "system" => return Ok(Self::Auto),
            "none" => return Ok(Self::None),
            _ => {}
        }
        let mut groups: Vec<Cpus> = Vec::new();
        for list in text.split(':') {
            let cpus: Cpus = list.parse()?;
            if cpus.is_empty() {
                return Err(BindingError::Empty);
            }
            for group in &groups {
                let both = group.and(&cpus);
                if !both.is_empty() {
                    return Err(BindingError::Twice(both));
                }
            }
            groups.push(cpus);
        }
        Ok(Self::Groups(groups))
    }
}

/// The nodes of the workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The node of each worker, or nothing if the workers are not bound.
    homes: Vec<Arc<Node>>,
}

impl Placement {
    /// Distributes this many workers. `nodes` are those of the machine, and only the `allowed` CPUs
    /// may be used.
    ///
    /// Each worker gets the node with the most CPUs per worker, so that the workers of all nodes
    /// have about the same share of a CPU. The node of a worker does not depend on the workers
    /// after it.
    // Source: Stockfish distributes its threads by the same rule.
    pub fn new(binding: &Binding, nodes: &[Node], allowed: &Cpus, workers: usize) -> Self {
        let usable = |id: usize, cpus: &Cpus| {
            let cpus = cpus.and(allowed);
            (!cpus.is_empty()).then(|| Arc::new(Node { id, cpus }))
        };
        let nodes: Vec<Arc<Node>> = match binding {
            Binding::None => Vec::new(),
            Binding::Auto => nodes
                .iter()
                .filter_map(|node| usable(node.id, &node.cpus))
                .collect(),
            Binding::Groups(groups) => groups
                .iter()
                .enumerate()
                .filter_map(|(id, cpus)| usable(id, cpus))
                .collect(),
        };
        if *binding == Binding::Auto && !is_worth_binding(&nodes, workers) {
            return Self::default();
        }
        let mut bound = vec![0; nodes.len()];
        let choose = |_| {
            // The first of equal nodes is chosen. A fraction of two small integers is compared
            // without a division.
            let load = |node: usize| (bound[node] + 1, nodes[node].cpus.count());
            let best = (0..nodes.len()).min_by(|&a, &b| {
                let ((a, a_cpus), (b, b_cpus)) = (load(a), load(b));
                (a * b_cpus).cmp(&(b * a_cpus))
            })?;
            bound[best] += 1;
            Some(Arc::clone(&nodes[best]))
        };
        Self {
            homes: (0..workers).map_while(choose).collect(),
        }
    }

    /// Returns the node of a worker; `None` if it is not bound.
    pub fn home(&self, worker: usize) -> Option<&Arc<Node>> {
        self.homes.get(worker)
    }

    /// Returns whether the workers use the same nodes as in another placement. A placement that
    /// binds no worker has no nodes.
    pub fn has_same_nodes(&self, other: &Self) -> bool {
        let within = |one: &Self, all: &Self| one.homes.iter().all(|home| all.homes.contains(home));
        within(self, other) && within(other, self)
    }

    /// Returns whether no worker is bound.
    pub fn is_empty(&self) -> bool {
        self.homes.is_empty()
    }
}

/// Returns whether so many workers are better off on nodes of their own. Few workers are left to
/// the system, which knows what else is running: several programs of few threads would otherwise
/// meet on the first node.
fn is_worth_binding(nodes: &[Arc<Node>], workers: usize) -> bool {
    let largest = nodes.iter().map(|node| node.cpus.count()).max();
    let Some(largest) = largest.filter(|_| nodes.len() > 1 && workers > 1) else {
        return false;
    };
    let is_small = |node: &&Arc<Node>| node.cpus.count() * 100 <= largest * SMALL;
    let large = nodes.len() - nodes.iter().filter(is_small).count();
    workers * 2 > largest || workers >= large * WORKERS_PER_NODE
}

/// Names the nodes and their workers, such as `2 threads on node 0 (CPUs 0-3), 1 on node 1 (CPUs
/// 4-5)`.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut nodes: Vec<&Arc<Node>> = Vec::new();
        for home in &self.homes {
            if !nodes.contains(&home) {
                nodes.push(home);
            }
        }
        nodes.sort_by_key(|node| node.id);
        for (number, node) in nodes.iter().enumerate() {
            let count = self.homes.iter().filter(|home| home == node).count();
            let what = match (number, count) {
                (0, 1) => " thread",
                (0, _) => " threads",
                _ => "",
            };
            let separator = if number == 0 { "" } else { ", " };
            let (id, cpus) = (node.id, &node.cpus);
            write!(f, "{separator}{count}{what} on node {id} (CPUs {cpus})")?;
        }
        if nodes.is_empty() {
            write!(f, "no thread is bound")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cpus(list: &str) -> Cpus {
        list.parse().expect(list)
    }

    /// Returns the nodes with these lists of CPUs, numbered from 0.
    fn machine(lists: &[&str]) -> Vec<Node> {
        let node = |(id, list): (usize, &&str)| Node {
            id,
            cpus: cpus(list),
        };
        lists.iter().enumerate().map(node).collect()
    }

    fn place(binding: &Binding, lists: &[&str], allowed: &str, workers: usize) -> Placement {
        Placement::new(binding, &machine(lists), &cpus(allowed), workers)
    }

    fn auto(lists: &[&str], allowed: &str, workers: usize) -> Placement {
        place(&Binding::Auto, lists, allowed, workers)
    }

    /// Returns the number of workers on each node, by the number of the node.
    fn counts(placement: &Placement, nodes: usize) -> Vec<usize> {
        let on = |id| placement.homes.iter().filter(|home| home.id == id).count();
        (0..nodes).map(on).collect()
    }

    #[test]
    fn one_node_binds_nothing() {
        for workers in [1, 2, 64, 1024] {
            assert!(auto(&["0-63"], "0-63", workers).is_empty());
            assert!(auto(&[], "0-63", workers).is_empty());
        }
    }

    #[test]
    fn two_large_nodes_share_the_workers() {
        let lists = ["0-63", "64-127"];
        // Few workers are left to the system.
        for workers in 0..8 {
            assert!(auto(&lists, "0-127", workers).is_empty(), "{workers}");
        }
        for (workers, expected) in [
            (8, [4, 4]),
            (9, [5, 4]),
            (64, [32, 32]),
            (127, [64, 63]),
            (128, [64, 64]),
            (1001, [501, 500]),
        ] {
            let placement = auto(&lists, "0-127", workers);
            assert_eq!(counts(&placement, 2), expected, "{workers}");
        }
        assert_eq!(
            auto(&lists, "0-127", 9).to_string(),
            "5 threads on node 0 (CPUs 0-63), 4 on node 1 (CPUs 64-127)"
        );
    }

    #[test]
    fn nodes_with_holes_and_without_cpus_are_understood() {
        // Hyperthreads of a node are far away, node 1 has only memory, and some CPUs are offline.
        let lists = ["0-3,16-19", "", "4-5,20-21", "8-11,24-25,27"];
        let placement = auto(&lists, "0-31", 17);
        assert_eq!(counts(&placement, 4), [8, 0, 3, 6]);
        assert_eq!(
            placement.to_string(),
            "8 threads on node 0 (CPUs 0-3,16-19), 3 on node 2 (CPUs 4-5,20-21), \
             6 on node 3 (CPUs 8-11,24-25,27)"
        );
        // Only one node is left if the others have no CPU.
        assert!(auto(&["0-15", "", ""], "0-15", 16).is_empty());
    }

    #[test]
    fn only_the_cpus_of_the_process_count() {
        let lists = ["0-63", "64-127"];
        // The process may use one node only, as with `numactl --cpunodebind=1`.
        assert!(auto(&lists, "64-127", 64).is_empty());
        // A control group allows 2 CPUs of the first node and 6 of the second.
        let placement = auto(&lists, "62-69", 8);
        assert_eq!(counts(&placement, 2), [2, 6]);
        let home = placement.home(0).expect("it is not bound");
        assert_eq!((home.id, home.cpus.to_string().as_str()), (1, "64-69"));
        // The process may not use any CPU that is known.
        assert!(auto(&lists, "200-210", 64).is_empty());
        assert!(auto(&lists, "", 64).is_empty());
    }

    #[test]
    fn eight_nodes_get_the_same_number() {
        let lists = [
            "0-7", "8-15", "16-23", "24-31", "32-39", "40-47", "48-55", "56-63",
        ];
        assert_eq!(counts(&auto(&lists, "0-63", 64), 8), [8; 8]);
        assert_eq!(
            counts(&auto(&lists, "0-63", 5), 8),
            [1, 1, 1, 1, 1, 0, 0, 0]
        );
        assert!(auto(&lists, "0-63", 4).is_empty());
    }

    #[test]
    fn a_small_node_does_not_ask_for_binding() {
        // The workers fit into half of the large node.
        assert!(auto(&["0-15", "16-17"], "0-17", 3).is_empty());
        let bound = auto(&["0-15", "16-17"], "0-17", 9);
        assert_eq!(counts(&bound, 2), [8, 1]);
    }

    #[test]
    fn the_binding_of_the_user_comes_first() {
        let lists = ["0-63", "64-127"];
        assert!(place(&Binding::None, &lists, "0-127", 128).is_empty());
        let groups: Binding = "0-1:2-3,8".parse().expect("the binding is invalid");
        // The nodes of the machine do not matter, and even one worker is bound.
        let placement = place(&groups, &lists, "0-127", 1);
        assert_eq!(placement.to_string(), "1 thread on node 1 (CPUs 2-3,8)");
        let placement = place(&groups, &[], "0-7", 4);
        assert_eq!(counts(&placement, 2), [2, 2]);
        assert!(place(&groups, &lists, "100", 4).is_empty());
        assert_eq!(
            place(&groups, &lists, "100", 4).to_string(),
            "no thread is bound"
        );
    }

    #[test]
    fn nodes_are_compared_without_the_number_of_workers() {
        let lists = ["0-3", "4-7"];
        let none = auto(&lists, "0-7", 1);
        let [both, more] = [8, 11].map(|workers| auto(&lists, "0-7", workers));
        assert!(both.has_same_nodes(&more) && none.has_same_nodes(&none));
        assert!(!both.has_same_nodes(&none) && !none.has_same_nodes(&both));
        let groups = "0-3".parse().expect("the binding is invalid");
        let first = place(&groups, &lists, "0-7", 8);
        assert!(!both.has_same_nodes(&first) && !first.has_same_nodes(&both));
    }

    #[test]
    fn policies_are_read() {
        for text in ["Auto", "hardware", "System"] {
            assert_eq!(text.parse(), Ok(Binding::Auto));
        }
        assert_eq!(" none ".parse(), Ok(Binding::None));
        let groups = vec![cpus("0-15"), cpus("16-31")];
        assert_eq!("0-15:16-31".parse(), Ok(Binding::Groups(groups)));
        assert_eq!("3".parse(), Ok(Binding::Groups(vec![cpus("3")])));
        assert_eq!(
            "0-3:3-5".parse::<Binding>(),
            Err(BindingError::Twice(cpus("3")))
        );
        assert_eq!("0-3:".parse::<Binding>(), Err(BindingError::Empty));
        assert_eq!("".parse::<Binding>(), Err(BindingError::Empty));
        for text in ["hard", "0-3;4-7", "1:x"] {
            assert!(matches!(
                text.parse::<Binding>(),
                Err(BindingError::List(_))
            ));
        }
    }

    proptest! {
        /// No node has a worker too many: moving one to any other node would not reduce the load.
        #[test]
        fn the_load_is_even(sizes in proptest::collection::vec(0..20usize, 1..9), workers in 0..200usize) {
            let mut next = 0;
            let nodes: Vec<Node> = (sizes.iter().enumerate())
                .map(|(id, &size)| {
                    next += size;
                    Node { id, cpus: (next - size..next).collect() }
                })
                .collect();
            let allowed = (0..next).collect();
            let placement = Placement::new(&Binding::Auto, &nodes, &allowed, workers);
            prop_assert!(placement.is_empty() || placement.homes.len() == workers);
            if !placement.is_empty() {
                let counts = counts(&placement, nodes.len());
                for (&here, &cpus_here) in counts.iter().zip(&sizes) {
                    prop_assert!(here == 0 || cpus_here > 0);
                    for (&there, &cpus_there) in counts.iter().zip(&sizes) {
                        prop_assert!(cpus_there == 0 || here * cpus_there <= (there + 1) * cpus_here.max(1));
                    }
                }
                // Fewer workers have the same homes.
                let fewer = Placement::new(&Binding::Auto, &nodes, &allowed, workers - 1);
                prop_assert!(fewer.is_empty() || fewer.homes == placement.homes[..workers - 1]);
            }
        }
    }
}
