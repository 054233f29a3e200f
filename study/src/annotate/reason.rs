//! The reason why a move is bad, in one short sentence: a mate that is missed or allowed, or
//! material that the next moves lose.

use rejoinder::board::{Board, san};
use rejoinder::eval::win_rate::points;
use rejoinder::types::{Color, Move, PieceType, score};

use super::evaluation::Evaluation;
use super::judge::{Judgment, Mark};
use crate::scale::Ruler;

/// Plies of a line over which material is counted, and the least points that then make a reason: a
/// pawn that is lost late may be a sacrifice.
const HORIZONS: [(usize, i32); 2] = [(4, 1), (8, 2)];
/// Most centipawns that a point of material explains, and what a position may add to them.
const POINT: i32 = 150;
const SLACK: i32 = 100;
/// Winning chance, 0 to 1, from which a game is won, and the range in which it is even.
const WON: f64 = 0.75;
const EVEN: std::ops::RangeInclusive<f64> = 0.4..=0.6;

/// Returns the sentence for a move with a bad mark; `None` for other moves, and for an inaccuracy
/// without an evident reason.
pub(super) fn sentence(
    here: &Evaluation,
    mv: Move,
    next: &Evaluation,
    judgment: &Judgment,
    ruler: Ruler,
) -> Option<String> {
    let mark = judgment.mark.filter(|mark| mark.is_fault())?;
    let better = here.line.first().filter(|best| **best != mv)?;
    let better = numbered(&here.board, *better);
    let mate = |evaluation: &Evaluation| {
        score::mate_distance(evaluation.score).filter(|moves| *moves != 0)
    };
    // From the point of view of the side that moves.
    let (had, has) = (mate(here), mate(next).map(|moves| -moves));
    let refutation = next.line.first().map(|reply| numbered(&next.board, *reply));
    if let (None | Some(1..), Some(..0), Some(refutation)) = (had, has, &refutation) {
        let moves = has.unwrap_or_default().abs();
        return Some(format!("Allows mate in {moves}: {refutation}."));
    }
    if let (Some(moves @ 1..), None | Some(..0)) = (had, has) {
        return Some(format!("Misses mate in {moves}: {better}."));
    }
    let lost =
        ruler.centipawns(here.score, &here.board) + ruler.centipawns(next.score, &next.board);
    if let Some(sentence) = material(here, mv, next, &better, lost) {
        return Some(sentence);
    }
    if mark == Mark::Inaccuracy {
        return None;
    }
    if judgment.before >= WON && EVEN.contains(&judgment.after) {
        return Some(format!("Gives the win away; {better} keeps it."));
    }
    Some(format!("{better} was better."))
}

/// Returns the sentence for material that the move loses or does not win. There is none where so many
/// centipawns are lost that the material is the least of it.
fn material(
    here: &Evaluation,
    mv: Move,
    next: &Evaluation,
    better: &str,
    centipawns: i32,
) -> Option<String> {
    let is_all = |points: i32| centipawns <= points * POINT + SLACK;
    let us = here.board.side_to_move();
    let now = balance(&here.board, us);
    let mut played = vec![mv];
    played.extend(&next.line);
    for (horizon, least) in HORIZONS {
        let settled = |line: &[Move]| settled(&here.board, line, us, horizon);
        let (Some(best), Some(after)) = (settled(&here.line), settled(&played)) else {
            continue;
        };
        let lost = (best - after).min(now - after);
        let missed = (best - after).min(best - now);
        if lost >= least
            && is_all(lost)
            && let Some(reply) = next.line.first()
        {
            let reply = numbered(&next.board, *reply);
            return Some(format!("Loses {}: {reply}.", thing(lost)));
        }
        if missed >= least && is_all(missed) {
            return Some(format!("Misses the win of {}: {better}.", thing(missed)));
        }
    }
    None
}

/// Returns a move with its number, as in `14... Qxb2`.
fn numbered(board: &Board, mv: Move) -> String {
    san::words(board, &[mv]).concat()
}

