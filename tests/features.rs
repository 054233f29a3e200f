//! The compiler flags somebody asked for reach the library, where the speed is, not only the thin binary.

use std::process::Command;

use rejoinder::build_info;

/// This file is compiled with whatever flags Cargo was given for the whole build: what it has, the library must have.
#[test]
fn the_library_has_the_flags_of_the_build() {
    println!("{}: {}", build_info::target(), build_info::features());
    for (name, here) in [
        ("sse2", cfg!(target_feature = "sse2")),
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx512bw", cfg!(target_feature = "avx512bw")),
        ("neon", cfg!(target_feature = "neon")),
    ] {
        let listed = build_info::FEATURES
            .iter()
            .find(|(listed, _)| *listed == name);
        assert_eq!(listed, Some(&(name, here)));
    }
}

/// `make test` names the native build it made: that binary must say that its library may use what this CPU has.
#[test]
fn the_native_build_uses_this_cpu() {
    let Some(binary) = std::env::var_os("REJOINDER_NATIVE") else {
        println!("skipped: REJOINDER_NATIVE names no native build (`make test` does)");
        return;
    };
    let output = Command::new(&binary)
        .arg("compiler")
        .output()
        .expect("the native build runs");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    let words: Vec<_> = text.split_whitespace().collect();
    for name in features_of_this_cpu() {
        assert!(
            words.contains(&name),
            "the library was compiled without {name}"
        );
    }
}

#[cfg(target_arch = "x86_64")]
fn features_of_this_cpu() -> Vec<&'static str> {
    let mut names = vec!["sse2"];
    if is_x86_feature_detected!("popcnt") {
        names.push("popcnt");
    }
    if is_x86_feature_detected!("avx2") {
        names.push("avx2");
    }
    if is_x86_feature_detected!("bmi2") {
        names.push("bmi2");
    }
    names
}

#[cfg(target_arch = "aarch64")]
fn features_of_this_cpu() -> Vec<&'static str> {
    vec!["neon"]
}
