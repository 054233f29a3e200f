//! The results of a suite: solved positions and points, in total and by theme.

use std::fmt;
use std::time::Duration;

use super::answer::Answer;
use super::record::Record;

/// The results of a suite or of one of its themes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of positions.
    pub positions: u64,
    /// The number of positions that say what solves them.
    pub asked: u64,
    /// The number of solved positions.
    pub solved: u64,
    /// The points for the moves found.
    pub points: u64,
    /// The points for the best moves.
    pub most_points: u64,
}

impl Counts {
    fn add(&mut self, record: &Record, answer: &Answer) {
        let solved = answer.solves(record);
        self.positions += 1;
        self.asked += u64::from(solved.is_some());
        self.solved += u64::from(solved == Some(true));
        self.points += u64::from(record.points_of(answer.mv));
        self.most_points += u64::from(record.most_points());
    }
}

/// Writes `solved 7/9`, and the points if there are any.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "solved {}/{}", self.solved, self.asked)?;
        if self.most_points > 0 {
            let share = 100.0 * self.points as f64 / self.most_points as f64;
            write!(
                f,
                ", points {}/{} ({share:.1}%)",
                self.points, self.most_points
            )?;
        }
        Ok(())
    }
}

/// The summary of a suite.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The results of all positions.
    pub all: Counts,
    /// The results of each theme, in the order of their first positions.
    pub themes: Vec<(String, Counts)>,
    /// The number of nodes of all searches.
    pub nodes: u64,
    /// The time of all searches together.
    pub searched: Duration,
    /// The number of lines of the suite that could not be read.
    pub skipped: u64,
}

impl Summary {
    /// Adds the answer to a position.
    pub fn add(&mut self, record: &Record, answer: &Answer) {
        self.all.add(record, answer);
        let name = theme(&record.id);
        let at = self.themes.iter().position(|(other, _)| other == name);
        let at = at.unwrap_or_else(|| {
            self.themes.push((name.to_owned(), Counts::default()));
            self.themes.len() - 1
        });
        self.themes[at].1.add(record, answer);
        self.nodes += answer.nodes;
        self.searched += answer.elapsed;
    }
}

/// Returns the theme of a position: its name without the number at the end.
fn theme(id: &str) -> &str {
    let name = id.trim_end_matches(|letter: char| letter.is_ascii_digit());
    name.trim_end_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, '.' | '#' | '-')
    })
}

/// Writes the results of each theme, unless there is only one or most are names of single
/// positions, and then the total.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.themes.len() as u64;
        if count > 1 && 2 * count <= self.all.positions {
            let named = self.themes.iter().filter(|(name, _)| !name.is_empty());
            let width = named.clone().map(|(name, _)| name.chars().count()).max();
            let width = width.unwrap_or(0);
            for (name, counts) in named {
                writeln!(f, "{name:<width$}  {counts}")?;
            }
        }
        let micros = self.searched.as_micros().max(1);
        writeln!(
            f,
            "{}\n{} positions, {} nodes, {:.1} s in the searches, {} nps",
            self.all,
            self.all.positions,
            self.nodes,
            self.searched.as_secs_f64(),
            u128::from(self.nodes) * 1_000_000 / micros
        )?;
        match self.skipped {
            0 => Ok(()),
            1 => writeln!(f, "1 line of the suite could not be read and was skipped"),
            count => writeln!(
                f,
                "{count} lines of the suite could not be read and were skipped"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_are_names_without_numbers() {
        for (id, name) in [
            ("STS(v1.0) Undermine.001", "STS(v1.0) Undermine"),
            ("mate2.0017", "mate2"),
            ("WAC 12", "WAC"),
            ("12", ""),
            ("", ""),
        ] {
            assert_eq!(theme(id), name);
        }
    }
}
