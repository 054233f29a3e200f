//! A session on a target that cannot start threads: WebAssembly in a page that may not share
//! memory.
//!
//! Commands are carried out one after the other, and nothing is read during a search. Whoever
//! starts the program ends a search by ending the program, as web/ does with its worker.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rejoinder::board::{Board, Game};
use rejoinder::build_info;
use rejoinder::commands::bench::{self, Plan};
use rejoinder::search::strength::{self, Strength};
use rejoinder::search::{Report, Reporter, SearchRequest, Setup};
use rejoinder::smp::{self, Solo};
use rejoinder::uci::PATIENCE;
use rejoinder::uci::command::{self, Command, Go, Mistake};
use rejoinder::uci::format::{self, Style};
use rejoinder::uci::options::{self, Change};
use rejoinder::uci::request::{CheckedGo, GameRequest, NO_BOARD};

/// The options that have an effect here.
const OPTIONS: [&str; 8] = [
    "Hash",
    "Clear Hash",
    "MultiPV",
    "Move Overhead",
    "UCI_Chess960",
    "UCI_ShowWDL",
    "UCI_LimitStrength",
    "UCI_Elo",
];

struct Conversation {
    game: Game,
    /// The last `position` was refused, so that no board is the one to search.
    position_refused: bool,
    solo: Solo,
    style: Style,
    multi_pv: usize,
    overhead: Duration,
    limits_strength: bool,
    elo: i32,
}

/// Runs a session until `quit` or the end of input. The lines of the script come first.
pub fn run(script: &[String]) -> ExitCode {
    let script = script
        .iter()
        .fold(String::new(), |text, line| text + line + "\n");
    let input = io::Read::chain(script.as_bytes(), io::stdin().lock());
    match converse(io::BufReader::new(input), &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails, the error cannot be reported anywhere.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn converse(input: impl BufRead, out: &mut dyn Write) -> io::Result<()> {
    let setup = Setup::default();
    let win_rate = setup.network.win_rate();
    let mut solo = Solo::new(setup, options::DEFAULT_HASH).map_err(io::Error::other)?;
    solo.set_seed(smp::seed_from_clock());
    let mut conversation = Conversation {
        game: Game::new(Board::startpos()),
        position_refused: false,
        style: Style {
            win_rate,
            chess960: false,
            wdl: false,
            readable: false,
        },
        solo,
        multi_pv: 1,
        overhead: options::DEFAULT_OVERHEAD,
        limits_strength: false,
        elo: strength::GREATEST_ELO,
    };
    for line in input.lines() {
        match command::parse(&line?) {
            Ok(None) => {}
            Ok(Some(Command::Quit)) => break,
            Ok(Some(command)) => conversation.execute(command, out)?,
            Err(mistake) => {
                conversation.position_refused |= mistake == Mistake::Position;
                writeln!(out, "info string {mistake}")?;
            }
        }
        out.flush()?;
    }
    Ok(())
}

impl Conversation {
    fn execute(&mut self, command: Command, out: &mut dyn Write) -> io::Result<()> {
        match command {
            Command::Uci => {
                writeln!(out, "id name {}", build_info::ENGINE)?;
                writeln!(out, "id author the Rejoinder developers")?;
                for line in options::listing() {
                    let has_effect =
                        |name: &&str| line.starts_with(&format!("option name {name} type"));
                    if OPTIONS.iter().any(has_effect) {
                        writeln!(out, "{line}")?;
                    }
                }
                writeln!(out, "uciok")
            }
            Command::IsReady => writeln!(out, "readyok"),
            Command::SetOption { name, value } => {
                let change = options::parse(&name, value.as_deref());
                match change
                    .map_err(|refusal| refusal.to_string())
                    .and_then(|change| self.change(&change))
                {
                    Ok(()) => Ok(()),
                    Err(reason) => writeln!(out, "info string {reason}"),
                }
            }
            Command::NewGame => {
                self.solo.forget();
                Ok(())
            }
            Command::Position(position) => {
                let request = GameRequest::new(&position);
                self.position_refused = request.is_err();
                match request {
                    Ok(request) => {
                        self.game = request.game;
                        notes(&request.remarks, out)
                    }
                    Err(error) => writeln!(out, "info string position refused: {error}"),
                }
            }
            Command::Go(go) => self.go(go, out),
            Command::Perft(_) if self.position_refused => {
                writeln!(out, "info string {NO_BOARD}")
            }
            Command::Perft(depth) => {
                let text = format::divide(self.game.board(), depth, self.style.chess960);
                write!(out, "{text}")
            }
            Command::Bench(depth) => {
                let mut plan = Plan::usual(Setup::default());
                plan.depth = depth.unwrap_or(plan.depth);
                match bench::run(plan, out) {
                    Ok(_) => Ok(()),
                    Err(error) => writeln!(out, "info string {error}"),
                }
            }
            Command::Stop => Ok(()),
            _ => writeln!(
                out,
                "info string this command is not available in the single-threaded build"
            ),
        }
    }

    fn change(&mut self, change: &Change) -> Result<(), String> {
        match *change {
            Change::Hash(megabytes) => (self.solo.resize(megabytes))
                .map_err(|error| format!("{error}; the hash has 1 MB"))?,
            Change::ClearHash => self.solo.clear_hash(),
            Change::MultiPv(lines) => self.multi_pv = lines,
            Change::MoveOverhead(overhead) => self.overhead = overhead,
            Change::Chess960(on) => self.style.chess960 = on,
            Change::ShowWdl(on) => self.style.wdl = on,
            Change::LimitStrength(on) => self.limits_strength = on,
            Change::Elo(elo) => self.elo = elo,
            Change::Threads(1) => {}
            _ => return Err("this option is not available in the single-threaded build".to_owned()),
        }
        Ok(())
    }

    fn go(&mut self, go: Go, out: &mut dyn Write) -> io::Result<()> {
        let start = Instant::now();
        let board = *self.game.board();
        let checked = CheckedGo::new(go, &board, self.position_refused);
        let limits = checked.limits;
        notes(&checked.remarks, out)?;
        if checked.is_void {
            return writeln!(out, "{}", format::VOID);
        }
        let request = SearchRequest {
            start,
            overhead: self.overhead,
            multi_pv: self.multi_pv,
            strength: (self.limits_strength).then(|| Strength::of_elo(self.elo)),
            ..SearchRequest::new(self.game.clone(), limits)
        };
        let mut printer = Printer {
            out,
            board: &board,
            style: self.style,
        };
        let result = self.solo.search(&request, &mut printer);
        let Some(&best) = result.pv.first() else {
            writeln!(out, "{}", format::no_move(&board))?;
            return writeln!(out, "bestmove (none)");
        };
        writeln!(out, "{}", format::best_move(best, None, &board, self.style))
    }
}

fn notes(remarks: &[String], out: &mut dyn Write) -> io::Result<()> {
    (remarks.iter()).try_for_each(|remark| writeln!(out, "info string {remark}"))
}

/// Prints the reports of a search.
struct Printer<'a> {
    out: &'a mut dyn Write,
    board: &'a Board,
    style: Style,
}

impl Printer<'_> {
    fn print(&mut self, report: &Report) {
        let line = format::report(report, self.board, self.style);
        // If this fails, the next command's answer will fail too and end the session.
        let _ = writeln!(self.out, "{line}");
    }
}

