//! `rejoinder-study play`: a game against the engine at the terminal, with typed moves.

mod record;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use rejoinder::board::{Board, Game, san};
use rejoinder::clock::Limits;
use rejoinder::search::strength::{GREATEST_ELO, LEAST_ELO, Strength};
use rejoinder::types::{Color, Move};
use rejoinder::uci::command::quote;

use crate::careless;
use crate::pgn_writer;
use crate::runner::EngineRunner;
use crate::terminal::{board_text, ending_text};
use crate::typed;
use record::Record;

/// Play a game: type moves as in Nf3, e2e4 or O-O.
///
/// Other words: undo takes back your last move and the answer, hint shows what the engine would
/// play, flip turns the board, resign ends the game, quit leaves it unfinished. After each move the
/// game is written to a PGN file.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// How strong the engine plays, in Elo of the rating lists of engines; below 1150 for beginners
    /// [default: full strength].
    #[arg(long, value_parser = clap::value_parser!(i32).range(i64::from(LEAST_ELO)..=i64::from(GREATEST_ELO)))]
    elo: Option<i32>,
    /// Play Black; the engine begins.
    #[arg(long)]
    black: bool,
    /// Milliseconds that the engine thinks about a move; at a lower rating it answers earlier.
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(i64).range(1..))]
    time: i64,
    /// Number of search threads [default: one per core].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Size of the transposition table in MB.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// FEN of the position to start from [default: the start position].
    #[arg(long)]
    fen: Option<String>,
    /// File to which the game is added [default: rejoinder-DATE-TIME.pgn].
    #[arg(long, value_name = "GAMES.pgn")]
    pgn: Option<PathBuf>,
    /// Draw letters for the pieces, and nothing but ASCII.
    #[arg(long)]
    ascii: bool,
}

const HELP: &str = "\
  Nf3, e2e4, O-O   play a move        undo     take back your move and the answer
  hint             show a good move   flip     turn the board
  board            show the board     resign   give up
  help             this list          quit     leave; the game stays in its file
";

/// What a person can type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Move(Move),
    Undo,
    Hint,
    Flip,
    Board,
    Resign,
    Help,
    Quit,
}

impl Input {
    fn parse(board: &Board, text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "undo" | "u" | "takeback" | "take back" => Self::Undo,
            "hint" => Self::Hint,
            "flip" => Self::Flip,
            "board" | "d" => Self::Board,
            "resign" => Self::Resign,
            "help" | "?" => Self::Help,
            "quit" | "exit" | "q" => Self::Quit,
            _ => Self::Move(typed::one_move(board, text)?),
        })
    }
}

/// How a game ends.
struct End {
    /// `1-0` and so on; `*` if it is not finished.
    result: &'static str,
    /// The reason in words.
    reason: String,
}

/// Plays a game at the terminal.
///
/// # Errors
/// If the position is invalid, the engine cannot start, or the terminal or the file fails.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    play(args, &mut io::stdin().lock(), &mut out)
}

fn play(args: &Args, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = Table::new(args)?;
    let opponent = args
        .elo
        .map_or("full strength".to_owned(), |elo| format!("{elo} Elo"));
    let side = if args.black { "Black" } else { "White" };
    writeln!(
        out,
        "You play {side} against {opponent}. Type a move, or help.\n"
    )?;
    let end = table.play(input, out)?;
    writeln!(out, "{} {}", end.reason, end.result)?;
    if table.moves.is_empty() {
        return Ok(());
    }
    table.record.write(&table.start, &table.moves, &end)?;
    writeln!(out, "The game is in {}.", table.record.path().display())?;
    Ok(())
}

/// A game that is being played.
struct Table<'a> {
    args: &'a Args,
    runner: EngineRunner,
    start: Board,
    moves: Vec<Move>,
    human: Color,
    flipped: bool,
    record: Record,
}

