//! The roof: hands the arguments to [`rejoinder::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    rejoinder::cli::run(std::env::args().collect())
}
