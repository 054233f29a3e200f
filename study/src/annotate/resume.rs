//! What an interrupted run has finished: the games of its output, found again in the input. Nothing
//! but the output itself says how far that run came.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, bail};

use super::part::length_of_lines;
use super::range::Selection;
use super::unreadable;
use crate::pgn::{self, GameText, Item, Record, Source};

/// What is done of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Finished {
    /// Number of games.
    pub games: u64,
    /// Number of games among them that are not annotated to their end.
    pub faulty: u64,
    /// Number of games among them that are not annotated at all, and not in the JSON.
    pub refused: u64,
    /// Size of the output with them, in bytes.
    pub length: u64,
}

/// Passes over the games of the input that an interrupted run has written to this file. The last
/// one there is not among them: it may be torn, and to annotate it again is less than to find out.
///
/// `effort` is what the summary of each game says about the program and its searches.
///
/// # Errors
/// Fails if a file cannot be read, or if the games there are others or of another effort.
pub(super) fn finished(
    part: &Path,
    input: &mut Selection<impl BufRead>,
    effort: &str,
) -> anyhow::Result<Finished> {
    let mut done = Finished::default();
    let file = File::open(part).with_context(unreadable(part))?;
    let mut written = Source::new(BufReader::with_capacity(1 << 16, file));
    let mut next = written.next_game().with_context(unreadable(part))?;
    let mut first_line = None;
    while let Some(game) = next {
        next = written.next_game().with_context(unreadable(part))?;
        let Some(following) = &next else { break };
        first_line = Some(following.line);
        let number = game.number;
        if !pass(game, input, effort, &mut done)? {
            bail!(
                "cannot go on with {}: its game {number} is not that of the input, annotated by {effort}: give the same games and options again, or delete it to begin anew",
                part.display()
            );
        }
    }
    if let Some(line) = first_line {
        let length = length_of_lines(part, line - 1).with_context(unreadable(part))?;
        done.length = length.unwrap_or_default();
    }
    Ok(done)
}

/// Passes over the game of the input that was written so, and those before it that were not written
/// at all. Returns false if it is another one.
fn pass(
    written: GameText,
    input: &mut Selection<impl BufRead>,
    effort: &str,
    done: &mut Finished,
) -> anyhow::Result<bool> {
    // It has become so large by its annotations.
    let is_huge = written.too_large;
    let written = pgn::read(written);
    while let Some(game) = input.next_game().context("cannot read the games")? {
        let game = pgn::read(game);
        let is_faulty = game.as_ref().map_or(true, |game| game.fault.is_some());
        done.games += 1;
        done.faulty += u64::from(is_faulty);
        done.refused += u64::from(game.is_err());
        return Ok(match (&game, &written) {
            (Err(game), _) if game.text.is_empty() => continue,
            (Err(game), Err(written)) => is_huge || game.text == written.text,
            (Ok(game), Ok(written)) => is_annotated(written, game, effort),
            _ => is_huge,
        });
    }
    Ok(false)
}

