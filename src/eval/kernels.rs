//! The loops that evaluation time goes into, compiled once for each set of CPU instructions and chosen at run time.
//!
//! The bodies are plain Rust over whole cache lines, which the compiler turns into the vectors of the target feature at
//! hand. Sums wrap, so the order in which a CPU adds does not matter: every kernel gives the same integers. Only what was measured to be
//! worth it is written by hand.

use std::fmt;

use super::network::{
    Block, FIRST, GROUP, HeadBlocks, LANES, Layers, Network, PAIR, QA, QA_SQUARED, QB, QF, QP,
    SECOND, SECOND_INPUTS,
};

/// Which code runs the network.
#[derive(Clone, Copy)]
pub struct Kernel(&'static Functions);

/// The functions of a kernel.
struct Functions {
    name: &'static str,
    runs_here: fn() -> bool,
    follow: Follow,
    quiet: Update<1, 1>,
    capture: Update<1, 2>,
    castle: Update<2, 2>,
    direct: Direct,
    layered: Layered,
}

/// `to` becomes `from` with rows added and taken away.
type Update<const A: usize, const S: usize> =
    unsafe fn(&mut [Block], &[Block], [&[Block]; A], [&[Block]; S]);

/// The first become themselves with rows added and taken away.
type Follow = unsafe fn(&mut [Block], &[&[Block]], &[&[Block]]);

/// The sum over both sides' hidden units with their weights.
type Direct = unsafe fn([&[Block]; 2], &[Block]) -> i32;

/// The output of the layers behind both sides' hidden units.
type Layered = unsafe fn([&[Block]; 2], &Layers, &mut Scratch) -> i32;

/// Room for what comes between the layers, the products of a network's hidden units.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// `[H / GROUP]`: the products, the side to move's first, each at most [`QP`].
    products: Box<[[u8; GROUP]]>,
    /// The places of groups that are not all zero; one register more than there can be, as they are written in whole registers.
    groups: Box<[u16]>,
}

impl Scratch {
    /// Room for this network.
    pub fn new(network: &Network) -> Self {
        let groups = match network.head() {
            HeadBlocks::Direct(_) => 0,
            HeadBlocks::Layered(_) => network.blocks() * LANES / GROUP,
        };
        Self {
            products: vec![[0; GROUP]; groups].into_boxed_slice(),
            groups: vec![0; groups + FIRST].into_boxed_slice(),
        }
    }

    /// Room for the products of a block, with its number.
    #[inline(always)]
    fn block(&mut self, number: usize) -> &mut [[u8; GROUP]] {
        &mut self.products[number * GROUPS..][..GROUPS]
    }
}

/// Groups of the products that a block of hidden units has a share in.
const GROUPS: usize = LANES / GROUP;

impl Kernel {
    /// The fastest that this CPU can run.
    pub fn best() -> Self {
        let fitting = KERNELS
            .into_iter()
            .rev()
            .find(|kernel| (kernel.runs_here)());
        Self(fitting.unwrap_or(KERNELS[0]))
    }

    /// All that this CPU can run, the plain one first.
    pub fn all() -> impl Iterator<Item = Self> {
        let fitting = KERNELS.into_iter().filter(|kernel| (kernel.runs_here)());
        fitting.map(Self)
    }

    /// The one of this name, if this CPU can run it.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|kernel| kernel.name() == name)
    }

    /// `plain`, or the instructions it needs.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Adds rows and takes rows away.
    #[inline(always)]
    pub fn follow(self, to: &mut [Block], add: &[&[Block]], sub: &[&[Block]]) {
        // SAFETY: a kernel is only handed out where `runs_here` has asked the CPU; so below.
        unsafe { (self.0.follow)(to, add, sub) }
    }

    /// A piece moves.
    #[inline(always)]
    pub fn quiet(self, to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
        // SAFETY: as above.
        unsafe { (self.0.quiet)(to, from, [add], [sub]) }
    }

    /// A piece moves, another leaves.
    #[inline(always)]
    pub fn capture(self, to: &mut [Block], from: &[Block], add: &[Block], sub: [&[Block]; 2]) {
        // SAFETY: as above.
        unsafe { (self.0.capture)(to, from, [add], sub) }
    }

    /// Two pieces move.
    #[inline(always)]
    pub fn castle(self, to: &mut [Block], from: &[Block], add: [&[Block]; 2], sub: [&[Block]; 2]) {
        // SAFETY: as above.
        unsafe { (self.0.castle)(to, from, add, sub) }
    }

    /// What a network's head makes of both sides' hidden units, the side to move first, in units of 1 / ([`QA_SQUARED`] * [`QB`]).
    #[inline(always)]
    pub fn output(
        self,
        head: &HeadBlocks,
        bucket: usize,
        hidden: [&[Block]; 2],
        scratch: &mut Scratch,
    ) -> i64 {
        match head {
            HeadBlocks::Direct(buckets) => {
                let (weights, bias) = &buckets[bucket];
                // SAFETY: as above.
                i64::from(unsafe { (self.0.direct)(hidden, weights) }) + i64::from(*bias)
            }
            HeadBlocks::Layered(buckets) => {
                let layers = &buckets[bucket];
                // SAFETY: as above.
                let output = unsafe { (self.0.layered)(hidden, layers, scratch) };
                i64::from(output) + i64::from(layers.last_bias)
            }
        }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.name()).finish()
    }
}

