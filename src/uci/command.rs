//! Parses lines into [`Command`]s. No line makes this module panic, and nothing is executed here.

use crate::clock::Limits;
use crate::types::MAX_PLY;

/// A command of a GUI or of a user.
#[derive(Clone, Debug)]
pub enum Command {
    /// `uci`: asks for the name of the engine and its options.
    Uci,
    /// `debug on|off`: asks for more or fewer `info string` lines.
    Debug(bool),
    /// `isready`: asks for `readyok`, even during a search.
    IsReady,
    /// `setoption name … [value …]`: changes an option.
    SetOption {
        /// The name as written; case does not matter.
        name: String,
        /// The text after `value`, or `None` if the word is missing, as for a button.
        value: Option<String>,
    },
    /// `register …`: is ignored, as the engine needs no registration.
    Register,
    /// `ucinewgame`: makes the engine forget what it has learned.
    NewGame,
    /// `position …`: sets up a position.
    Position(Position),
    /// `go …`: starts a search.
    Go(Go),
    /// `go perft N`: counts the positions `N` plies ahead for each move.
    Perft(u32),
    /// `stop`: ends the search.
    Stop,
    /// `ponderhit`: says that the opponent has played the expected move.
    PonderHit,
    /// `quit` or `exit`: ends the program.
    Quit,
    /// `d`: shows the board.
    Display,
    /// `eval`: shows the evaluation of the position.
    Eval,
    /// `bench [depth]`: searches a fixed set of positions; the number of nodes is the engine's
    /// signature.
    Bench(Option<i32>),
    /// `flip`: exchanges the colors of the position.
    Flip,
    /// `compiler`: shows the compiler that built the program, its target and its CPU features.
    Compiler,
    /// `help` or `?`: lists the commands.
    Help,
}

/// The arguments of `position`, which are not checked against the rules of chess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The FEN of the position, or `None` for the start position.
    pub fen: Option<String>,
    /// The moves played from there.
    pub moves: Vec<String>,
}

/// The arguments of `go`, whose moves are not checked against the rules of chess.
#[derive(Clone, Debug, Default)]
pub struct Go {
    /// All limits but `search_moves`, which cannot be parsed without the board.
    pub limits: Limits,
    /// The moves after `searchmoves`.
    pub search_moves: Vec<String>,
    /// Messages about words that are ignored.
    pub remarks: Vec<String>,
}

/// The reason why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// No word of the line is a command.
    #[error("unknown command {0}; 'help' lists all commands")]
    Unknown(String),
    /// The arguments of the command are invalid.
    #[error("usage: {0}")]
    Usage(&'static str),
    /// A `position` line does not say which position.
    #[error("position refused; usage: position startpos | fen <fen> [moves <move> …]")]
    Position,
}

/// The words after `go` that no number follows.
const FLAGS: [&str; 3] = ["infinite", "ponder", "searchmoves"];

/// The words after `go` that a number follows.
const NUMBERS: [&str; 10] = [
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "movetime",
    "depth",
    "nodes",
    "mate",
    "perft",
];

/// Parses a line. A blank line is neither a command nor an error.
///
/// Unknown words before a UCI command are skipped, as the protocol demands (`joho debug on`). The
/// additional commands for users must come first, so that a sentence with the word "bench" does not
/// start one.
///
/// # Errors
/// Returns what is wrong with the line.
pub fn parse(line: &str) -> Result<Option<Command>, Mistake> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((&first, rest)) = words.split_first() else {
        return Ok(None);
    };
    if let Some(command) = for_people(first, rest) {
        return Ok(Some(command));
    }
    for (at, word) in words.iter().enumerate() {
        if let Some(command) = of_protocol(word, &words[at + 1..], line) {
            return command.map(Some);
        }
    }
    Err(Mistake::Unknown(quote(line)))
}

/// Returns whether this word is a command.
pub(crate) fn is_command(word: &str) -> bool {
    for_people(word, &[]).is_some() || of_protocol(word, &[], word).is_some()
}

/// Quotes text from the input for an `info string`: shortened, and without control characters.
pub fn quote(text: &str) -> String {
    const ENOUGH: usize = 60;
    let mut quoted: String = text
        .trim()
        .chars()
        .take(ENOUGH)
        .flat_map(char::escape_debug)
        .collect();
    if text.trim().chars().nth(ENOUGH).is_some() {
        quoted.push('…');
    }
    format!("'{quoted}'")
}

fn of_protocol(word: &str, rest: &[&str], line: &str) -> Option<Result<Command, Mistake>> {
    Some(Ok(match word {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "register" => Command::Register,
        "ucinewgame" => Command::NewGame,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "go" => go(rest),
        "debug" => return Some(debug(rest)),
        "setoption" => return Some(set_option(rest, line)),
        "position" => return Some(position(rest)),
        _ => return None,
    }))
}

