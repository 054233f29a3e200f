//! Linux: the nodes of the machine, and the CPUs that a thread may run on.

use std::fs;
use std::io;
use std::path::Path;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::{Cpus, Machine, Node};

/// The folder in which the kernel describes the nodes.
const NODES: &str = "/sys/devices/system/node";

/// Returns the nodes of this machine, none if they are not described, and the CPUs that the calling
/// thread may run on.
///
/// # Errors
/// If the system does not tell the CPUs.
pub fn machine() -> io::Result<Machine> {
    let nodes = read(Path::new(NODES)).unwrap_or_default();
    Ok(Machine::new(nodes, allowed()?))
}

/// Returns the CPUs that the calling thread may run on.
fn allowed() -> io::Result<Cpus> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .collect())
}

/// Lets the calling thread run on these CPUs only.
///
/// # Errors
/// If the system refuses.
pub fn bind(cpus: &Cpus) -> io::Result<()> {
    let mut set = CpuSet::new();
    for cpu in cpus.iter().filter(|&cpu| cpu < CpuSet::MAX_CPU) {
        set.set(cpu);
    }
    Ok(sched_setaffinity(None, &set)?)
}

/// Reads the nodes from a folder such as [`NODES`], in ascending order.
///
/// # Errors
/// If the folder cannot be read, or a node has no valid list of CPUs.
// Source: https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-devices-node
fn read(root: &Path) -> io::Result<Vec<Node>> {
    let mut nodes = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("node"));
        let Some(id) = number.and_then(|number| number.parse().ok()) else {
            continue;
        };
        let list = fs::read_to_string(entry.path().join("cpulist"))?;
        let cpus = list.parse().map_err(io::Error::other)?;
        nodes.push(Node { id, cpus });
    }
    nodes.sort_by_key(|node| node.id);
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tempfile::TempDir;

    use super::*;

    /// Returns a folder like that of the kernel, with these nodes.
    fn tree(nodes: &[(usize, &str)]) -> TempDir {
        let root = TempDir::new().expect("cannot create a folder");
        for name in ["power", "memory_tiering"] {
            fs::create_dir(root.path().join(name)).expect("cannot create a folder");
        }
        for name in ["online", "possible", "nodes"] {
            fs::write(root.path().join(name), "0-9\n").expect("cannot write a file");
        }
        for (id, list) in nodes {
            let folder = root.path().join(format!("node{id}"));
            fs::create_dir(&folder).expect("cannot create a folder");
            fs::write(folder.join("cpulist"), list).expect("cannot write a file");
            fs::write(folder.join("distance"), "10 20\n").expect("cannot write a file");
        }
        root
    }

    #[test]
    fn nodes_are_read_in_the_order_of_their_numbers() {
        // There is a hole between the nodes, and node 10 has only memory.
        let root = tree(&[(10, "\n"), (2, "4-7,12-15\n"), (0, "0-3,8-11\n")]);
        let nodes = read(root.path()).expect("cannot read the tree");
        let nodes: Vec<_> = nodes
            .iter()
            .map(|node| (node.id, node.cpus.to_string()))
            .collect();
        let expected = [(0, "0-3,8-11"), (2, "4-7,12-15"), (10, "")];
        assert_eq!(nodes, expected.map(|(id, list)| (id, list.to_owned())));
    }

    #[test]
    fn an_incomplete_tree_is_an_error() {
        assert!(read(Path::new("/no/such/folder")).is_err());
        let root = tree(&[(0, "0-3\n"), (1, "four\n")]);
        assert!(read(root.path()).is_err());
        let root = tree(&[(0, "0-3\n")]);
        fs::create_dir(root.path().join("node1")).expect("cannot create a folder");
        assert!(read(root.path()).is_err());
    }

    #[test]
    fn this_machine_has_a_node_with_a_cpu() {
        let root = Path::new(NODES);
        if !root.exists() {
            println!("SKIPPED: this kernel has no {}", root.display());
            return;
        }
        let nodes = read(root).expect("cannot read the nodes");
        assert!(nodes.iter().any(|node| !node.cpus.is_empty()));
    }

    #[test]
    fn a_thread_is_bound_and_released_and_others_are_not() {
        let before = allowed().expect("the system does not tell");
        assert!(!before.is_empty());
        let all = before.clone();
        let bound = thread::spawn(move || {
            for cpu in all.iter() {
                let one: Cpus = [cpu].into_iter().collect();
                bind(&one).expect("cannot bind the thread");
                assert_eq!(allowed().expect("the system does not tell"), one);
            }
            bind(&all).expect("cannot release the thread");
            assert_eq!(allowed().expect("the system does not tell"), all);
        });
        bound.join().expect("the thread panicked");
        assert_eq!(allowed().expect("the system does not tell"), before);
        assert!(bind(&Cpus::default()).is_err());
    }
}
