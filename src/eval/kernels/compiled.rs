//! The kernels: the same loops compiled for several sets of CPU instructions.

use crate::eval::changes::Changes;
use crate::eval::network::{Block, Rows};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::simd128 as simd128_by_hand;
use super::{Functions, plain as loops};
#[cfg(target_arch = "x86_64")]
use super::{avx2 as avx2_by_hand, avx512 as avx512_by_hand};

/// Defines a module with a kernel whose functions are compiled for these instructions.
macro_rules! kernel {
    ($module:ident, $name:literal, $runs_here:expr, [$($feature:literal),*], $update:path, $weigh:path) => {
        mod $module {
            use super::{Block, Changes, Functions, Rows};

            $(#[target_feature(enable = $feature)])*
            fn update(rows: Rows<'_>, to: &mut [Block], from: &[Block], changes: &Changes) {
                $update(rows, to, from, changes);
            }

            $(#[target_feature(enable = $feature)])*
            fn weigh(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
                $weigh(hidden, weights)
            }

            pub static KERNEL: Functions = Functions {
                name: $name,
                runs_here: $runs_here,
                update,
                weigh,
            };
        }
    };
}

kernel!(
    plain,
    "plain",
    || true,
    [],
    super::loops::update,
    super::loops::weigh
);
#[cfg(target_arch = "x86_64")]
kernel!(
    avx2,
    "avx2",
    || is_x86_feature_detected!("avx2"),
    ["avx2"],
    super::loops::update,
    super::avx2_by_hand::weigh
);
#[cfg(target_arch = "x86_64")]
kernel!(
    avx512,
    "avx512",
    || is_x86_feature_detected!("avx512bw"),
    ["avx512bw"],
    super::avx512_by_hand::update,
    super::avx512_by_hand::weigh
);

// WebAssembly cannot ask for a feature at run time: the whole program is refused without it.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
kernel!(
    simd128,
    "simd128",
    || true,
    ["simd128"],
    super::loops::update,
    super::simd128_by_hand::weigh
);

/// All kernels, from the slowest to the fastest.
#[cfg(target_arch = "x86_64")]
pub(super) static KERNELS: [&Functions; 3] = [&plain::KERNEL, &avx2::KERNEL, &avx512::KERNEL];
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) static KERNELS: [&Functions; 2] = [&plain::KERNEL, &simd128::KERNEL];
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(super) static KERNELS: [&Functions; 1] = [&plain::KERNEL];
