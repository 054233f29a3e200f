use super::*;
use crate::train::batch::{self, UNIT};
use crate::train::fixtures;
use crate::train::trainer::Trainer;
use rejoinder::board::Board;
use rejoinder::eval::features::KingBuckets;
use rejoinder::eval::features::OUTPUT_BUCKETS;

const TARGET: Target = Target {
    lambda: 0.3,
    score_scale: 300.0,
    power: 2.4,
    weights: WEIGHTS,
};

const WEIGHTS: [f32; MAX_PIECES + 1] = {
    let mut weights = [0.4; MAX_PIECES + 1];
    weights[MAX_PIECES] = 0.8;
    weights
};

const fn shape(king_buckets: usize) -> Shape {
    Shape(Architecture {
        king_buckets,
        relations: if king_buckets == 4 { 17 } else { 0 },
        hidden: 64,
    })
}

/// A sample as the plain loss sees it.
struct Plain {
    /// For each side the active inputs, with the shared rows they belong to.
    rows: [Vec<(usize, Option<usize>)>; 2],
    bucket: usize,
    target: f64,
    weight: f64,
}

impl Plain {
    fn all(shape: Shape, samples: &[Sample]) -> Vec<Self> {
        let plain = |sample: &Sample| {
            let inputs = sample.inputs(shape.0);
            let rows = inputs.sides.map(|side| {
                let side = side.into_iter().map(usize::from);
                side.map(|input| (input, shape.shared_row(input))).collect()
            });
            Self {
                rows,
                bucket: inputs.bucket,
                target: TARGET.of(sample).into(),
                weight: TARGET.weight(sample).into(),
            }
        };
        samples.iter().map(plain).collect()
    }
}

/// Returns the sum of losses in 64 bits, written down as plainly as it can be.
fn loss(shape: Shape, network: &[f64], samples: &[Plain]) -> f64 {
    let size = shape.hidden();
    let biases = &network[shape.biases()..];
    let error = |sample: &Plain| {
        let sums = sample.rows.each_ref().map(|rows| {
            let mut sums = biases[..size].to_vec();
            for (first, sums) in (0..).step_by(TILE).zip(sums.chunks_exact_mut(TILE)) {
                for &(input, shared) in rows {
                    let own = shape.feature(input, first);
                    let shared = shared.map(|row| shape.shared(row, first));
                    for start in std::iter::once(own).chain(shared) {
                        for (sum, weight) in sums.iter_mut().zip(&network[start..]) {
                            *sum += weight;
                        }
                    }
                }
            }
            sums
        });
        let head = &network[shape.head_start()..];
        let weights = &head[sample.bucket * 2 * size..];
        let bias = head[OUTPUT_BUCKETS * 2 * size + sample.bucket];
        let active = sums.iter().flatten().map(|sum| sum.clamp(0.0, 1.0));
        let terms = active.zip(weights).map(|(x, weight)| x * x * weight);
        let output = bias + terms.sum::<f64>();
        let error = 1.0 / (1.0 + (-output).exp()) - sample.target;
        sample.weight * error.abs().powf(TARGET.power.into())
    };
    samples.iter().map(error).sum()
}

/// Weights large enough that both ends of the activation occur, and that the forward pass of the
/// training knows exactly.
fn network(shape: Shape) -> Vec<f32> {
    let mut network = shape.initial(3);
    let mut rng = Rng::new(4);
    for x in &mut network[..shape.features()] {
        *x += rng.below(100) as f32 / 1000.0 - 0.05;
    }
    for x in &mut network[shape.biases()..shape.head_start()] {
        *x = rng.below(100) as f32 / 100.0;
    }
    for x in &mut network[shape.head_start()..] {
        *x += rng.below(100) as f32 / 400.0 - 0.125;
    }
    for x in &mut network[..shape.head_start()] {
        *x = (*x * UNIT).round() / UNIT;
    }
    network
}

/// Returns the loss and its gradient.
fn gradient(shape: Shape, network: &[f32], samples: &[Sample]) -> (f64, Vec<f32>) {
    Trainer::new(shape, network.to_vec(), 2).gradient(samples, TARGET)
}

