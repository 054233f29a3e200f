//! `rejoinder-tools win-rate`: fits the win-rate model of a network to other games.
//!
//! Searches of a few hundred nodes are enough to learn from, but their games say too little of what
//! a score means to people: the side that is ahead often loses its advantage again. Games by a clock
//! say more.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use rejoinder::eval::network::{self, Network};
use rejoinder::eval::win_rate::WinRate;

use crate::data::filter::Filter;
use crate::data::find;
use crate::files;
use crate::print::print;

use super::loader::{self, Selection};

/// The network and the games.
#[derive(Clone, Debug, Args)]
pub struct RefitArgs {
    /// Files of games (.vf, .vf.zst) played with this network, or directories that hold such files
    #[arg(required = true, value_name = "PATH")]
    games: Vec<PathBuf>,
    /// Network file
    #[arg(long, value_name = "FILE")]
    network: PathBuf,
    /// File for the network with the new model; it may be the same file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Fits the win-rate model of a network to games, and writes the network with it. The weights stay
/// as they are.
///
/// # Errors
/// If a file cannot be read or written, or the games hold no position to fit the model to.
pub fn refit(args: &RefitArgs) -> anyhow::Result<()> {
    let mut weights = network::load_weights(&args.network)?;
    let selection = Selection {
        filter: Filter::default(),
        validation: 0.0,
        every: 1,
        seed: 0,
    };
    let files = find::shards(&args.games)?;
    let outcomes = loader::outcomes(&files, selection, num_cpus::get())?;
    let before = weights.win_rate;
    let positions = outcomes.positions();
    weights.win_rate = outcomes.win_rate().ok_or_else(|| {
        let files = files.len();
        anyhow!("these {files} files of games have no position with a score")
    })?;
    let network = Network::new(&weights)?;
    files::replace(&args.out, &weights.to_bytes())?;
    let show = |WinRate { a, b }: WinRate| format!("a {a:?}, b {b:?}");
    print(format_args!(
        "positions {positions}\nbefore    {}\nnow       {}\nnetwork   {}\n",
        show(before),
        show(weights.win_rate),
        network.name()
    ))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use rejoinder::eval::network::Weights;

    use super::*;
    use crate::train::fixtures;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: RefitArgs,
    }

    #[test]
    fn only_the_model_of_a_network_changes() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path();
        let games = fixtures::file(dir, "games.vf", 40, 1);
        let file = dir.join("network.rjn");
        let weights = Weights::zero();
        files::replace(&file, &weights.to_bytes()).expect("a file");
        let refit_with = |games: &str| {
            let file = file.display();
            let line = format!("win-rate {games} --network {file} --out {file}");
            refit(&Line::parse_from(line.split_whitespace()).args)
        };
        refit_with(&games.display().to_string()).expect("a model");
        let refitted = network::load_weights(&file).expect("a network");
        assert_ne!(refitted.win_rate, weights.win_rate);
        let expected = Weights {
            win_rate: refitted.win_rate,
            ..weights
        };
        assert_eq!(refitted, expected);

        let empty = dir.join("empty.vf");
        files::create(&empty, &[]).expect("a file");
        let error = refit_with(&empty.display().to_string()).expect_err("there are no games");
        assert!(
            error.to_string().contains("no position with a score"),
            "{error}"
        );
        assert_eq!(network::load_weights(&file).expect("a network"), refitted);
    }
}
