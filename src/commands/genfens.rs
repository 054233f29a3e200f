//! OpenBench's `genfens`, which generates openings for games that another program runs.
// Source: https://github.com/AndyGrant/OpenBench, Client/genfens.py

use std::io::{self, Write};
use std::path::PathBuf;

use crate::board::book::{self, BookError};
use crate::board::openings::{self, BALANCED, UNDECIDED};
use crate::board::{Board, Game};
use crate::clock::Limits;
use crate::memory::MemoryError;
use crate::search::{SearchRequest, Setup, Silent};
use crate::smp::Solo;
use crate::types::{Rng, Score};

/// The number of nodes that an opening is searched to judge whether it is fair.
const NODES: u64 = 10_000;
/// The size of the transposition table for these searches, in megabytes.
const HASH: usize = 2;
/// The number of random plies after a position of a book; half of the openings have one more.
const BOOK_PLIES: usize = 2;
/// The number of openings tried for each that is requested.
const TRIES: usize = 1000;

/// The openings to generate.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    count: u64,
    seed: u64,
    /// The book; `None` for openings from start positions.
    book: Option<PathBuf>,
    /// The share of openings that begin from a Chess960 start position, 0 to 1.
    chess960_share: f64,
}

/// The reason why there are no openings.
#[derive(Debug, thiserror::Error)]
pub enum GenfensError {
    /// The arguments are not those of OpenBench.
    #[error(
        "cannot parse '{0}'; usage: genfens N seed S book FILE, or genfens N seed S book None [chess960 SHARE]"
    )]
    Words(String),
    /// The book is invalid.
    #[error(transparent)]
    Book(#[from] BookError),
    /// There is not enough memory for the transposition table.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// In all openings found one side is much better.
    #[error("one side is much better in each of {TRIES} openings tried")]
    Unfair,
    /// The openings cannot be printed.
    #[error("cannot print the openings: {0}")]
    Output(#[from] io::Error),
}

impl Request {
    /// Parses the program's arguments if they ask for openings, as in `genfens 5 seed 42 book
    /// None`, given as one argument or as several. Without a book, `chess960` and a share may
    /// follow. A final `quit` is ignored.
    ///
    /// # Errors
    /// If the arguments begin with `genfens` but are otherwise invalid.
    pub fn parse(arguments: &[String]) -> Option<Result<Self, GenfensError>> {
        let line = arguments.join(" ");
        if line.split_whitespace().next() != Some("genfens") {
            return None;
        }
        Some(Self::from_line(&line).ok_or(GenfensError::Words(line)))
    }

    fn from_line(line: &str) -> Option<Self> {
        let line = line.trim();
        let line = line.strip_suffix(" quit").unwrap_or(line);
        let (numbers, book) = line.split_once(" book ")?;
        let words: Vec<&str> = numbers.split_whitespace().collect();
        let ["genfens", count, "seed", seed] = words[..] else {
            return None;
        };
        // The path of a book may have spaces in it.
        let (book, chess960_share) = match book.split_whitespace().collect::<Vec<_>>()[..] {
            ["None"] => (None, 0.0),
            ["None", "chess960", share] => (None, share.parse().ok()?),
            ["None", ..] | [] => return None,
            _ => (Some(PathBuf::from(book.trim())), 0.0),
        };
        (0.0..=1.0).contains(&chess960_share).then_some(Self {
            count: count.parse().ok()?,
            seed: seed.parse().ok()?,
            book,
            chess960_share,
        })
    }
}

/// Returns the score of a position for the side to move, in internal centipawns.
fn score(judge: &mut Solo, board: Board) -> Score {
    let limits = Limits {
        nodes: Some(NODES),
        ..Limits::default()
    };
    let request = SearchRequest::new(Game::new(board), limits);
    judge.search(&request, &mut Silent).score
}

/// Prints the openings, one line each. They depend only on the request.
///
/// # Errors
/// If the book is invalid, no fair opening is found, there is not enough memory, or `out` cannot be
/// written.
pub fn run(request: &Request, out: &mut dyn Write) -> Result<(), GenfensError> {
    let book = request.book.as_deref().map(book::read).transpose()?;
    let limit = if book.is_some() { UNDECIDED } else { BALANCED };
    let mut judge = Solo::new(Setup::default(), HASH)?;
    for number in 0..request.count {
        let mut rng = Rng::stream(request.seed, number);
        let mut candidates = (0..TRIES).filter_map(|_| match &book {
            None => openings::random(request.chess960_share, &mut rng),
            Some(book) => {
                let plies = BOOK_PLIES + rng.below(2);
                openings::random_plies(rng.choose(book)?, plies, &mut rng)
            }
        });
        // An opening does not depend on earlier ones.
        judge.forget();
        let opening = candidates.find(|&board| score(&mut judge, board).abs() <= limit);
        let opening = opening.ok_or(GenfensError::Unfair)?;
        let fen = opening.fen(!opening.has_standard_castling());
        writeln!(out, "info string genfens {fen}")?;
        // OpenBench would take silence for a crash.
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;

    use super::*;

    fn parsed(arguments: &[&str]) -> Option<Result<Request, String>> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let request = Request::parse(&arguments)?;
        Some(request.map_err(|error| error.to_string()))
    }

    fn openings(line: &str) -> Vec<Board> {
        let request = parsed(&[line])
            .expect("the arguments are not taken for genfens")
            .expect("the request was refused");
        let mut out = Vec::new();
        run(&request, &mut out).expect("no openings were found");
        let text = String::from_utf8(out).expect("the output is not UTF-8");
        let fen = |line: &str| Board::from_fen(line.strip_prefix("info string genfens ")?).ok();
        text.lines().map(|line| fen(line).expect(line)).collect()
    }

    #[test]
    fn one_argument_or_many_mean_the_same() {
        let one = parsed(&["genfens 5 seed 42 book None", "quit"]);
        let many = parsed(&["genfens", "5", "seed", "42", "book", "None"]);
        assert_eq!(one, many);
        let request = one
            .expect("the arguments are not taken for genfens")
            .expect("the request was refused");
        assert_eq!((request.count, request.seed, &request.book), (5, 42, &None));
        for book in ["Books/a.epd", "My  books/a b.epd"] {
            let request = parsed(&[&format!("genfens 5 seed 42 book {book}"), "quit"])
                .expect("the arguments are not taken for genfens");
            let request = request.expect("the request was refused");
            assert_eq!(request.book, Some(book.into()));
        }
        assert_eq!(parsed(&["bench"]), None);
        assert_eq!(parsed(&[]), None);
        for line in [
            "genfens",
            "genfens x seed 42 book None",
            "genfens 5 seed -1 book None",
            "genfens 5 seed 42 book None chess960 2",
            "genfens 5 seed 42 book None chess960",
            "genfens 5 seed 42 book ",
            "genfens 5 seed 42 book None more",
        ] {
            let error = parsed(&[line])
                .expect("the arguments are not taken for genfens")
                .expect_err(line);
            assert!(error.contains(line), "{error}");
        }
    }

    #[test]
    fn openings_depend_on_the_seed() {
        let first = openings("genfens 4 seed 42 book None");
        assert_eq!(first.len(), 4);
        assert_eq!(first, openings("genfens 4 seed 42 book None "));
        assert_ne!(first, openings("genfens 4 seed 43 book None"));
        assert!(first.iter().all(Board::has_standard_castling));
        let other = openings("genfens 4 seed 42 book None chess960 1");
        assert!(!other.iter().all(Board::has_standard_castling));
    }

    #[test]
    fn openings_continue_a_book() {
        let scratch = tempfile::tempdir().expect("cannot create a temporary directory");
        let path = scratch.path().join("book.epd");
        let ending = "4k3/4p3/8/8/8/8/4P3/4K3 w - -";
        fs::write(&path, format!("{ending}\n")).expect("cannot write the scratch file");
        let line = format!("genfens 6 seed 1 book {}", path.display());
        let openings = openings(&line);
        let different: HashSet<u64> = openings.iter().map(Board::key).collect();
        assert!(different.len() > 1);
        assert!(openings.iter().all(|board| board.occupied().count() <= 4));

        fs::write(&path, "4k3/8/8/8/8/8/8/QQQ1K3 w - -\n").expect("cannot write the scratch file");
        let request = parsed(&[&line])
            .expect("the arguments are not taken for genfens")
            .expect("the request was refused");
        let error = run(&request, &mut Vec::new()).expect_err("lost");
        assert!(matches!(error, GenfensError::Unfair), "{error}");
    }
}
