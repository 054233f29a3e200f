//! The parameters to tune, as lines of text in the format of OpenBench's SPSA: `rejoinder params`
//! prints them, and files contain them.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use rejoinder::params::{TABLE, Tunable};

/// A parameter to tune.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name of the parameter in `params.rs`.
    pub name: String,
    /// The value at the start of tuning.
    pub start: i32,
    /// The minimum.
    pub min: i32,
    /// The maximum.
    pub max: i32,
    /// The perturbation in the last iteration.
    pub c_end: f64,
    /// The learning rate in the last iteration, in units of `c_end` per game won.
    pub r_end: f64,
}

impl Row {
    /// Converts a row of `params.rs`. `c_end` is its step, and `r_end` is 0.002, as is usual on
    /// OpenBench.
    fn usual(tunable: &Tunable) -> Self {
        Self {
            name: tunable.name.to_owned(),
            start: tunable.default,
            min: tunable.min,
            max: tunable.max,
            c_end: f64::from(tunable.step),
            r_end: Tunable::R_END,
        }
    }

    /// Parses a line as `rejoinder params` prints it.
    ///
    /// # Errors
    /// Returns what is wrong with the line.
    pub fn parse(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let &[name, kind, start, min, max, c_end, r_end] = fields.as_slice() else {
            return Err(
                "the line must have the form `name, int, default, min, max, c_end, r_end`"
                    .to_owned(),
            );
        };
        if kind != "int" {
            return Err(format!("`{kind}` is not `int`"));
        }
        let whole = |text: &str| {
            let number = text.parse();
            number.map_err(|_| format!("`{text}` is not an integer"))
        };
        let real = |text: &str| {
            let number = text.parse();
            number.map_err(|_| format!("`{text}` is not a number"))
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

    /// Checks whether this build has the parameter and its values are in range.
    ///
    /// # Errors
    /// Returns what is wrong with the row.
    pub fn check(&self) -> Result<(), String> {
        let name = &self.name;
        let Some(tunable) = TABLE.iter().find(|tunable| tunable.name == *name) else {
            return Err(format!("no parameter is called {name}"));
        };
        let (least, most) = (tunable.min, tunable.max);
        if !(self.min <= self.start && self.start <= self.max && self.min < self.max) {
            return Err(format!("the default of {name} must lie within its range"));
        }
        if self.min < least || self.max > most {
            return Err(format!("{name} must be from {least} to {most}"));
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

/// Returns the rows of all parameters.
pub fn all() -> Vec<Row> {
    TABLE.iter().map(Row::usual).collect()
}

/// Reads a file of lines as `rejoinder params` prints them. Empty lines and lines that begin with
/// `#` are ignored.
///
/// # Errors
/// If the file cannot be read, or a line is invalid.
pub fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let text = fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let mut rows: Vec<Row> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |reason| format!("{}, line {number}: {reason}", path.display());
        let row = Row::parse(line).map_err(|reason| anyhow::Error::msg(bad(reason)))?;
        if rows.iter().any(|other| other.name == row.name) {
            bail!(bad(format!("{} is given twice", row.name)));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        bail!("there is no parameter in {}", path.display());
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_printed_and_read_back() {
        let scratch = tempfile::tempdir().expect("cannot create a temporary directory");
        let path = scratch.path().join("rows.txt");
        let rows = all();
        assert_eq!(rows.len(), TABLE.len());
        let lines: Vec<_> = rows.iter().map(ToString::to_string).collect();
        fs::write(&path, format!("# all\n\n{}\n", lines.join("\n")))
            .expect("cannot write the scratch file");
        assert_eq!(read(&path).expect("the rows were refused"), rows);
        let row = Row::usual(&Tunable {
            name: "see_pawn",
            default: 100,
            min: 50,
            max: 200,
            step: 10,
        });
        assert_eq!(row.to_string(), "see_pawn, int, 100, 50, 200, 10, 0.002");
    }

    #[test]
    fn bad_lines_are_explained() {
        let scratch = tempfile::tempdir().expect("cannot create a temporary directory");
        let path = scratch.path().join("rows.txt");
        let good = "see_pawn, int, 100, 50, 200, 8, 0.002\n";
        for (line, says) in [
            ("see_rook, int, 500, 350, 800, 20", "must have the form"),
            ("see_rook, float, 500, 350, 800, 20, 0.002", "`float`"),
            (
                "see_rook, int, x, 350, 800, 20, 0.002",
                "`x` is not an integer",
            ),
            (
                "see_rook, int, 500, 350, 800, x, 0.002",
                "`x` is not a number",
            ),
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
            (good.trim(), "given twice"),
        ] {
            fs::write(&path, format!("{good}{line}\n")).expect("cannot write the scratch file");
            let error = read(&path).expect_err(line).to_string();
            assert!(
                error.contains("rows.txt, line 2: ") && error.contains(says),
                "{error}"
            );
        }
        fs::write(&path, "# nothing\n").expect("cannot write the scratch file");
        let error = read(&path)
            .expect_err("an empty file was accepted")
            .to_string();
        assert!(error.contains("there is no parameter"), "{error}");
    }
}
