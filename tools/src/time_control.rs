//! The limit of a player's searches in games within this process: a number of nodes for each move,
//! or a clock that counts nodes; and the soft limit of searches for data.

use std::fmt;
use std::str::FromStr;

use rejoinder::clock::Limits;
use serde::{Deserialize, Serialize};

/// Longest time of a clock, in seconds.
const LONGEST: f64 = 1e6;

/// The limit of a player's searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TimeControl {
    /// Number of nodes of each move.
    Nodes(u64),
    /// A clock for the game.
    Clock(NodeClock),
}

/// A clock that counts each node as a microsecond. Games by such a clock need the engine's time
/// management, but do not depend on the load of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeClock {
    /// Time for the game in milliseconds, at least 1.
    pub base_ms: u64,
    /// Increment for each move in milliseconds.
    pub increment_ms: u64,
}

impl TimeControl {
    /// Returns the limits of a player at the beginning of a game.
    pub fn limits(self) -> Limits {
        match self {
            Self::Nodes(nodes) => Limits {
                nodes: Some(nodes),
                ..Limits::default()
            },
            Self::Clock(clock) => Limits {
                time: [Some(clock.base_ms as i64); 2],
                increment: [clock.increment_ms as i64; 2],
                node_clock: true,
                ..Limits::default()
            },
        }
    }
}

/// Returns the limits of a search that begins no new iteration after this many nodes, and ends at
/// once after that many times `hard_factor`.
pub fn soft_limits(nodes: u64, hard_factor: u64) -> Limits {
    Limits {
        nodes: Some(nodes * hard_factor),
        soft_nodes: Some(nodes),
        ..Limits::default()
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Clock(clock) => write!(f, "{clock} seconds of a million nodes"),
        }
    }
}

impl fmt::Display for NodeClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [base, increment] = [self.base_ms, self.increment_ms].map(|ms| ms as f64 / 1000.0);
        write!(f, "{base}+{increment}")
    }
}

impl FromStr for NodeClock {
    type Err = String;

    /// Parses a clock in the form `BASE+INCREMENT`, both in seconds.
    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = |text: &str| {
            let seconds = text.parse().ok().filter(|s| (0.0..=LONGEST).contains(s));
            seconds.map(|seconds: f64| (seconds * 1000.0).round() as u64)
        };
        text.split_once('+')
            .and_then(|(base, increment)| Some((seconds(base)?, seconds(increment)?)))
            .filter(|&(base_ms, _)| base_ms > 0)
            .map(|(base_ms, increment_ms)| Self {
                base_ms,
                increment_ms,
            })
            .ok_or_else(|| {
                "must be seconds for the game and for each move, as 0.2+0.002".to_owned()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_written() {
        for (text, base_ms, increment_ms) in [("2+0.02", 2000, 20), ("0.2+0", 200, 0)] {
            let clock = NodeClock {
                base_ms,
                increment_ms,
            };
            assert_eq!(text.parse(), Ok(clock));
            assert_eq!(clock.to_string(), text);
        }
        for text in ["", "2", "0+1", "-1+0", "a+b", "1+", "nan+0", "1e9+0"] {
            assert!(text.parse::<NodeClock>().is_err(), "{text}");
        }
    }

    #[test]
    fn files_hold_a_number_or_a_clock() {
        let clock = TimeControl::Clock(NodeClock {
            base_ms: 200,
            increment_ms: 2,
        });
        for (time_control, json) in [
            (TimeControl::Nodes(300), "300"),
            (clock, r#"{"base_ms":200,"increment_ms":2}"#),
        ] {
            assert_eq!(serde_json::to_string(&time_control).expect("JSON"), json);
            assert_eq!(
                serde_json::from_str::<TimeControl>(json).expect("a time control"),
                time_control
            );
        }
    }
}
