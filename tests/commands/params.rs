//! With the feature `tune`, the lines of `rejoinder params` equal the spin options that a tuner can
//! set.

use std::process::Command;

/// Returns the output of the program for these arguments.
fn output(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rejoinder"))
        .args(arguments)
        .output()
        .expect("cannot run the program");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("not UTF-8")
}

/// Returns the fields of each line of `params`.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .map(|line| line.split(", ").collect())
        .collect()
}

#[test]
fn every_number_is_printed_for_openbench() {
    let text = output(&["params"]);
    let rows = rows(&text);
    assert!(rows.len() > 50, "{text}");
    for row in &rows {
        let &[name, "int", ref numbers @ ..] = row.as_slice() else {
            panic!("{row:?}");
        };
        let numbers: Vec<f64> = numbers.iter().map(|x| x.parse().expect(name)).collect();
        let &[default, min, max, c_end, r_end] = numbers.as_slice() else {
            panic!("{row:?}");
        };
        assert!(min <= default && default <= max, "{row:?}");
        assert!(c_end >= 1.0 && c_end <= max - min, "{row:?}");
        assert!(r_end > 0.0, "{row:?}");
    }
    let chosen = output(&["params", "lmr_", "see_pawn"]);
    assert!(chosen.lines().count() < rows.len() && chosen.contains("see_pawn, int, "));
    assert!(
        chosen
            .lines()
            .all(|line| line.starts_with("lmr_") || line.starts_with("see_pawn"))
    );
}

#[cfg(feature = "tune")]
#[test]
fn every_number_is_a_spin_option() {
    let params = output(&["params"]);
    let options = output(&["uci", "quit"]);
    for row in rows(&params) {
        let [name, _, default, min, max, ..] = row[..] else {
            panic!("{row:?}");
        };
        let option = format!("option name {name} type spin default {default} min {min} max {max}");
        assert!(options.lines().any(|line| line == option), "{option}");
    }
}

/// `make test` checks the signature of the default build. Parameters at run time must not change
/// it.
#[cfg(feature = "tune")]
#[test]
fn the_signature_is_that_of_the_default_build() {
    let wanted = include_str!("../data/signature").trim();
    let bench = output(&["bench"]);
    let last = bench.lines().last().expect("there is no line");
    assert!(last.starts_with(&format!("{wanted} nodes")), "{last}");
}

#[cfg(not(feature = "tune"))]
#[test]
fn constants_are_no_options() {
    assert!(!output(&["uci", "quit"]).contains("see_pawn"));
}
