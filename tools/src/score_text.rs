//! Scores as comments of PGN, in the form of fastchess, cutechess and OpenBench: pawns or a mate, then
//! a slash with the depth and more, or nothing. They are those that the engine shows, from the
//! mover's view; a mate is counted in plies.

use rejoinder::board::Board;
use rejoinder::eval::win_rate::{self, WinRate};
use rejoinder::types::{Color, MAX_PLY, Score, score};

/// Returns a score with the other view, White's or that of the side to move, which are the same if
/// White is to move. The mark of a missing score stays.
pub fn turned(score: Score, board: &Board) -> Score {
    match board.side_to_move() {
        Color::Black if score != score::NONE => -score,
        _ => score,
    }
}

/// Writes an internal score of the side to move; a missing score is an empty text. There are so many
/// digits that [`read`] finds the same score again, unless it is one of more than 190 pawns.
pub fn write(score: Score, board: &Board, model: WinRate) -> String {
    if score == score::NONE {
        return String::new();
    }
    let sign = if score < 0 { '-' } else { '+' };
    if score::is_mate(score) {
        return format!("{sign}M{}", score::MATE - score.abs());
    }
    let centipawns = model.exact_centipawns(score, win_rate::material(board));
    format!("{sign}{:.4}", centipawns.abs() / 100.0)
}

/// Reads the score of the side to move that a comment begins with, in internal centipawns; `None` if
/// it begins with something else, or there was no search (depth 0).
pub fn read(comment: &str, board: &Board, model: WinRate) -> Option<Score> {
    let word = comment.split([' ', ',']).next()?;
    let (text, depth) = word
        .split_once('/')
        .map_or((word, None), |(text, depth)| (text, Some(depth)));
    let size = text.strip_prefix(['+', '-']);
    // A bare number may mean anything.
    let is_score = size.is_some() || depth.is_some() || text.contains('.');
    if !is_score || depth.is_some_and(|depth| depth.trim_matches('0').is_empty()) {
        return None;
    }
    let size = size.unwrap_or(text);
    let score = if let Some(plies) = size.strip_prefix('M') {
        let plies = digits(plies)?.parse().ok()?;
        score::mate_in(MAX_PLY.min(plies))
    } else {
        let (whole, fraction) = size.split_once('.').unwrap_or((size, "0"));
        let pawns: f64 = digits(whole).and(digits(fraction)).and(size.parse().ok())?;
        // Whole hundredths of a centipawn, so that a half is one.
        let centipawns = (10_000.0 * pawns).round() / 100.0;
        model.score(centipawns, win_rate::material(board))
    };
    Some(if text.starts_with('-') { -score } else { score })
}

/// Returns a text that has digits and nothing else.
fn digits(text: &str) -> Option<&str> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: WinRate = WinRate {
        a: [154, 79],
        b: [16, 50],
    };

    #[test]
    fn what_was_written_is_read_again() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
        ] {
            let board = Board::from_fen(fen).expect("a position");
            let others = [score::TB_WIN - 3, score::mate_in(1), score::mate_in(40)];
            for score in (0..=15_000).chain(others) {
                for score in [score, -score] {
                    let text = write(score, &board, MODEL);
                    assert_eq!(read(&text, &board, MODEL), Some(score), "{text}");
                    let long = format!("{text}/12 0.1s");
                    assert_eq!(read(&long, &board, MODEL), Some(score), "{long}");
                }
            }
            assert_eq!(write(score::NONE, &board, MODEL), "");
        }
    }

    #[test]
    fn the_forms_of_all_programs_are_read() {
        let board = Board::startpos();
        for (text, score) in [
            ("+0.35/12 0.100s, n=1234, sd=20", Some(28)),
            ("-1.00/7", Some(-79)),
            ("0.00/31 1.2s", Some(0)),
            ("+0.35/12, line=-0.2", Some(28)),
            ("-0.35", Some(-28)),
            ("0.35", Some(28)),
            ("+1/2 x", Some(79)),
            ("+199.95/40", Some(score::TB_WIN - 5)),
            ("+M5/20 0.1s, White mates", Some(score::mate_in(5))),
            ("-M4/9", Some(score::mated_in(4))),
            ("-M4", Some(score::mated_in(4))),
            ("M1/3", Some(score::mate_in(1))),
            ("+M9999/3", Some(score::MATE_BOUND)),
            // There was no search.
            ("+0.35/0 0.000s", None),
            ("0.00/0", None),
            ("/0 0.000s", None),
            ("book", None),
            ("unknown", None),
            ("", None),
            // Something else.
            ("12 moves", None),
            ("1/2", Some(79)),
            ("+", None),
            ("+.5/3", None),
            ("+inf/3", None),
            ("+-1.00/3", None),
            ("+1e3/3", None),
            ("M/3", None),
            ("[%eval 0.3]", None),
            ("White mates", None),
            ("+0.3.4/9", None),
        ] {
            assert_eq!(read(text, &board, MODEL), score, "{text}");
        }
    }
}
