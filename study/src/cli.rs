//! The command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rejoinder::cli::exit_code;

use crate::{analyze, annotate, epd, play, report};
#[cfg(not(target_family = "wasm"))]
use crate::{learn, serve};

/// What is printed if nothing is asked for.
const OVERVIEW: &str = "\
rejoinder-study, for people at a terminal, by the chess engine Rejoinder:
  rejoinder-study analyze                    think about a position or a game, live
  rejoinder-study play --elo 1500            play a game; the PGN is kept
  rejoinder-study annotate GAMES.pgn -o OUT.pgn   find the mistakes in a file of games
  rejoinder-study learn OUT.pgn              do better where you made a mistake
  rejoinder-study report OUT.pgn             what the mistakes have in common
  rejoinder-study serve GAMES.pgn            all of that on a page in the browser
  rejoinder-study epd SUITE.epd              count the test positions that are solved
`rejoinder-study help COMMAND` tells everything about one of them.
";

/// Live analysis, games and annotations by the chess engine Rejoinder.
#[derive(Debug, Parser)]
#[command(version = rejoinder::build_info::VERSION)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

// The docs of the arguments are the help.
#[derive(Debug, Subcommand)]
enum Command {
    #[command(alias = "analyse")]
    Analyze(analyze::Args),
    Play(play::Args),
    Annotate(annotate::Args),
    Report(report::Args),
    #[cfg(not(target_family = "wasm"))]
    Serve(serve::Args),
    /// Speak UCI: the engine of the page.
    #[cfg(not(target_family = "wasm"))]
    #[command(hide = true, name = serve::ENGINE)]
    Engine,
    /// Review a game on standard input and print each search, for the page.
    #[cfg(not(target_family = "wasm"))]
    #[command(hide = true, name = serve::REVIEW)]
    Review(annotate::Args),
    /// Review the games of a file, for the page.
    #[cfg(not(target_family = "wasm"))]
    #[command(hide = true, name = serve::REVIEWS)]
    Reviews(annotate::Args),
    #[cfg(not(target_family = "wasm"))]
    Learn(learn::Args),
    Epd(epd::Args),
}

/// Runs what the arguments of the program ask for.
pub fn run() -> ExitCode {
    match Arguments::parse().command {
        None => exit_code(io::stdout().write_all(OVERVIEW.as_bytes())),
        Some(Command::Analyze(args)) => analyze::run(&args),
        Some(Command::Play(args)) => exit_code(play::run(&args)),
        Some(Command::Annotate(args)) => exit_code(annotate::run(&args, &mut io::stdout())),
        Some(Command::Report(args)) => exit_code(report::run(&args, &mut io::stdout())),
        #[cfg(not(target_family = "wasm"))]
        Some(Command::Serve(args)) => exit_code(serve::run(&args)),
        #[cfg(not(target_family = "wasm"))]
        Some(Command::Engine) => rejoinder::uci::run(Vec::new(), false),
        #[cfg(not(target_family = "wasm"))]
        Some(Command::Review(args)) => exit_code(annotate::review(
            &args,
            &mut io::stdin().lock(),
            &mut io::stdout(),
        )),
        #[cfg(not(target_family = "wasm"))]
        Some(Command::Reviews(args)) => {
            let done = annotate::run(&args, &mut io::stdout());
            if let Err(error) = &done {
                // Whoever reads the lines shows the reason.
                let _ = writeln!(io::stdout(), "failed: {error:#}");
            }
            exit_code(done)
        }
        #[cfg(not(target_family = "wasm"))]
        Some(Command::Learn(args)) => exit_code(learn::run(&args)),
        Some(Command::Epd(args)) => exit_code(epd::run(&args, &mut io::stdout())),
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

    #[test]
    fn both_spellings_are_understood() {
        for name in ["analyze", "analyse"] {
            let arguments = Arguments::try_parse_from(["rejoinder-study", name]);
            assert!(matches!(
                arguments.map(|arguments| arguments.command),
                Ok(Some(Command::Analyze(_)))
            ));
        }
    }
}
