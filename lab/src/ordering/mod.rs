//! `rejoinder-lab ordering` measures every experiment against the default order.

mod bootstrap;
mod chart;
mod command;
mod doc;
mod form;
mod measure;
mod records;
mod row;
mod table;
mod trees;

pub use command::{Args, OrderingError, run};
