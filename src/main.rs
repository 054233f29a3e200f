//! The program: checks the CPU and passes the arguments to [`rejoinder::cli`].

use std::io::{self, Write};
use std::process::ExitCode;

use rejoinder::build_info;

fn main() -> ExitCode {
    if let Some(name) = build_info::missing() {
        return refuse(name);
    }
    rejoinder::cli::run(std::env::args_os().collect())
}

/// Prints which feature the CPU lacks. The text is written in parts, because formatting might use
/// that feature.
fn refuse(name: &str) -> ExitCode {
    let mut err = io::stderr();
    for part in [
        "This build of Rejoinder needs ",
        name,
        ", which this CPU does not support. Use the x86-64-v2 build if this is another one, or build for this machine: `make clean`, then `make`.\n",
    ] {
        // If this fails, the error cannot be reported anywhere.
        let _ = err.write_all(part.as_bytes());
    }
    ExitCode::FAILURE
}
