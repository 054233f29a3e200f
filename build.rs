//! Tells the crate its version, with the commit if it is built from git, which compiler builds it and
//! for which target, which the UCI command `compiler` prints, whether that target has threads, whether
//! the program must be small, and which network to embed.

use std::env;
use std::path::{Path, absolute};
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
    // The compiler does not tell these two targets apart by itself.
    println!("cargo::rustc-check-cfg=cfg(has_no_threads)");
    if env::var("TARGET").is_ok_and(|target| target == "wasm32-wasip1") {
        println!("cargo::rustc-cfg=has_no_threads");
    }
    // A program that only reads games would mostly consist of the table of sliders' attacks.
    println!("cargo::rustc-check-cfg=cfg(is_small)");
    println!("cargo::rerun-if-env-changed=REJOINDER_SMALL");
    if env::var_os("REJOINDER_SMALL").is_some() {
        println!("cargo::rustc-cfg=is_small");
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=REJOINDER_VERSION={}", engine_version());
    embed_network();
}

/// Returns the version, and behind it the commit if the sources are a clone of the repository and the
/// commit is not the one of the release. Builds for tests have no commit, so that they stay the same.
fn engine_version() -> String {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // Another clone around these sources is not theirs.
    let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    if env::var("PROFILE").as_deref() != Ok("release") || !Path::new(&folder).join(".git").exists()
    {
        return version;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success()).then(|| text.trim().to_owned())
    };
    // A file that is missing would mean a new build each time.
    for file in [
        "HEAD",
        "logs/HEAD",
        "packed-refs",
        "refs/tags",
        "reftable/tables.list",
    ] {
        let path = git(&["rev-parse", "--git-path", file]);
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let released = git(&["tag", "--points-at", "HEAD"]);
    if released.is_some_and(|tags| tags.lines().any(|tag| tag == format!("v{version}"))) {
        return version;
    }
    match git(&["rev-parse", "--short=8", "HEAD"]) {
        Some(commit) if !commit.is_empty() => format!("{version}+{commit}"),
        _ => version,
    }
}

/// Embeds the network that REJOINDER_EVALFILE names, or else the engine's own.
fn embed_network() {
    println!("cargo::rerun-if-env-changed=REJOINDER_EVALFILE");
    let path = env::var_os("REJOINDER_EVALFILE").unwrap_or_else(|| "networks/rejoinder.rjn".into());
    let path = absolute(Path::new(&path)).expect("REJOINDER_EVALFILE is an empty path");
    assert!(
        path.is_file(),
        "there is no network file {}",
        path.display()
    );
    println!("cargo::rerun-if-changed={}", path.display());
    println!("cargo::rustc-env=REJOINDER_NETWORK={}", path.display());
}
