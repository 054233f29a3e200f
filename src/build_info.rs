//! What the compiler was allowed to use. The library is asked, for flags given to `cargo rustc` reach only the binary.

/// The program, as GUIs and files name it.
pub const ENGINE: &str = concat!("Rejoinder ", env!("CARGO_PKG_VERSION"));

/// CPU features that change the speed of a chess engine, as the compiler calls them, if this library has them.
pub fn features() -> Vec<&'static str> {
    macro_rules! compiled_in {
        ($($name:tt),+) => { [$(($name, cfg!(target_feature = $name))),+] };
    }
    let known = compiled_in!(
        "ssse3",
        "sse4.1",
        "popcnt",
        "bmi1",
        "bmi2",
        "avx2",
        "avx512bw",
        "avx512vnni",
        "neon",
        "dotprod"
    );
    known
        .into_iter()
        .filter_map(|(name, here)| here.then_some(name))
        .collect()
}
