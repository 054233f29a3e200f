//! The nodes of a machine: groups of CPUs, each with memory of its own.

use std::fs;
use std::io;
use std::path::Path;

use super::Cpus;

/// A node and its CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number of the node.
    pub id: usize,
    /// The CPUs of the node; none if it has only memory.
    pub cpus: Cpus,
}

/// Reads the nodes from a folder such as `/sys/devices/system/node`, in ascending order.
///
/// # Errors
/// If the folder cannot be read, or a node has no valid list of CPUs.
// Source: https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-devices-node
pub fn read(root: &Path) -> io::Result<Vec<Node>> {
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

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_a_node_with_a_cpu() {
        let root = Path::new("/sys/devices/system/node");
        if !root.exists() {
            println!("SKIPPED: this kernel has no {}", root.display());
            return;
        }
        let nodes = read(root).expect("cannot read the nodes");
        assert!(nodes.iter().any(|node| !node.cpus.is_empty()));
    }
}
