//! The command `compiler`, which shows what the program was built with.

use crate::build_info;

/// Returns the compiler, the target and the CPU features, one line each.
pub fn describe() -> String {
    let features = build_info::features();
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
            "no additional CPU features".to_owned()
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
