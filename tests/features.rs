//! The compiler flags somebody asked for reach the library, where the speed is, not only the thin binary.

use std::process::Command;

use rejoinder::build_info;

/// This file is compiled with the flags of the whole build: what it has, the library must have.
#[test]
fn the_library_has_the_flags_of_the_build() {
    let features = build_info::features();
    println!("compiled into the library: {}", features.join(" "));
    for (name, here) in [
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx512bw", cfg!(target_feature = "avx512bw")),
        ("neon", cfg!(target_feature = "neon")),
    ] {
        assert_eq!(features.contains(&name), here, "{name}");
    }
}

/// `make test` names the native build it made: its library must use what this CPU has.
#[test]
fn the_native_build_uses_this_cpu() {
    let Some(binary) = std::env::var_os("REJOINDER_NATIVE") else {
        println!("SKIPPED: REJOINDER_NATIVE names no native build (`make test` does)");
        return;
    };
    let output = Command::new(&binary)
        .args(["compiler", "quit"])
        .output()
        .expect("the native build runs");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    let words: Vec<_> = text.split_whitespace().collect();
    for name in features_of_this_cpu() {
        assert!(words.contains(&name), "the library has no {name}: {text}");
    }
}

#[cfg(target_arch = "x86_64")]
fn features_of_this_cpu() -> Vec<&'static str> {
    let has = [
        ("popcnt", is_x86_feature_detected!("popcnt")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
    ];
    has.into_iter()
        .filter_map(|(name, here)| here.then_some(name))
        .collect()
}

/// Every such CPU has it.
#[cfg(target_arch = "aarch64")]
fn features_of_this_cpu() -> Vec<&'static str> {
    vec!["neon"]
}