fn for_people(word: &str, rest: &[&str]) -> Option<Command> {
    Some(match word {
        "d" => Command::Display,
        "eval" => Command::Eval,
        "bench" => {
            let depth = rest.first().and_then(|word| number(word));
            Command::Bench(depth.map(plies))
        }
        "flip" => Command::Flip,
        "compiler" => Command::Compiler,
        "help" | "?" => Command::Help,
        "exit" => Command::Quit,
        _ => return None,
    })
}

fn debug(rest: &[&str]) -> Result<Command, Mistake> {
    match rest {
        ["on", ..] => Ok(Command::Debug(true)),
        ["off", ..] => Ok(Command::Debug(false)),
        _ => Err(Mistake::Usage("debug on | off")),
    }
}

fn set_option(rest: &[&str], line: &str) -> Result<Command, Mistake> {
    let usage = Mistake::Usage("setoption name <name> [value <value>]");
    let ["name", rest @ ..] = rest else {
        return Err(usage);
    };
    let (name, value) = split_at_word(rest, "value");
    if name.is_empty() {
        return Err(usage);
    }
    // The spaces of a path are part of it, also if there are two in a row.
    let text = after_word(line, "setoption").and_then(|line| after_word(line, "value"));
    Ok(Command::SetOption {
        name: name.join(" "),
        value: value.and(text).map(|text| text.trim().to_owned()),
    })
}

/// Returns the text behind the first occurrence of a word.
fn after_word<'a>(mut text: &'a str, wanted: &str) -> Option<&'a str> {
    loop {
        text = text.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, behind) = text.split_at(end);
        match word {
            "" => return None,
            _ if word == wanted => return Some(behind),
            _ => text = behind,
        }
    }
}

fn position(rest: &[&str]) -> Result<Command, Mistake> {
    let (setup, moves) = split_at_word(rest, "moves");
    let fen = match setup {
        ["startpos"] => None,
        ["fen", fields @ ..] if !fields.is_empty() => Some(fields.join(" ")),
        _ => return Err(Mistake::Position),
    };
    let moves = moves.unwrap_or_default();
    Ok(Command::Position(Position {
        fen,
        moves: moves.iter().map(ToString::to_string).collect(),
    }))
}

/// Returns the words before a word, and those after it if it is there.
fn split_at_word<'a>(words: &'a [&'a str], word: &str) -> (&'a [&'a str], Option<&'a [&'a str]>) {
    match words.iter().position(|candidate| *candidate == word) {
        Some(at) => (&words[..at], Some(&words[at + 1..])),
        None => (words, None),
    }
}

fn go(rest: &[&str]) -> Command {
    let mut go = Go::default();
    let mut perft = None;
    let mut clockless = Vec::new();
    let mut words = rest.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.limits.infinite = true,
            "ponder" => go.limits.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !is_parameter(word)) {
                    go.search_moves.push(mv.to_owned());
                }
            }
            _ if NUMBERS.contains(&word) => match words.peek().copied().and_then(number) {
                Some(value) => {
                    words.next();
                    match word {
                        "perft" => perft = Some(plies(value) as u32),
                        "mate" if value <= 0 => {
                            go.remarks
                                .push(format!("ignoring 'mate {value}', which is no mate"));
                        }
                        _ => limit(&mut go.limits, word, value),
                    }
                    if ["winc", "binc", "movestogo"].contains(&word) {
                        clockless.push(word);
                    }
                }
                None => go
                    .remarks
                    .push(format!("ignoring '{word}', which needs a number")),
            },
            _ => go.remarks.push(format!("ignoring {}", quote(word))),
        }
    }
    if !go.limits.infinite && !go.limits.is_bounded() {
        let useless = |word| format!("ignoring '{word}', which limits nothing without a clock");
        go.remarks.extend(clockless.into_iter().map(useless));
    }
    perft.map_or(Command::Go(go), Command::Perft)
}

fn is_parameter(word: &str) -> bool {
    FLAGS.contains(&word) || NUMBERS.contains(&word)
}

/// Sets one of the limits. Strange times are accepted here; [`clock`](crate::clock) handles them.
fn limit(limits: &mut Limits, word: &str, value: i64) {
    match word {
        "wtime" => limits.time[0] = Some(value),
        "btime" => limits.time[1] = Some(value),
        "winc" => limits.increment[0] = value,
        "binc" => limits.increment[1] = value,
        "movetime" => limits.move_time = Some(value),
        // Some GUIs send 0 if there is no further time control.
        "movestogo" => limits.moves_to_go = (value > 0).then_some(value.min(1 << 16) as u32),
        "depth" => limits.depth = Some(plies(value)),
        "nodes" => limits.nodes = Some(value.max(1) as u64),
        "mate" => limits.mate = Some(plies(value)),
        _ => {}
    }
}

fn plies(value: i64) -> i32 {
    value.clamp(1, MAX_PLY as i64) as i32
}

