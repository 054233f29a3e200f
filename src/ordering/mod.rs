//! Move ordering: one file for each heuristic. All tables belong to a single worker.

pub mod captures;
mod context;
mod continuation;
mod countermove;
pub mod gravity;
mod histories;
pub mod history;
pub mod hook;
mod killers;
mod lbr;
mod low_ply;
mod mass;
mod node_kind;
mod pawn_history;
mod picker;
pub mod policy;
mod quiet_tables;
mod scoring;
mod searched_moves;
#[cfg(all(target_feature = "avx512vbmi2", not(feature = "hook")))]
mod sixteen_quiets;
pub mod small_net;

pub use context::{Context, PLIES, PRIOR};
pub use histories::Histories;
pub use hook::{Hook, OrderingHook};
pub use killers::Killers;
pub(crate) use lbr::{Lbr, LbrVariant};
pub use node_kind::NodeKind;
pub use picker::{Picker, Stage, holds};
pub use searched_moves::{NodeOutcome, SearchedMoves};
