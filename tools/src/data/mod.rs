//! Games on the disk, and `rejoinder-tools data`, which inspects, checks, rescores and imports them.

pub mod check;
pub(crate) mod filter;
pub(crate) mod find;
mod import;
mod info;
pub(crate) mod kept;
pub(crate) mod manifest;
pub(crate) mod origin;
mod rescore;
mod returns;
pub mod shard;
pub(crate) mod tally;
pub mod viri;

/// A task with files of games.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Command {
    /// Count games, results and positions, and show the distribution of scores, game lengths and
    /// pieces.
    Info(info::Args),
    /// Verify every move and compare the files with their manifests; the exit code is 1 if a file
    /// is damaged.
    Check(check::Args),
    /// Search the positions again that training keeps, and store the games with the new scores.
    Rescore(rescore::Args),
    /// Turn games of other programs, such as OpenBench and fastchess, into files of games; the exit
    /// code is 1 if some are damaged.
    Import(import::Args),
}

/// Runs a `data` command.
///
/// # Errors
/// If a file cannot be read or written, or is damaged.
pub fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Info(args) => info::run(args),
        Command::Check(args) => check::run(args),
        Command::Rescore(args) => rescore::run(args),
        Command::Import(args) => import::run(args),
    }
}
