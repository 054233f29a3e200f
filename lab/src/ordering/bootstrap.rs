//! How sure a mean is: it is taken again and again of positions drawn at random from those that were searched.
// Source: B. Efron, "Bootstrap Methods: Another Look at the Jackknife" (1979).

use rejoinder::types::Rng;

/// Draws of as many positions as there are.
const RESAMPLES: usize = 2000;
const SEED: u64 = 1;

/// A mean with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Of the positions themselves.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The geometric mean of ratios above 0; 1 of none.
pub fn geometric_mean(ratios: &[f64]) -> Mean {
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let count = logs.len().max(1) as f64;
    let mut rng = Rng::new(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = logs.iter().map(|_| logs[rng.below(logs.len())]);
            drawn.sum::<f64>() / count
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Mean {
        value: (logs.iter().sum::<f64>() / count).exp(),
        low: means[RESAMPLES / 40].exp(),
        high: means[RESAMPLES - 1 - RESAMPLES / 40].exp(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ratios whose logarithms are spread evenly, by this much either way, about that of `truth`.
    fn fixtures(rng: &mut Rng, truth: f64, spread: f64) -> Vec<f64> {
        (0..150)
            .map(|_| truth * (spread * (2.0 * rng.unit() - 1.0)).exp())
            .collect()
    }

    #[test]
    fn the_interval_holds_the_truth_nineteen_times_of_twenty() {
        let mut rng = Rng::new(7);
        let truth = 1.07;
        let held = (0..100)
            .filter(|_| {
                let mean = geometric_mean(&fixtures(&mut rng, truth, 0.5));
                assert!(mean.low < mean.value && mean.value < mean.high);
                (mean.low..mean.high).contains(&truth)
            })
            .count();
        assert!((88..=99).contains(&held), "{held}");
    }

    #[test]
    fn the_interval_is_as_wide_as_the_positions_differ() {
        let mut rng = Rng::new(8);
        let mut width = |spread: f64| {
            let mean = geometric_mean(&fixtures(&mut rng, 1.0, spread));
            mean.high - mean.low
        };
        // 1.96 standard deviations of an even distribution, either way.
        let expected = 2.0 * 1.96 * 0.1 / 3_f64.sqrt() / 150_f64.sqrt();
        let ratio = width(0.1) / expected;
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
        assert!(width(0.0) < 1e-9);
        assert_eq!(geometric_mean(&[]).value.to_bits(), 1_f64.to_bits());
    }
}
