//! Systems on which threads are not bound.

use std::io;

use super::{Cpus, Node};

/// Returns an error, because this is not implemented for the system.
///
/// # Errors
/// Always.
pub fn nodes() -> io::Result<Vec<Node>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns an error, because this is not implemented for the system.
///
/// # Errors
/// Always.
pub fn allowed() -> io::Result<Cpus> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns an error, because this is not implemented for the system.
///
/// # Errors
/// Always.
pub fn bind(_cpus: &Cpus) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
