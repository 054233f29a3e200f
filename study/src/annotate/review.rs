//! Annotates one game for a program that shows the result of each search as it comes and may end
//! the run at any time: the analysis page.
//!
//! Every search is printed in a line, `position PLY SCORE CHANCE MOVES…` for a position, with the
//! score for the side to move and the winning chance of White, `deeper PLY TIMES SCORE CHANCE MOVES…`
//! for one that is searched again with so many times the effort, and `other PLY SCORE` for the moves
//! beside the best one. A later run that gets these lines before the game goes on after them. At
//! the end come a line `json …` and a line `pgn`, behind which the annotated game follows.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, anyhow, bail};
use rejoinder::board::coordinates::{move_to_uci, parse_move};
use rejoinder::board::{Board, Game};
use rejoinder::clock::Limits;
use rejoinder::eval::win_rate::WinRate;
use rejoinder::search::{SearchRequest, Setup, Silent};
use rejoinder::smp::Solo;
use rejoinder::types::{Color, Score};

use super::analysis::{self, Found, Purpose, Searcher};
use super::effort::Effort;
use super::evaluation::Evaluation;
use super::report::Report;
use super::{Args, json, name, unreadable, writing};
use crate::pgn::{self, Source};
use crate::runner::EngineRunner;
use crate::scale::Ruler;

/// Annotates the first game of the input, as [`run`](super::run) does, and prints each search. The
/// input is the lines of an earlier run, which may be none, an empty line, and the game.
///
/// # Errors
/// Fails if the game cannot be read, memory or threads are lacking, or the output cannot be written.
pub fn review(args: &Args, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
    let known = known(input).with_context(unreadable(&args.games))?;
    let game = (Source::new(input).next_game()).with_context(unreadable(&args.games))?;
    let Some(game) = game else {
        bail!("{} holds no game", name(&args.games));
    };
    let record = pgn::read(game)
        .map_err(|refused| anyhow!("the game cannot be read: {}", refused.reason))?;
    let (searcher, model): (Box<dyn Searcher>, WinRate) = if args.threads == 1 {
        let alone = Alone::new(args.hash)?;
        let model = alone.win_rate;
        (Box::new(alone), model)
    } else {
        let runner = EngineRunner::new(args.hash, args.threads)?;
        let model = runner.win_rate();
        (Box::new(runner), model)
    };
    let scale = args.scale;
    let ruler = Ruler { scale, model };
    let mut told = Told {
        searcher,
        known,
        ruler,
        out,
        broken: None,
    };
    let stop = AtomicBool::new(false);
    let effort = Effort::new(args.limit.limits());
    let analysis = analysis::analyze(&mut told, &record, &effort, ruler, &stop, &mut || {});
    if let Some(error) = told.broken {
        return Err(error.into());
    }
    let Some(analysis) = analysis else {
        return Ok(());
    };
    let report = Report::new(1, record, analysis, ruler);
    let style = args.style();
    write!(out, "json {}", json::write(&report, &style.effort))?;
    write!(out, "pgn\n{}", writing::write(&report, &style))?;
    out.flush()?;
    Ok(())
}

/// The searches of an earlier run, by their place in the game and their purpose.
type Known = HashMap<(usize, Purpose), (Score, Vec<String>)>;

/// Reads the lines of an earlier run up to an empty line. Others are passed over.
fn known(input: &mut dyn BufRead) -> io::Result<Known> {
    let mut known = Known::new();
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((place, purpose, found)) = known_search(&line) {
            known.insert((place, purpose), found);
        }
    }
    Ok(known)
}

fn known_search(line: &str) -> Option<(usize, Purpose, (Score, Vec<String>))> {
    let mut words = line.split_whitespace();
    let kind = words.next()?;
    let ply = words.next()?.parse().ok()?;
    let purpose = match kind {
        "position" => Purpose::Score(0),
        "deeper" => Purpose::Score(words.next()?.parse::<u32>().ok()?.checked_ilog2()?),
        "other" => Purpose::Others,
        _ => return None,
    };
    let score = words.next()?.parse().ok()?;
    let moves = words.skip(1).map(str::to_owned).collect();
    Some((ply, purpose, (score, moves)))
}

/// A searcher that prints what it finds, and takes from an earlier run what that has found.
struct Told<'a> {
    searcher: Box<dyn Searcher>,
    known: Known,
    ruler: Ruler,
    out: &'a mut dyn Write,
    /// Why the output cannot be written.
    broken: Option<io::Error>,
}

impl Told<'_> {
    fn tell(
        &mut self,
        ply: usize,
        board: &Board,
        purpose: Purpose,
        found: &Found,
    ) -> io::Result<()> {
        let Self { out, ruler, .. } = self;
        match purpose {
            Purpose::Others => {
                writeln!(out, "other {ply} {}", found.score)?;
                return out.flush();
            }
            Purpose::Score(0) => write!(out, "position {ply}")?,
            Purpose::Score(doublings) => write!(out, "deeper {ply} {}", 1 << doublings)?,
        }
        let place = Evaluation {
            board: *board,
            score: found.score,
            line: Vec::new(),
            second: None,
        };
        let chance = ruler.chance(found.score, &place.board);
        let chance = match board.side_to_move() {
            Color::White => chance,
            Color::Black => 1.0 - chance,
        };
        write!(out, " {} {chance:.3}", found.score)?;
        let mut board = *board;
        for &mv in &found.line {
            write!(out, " {}", move_to_uci(&board, mv, true))?;
            board.make(mv);
        }
        writeln!(out)?;
        out.flush()
    }
}

