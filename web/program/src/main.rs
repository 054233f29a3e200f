//! The program inside the analysis page: the engine, and with `review` as its first argument
//! `rejoinder-study annotate` for one game. There is one program, so that a page is one download.

mod single;

use std::ffi::OsStr;
use std::io;
use std::process::ExitCode;

use clap::Parser;
use rejoinder_study::annotate::{self, Args};

/// Annotates a game on standard input and prints each search.
#[derive(Parser)]
struct Review {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).map(AsRef::as_ref) != Some(OsStr::new("review")) {
        return match rejoinder::cli::uci_lines(&arguments) {
            Some(lines) if !rejoinder::build_info::HAS_THREADS => single::run(&lines),
            _ => rejoinder::cli::run(arguments),
        };
    }
    let Review { args } = Review::parse_from(&arguments[1..]);
    rejoinder::cli::exit_code(annotate::review(
        &args,
        &mut io::stdin().lock(),
        &mut io::stdout(),
    ))
}
