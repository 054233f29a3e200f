//! Experiments in move ordering: techniques that did not earn a place in the engine, one file each, plugged in by
//! [`rejoinder::ordering::OrderingHook`], and the program `rejoinder-lab` that measures them.

pub mod chessmaps;
pub mod ordering;
pub mod techniques;
