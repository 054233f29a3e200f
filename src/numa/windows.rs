//! Windows: the nodes of the machine, and the CPUs that a thread may run on.

use std::io;
use std::ptr;

use windows_sys::Win32::Foundation::ERROR_INSUFFICIENT_BUFFER;
use windows_sys::Win32::System::SystemInformation::{
    GROUP_AFFINITY, GetLogicalProcessorInformationEx, LOGICAL_PROCESSOR_RELATIONSHIP,
    RelationNumaNode, RelationNumaNodeEx,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, GetProcessGroupAffinity,
    SetThreadGroupAffinity,
};
use windows_sys::core::BOOL;

use super::{Cpus, Machine, Node, processor_groups};

/// Returns the nodes of this machine, none if they are not described, and the CPUs that the process
/// may run on: those of one processor group if it was started with an affinity mask, else all.
///
/// # Errors
/// If the system does not tell the CPUs.
pub fn machine() -> io::Result<Machine> {
    let nodes = nodes().unwrap_or_default();
    let all = || nodes.iter().flat_map(|node| node.cpus.iter()).collect();
    let allowed = affinity_mask()?.unwrap_or_else(all);
    Ok(Machine::new(nodes, allowed))
}

/// Returns the nodes of this machine, in ascending order; `None` if the system does not describe
/// them. A node has CPUs of one processor group.
fn nodes() -> Option<Vec<Node>> {
    // Systems before Windows Server 2022 know only the relation of one group. Some do not refuse the
    // other one, but answer it with nothing.
    let mut relations = [RelationNumaNodeEx, RelationNumaNode].into_iter();
    relations.find_map(|relation| {
        let nodes = processor_groups::nodes(&records(relation).ok()?)?;
        let is_described = nodes.iter().any(|node| !node.cpus.is_empty());
        is_described.then_some(nodes)
    })
}

/// Returns the records of a relation between CPUs.
fn records(relation: LOGICAL_PROCESSOR_RELATIONSHIP) -> io::Result<Vec<u8>> {
    let mut records: Vec<u64> = Vec::new();
    loop {
        let mut bytes = (records.len() * size_of::<u64>()) as u32;
        // SAFETY: the function writes at most `bytes` bytes to the vector, which is aligned as its
        // records are, and the number that it needs to `bytes`.
        let answer = unsafe {
            GetLogicalProcessorInformationEx(relation, records.as_mut_ptr().cast(), &raw mut bytes)
        };
        match succeed(answer) {
            Ok(()) => {
                let all = records.into_iter().flat_map(u64::to_le_bytes);
                return Ok(all.take(bytes as usize).collect());
            }
            Err(error) if error.raw_os_error() == Some(ERROR_INSUFFICIENT_BUFFER as i32) => {
                records.resize((bytes as usize).div_ceil(size_of::<u64>()), 0);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns the CPUs of the mask that the process was started with, if it was.
fn affinity_mask() -> io::Result<Option<Cpus>> {
    let (mut process, mut system) = (0, 0);
    // SAFETY: the handle is a constant, and the function writes two masks to where it is told.
    succeed(unsafe {
        GetProcessAffinityMask(GetCurrentProcess(), &raw mut process, &raw mut system)
    })?;
    let (mut count, mut group) = (1, 0);
    // SAFETY: as above, with room for the number of one group.
    let fits =
        unsafe { GetProcessGroupAffinity(GetCurrentProcess(), &raw mut count, &raw mut group) };
    // Both masks are 0 if the process has threads in several groups.
    let is_free = fits == 0 || process == system;
    Ok((!is_free).then(|| processor_groups::cpus(group, process as u64)))
}

/// Lets the calling thread run on these CPUs only. Of CPUs in several processor groups, those of
/// the group with the most are taken, because Windows binds a thread to one group.
///
/// # Errors
/// If the system refuses.
// Source: https://learn.microsoft.com/en-us/windows/win32/api/processtopologyapi/nf-processtopologyapi-setthreadgroupaffinity
pub fn bind(cpus: &Cpus) -> io::Result<()> {
    let (group, mask) = processor_groups::fullest(cpus).ok_or(io::ErrorKind::InvalidInput)?;
    let affinity = GROUP_AFFINITY {
        Mask: mask as usize,
        Group: group,
        Reserved: [0; 3],
    };
    // SAFETY: the handle is a constant, and the function only reads the affinity.
    succeed(unsafe {
        SetThreadGroupAffinity(GetCurrentThread(), &raw const affinity, ptr::null_mut())
    })
}

/// Turns the answer of a function of Windows into a result.
fn succeed(answer: BOOL) -> io::Result<()> {
    if answer == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use windows_sys::Win32::System::Threading::GetThreadGroupAffinity;

    use super::*;

    /// Returns the CPUs that the calling thread may run on.
    fn of_this_thread() -> Cpus {
        let mut affinity = GROUP_AFFINITY::default();
        // SAFETY: the handle is a constant, and the function writes to where it is told.
        let answer = unsafe { GetThreadGroupAffinity(GetCurrentThread(), &raw mut affinity) };
        succeed(answer).expect("the system does not tell");
        processor_groups::cpus(affinity.Group, affinity.Mask as u64)
    }

    #[test]
    fn this_machine_has_a_node_with_a_cpu() {
        let nodes = nodes().expect("the system does not tell");
        assert!(nodes.iter().any(|node| !node.cpus.is_empty()));
    }

    #[test]
    fn a_thread_is_bound_and_released_and_others_are_not() {
        let before = of_this_thread();
        let all = machine().expect("the system does not tell").allowed;
        let bound = thread::spawn(move || {
            for cpu in all.iter() {
                let one: Cpus = [cpu].into_iter().collect();
                bind(&one).expect("cannot bind the thread");
                assert_eq!(of_this_thread(), one);
            }
            bind(&all).expect("cannot release the thread");
            assert_eq!(of_this_thread().and(&all), of_this_thread());
            assert!(of_this_thread().count() > 1 || all.count() == 1);
        });
        bound.join().expect("the thread panicked");
        assert_eq!(of_this_thread(), before);
        assert!(bind(&Cpus::default()).is_err());
        let absent: Cpus = [20_000].into_iter().collect();
        assert!(bind(&absent).is_err());
    }
}