impl<'a> Table<'a> {
    fn new(args: &'a Args) -> anyhow::Result<Self> {
        let start = match &args.fen {
            Some(fen) => careless::board_of(fen)?,
            None => Board::startpos(),
        };
        let threads = args.threads.unwrap_or_else(|| num_cpus::get() as u64);
        let human = if args.black {
            Color::Black
        } else {
            Color::White
        };
        Ok(Self {
            args,
            runner: EngineRunner::new(args.hash, threads)?,
            start,
            moves: Vec::new(),
            human,
            flipped: args.black,
            record: Record::new(args.pgn.clone(), human, args.elo)?,
        })
    }

    fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        for &mv in &self.moves {
            game.play(mv);
        }
        game
    }

    /// Plays until the game ends or is left.
    fn play(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<End> {
        self.show(out)?;
        loop {
            let game = self.game();
            if let Some(reason) = ending_text(&game) {
                let result = game.outcome().map_or("*", pgn_writer::result);
                return Ok(End {
                    result,
                    reason: reason + ".",
                });
            }
            if game.board().side_to_move() != self.human {
                self.answer(&game, out)?;
                continue;
            }
            write!(out, "{} ", typed::prompt(game.board()))?;
            out.flush()?;
            let Some(line) = typed::line(input)? else {
                writeln!(out)?;
                return Ok(left());
            };
            let line = line.as_str();
            if line.is_empty() {
                continue;
            }
            let Some(read) = Input::parse(game.board(), line) else {
                writeln!(
                    out,
                    "{} is not a legal move here; help lists the other words",
                    quote(line)
                )?;
                continue;
            };
            match read {
                Input::Move(mv) => self.add(mv)?,
                Input::Undo => self.undo(out)?,
                Input::Hint => self.hint(&game, out)?,
                Input::Flip => {
                    self.flipped = !self.flipped;
                    self.show(out)?;
                }
                Input::Board => self.show(out)?,
                Input::Help => out.write_all(HELP.as_bytes())?,
                Input::Quit => return Ok(left()),
                Input::Resign => {
                    let (name, result) = match self.human {
                        Color::White => ("White", "0-1"),
                        Color::Black => ("Black", "1-0"),
                    };
                    let reason = format!("{name} resigns.");
                    return Ok(End { result, reason });
                }
            }
        }
    }

    /// Adds a move, and keeps the game in its file, so that nothing is lost if the program is ended.
    fn add(&mut self, mv: Move) -> anyhow::Result<()> {
        self.moves.push(mv);
        self.record.write(&self.start, &self.moves, &left())
    }

    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = board_text(&self.game(), self.flipped, self.args.ascii);
        out.write_all(text.as_bytes())
    }

    /// Makes the move of the engine.
    fn answer(&mut self, game: &Game, out: &mut dyn Write) -> anyhow::Result<()> {
        self.runner
            .set_strength(self.args.elo.map(Strength::of_elo));
        let mv = self.think(game);
        self.add(mv)?;
        self.show(out)?;
        writeln!(
            out,
            "{} {}",
            typed::prompt(game.board()),
            san::to_san(game.board(), mv)
        )?;
        Ok(())
    }

    fn hint(&mut self, game: &Game, out: &mut dyn Write) -> io::Result<()> {
        self.runner.set_strength(None);
        let mv = self.think(game);
        writeln!(
            out,
            "The engine would play {}.",
            san::to_san(game.board(), mv)
        )
    }

    fn think(&mut self, game: &Game) -> Move {
        let limits = Limits {
            move_time: Some(self.args.time),
            ..Limits::default()
        };
        self.runner.think_on(game.clone(), &limits).best
    }

    /// Takes back the last move of the person, and the answer to it.
    fn undo(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let Some(kept) = self.moves.len().checked_sub(2) else {
            writeln!(out, "There is nothing to take back.")?;
            return Ok(());
        };
        self.moves.truncate(kept);
        self.record.write(&self.start, &self.moves, &left())?;
        self.show(out)?;
        Ok(())
    }
}

