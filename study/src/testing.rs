//! Helpers of the unit tests.

use clap::{Args, Command};

/// Parses the words that follow the name of a command.
pub fn parse_args<A: Args>(words: &[&str]) -> Result<A, clap::Error> {
    let command = A::augment_args(Command::new("test").no_binary_name(true));
    A::from_arg_matches(&command.try_get_matches_from(words)?)
}
