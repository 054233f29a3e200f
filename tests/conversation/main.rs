//! Conversations with the program over real pipes, as a GUI holds them.

#[cfg(target_os = "linux")]
mod faults;
mod greeting;
mod interruptions;
mod limits;
mod long;
mod mistakes;
mod networks;
#[cfg(target_os = "linux")]
mod resources;
mod session;
#[cfg(target_os = "linux")]
mod torture;
mod waiting;