fn left() -> End {
    End {
        result: "*",
        reason: "The game is not finished.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::parse_args;

    /// Plays a game with these options and typed lines, and returns what is shown and the PGN.
    fn played(options: &[&str], typed: impl AsRef<[u8]>) -> (String, String) {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let pgn = folder.path().join("games.pgn");
        let path = pgn.to_string_lossy().into_owned();
        let usual = [
            "--time",
            "20",
            "--threads",
            "1",
            "--hash",
            "1",
            "--pgn",
            &path,
        ];
        let args = parse_args(&[&usual, options].concat()).expect("arguments");
        let mut out = Vec::new();
        play(&args, &mut typed.as_ref(), &mut out).expect("a game");
        let shown = String::from_utf8(out).expect("text");
        (shown, fs::read_to_string(pgn).unwrap_or_default())
    }

    #[test]
    fn a_game_is_played_to_its_end() {
        let mate = "7k/5ppp/8/8/8/8/8/R3R1K1 w - - 0 31";
        let (shown, pgn) = played(&["--fen", mate], "Ra8#\n");
        assert!(shown.contains("Checkmate: White wins. 1-0"), "{shown}");
        for part in [
            "[White \"Player\"]",
            "[Result \"1-0\"]",
            "[SetUp \"1\"]",
            "31. Ra8# { Checkmate: White wins. } 1-0",
        ] {
            assert!(pgn.contains(part), "{part}\n{pgn}");
        }
        let (shown, pgn) = played(&["--black", "--elo", "1500"], "hint\nxyz\nresign\n");
        for part in [
            "against 1500 Elo",
            "1. ",
            "The engine would play ",
            "'xyz' is not a legal move",
            "Black resigns. 1-0",
        ] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        assert!(
            pgn.contains("[White \"Rejoinder ") && pgn.contains(" (1500 Elo)\"]"),
            "{pgn}"
        );
    }

    #[test]
    fn moves_are_taken_back_and_a_game_that_is_left_is_kept() {
        let (shown, pgn) = played(&[], "undo\n1. e4\nundo\nd2d4\nflip\nboard\nhelp\nquit\n");
        assert!(shown.contains("nothing to take back"), "{shown}");
        assert!(pgn.contains("1. d4 ") && !pgn.contains("1. e4 "), "{pgn}");
        assert!(
            pgn.contains("[Result \"*\"]") && pgn.trim_end().ends_with('*'),
            "{pgn}"
        );
        // The end of input leaves the game, too; a game without moves leaves no file.
        let (shown, pgn) = played(&[], "");
        assert!(
            shown.contains("not finished") && pgn.is_empty(),
            "{shown}{pgn}"
        );
        let (shown, pgn) = played(&[], "e4\nundo\nquit\n");
        assert!(!shown.contains("The game is in") && pgn.is_empty(), "{pgn}");
    }

    #[test]
    fn other_bytes_than_text_are_no_move() {
        let (shown, pgn) = played(&[], b"\xe9\n1. e\xff4\ne4\nquit\n");
        assert!(shown.contains("'\u{fffd}' is not a legal move"), "{shown}");
        assert_eq!(shown.matches("is not a legal move").count(), 2, "{shown}");
        assert!(pgn.contains("1. e4 "), "{pgn}");
    }

    #[test]
    fn games_are_added_to_a_file() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("games.pgn");
        fs::write(&path, "[Event \"Earlier\"]\n\n1. e4 *\n\n").expect("a file");
        let name = path.to_string_lossy().into_owned();
        let words = [
            "--time",
            "10",
            "--threads",
            "1",
            "--hash",
            "1",
            "--pgn",
            &name,
        ];
        let args = parse_args(&words).expect("arguments");
        for _ in 0..2 {
            play(&args, &mut "e4\nquit\n".as_bytes(), &mut Vec::new()).expect("a game");
        }
        let text = fs::read_to_string(&path).expect("the file");
        assert_eq!(text.matches("[Event \"").count(), 3, "{text}");
        assert!(
            text.starts_with("[Event \"Earlier\"]\n\n1. e4 *\n\n[Event \"Casual game\"]"),
            "{text}"
        );
    }
}
