//! Reads the summary that [`writing`](super::writing) puts before the first move.

use super::report::SUMMARY;
use crate::pgn::{Item, Record};

/// How the summary of Black begins.
const BLACK: &str = " Black: accuracy ";

/// What stands for the accuracy of a side without moves.
const NONE: char = '-';

/// The accuracies that an annotated game tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Accuracies {
    /// Those of White and Black, 0 to 100; `None` for a side without moves.
    pub sides: [Option<f64>; 2],
}

impl Accuracies {
    /// Returns those of a game; `None` if it is not annotated.
    pub fn of(record: &Record) -> Option<Self> {
        record.line.head.iter().find_map(|item| match item {
            Item::Comment(text) => Self::read(text),
            _ => None,
        })
    }

    fn read(text: &str) -> Option<Self> {
        // A line may end anywhere in it.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, white) = text.split_once(SUMMARY)?;
        let (_, black) = white.split_once(BLACK)?;
        let has_one = |text: &str| text.starts_with(NONE) || accuracy(text).is_some();
        let sides = [white, black];
        sides.into_iter().all(has_one).then(|| Self {
            sides: sides.map(accuracy),
        })
    }
}

/// Returns the accuracy that a text begins with, such as `94.6%`.
fn accuracy(text: &str) -> Option<f64> {
    let (number, _) = text.split_once('%')?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracies_are_read_as_they_are_written() {
        let text = "x White: accuracy 94.6%, 0 inaccuracies, 1 mistake, 0\nblunders. \
            Black: accuracy -. Rejoinder 0.1.0, 300 nodes a position.";
        let sides = [Some(94.6), None];
        assert_eq!(Accuracies::read(text), Some(Accuracies { sides }));
        assert_eq!(Accuracies::read("White: accuracy is high."), None);
    }
}
