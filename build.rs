//! Tells the crate which compiler builds it, and for which target: `compiler` prints both.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!(
        "cargo::rustc-env=REJOINDER_RUSTC={}",
        version.unwrap_or_else(|_| "rustc".to_owned())
    );
    println!(
        "cargo::rustc-env=REJOINDER_TARGET={}",
        env::var("TARGET").unwrap_or_default()
    );
    println!("cargo::rerun-if-changed=build.rs");
}
