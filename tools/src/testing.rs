//! Helpers of the unit tests.

use clap::{Args, Command};

/// Parses the arguments of a command as if they had been typed after its name, separated by white
/// space.
pub fn parse_args<A: Args>(line: &str) -> Result<A, clap::Error> {
    let command = A::augment_args(Command::new("test").no_binary_name(true));
    let matches = command.try_get_matches_from(line.split_whitespace())?;
    A::from_arg_matches(&matches)
}
