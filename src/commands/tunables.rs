//! The engine's numbers as lines of text, in the form that OpenBench's SPSA takes: `rejoinder params`, and files of such lines.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::params::TABLE;

/// The usual learning rate at the end of a run.
const R_END: f64 = 0.002;

/// The usual perturbation at the end of a run is the range divided by this.
const STEPS_IN_RANGE: f64 = 20.0;

/// Prints the engine's numbers, one line each: name, int, default, min, max, c_end, r_end.
///
/// OpenBench takes these lines as the input of an SPSA session, and `rejoinder spsa` takes a file of them.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Only the numbers whose names begin with one of these
    #[arg(value_name = "PREFIX")]
    pub prefixes: Vec<String>,
}

/// A number to tune.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name in `params.rs`.
    pub name: String,
    /// Where tuning begins.
    pub start: i32,
    /// Least value.
    pub min: i32,
    /// Greatest value.
    pub max: i32,
    /// Perturbation in the last iteration.
    pub c_end: f64,
    /// Learning rate in the last iteration: what one game won moves the number by, in `c_end`.
    pub r_end: f64,
}

impl Row {
    /// A row of `params.rs`. `c_end` is a twentieth of the range, rounded, but at least 1: a number that is played as a whole one cannot
    /// differ by less. `r_end` is 0.002, which is what is usual on OpenBench.
    fn usual(&(name, start, min, max): &(&str, i32, i32, i32)) -> Self {
        let range = f64::from(max) - f64::from(min);
        Self {
            name: name.to_owned(),
            start,
            min,
            max,
            c_end: (range / STEPS_IN_RANGE).round().max(1.0),
            r_end: R_END,
        }
    }

    /// A line as [`run`] prints it.
    ///
    /// # Errors
    /// Says what is wrong with the line.
    pub fn parse(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let &[name, kind, start, min, max, c_end, r_end] = fields.as_slice() else {
            return Err("not of the form `name, int, default, min, max, c_end, r_end`".to_owned());
        };
        if kind != "int" {
            return Err(format!("`{kind}` is not `int`"));
        }
        let whole = |text: &str| {
            let number = text.parse();
            number.map_err(|_| format!("`{text}` is no whole number"))
        };
        let real = |text: &str| {
            let number = text.parse();
            number.map_err(|_| format!("`{text}` is no number"))
        };
        let row = Self {
            name: name.to_owned(),
            start: whole(start)?,
            min: whole(min)?,
            max: whole(max)?,
            c_end: real(c_end)?,
            r_end: real(r_end)?,
        };
        row.check()?;
        Ok(row)
    }

    /// Whether this build can play with it.
    ///
    /// # Errors
    /// Says which number is out of place.
    pub fn check(&self) -> Result<(), String> {
        let name = &self.name;
        let Some(&(.., least, most)) = TABLE.iter().find(|row| row.0 == *name) else {
            return Err(format!("no parameter is called {name}"));
        };
        if !(self.min <= self.start && self.start <= self.max && self.min < self.max) {
            return Err(format!("{name} must start within its range"));
        }
        if self.min < least || self.max > most {
            return Err(format!("{name} must be {least} to {most}"));
        }
        let gain = |number: f64| number.is_finite() && number > 0.0;
        if !(gain(self.c_end) && gain(self.r_end)) {
            return Err(format!("c_end and r_end of {name} must be above 0"));
        }
        Ok(())
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            start,
            min,
            max,
            c_end,
            r_end,
        } = self;
        write!(f, "{name}, int, {start}, {min}, {max}, {c_end}, {r_end}")
    }
}

