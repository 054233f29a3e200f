//! What this program was built with.

/// The features of the processor that the library was compiled for, of those that change its speed.
pub fn features() -> Vec<&'static str> {
    macro_rules! compiled_in {
        ($($name:tt)*) => { [$(($name, cfg!(target_feature = $name)),)*] };
    }
    let known = compiled_in!(
        "popcnt" "sse4.1" "ssse3" "bmi1" "bmi2" "avx2" "avx512bw" "avx512vnni" "neon" "dotprod"
    );
    known
        .into_iter()
        .filter_map(|(name, is_in)| is_in.then_some(name))
        .collect()
}

/// Compiler, target and features, a line each.
pub fn describe() -> String {
    let features = features();
    format!(
        "Compiled by {}\nfor {} ({} build)\nwith {}",
        env!("REJOINDER_RUSTC"),
        env!("REJOINDER_TARGET"),
        if cfg!(debug_assertions) {
            "checked"
        } else {
            "release"
        },
        if features.is_empty() {
            "the features of every such processor".to_owned()
        } else {
            features.join(" ")
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_has_a_version_and_a_target() {
        let text = describe();
        println!("{text}");
        assert!(text.starts_with("Compiled by rustc 1."), "{text}");
        assert!(text.contains(std::env::consts::ARCH), "{text}");
    }
}
