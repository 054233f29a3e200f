//! The roof: hands the arguments to [`rejoinder::cli`].

use std::io::{self, Write};
use std::process::ExitCode;

use rejoinder::build_info;

fn main() -> ExitCode {
    if let Some(name) = build_info::missing() {
        return refuse(name);
    }
    rejoinder::cli::run(std::env::args().collect())
}

/// Says what the CPU lacks. Nothing is formatted, for the compiler may have used it for that as well.
#[cold]
#[inline(never)]
fn refuse(name: &str) -> ExitCode {
    let mut err = io::stderr();
    for part in [
        "This Rejoinder is built for a newer CPU: this one has no ",
        name,
        ". Take the file for an older one (x86-64-v2), or build it here with `make`.\n",
    ] {
        // Nobody is left to tell if that fails.
        let _ = err.write_all(part.as_bytes());
    }
    ExitCode::FAILURE
}
