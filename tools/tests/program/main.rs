//! `rejoinder-tools`, as it is run.

mod data;
mod from_zero;
mod fuzz_corpus;
mod train;
