//! `rejoinder-tools grow`: grows a network by self-play, generation after generation, for as long
//! as the program runs.
//!
//! A generation plays games with the newest network, trains the network further on the newest
//! positions, and plays a match between the two. The new network replaces the old one unless it is
//! weaker. The program may be killed at any moment; the same command continues the run.

mod args;
mod history;
mod plan;
mod run;

pub use args::Args;
pub use run::run;
