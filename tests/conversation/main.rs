//! Conversations with the program over real pipes, as a GUI holds them.

mod analysis;
mod greeting;
mod interruptions;
mod limits;
mod mistakes;
mod networks;
mod session;
mod tables;
mod waiting;
