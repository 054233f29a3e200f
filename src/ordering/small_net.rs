//! A small neural network that judges parts of a position: few inputs that are there or not, one hidden layer of `H` units, a number
//! for each output. Whole numbers only, so that an order of moves is the same on every machine.
//!
//! The loops are so short that the compiler turns them into the vectors of the instructions it builds for; no kernel by hand was faster.
//!
//! The file, little-endian: `RJMN`, version, inputs, hidden, outputs (each 16 bits), checksum of the rest (64 bits), then
//! weights of 16 bits: a row for each input, the hidden biases, a row for each output, the output biases.

use crate::types::fnv1a;

/// One, in weights and biases of either layer.
pub const ONE: i32 = 256;
/// What the clipped ReLU of the hidden layer lets through at most, in ones.
pub const CLIP: i32 = 4;

const MAGIC: &[u8] = b"RJMN";
const VERSION: u16 = 1;
const HEADER: usize = 20;

/// Numbers of the hidden layer or of the row that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Row<const H: usize>([i16; H]);

/// How many inputs and outputs a network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
}

impl Shape {
    /// How many numbers it takes with so many hidden units.
    pub const fn numbers(self, hidden: usize) -> usize {
        (self.inputs + 1 + self.outputs) * hidden + self.outputs
    }
}

/// Why a file is no such network.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmallNetError {
    /// Not such a file at all, or of another version.
    #[error("no small network of version {VERSION}")]
    Kind,
    /// For something else, or cut off.
    #[error("a small network of another shape or size")]
    Shape,
    /// Damaged.
    #[error("the checksum is wrong: the file is damaged")]
    Checksum,
}

/// The network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallNet<const H: usize> {
    inputs: Vec<Row<H>>,
    hidden_bias: Row<H>,
    outputs: Vec<Row<H>>,
    output_bias: Vec<i16>,
}

impl<const H: usize> SmallNet<H> {
    /// From the bytes of a file.
    ///
    /// # Errors
    /// If it is damaged, or has another shape.
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

    /// From the numbers in their order in the file; missing ones are 0.
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

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows = self.inputs.iter().chain([&self.hidden_bias]);
        let rows = rows.chain(&self.outputs).flat_map(|row| &row.0);
        let numbers = rows.chain(&self.output_bias);
        let body: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
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

    /// The hidden layer for the inputs that are there.
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

    /// An output: a logarithm of odds in parts of [`ONE`] * [`ONE`].
    // It wraps; the weights of a network that was trained leave it far from that.
    #[inline(always)]
    pub fn output(&self, hidden: &Row<H>, output: usize) -> i32 {
        let products = hidden.0.iter().zip(&self.outputs[output].0);
        let products = products.map(|(&x, &w)| i32::from(x) * i32::from(w));
        let sum = products.fold(0_i32, i32::wrapping_add);
        sum.wrapping_add(i32::from(self.output_bias[output]) * ONE)
    }

    fn shape_bytes(shape: Shape) -> Vec<u8> {
        let numbers = [shape.inputs, H, shape.outputs];
        let bytes = |number: usize| (number as u16).to_le_bytes();
        numbers.into_iter().flat_map(bytes).collect()
    }
}

/// Points for a sum of outputs, of which a one is worth `weight` points.
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
    fn files_come_back_or_are_refused() {
        let net = Net::from_numbers((0..).map(|number| number * 7 - 300), SHAPE);
        let bytes = net.to_bytes();
        assert_eq!(Net::read(&bytes, SHAPE).as_ref(), Ok(&net));
        let error = |bytes: &[u8]| Net::read(bytes, SHAPE).expect_err("no network");
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
    fn outputs_are_those_of_plain_sums() {
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
