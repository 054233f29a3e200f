//! Confidence intervals by the bootstrap: the mean is computed again and again for positions drawn
//! at random with replacement.
// Source: B. Efron, "Bootstrap Methods: Another Look at the Jackknife" (1979).

use rejoinder::types::Rng;

/// Number of resamples, each as large as the sample.
const RESAMPLES: usize = 2000;
/// Seed of the resamples.
const SEED: u64 = 1;

/// A mean with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Mean of the sample.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Returns the geometric mean of positive ratios; 1 if there are none.
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

    /// Random ratios whose logarithms are uniform in an interval of `spread` on either side of the
    /// logarithm of `truth`.
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