/// Why there are no such rows.
#[derive(Debug, thiserror::Error)]
pub enum ParamsError {
    /// A filter that lets nothing through.
    #[error("no parameter to choose from begins with `{0}`")]
    Prefix(String),
    /// The file cannot be read as text.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line is no good.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no line at all.
    #[error("{} names no parameter", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The lines cannot be printed.
    #[error("cannot print: {0}")]
    Output(#[from] io::Error),
}

/// Prints the lines.
///
/// # Errors
/// If a prefix fits nothing, or nothing can be printed.
pub fn run(args: &Args) -> Result<(), ParamsError> {
    let mut out = io::stdout().lock();
    for row in select(all(), &args.prefixes)? {
        writeln!(out, "{row}")?;
    }
    Ok(())
}

/// Every number of the engine.
pub fn all() -> Vec<Row> {
    TABLE.iter().map(Row::usual).collect()
}

/// The rows whose names begin with one of the prefixes; all if there is none.
///
/// # Errors
/// Names a prefix that fits nothing: it was mistyped.
pub fn select(mut rows: Vec<Row>, prefixes: &[String]) -> Result<Vec<Row>, ParamsError> {
    let fits = |row: &Row, prefix: &String| row.name.starts_with(prefix);
    let idle = |prefix: &&String| !rows.iter().any(|row| fits(row, prefix));
    if let Some(prefix) = prefixes.iter().find(idle) {
        return Err(ParamsError::Prefix(prefix.clone()));
    }
    rows.retain(|row| prefixes.is_empty() || prefixes.iter().any(|prefix| fits(row, prefix)));
    Ok(rows)
}

/// Reads a file of lines as [`run`] prints them. Empty lines and lines that begin with `#` are ignored.
///
/// # Errors
/// Names the file and the line, and says what is wrong.
pub fn read(path: &Path) -> Result<Vec<Row>, ParamsError> {
    let text = fs::read_to_string(path).map_err(|source| ParamsError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    let mut rows: Vec<Row> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |reason| ParamsError::Line {
            path: path.to_path_buf(),
            line: index + 1,
            reason,
        };
        let row = Row::parse(line).map_err(bad)?;
        if rows.iter().any(|other| other.name == row.name) {
            return Err(bad(format!("{} comes a second time", row.name)));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(ParamsError::Empty {
            path: path.to_path_buf(),
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn rows_are_printed_and_read_back() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("rows.txt");
        let rows = all();
        assert_eq!(rows.len(), TABLE.len());
        let lines: Vec<_> = rows.iter().map(ToString::to_string).collect();
        fs::write(&path, format!("# all\n\n{}\n", lines.join("\n"))).expect("room");
        assert_eq!(read(&path).expect("good rows"), rows);
        let row = Row::usual(&("see_pawn", 100, 50, 200));
        assert_eq!(row.to_string(), "see_pawn, int, 100, 50, 200, 8, 0.002");
        let row = Row::usual(&("x", 3, 0, 8));
        assert_eq!(row.to_string(), "x, int, 3, 0, 8, 1, 0.002");
    }

    #[test]
    fn prefixes_choose() {
        let names = |prefixes: &[&str]| {
            let prefixes: Vec<_> = prefixes.iter().map(ToString::to_string).collect();
            select(all(), &prefixes)
                .map(|rows| rows.into_iter().map(|row| row.name).collect::<Vec<_>>())
        };
        let chosen = names(&["see_pawn", "clock_"]).expect("some");
        assert!(
            chosen
                .iter()
                .all(|name| name == "see_pawn" || name.starts_with("clock_"))
        );
        let error = names(&["see_pawn", "nothing_"]).expect_err("no such name");
        assert!(error.to_string().contains("`nothing_`"), "{error}");
    }

    #[test]
    fn bad_lines_are_explained() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("rows.txt");
        let good = "see_pawn, int, 100, 50, 200, 8, 0.002\n";
        for (line, says) in [
            ("see_rook, int, 500, 350, 800, 20", "not of the form"),
            ("see_rook, float, 500, 350, 800, 20, 0.002", "`float`"),
            ("see_rook, int, x, 350, 800, 20, 0.002", "`x` is no whole"),
            ("see_rook, int, 500, 350, 800, x, 0.002", "`x` is no number"),
            ("see_rook, int, 500, 350, 800, nan, 0.002", "above 0"),
            ("see_rook, int, 500, 350, 800, 20, 0", "above 0"),
            (
                "see_rook, int, 300, 350, 800, 20, 0.002",
                "within its range",
            ),
            ("see_rook, int, 500, 350, 9999, 20, 0.002", "350 to 800"),
            (
                "no_such, int, 500, 350, 800, 20, 0.002",
                "is called no_such",
            ),
            (good.trim(), "second time"),
        ] {
            fs::write(&path, format!("{good}{line}\n")).expect("room");
            let error = read(&path).expect_err(line).to_string();
            assert!(
                error.contains("rows.txt, line 2: ") && error.contains(says),
                "{error}"
            );
        }
        fs::write(&path, "# nothing\n").expect("room");
        let error = read(&path).expect_err("nothing").to_string();
        assert!(error.contains("names no parameter"), "{error}");
    }
}