impl Searcher for Told<'_> {
    fn forget(&mut self) {
        self.searcher.forget();
    }

    fn search(&mut self, game: Game, limits: &Limits, purpose: Purpose) -> Found {
        let (ply, board) = (game.ply(), *game.board());
        let found = match self.known.remove(&(ply, purpose)) {
            Some((score, moves)) => Found {
                score,
                line: line_of(board, &moves),
                nodes: 0,
            },
            None => self.searcher.search(game, limits, purpose),
        };
        if let Err(error) = self.tell(ply, &board, purpose, &found) {
            self.broken.get_or_insert(error);
        }
        found
    }
}

fn line_of(mut board: Board, moves: &[String]) -> Vec<rejoinder::types::Move> {
    let legal = moves.iter().map_while(|text| {
        let mv = parse_move(&board, text)?;
        board.make(mv);
        Some(mv)
    });
    legal.collect()
}

/// A search in this thread, which works where no other one can be started.
struct Alone {
    solo: Solo,
    win_rate: WinRate,
}

impl Alone {
    fn new(megabytes: u64) -> io::Result<Self> {
        let setup = Setup::default();
        Ok(Self {
            win_rate: setup.network.win_rate(),
            solo: Solo::new(setup, megabytes as usize).map_err(io::Error::other)?,
        })
    }
}

impl Searcher for Alone {
    fn forget(&mut self) {
        self.solo.forget();
    }

    fn search(&mut self, game: Game, limits: &Limits, _: Purpose) -> Found {
        let request = SearchRequest::new(game, limits.clone());
        let result = self.solo.search(&request, &mut Silent);
        Found {
            score: result.score,
            line: result.pv,
            nodes: self.solo.stats().nodes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parse_args;

    const GAME: &str = "[White \"A\"]\n\n1. f3 e5 2. a3 { hm } d5 3. g4 Qh4# 0-1\n";

    fn reviewed(before: &str, threads: &str) -> String {
        let options = ["-", "--nodes", "3000", "--hash", "1", "--threads", threads];
        let args = parse_args(&options).expect("arguments");
        let mut out = Vec::new();
        let input = format!("{before}\n{GAME}");
        review(&args, &mut input.as_bytes(), &mut out).expect("a game");
        String::from_utf8(out).expect("text")
    }

    fn searches(text: &str) -> String {
        let kinds = ["position ", "deeper ", "other "];
        let is_search = |line: &&str| kinds.iter().any(|kind| line.starts_with(kind));
        text.lines()
            .filter(is_search)
            .fold(String::new(), |all, line| all + line + "\n")
    }

    #[test]
    fn each_search_is_told_and_the_game_comes_last() {
        let text = reviewed("", "1");
        let first = text.lines().next().expect("a line");
        // The last position is mate, so that the one before it is searched first.
        assert!(first.starts_with("position 5 "), "{first}");
        assert!(first.ends_with("d8h4"), "{first}");
        assert_eq!(text.matches("\nposition ").count(), 5, "{text}");
        let (_, end) = text.split_once("\njson {").expect("the summary");
        let (json, pgn) = end.split_once("\npgn\n").expect("the game");
        assert!(json.contains("\"accuracy\":"), "{json}");
        assert!(pgn.contains("3. g4 $4") && pgn.contains("hm }"), "{pgn}");
        assert!(pgn.ends_with("0-1\n\n"), "{pgn}");
    }

    #[test]
    fn a_review_goes_on_after_what_is_known() {
        let whole = reviewed("", "1");
        let again = reviewed(&searches(&whole), "1");
        assert_eq!(whole, again);
        // What is known is believed: here that the first move of the game loses much.
        let known = "position 0 60 0 h2h4 e7e5\ndeeper 0 4 60 0 h2h4 e7e5\n\
                     position 1 60 0 e7e5\ndeeper 1 4 60 0 e7e5\n";
        let told = reviewed(&format!("{known}nonsense\n"), "1");
        assert!(told.contains("\nposition 0 60 "), "{told}");
        assert!(told.contains("\ndeeper 1 4 60 "), "{told}");
        let flat = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("( 1. h4"), "{told}");
    }

    #[test]
    fn a_review_writes_what_annotate_writes() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(&file, GAME).expect("written");
        let path = file.path().to_str().expect("a path");
        let args = parse_args(&[path, "--nodes", "3000", "--hash", "1"]).expect("arguments");
        let mut out = Vec::new();
        crate::annotate::run(&args, &mut out).expect("annotated");
        let text = reviewed("", "1");
        let (_, pgn) = text.split_once("\npgn\n").expect("the game");
        assert_eq!(pgn, String::from_utf8_lossy(&out));
    }

    #[test]
    fn more_threads_review_as_well() {
        assert!(reviewed("", "2").contains("\npgn\n"));
    }

    #[test]
    fn what_is_no_game_is_refused() {
        let args = parse_args(&["-"]).expect("arguments");
        let review = |text: &str| review(&args, &mut text.as_bytes(), &mut Vec::new());
        let reason = |text| review(text).expect_err("no game").to_string();
        assert_eq!(reason("\n\n"), "standard input holds no game");
        let atomic = "\n[Variant \"Atomic\"]\n\n1. e4 *\n";
        assert!(reason(atomic).contains("the variant 'Atomic'"));
    }
}
