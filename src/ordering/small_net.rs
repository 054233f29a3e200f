//! A small neural network with sparse binary inputs, one hidden layer of `H` units and a number for
//! each output. It computes with integers only, so that moves are ordered alike on every machine.
//!
//! The compiler vectorizes the short loops, except the dot product where it is part of a larger
//! function.
//!
//! The file is little-endian: `RJMN`, then version, number of inputs, of hidden units and of
//! outputs (16 bits each), the checksum of the rest (64 bits), and the weights (16 bits each): a
//! row for each input, the hidden biases, a row for each output, the output biases.

use crate::types::fnv1a;

/// The number 1.0 in the fixed-point weights and biases of both layers.
pub const ONE: i32 = 256;
/// Upper limit of the hidden layer's clipped ReLU, in units of [`ONE`].
pub const CLIP: i32 = 4;

const MAGIC: &[u8] = b"RJMN";
const VERSION: u16 = 1;
const HEADER: usize = 20;

/// The values of the hidden layer, or a row of weights for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Row<const H: usize>([i16; H]);

/// The numbers of inputs and outputs of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
}

impl Shape {
    /// Returns the number of weights and biases of a network with `hidden` hidden units.
    pub const fn numbers(self, hidden: usize) -> usize {
        (self.inputs + 1 + self.outputs) * hidden + self.outputs
    }
}

/// The reason why a file cannot be read as a small network.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmallNetError {
    /// The file is of another kind or version.
    #[error("the file is not a small network of version {VERSION}")]
    Kind,
    /// The network has another shape, or the file is truncated.
    #[error("the small network has another shape, or its file is truncated")]
    Shape,
    /// The checksum does not match.
    #[error("the checksum is wrong: the file is damaged")]
    Checksum,
}

/// A network with `H` hidden units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallNet<const H: usize> {
    inputs: Vec<Row<H>>,
    hidden_bias: Row<H>,
    outputs: Vec<Row<H>>,
    output_bias: Vec<i16>,
}

impl<const H: usize> SmallNet<H> {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If the file is damaged, or the network has another shape.
    pub fn read(bytes: &[u8], shape: Shape) -> Result<Self, SmallNetError> {
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or(SmallNetError::Kind)?;
        let (kind, numbers) = (&header[..6], &header[6..12]);
        if kind != [MAGIC, &VERSION.to_le_bytes()].concat() {
            return Err(SmallNetError::Kind);
        }
        if numbers != Self::shape_bytes(shape) || rest.len() != 2 * shape.numbers(H) {
            return Err(SmallNetError::Shape);
        }
        if header[12..] != fnv1a(rest).to_le_bytes() {
            return Err(SmallNetError::Checksum);
        }
        let numbers = rest.as_chunks().0.iter();
        let numbers = numbers.map(|&two| i16::from_le_bytes(two));
        Ok(Self::from_numbers(numbers, shape))
    }

    /// Creates a network from its weights and biases in the order of the file; missing ones are 0.
    pub fn from_numbers(numbers: impl IntoIterator<Item = i16>, shape: Shape) -> Self {
        let mut numbers = numbers.into_iter();
        let mut next = || numbers.next().unwrap_or_default();
        let mut rows = |count| {
            let row = |_| Row(std::array::from_fn(|_| next()));
            (0..count).map(row).collect::<Vec<Row<H>>>()
        };
        let inputs = rows(shape.inputs);
        let hidden_bias = rows(1)[0];
        let outputs = rows(shape.outputs);
        let output_bias = (0..shape.outputs).map(|_| next()).collect();
        Self {
            inputs,
            hidden_bias,
            outputs,
            output_bias,
        }
    }

    /// Returns the weights and biases in the order of the file.
    pub fn numbers(&self) -> impl Iterator<Item = i16> {
        let rows = self.inputs.iter().chain([&self.hidden_bias]);
        let rows = rows.chain(&self.outputs).flat_map(|row| row.0);
        rows.chain(self.output_bias.iter().copied())
    }

    /// Returns the bytes of the network's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body: Vec<u8> = self.numbers().flat_map(i16::to_le_bytes).collect();
        let shape = Shape {
            inputs: self.inputs.len(),
            outputs: self.outputs.len(),
        };
        [
            MAGIC,
            &VERSION.to_le_bytes(),
            &Self::shape_bytes(shape),
            &fnv1a(&body).to_le_bytes(),
            &body,
        ]
        .concat()
    }

    /// Returns the hidden layer for the indices of the active inputs.
    #[inline(always)]
    pub fn hidden(&self, inputs: &[u16]) -> Row<H> {
        let mut sums = self.hidden_bias.0;
        for &input in inputs {
            for (sum, &weight) in sums.iter_mut().zip(&self.inputs[usize::from(input)].0) {
                *sum = sum.saturating_add(weight);
            }
        }
        Row(sums.map(|sum| sum.clamp(0, (CLIP * ONE) as i16)))
    }

    /// Returns an output: a logit in units of 1 / [`ONE`]². A sum that overflows wraps around, but
    /// the sums of a trained network are far from that.
    #[inline(always)]
    pub fn output(&self, hidden: &Row<H>, output: usize) -> i32 {
        const {
            assert!(
                H.is_multiple_of(16),
                "the dot product takes 16 numbers at a time"
            );
        };
        let sum = dot_product(hidden, &self.outputs[output]);
        sum.wrapping_add(i32::from(self.output_bias[output]) * ONE)
    }

    fn shape_bytes(shape: Shape) -> Vec<u8> {
        let numbers = [shape.inputs, H, shape.outputs];
        let bytes = |number: usize| (number as u16).to_le_bytes();
        numbers.into_iter().flat_map(bytes).collect()
    }
}

