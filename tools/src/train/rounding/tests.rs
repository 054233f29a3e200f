use super::*;
use crate::train::fixtures;
use crate::train::quantize::quantize;
use crate::train::trainer::Trainer;
use rejoinder::eval::network::Architecture;
use rejoinder::types::Rng;

const GRID: Grid = Grid {
    unit: 16.0,
    limit: 20.0,
};
const INPUTS: usize = 40;
const OUTPUTS: usize = 3;

fn random(rng: &mut Rng) -> f32 {
    (rng.next() >> 40) as f32 / (1_u32 << 24) as f32
}

/// Inputs that go up and down together, each a little on its own.
fn inputs(rng: &mut Rng) -> [f32; INPUTS] {
    let [one, other] = [random(rng), random(rng)];
    std::array::from_fn(|at| {
        let common = if at < 25 { one } else { other };
        (0.8 * common + 0.4 * random(rng) - 0.2).max(0.0)
    })
}

fn outputs(weights: &[f32], biases: &[f32], inputs: &[f32]) -> [f32; OUTPUTS] {
    let of = |out: usize| {
        let terms = inputs.iter().enumerate();
        biases[out]
            + terms
                .map(|(at, x)| x * weights[at * OUTPUTS + out])
                .sum::<f32>()
    };
    std::array::from_fn(of)
}

#[test]
fn outputs_change_less_than_with_the_nearest_numbers() {
    let mut rng = Rng::new(3);
    let mut moments = Moments::of_inputs(INPUTS);
    for _ in 0..2_000 {
        moments.add(inputs(&mut rng).into_iter().enumerate());
    }
    let exact: Vec<f32> = (0..INPUTS * OUTPUTS)
        .map(|_| random(&mut rng) - 0.5)
        .collect();
    let biases = [0.1, -0.2, 0.3];
    let nearest: Vec<f32> = exact
        .iter()
        .map(|&x| GRID.nearest(x.into()) as f32)
        .collect();
    let (mut weights, mut moved) = (exact.clone(), biases);
    moments.round(&mut weights, &mut moved, GRID);
    assert!(weights.iter().all(|x| (x * 16.0).fract() == 0.0));
    let (mut before, mut after, mut sum) = (0.0, 0.0, 0.0);
    for _ in 0..2_000 {
        // Positions that the rounding has not seen.
        let inputs = inputs(&mut rng);
        let wanted = outputs(&exact, &biases, &inputs);
        let one = outputs(&nearest, &biases, &inputs);
        let other = outputs(&weights, &moved, &inputs);
        for out in 0..OUTPUTS {
            before += (one[out] - wanted[out]).powi(2);
            after += (other[out] - wanted[out]).powi(2);
            sum += other[out] - wanted[out];
        }
    }
    assert!(after < before / 3.0, "{before} {after}");
    assert!(sum.abs() / 6_000.0 < 0.003, "{sum}");
}

#[test]
fn weights_stay_on_the_grid_even_where_nothing_was_seen() {
    let mut rng = Rng::new(4);
    let mut moments = Moments::of_inputs(INPUTS);
    let loud: Vec<f32> = (0..INPUTS * OUTPUTS)
        .map(|_| 4.0 * random(&mut rng) - 2.0)
        .collect();
    let nearest: Vec<f32> = loud
        .iter()
        .map(|&x| GRID.nearest(x.into()) as f32)
        .collect();
    let (mut weights, mut biases) = (loud.clone(), [0.5; OUTPUTS]);
    moments.round(&mut weights, &mut biases, GRID);
    assert_eq!((weights, biases), (nearest, [0.5; OUTPUTS]));
    // One position, again and again: all inputs say the same.
    let inputs = inputs(&mut rng);
    for _ in 0..10 {
        moments.add(inputs.into_iter().enumerate());
    }
    let (mut weights, mut biases) = (loud.clone(), [0.5; OUTPUTS]);
    moments.round(&mut weights, &mut biases, GRID);
    let on_grid = |x: &f32| x.abs() <= 20.0 / 16.0 && (x * 16.0).fract() == 0.0;
    assert!(weights.iter().all(on_grid), "{weights:?}");
    assert!(biases.iter().all(|bias| bias.is_finite()));
}

#[test]
fn a_rounded_head_says_nearly_the_same() {
    let samples = fixtures::samples(6_000, 6);
    let (seen, others) = samples.split_at(4_000);
    let shape = Shape(Architecture {
        king_buckets: 4,
        relations: 17,
        hidden: 64,
        head: Head::Layered,
    });
    let mut network = shape.initial(7);
    let mut rng = Rng::new(8);
    // Without these, all units of the layers would nearly be 0.
    for x in &mut network[shape.biases()..shape.head_start()] {
        *x = random(&mut rng);
    }
    for x in &mut network[shape.head_start()..] {
        *x += 0.3 * random(&mut rng) - 0.15;
    }
    shape.head().clip(&mut network[shape.head_start()..]);
    let outputs = |network: Vec<f32>| Trainer::new(shape, network, 1).outputs(others);
    let exact = outputs(network.clone());
    let error = |samples: &[Sample]| {
        let outputs = outputs(round_head(shape, &network, samples, 2));
        let errors = outputs.iter().zip(&exact).map(|(x, y)| (x - y).abs());
        errors.sum::<f32>() / others.len() as f32
    };
    let [nearest, rounded] = [error(&[]), error(seen)];
    assert!(nearest > 1e-4, "{nearest}");
    assert!(rounded < 0.9 * nearest, "{nearest} {rounded}");
}

#[test]
fn only_a_layered_head_is_rounded() {
    let samples = fixtures::samples(500, 6);
    for head in [Head::Direct, Head::Layered] {
        let shape = Shape(Architecture {
            king_buckets: 4,
            relations: 17,
            hidden: 64,
            head,
        });
        let network = shape.initial(5);
        let [one, three] = [1, 3].map(|threads| round_head(shape, &network, &samples, threads));
        assert_eq!(one, three);
        assert_eq!(one == network, head == Head::Direct);
        let (own, features) = (shape.head_start(), &network[..shape.head_start()]);
        assert_eq!(&one[..own], features);
        // Nothing is left to round.
        let (weights, _) = quantize(shape, &one);
        let (unseen, _) = quantize(shape, &round_head(shape, &network, &[], 1));
        let (nearest, _) = quantize(shape, &network);
        assert_eq!(unseen, nearest);
        assert_eq!(weights == nearest, head == Head::Direct);
    }
}
