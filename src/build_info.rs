//! The program's name, and the CPU features that the compiler was allowed to use. They are those of
//! the library, because flags given to `cargo rustc` only reach the binary.

/// The version: that of the package, and with a plus sign the commit of a build from git that is no
/// release.
pub const VERSION: &str = env!("REJOINDER_VERSION");

/// The name and version of the engine, as GUIs and files show it.
pub const ENGINE: &str = concat!("Rejoinder ", env!("REJOINDER_VERSION"));

/// Whether the target can start threads.
pub const HAS_THREADS: bool = !cfg!(has_no_threads);

/// Returns the CPU features that this library was compiled with and that matter for the speed of a
/// chess engine, by the names of the compiler.
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
        "dotprod",
        "simd128"
    );
    known
        .into_iter()
        .filter_map(|(name, here)| here.then_some(name))
        .collect()
}

/// Returns the first CPU feature that the compiler was allowed to use but this CPU lacks, or the
/// system has switched off, if any. The program would crash when it executes such an instruction.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub fn missing() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    // `is_x86_feature_detected!` trusts the compiler's flags and does not ask the CPU.
    let basic = __cpuid(1).ecx;
    let extended = if __cpuid(0).eax >= 7 {
        __cpuid_count(7, 0).ebx
    } else {
        0
    };
    // The system may have switched off the registers of AVX, whatever the CPU has.
    let saved = if basic & (1 << 27) == 0 {
        0
    } else {
        // SAFETY: bit 27, OSXSAVE, says that there is this instruction.
        unsafe { _xgetbv(0) }
    };
    let unsaved = |used: bool, registers: u64| used && saved & registers != registers;
    // Copying a list of features might itself use the instructions in question.
    let lacks = |used: bool, register: u32, bit: u32| used && register & (1 << bit) == 0;
    if lacks(cfg!(target_feature = "sse4.2"), basic, 20) {
        Some("SSE4.2")
    } else if lacks(cfg!(target_feature = "popcnt"), basic, 23) {
        Some("POPCNT")
    } else if lacks(cfg!(target_feature = "avx2"), extended, 5)
        || unsaved(cfg!(target_feature = "avx2"), 0b110)
    {
        Some("AVX2")
    } else if lacks(cfg!(target_feature = "bmi2"), extended, 8) {
        Some("BMI2")
    } else if lacks(cfg!(target_feature = "avx512bw"), extended, 30)
        || unsaved(cfg!(target_feature = "avx512bw"), 0b1110_0110)
    {
        Some("AVX-512")
    } else {
        None
    }
}

/// Always `None`: on other architectures one build runs on every CPU.
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
