//! A small neural network that judges parts of a position: few inputs that are there or not, one hidden layer, a number for
//! each output. Whole numbers only, so that an order of moves is the same on every machine.
//!
//! The file, little-endian: `RJMN`, version, inputs, hidden, outputs (each 16 bits), checksum of the rest (64 bits), then
//! weights of 16 bits: a row for each input, the hidden biases, a row for each output, the output biases.

use crate::types::fnv1a;

/// Width of the hidden layer.
pub const HIDDEN: usize = 32;
/// One, in weights and biases of either layer.
pub const ONE: i32 = 256;
/// What the clipped ReLU of the hidden layer lets through at most, in ones.
// 32 products of it with 16 bits are inside 32 bits.
pub const CLIP: i32 = 4;

const MAGIC: &[u8] = b"RJMN";
const VERSION: u16 = 1;
const HEADER: usize = 20;

/// Numbers of the hidden layer or of the row that belongs to it.
pub type Row = [i16; HIDDEN];

/// How many inputs and outputs a network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
}

impl Shape {
    /// How many numbers it takes.
    pub const fn numbers(self) -> usize {
        (self.inputs + 1) * HIDDEN + self.outputs * (HIDDEN + 1)
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
pub struct SmallNet {
    inputs: Vec<Row>,
    hidden_bias: Row,
    outputs: Vec<Row>,
    output_bias: Vec<i16>,
}

impl SmallNet {
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
        if numbers != Self::shape_bytes(shape) || rest.len() != 2 * shape.numbers() {
            return Err(SmallNetError::Shape);
        }
        if header[12..] != fnv1a(rest).to_le_bytes() {
            return Err(SmallNetError::Checksum);
        }
        let numbers = rest.chunks_exact(2);
        let numbers = numbers.map(|two| i16::from_le_bytes([two[0], two[1]]));
        Ok(Self::from_numbers(numbers, shape))
    }

    /// From the numbers in their order in the file; missing ones are 0.
    pub fn from_numbers(numbers: impl IntoIterator<Item = i16>, shape: Shape) -> Self {
        let mut numbers = numbers.into_iter();
        let mut next = || numbers.next().unwrap_or_default();
        let mut rows = |count| {
            let row = |_| std::array::from_fn(|_| next());
            (0..count).map(row).collect::<Vec<Row>>()
        };
        let mut inputs = rows(shape.inputs + 1);
        let hidden_bias = inputs.pop().unwrap_or_default();
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
        let rows = rows.chain(&self.outputs).flatten();
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
    pub fn hidden(&self, inputs: impl IntoIterator<Item = u16>) -> Row {
        let mut sums = self.hidden_bias.map(i32::from);
        for input in inputs {
            for (sum, &weight) in sums.iter_mut().zip(&self.inputs[usize::from(input)]) {
                *sum += i32::from(weight);
            }
        }
        sums.map(|sum| sum.clamp(0, CLIP * ONE) as i16)
    }

    /// An output: a logarithm of odds in parts of [`ONE`].
    pub fn output(&self, hidden: &Row, output: usize) -> i32 {
        let products = hidden.iter().zip(&self.outputs[output]);
        let sum: i32 = products.map(|(&x, &w)| i32::from(x) * i32::from(w)).sum();
        sum / ONE + i32::from(self.output_bias[output])
    }

    /// Points for a sum of outputs, of which [`ONE`] is worth `weight` points.
    pub fn points(outputs: i32, weight: i32) -> i32 {
        (i64::from(outputs) * i64::from(weight) / i64::from(ONE)) as i32
    }

    fn shape_bytes(shape: Shape) -> Vec<u8> {
        let numbers = [shape.inputs, HIDDEN, shape.outputs];
        let bytes = |number: usize| (number as u16).to_le_bytes();
        numbers.into_iter().flat_map(bytes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        inputs: 3,
        outputs: 2,
    };

    #[test]
    fn files_come_back_or_are_refused() {
        let net = SmallNet::from_numbers((0..).map(|number| number * 7 - 300), SHAPE);
        let bytes = net.to_bytes();
        assert_eq!(SmallNet::read(&bytes, SHAPE).as_ref(), Ok(&net));
        let error = |bytes: &[u8]| SmallNet::read(bytes, SHAPE).expect_err("no network");
        assert_eq!(error(b"RJMN"), SmallNetError::Kind);
        assert_eq!(error(&bytes[..bytes.len() - 1]), SmallNetError::Shape);
        let other = Shape { inputs: 4, ..SHAPE };
        assert_eq!(SmallNet::read(&bytes, other), Err(SmallNetError::Shape));
        let mut damaged = bytes;
        damaged[HEADER + 5] ^= 1;
        assert_eq!(error(&damaged), SmallNetError::Checksum);
    }

    #[test]
    fn extreme_weights_do_not_overflow() {
        for extreme in [i16::MIN, i16::MAX] {
            let net = SmallNet::from_numbers(std::iter::repeat(extreme), SHAPE);
            let hidden = net.hidden([0, 1, 2]);
            let sum = i64::from(hidden[0]) * i64::from(extreme) * HIDDEN as i64;
            let expected = sum / i64::from(ONE) + i64::from(extreme);
            assert_eq!(i64::from(net.output(&hidden, 1)), expected);
        }
        let steep = SmallNet::from_numbers([i16::MAX; HIDDEN * 6], SHAPE);
        assert_eq!(steep.hidden([0]), [(CLIP * ONE) as i16; HIDDEN]);
    }
}
