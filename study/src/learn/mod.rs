//! `rejoinder-study learn`: mistakes of annotated games as exercises, at the terminal.

mod examiner;
mod store;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use jiff::{Timestamp, tz::TimeZone};
use rejoinder::board::{Board, Game, san};
use rejoinder::types::{Color, Move};
use rejoinder::uci::command::quote;

use crate::library::{Answers, Card, Exercise, Games, Grade, exercises};
use crate::terminal::board_text;
use crate::typed;
use examiner::Examiner;
use store::Store;

/// Most moves of a line that is shown, the first one included.
const LONGEST_LINE: usize = 8;

/// Find better moves where you made a mistake.
///
/// The exercises are the mistakes of annotated games, of FILE.pgn itself or of FILE.reviewed.pgn
/// beside it. Any move that loses less than 5% of the winning chance counts, as the engine sees it; a
/// wrong one is refuted. Exercises come back after days, weeks and months, the sooner the worse they
/// went (by the scheduler FSRS-5).
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Annotated games; without any, those exercises that were asked before
    #[arg(value_name = "FILE.pgn")]
    games: Vec<PathBuf>,
    /// Whose mistakes [default: asks]
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// The file with the answers so far, which the page exports and imports [default: exercises.epd in
    /// the user's state folder]
    #[arg(long, value_name = "FILE.epd")]
    exercises: Option<PathBuf>,
    /// Nodes that the engine searches for a move
    #[arg(long, value_name = "N", default_value_t = 300_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Draw letters for the pieces, and nothing but ASCII
    #[arg(long)]
    ascii: bool,
}

const HELP: &str = "\
  Nf3, e2e4, O-O   try a move               next   leave this exercise
  hint             the piece that moves     board  show the board
  show             the answer               quit   leave; the answers are kept
";

/// What a person can type.
enum Input {
    Move(Move),
    Hint,
    Show,
    Next,
    Board,
    Help,
    Quit,
}

impl Input {
    fn parse(board: &Board, text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "hint" => Self::Hint,
            "show" | "answer" => Self::Show,
            "next" | "skip" => Self::Next,
            "board" | "d" => Self::Board,
            "help" | "?" => Self::Help,
            "quit" | "exit" | "q" => Self::Quit,
            _ => Self::Move(typed::one_move(board, text)?),
        })
    }
}

/// Asks the exercises.
///
/// # Errors
/// If a file cannot be read or written, there are no exercises, or the engine cannot start.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let now = Timestamp::now().as_second();
    learn(args, now, &mut io::stdin().lock(), &mut anstream::stdout())
}

fn learn(
    args: &Args,
    now: i64,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let store = Store::open(args.exercises.as_deref())?;
    let cards = cards(args, &store)?;
    let Some(player) = player(args, &cards, input, out)? else {
        return Ok(());
    };
    let own = cards.into_iter();
    let own = own.filter(|card| card.exercise.player().eq_ignore_ascii_case(&player));
    let (queue, next) = queue(own.collect(), now);
    if queue.is_empty() {
        match next {
            Some(due) => writeln!(out, "Nothing is due. The next exercise comes {}.", day(due))?,
            None => writeln!(out, "{player} has made no mistake in these games.")?,
        }
        return Ok(());
    }
    let mut lesson = Lesson {
        args,
        now,
        store,
        examiner: Examiner::new(args.nodes)?,
        solved: 0,
        failed: 0,
    };
    lesson.hold(queue, input, out)
}

/// Returns the exercises of the games, each once, with what is known of the answers, and those that were
/// asked before.
fn cards(args: &Args, store: &Store) -> anyhow::Result<Vec<Card>> {
    let mut seen = BTreeSet::new();
    let mut cards: Vec<Card> = Vec::new();
    let mut add = |card: Card| {
        let key = card.exercise.key();
        if seen.insert(key) {
            cards.push(card);
        }
    };
    for path in &args.games {
        let unreadable = || format!("cannot read {}", path.display());
        let mut has_games = false;
        for found in Games::open(path).with_context(unreadable)? {
            has_games = true;
            for exercise in exercises(&found.with_context(unreadable)?.record) {
                let answers = store.deck.answers(&exercise.key());
                add(Card { exercise, answers });
            }
        }
        if !has_games {
            bail!("{} holds no game", path.display());
        }
    }
    for card in store.deck.cards() {
        add(card.clone());
    }
    if cards.is_empty() {
        bail!(
            "there are no mistakes with a better move: annotate the games first, as in \
             `rejoinder-study annotate GAMES.pgn -o OUT.pgn`"
        );
    }
    Ok(cards)
}

