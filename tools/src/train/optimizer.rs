//! The optimizer AdamW, and the schedule of the learning rate and the WDL weight (lambda).

use std::f64::consts::PI;

use rejoinder::eval::network::{MAX_FEATURE_WEIGHT, QA};

use super::model::{Row, TILE};

/// Decay of the mean gradient at each step.
const FIRST_DECAY: f32 = 0.9;
/// Decay of the mean squared gradient at each step.
const SECOND_DECAY: f32 = 0.999;
/// Added to the divisor of a step, which keeps the quotient finite.
const EPSILON: f32 = 1e-8;
/// The usual value of [`AdamW::weight_decay`].
pub const WEIGHT_DECAY: f64 = 0.01;
/// Maximum size of a weight: the range of quantized feature weights.
pub const LIMIT: f32 = MAX_FEATURE_WEIGHT as f32 / QA as f32;

/// The state of the optimizer: running means of the gradient and of its square.
// Source: Loshchilov, Hutter, "Decoupled weight decay regularization" (2019).
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// Share of the learning rate by which every weight shrinks at each step.
    pub weight_decay: f32,
    /// The part of the learning rate at which each weight learns, 0 to 1; empty if it is 1 for all.
    pub factors: Vec<f32>,
    /// The share of the [floor](Floor) under the mean squares, 0 or more; 0 for plain Adam.
    pub floor_share: f32,
    /// Means of the gradient.
    pub first: Vec<f32>,
    /// Means of the squared gradient.
    pub second: Vec<f32>,
}

impl AdamW {
    /// Creates the state at the beginning, for `len` weights.
    pub fn new(len: usize) -> Self {
        Self {
            weight_decay: WEIGHT_DECAY as f32,
            factors: Vec::new(),
            floor_share: 0.0,
            first: vec![0.0; len],
            second: vec![0.0; len],
        }
    }

    /// Step number `step`, from 1, down the mean gradient of a batch.
    pub fn step(&self, batch: usize, rate: f32, step: u64) -> Step {
        let age = step.min(1_000_000) as i32;
        Step {
            scale: 1.0 / batch as f32,
            decay: rate * self.weight_decay,
            rate: rate / (1.0 - FIRST_DECAY.powi(age)),
            floor_share: self.floor_share,
            second_scale: 1.0 / (1.0 - SECOND_DECAY.powi(age)),
        }
    }
}

/// A floor under the mean squares by which the steps of a tile's feature weights are divided, one for
/// each hidden unit: a share of the mean of these mean squares over all inputs, weighted by
/// themselves.
///
/// Adam moves the weights of a rare input as far as those of a common one, although little is known
/// of them. With a floor they move less, and the network learns less by heart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// The floors of the present step.
    least: Row,
    /// Sums of the mean squares that the present step has seen.
    sums: Row,
    /// Sums of their squares.
    squares: Row,
}

impl Floor {
    /// No floor, as before the first step.
    pub const NONE: Self = Self {
        least: [0.0; TILE],
        sums: [0.0; TILE],
        squares: [0.0; TILE],
    };
}

/// The factors of one step.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    scale: f32,
    decay: f32,
    rate: f32,
    floor_share: f32,
    second_scale: f32,
}

/// Some weights, and the state of the optimizer for them.
#[derive(Debug)]
pub struct Learning<'a> {
    /// The weights.
    pub network: &'a mut [f32],
    /// Their part of the learning rate; 1 without it.
    pub factors: Option<&'a [f32]>,
    /// Means of the gradient.
    pub first: &'a mut [f32],
    /// Means of the squared gradient.
    pub second: &'a mut [f32],
    /// The sum of the gradients of the batch, which is reset to zero.
    pub gradient: &'a mut [f32],
}

impl Step {
    /// Takes the step for some weights, without a floor.
    #[inline(always)]
    pub fn take(self, learning: Learning<'_>) {
        let len = learning.network.len();
        self.each(learning, (0..len).map(|_| 0.0));
    }

    /// Takes the step for a row of feature weights of a tile, and counts it for the floor of the next
    /// step.
    #[inline(always)]
    pub fn take_row(self, learning: Learning<'_>, floor: &mut Floor) {
        let Learning { second, .. } = learning;
        let learning = Learning {
            second: &mut *second,
            ..learning
        };
        self.each(learning, floor.least.iter().copied());
        self.count_row(second, floor);
    }

