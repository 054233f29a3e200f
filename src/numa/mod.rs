//! Machines with several NUMA nodes, where the memory of another node is slow.
//!
//! A worker that is bound to a node finds its own tables in the memory of that node, because it is
//! the first to touch them. Workers are bound to all CPUs of their node, and the system chooses
//! among these.

mod cpus;
mod placement;
#[cfg(any(all(windows, target_pointer_width = "64"), test))]
mod processor_groups;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(all(windows, target_pointer_width = "64"), path = "windows.rs")]
#[cfg_attr(
    not(any(target_os = "linux", all(windows, target_pointer_width = "64"))),
    path = "unknown.rs"
)]
mod system;

pub use cpus::{Cpus, CpusError};
pub use placement::{Binding, BindingError, Placement};
pub use system::bind;

/// A node and its CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number of the node.
    pub id: usize,
    /// The CPUs of the node; none if it has only memory.
    pub cpus: Cpus,
}

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
        system::machine().unwrap_or_default()
    }

    /// Returns the CPUs that may be used.
    pub fn allowed(&self) -> &Cpus {
        &self.allowed
    }

    /// Distributes this many workers over the nodes.
    pub fn place(&self, binding: &Binding, workers: usize) -> Placement {
        Placement::new(binding, &self.nodes, &self.allowed, workers)
    }
}
