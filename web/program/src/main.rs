//! The program inside the analysis page: the engine, and with `review` as its first argument
//! `rejoinder-study annotate` for one game, with `report` `rejoinder-study report`. There is one program,
//! so that a page is one download.

mod single;

use std::ffi::OsStr;
use std::io;
use std::process::ExitCode;

use clap::Parser;
use rejoinder_study::{annotate, report};

/// What the page asks for, beside the engine.
#[derive(Parser)]
enum Task {
    /// Annotates a game on standard input and prints each search.
    Review(annotate::Args),
    /// Sums up the reviews of games.
    Report(report::Args),
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let is_task = |first: &OsStr| first == "review" || first == "report";
    if !arguments.get(1).is_some_and(|first| is_task(first)) {
        return match rejoinder::cli::uci_lines(&arguments) {
            Some(lines) if !rejoinder::build_info::HAS_THREADS => single::run(&lines),
            _ => rejoinder::cli::run(arguments),
        };
    }
    rejoinder::cli::exit_code(match Task::parse_from(&arguments) {
        Task::Review(args) => annotate::review(&args, &mut io::stdin().lock(), &mut io::stdout()),
        Task::Report(args) => report::run(&args, &mut io::stdout()),
    })
}
