//! The probability mass of a node's quiet moves: how likely the best one is among those that are
//! still to come.
//!
//! A score of the order is taken for a logit, as that of the policy network is, so that a move is
//! e times as likely to be the best as another one if it is eight [steps](POINTS_PER_STEP) better.

/// The resolution of the weights, in points. Eight steps are about one unit of the policy network's
/// logits (`policy_weight`).
const POINTS_PER_STEP: i32 = 759;
/// The weights of moves by how much they are worse than the best one, in steps.
static WEIGHTS: [i32; 64] = weights();

/// The weights of the quiet moves of one node that are still to come.
#[derive(Clone, Copy, Debug)]
pub struct Mass {
    /// The best score, in points.
    best: i32,
    /// The weight of all moves; 0 if it is not known.
    total: i32,
    /// The weight of the moves that have not been handed out.
    left: i32,
    /// The same before the last one was handed out.
    before: i32,
}

impl Mass {
    /// The mass of a node whose moves have not been scored.
    pub const UNKNOWN: Self = Self {
        best: 0,
        total: 0,
        left: 0,
        before: 0,
    };

    /// Computes the mass of moves with these scores, in points.
    pub fn of(scores: impl Iterator<Item = i32> + Clone) -> Self {
        let best = scores.clone().max().unwrap_or(0);
        let total = scores.map(|score| weight(best, score)).sum();
        Self {
            best,
            total,
            left: total,
            before: total,
        }
    }

    /// Takes out a move with this score.
    #[inline]
    pub fn hand_out(&mut self, score: i32) {
        self.before = self.left;
        if self.total > 0 {
            self.left -= weight(self.best, score);
        }
    }

    /// Returns the share of the mass on the last move handed out and those behind it, in 1/1024;
    /// 512 if it is not known.
    #[inline]
    pub fn remaining_1024(&self) -> i32 {
        if self.total == 0 {
            512
        } else {
            (i64::from(self.before) * 1024 / i64::from(self.total)) as i32
        }
    }
}

/// Returns the weight of a move, in 1/65536 of that of the best one.
#[inline(always)]
fn weight(best: i32, score: i32) -> i32 {
    let steps = (best - score) / POINTS_PER_STEP;
    WEIGHTS[(steps as usize).min(WEIGHTS.len() - 1)]
}

/// Returns 65536 e^(-n / 8). Integers make it the same on every machine.
const fn weights() -> [i32; 64] {
    /// 65536 e^(-1/8).
    const FACTOR: i64 = 57_835;
    let mut table = [1 << 16; 64];
    let mut n = 1;
    while n < table.len() {
        table[n] = (table[n - 1] as i64 * FACTOR / 65_536) as i32;
        n += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_exponential() {
        for (n, &weight) in WEIGHTS.iter().enumerate() {
            let exact = 65_536.0 * (-(n as f64) / 8.0).exp();
            assert!((f64::from(weight) - exact).abs() < 9.0, "{n}: {weight}");
        }
    }

    #[test]
    fn the_mass_falls_with_each_move() {
        assert_eq!(Mass::UNKNOWN.remaining_1024(), 512);
        let scores = [9000, 9000 - 8 * POINTS_PER_STEP, -70_000];
        let mut mass = Mass::of(scores.into_iter());
        let remaining = scores.map(|score| {
            mass.hand_out(score);
            mass.remaining_1024()
        });
        // 1, 1 / e, and nearly nothing.
        assert_eq!(remaining, [1024, 275, 0]);
    }
}
