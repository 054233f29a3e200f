//! The command line of `rejoinder-lab`.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rejoinder::cli::exit_code;
use rejoinder_lab::ordering;

/// Experiments in move ordering for the chess engine Rejoinder.
#[derive(Debug, Parser)]
#[command(version = rejoinder::build_info::VERSION)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure experiments in move ordering against the default.
    Ordering(Box<ordering::Args>),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Ordering(args) => exit_code(ordering::run(&args, &mut io::stdout())),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_well_defined() {
        Arguments::command().debug_assert();
    }
}
