//! The command line of `rejoinder-tools`.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rejoinder::cli::exit_code;
use rejoinder_tools::{data, datagen, grow, matches, policy, scaling, spsa, train};

/// Self-play games, training, matches and tuning for the chess engine Rejoinder.
#[derive(Debug, Parser)]
#[command(version = rejoinder::build_info::VERSION)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Grow a network unattended by games, training and matches, generation after generation.
    Grow(grow::Args),
    /// Play games of the engine against itself as training data.
    Datagen(datagen::Args),
    /// Train a network on games of the engine.
    Train(Box<train::Args>),
    /// Fit the win-rate model of a network to games at another time control.
    WinRate(train::RefitArgs),
    /// Average the weights of networks that were trained further from the same one.
    Average(train::AverageArgs),
    /// Train the policy network, which orders quiet moves, on games of the engine.
    LearnPolicy(policy::Args),
    /// Inspect, check or rescore files of games.
    #[command(subcommand)]
    Data(data::Command),
    /// Play a match between two settings of the engine.
    Match(Box<matches::Args>),
    /// Tune parameters of the engine by games against itself.
    Spsa(Box<spsa::Args>),
    /// Measure speed, time to depth and stop latency for several numbers of threads.
    Scaling(scaling::Args),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Grow(args) => exit_code(grow::run(&args)),
        Command::Datagen(args) => exit_code(datagen::run(&args)),
        Command::Train(args) => exit_code(train::run(&args)),
        Command::WinRate(args) => exit_code(train::refit(&args)),
        Command::Average(args) => exit_code(train::average(&args)),
        Command::LearnPolicy(args) => exit_code(policy::run(&args)),
        Command::Data(command) => exit_code(data::run(&command)),
        Command::Match(args) => exit_code(matches::run(&args)),
        Command::Spsa(args) => exit_code(spsa::run(&args)),
        Command::Scaling(args) => exit_code(scaling::run(&args, &mut io::stdout())),
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
