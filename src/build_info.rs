//! What this build is: version, target, and the CPU features the compiler was allowed to use.

/// The version in Cargo.toml.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `architecture-system`, such as `x86_64-linux`.
pub fn target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

macro_rules! features {
    ($($name:tt),+ $(,)?) => {
        /// The CPU features that matter to a chess engine: name, and whether this library was compiled with it.
        /// Flags given to `cargo rustc` reach only the binary, so it is the library that must be asked.
        pub const FEATURES: &[(&str, bool)] = &[$(($name, cfg!(target_feature = $name))),+];
    };
}

features!(
    "sse2",
    "ssse3",
    "sse4.1",
    "popcnt",
    "avx",
    "avx2",
    "bmi1",
    "bmi2",
    "avx512f",
    "avx512bw",
    "avx512vnni",
    "neon",
    "dotprod",
);

/// The names of the features compiled in, separated by spaces.
pub fn features() -> String {
    let names: Vec<_> = FEATURES
        .iter()
        .filter_map(|&(name, on)| on.then_some(name))
        .collect();
    names.join(" ")
}