/// Returns the material of a side minus that of the other, in points.
fn balance(board: &Board, us: Color) -> i32 {
    let of = |color| -> i32 {
        let count = |kind| points(kind) * board.pieces(color, kind).count() as i32;
        PieceType::ALL.into_iter().map(count).sum()
    };
    of(us) - of(!us)
}

/// Returns the balance of material in the last position of a line, within so many plies, that is
/// followed by a quiet move; `None` if there is none.
fn settled(start: &Board, line: &[Move], us: Color, horizon: usize) -> Option<i32> {
    let mut board = *start;
    let mut last = None;
    for (ply, &mv) in line.iter().take(horizon + 1).enumerate() {
        if ply > 0 && !mv.is_capture() && mv.promotion().is_none() {
            last = Some(balance(&board, us));
        }
        board.make(mv);
    }
    last
}

/// Returns what has this worth in points.
fn thing(points: i32) -> &'static str {
    match points {
        ..=1 => "a pawn",
        3 | 4 => "a piece",
        5 => "a rook",
        2 | 6 | 7 => "material",
        _ => "the queen",
    }
}

#[cfg(test)]
mod tests {
    use rejoinder::board::notation;
    use rejoinder::eval::win_rate::WinRate;

    use super::*;
    use crate::scale::Scale;

    /// Returns the sentence for the first of the moves, after which the others follow, beside a
    /// better line.
    fn said(fen: &str, scores: [i32; 2], better: &str, played: &str) -> Option<String> {
        let start = Board::from_fen(fen).expect("a position");
        let line = |text: &str| notation::parse_line(&start, text.split(' ')).expect("legal moves");
        let evaluation = |board, score, line| Evaluation {
            board,
            score,
            line,
            second: None,
        };
        let played = line(played);
        let mut after = start;
        after.make(played[0]);
        let judgment = Judgment {
            before: 0.8,
            after: 0.5,
            loss: 0.3,
            mark: Some(Mark::Blunder),
        };
        let ruler = Ruler {
            scale: Scale::Lichess,
            model: WinRate::DEFAULT,
        };
        let here = evaluation(start, scores[0], line(better));
        let next = evaluation(after, -scores[1], played[1..].to_vec());
        sentence(&here, played[0], &next, &judgment, ruler)
    }

    #[test]
    fn a_pawn_is_named_only_if_little_else_is_lost() {
        let fen = "rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2";
        let at = |after| said(fen, [30, after], "Nf3 Nf6 d4", "e4 dxe4 Nc3 Nf6");
        assert_eq!(at(-200).as_deref(), Some("Loses a pawn: 2... dxe4."));
        assert_eq!(
            at(-900).as_deref(),
            Some("Gives the win away; 2. Nf3 keeps it.")
        );
    }

    #[test]
    fn mates_and_material_are_named() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        const FOOL: &str = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";
        const BEFORE: &str = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2";
        const QUEEN: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        let mate = score::mate_in;
        for (fen, scores, better, played, wanted) in [
            (
                FOOL,
                [mate(1), 200],
                "Qh4#",
                "d5 d4",
                "Misses mate in 1: 2... Qh4#.",
            ),
            (
                BEFORE,
                [-50, score::mated_in(2)],
                "e4 d6",
                "g4 Qh4#",
                "Allows mate in 1: 2... Qh4#.",
            ),
            (
                QUEEN,
                [30, -900],
                "Nf3 d6 d4",
                "Qg4 d5 Qxc8 Qxc8 Nc3",
                "Loses material: 2... d5.",
            ),
            (
                QUEEN,
                [30, -900],
                "Nf3 d6 d4",
                "Ba6 Nxa6 d3 d6",
                "Loses a piece: 2... Nxa6.",
            ),
            (
                START,
                [30, -90],
                "e4 e5 Nf3",
                "f3 e5 Nc3 Bc5 f4 exf4 Nf3 d6",
                "Gives the win away; 1. e4 keeps it.",
            ),
        ] {
            let sentence = said(fen, scores, better, played);
            assert_eq!(sentence.as_deref(), Some(wanted), "{played}");
        }
    }
}
