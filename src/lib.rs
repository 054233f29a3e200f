#![doc = include_str!("../README.md")]
//!
//! # Using the library
//!
//! This example searches a position in the calling thread; [`smp::Engine`] searches with several
//! threads. More examples: [`board`] sets up positions and lists moves, [`board::Game`] plays games,
//! and [`eval::evaluate`] evaluates a position.
//!
//! ```
//! use rejoinder::board::{Board, Game, san};
//! use rejoinder::clock::Limits;
//! use rejoinder::search::{SearchRequest, Setup, Silent};
//! use rejoinder::smp::Solo;
//! use rejoinder::types::score;
//!
//! let board = Board::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")?;
//! let limits = Limits { depth: Some(4), ..Limits::default() };
//! let request = SearchRequest::new(Game::new(board), limits);
//! let result = Solo::new(Setup::default(), 1)?.search(&request, &mut Silent);
//! assert_eq!(san::to_san(&board, result.pv[0]), "Ra8#");
//! assert_eq!(score::mate_distance(result.score), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
// With this feature the hook is a trait object, whose methods need no import of the trait.
#![cfg_attr(feature = "hook", allow(unused_imports))]

// The layers, lowest first. A module uses only modules above it in this list; tests/sources/layers.rs checks it.
pub mod build_info;
mod locks;
pub mod memory;
pub mod native_text;
pub mod numa;
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