#[inline(always)]
fn update<const A: usize, const S: usize>(
    to: &mut [Block],
    from: &[Block],
    add: [&[Block]; A],
    sub: [&[Block]; S],
) {
    // Equal lengths, said in a way that drops the bounds checks.
    let from = &from[..to.len()];
    let add = add.map(|row| &row[..to.len()]);
    let sub = sub.map(|row| &row[..to.len()]);
    for (i, to) in to.iter_mut().enumerate() {
        let mut block = from[i].0;
        for row in add {
            for (sum, &x) in block.iter_mut().zip(&row[i].0) {
                *sum = sum.wrapping_add(x);
            }
        }
        for row in sub {
            for (sum, &x) in block.iter_mut().zip(&row[i].0) {
                *sum = sum.wrapping_sub(x);
            }
        }
        to.0 = block;
    }
}

#[inline(always)]
fn follow(to: &mut [Block], add: &[&[Block]], sub: &[&[Block]]) {
    for (i, to) in to.iter_mut().enumerate() {
        let mut block = to.0;
        for row in add {
            for (sum, &x) in block.iter_mut().zip(&row[i].0) {
                *sum = sum.wrapping_add(x);
            }
        }
        for row in sub {
            for (sum, &x) in block.iter_mut().zip(&row[i].0) {
                *sum = sum.wrapping_sub(x);
            }
        }
        to.0 = block;
    }
}

/// What a value is multiplied by before the upper half of its square is taken, which is then in units of 1 / [`QA_SQUARED`].
const SQUARE_SHIFT: u32 = 5;
const _: () = assert!(((QA << SQUARE_SHIFT) * (QA << SQUARE_SHIFT)) >> 16 == QA_SQUARED);

/// What one of two values is multiplied by before their product loses its lower 15 bits, rounded; it is in units of 1 / [`QP`] then.
const PRODUCT_SHIFT: u32 = 4;
const _: () = assert!(((QA << PRODUCT_SHIFT) * QA) >> 15 == QP);

/// An activation of 1 of the first layer.
const ONE: i32 = QP * QF;
/// From there, and from its square, to the units of the second layer's inputs.
const FIRST_SHIFT: u32 = 3;
const FIRST_SQUARE_SHIFT: u32 = 18;
const _: () = assert!(ONE >> FIRST_SHIFT == QA_SQUARED);
const _: () = assert!((ONE * ONE) >> FIRST_SQUARE_SHIFT == QA_SQUARED);

/// Sums wrap on the way; what they come to fits.
#[inline(always)]
fn direct(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
    let mut sums = [0_i32; LANES];
    let (own, other) = weights.split_at(hidden[0].len());
    for (hidden, weights) in hidden.into_iter().zip([own, other]) {
        for (block, weights) in hidden.iter().zip(weights) {
            for ((sum, &x), &weight) in sums.iter_mut().zip(&block.0).zip(&weights.0) {
                let value = i32::from(x.clamp(0, QA as i16)) << SQUARE_SHIFT;
                *sum = sum.wrapping_add(((value * value) >> 16) * i32::from(weight));
            }
        }
    }
    sums.into_iter().fold(0, i32::wrapping_add)
}

#[inline(always)]
fn layered(hidden: [&[Block]; 2], layers: &Layers, scratch: &mut Scratch) -> i32 {
    let groups = multiply(hidden, scratch);
    let mut sums = layers.first_biases;
    for &group in &scratch.groups[..groups] {
        let products = scratch.products[usize::from(group)];
        for (sum, weights) in sums.iter_mut().zip(&layers.first[usize::from(group)].0) {
            for (&x, &weight) in products.iter().zip(weights) {
                *sum = sum.wrapping_add(i32::from(x) * i32::from(weight));
            }
        }
    }
    behind_first(&sums, layers)
}

