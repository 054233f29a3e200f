//! `rejoinder-study analyze`: a position or a game is thought about, and shown live.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::time::Instant;

use anyhow::anyhow;

use crate::annotate::{self, Notes, PlainGame};
use crate::careless;
use crate::terminal::{self, Study, Task};
use rejoinder::board::{Board, coordinates, notation};
use rejoinder::cli::exit_code;
use rejoinder::clock::Limits;
use rejoinder::smp::Engine;
use rejoinder::types::Move;
use rejoinder::uci::{self, command};

/// The seconds that an analysis takes if the user cannot stop it.
const DEFAULT_SECONDS: u64 = 5;

/// Analyzes a position and shows the best lines as they develop.
///
/// At a terminal the board, an evaluation bar and the lines are drawn in place; scores and chances
/// are seen from White's side there. Keys: q quits; the space bar stops and goes on, g goes deeper
/// than the limit; the arrows and Home and End step through the moves and into the best line; n and p
/// go to the next mistake that a file marks and the one before, v plays the file's line in place of the
/// last move; 1 to 9 play the first move of a line, m lets you type a move, u undoes it; f flips the
/// board; + and - change the number of lines. Elsewhere each new result is printed as a line, after
/// what the file says about marked moves.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Seconds to search [default: until a key ends it; 5 without a terminal]. After that the
    /// analysis closes, unless a key was pressed.
    #[arg(long)]
    seconds: Option<u64>,
    /// Number of search threads [default: one per core].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Size of the transposition table in MB.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Number of lines to search.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    multipv: u64,
    /// Draw letters for the pieces, and nothing but ASCII.
    #[arg(long)]
    ascii: bool,
    /// Moves from the position on, as in "1. e4 c5 2. Nf3" or "e2e4 c7c5"; the last position is
    /// searched.
    #[arg(long, value_name = "MOVES", conflicts_with = "pgn")]
    moves: Option<String>,
    /// Take a game of this file. At a terminal it begins at its first move, elsewhere the last position
    /// is searched.
    #[arg(long, value_name = "GAMES.pgn", conflicts_with = "fen")]
    pgn: Option<PathBuf>,
    /// Which game of the PGN file, counted from 1.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "pgn", value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// FEN of the position, with or without quotes around it [default: the start position]. "moves"
    /// and moves may follow, as in the position command of UCI.
    #[arg(value_name = "FEN", num_args = 0..)]
    fen: Vec<String>,
}

impl Args {
    /// Returns the game to analyze; without a file it has no title.
    fn game(&self) -> anyhow::Result<PlainGame> {
        if let Some(path) = &self.pgn {
            return annotate::game_of(path, self.game);
        }
        let words = self.fen.join(" ");
        let (position, behind) = split_at_moves(&words);
        let start = match position {
            "" | "startpos" => Board::startpos(),
            fen => careless::board_of(fen)?,
        };
        let moves = self.moves.as_deref().unwrap_or("");
        let words = behind.split_whitespace().chain(moves.split_whitespace());
        let moves = notation::parse_line(&start, words)
            .map_err(|word| anyhow!("{} is not legal", command::quote(word)))?;
        Ok(PlainGame {
            start,
            moves,
            title: String::new(),
            notes: Notes::default(),
        })
    }

    fn threads(&self) -> usize {
        self.threads
            .map_or_else(num_cpus::get, |threads| threads as usize)
    }
}

/// Splits the words of a `position` command into a FEN or `startpos`, and the moves.
fn split_at_moves(words: &str) -> (&str, &str) {
    let words = words.trim();
    let words = words
        .strip_prefix("position ")
        .unwrap_or(words)
        .trim_start();
    let words = words.strip_prefix("fen ").unwrap_or(words).trim_start();
    let (position, moves) = words.split_once("moves").unwrap_or((words, ""));
    (position.trim(), moves)
}

/// Runs the analysis: drawn if there is a terminal, otherwise as plain lines.
pub fn run(args: &Args) -> ExitCode {
    match args.game() {
        Err(error) => exit_code::<(), _>(Err(error)),
        Ok(game) if terminal::is_usable() => exit_code(draw(args, game)),
        Ok(game) => match say(&game.notes.listing(&game.start)) {
            Err(error) => exit_code::<(), _>(Err(error)),
            Ok(()) => uci::run(lines(args, game.start, &game.moves), true),
        },
    }
}

