//! Systems on which threads are not bound.

use std::io;

use super::{Cpus, Machine};

/// Returns an error, because this is not implemented for the system.
///
/// # Errors
/// Always.
pub fn machine() -> io::Result<Machine> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns an error, because this is not implemented for the system.
///
/// # Errors
/// Always.
pub fn bind(_cpus: &Cpus) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
