//! The table of options. `uci` prints it, `setoption` looks names up in it, and docs/usage.md
//! shows it.

use std::fmt::Write as _;
use std::time::Duration;

use super::command;
use crate::numa::Binding;
#[cfg(feature = "tune")]
use crate::params;
use crate::search::strength;

/// A UCI option.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// The name; case and spaces do not matter.
    pub name: &'static str,
    /// The values that the option takes, and what they change.
    pub kind: Kind,
    /// A description of the option in one line.
    pub purpose: &'static str,
}

/// The values that an option takes, and the [`Change`] that each stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// `true` or `false`.
    Check(bool, fn(bool) -> Change),
    /// An integer with a default, a minimum and a maximum.
    Spin(i64, i64, i64, fn(i64) -> Change),
    /// No value; the option is an action.
    Button(fn() -> Change),
    /// Any text; empty by default.
    Text(fn(&str) -> Change),
    /// A text with a default and a description of the values that are allowed. The last field
    /// returns why a value is refused.
    Words(
        &'static str,
        &'static str,
        fn(&str) -> Result<Change, String>,
    ),
}

/// The change that a valid `setoption` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The size of the transposition table in megabytes.
    Hash(usize),
    /// The number of search threads.
    Threads(usize),
    /// Which nodes the search threads are bound to.
    NumaPolicy(Binding),
    /// The transposition table is emptied.
    ClearHash,
    /// Sets whether the GUI lets the engine ponder.
    Ponder(bool),
    /// The number of best lines to search.
    MultiPv(usize),
    /// The time reserved on each move for delays between engine and GUI.
    MoveOverhead(Duration),
    /// Sets whether castling is written as king takes rook.
    Chess960(bool),
    /// Sets whether the chances of win, draw and loss are shown.
    ShowWdl(bool),
    /// The skill level, 0 to 20, which is full strength.
    SkillLevel(i32),
    /// Sets whether to play at the rating of [`Change::Elo`].
    LimitStrength(bool),
    /// The rating to play at.
    Elo(i32),
    /// Sets whether only the final lines are shown.
    Minimal(bool),
    /// The path of the network to evaluate with; empty for the embedded one.
    EvalFile(String),
    /// The folders with Syzygy tablebases; empty for none.
    SyzygyPath(String),
    /// The minimum remaining depth, in plies, for probing positions with as many pieces as the
    /// largest table.
    SyzygyProbeDepth(i32),
    /// The maximum number of pieces of a position that is probed.
    SyzygyProbeLimit(u32),
    /// Sets whether the fifty-move rule counts in tablebase results.
    Syzygy50MoveRule(bool),
    /// The path of the log file; empty for none.
    DebugLogFile(String),
    /// The path that the transposition table is saved to and loaded from.
    HashFile(String),
    /// The transposition table is saved.
    SaveHash,
    /// The transposition table is loaded.
    LoadHash,
    /// A parameter of `params.rs`.
    #[cfg(feature = "tune")]
    Parameter(&'static str, i32),
}

/// The default size of the transposition table in megabytes.
pub const DEFAULT_HASH: usize = 16;
/// The default number of search threads.
pub(crate) const DEFAULT_THREADS: usize = 1;
/// The default time reserved on each move for delays between engine and GUI.
pub const DEFAULT_OVERHEAD: Duration = Duration::from_millis(10);

