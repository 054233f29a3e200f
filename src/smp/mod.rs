//! Lazy SMP: many workers search the same root.
//!
//! They share only the transposition table and [`Shared`](crate::shared::Shared). Worker 0 watches the limits and reports. The
//! answer is elected from what each worker has published, at once: a worker that is slow to stop is awaited only at the next order.
//! Nothing here prints; the module `uci` does.

mod engine;
mod mailbox;
mod pool;
/// The locks that [`mailbox`] uses; tests/mailbox.rs substitutes those of loom.
mod sync {
    pub use parking_lot::{Condvar, Mutex};
}
mod vote;

pub use engine::{BestMove, Engine, EngineError, Event};
pub use pool::Sink;
