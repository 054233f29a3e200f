//! The effort of a search: the limit that the user sets for each position, doubled or halved.

use std::fmt;

use rejoinder::clock::Limits;

/// The limit of the search of a position.
#[derive(Clone, Debug)]
pub(super) struct Effort {
    limits: Limits,
}

impl Effort {
    /// Creates the effort of one of these limits: nodes, depth or time.
    pub fn new(limits: Limits) -> Self {
        Self { limits }
    }

    /// Returns the limits of a search whose effort was doubled so many times. A depth grows by a ply
    /// with each.
    pub fn doubled(&self, doublings: u32) -> Limits {
        let times = 1_u64 << doublings;
        let Limits {
            move_time,
            nodes,
            depth,
            ..
        } = self.limits;
        Limits {
            move_time: move_time.map(|time| time.saturating_mul(times as i64)),
            nodes: nodes.map(|nodes| nodes.saturating_mul(times)),
            depth: depth.map(|depth| depth.saturating_add(doublings as i32)),
            ..self.limits.clone()
        }
    }

    /// Returns the limits of about half the work of [`doubled`](Self::doubled).
    pub fn half_of(&self, doublings: u32) -> Limits {
        let whole = self.doubled(doublings);
        Limits {
            move_time: whole.move_time.map(|time| (time / 2).max(1)),
            nodes: whole.nodes.map(|nodes| (nodes / 2).max(1)),
            depth: whole.depth.map(|depth| (depth - 1).max(1)),
            ..whole
        }
    }

    /// Returns the effort of a game in words, such as `300 nodes (up to 1200 at 2 of 34)`, given the
    /// doublings of each position.
    pub fn of_game(&self, doublings: &[u32]) -> String {
        let deeper = doublings.iter().filter(|doublings| **doublings > 0).count();
        if deeper == 0 {
            return self.to_string();
        }
        let most = self.doubled(doublings.iter().copied().max().unwrap_or_default());
        let most = number(&most);
        format!("{self} (up to {most} at {deeper} of {})", doublings.len())
    }
}

fn number(limits: &Limits) -> u64 {
    let whole = |limit: Option<i64>| limit.map(|limit| limit as u64);
    let depth = limits.depth.map(i64::from);
    (limits.nodes.or(whole(depth)).or(whole(limits.move_time))).unwrap_or_default()
}

/// Writes the limit as `300 nodes`, `depth 12` or `1000 ms`.
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = number(&self.limits);
        match (self.limits.nodes, self.limits.depth) {
            (Some(_), _) => write!(f, "{number} nodes"),
            (_, Some(_)) => write!(f, "depth {number}"),
            _ => write!(f, "{number} ms"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_limit_is_doubled_halved_and_named() {
        let limits = Limits::default;
        for (limits, name, deeper, doubled, halved) in [
            (
                Limits {
                    nodes: Some(300),
                    ..limits()
                },
                "300 nodes",
                "300 nodes (up to 1200 at 2 of 3)",
                1200,
                150,
            ),
            (
                Limits {
                    depth: Some(12),
                    ..limits()
                },
                "depth 12",
                "depth 12 (up to 14 at 2 of 3)",
                14,
                11,
            ),
            (
                Limits {
                    move_time: Some(1000),
                    ..limits()
                },
                "1000 ms",
                "1000 ms (up to 4000 at 2 of 3)",
                4000,
                500,
            ),
        ] {
            let effort = Effort::new(limits);
            assert_eq!(effort.of_game(&[0, 0]), name);
            assert_eq!(effort.of_game(&[0, 2, 1]), deeper);
            assert_eq!(number(&effort.doubled(2)), doubled);
            assert_eq!(number(&effort.half_of(0)), halved);
        }
    }
}
