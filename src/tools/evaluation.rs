//! Which evaluation a tool searches with, and what files call it.

use std::path::Path;

use crate::eval::network::{self, LoadError};
use crate::search::Setup;

/// The first evaluation, as the user asks for it.
const FIRST: &str = "first";

/// The usual setup with the network of this file; `first` stands for the first evaluation, nothing for the embedded network.
///
/// # Errors
/// If the file is no network.
pub fn setup(network: Option<&Path>) -> Result<Setup, LoadError> {
    let mut setup = Setup::default();
    if let Some(path) = network {
        setup.network = if path.as_os_str() == FIRST {
            None
        } else {
            Some(network::load(path)?)
        };
    }
    Ok(setup)
}

/// The checksum of the setup's network, 16 hexadecimal digits; without a network `first evaluation`.
pub fn name(setup: &Setup) -> String {
    setup.network.as_ref().map_or_else(
        || format!("{FIRST} evaluation"),
        |network| format!("{:016x}", network.checksum()),
    )
}

/// The program, as files name it.
pub fn engine() -> String {
    concat!("Rejoinder ", env!("CARGO_PKG_VERSION")).to_owned()
}
