//! The options that limit the search of each position, for commands that search many.

use rejoinder::clock::Limits;

/// Limit of each search: a time, a number of nodes or a depth.
#[derive(Clone, Debug, clap::Args)]
pub struct LimitArgs {
    /// Milliseconds for each position [default: 1000, unless --nodes or --depth is given]
    #[arg(long, value_name = "MS", conflicts_with_all = ["nodes", "depth"], value_parser = clap::value_parser!(i64).range(1..))]
    pub time: Option<i64>,
    /// Nodes for each position
    #[arg(long, value_name = "N", conflicts_with = "depth", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Depth for each position, in plies
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: Option<i32>,
}

impl LimitArgs {
    /// Returns these limits; one second if none is given.
    pub fn limits(&self) -> Limits {
        let timed = self.nodes.is_none() && self.depth.is_none();
        Limits {
            move_time: timed.then(|| self.time.unwrap_or(1000)),
            nodes: self.nodes,
            depth: self.depth,
            ..Limits::default()
        }
    }
}
