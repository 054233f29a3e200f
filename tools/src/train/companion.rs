//! The names of the files beside a network.

use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};

/// Ending of the names of networks, which gives way to those of the files beside them.
const NETWORK: &str = "rjn";

/// What lies beside a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Companion {
    /// How the network was made: the run report of a training run, or that of a mean.
    Report,
    /// The weights before rounding.
    Weights,
    /// The chart of the losses.
    Chart,
    /// The state of the training run.
    Checkpoint,
    /// The directory of the shuffle buffer's files, while they are needed.
    Shuffle,
}

impl Companion {
    const ALL: [Self; 5] = [
        Self::Report,
        Self::Weights,
        Self::Chart,
        Self::Checkpoint,
        Self::Shuffle,
    ];

    fn ending(self) -> &'static str {
        match self {
            Self::Report => "json",
            Self::Weights => "weights",
            Self::Chart => "svg",
            Self::Checkpoint => "checkpoint",
            Self::Shuffle => "shuffle",
        }
    }

    /// Returns the path beside a network. Its ending takes the place of `.rjn`, but is added to any
    /// other name: what follows a point there may be all that distinguishes two networks, as in
    /// `lr0.001` and `lr0.003`.
    pub fn beside(self, network: &Path) -> PathBuf {
        if network.extension().is_some_and(|end| end == NETWORK) {
            network.with_extension(self.ending())
        } else {
            network.with_added_extension(self.ending())
        }
    }
}

/// Returns the parser of the name of a network to write. It refuses the names of files beside
/// networks.
pub fn network_to_write() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(no_companion)
}

/// Returns the path unless it has the name of a file beside a network.
///
/// # Errors
/// A message for the user.
fn no_companion(path: PathBuf) -> Result<PathBuf, String> {
    let endings = Companion::ALL.into_iter().map(Companion::ending);
    // Some file systems do not distinguish capitals.
    let taken = |ending: &&str| {
        path.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    match endings.into_iter().find(taken) {
        Some(ending) => Err(format!(
            "a name in .{ending} belongs to a file beside a network: end it in .{NETWORK}"
        )),
        None => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_with_different_names_have_different_files_beside_them() {
        for (network, weights) in [
            ("tr/net.rjn", "tr/net.weights"),
            ("lr0.001.rjn", "lr0.001.weights"),
            ("lr0.001", "lr0.001.weights"),
            ("lr0.003", "lr0.003.weights"),
            ("tr.1/net", "tr.1/net.weights"),
        ] {
            let path = Companion::Weights.beside(Path::new(network));
            assert_eq!(path, Path::new(weights));
        }
    }

    #[test]
    fn no_network_has_the_name_of_a_file_beside_one() {
        for companion in Companion::ALL {
            let path = companion.beside(Path::new("tr/net.rjn"));
            let error = no_companion(path).expect_err("a file beside a network");
            assert!(error.contains(companion.ending()), "{error}");
        }
        assert!(no_companion(PathBuf::from("NET.JSON")).is_err());
        for name in ["net.rjn", "net", "lr0.001", "json"] {
            assert_eq!(no_companion(PathBuf::from(name)), Ok(PathBuf::from(name)));
        }
    }
}