/// Prints what the file says, before the engine says anything.
fn say(listing: &str) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(listing.as_bytes()).and_then(|()| out.flush())
}

fn draw(args: &Args, game: PlainGame) -> anyhow::Result<()> {
    let mut study = Study::new(game.start, game.moves);
    if args.pgn.is_some() {
        study.go_to(0);
    }
    let (sender, events) = mpsc::channel();
    let sink = move |event| drop(sender.send(event));
    let mut engine = Engine::new(Arc::new(sink), args.hash as usize, args.threads())?;
    let task = Task {
        study,
        title: game.title,
        notes: game.notes,
        threads: args.threads(),
        limits: Limits {
            move_time: args.seconds.map(milliseconds),
            infinite: args.seconds.is_none(),
            ..Limits::default()
        },
        begin: Instant::now(),
        multi_pv: args.multipv as usize,
        stays: args.seconds.is_none(),
        ascii: args.ascii,
    };
    let text = terminal::run(&mut engine, &mut || events.try_recv().ok(), task)?;
    let mut out = anstream::stdout().lock();
    for line in text {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn milliseconds(seconds: u64) -> i64 {
    seconds.saturating_mul(1000).min(i64::MAX as u64) as i64
}

/// Returns the UCI lines that print the analysis.
fn lines(args: &Args, start: Board, moves: &[Move]) -> Vec<String> {
    let chess960 = !start.has_standard_castling();
    let mut position = format!("position fen {}", start.fen(chess960));
    let mut board = start;
    for (i, &mv) in moves.iter().enumerate() {
        position += if i == 0 { " moves " } else { " " };
        position += &coordinates::move_to_uci(&board, mv, chess960);
        board.make(mv);
    }
    let seconds = args.seconds.unwrap_or(DEFAULT_SECONDS);
    vec![
        format!("setoption name Threads value {}", args.threads()),
        format!("setoption name Hash value {}", args.hash),
        format!("setoption name MultiPV value {}", args.multipv),
        position,
        "d".to_owned(),
        format!("go movetime {}", milliseconds(seconds)),
        "quit".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parse_args;

    /// The last position of what the arguments ask for, or the reason why there is none.
    fn position(words: &[&str]) -> Result<String, String> {
        let args: Args = parse_args(words).map_err(|error| error.to_string())?;
        let game = args.game().map_err(|error| error.to_string())?;
        let mut board = game.start;
        for mv in game.moves {
            board.make(mv);
        }
        Ok(board.fen(false))
    }

    #[test]
    fn a_fen_needs_no_quotes() {
        const FEN: &str = "4k3/P7/8/8/8/8/8/4K3 w - - 3 40";
        let words: Vec<&str> = FEN.split(' ').collect();
        assert_eq!(position(&words).as_deref(), Ok(FEN));
        assert_eq!(position(&[FEN]).as_deref(), Ok(FEN));
        assert_eq!(position(&["fen", FEN]).as_deref(), Ok(FEN));
        let with_options = [&words[..], &["--seconds", "1"]].concat();
        assert_eq!(position(&with_options).as_deref(), Ok(FEN));
        let queen = Ok("Q3k3/8/8/8/8/8/8/4K3 b - - 0 40");
        for moves in [
            &["--moves", "a7a8Q"][..],
            &["moves", "A8=Q"],
            &["--moves", "40. a8Q+"],
        ] {
            assert_eq!(position(&[&words[..], moves].concat()).as_deref(), queen);
        }
        assert!(position(&["4k3/8", "w"]).is_err());
    }

    #[test]
    fn moves_are_read_in_every_usual_form() {
        let wanted = position(&["--moves", "e2e4 e7e5 g1f3"]).expect("a position");
        for words in [
            &["--moves", "1. e4 e5 2. Nf3"][..],
            &["--moves", "1.e4 e5 2.Nf3"],
            &["--moves", "1 e4 1... e5 2 . NF3"],
            &["--moves", "E2E4 E7-E5 G1F3"],
            &["startpos", "moves", "e2e4", "e7e5", "g1f3"],
            &["position startpos moves e2e4 e7e5 g1f3"],
            &["startpos", "--moves", "e4 e5 Nf3!"],
        ] {
            assert_eq!(position(words).as_ref(), Ok(&wanted), "{words:?}");
        }
        let error = position(&["--moves", "e4 e4"]).expect_err("an illegal move");
        assert_eq!(error, "'e4' is not legal");
    }
}