/// Parses a number and drops its fraction. A number that does not fit into 64 bits becomes the
/// greatest or the least one.
pub(crate) fn number(word: &str) -> Option<i64> {
    let (word, fraction) = word.split_once('.').unwrap_or((word, ""));
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || !is_number(digits) || !is_number(fraction) {
        return None;
    }
    let limit = if word.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    Some(word.parse().unwrap_or(limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go_of(line: &str) -> Go {
        match parse(line) {
            Ok(Some(Command::Go(go))) => go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn words_before_a_command_are_skipped() {
        assert!(matches!(
            parse("joho debug on"),
            Ok(Some(Command::Debug(true)))
        ));
        assert!(matches!(parse("\t stop  \r\n"), Ok(Some(Command::Stop))));
        assert!(matches!(parse("bench"), Ok(Some(Command::Bench(None)))));
        assert!(matches!(parse("no bench"), Err(Mistake::Unknown(_))));
        assert!(matches!(parse(" \r\n"), Ok(None)));
    }

    #[test]
    fn option_names_and_values_may_have_spaces() {
        for (line, name, value) in [
            ("setoption name Hash value 64", "Hash", Some("64")),
            ("setoption name Clear Hash", "Clear Hash", None),
            (
                "setoption name Debug Log File value",
                "Debug Log File",
                Some(""),
            ),
            (
                "setoption name Debug Log File value my log.txt",
                "Debug Log File",
                Some("my log.txt"),
            ),
            (
                "any value  setoption  name  Debug  Log File  value  my  log.txt \r",
                "Debug Log File",
                Some("my  log.txt"),
            ),
        ] {
            match parse(line) {
                Ok(Some(Command::SetOption {
                    name: got,
                    value: text,
                })) => {
                    assert_eq!((got.as_str(), text.as_deref()), (name, value));
                }
                other => panic!("{line}: {other:?}"),
            }
        }
        for bad in [
            "setoption",
            "setoption name",
            "setoption Hash value 3",
            "setoption name value 3",
        ] {
            assert!(matches!(parse(bad), Err(Mistake::Usage(_))), "{bad}");
        }
    }

    #[test]
    fn positions() {
        let Ok(Some(Command::Position(position))) = parse("position startpos moves e2e4 e7e5")
        else {
            panic!("not a position");
        };
        assert_eq!((position.fen, position.moves.len()), (None, 2));
        let Ok(Some(Command::Position(position))) = parse("position fen 8/8/8/8/8/8/8/8 w - -")
        else {
            panic!("not a position");
        };
        assert_eq!(position.fen.as_deref(), Some("8/8/8/8/8/8/8/8 w - -"));
        for bad in [
            "position",
            "position fen",
            "position moves e2e4",
            "position startpos e2e4",
        ] {
            assert!(matches!(parse(bad), Err(Mistake::Position)), "{bad}");
        }
    }

    #[test]
    fn go_takes_parameters_in_any_order_and_number() {
        let go =
            go_of("go searchmoves e2e4 d2d4 infinite ponder binc 5 wtime -30 movestogo 7 depth 9");
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert!(go.limits.infinite && go.limits.ponder && go.remarks.is_empty());
        assert_eq!(go.limits.time, [Some(-30), None]);
        assert_eq!(go.limits.increment, [0, 5]);
        assert_eq!((go.limits.moves_to_go, go.limits.depth), (Some(7), Some(9)));
        assert!(go_of("go").remarks.is_empty());
    }

    #[test]
    fn go_saturates_and_ignores() {
        let go = go_of(
            "go nodes 99999999999999999999999 depth -3 movestogo 0 btime 99999999999999999999",
        );
        assert_eq!(
            (go.limits.nodes, go.limits.depth),
            (Some(i64::MAX as u64), Some(1))
        );
        assert_eq!(
            (go.limits.moves_to_go, go.limits.time[1]),
            (None, Some(i64::MAX))
        );
        let go = go_of("go depth infinite fast movetime");
        assert!(go.limits.infinite && go.limits.depth.is_none());
        assert_eq!(go.remarks.len(), 3);
    }

    #[test]
    fn fractions_are_dropped() {
        let go = go_of("go wtime 1000.0 btime -2.75 movetime 0.5 depth 7.");
        assert_eq!(go.limits.time, [Some(1000), Some(-2)]);
        assert_eq!((go.limits.move_time, go.limits.depth), (Some(0), Some(7)));
        assert!(go.remarks.is_empty());
        assert_eq!(go_of("go depth 1.x depth .5 depth 1.2.3").remarks.len(), 6);
    }

    #[test]
    fn perft_has_a_depth() {
        assert!(matches!(parse("go perft 5"), Ok(Some(Command::Perft(5)))));
        assert!(matches!(parse("go perft"), Ok(Some(Command::Go(_)))));
    }

    #[test]
    fn quotes_are_short_and_clean() {
        assert_eq!(quote(" a\u{1b}b\r"), "'a\\u{1b}b'");
        assert!(quote(&"x".repeat(10_000)).chars().count() < 70);
    }
}
