//! `rejoinder train`
pub mod benchmark;
pub mod model;
pub mod optimizer;
pub mod sample;
pub mod trainer;
