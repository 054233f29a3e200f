//! Checks that compiler flags reach the library, where they matter for the speed, and not only the
//! binary.

use std::process::Command;

use rejoinder::build_info;

/// This file is compiled with the flags of the whole build, so the library must have the same
/// features.
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

/// `make test` names its native build, whose library must use the features of this CPU.
#[test]
fn the_native_build_uses_this_cpu() {
    let Some(binary) = std::env::var_os("REJOINDER_NATIVE") else {
        println!("SKIPPED: REJOINDER_NATIVE names no native build (`make test` does)");
        return;
    };
    let output = Command::new(&binary)
        .args(["compiler", "quit"])
        .output()
        .expect("cannot run the native build");
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

/// Every aarch64 CPU has this feature.
#[cfg(target_arch = "aarch64")]
fn features_of_this_cpu() -> Vec<&'static str> {
    vec!["neon"]
}