#[test]
fn the_gradient_is_that_of_finite_differences() {
    for shape in KingBuckets::counts().map(shape) {
        let network = network(shape);
        let samples = fixtures::samples(160, 1);
        let (loss_found, gradient) = gradient(shape, &network, &samples);
        let mut exact: Vec<f64> = network.iter().copied().map(f64::from).collect();
        let plain = Plain::all(shape, &samples);
        let expected = loss(shape, &exact, &plain);
        assert!((loss_found / expected - 1.0).abs() < 1e-4);

        // Some of each part: features that occur, shared ones, biases, the head.
        let mut rng = Rng::new(5);
        let mut places: Vec<usize> = (shape.biases()..shape.head_start()).collect();
        rng.shuffle(&mut places);
        places.truncate(20);
        let mut head: Vec<usize> = (shape.head_start()..shape.numbers()).collect();
        rng.shuffle(&mut head);
        places.extend(&head[..60]);
        places.extend(shape.numbers() - 300..shape.numbers());
        for _ in 0..30 {
            let inputs = samples[rng.below(samples.len())].inputs(shape.0);
            let half = &inputs.sides[rng.below(2)];
            let input = usize::from(rng.choose(half).expect("a piece"));
            let unit = rng.below(shape.hidden());
            places.push(shape.feature(input, unit));
            if let Some(row) = shape.shared_row(input) {
                places.push(shape.shared(row, unit));
            }
        }
        let [mut flat, mut bends] = [0; 2];
        for &at in &places {
            let step = 1e-6;
            let mut at_offset = |offset: f64| {
                let before = exact[at];
                exact[at] += offset;
                let loss = loss(shape, &exact, &plain);
                exact[at] = before;
                loss
            };
            let [below, above] = [at_offset(-step), at_offset(step)];
            let slope = (above - below) / (2.0 * step);
            if ((above - expected) - (expected - below)).abs() > 1.5e-4 * step {
                // A sum is exactly at the end of an activation: there is no slope here.
                bends += 1;
                continue;
            }
            let found = f64::from(gradient[at]);
            let error = (slope - found).abs();
            assert!(
                error < 1e-4 + 2e-3 * slope.abs(),
                "{shape:?} {at}: {slope} {found}"
            );
            flat += usize::from(slope == 0.0);
        }
        assert!(bends < places.len() / 20, "{bends}");
        assert!(flat < places.len() * 2 / 3, "{flat}");
    }
}

#[test]
fn the_gradient_of_several_blocks_is_their_sum() {
    let shape = shape(4);
    let network = network(shape);
    let samples = fixtures::samples(2 * batch::BLOCK + 40, 1);
    let (loss, all) = gradient(shape, &network, &samples);
    let (one, other) = samples.split_at(700);
    let [one, other] = [one, other].map(|part| gradient(shape, &network, part));
    assert!((one.0 + other.0 - loss).abs() < 1e-6 * loss);
    for (at, sum) in all.iter().enumerate() {
        let parts = one.1[at] + other.1[at];
        assert!((sum - parts).abs() < 1e-4 + 1e-3 * sum.abs(), "{at}");
    }
}

#[test]
fn outputs_and_losses_agree() {
    let shape = shape(4);
    let network = network(shape);
    let samples = fixtures::samples(BLOCK + 7, 2);
    let mut outputs = vec![0.0; samples.len()];
    let mut sums = vec![0.0; shape.features()];
    shape.add_up(&network, &mut sums);
    let parts = Parts::new(shape, &network, &sums);
    Pass::new(shape).outputs(&parts, &samples, &mut outputs);
    let loss = |(output, sample)| {
        let error = sigmoid(output) - TARGET.of(sample);
        f64::from(TARGET.weight(sample) * TARGET.loss(error)[0])
    };
    let sum: f64 = outputs.into_iter().zip(&samples).map(loss).sum();
    let (found, _) = gradient(shape, &network, &samples);
    assert!((sum - found).abs() < 1e-5 * sum, "{sum} {found}");
}

#[test]
fn the_number_of_pieces_decides_the_weight() {
    let weight = |fen: &str| {
        let board = Board::from_fen(fen).expect("a position");
        TARGET.weight(&Sample::new(&board, 0, 1))
    };
    let start = Board::startpos().fen(false);
    assert_eq!(
        weight("4k3/8/8/8/8/8/8/4K3 w - - 0 1").to_bits(),
        0.4_f32.to_bits()
    );
    assert_eq!(weight(&start).to_bits(), 0.8_f32.to_bits());
}

#[test]
fn targets_mix_score_and_result() {
    let of = |score, result, lambda| {
        let target = Target { lambda, ..TARGET };
        target.of(&Sample::new(&Board::startpos(), score, result))
    };
    assert!((of(0, 0, 0.25) - 0.375).abs() < 1e-6);
    assert!((of(300, 0, 0.0) - 0.731).abs() < 1e-3);
    assert!((of(300, 1, 1.0) - 0.5).abs() < 1e-6);
}
