//! The command line.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rejoinder::cli::exit_code;

use crate::{analyze, annotate};

/// Live analysis and annotated games by the chess engine Rejoinder.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

// The docs of the arguments are the help.
#[derive(Debug, Subcommand)]
enum Command {
    #[command(alias = "analyse")]
    Analyze(analyze::Args),
    Annotate(annotate::Args),
}

/// Runs what the arguments of the program ask for.
pub fn run() -> ExitCode {
    match Arguments::parse().command {
        Command::Analyze(args) => analyze::run(&args),
        Command::Annotate(args) => exit_code(annotate::run(&args, &mut io::stdout())),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use rejoinder::cli::moved;

    use super::*;

    #[test]
    fn the_arguments_are_well_defined() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_engine_says_where_the_commands_are() {
        for command in Arguments::command().get_subcommands() {
            for name in command.get_name_and_visible_aliases() {
                let text = moved(name).expect("a message");
                assert!(text.contains("rejoinder-study"), "{text}");
            }
        }
    }

    #[test]
    fn both_spellings_are_understood() {
        for name in ["analyze", "analyse"] {
            let arguments = Arguments::try_parse_from(["rejoinder-study", name]);
            assert!(matches!(
                arguments.map(|arguments| arguments.command),
                Ok(Command::Analyze(_))
            ));
            assert!(moved(name).is_some());
        }
    }
}
