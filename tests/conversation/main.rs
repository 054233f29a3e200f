//! Conversations with the program over real pipes, like those of a GUI.

mod analysis;
#[cfg(target_os = "linux")]
mod faults;
mod greeting;
mod hash;
mod interruptions;
mod limits;
mod long;
mod mistakes;
mod networks;
#[cfg(target_os = "linux")]
mod nodes;
mod order;
#[cfg(target_os = "linux")]
mod resources;
mod session;
mod tables;
#[cfg(target_os = "linux")]
mod torture;
mod waiting;