impl Reporter for Printer<'_> {
    fn report(&mut self, report: &Report) {
        if report.elapsed >= PATIENCE {
            self.print(report);
        }
    }

    fn lines(&mut self, lines: &[Report]) {
        for line in lines {
            self.print(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(lines: &str) -> String {
        let mut out = Vec::new();
        converse(lines.as_bytes(), &mut out).expect("writing into memory failed");
        String::from_utf8(out).expect("the output is not UTF-8")
    }

    #[test]
    fn a_conversation_without_threads() {
        let text = answer(
            "uci\nsetoption name MultiPV value 2\nsetoption name UCI_ShowWDL value true\n\
             position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\ngo depth 5\n\
             setoption name Threads value 2\nposition fen nonsense\nquit\nuci\n",
        );
        assert!(text.contains("option name MultiPV type spin"), "{text}");
        assert!(!text.contains("option name Threads"), "{text}");
        assert!(text.contains("multipv 2 score"), "{text}");
        assert!(text.contains("score mate 1 wdl 1000 0 0"), "{text}");
        assert!(text.contains("bestmove a1a8"), "{text}");
        assert!(
            text.contains("info string this option is not available in the single-threaded build"),
            "{text}"
        );
        assert!(text.contains("info string position refused"), "{text}");
        assert_eq!(text.matches("uciok").count(), 1, "{text}");
    }

    #[test]
    fn weakened_play_searches_few_plies() {
        let text = answer(
            "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1150\n\
             position startpos\ngo movetime 5000\n",
        );
        assert!(text.contains("bestmove "), "{text}");
        assert!(!text.contains("depth 4 "), "{text}");
        assert!(!text.contains("info string"), "{text}");
    }

    #[test]
    fn a_mated_king_has_no_move() {
        let text = answer("position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1\ngo depth 3\n");
        assert!(text.ends_with("bestmove (none)\n"), "{text}");
    }

    #[test]
    fn no_other_board_is_searched() {
        for line in [
            "position fen nonsense",
            "position e2e4",
            "position startpos moves e2e5",
        ] {
            let text = answer(&format!(
                "{line}\ngo depth 3\nposition startpos\ngo depth 1\n"
            ));
            assert!(
                text.contains("nothing to search\nbestmove 0000\n"),
                "{text}"
            );
            assert_eq!(text.matches("bestmove").count(), 2, "{text}");
            let text = answer(&format!("{line}\ngo perft 1\n"));
            assert!(text.ends_with("there is no board\n"), "{text}");
        }
        let text = answer("go searchmoves e7e5 depth 3\n");
        assert!(text.ends_with("bestmove 0000\n"), "{text}");
    }

    #[test]
    fn every_listed_option_exists() {
        for name in OPTIONS {
            let line = format!("option name {name} type");
            assert!(
                options::listing()
                    .iter()
                    .any(|listed| listed.starts_with(&line)),
                "{name}"
            );
        }
    }
}