/// Returns the sum of the products of two rows' numbers; it wraps around.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
fn dot_product<const H: usize>(one: &Row<H>, other: &Row<H>) -> i32 {
    use std::arch::x86_64::{
        __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_load_si256, _mm256_madd_epi16,
        _mm256_setzero_si256,
    };

    let (ones, others) = (one.0.as_chunks::<16>().0, other.0.as_chunks::<16>().0);
    // SAFETY: the program is compiled for these instructions only. Sixteen numbers fill a register,
    // and the alignment of a row is a multiple of theirs.
    unsafe {
        let load = |numbers: &[i16; 16]| _mm256_load_si256(numbers.as_ptr().cast::<__m256i>());
        let mut sums = _mm256_setzero_si256();
        for (one, other) in ones.iter().zip(others) {
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(load(one), load(other)));
        }
        let (low, high) = (
            _mm256_castsi256_si128(sums),
            _mm256_extracti128_si256::<1>(sums),
        );
        let four = _mm_add_epi32(low, high);
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two)))
    }
}

/// Returns the sum of the products of two rows' numbers; it wraps around.
///
/// By itself and in short pieces, the compiler turns this into one instruction for many products.
/// As a part of a larger function, it did not.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline(never)]
fn dot_product<const H: usize>(one: &Row<H>, other: &Row<H>) -> i32 {
    let (ones, others) = (one.0.as_chunks::<16>().0, other.0.as_chunks::<16>().0);
    let mut sum = 0_i32;
    for (one, other) in ones.iter().zip(others) {
        let products = one
            .iter()
            .zip(other)
            .map(|(&x, &w)| i32::from(x) * i32::from(w));
        sum = sum.wrapping_add(products.fold(0, i32::wrapping_add));
    }
    sum
}

/// Returns a sum of outputs in points, where a logit of 1.0 is worth `weight` points.
#[inline(always)]
pub const fn points(outputs: i32, weight: i32) -> i32 {
    ((outputs as i64 * weight as i64) / (ONE as i64 * ONE as i64)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    type Net = SmallNet<64>;

    const SHAPE: Shape = Shape {
        inputs: 3,
        outputs: 2,
    };

    #[test]
    fn files_are_read_back_or_refused() {
        let net = Net::from_numbers((0..).map(|number| number * 7 - 300), SHAPE);
        let bytes = net.to_bytes();
        assert_eq!(Net::read(&bytes, SHAPE).as_ref(), Ok(&net));
        let error = |bytes: &[u8]| Net::read(bytes, SHAPE).expect_err("a refusal");
        assert_eq!(error(b"RJMN"), SmallNetError::Kind);
        assert_eq!(error(&bytes[..bytes.len() - 1]), SmallNetError::Shape);
        let other = Shape { inputs: 4, ..SHAPE };
        assert_eq!(Net::read(&bytes, other), Err(SmallNetError::Shape));
        let narrower = SmallNet::<32>::read(&bytes, SHAPE);
        assert_eq!(narrower, Err(SmallNetError::Shape));
        let mut damaged = bytes;
        damaged[HEADER + 5] ^= 1;
        assert_eq!(error(&damaged), SmallNetError::Checksum);
    }

    #[test]
    fn outputs_equal_plain_sums() {
        let numbers: Vec<i16> = (0..SHAPE.numbers(64) as i16)
            .map(|number| number * 37 % 401 - 180)
            .collect();
        let net = Net::from_numbers(numbers.iter().copied(), SHAPE);
        let number = |row: usize, unit: usize| i32::from(numbers[64 * row + unit]);
        let hidden = |unit: usize| {
            let sum: i32 = [0, 2, SHAPE.inputs]
                .map(|row| number(row, unit))
                .iter()
                .sum();
            sum.clamp(0, CLIP * ONE)
        };
        for output in 0..SHAPE.outputs {
            let row = SHAPE.inputs + 1 + output;
            let sum: i32 = (0..64).map(|unit| hidden(unit) * number(row, unit)).sum();
            let bias = number(SHAPE.inputs + 1 + SHAPE.outputs, output);
            assert_eq!(net.output(&net.hidden(&[0, 2]), output), sum + bias * ONE);
        }
    }

    #[test]
    fn the_hidden_layer_is_clipped() {
        let high = Net::from_numbers([i16::MAX; 64 * 6], SHAPE);
        assert_eq!(high.hidden(&[0, 1, 2]).0, [(CLIP * ONE) as i16; 64]);
        let low = Net::from_numbers([i16::MIN; 64 * 6], SHAPE);
        assert_eq!(low.hidden(&[0, 1, 2]).0, [0; 64]);
    }
}
