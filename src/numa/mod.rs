//! Machines with several NUMA nodes, where the memory of another node is slow.
//!
//! A worker that is bound to a node finds its own tables in the memory of that node, because it is
//! the first to touch them. Workers are bound to all CPUs of their node, and the system chooses
//! among these.

mod affinity;
mod cpus;
mod placement;
mod topology;

use std::path::Path;

pub use affinity::bind;
pub use cpus::{Cpus, CpusError};
pub use placement::{Placement, Policy, PolicyError};
pub use topology::{Node, read};

/// The folder in which Linux describes the nodes.
const NODES: &str = "/sys/devices/system/node";

/// A machine, as far as the process may use it.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    nodes: Vec<Node>,
    allowed: Cpus,
}

impl Machine {
    /// Creates a description of a machine with these nodes, of which only the `allowed` CPUs may be
    /// used.
    pub fn new(nodes: Vec<Node>, allowed: Cpus) -> Self {
        Self { nodes, allowed }
    }

    /// Describes this machine, and the CPUs that the calling thread may use. Where the system does
    /// not tell, there are no nodes, and no worker is ever bound.
    pub fn this() -> Self {
        let Ok(allowed) = affinity::allowed() else {
            return Self::default();
        };
        Self::new(read(Path::new(NODES)).unwrap_or_default(), allowed)
    }

    /// Returns the CPUs that may be used.
    pub fn allowed(&self) -> &Cpus {
        &self.allowed
    }

    /// Distributes this many workers over the nodes.
    pub fn place(&self, policy: &Policy, workers: usize) -> Placement {
        Placement::new(policy, &self.nodes, &self.allowed, workers)
    }
}
