//! How well moves are ordered: the tables of `bench --stats`, and `rejoinder ordering`, which measures every technique of
//! the laboratory against the default.

#[cfg(feature = "lab")]
mod bootstrap;
#[cfg(feature = "lab")]
mod chart;
#[cfg(feature = "lab")]
mod command;
#[cfg(feature = "lab")]
mod doc;
#[cfg(feature = "lab")]
mod form;
#[cfg(feature = "lab")]
mod measure;
pub mod quality;
#[cfg(feature = "lab")]
mod records;
#[cfg(feature = "lab")]
mod row;
#[cfg(feature = "lab")]
mod table;
#[cfg(feature = "lab")]
mod trees;

#[cfg(feature = "lab")]
pub use command::{Args, OrderingError, run};
