//! What threads share.

mod mailbox;
mod tt_threads;
