//! The program: checks the CPU and passes the arguments to [`rejoinder::cli`].

use std::process::ExitCode;

use rejoinder::{build_info, cli};

fn main() -> ExitCode {
    if let Some(name) = build_info::missing() {
        return cli::refuse_cpu(name, "make");
    }
    cli::run(std::env::args_os().collect())
}