/// Multiplies the clipped values of each side in pairs, and lists the groups where not all products are zero. Gives their number.
#[inline(always)]
fn multiply(hidden: [&[Block]; 2], scratch: &mut Scratch) -> usize {
    let blocks = hidden[0].len() / 2;
    let mut count = 0;
    for (side, hidden) in hidden.into_iter().enumerate() {
        let (one, other) = hidden.split_at(blocks);
        for (at, (one, other)) in one.iter().zip(other).enumerate() {
            let number = side * blocks + at;
            let products = scratch.block(number);
            let numbers = one.0.iter().zip(&other.0);
            for (product, (&a, &b)) in products.as_flattened_mut().iter_mut().zip(numbers) {
                let a = i32::from(a.clamp(0, QA as i16)) << PRODUCT_SHIFT;
                *product = ((a * i32::from(b.clamp(0, QA as i16)) + (1 << 14)) >> 15) as u8;
            }
            for group in number * GROUPS..(number + 1) * GROUPS {
                scratch.groups[count] = group as u16;
                count += usize::from(scratch.products[group] != [0; GROUP]);
            }
        }
    }
    count
}

/// What comes into the second layer: the clipped squares of the first layer's sums, and then their clipped values.
#[inline(always)]
fn second_inputs(sums: &[i32; FIRST]) -> SecondInputs {
    let mut inputs = SecondInputs([0; SECOND_INPUTS]);
    let (squares, values) = inputs.0.split_at_mut(FIRST);
    for ((square, value), &sum) in squares.iter_mut().zip(values).zip(sums) {
        let clipped = sum.clamp(-ONE, ONE);
        *square = ((clipped * clipped) >> FIRST_SQUARE_SHIFT) as i16;
        *value = (sum.clamp(0, ONE) >> FIRST_SHIFT) as i16;
    }
    inputs
}

/// Inputs of the second layer.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct SecondInputs([i16; SECOND_INPUTS]);

/// From the sums of the first layer to the output.
#[inline(always)]
fn behind_first(sums: &[i32; FIRST], layers: &Layers) -> i32 {
    let inputs = second_inputs(sums);
    let mut sums = layers.second_biases;
    for (pair, line) in inputs.0.as_chunks::<PAIR>().0.iter().zip(&layers.second) {
        for (sum, weights) in sums.iter_mut().zip(&line.0) {
            let [a, b] = [0, 1].map(|at| i32::from(pair[at]) * i32::from(weights[at]));
            *sum = sum.wrapping_add(a).wrapping_add(b);
        }
    }
    last(&sums, layers)
}

/// From the sums of the second layer to the output.
#[inline(always)]
fn last(sums: &[i32; SECOND], layers: &Layers) -> i32 {
    let mut output = 0_i32;
    for (&sum, &weight) in sums.iter().zip(&layers.last) {
        let value = sum.clamp(0, QA_SQUARED * QB) >> QB.ilog2();
        let square = (value * value) >> QA_SQUARED.ilog2();
        output = output.wrapping_add(square.wrapping_mul(weight));
    }
    output
}