    /// Counts a row's means of the squared gradient for the floor of the next step.
    #[inline(always)]
    pub fn count_row(self, second: &[f32], floor: &mut Floor) {
        let sums = floor.sums.iter_mut().zip(&mut floor.squares);
        for (second, (sum, squares)) in second.iter().zip(sums) {
            let square = second * self.second_scale;
            *sum += square;
            *squares += square * square;
        }
    }

    /// Computes the floor of the next step, after all rows of a tile.
    pub fn raise(self, floor: &mut Floor) {
        let Floor { sums, squares, .. } = *floor;
        let mean = |unit: usize| squares[unit] / sums[unit].max(f32::MIN_POSITIVE);
        *floor = Floor {
            least: std::array::from_fn(|unit| self.floor_share * mean(unit)),
            ..Floor::NONE
        };
    }

    /// Takes the step for each weight; `least` has the least mean square of each.
    #[inline(always)]
    fn each(self, learning: Learning<'_>, least: impl Iterator<Item = f32>) {
        let Learning {
            network,
            factors,
            first,
            second,
            gradient,
        } = learning;
        let weights = network.iter_mut().zip(first).zip(second).zip(gradient);
        let weights = weights.zip(least);
        match factors {
            None => {
                for ((((x, first), second), sum), least) in weights {
                    self.one(x, 1.0, least, [first, second], sum);
                }
            }
            Some(factors) => {
                for (((((x, first), second), sum), least), factor) in weights.zip(factors) {
                    self.one(x, *factor, least, [first, second], sum);
                }
            }
        }
    }

    /// Takes the step for a weight with these two means, of which that of the square counts at least
    /// as `least`.
    #[inline(always)]
    fn one(
        self,
        x: &mut f32,
        factor: f32,
        least: f32,
        [first, second]: [&mut f32; 2],
        sum: &mut f32,
    ) {
        let slope = *sum * self.scale;
        *sum = 0.0;
        *first += (1.0 - FIRST_DECAY) * (slope - *first);
        *second += (1.0 - SECOND_DECAY) * (slope * slope - *second);
        let size = (*second * self.second_scale).max(least).sqrt() + EPSILON;
        let descent = *x * self.decay + self.rate * *first / size;
        *x = (*x - factor * descent).clamp(-LIMIT, LIMIT);
    }
}

/// The quantities that change from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Number of steps of the whole run.
    pub steps: u64,
    /// Learning rates after the warm-up and at the end.
    pub rates: [f64; 2],
    /// WDL weights (lambda) at the beginning and at the end: the share of the result in the target, 0 to 1.
    pub lambdas: [f64; 2],
}

/// The warm-up is one step in this number of steps of the run.
const WARM_UP_PART: u64 = 50;
/// Maximum number of steps of the warm-up.
const WARM_UP: u64 = 200;

impl Schedule {
    /// Returns the learning rate of a step, from 0. It rises in the warm-up and then falls along
    /// half a cosine.
    pub fn rate(&self, step: u64) -> f32 {
        let [from, to] = self.rates;
        let warm_up = (self.steps / WARM_UP_PART).min(WARM_UP);
        if step < warm_up {
            return (from * (step + 1) as f64 / warm_up as f64) as f32;
        }
        (to + (from - to) * (1.0 + (PI * self.part(step)).cos()) / 2.0) as f32
    }

    /// Returns the WDL weight (lambda) of a step, from 0.
    pub fn lambda(&self, step: u64) -> f32 {
        let [from, to] = self.lambdas;
        (from + (to - from) * self.part(step)) as f32
    }

