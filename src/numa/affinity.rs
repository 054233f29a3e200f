//! The CPUs that a thread may run on. Only Linux lets this module read and change them.

use std::io;

use super::Cpus;

/// Returns the CPUs that the calling thread may run on.
///
/// # Errors
/// If the system does not tell.
#[cfg(target_os = "linux")]
pub fn allowed() -> io::Result<Cpus> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .collect())
}

/// Lets the calling thread run on these CPUs only.
///
/// # Errors
/// If the system refuses.
#[cfg(target_os = "linux")]
pub fn bind(cpus: &Cpus) -> io::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    for cpu in cpus.iter().filter(|&cpu| cpu < CpuSet::MAX_CPU) {
        set.set(cpu);
    }
    Ok(sched_setaffinity(None, &set)?)
}

/// Returns an error, because this is not implemented for the system.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn allowed() -> io::Result<Cpus> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns an error, because this is not implemented for the system.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn bind(_cpus: &Cpus) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

    use super::*;

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
