//! The command line: without arguments it starts a UCI session, otherwise it takes a subcommand or
//! lines of UCI.

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::board::Board;
use crate::commands::bench::{BenchError, Plan, Summary};
use crate::commands::genfens::{self, Request};
use crate::commands::{bench, kernels, params};
use crate::native_text;
use crate::uci::command::{self, Mistake};
use crate::uci::{self, format};

/// A Lazy SMP chess engine. Without arguments it speaks UCI on standard input and output.
///
/// UCI commands may be given instead of a subcommand: rejoinder "position startpos" "go depth 10"
/// quit
#[derive(Debug, Parser)]
#[command(version = crate::build_info::VERSION, after_help = OTHER_PROGRAMS)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

// A subcommand without a help text here has the docs of its arguments as help.
#[derive(Debug, Subcommand)]
enum Subcommands {
    Bench(bench::Args),
    /// Count the leaf nodes DEPTH plies after the position FEN, for each move.
    Perft {
        /// FEN of the position, or "startpos" for the start position.
        fen: String,
        /// Depth in plies.
        depth: u32,
    },
    Params(params::Args),
    Kernels(kernels::Args),
}

/// Where the commands are that this program does not have.
const OTHER_PROGRAMS: &str = "\
Other commands belong to rejoinder-study (analyze, play, annotate, serve, epd), rejoinder-tools \
(datagen, train, match, spsa and more) and rejoinder-lab (ordering): `make study tools lab` builds \
them.";

/// The exit status for arguments that are not understood, as clap has it.
const USAGE: u8 = 2;

/// Returns the UCI lines that the arguments stand for, the first of which is the program's name;
/// `None` if they ask for a subcommand or help.
pub fn uci_lines(arguments: &[OsString]) -> Option<Vec<String>> {
    let arguments = decoded(arguments);
    let words = arguments.get(1..).unwrap_or_default();
    (!words.first().is_some_and(|first| is_for_clap(first))).then(|| script(words))
}

/// Returns the arguments as text. What is not Unicode is kept in the way of [`native_text`].
fn decoded(arguments: &[OsString]) -> Vec<String> {
    let decode = |argument: &OsString| native_text::decode(argument.as_encoded_bytes());
    arguments.iter().map(decode).collect()
}

/// Runs what the arguments ask for. The first argument is the program's name. Only names of files
/// may be other than Unicode.
pub fn run(original: Vec<OsString>) -> ExitCode {
    let arguments = decoded(&original);
    // This is how OpenBench asks for openings. It is neither UCI nor a subcommand that clap would
    // recognize.
    if let Some(request) = arguments.get(1..).and_then(Request::parse) {
        return exit_code(request.and_then(|request| genfens::run(&request, &mut io::stdout())));
    }
    match arguments.get(1) {
        None => uci::run(Vec::new(), false),
        Some(first) if is_for_clap(first) => match Arguments::parse_from(original).command {
            Subcommands::Bench(args) => exit_code(run_bench(&args)),
            Subcommands::Perft { fen, depth } => exit_code(divide(&fen, depth)),
            Subcommands::Params(args) => exit_code(params::run(&args)),
            Subcommands::Kernels(args) => exit_code(kernels::run(&args)),
        },
        Some(first) if matches!(command::parse(first), Err(Mistake::Unknown(_))) => {
            unknown(original)
        }
        Some(_) => uci::run(script(&arguments[1..]), false),
    }
}

/// Refuses a first argument that is neither a subcommand nor a line of UCI.
fn unknown(arguments: Vec<OsString>) -> ExitCode {
    if let Err(error) = Arguments::command().try_get_matches_from(arguments) {
        // If this fails, the error cannot be reported anywhere.
        let _ = writeln!(io::stderr(), "{error}\n{OTHER_PROGRAMS}");
    }
    ExitCode::from(USAGE)
}

/// Returns whether an argument is a subcommand or an option of the program.
fn is_for_clap(argument: &str) -> bool {
    let tools = Arguments::command();
    argument.starts_with('-') || argument == "help" || tools.find_subcommand(argument).is_some()
}

/// Returns the UCI lines that the arguments stand for. An argument with spaces is a line of its
/// own; other arguments form lines that each begin with a command. A `quit` follows if one of the
/// lines is a bench.
fn script(arguments: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for argument in arguments {
        match lines.last_mut() {
            Some(line) if !argument.contains(' ') && !command::is_command(argument) => {
                line.push(' ');
                line.push_str(argument);
            }
            _ => lines.push(argument.clone()),
        }
    }
    if lines.iter().any(|line| line.starts_with("bench")) {
        lines.push("quit".to_owned());
    }
    lines
}

fn run_bench(args: &bench::Args) -> Result<Summary, BenchError> {
    bench::run(Plan::of(args)?, &mut io::stdout())
}

fn divide(fen: &str, depth: u32) -> Result<(), Box<dyn Error>> {
    let board = match fen {
        "startpos" => Board::startpos(),
        fen => Board::from_fen(fen)?,
    };
    let text = format::divide(&board, depth, !board.has_standard_castling());
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Prints which feature the CPU lacks, and the command that builds the program for this machine. The
/// text is written in parts, because formatting might use that feature.
pub fn refuse_cpu(feature: &str, command: &str) -> ExitCode {
    let mut err = io::stderr();
    for part in [
        "This build of Rejoinder needs ",
        feature,
        ", which this CPU does not support. Use the x86-64-v2 build if this is another one, or build for this machine: `make clean`, then `",
        command,
        "`.\n",
    ] {
        // If this fails, the error cannot be reported anywhere.
        let _ = err.write_all(part.as_bytes());
    }
    ExitCode::FAILURE
}

/// Prints the error, if there is one, and returns the exit code of the program.
pub fn exit_code<T, E: Display>(result: Result<T, E>) -> ExitCode {
    match result {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            // The long form of an error names its causes, too. If this fails, it cannot be reported
            // anywhere.
            let _ = writeln!(io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        script(&arguments)
    }

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn arguments_become_lines() {
        assert_eq!(lines(&["uci", "quit"]), ["uci", "quit"]);
        assert_eq!(
            lines(&["position startpos", "go depth 5", "quit"]),
            ["position startpos", "go depth 5", "quit"]
        );
        assert_eq!(lines(&["go", "depth", "5", "quit"]), ["go depth 5", "quit"]);
        assert_eq!(lines(&["bench 4"]), ["bench 4", "quit"]);
    }

    #[test]
    fn tools_and_lines_are_told_apart() {
        for tool in ["bench", "perft", "params", "kernels", "help", "--version"] {
            assert!(is_for_clap(tool), "{tool}");
        }
        for line in ["uci", "bench 4", "quit", "go depth 3"] {
            assert!(!is_for_clap(line), "{line}");
        }
    }
}