/// A kernel whose bodies are compiled with these instructions.
macro_rules! kernel {
    ($module:ident, $name:literal, $runs_here:expr, [$($feature:literal),*], $direct:path, $layered:path) => {
        mod $module {
            use super::{Block, Functions, Layers, Scratch};

            macro_rules! updating {
                ($function:ident, $adds:literal, $subs:literal) => {
                    $(#[target_feature(enable = $feature)])*
                    fn $function(
                        to: &mut [Block],
                        from: &[Block],
                        add: [&[Block]; $adds],
                        sub: [&[Block]; $subs],
                    ) {
                        super::update(to, from, add, sub);
                    }
                };
            }
            updating!(quiet, 1, 1);
            updating!(capture, 1, 2);
            updating!(castle, 2, 2);

            $(#[target_feature(enable = $feature)])*
            fn follow(to: &mut [Block], add: &[&[Block]], sub: &[&[Block]]) {
                super::follow(to, add, sub);
            }

            $(#[target_feature(enable = $feature)])*
            fn direct(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
                $direct(hidden, weights)
            }

            $(#[target_feature(enable = $feature)])*
            fn layered(hidden: [&[Block]; 2], layers: &Layers, scratch: &mut Scratch) -> i32 {
                $layered(hidden, layers, scratch)
            }

            pub static KERNEL: Functions = Functions {
                name: $name,
                runs_here: $runs_here,
                follow,
                quiet,
                capture,
                castle,
                direct,
                layered,
            };
        }
    };
}

kernel!(plain, "plain", || true, [], super::direct, super::layered);
#[cfg(target_arch = "x86_64")]
kernel!(
    avx2,
    "avx2",
    || is_x86_feature_detected!("avx2"),
    ["avx2"],
    super::by_hand::direct_avx2,
    super::by_hand::layered_avx2
);
#[cfg(target_arch = "x86_64")]
kernel!(
    avx512,
    "avx512",
    || is_x86_feature_detected!("avx512bw"),
    ["avx512bw"],
    super::by_hand::direct_avx512,
    super::by_hand::layered_avx512
);
#[cfg(target_arch = "x86_64")]
kernel!(
    vnni,
    "vnni",
    || is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni"),
    ["avx512bw", "avx512vnni"],
    super::by_hand::direct_avx512,
    super::by_hand::layered_vnni
);

/// From the slowest to the fastest.
#[cfg(target_arch = "x86_64")]
static KERNELS: [&Functions; 4] = [
    &plain::KERNEL,
    &avx2::KERNEL,
    &avx512::KERNEL,
    &vnni::KERNEL,
];
#[cfg(not(target_arch = "x86_64"))]
static KERNELS: [&Functions; 1] = [&plain::KERNEL];

#[cfg(target_arch = "x86_64")]
mod by_hand {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm_add_epi16, _mm_loadu_si128, _mm_set1_epi16, _mm_storeu_si128,
        _mm256_add_epi32, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_load_si256,
        _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16,
        _mm256_min_epi16, _mm256_movemask_ps, _mm256_mulhi_epi16, _mm256_mulhrs_epi16,
        _mm256_packus_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_set1_epi32,
        _mm256_setzero_si256, _mm256_slli_epi16, _mm256_store_si256, _mm256_storeu_si256,
        _mm512_add_epi32, _mm512_cmpneq_epi32_mask, _mm512_cvtepi16_epi8, _mm512_cvtepi32_epi16,
        _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_loadu_si512, _mm512_madd_epi16,
        _mm512_maddubs_epi16, _mm512_maskz_compress_epi32, _mm512_max_epi16, _mm512_min_epi16,
        _mm512_mulhi_epi16, _mm512_mulhrs_epi16, _mm512_reduce_add_epi32, _mm512_set_epi32,
        _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi16,
        _mm512_store_si512, _mm512_storeu_si512,
    };

    use super::super::network::Line;
    use super::{
        Block, FIRST, GROUP, GROUPS, LANES, Layers, PAIR, PRODUCT_SHIFT, QA, SECOND, SQUARE_SHIFT,
        Scratch, second_inputs,
    };

    /// Numbers in a register of 256 bits.
    const WIDTH: usize = LANES / 2;

    /// Sums of the first layer that run side by side.
    const CHAINS: usize = 4;

    /// The same as [`super::direct`]; the compiler's own code makes an evaluation a fifth slower.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn direct_avx2(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
        let mut sums = [zero; 2];
        let (own, other) = weights.split_at(hidden[0].len());
        for (hidden, weights) in hidden.into_iter().zip([own, other]) {
            for (block, weights) in hidden.iter().zip(weights) {
                for (half, sum) in sums.iter_mut().enumerate() {
                    let value = load(block, half);
                    let value = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
                    let value = _mm256_slli_epi16::<{ SQUARE_SHIFT as i32 }>(value);
                    let square = _mm256_mulhi_epi16(value, value);
                    let weighted = _mm256_madd_epi16(square, load(weights, half));
                    *sum = _mm256_add_epi32(*sum, weighted);
                }
            }
        }
        let mut parts = Parts([0; 8]);
        // SAFETY: the array is as large and as aligned as the register.
        unsafe {
            let sum = _mm256_add_epi32(sums[0], sums[1]);
            _mm256_store_si256((&raw mut parts).cast::<__m256i>(), sum);
        }
        parts.0.into_iter().fold(0, i32::wrapping_add)
    }

    /// The same.
    #[target_feature(enable = "avx512bw")]
    #[inline]
    pub fn direct_avx512(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
        let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
        let mut sums = [zero; 2];
        let (own, other) = weights.split_at(hidden[0].len());
        for ((hidden, weights), sum) in hidden.into_iter().zip([own, other]).zip(&mut sums) {
            for (block, weights) in hidden.iter().zip(weights) {
                let value = _mm512_min_epi16(_mm512_max_epi16(load512(block), zero), one);
                let value = _mm512_slli_epi16::<SQUARE_SHIFT>(value);
                let square = _mm512_mulhi_epi16(value, value);
                *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(square, load512(weights)));
            }
        }
        _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
    }

    /// The same as [`super::layered`].
    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn layered_avx2(hidden: [&[Block]; 2], layers: &Layers, scratch: &mut Scratch) -> i32 {
        let groups = multiply_avx2(hidden, scratch);
        let ones = _mm256_set1_epi16(1);
        let mut sums = [[_mm256_setzero_si256(); 2]; 2];
        let add = |sums: &mut [__m256i; 2], group: u16| {
            let products = scratch.products[usize::from(group)];
            let products = _mm256_set1_epi32(i32::from_ne_bytes(products));
            for (half, sum) in sums.iter_mut().enumerate() {
                let weights = line(&layers.first[usize::from(group)], half);
                let pairs = _mm256_maddubs_epi16(products, weights);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        };
        let (pairs, rest) = scratch.groups[..groups].as_chunks::<2>();
        for pair in pairs {
            for (sums, &group) in sums.iter_mut().zip(pair) {
                add(sums, group);
            }
        }
        for &group in rest {
            add(&mut sums[0], group);
        }
        let mut first = Sums([0; FIRST]);
        let [even, odd] = sums;
        for (half, (even, odd)) in even.into_iter().zip(odd).enumerate() {
            // SAFETY: half of the array is as large and as aligned as the register.
            unsafe {
                let sum = _mm256_add_epi32(even, odd);
                _mm256_store_si256((&raw mut first).cast::<__m256i>().add(half), sum);
            }
        }
        for (sum, &bias) in first.0.iter_mut().zip(&layers.first_biases) {
            *sum = sum.wrapping_add(bias);
        }
        second_avx2(&first, layers)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn second_avx2(first: &Sums, layers: &Layers) -> i32 {
        let inputs = second_inputs(&first.0);
        let mut sums: [__m256i; SECOND / 8] = [_mm256_setzero_si256(); SECOND / 8];
        for (pair, line) in inputs.0.as_chunks::<PAIR>().0.iter().zip(&layers.second) {
            let [a, b] = pair.map(i32::from);
            let pair = _mm256_set1_epi32(b << 16 | a & 0xffff);
            for (sum, weights) in sums.iter_mut().zip(line.0.as_chunks::<8>().0) {
                // SAFETY: so many weights are as large as the register.
                let weights = unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) };
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pair, weights));
            }
        }
        let mut second = [0; SECOND];
        for ((sum, to), bias) in sums
            .into_iter()
            .zip(second.as_chunks_mut::<8>().0)
            .zip(layers.second_biases.as_chunks::<8>().0)
        {
            // SAFETY: so many sums are as large as the register.
            unsafe {
                let bias = _mm256_loadu_si256(bias.as_ptr().cast());
                _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_add_epi32(sum, bias));
            }
        }
        super::last(&second, layers)
    }

    #[target_feature(enable = "avx512bw")]
    #[inline]
    fn second_avx512(first: &Sums, layers: &Layers) -> i32 {
        let inputs = second_inputs(&first.0);
        let mut sums: [__m512i; SECOND / 16] = [_mm512_setzero_si512(); SECOND / 16];
        for (pair, line) in inputs.0.as_chunks::<PAIR>().0.iter().zip(&layers.second) {
            let [a, b] = pair.map(i32::from);
            let pair = _mm512_set1_epi32(b << 16 | a & 0xffff);
            for (sum, weights) in sums.iter_mut().zip(line.0.as_chunks::<16>().0) {
                // SAFETY: so many weights are as large as the register.
                let weights = unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) };
                *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(pair, weights));
            }
        }
        let mut second = [0; SECOND];
        for ((sum, to), bias) in sums
            .into_iter()
            .zip(second.as_chunks_mut::<16>().0)
            .zip(layers.second_biases.as_chunks::<16>().0)
        {
            // SAFETY: so many sums are as large as the register.
            unsafe {
                let bias = _mm512_loadu_si512(bias.as_ptr().cast());
                _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_add_epi32(sum, bias));
            }
        }
        super::last(&second, layers)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn multiply_avx2(hidden: [&[Block]; 2], scratch: &mut Scratch) -> usize {
        let (zero, limit) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
        let clip = |x| _mm256_min_epi16(_mm256_max_epi16(x, zero), limit);
        let mut count = 0;
        let blocks = hidden[0].len() / 2;
        for (side, hidden) in hidden.into_iter().enumerate() {
            let (one, other) = hidden.split_at(blocks);
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                let products = [0, 1].map(|half| {
                    let one = _mm256_slli_epi16::<{ PRODUCT_SHIFT as i32 }>(clip(load(one, half)));
                    _mm256_mulhrs_epi16(one, clip(load(other, half)))
                });
                let packed = _mm256_packus_epi16(products[0], products[1]);
                // Packing works on halves of the register.
                let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                let empty = _mm256_castsi256_ps(_mm256_cmpeq_epi32(packed, zero));
                let full = !_mm256_movemask_ps(empty) as u8;
                let number = side * blocks + at;
                let to = scratch.block(number);
                // SAFETY: so many bytes are as many as the register has.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), packed) };
                let first = _mm_set1_epi16((number * GROUPS) as i16);
                let to: &mut [u16; GROUPS] = &mut scratch.groups[count..].as_chunks_mut().0[0];
                // SAFETY: an entry of the table and its place in the list are as large as the register.
                unsafe {
                    let places = _mm_loadu_si128((&raw const PLACES[usize::from(full)]).cast());
                    _mm_storeu_si128(to.as_mut_ptr().cast(), _mm_add_epi16(first, places));
                }
                count += full.count_ones() as usize;
            }
        }
        count
    }

    /// The places of the bits that are set, for every byte.
    static PLACES: [[u16; GROUPS]; 256] = {
        let mut places = [[0; GROUPS]; 256];
        let mut byte = 0;
        while byte < 256 {
            let (mut bit, mut count) = (0, 0);
            while bit < GROUPS {
                if byte >> bit & 1 == 1 {
                    places[byte][count] = bit as u16;
                    count += 1;
                }
                bit += 1;
            }
            byte += 1;
        }
        places
    };

    #[target_feature(enable = "avx512bw")]
    #[inline]
    fn multiply_avx512(hidden: [&[Block]; 2], scratch: &mut Scratch) -> usize {
        let (zero, limit) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
        let clip = |x| _mm512_min_epi16(_mm512_max_epi16(x, zero), limit);
        let blocks = hidden[0].len() / 2;
        for (side, hidden) in hidden.into_iter().enumerate() {
            let (one, other) = hidden.split_at(blocks);
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                let one = _mm512_slli_epi16::<PRODUCT_SHIFT>(clip(load512(one)));
                let products = _mm512_mulhrs_epi16(one, clip(load512(other)));
                let to = scratch.block(side * blocks + at);
                // SAFETY: so many bytes are as many as the register has.
                unsafe {
                    _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm512_cvtepi16_epi8(products));
                }
            }
        }
        let mut count = 0;
        let mut places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        for products in scratch.products.as_chunks::<FIRST>().0 {
            // SAFETY: sixteen groups are as large as the register.
            let products = unsafe { _mm512_loadu_si512(products.as_ptr().cast()) };
            let full = _mm512_cmpneq_epi32_mask(products, zero);
            let found = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(full, places));
            let to: &mut [u16; FIRST] = &mut scratch.groups[count..].as_chunks_mut().0[0];
            // SAFETY: sixteen places are as large as the register.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), found) };
            count += full.count_ones() as usize;
            places = _mm512_add_epi32(places, _mm512_set1_epi32(FIRST as i32));
        }
        count
    }

    macro_rules! layered_512 {
        ($name:ident, $features:literal, $add:expr) => {
            /// The same as [`super::layered`].
            #[target_feature(enable = $features)]
            #[inline]
            pub fn $name(hidden: [&[Block]; 2], layers: &Layers, scratch: &mut Scratch) -> i32 {
                let groups = multiply_avx512(hidden, scratch);
                let mut sums = [_mm512_setzero_si512(); CHAINS];
                let add = |sum: &mut __m512i, group: u16| {
                    let products = scratch.products[usize::from(group)];
                    let products = _mm512_set1_epi32(i32::from_ne_bytes(products));
                    let weights = line512(&layers.first[usize::from(group)]);
                    *sum = $add(*sum, products, weights);
                };
                let (lists, rest) = scratch.groups[..groups].as_chunks::<CHAINS>();
                for list in lists {
                    for (sum, &group) in sums.iter_mut().zip(list) {
                        add(sum, group);
                    }
                }
                for (sum, &group) in sums.iter_mut().zip(rest) {
                    add(sum, group);
                }
                let [a, b, c, d] = sums;
                let sum = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
                let mut first = Sums([0; FIRST]);
                // SAFETY: the array is as large and as aligned as the register.
                unsafe { _mm512_store_si512((&raw mut first).cast(), sum) };
                for (sum, &bias) in first.0.iter_mut().zip(&layers.first_biases) {
                    *sum = sum.wrapping_add(bias);
                }
                second_avx512(&first, layers)
            }
        };
    }
    layered_512!(layered_avx512, "avx512bw", |sum, products, weights| {
        let pairs = _mm512_maddubs_epi16(products, weights);
        _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
    });
    layered_512!(
        layered_vnni,
        "avx512bw,avx512vnni",
        |sum, products, weights| _mm512_dpbusd_epi32(sum, products, weights)
    );

    #[repr(C, align(32))]
    struct Parts([i32; 8]);

    #[repr(C, align(64))]
    struct Sums([i32; FIRST]);

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load(block: &Block, half: usize) -> __m256i {
        let numbers: &[i16; WIDTH] = &block.0.as_chunks().0[half];
        // SAFETY: sixteen numbers, and both halves of a block are aligned to 32 bytes.
        unsafe { _mm256_load_si256(numbers.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn line(line: &Line, half: usize) -> __m256i {
        let weights: &[[i8; GROUP]; FIRST / 2] = &line.0.as_chunks().0[half];
        // SAFETY: 32 bytes, and both halves of a line are aligned to 32 bytes.
        unsafe { _mm256_load_si256(weights.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512bw")]
    #[inline]
    fn line512(line: &Line) -> __m512i {
        // SAFETY: a line is as large and as aligned as the register.
        unsafe { _mm512_load_si512((&raw const line.0).cast()) }
    }

    #[target_feature(enable = "avx512bw")]
    #[inline]
    fn load512(block: &Block) -> __m512i {
        // SAFETY: a block is as large and as aligned as the register.
        unsafe { _mm512_load_si512((&raw const block.0).cast()) }
    }
}

#[cfg(test)]
mod tests {
    use std::array;
    use std::collections::HashSet;

    use super::*;
    use crate::eval::features::OUTPUT_BUCKETS;
    use crate::eval::network::{Architecture, Head, HeadWeights, Weights};
    use crate::eval::win_rate::WinRate;
    use crate::types::Rng;

    fn row(blocks: usize, bound: usize, rng: &mut Rng) -> Vec<Block> {
        let mut number = |_| rng.below(2 * bound + 1) as i16 - bound as i16;
        (0..blocks)
            .map(|_| Block(array::from_fn(&mut number)))
            .collect()
    }

    #[test]
    fn all_kernels_give_the_same_integers() {
        let mut rng = Rng::new(1);
        for blocks in [1, 2, 3, 8, 13] {
            for _ in 0..50 {
                let rows: Vec<_> = (0..5).map(|_| row(blocks, 900, &mut rng)).collect();
                let results: Vec<_> = Kernel::all()
                    .map(|kernel| {
                        let mut to = vec![vec![Block::ZERO; blocks]; 5];
                        kernel.follow(&mut to[0], &[&rows[1], &rows[0]], &[]);
                        kernel.follow(&mut to[1], &[&rows[1]], &[&rows[2], &rows[3]]);
                        kernel.quiet(&mut to[2], &rows[0], &rows[1], &rows[2]);
                        kernel.capture(&mut to[3], &rows[0], &rows[1], [&rows[2], &rows[3]]);
                        let (add, sub) = ([&rows[1][..], &rows[2]], [&rows[3][..], &rows[4]]);
                        kernel.castle(&mut to[4], &rows[0], add, sub);
                        to
                    })
                    .collect();
                assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
                let lane = |row: &[Block]| i32::from(row[0].0[5]);
                let sum = lane(&rows[0]) + lane(&rows[1]) - lane(&rows[2]) - lane(&rows[3]);
                assert_eq!(results[0][3][0].0[5], sum as i16);
            }
        }
    }

    #[test]
    fn a_direct_head_clips_squares_and_weighs() {
        let hidden = |x| [Block([x; LANES])];
        let weights = [3, -5].map(|x| Block([x; LANES])).to_vec();
        let head = HeadBlocks::Direct(vec![(weights, 7)]);
        let mut scratch = Scratch::new(&Network::zero());
        for kernel in Kernel::all() {
            let mut out = |x, y| kernel.output(&head, 0, [&hidden(x), &hidden(y)], &mut scratch);
            assert_eq!(out(-7, 0), 7, "{kernel:?}");
            assert_eq!(out(80, -1), 7 + 32 * 3 * 100);
            assert_eq!(out(1000, 20), i64::from(7 + 32 * (3 * QA_SQUARED - 5 * 6)));
        }
    }

    fn network(hidden: usize, rng: &mut Rng) -> Network {
        let architecture = Architecture {
            king_buckets: 1,
            hidden,
            head: Head::Layered,
        };
        let mut number = |bound: usize| rng.below(2 * bound + 1) as i32 - bound as i32;
        let mut small = |count: usize, bound| (0..count).map(|_| number(bound) as i16).collect();
        let (second, last) = (
            small(OUTPUT_BUCKETS * SECOND_INPUTS * SECOND, 1500),
            small(OUTPUT_BUCKETS * SECOND, 2000),
        );
        let mut wide = |count: usize, bound| (0..count).map(|_| number(bound)).collect();
        let weights = Weights {
            architecture,
            feature_weights: vec![0; architecture.inputs() * hidden],
            feature_biases: vec![0; hidden],
            head: HeadWeights::Layered {
                first_biases: wide(OUTPUT_BUCKETS * FIRST, 40_000),
                second,
                second_biases: wide(OUTPUT_BUCKETS * SECOND, 1 << 21),
                last,
                last_biases: wide(OUTPUT_BUCKETS, 1 << 21),
                first: (0..OUTPUT_BUCKETS * hidden * FIRST)
                    .map(|_| number(127) as i8)
                    .collect(),
            },
            scale: 400,
            win_rate: WinRate::DEFAULT,
        };
        Network::new(&weights).expect("a network")
    }

    /// The output of the layers in floating point, which knows no rounding.
    fn exact(hidden: [&[Block]; 2], layers: &Layers) -> f64 {
        let mut products = Vec::new();
        for hidden in hidden {
            let values: Vec<i16> = hidden.iter().flat_map(|block| block.0).collect();
            let value = |at: usize| f64::from(values[at].clamp(0, QA as i16)) / f64::from(QA);
            let half = values.len() / 2;
            // The products are rounded in the layers, too; far too coarsely to leave that out.
            products
                .extend((0..half).map(|at| (value(at) * value(at + half) * f64::from(QP)).round()));
        }
        let first = |unit: usize| {
            let weight = |at: usize| f64::from(layers.first[at / GROUP].0[unit][at % GROUP]);
            let sum: f64 = products
                .iter()
                .enumerate()
                .map(|(at, x)| x * weight(at))
                .sum();
            (sum + f64::from(layers.first_biases[unit])) / f64::from(ONE)
        };
        let first: Vec<f64> = (0..FIRST).map(first).collect();
        let squares = first.iter().map(|x| (x * x).min(1.0));
        let inputs: Vec<f64> = squares
            .chain(first.iter().map(|x| x.clamp(0.0, 1.0)))
            .collect();
        let second = |unit: usize| {
            let weight = |at: usize| f64::from(layers.second[at / PAIR].0[unit][at % PAIR]);
            let terms = inputs.iter().enumerate();
            let sum: f64 = terms.map(|(at, x)| weight(at) / f64::from(QB) * x).sum();
            let sum = sum + f64::from(layers.second_biases[unit]) / f64::from(QA_SQUARED * QB);
            sum.clamp(0.0, 1.0).powi(2) * f64::from(layers.last[unit]) / f64::from(QB)
        };
        (0..SECOND).map(second).sum::<f64>()
            + f64::from(layers.last_bias) / f64::from(QA_SQUARED * QB)
    }

    #[test]
    fn a_layered_head_is_the_same_in_all_kernels() {
        let mut rng = Rng::new(2);
        for hidden in [64, 128, 320] {
            let network = network(hidden, &mut rng);
            let HeadBlocks::Layered(layers) = network.head() else {
                panic!("another head")
            };
            let mut scratch = Scratch::new(&network);
            let mut outputs = HashSet::new();
            for round in 0..200 {
                let bucket = round % OUTPUT_BUCKETS;
                let bound = [30, 200, 900][round % 3];
                let sides = [(); 2].map(|()| row(hidden / LANES, bound, &mut rng));
                let sides = sides.each_ref().map(Vec::as_slice);
                let all: Vec<i64> = Kernel::all()
                    .map(|kernel| kernel.output(network.head(), bucket, sides, &mut scratch))
                    .collect();
                assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
                let output = all[0] as f64 / f64::from(QA_SQUARED * QB);
                let exact = exact(sides, &layers[bucket]);
                assert!((output - exact).abs() < 0.05, "{output} {exact}");
                outputs.insert(all[0]);
            }
            assert!(outputs.len() > 100);
        }
    }

    #[test]
    fn kernels_go_by_name() {
        assert_eq!(Kernel::named("plain").map(Kernel::name), Some("plain"));
        assert!(Kernel::named("nothing").is_none());
        assert!(Kernel::all().any(|kernel| kernel.name() == Kernel::best().name()));
    }
}