/// Returns whose mistakes are asked, as the user wants it; `None` at the end of input.
fn player(
    args: &Args,
    cards: &[Card],
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<Option<String>> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for card in cards {
        *counts.entry(card.exercise.player()).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = counts.into_iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let find = |text: &str| {
        let by_number = text
            .parse()
            .ok()
            .and_then(|number: usize| number.checked_sub(1));
        let by_number = by_number.and_then(|at| names.get(at));
        let by_name = names
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(text));
        by_name.or(by_number).map(|(name, _)| (*name).to_owned())
    };
    if let Some(name) = &args.player {
        let found = find(name);
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let found = found.with_context(|| {
            let known = known.join(", ");
            format!("{} has no mistakes here; these have: {known}", quote(name))
        });
        return found.map(Some);
    }
    if let [(name, _)] = names[..] {
        return Ok(Some(name.to_owned()));
    }
    writeln!(out, "Whose mistakes?")?;
    for (place, (name, count)) in (1..).zip(&names) {
        writeln!(out, "{place:4}  {name} ({count})")?;
    }
    loop {
        write!(out, "Name or number: ")?;
        out.flush()?;
        let Some(text) = typed::line(input)? else {
            return Ok(None);
        };
        if let Some(name) = find(&text) {
            return Ok(Some(name));
        }
    }
}

/// Returns the exercises to ask, first those that are due, then those that are new; and when the next
/// one is due.
fn queue(cards: Vec<Card>, now: i64) -> (VecDeque<Card>, Option<i64>) {
    let (known, new): (Vec<Card>, Vec<Card>) =
        (cards.into_iter()).partition(|card| card.answers.is_some());
    let due = |card: &Card| card.answers.map_or(now, |answers| answers.due);
    let next = known.iter().map(due).filter(|due| *due > now).min();
    let mut asked: Vec<Card> = known.into_iter().filter(|card| due(card) <= now).collect();
    asked.sort_by_key(due);
    (asked.into_iter().chain(new).collect(), next)
}

/// What a person has done with an exercise.
enum Outcome {
    /// It was answered, and graded.
    Answered(Grade),
    Skipped,
    Left,
}

/// Exercises that are being asked.
struct Lesson<'a> {
    args: &'a Args,
    /// The time at the start, in seconds since 1970.
    now: i64,
    store: Store,
    examiner: Examiner,
    solved: usize,
    failed: usize,
}

