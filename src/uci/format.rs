//! Writes the engine's results as text: for GUIs in the format of the protocol, for people in
//! columns.

use std::time::Duration;

use anstyle::AnsiColor;

use crate::board::Board;
use crate::board::coordinates::move_to_uci;
use crate::board::perft;
use crate::board::san::{numbered, to_san};
use crate::eval::win_rate::{self, WinRate};
use crate::search::Report;
use crate::tt::Bound;
use crate::types::{Move, Piece, Score, Square, score};

/// The form of moves and scores. It is fixed at `go` until the end of the search.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// True if castling is written as king takes rook.
    pub chess960: bool,
    /// True if the chances of win, draw and loss follow the score.
    pub wdl: bool,
    /// True if the output is meant for people rather than a GUI.
    pub readable: bool,
    /// The win-rate model, which converts internal scores to those that users see.
    pub win_rate: WinRate,
}

/// Writes a report as one line.
pub fn report(report: &Report, board: &Board, style: Style) -> String {
    if style.readable {
        columns(report, board, style)
    } else {
        info(report, board, style)
    }
}

fn info(report: &Report, board: &Board, style: Style) -> String {
    let material = win_rate::material(board);
    let centipawns = style.win_rate.centipawns(report.score, material);
    let score = score_text(report.score, centipawns);
    // Without a legal move there is nothing else to report.
    if report.pv.is_empty() {
        return format!("info depth {} score {score}", report.depth);
    }
    let bound = match report.bound {
        Bound::Exact | Bound::None => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    let wdl = if style.wdl {
        let [win, draw, loss] = style.win_rate.chances(report.score, material);
        format!(" wdl {win} {draw} {loss}")
    } else {
        String::new()
    };
    format!(
        "info depth {} seldepth {} multipv {} score {score}{bound}{wdl} nodes {} nps {} hashfull {} tbhits {} time {} pv {}",
        report.depth,
        report.seldepth,
        report.multi_pv,
        report.nodes,
        nodes_per_second(report.nodes, report.elapsed),
        report.hashfull,
        report.tb_hits,
        report.elapsed.as_millis(),
        line(report.line(), board, style),
    )
}

/// Writes the `info` line of a position without legal moves, for when the search did not report
/// one.
pub fn no_move(board: &Board) -> String {
    let score = if board.in_check() {
        score::mated_in(0)
    } else {
        score::DRAW
    };
    format!("info depth 0 score {}", score_text(score, score))
}

/// Scores from here on are shown as good, in internal centipawns.
const NEARLY_EVEN: Score = 15;
/// Scores up to here are shown as bad, in internal centipawns.
const UNEASY: Score = -NEARLY_EVEN;

/// The answer to a `go` without anything to search.
pub const VOID: &str = "bestmove 0000";

/// The column headings of a readable report.
pub(crate) const HEADING: &str = " depth    score      time       nodes   nodes/s  hash  line";

fn columns(report: &Report, board: &Board, style: Style) -> String {
    let bound = match report.bound {
        Bound::Exact | Bound::None => ' ',
        Bound::Lower => '+',
        Bound::Upper => '-',
    };
    let material = win_rate::material(board);
    let centipawns = style.win_rate.centipawns(report.score, material);
    let score = score::mate_distance(report.score).map_or_else(
        || format!("{:+.2}", f64::from(centipawns) / 100.0),
        |moves| format!("#{moves}"),
    );
    let (tone, quiet) = (tone(report.score), QUIET);
    let text = format!(
        "{:>3}/{:<3} {tone}{score:>7}{bound}{tone:#} {quiet}{:>8.2}s {:>11} {:>9} {:>4}%{quiet:#}  {}",
        report.depth,
        report.seldepth,
        report.elapsed.as_secs_f64(),
        report.nodes,
        nodes_per_second(report.nodes, report.elapsed),
        report.hashfull / 10,
        readable_line(report.line(), board),
    );
    text.trim_end().to_owned()
}

/// The style of less important text.
const QUIET: anstyle::Style = anstyle::Style::new().dimmed();
/// The style of the most important text.
const LOUD: anstyle::Style = anstyle::Style::new().bold();

/// Returns the style of a score.
fn tone(score: Score) -> anstyle::Style {
    let color = match score {
        NEARLY_EVEN.. => AnsiColor::Green,
        ..=UNEASY => AnsiColor::Red,
        _ => return LOUD,
    };
    color.on_default().bold()
}

/// Writes the moves in SAN with their numbers, the first move in bold.
fn readable_line(moves: &[Move], board: &Board) -> String {
    let word = |(ply, (number, san)): (usize, (String, String))| {
        let emphasis = if ply == 0 {
            LOUD
        } else {
            anstyle::Style::new()
        };
        format!("{number}{emphasis}{san}{emphasis:#}")
    };
    let moves = numbered(board, moves).into_iter();
    let words: Vec<String> = moves.enumerate().map(word).collect();
    words.join(" ")
}

/// Writes the moves in UCI notation, separated by spaces.
fn line(moves: &[Move], board: &Board, style: Style) -> String {
    let moves: Vec<String> = moves
        .iter()
        .map(|mv| move_to_uci(board, *mv, style.chess960))
        .collect();
    moves.join(" ")
}

/// Writes the `info currmove` line of a root move.
pub(crate) fn current_move(
    depth: i32,
    mv: Move,
    number: usize,
    board: &Board,
    style: Style,
) -> String {
    let mv = move_to_uci(board, mv, style.chess960);
    format!("info depth {depth} currmove {mv} currmovenumber {number}")
}

/// Writes the answer to `go`. The null move as `best` means that there is no legal move.
pub fn best_move(best: Move, reply: Option<Move>, board: &Board, style: Style) -> String {
    if style.readable {
        return readable_best_move(best, reply, board);
    }
    let write = |mv| move_to_uci(board, mv, style.chess960);
    let best = if best.is_null() {
        "(none)".to_owned()
    } else {
        write(best)
    };
    match reply {
        None => format!("bestmove {best}"),
        Some(reply) => format!("bestmove {best} ponder {}", write(reply)),
    }
}

fn readable_best_move(best: Move, reply: Option<Move>, board: &Board) -> String {
    if best.is_null() {
        return "no legal move".to_owned();
    }
    let san = to_san(board, best);
    let mut after = *board;
    after.make(best);
    match reply {
        None => format!("best move: {LOUD}{san}{LOUD:#}"),
        Some(reply) => format!(
            "best move: {LOUD}{san}{LOUD:#}, expecting {}",
            to_san(&after, reply)
        ),
    }
}

/// Draws the board from White's side, one line per rank.
pub(crate) fn diagram(board: &Board) -> String {
    let rank = |rank: u8| -> String {
        let pieces = (0..8).map(|file| {
            let piece = board.piece_on(Square::at(file, rank));
            format!(" {}", piece.map_or('.', Piece::letter))
        });
        format!("{} {}\n", rank + 1, pieces.collect::<String>())
    };
    let ranks: String = (0..8).rev().map(rank).collect();
    format!("{ranks}   a b c d e f g h\n")
}

/// Lists the number of positions `depth` plies ahead for each move, and their sum.
pub fn divide(board: &Board, depth: u32, chess960: bool) -> String {
    if depth == 0 {
        return "\nNodes searched: 1\n".to_owned();
    }
    let moves = perft::divide(board, depth);
    let line =
        |(mv, leaves): &(Move, u64)| format!("{}: {leaves}\n", move_to_uci(board, *mv, chess960));
    let total: u64 = moves.iter().map(|(_, leaves)| leaves).sum();
    format!(
        "{}\nNodes searched: {total}\n",
        moves.iter().map(line).collect::<String>()
    )
}

/// Nodes per second; a time too short to measure counts as a microsecond.
fn nodes_per_second(nodes: u64, elapsed: Duration) -> u64 {
    let rate = u128::from(nodes) * 1_000_000 / elapsed.as_micros().max(1);
    rate as u64
}

/// Writes `mate <moves>`, or `cp <centipawns>` with the centipawns that users see.
fn score_text(score: Score, centipawns: i32) -> String {
    match score::mate_distance(score) {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {centipawns}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::coordinates::parse_move;

    const GUI: Style = Style {
        chess960: false,
        wdl: false,
        readable: false,
        // With this model scores are shown unchanged.
        win_rate: WinRate {
            a: [100, 100],
            b: [50, 50],
        },
    };

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("the test's FEN is invalid")
    }

    fn report_of(score: Score, pv: Vec<Move>) -> Report {
        Report {
            depth: 7,
            seldepth: 12,
            multi_pv: 1,
            score,
            bound: Bound::Exact,
            nodes: 5000,
            elapsed: Duration::from_micros(2500),
            hashfull: 3,
            tb_hits: 0,
            pv,
            lengthened: None,
        }
    }

    #[test]
    fn info_lines() {
        let board = Board::startpos();
        let mv = parse_move(&board, "e2e4").expect("the test's move is illegal");
        let mut found = report_of(-34, vec![mv]);
        assert_eq!(
            report(&found, &board, GUI),
            "info depth 7 seldepth 12 multipv 1 score cp -34 nodes 5000 nps 2000000 hashfull 3 tbhits 0 time 2 pv e2e4"
        );
        found.bound = Bound::Lower;
        found.score = score::mated_in(4);
        let line = report(&found, &board, Style { wdl: true, ..GUI });
        assert!(
            line.contains(" score mate -2 lowerbound wdl 0 0 1000 nodes "),
            "{line}"
        );
        let nothing = Report {
            depth: 0,
            ..report_of(score::mated_in(0), Vec::new())
        };
        assert_eq!(report(&nothing, &board, GUI), "info depth 0 score mate 0");
    }

    #[test]
    fn people_read_lines_with_numbers() {
        let board = board("4k3/8/8/8/8/8/4q3/R3K3 w Q - 0 7");
        let mut after = board;
        let mut moves = Vec::new();
        for text in ["e1e2", "e8d7", "a1a7"] {
            let mv = parse_move(&after, text).expect("the test's move is illegal");
            after.make(mv);
            moves.push(mv);
        }
        let plain = |text: String| anstream::adapter::strip_str(&text).to_string();
        let found = report_of(70, moves.clone());
        let text = plain(report(
            &found,
            &board,
            Style {
                readable: true,
                ..GUI
            },
        ));
        assert!(text.ends_with("%  7. Kxe2 Kd7 8. Ra7+"), "{text}");
        assert!(text.contains("+0.70"), "{text}");
        let answer = readable_best_move(moves[0], Some(moves[1]), &board);
        assert_eq!(plain(answer), "best move: Kxe2, expecting Kd7");
    }

    #[test]
    fn the_diagram_has_the_eighth_rank_on_top() {
        let text = diagram(&Board::startpos());
        assert!(
            text.starts_with("8  r n b q k b n r\n7  p p p p p p p p\n6  . . ."),
            "{text}"
        );
    }
}
