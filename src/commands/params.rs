//! `rejoinder params`: the tunable parameters as input for OpenBench's SPSA.

use std::io::{self, Write};

use crate::params::{TABLE, Tunable};

/// Print the tunable parameters as input for the SPSA tuner of OpenBench.
///
/// Each line has the form: name, int, default, min, max, c_end, r_end. The command rejoinder-tools
/// spsa takes a file of such lines.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Print only the parameters whose names begin with one of these
    #[arg(value_name = "PREFIX")]
    pub prefixes: Vec<String>,
}

/// Prints the selected parameters.
///
/// # Errors
/// If a prefix does not match any parameter, or standard output cannot be written.
pub(crate) fn run(args: &Args) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let rows = select(TABLE.to_vec(), |row| row.name, &args.prefixes);
    for tunable in rows.map_err(io::Error::other)? {
        let Tunable {
            name,
            default,
            min,
            max,
            step,
        } = tunable;
        let r_end = Tunable::R_END;
        writeln!(out, "{name}, int, {default}, {min}, {max}, {step}, {r_end}")?;
    }
    Ok(())
}

/// Returns the rows whose names begin with one of the prefixes, or all rows if there are no
/// prefixes.
///
/// # Errors
/// If a prefix does not match any row.
pub fn select<T>(
    mut rows: Vec<T>,
    name: impl Fn(&T) -> &str,
    prefixes: &[String],
) -> Result<Vec<T>, String> {
    let fits = |row: &T, prefix: &String| name(row).starts_with(prefix);
    let idle = |prefix: &&String| !rows.iter().any(|row| fits(row, prefix));
    if let Some(prefix) = prefixes.iter().find(idle) {
        return Err(format!("no parameter name begins with `{prefix}`"));
    }
    rows.retain(|row| prefixes.is_empty() || prefixes.iter().any(|prefix| fits(row, prefix)));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_choose() {
        let names = |prefixes: &[&str]| {
            let prefixes: Vec<_> = prefixes.iter().map(ToString::to_string).collect();
            let rows = select(TABLE.to_vec(), |row| row.name, &prefixes)?;
            Ok::<_, String>(rows.into_iter().map(|row| row.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).map(|all| all.len()), Ok(TABLE.len()));
        let chosen = names(&["see_pawn", "clock_"]).expect("a prefix does not match");
        assert!(chosen.len() > 2 && chosen.contains(&"see_pawn"));
        let is_asked = |name: &&str| *name == "see_pawn" || name.starts_with("clock_");
        assert!(chosen.iter().all(is_asked), "{chosen:?}");
        let error = names(&["see_pawn", "nothing_"]).expect_err("an unknown prefix was accepted");
        assert!(error.contains("`nothing_`"), "{error}");
    }
}