/// All options, in the order in which `uci` prints them and many GUIs send them: first the threads,
/// which then share the work of emptying the hash, each on its own node.
pub(crate) const TABLE: &[Spec] = &[
    Spec {
        name: "Threads",
        kind: Kind::Spin(DEFAULT_THREADS as i64, 1, 1024, |workers| {
            Change::Threads(workers as usize)
        }),
        purpose: "Number of search threads.",
    },
    Spec {
        name: "NumaPolicy",
        kind: Kind::Words(
            "auto",
            "auto, none, or lists of CPUs",
            |policy| match policy.parse() {
                Ok(policy) => Ok(Change::NumaPolicy(policy)),
                Err(error) => Err(error.to_string()),
            },
        ),
        purpose: "Bind threads to the NUMA nodes of the machine (Linux and Windows). `auto`, also written `hardware` or `system` as for Stockfish, binds them if threads would fill more than half of the largest node, or number at least four per node. Groups of CPUs such as `0-15:16-31` are nodes by your own definition.",
    },
    Spec {
        name: "Hash",
        kind: Kind::Spin(DEFAULT_HASH as i64, 1, 33_554_432, |megabytes| {
            Change::Hash(megabytes as usize)
        }),
        purpose: "Size of the transposition table in MB. It is empty afterwards. If there is not enough memory, the old size is kept.",
    },
    Spec {
        name: "Clear Hash",
        kind: Kind::Button(|| Change::ClearHash),
        purpose: "Empty the transposition table.",
    },
    Spec {
        name: "Ponder",
        kind: Kind::Check(false, Change::Ponder),
        purpose: "Send the expected reply with `bestmove`, so that the GUI can let the engine ponder.",
    },
    Spec {
        name: "MultiPV",
        kind: Kind::Spin(1, 1, 256, |lines| Change::MultiPv(lines as usize)),
        purpose: "Number of best lines to search and show.",
    },
    Spec {
        name: "Move Overhead",
        kind: Kind::Spin(DEFAULT_OVERHEAD.as_millis() as i64, 0, 5000, |ms| {
            Change::MoveOverhead(Duration::from_millis(ms as u64))
        }),
        purpose: "Milliseconds reserved on each move for delays between engine and GUI. `MoveOverhead` is another name for it.",
    },
    Spec {
        name: "UCI_Chess960",
        kind: Kind::Check(false, Change::Chess960),
        purpose: "Write castling as king takes rook. Both notations are always understood.",
    },
    Spec {
        name: "UCI_ShowWDL",
        kind: Kind::Check(false, Change::ShowWdl),
        purpose: "Show the chances of a win, a draw and a loss, per mille, after the score.",
    },
    Spec {
        name: "Minimal",
        kind: Kind::Check(false, Change::Minimal),
        purpose: "Show only the final lines, just before `bestmove`.",
    },
    Spec {
        name: "Skill Level",
        kind: Kind::Spin(strength::FULL as i64, 0, strength::FULL as i64, |level| {
            Change::SkillLevel(level as i32)
        }),
        purpose: "Below 20 the engine plays weaker: it searches less deeply and overlooks things.",
    },
    Spec {
        name: "UCI_LimitStrength",
        kind: Kind::Check(false, Change::LimitStrength),
        purpose: "Play at the rating set by UCI_Elo and ignore Skill Level.",
    },
    Spec {
        name: "UCI_Elo",
        kind: Kind::Spin(
            strength::GREATEST_ELO as i64,
            strength::LEAST_ELO as i64,
            strength::GREATEST_ELO as i64,
            |elo| Change::Elo(elo as i32),
        ),
        purpose: "The rating to play at, below 1150 a level for beginners; [analysis.md](analysis.md) explains how the scale was measured.",
    },
    Spec {
        name: "EvalFile",
        kind: Kind::Text(|path| Change::EvalFile(path.to_owned())),
        purpose: "Network file to evaluate with; empty for the embedded one. A file that is not a valid network is refused, and the current network is kept.",
    },
    Spec {
        name: "SyzygyPath",
        kind: Kind::Text(|folders| Change::SyzygyPath(unquoted_list(folders))),
        purpose: "Folders with Syzygy tablebases, separated by `;` (or by `:`, except on Windows). Empty for none.",
    },
    Spec {
        name: "SyzygyProbeDepth",
        kind: Kind::Spin(1, 1, 100, |plies| Change::SyzygyProbeDepth(plies as i32)),
        purpose: "Minimum remaining depth for probing positions with as many pieces as the largest table. Raise it if the disk is slow.",
    },
    Spec {
        name: "SyzygyProbeLimit",
        kind: Kind::Spin(7, 0, 7, |pieces| Change::SyzygyProbeLimit(pieces as u32)),
        purpose: "Positions with more pieces than this are not probed.",
    },
    Spec {
        name: "Syzygy50MoveRule",
        kind: Kind::Check(true, Change::Syzygy50MoveRule),
        purpose: "Treat tablebase wins and losses that the fifty-move rule would prevent as draws.",
    },
    Spec {
        name: "Debug Log File",
        kind: Kind::Text(|path| Change::DebugLogFile(path.to_owned())),
        purpose: "File that receives everything the engine reads and writes, with the time. Empty for none.",
    },
    Spec {
        name: "HashFile",
        kind: Kind::Text(|path| Change::HashFile(path.to_owned())),
        purpose: "File for the next two options.",
    },
    Spec {
        name: "SaveHashtoFile",
        kind: Kind::Button(|| Change::SaveHash),
        purpose: "Save the transposition table. The file gets its name only when it is complete, and a file that is not a saved hash is not overwritten.",
    },
    Spec {
        name: "LoadHashFromFile",
        kind: Kind::Button(|| Change::LoadHash),
        purpose: "Load the transposition table, which gets the size that it was saved with ([analysis.md](analysis.md) explains the order). A file that is incomplete, damaged or from another network is refused, and the current table is kept.",
    },
];

