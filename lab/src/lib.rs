//! Experiments in move ordering: techniques that are not part of the engine, one file each, which
//! plug into it by [`rejoinder::ordering::OrderingHook`]. The program `rejoinder-lab` measures
//! them.

pub mod ordering;
pub mod techniques;
