#![doc = include_str!("../README.md")]
// With this feature the hook is a trait object, whose methods need no import of the trait.
#![cfg_attr(feature = "hook", allow(unused_imports))]

// The layers, lowest first. A module uses only modules above it in this list; tests/layers.rs checks it.
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

pub mod commands;

pub mod uci;

pub mod cli;