/// The reason why a `setoption` is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such option.
    #[error("there is no option named {0}")]
    Unknown(String),
    /// A spin option needs an integer within its range.
    #[error("{0} must be an integer from {1} to {2}")]
    Number(&'static str, i64, i64),
    /// A check option needs `true` or `false`.
    #[error("{0} must be true or false")]
    Truth(&'static str),
    /// A text is not allowed for an option.
    #[error("{0} must be {1}: {2}")]
    Words(&'static str, &'static str, String),
}

/// Returns the change that `setoption name <name> value <value>` asks for.
///
/// # Errors
/// Returns why the option is refused.
pub fn parse(name: &str, value: Option<&str>) -> Result<Change, Refusal> {
    let value = unquoted(value.unwrap_or_default());
    let Some(spec) = TABLE.iter().find(|spec| same_name(spec.name, name)) else {
        return parameter(name, value);
    };
    match spec.kind {
        Kind::Check(_, change) => match value.to_ascii_lowercase().as_str() {
            "true" => Ok(change(true)),
            "false" => Ok(change(false)),
            _ => Err(Refusal::Truth(spec.name)),
        },
        Kind::Spin(_, min, max, change) => number(spec.name, value, min, max).map(change),
        Kind::Button(change) => Ok(change()),
        Kind::Text(change) => Ok(change(if value == "<empty>" { "" } else { value })),
        Kind::Words(_, allowed, change) => {
            change(value).map_err(|error| Refusal::Words(spec.name, allowed, error))
        }
    }
}

fn same_name(a: &str, b: &str) -> bool {
    let plain = |name: &str| name.replace(' ', "").to_ascii_lowercase();
    plain(a) == plain(b)
}

/// Returns a value without the quotes around it, which people copy with a path.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inner = ['"', '\''].into_iter().find_map(|quote| {
        let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then(|| inner.trim())
    });
    inner.unwrap_or(value)
}

/// Returns a list of folders, each without the quotes around it.
fn unquoted_list(folders: &str) -> String {
    let folders: Vec<&str> = folders.split(';').map(unquoted).collect();
    folders.join(";")
}