    /// Returns the finished part of the run, 0 to 1.
    fn part(&self, step: u64) -> f64 {
        step.min(self.steps) as f64 / self.steps.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a step of all weights, which must be as many as the optimizer has.
    fn take(adam: &mut AdamW, step: Step, network: &mut [f32], gradient: &mut [f32]) {
        step.take(Learning {
            network,
            factors: (!adam.factors.is_empty()).then_some(&adam.factors),
            first: &mut adam.first,
            second: &mut adam.second,
            gradient,
        });
    }

    #[test]
    fn steps_are_those_of_the_formula() {
        let mut adam = AdamW::new(3);
        adam.weight_decay = 0.03;
        adam.factors = vec![1.0, 1.0, 0.0];
        let (mut network, mut gradient) = ([0.5; 3], [0.0; 3]);
        let (mut x, mut mean, mut square) = (0.5_f64, 0.0_f64, 0.0_f64);
        let rate = 0.01;
        for step in 1..=20_i32 {
            // A batch of 4.
            assert!(gradient.iter().all(|x: &f32| x.to_bits() == 0));
            gradient[1] = 3.0 * step as f32;
            let one = adam.step(4, rate as f32, step as u64);
            take(&mut adam, one, &mut network, &mut gradient);
            let slope = 3.0 * f64::from(step) / 4.0;
            mean = 0.9 * mean + 0.1 * slope;
            square = 0.999 * square + 0.001 * slope * slope;
            let size = (square / (1.0 - 0.999_f64.powi(step))).sqrt();
            x = x * (1.0 - rate * 0.03) - rate * mean / (1.0 - 0.9_f64.powi(step)) / size;
            assert!((x - f64::from(network[1])).abs() < 1e-4, "{step}");
        }
        // Without a gradient, weights only shrink, and with a factor of 0 they stay.
        let shrunk = 0.5 * (1.0 - rate * 0.03).powi(20);
        assert!((f64::from(network[0]) - shrunk).abs() < 1e-4);
        assert_eq!(network[2].to_bits(), 0.5_f32.to_bits());
    }

    #[test]
    fn a_floor_holds_rare_inputs_back() {
        // A common input and one with a gradient at every tenth step only.
        let run = |share| {
            let mut adam = AdamW::new(2 * TILE);
            (adam.weight_decay, adam.floor_share) = (0.0, share);
            let (mut network, mut floor) = ([[0.0; TILE]; 2], Floor::NONE);
            for step in 1..=200 {
                let one = adam.step(1, 0.001, step);
                let rare = if step % 10 == 0 { -1.0 } else { 0.0 };
                let (firsts, _) = adam.first.as_chunks_mut::<TILE>();
                let (seconds, _) = adam.second.as_chunks_mut::<TILE>();
                let rows = network.iter_mut().zip(firsts).zip(seconds);
                for (((row, first), second), slope) in rows.zip([-1.0, rare]) {
                    let learning = Learning {
                        network: row,
                        factors: None,
                        first,
                        second,
                        gradient: &mut [slope; TILE],
                    };
                    one.take_row(learning, &mut floor);
                }
                one.raise(&mut floor);
                // The floor depends on nothing but the mean squares.
                let mut again = Floor::NONE;
                for second in adam.second.as_chunks::<TILE>().0 {
                    one.count_row(second, &mut again);
                }
                one.raise(&mut again);
                assert_eq!(floor, again);
            }
            network.map(|row| row[0])
        };
        let [plain_common, plain_rare] = run(0.0);
        let [common, rare] = run(1.0);
        assert!(plain_rare > plain_common / 4.0, "{plain_rare}");
        assert!(
            rare < plain_common / 8.0 && rare < plain_rare / 2.0,
            "{rare}"
        );
        assert!(common > plain_common * 0.9, "{common} {plain_common}");
    }

    #[test]
    fn weights_stay_inside_the_limit() {
        let mut adam = AdamW::new(9);
        let mut network = [0.0; 9];
        for step in 1..10 {
            let one = adam.step(1, 1.0, step);
            take(&mut adam, one, &mut network, &mut [-1.0; 9]);
        }
        assert!(network.iter().all(|&x| (x - LIMIT).abs() < 1e-6));
    }

    #[test]
    fn rates_and_lambdas_go_from_end_to_end() {
        let schedule = Schedule {
            steps: 100_000,
            rates: [0.001, 0.00001],
            lambdas: [0.2, 0.6],
        };
        assert!(schedule.rate(0) < 0.00001);
        assert!((schedule.rate(WARM_UP) - 0.001).abs() < 1e-6);
        assert!((schedule.rate(50_000) - 0.000505).abs() < 1e-6);
        assert!((schedule.rate(99_999) - 0.00001).abs() < 1e-7);
        assert!((schedule.lambda(0) - 0.2).abs() < 1e-6);
        assert!((schedule.lambda(50_000) - 0.4).abs() < 1e-6);
        let short = Schedule {
            steps: 1,
            ..schedule
        };
        assert!((short.rate(0) - 0.001).abs() < 1e-6);
    }
}