/// Returns whether this is that game with annotations of this effort.
fn is_annotated(written: &Record, game: &Record, effort: &str) -> bool {
    let players = |record: &Record| ["White", "Black"].map(|name| record.player(name).to_owned());
    // A blank, so that depth 1 is not taken for depth 12.
    let effort = format!("{effort} ");
    let is_ours = |item: &Item| matches!(item, Item::Comment(text) if text.contains(&effort));
    game.start == written.start
        && game.moves == written.moves
        && players(game) == players(written)
        && (game.moves.is_empty() || written.line.head.iter().any(is_ours))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Args, run};
    use super::*;
    use crate::testing::parse_args;

    /// Games that are copied as they are, with all that could hide where they begin and end.
    const REFUSED: &str = "{ Before. }\n\n[Variant \"Atomic\"]\n\n1. e4 { open\n\n\
        Prose before.\n\n[Event \"x\"]\n[FEN \"none\"]\n\n1. e4 e5\n\n\
        1. d4 d5\n\n[Event \"y\"]\n[SetUp \"1\"]\n\n*\n\n; A line.\n[Event \"z\"]\n\n1. c4 ; end\n\n\
        [Variant \"Atomic\"]\n\n\n1. e4 ( 1. d4\n[Variant \"Atomic\"]\n1-0\n";

    const EFFORT: &str = "1 nodes";

    fn args(games: &Path, range: &str) -> Args {
        let games = games.to_str().expect("a path");
        let options = [games, "--nodes", "1", "--hash", "1", "--games", range];
        parse_args(&options).expect("arguments")
    }

    fn annotated(games: &Path, range: &str) -> String {
        let mut out = Vec::new();
        // It fails where a game is not annotated to its end.
        let _ = run(&args(games, range), &mut out);
        String::from_utf8(out).expect("text")
    }

    fn selection(text: &[u8], range: &str) -> Selection<impl BufRead> {
        let range = range.parse().expect("a range");
        Selection::new(Source::new(text), range).expect("games")
    }

    /// Cuts what is written of these games at every byte, as a kill might.
    fn check(input: &[u8]) {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let name = |name: &str| scratch.path().join(name);
        fs::write(name("in.pgn"), input).expect("a file");
        let mut count = selection(input, "1-");
        while count.next_game().expect("a game").is_some() {}
        let texts: Vec<String> = (1..=count.passed())
            .map(|number| annotated(&name("in.pgn"), &number.to_string()))
            .collect();
        let whole = texts.concat();
        assert_eq!(
            annotated(&name("in.pgn"), "1-"),
            whole,
            "a game knows others"
        );
        let mut ends = vec![0];
        for text in &texts {
            ends.push(ends[ends.len() - 1] + text.len());
        }
        for cut in 0..=whole.len() {
            fs::write(name("a.part"), &whole.as_bytes()[..cut]).expect("a file");
            let mut games = selection(input, "1-");
            let done = finished(&name("a.part"), &mut games, EFFORT)
                .unwrap_or_else(|error| panic!("{cut}: {error:#}\n{}", &whole[..cut]));
            assert_eq!(games.passed(), done.games, "{cut}");
            let length = ends[done.games as usize];
            assert_eq!(done.length, length as u64, "{cut}\n{}", &whole[..cut]);
            // What is torn goes, and no more than one game with it.
            let torn = ends.iter().filter(|end| (length + 1..=cut).contains(end));
            assert!(length <= cut && torn.count() <= 1, "{cut}");
        }
    }

    #[test]
    fn an_output_that_ends_anywhere_goes_on_behind_a_whole_game() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pgn");
        for entry in fs::read_dir(folder).expect("a folder") {
            check(&fs::read(entry.expect("an entry").path()).expect("games"));
        }
        check(REFUSED.as_bytes());
    }

    #[test]
    fn games_that_are_not_written_are_passed_over() {
        let huge = format!("1. e4 {{ {} }} *\n\n", "long ".repeat(4 << 20));
        let input = ["1. a3 *\n\n", &*huge, "1. b3 *\n\n1. Kd5 *\n\n1. c3 *\n\n"].concat();
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let name = |name: &str| scratch.path().join(name);
        fs::write(name("in.pgn"), &input).expect("a file");
        let whole = annotated(&name("in.pgn"), "1-");
        fs::write(name("a.part"), &whole).expect("a file");
        let mut games = selection(input.as_bytes(), "1-");
        let done = finished(&name("a.part"), &mut games, EFFORT).expect("the same games");
        assert_eq!((done.games, done.faulty, done.refused), (4, 2, 1));
        let last = annotated(&name("in.pgn"), "5");
        assert_eq!(done.length as usize, whole.len() - last.len());
    }

    #[test]
    fn an_output_of_other_games_or_settings_is_left_alone() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let name = |name: &str| scratch.path().join(name);
        let input = "[White \"A\"]\n\n1. e4 e5 *\n\n".repeat(3);
        fs::write(name("in.pgn"), &input).expect("a file");
        let whole = annotated(&name("in.pgn"), "1-");
        fs::write(name("a.part"), &whole).expect("a file");
        let finished = |input: &str, range, effort| {
            let mut games = selection(input.as_bytes(), range);
            finished(&name("a.part"), &mut games, effort).map(|done| done.games)
        };
        assert_eq!(finished(&input, "1-", EFFORT).expect("games"), 2);
        for (input, range, effort) in [
            (input.replace("e5", "e6"), "1-", EFFORT),
            (input.replace('A', "B"), "1-", EFFORT),
            (
                input.replacen(
                    "[White",
                    "[FEN \"8/8/8/8/8/8/k6P/K7 w - - 0 1\"]\n[White",
                    1,
                ),
                "1-",
                EFFORT,
            ),
            (input.clone(), "1-", "11 nodes"),
            (input.clone(), "1-1", EFFORT),
            (String::new(), "1-", EFFORT),
        ] {
            let error = finished(&input, range, effort).expect_err("others");
            let error = error.to_string();
            assert!(error.contains("a.part: its game "), "{error}");
        }
        assert_eq!(fs::read_to_string(name("a.part")).expect("text"), whole);
    }
}
