#![doc = include_str!("../README.md")]

// The rooms, ground floor first. A room uses only what stands above it in this list;
// tests/floors.rs keeps it so.
pub mod build_info;
pub mod memory;
pub mod params;
pub mod types;

pub mod board;

pub mod clock;
pub mod eval;
pub mod shared;
pub mod tablebase;
pub mod tt;

pub mod ordering;

pub mod search;

pub mod smp;

pub mod tools;

pub mod uci;

pub mod cli;
