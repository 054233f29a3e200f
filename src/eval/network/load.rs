//! Loads networks: the embedded one, or one from a file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::format::{LARGEST, MAGIC, NetworkError};
use super::{Network, Weights};

/// The file of the embedded network.
static EMBEDDED: &[u8] = include_bytes!(env!("REJOINDER_NETWORK"));
// The compiler refuses a file that is not a network.
const _: () = assert!(matches!(EMBEDDED.first_chunk::<8>(), Some(&MAGIC)));

/// Returns the embedded network.
///
/// # Panics
/// If the program was built with a damaged network.
pub fn embedded() -> Arc<Network> {
    static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
    let read = || match Network::from_bytes(EMBEDDED) {
        Ok(network) => Arc::new(network),
        Err(error) => panic!("{}: {error}", env!("REJOINDER_NETWORK")),
    };
    Arc::clone(NETWORK.get_or_init(read))
}

/// The reason why a network cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// The file is not a valid network.
    #[error("{}: {reason}", path.display())]
    Network {
        /// The path of the file.
        path: PathBuf,
        /// The error in the file.
        reason: NetworkError,
    },
}

/// Reads a network from a file.
///
/// # Errors
/// If the file cannot be read, or is not a network that this program can run.
pub fn load(path: &Path) -> Result<Arc<Network>, LoadError> {
    read(path, Network::from_bytes).map(Arc::new)
}

/// Reads the quantized weights of a network from a file.
///
/// # Errors
/// As [`load`].
pub fn load_weights(path: &Path) -> Result<Weights, LoadError> {
    read(path, Weights::from_bytes)
}

fn read<T>(
    path: &Path,
    understand: impl FnOnce(&[u8]) -> Result<T, NetworkError>,
) -> Result<T, LoadError> {
    let path = path.to_path_buf();
    // The size is limited, because the path may be that of an endless device.
    let mut bytes = Vec::new();
    let limit = LARGEST as u64 + 1;
    let read = open(&path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    match read.map(|_| understand(&bytes)) {
        Ok(Ok(network)) => Ok(network),
        Ok(Err(reason)) => Err(LoadError::Network { path, reason }),
        Err(reason) => Err(LoadError::Read { path, reason }),
    }
}

/// Opens a file, but no pipe, which would have to be waited for.
fn open(path: &Path) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() {
        File::open(path)
    } else {
        Err(io::Error::other("it is not a file"))
    }
}

/// Loads the network that a user names: `zero` for the one whose weights are all zero, else a file.
///
/// # Errors
/// As [`load`].
pub fn named(name: &str) -> Result<Arc<Network>, LoadError> {
    if name == "zero" {
        Ok(Arc::new(Network::zero()))
    } else {
        load(Path::new(name))
    }
}
