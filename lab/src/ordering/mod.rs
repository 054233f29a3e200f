//! `rejoinder-lab ordering`: measures the experiments against the default order.

mod bootstrap;
mod chart;
mod command;
mod doc;
mod measure;
mod quality;
mod records;
mod row;
mod table;
mod trees;
mod variants;

pub use command::{Args, run};