impl Lesson<'_> {
    /// Asks one exercise after the other; those that are not solved at first come again at the end.
    fn hold(
        &mut self,
        mut queue: VecDeque<Card>,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let due = queue.iter().filter(|card| card.answers.is_some()).count();
        writeln!(
            out,
            "{} exercises: {due} due, {} new. Type a move, or help.",
            queue.len(),
            queue.len() - due
        )?;
        while let Some(mut card) = queue.pop_front() {
            match self.ask(&card.exercise, input, out)? {
                Outcome::Left => break,
                Outcome::Skipped => {}
                Outcome::Answered(grade) => {
                    let answers = Answers::add(card.answers, grade, self.now);
                    card.answers = Some(answers);
                    self.store.keep(card.clone())?;
                    if grade == Grade::Again {
                        self.failed += 1;
                        writeln!(out, "It comes again at the end.")?;
                        queue.push_back(card);
                    } else {
                        self.solved += 1;
                        writeln!(out, "It comes back {}.", day(answers.due))?;
                    }
                }
            }
        }
        let (solved, failed) = (self.solved, self.failed);
        writeln!(
            out,
            "\n{solved} solved, {failed} not at first. The answers are in {}.",
            self.store.path().display()
        )?;
        Ok(())
    }

    /// Asks an exercise until it is solved, shown or left.
    fn ask(
        &mut self,
        exercise: &Exercise,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> anyhow::Result<Outcome> {
        let board = Board::from_fen(&exercise.fen).context("the position of an exercise")?;
        let mut better = Vec::new();
        let mut after = board;
        for san in &exercise.better {
            let Some(mv) = san::parse(&after, san) else {
                break;
            };
            better.push(mv);
            after.make(mv);
        }
        let Some(&best) = better.first() else {
            return Ok(Outcome::Skipped);
        };
        let number = typed::prompt(&board);
        let Exercise {
            players: [white, black],
            date,
            played,
            sign,
            ..
        } = exercise;
        writeln!(out, "\n{}", format!("{white} - {black} {date}").trim_end())?;
        self.show(&board, &board, out)?;
        writeln!(
            out,
            "{number} {played}{sign} was played. What is better for {}?",
            side(&board)
        )?;
        let mut grade = Grade::Good;
        loop {
            write!(out, "{number} ")?;
            out.flush()?;
            let Some(text) = typed::line(input)? else {
                writeln!(out)?;
                return Ok(Outcome::Left);
            };
            if text.is_empty() {
                continue;
            }
            match Input::parse(&board, &text) {
                None => writeln!(
                    out,
                    "{} is not a legal move here; help lists the other words",
                    quote(&text)
                )?,
                Some(Input::Help) => out.write_all(HELP.as_bytes())?,
                Some(Input::Board) => self.show(&board, &board, out)?,
                Some(Input::Quit) => return Ok(Outcome::Left),
                Some(Input::Next) if grade == Grade::Again => return Ok(Outcome::Answered(grade)),
                Some(Input::Next) => return Ok(Outcome::Skipped),
                Some(Input::Hint) => {
                    if grade == Grade::Good {
                        grade = Grade::Hard;
                    }
                    writeln!(out, "The piece on {} moves.", best.from())?;
                }
                Some(Input::Show) => {
                    tell(&board, "Better was", &better, out)?;
                    reason(exercise, out)?;
                    return Ok(Outcome::Answered(Grade::Again));
                }
                Some(Input::Move(mv)) if mv == best => {
                    tell(&board, "Right:", &better, out)?;
                    reason(exercise, out)?;
                    return Ok(Outcome::Answered(grade));
                }
                Some(Input::Move(mv)) => {
                    let is_played = san::to_san(&board, mv) == *played;
                    let verdict = self.examiner.judge(&board, mv);
                    if verdict.is_right() && !is_played {
                        writeln!(
                            out,
                            "Right: {number} {} is as good.",
                            san::to_san(&board, mv)
                        )?;
                        tell(&board, "Best was", &better, out)?;
                        reason(exercise, out)?;
                        return Ok(Outcome::Answered(grade));
                    }
                    grade = Grade::Again;
                    let line = &verdict.line[..verdict.line.len().min(LONGEST_LINE)];
                    let percent = (100.0 * verdict.loss).round();
                    let words = if is_played {
                        "That was played in the game, and loses"
                    } else {
                        "That loses"
                    };
                    tell(&board, &format!("{words} {percent}%:"), line, out)?;
                    let mut after = board;
                    for &mv in line {
                        after.make(mv);
                    }
                    self.show(&board, &after, out)?;
                    writeln!(out, "Try again.")?;
                }
            }
        }
    }

    /// Shows a position, from the side that is to move in the first one.
    fn show(&self, first: &Board, board: &Board, out: &mut dyn Write) -> io::Result<()> {
        let flipped = first.side_to_move() == Color::Black;
        let text = board_text(&Game::new(*board), flipped, self.args.ascii);
        out.write_all(text.as_bytes())
    }
}

/// Prints a line behind some words.
fn tell(board: &Board, words: &str, line: &[Move], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{words} {}", san::words(board, line).join(" "))
}

/// Prints why the move of the game was bad, if anything is known.
fn reason(exercise: &Exercise, out: &mut dyn Write) -> io::Result<()> {
    if exercise.reason.is_empty() {
        return Ok(());
    }
    let Exercise {
        played,
        sign,
        reason,
        ..
    } = exercise;
    writeln!(out, "{played}{sign} {reason}")
}

