//! The CPUs of Windows, which numbers them within processor groups of at most 64.
//!
//! Elsewhere in the engine, CPU `n` of group `g` has the number `64 g + n`.
// Source: https://learn.microsoft.com/en-us/windows/win32/procthread/processor-groups

use std::collections::BTreeMap;

use super::{Cpus, Node};

/// The largest number of CPUs in a group.
const SIZE: usize = 64;

/// The kinds of records that describe a node: with the CPUs of one group, and with those of all.
const NODE_RECORDS: [u32; 2] = [1, 6];

/// The number of bytes of a group's number and mask in a record.
const MASK_BYTES: usize = 16;

/// Returns the CPUs of a group whose bits are set in the mask.
pub fn cpus(group: u16, mask: u64) -> Cpus {
    (0..SIZE)
        .filter(|&bit| mask >> bit & 1 != 0)
        .map(|bit| usize::from(group) * SIZE + bit)
        .collect()
}

/// Returns the group with the most of these CPUs, the first of equal ones, and the mask of its CPUs.
/// `None` if there is no CPU.
pub fn fullest(cpus: &Cpus) -> Option<(u16, u64)> {
    let mut groups: BTreeMap<u16, u64> = BTreeMap::new();
    for cpu in cpus.iter() {
        *groups.entry((cpu / SIZE) as u16).or_default() |= 1 << (cpu % SIZE);
    }
    // Of equal ones, the last one is the maximum.
    let from_last = groups.into_iter().rev();
    from_last.max_by_key(|(_, mask)| mask.count_ones())
}

/// Reads the nodes from the records that `GetLogicalProcessorInformationEx` of a 64-bit system
/// writes, in ascending order. A node whose CPUs are in several groups becomes several nodes with
/// the same number, because a thread is bound to one group. `None` if the records are damaged.
// Source: https://learn.microsoft.com/en-us/windows/win32/api/winnt/ns-winnt-numa_node_relationship
pub fn nodes(mut records: &[u8]) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    while !records.is_empty() {
        let size = number(records, 4, 4)? as usize;
        let record = records.get(..size).filter(|_| size >= 8)?;
        records = &records[size..];
        if !NODE_RECORDS.contains(&(number(record, 0, 4)? as u32)) {
            continue;
        }
        let id = number(record, 8, 4)? as usize;
        // Older systems describe one group and leave its count 0.
        let groups = number(record, 30, 2)?.max(1) as usize;
        for at in (32..).step_by(MASK_BYTES).take(groups) {
            let (mask, group) = (number(record, at, 8)?, number(record, at + 8, 2)?);
            let cpus = cpus(group as u16, mask);
            nodes.push(Node { id, cpus });
        }
    }
    nodes.sort_by_key(|node| (node.id, node.cpus.iter().next()));
    Some(nodes)
}

/// Returns the number of `bytes` bytes at a place of a record. `None` if the record is too short.
fn number(record: &[u8], at: usize, bytes: usize) -> Option<u64> {
    let mut number = [0; 8];
    number[..bytes].copy_from_slice(record.get(at..at + bytes)?);
    Some(u64::from_le_bytes(number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a record of this kind for a node. The groups are given by number and mask, and their
    /// count is 0 as older systems leave it if `old`.
    fn record(kind: u32, node: u32, old: bool, groups: &[(u16, u64)]) -> Vec<u8> {
        let count = if old { 0 } else { groups.len() as u16 };
        let size = (32 + MASK_BYTES * groups.len()) as u32;
        let mut record = [kind, size, node].map(u32::to_le_bytes).concat();
        record.extend([0xee; 18]);
        record.extend(count.to_le_bytes());
        for (group, mask) in groups {
            record.extend(mask.to_le_bytes());
            record.extend(group.to_le_bytes());
            record.extend([0; 6]);
        }
        record
    }

    fn lists(records: &[u8]) -> Option<Vec<(usize, String)>> {
        let list = |node: Node| (node.id, node.cpus.to_string());
        Some(nodes(records)?.into_iter().map(list).collect())
    }

    #[test]
    fn nodes_of_older_systems_have_one_group_each() {
        let records = [
            record(1, 1, true, &[(1, 0xffff)]),
            record(1, 0, true, &[(0, 0xf00f)]),
        ];
        assert_eq!(
            lists(&records.concat()),
            Some(vec![(0, "0-3,12-15".to_owned()), (1, "64-79".to_owned())])
        );
    }

    #[test]
    fn a_node_of_several_groups_is_split() {
        // 96 CPUs on one node, as a large desktop processor shows them, and a node without CPUs.
        let records = [
            record(6, 0, false, &[(1, 0xffff_ffff_ffff), (0, 0xffff_ffff_ffff)]),
            record(6, 1, false, &[(0, 0)]),
        ];
        assert_eq!(
            lists(&records.concat()),
            Some(vec![
                (0, "0-47".to_owned()),
                (0, "64-111".to_owned()),
                (1, String::new())
            ])
        );
    }

    #[test]
    fn records_of_other_kinds_are_passed_over() {
        let records = [
            record(3, 7, false, &[(0, 1)]),
            record(1, 0, false, &[(0, 3)]),
        ];
        assert_eq!(lists(&records.concat()), Some(vec![(0, "0-1".to_owned())]));
        assert_eq!(lists(&[]), Some(Vec::new()));
    }

    #[test]
    fn damaged_records_are_refused() {
        let whole = record(1, 0, false, &[(0, 3), (1, 1)]);
        for length in 1..whole.len() {
            assert_eq!(lists(&whole[..length]), None, "{length}");
        }
        // A record without a length would never end, and one that counts more groups than it has
        // would be read beyond its end.
        for (at, value) in [(4, 0), (4, 7), (4, 255), (30, 3)] {
            let mut damaged = whole.clone();
            damaged[at] = value;
            assert_eq!(lists(&damaged), None, "{at}: {value}");
        }
    }

    #[test]
    fn a_thread_gets_the_fullest_group() {
        let fullest = |list: &str| fullest(&list.parse().expect("the list is invalid"));
        assert_eq!(fullest(""), None);
        assert_eq!(fullest("0-63"), Some((0, u64::MAX)));
        assert_eq!(fullest("66,68"), Some((1, 0b10100)));
        assert_eq!(fullest("62-66"), Some((1, 0b111)));
        assert_eq!(fullest("63,64"), Some((0, 1 << 63)));
    }

    proptest! {
        #[test]
        fn a_mask_comes_back(group in 0..20u16, mask in 1..=u64::MAX) {
            prop_assert_eq!(fullest(&cpus(group, mask)), Some((group, mask)));
        }
    }
}
