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

/// The first CPU feature that the compiler was allowed to use and this CPU has not: the program would die of it.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub fn missing() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    // `is_x86_feature_detected!` believes the compiler, and does not ask the CPU.
    let basic = __cpuid(1).ecx;
    let extended = if __cpuid(0).eax >= 7 {
        __cpuid_count(7, 0).ebx
    } else {
        0
    };
    let needed = [
        ("SSE4.2", cfg!(target_feature = "sse4.2"), basic, 20),
        ("POPCNT", cfg!(target_feature = "popcnt"), basic, 23),
        ("AVX2", cfg!(target_feature = "avx2"), extended, 5),
        ("BMI2", cfg!(target_feature = "bmi2"), extended, 8),
        ("AVX-512", cfg!(target_feature = "avx512bw"), extended, 30),
    ];
    let lacking =
        |&(_, used, register, bit): &(_, bool, u32, u32)| used && register >> bit & 1 == 0;
    needed.into_iter().find(lacking).map(|(name, ..)| name)
}

/// Elsewhere one build serves every CPU of its kind.
#[cfg(not(target_arch = "x86_64"))]
pub const fn missing() -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tests_run_on_a_cpu_that_can() {
        assert_eq!(super::missing(), None);
    }
}