/// Returns the side to move in words.
fn side(board: &Board) -> &'static str {
    match board.side_to_move() {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Returns a time, in seconds since 1970, as a day.
fn day(time: i64) -> String {
    let date = Timestamp::from_second(time).map(|time| time.to_zoned(TimeZone::system()).date());
    date.map_or_else(|_| "later".to_owned(), |date| format!("on {date}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::testing::parse_args;

    /// White hangs the queen where any other move keeps it; Black overlooks a mate.
    const GAMES: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[SetUp \"1\"]\n\
        [FEN \"1r4k1/1p3ppp/8/8/8/1Q6/5PPP/6K1 w - - 0 30\"]\n\n\
        30. Qxb7 $4 { Loses the queen: 30... Rxb7. } ( 30. h3 b5 ) 30... Rxb7 *\n\n\
        [White \"Cid\"]\n[Black \"Ann\"]\n[SetUp \"1\"]\n\
        [FEN \"r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 40\"]\n\n\
        40... Ra7 $4 ( 40... Ra1# ) 41. h3 $6 ( 41. g3 ) *\n";

    const NOW: i64 = 1_764_000_000;
    const DAY: i64 = 86_400;

    struct Place {
        folder: TempDir,
    }

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            fs::write(folder.path().join("games.pgn"), GAMES).expect("a file");
            Self { folder }
        }

        fn path(&self, name: &str) -> String {
            self.folder.path().join(name).display().to_string()
        }

        /// Types these lines so many days after the first time, and returns what is shown.
        fn typed(&self, options: &[&str], days: i64, typed: &str) -> String {
            let [games, exercises] = ["games.pgn", "cards/own.epd"].map(|name| self.path(name));
            let usual = [
                &*games,
                "--exercises",
                &*exercises,
                "--nodes",
                "20000",
                "--ascii",
            ];
            let args = parse_args(&[&usual, options].concat()).expect("arguments");
            let mut out = Vec::new();
            learn(&args, NOW + days * DAY, &mut typed.as_bytes(), &mut out).expect("a lesson");
            String::from_utf8(out).expect("text")
        }
    }

    fn assert_all(text: &str, parts: &[&str]) {
        let mut rest = text;
        for part in parts {
            let at = rest
                .find(part)
                .unwrap_or_else(|| panic!("{part} in {text}"));
            rest = &rest[at + part.len()..];
        }
    }

    #[test]
    fn a_mistake_is_missed_refuted_solved_and_repeated() {
        let place = Place::new();
        let ann = ["--player", "ann"];
        let shown = place.typed(&ann, 0, "Qxb7\nxyz\nh3\nhint\nRa1\nh3\n");
        assert_all(
            &shown,
            &[
                "2 exercises: 0 due, 2 new",
                "Ann - Bob",
                "30. Qxb7?? was played. What is better for White?",
                "That was played in the game, and loses",
                "30. Qxb7 Rxb7",
                "Try again.",
                "'xyz' is not a legal move",
                "Right: 30. h3 b5",
                "Qxb7?? Loses the queen: 30... Rxb7.",
                "It comes again at the end.",
                "40... Ra7?? was played. What is better for Black?",
                "The piece on a8 moves.",
                "Right: 40... Ra1#",
                "It comes back on ",
                "Ann - Bob",
                "Right: 30. h3 b5",
                "It comes back on ",
                "2 solved, 1 not at first.",
            ],
        );
        // On the same day there is nothing more to do.
        let shown = place.typed(&ann, 0, "");
        assert!(
            shown.starts_with("Nothing is due. The next exercise comes on "),
            "{shown}"
        );
        // Later the one that went worse is the first, or the only one.
        let shown = place.typed(&ann, 1, "Qe3\nquit\n");
        assert_all(&shown, &["due, 0 new", "was played. What is better"]);
        let deck = fs::read_to_string(place.path("cards/own.epd")).expect("the deck");
        assert_eq!(deck.lines().count(), 2, "{deck}");
        assert!(deck.contains("bm h3; am Qxb7; pv h3 b5;"), "{deck}");
    }

    #[test]
    fn another_good_move_counts() {
        let place = Place::new();
        let shown = place.typed(&["--player", "Ann"], 0, "g3\nshow\nquit\n");
        assert_all(
            &shown,
            &[
                "Right: 30. g3 is as good.",
                "Best was 30. h3",
                "Better was 40... Ra1#",
                "It comes again at the end.",
                "1 solved, 1 not at first.",
            ],
        );
    }

    #[test]
    fn the_player_is_asked_for() {
        let place = Place::new();
        let shown = place.typed(&[], 0, "nobody\n2\nnext\n");
        assert_all(
            &shown,
            &[
                "Whose mistakes?",
                "1  Ann (2)",
                "2  Cid (1)",
                "41. h3?! was played",
            ],
        );
        assert!(!fs::exists(place.path("cards/own.epd")).expect("a folder"));
        let games = place.path("games.pgn");
        let args = parse_args(&[&*games, "--player", "Eve", "--exercises", "none.epd"]);
        let args = args.expect("arguments");
        let error = learn(&args, NOW, &mut io::empty(), &mut Vec::new()).expect_err("nobody");
        assert_eq!(
            error.to_string(),
            "'Eve' has no mistakes here; these have: Ann, Cid"
        );
    }

    #[test]
    fn games_without_marks_are_refused() {
        let place = Place::new();
        fs::write(place.path("games.pgn"), "1. e4 e5 *\n").expect("a file");
        let [games, none] = ["games.pgn", "none.epd"].map(|name| place.path(name));
        let args = parse_args(&[&*games, "--exercises", &*none]).expect("arguments");
        let error = learn(&args, NOW, &mut io::empty(), &mut Vec::new()).expect_err("no marks");
        assert!(
            error.to_string().contains("annotate the games first"),
            "{error}"
        );
    }
}