fn number(name: &'static str, value: &str, min: i64, max: i64) -> Result<i64, Refusal> {
    match command::number(value) {
        Some(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(Refusal::Number(name, min, max)),
    }
}

#[cfg(feature = "tune")]
fn parameter(name: &str, value: &str) -> Result<Change, Refusal> {
    let Some(tunable) = (params::TABLE.iter()).find(|tunable| same_name(tunable.name, name)) else {
        return Err(Refusal::Unknown(command::quote(name)));
    };
    let (min, max) = (tunable.min.into(), tunable.max.into());
    let value = number(tunable.name, value, min, max)?;
    Ok(Change::Parameter(tunable.name, value as i32))
}

#[cfg(not(feature = "tune"))]
fn parameter(name: &str, _value: &str) -> Result<Change, Refusal> {
    Err(Refusal::Unknown(command::quote(name)))
}

/// Returns the `option` lines that answer `uci`.
pub fn listing() -> Vec<String> {
    let options = TABLE.iter().map(|Spec { name, kind, .. }| match kind {
        Kind::Check(default, _) => format!("option name {name} type check default {default}"),
        Kind::Spin(default, min, max, _) => spin_line(name, *default, *min, *max),
        Kind::Button(_) => format!("option name {name} type button"),
        Kind::Text(_) => format!("option name {name} type string default <empty>"),
        Kind::Words(default, ..) => format!("option name {name} type string default {default}"),
    });
    #[cfg(feature = "tune")]
    let options = options.chain(params::TABLE.iter().map(|tunable| {
        let [default, min, max] = [tunable.default, tunable.min, tunable.max].map(i64::from);
        spin_line(tunable.name, default, min, max)
    }));
    options.collect()
}

fn spin_line(name: &str, default: i64, min: i64, max: i64) -> String {
    format!("option name {name} type spin default {default} min {min} max {max}")
}

/// Returns the option table of docs/usage.md.
pub fn markdown() -> String {
    let mut table =
        String::from("| Option | Default | Range | What it does |\n|---|---|---|---|\n");
    for Spec {
        name,
        kind,
        purpose,
    } in TABLE
    {
        let (default, range) = match kind {
            Kind::Check(default, _) => (default.to_string(), "true, false".to_owned()),
            Kind::Spin(default, min, max, _) => (default.to_string(), format!("{min} to {max}")),
            Kind::Button(_) => (String::new(), "button".to_owned()),
            Kind::Text(_) => ("empty".to_owned(), "a path".to_owned()),
            Kind::Words(default, allowed, _) => ((*default).to_owned(), (*allowed).to_owned()),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(table, "| {name} | {default} | {range} | {purpose} |");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_spaces() {
        let overhead = Change::MoveOverhead(Duration::from_millis(100));
        for name in [
            "Move Overhead",
            "MoveOverhead",
            "move overhead",
            "MOVEOVERHEAD",
        ] {
            assert_eq!(parse(name, Some("100")).as_ref(), Ok(&overhead));
        }
        assert_eq!(parse("clear hash", None), Ok(Change::ClearHash));
    }

    #[test]
    fn values_out_of_place_are_refused() {
        for value in [
            None,
            Some(""),
            Some("x"),
            Some("0"),
            Some("33554433"),
            Some("99999999999999999999"),
        ] {
            assert_eq!(
                parse("Hash", value),
                Err(Refusal::Number("Hash", 1, 33_554_432)),
                "{value:?}"
            );
        }
        assert_eq!(
            parse("UCI_Chess960", Some("yes")),
            Err(Refusal::Truth("UCI_Chess960"))
        );
        assert_eq!(
            parse("uci_chess960", Some("True")),
            Ok(Change::Chess960(true))
        );
        assert!(matches!(
            parse("Contempt", Some("3")),
            Err(Refusal::Unknown(_))
        ));
    }

    #[test]
    fn numbers_may_have_a_fraction_and_values_quotes() {
        for value in ["64", "64.0", "64.", "+64", "\"64\"", " '64.5' "] {
            assert_eq!(parse("Hash", Some(value)), Ok(Change::Hash(64)), "{value}");
        }
        for value in ["64,0", "64.0.0", "64.x", "\"64", "\"\"", "0.9"] {
            assert!(parse("Hash", Some(value)).is_err(), "{value}");
        }
        for (value, kept) in [
            (r#""C:\my nets\a.rjn""#, r"C:\my nets\a.rjn"),
            ("'/tmp/a b'", "/tmp/a b"),
            (r#"/tmp/a"b"#, r#"/tmp/a"b"#),
            (r#""""#, ""),
        ] {
            let change = Change::EvalFile(kept.to_owned());
            assert_eq!(parse("EvalFile", Some(value)), Ok(change), "{value}");
        }
        for value in [
            r#""C:\a b";"D:\c""#,
            r#""C:\a b;D:\c""#,
            r#"C:\a b; "D:\c""#,
        ] {
            let change = Change::SyzygyPath(r"C:\a b;D:\c".to_owned());
            assert_eq!(parse("SyzygyPath", Some(value)), Ok(change), "{value}");
        }
    }

    #[test]
    fn an_empty_text_has_two_spellings() {
        for value in [None, Some(""), Some("<empty>")] {
            assert_eq!(
                parse("Debug Log File", value),
                Ok(Change::DebugLogFile(String::new()))
            );
        }
    }

    #[test]
    fn a_policy_is_checked_before_it_counts() {
        let none = Change::NumaPolicy(Binding::None);
        assert_eq!(parse("numapolicy", Some("None")), Ok(none));
        for same in ["auto", "Hardware", "system"] {
            let auto = Change::NumaPolicy(Binding::Auto);
            assert_eq!(parse("NumaPolicy", Some(same)), Ok(auto), "{same}");
        }
        for value in [None, Some(""), Some("hard"), Some("0-1:1-2")] {
            let refused = parse("NumaPolicy", value);
            assert!(matches!(refused, Err(Refusal::Words(..))), "{value:?}");
        }
    }

    #[test]
    fn defaults_lie_within_their_ranges() {
        for spec in TABLE {
            if let Kind::Words(default, ..) = spec.kind {
                assert!(parse(spec.name, Some(default)).is_ok(), "{}", spec.name);
            }
            if let Kind::Spin(default, min, max, _) = spec.kind {
                assert!((min..=max).contains(&default), "{}", spec.name);
            }
        }
        assert!(
            listing()
                .contains(&"option name Threads type spin default 1 min 1 max 1024".to_owned())
        );
    }

    #[cfg(feature = "tune")]
    #[test]
    fn every_parameter_is_an_option() {
        assert_eq!(listing().len(), TABLE.len() + params::TABLE.len());
        let params::Tunable {
            name, default, max, ..
        } = params::TABLE[0];
        let change = Change::Parameter(name, default);
        assert_eq!(parse(name, Some(&default.to_string())), Ok(change));
        assert!(parse(name, Some(&(max + 1).to_string())).is_err());
    }
}
