//! Extended Position Description, as far as test suites use it: a position, its best moves, and
//! points for moves.
// Source: PGN standard, 16.2, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm

use anyhow::{Context, anyhow};
use rejoinder::board::{Board, epd, notation};
use rejoinder::types::Move;

/// A test position, and what solves it.
#[derive(Clone, Debug)]
pub struct Record {
    /// The position.
    pub board: Board,
    /// The name of the position (`id`); empty if it has none.
    pub id: String,
    /// The moves that solve it (`bm`); empty if there is no such operation.
    pub best: Vec<Move>,
    /// The moves that are to be avoided (`am`).
    pub avoid: Vec<Move>,
    /// The maximum distance to mate in moves (`dm`, or `bm #N`); negative if the side to move is
    /// mated.
    pub mate: Option<i32>,
    /// The points for moves, if the first comment (`c0`) gives them, as in `f5=10, Be5+=2`.
    pub points: Vec<(Move, u32)>,
}

impl Record {
    /// Parses a line. Its counters may follow the position or be the operations `hmvc` and `fmvn`;
    /// castling rights and an en passant square that the board cannot have are dropped. Unknown
    /// operations are ignored, and so is whatever else is between two semicolons.
    ///
    /// # Errors
    /// Returns what is wrong with the position, with a move or with a distance to mate.
    pub fn read(line: &str) -> anyhow::Result<Self> {
        let (board, operations) = epd::read(line)?;
        let mut record = Self {
            board,
            id: String::new(),
            best: Vec::new(),
            avoid: Vec::new(),
            mate: None,
            points: Vec::new(),
        };
        for operation in operations {
            record.apply(operation)?;
        }
        Ok(record)
    }

    fn apply(&mut self, (name, operands): (&str, Vec<&str>)) -> anyhow::Result<()> {
        match name {
            "id" => self.id = operands.join(" "),
            "bm" => {
                for text in words(&operands) {
                    match text.strip_prefix('#') {
                        Some(moves) => self.mate = mate(moves)?,
                        None => self.best.extend(self.read_move(name, text)?),
                    }
                }
            }
            "am" => {
                for text in words(&operands) {
                    self.avoid.extend(self.read_move(name, text)?);
                }
            }
            "dm" => self.mate = mate(&operands.join(" "))?,
            "c0" => self.points = points(&self.board, &operands.join(" ")).unwrap_or_default(),
            _ => {}
        }
        Ok(())
    }

    /// Reads a word of a list of moves; `None` if it is only a move number or stands between moves.
    fn read_move(&self, operation: &str, text: &str) -> anyhow::Result<Option<Move>> {
        let plain = notation::without_number(text);
        // A sign of check or praise may stand apart from its move.
        let is_sign = plain.trim_matches(['+', '#', '!', '?']).is_empty();
        if is_sign || ["or", "and"].contains(&plain) {
            return Ok(None);
        }
        let mv = notation::parse(&self.board, plain);
        mv.map(Some)
            .ok_or_else(|| anyhow!("{operation} {text}: the move is illegal or ambiguous"))
    }

    /// Returns the maximum number of points for a move.
    pub fn most_points(&self) -> u32 {
        self.points
            .iter()
            .map(|(_, points)| *points)
            .max()
            .unwrap_or(0)
    }

    /// Returns the points for this move.
    pub fn points_of(&self, mv: Move) -> u32 {
        let row = self.points.iter().find(|(other, _)| *other == mv);
        row.map_or(0, |(_, points)| *points)
    }
}

/// Splits a list of moves at the signs that people put between them, with and without blanks.
fn words<'a>(operands: &[&'a str]) -> Vec<&'a str> {
    let parts = operands
        .iter()
        .flat_map(|text| text.split([',', '/', '\\', '|', '&']));
    parts.filter(|word| !word.is_empty()).collect()
}

/// Parses a distance to mate; `None` for 0, which asks for nothing, because the game is over.
fn mate(text: &str) -> anyhow::Result<Option<i32>> {
    let number = text.trim().parse().ok().filter(|moves| *moves != i32::MIN);
    let number = number.with_context(|| format!("'{text}' is not a distance to mate in moves"))?;
    Ok((number != 0).then_some(number))
}

/// Parses a list of moves and points; `None` if the text is another comment.
fn points(board: &Board, text: &str) -> Option<Vec<(Move, u32)>> {
    // The points follow the last `=`, because a promotion has an `=` of its own.
    let row = |text: &str| {
        let (mv, points) = text.trim().rsplit_once('=')?;
        Some((
            notation::parse(board, mv.trim())?,
            points.trim().parse().ok()?,
        ))
    };
    text.split(',').map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoinder::board::san;
    use rejoinder::types::Rng;

    const MIDDLE: &str = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq -";

    fn read(operations: &str) -> Record {
        Record::read(&format!("{MIDDLE} {operations}")).expect(operations)
    }

    fn moves(board: &Board, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|mv| san::to_san(board, *mv)).collect()
    }

    #[test]
    fn operations_are_read() {
        let record = read(r#"bm a6 Nf6, Nd4; am Qh4; id "a; b"; dm 3; c9 "e7e5"; acd 12"#);
        assert_eq!(moves(&record.board, &record.best), ["a6", "Nf6", "Nd4"]);
        assert_eq!(moves(&record.board, &record.avoid), ["Qh4"]);
        assert_eq!((record.id.as_str(), record.mate), ("a; b", Some(3)));
        assert!(record.points.is_empty());
        assert_eq!(read("bm #-4;").mate, Some(-4));
        let apart = read("bm a6 + ; am Qh4 ?? ;");
        assert_eq!((apart.best.len(), apart.avoid.len()), (1, 1));
    }

    #[test]
    fn counters_may_follow_the_position() {
        for line in ["3 7", "3 7;", "3 7 bm a6;"] {
            let board = read(line).board;
            assert_eq!((board.halfmove_clock(), board.fullmove_number()), (3, 7));
        }
        let record = read("");
        assert_eq!((record.board.halfmove_clock(), record.best.len()), (0, 0));
    }

    #[test]
    fn operations_may_give_the_counters() {
        for (line, counters) in [
            ("bm a6; hmvc 99; fmvn 80;", (99, 80)),
            ("fmvn 80", (0, 80)),
            ("0 1 hmvc \"12\"; bm a6;", (12, 1)),
            ("3 7 hmvc x; fmvn -2;", (3, 7)),
            ("3 7 hmvc; fmvn 0; fmvn 1 2;", (3, 1)),
            ("bm a6 hmvc 4; id \"hmvc 5;\";", (4, 1)),
        ] {
            let board = read(line).board;
            let read = (board.halfmove_clock(), board.fullmove_number());
            assert_eq!(read, counters, "{line}");
        }
    }

    #[test]
    fn points_are_read_where_they_are_given() {
        let record = read(r#"bm a6; c0 "a6=10, Nf6=7,  Nd4=3";"#);
        assert_eq!(record.most_points(), 10);
        let mv = san::parse(&record.board, "Nf6").expect("the move is illegal");
        assert_eq!(record.points_of(mv), 7);
        let other = san::parse(&record.board, "h6").expect("the move is illegal");
        assert_eq!(record.points_of(other), 0);
        for comment in ["a quiet move", "a6", "a6=", "Ra4=3", "a6=10, and more"] {
            assert!(read(&format!(r#"c0 "{comment}";"#)).points.is_empty());
        }
        let promotion = "8/P6k/8/8/8/8/8/K7 w - - c0 \"a8=Q=100, a8=N=5\";";
        let record = Record::read(promotion).expect("the line was refused");
        assert_eq!(record.points.len(), 2);
    }

    #[test]
    fn suites_as_people_publish_them_are_read() {
        for (operations, best) in [
            ("bm a7a6", &["a6"][..]),
            ("bm G8F6; am d8h4", &["Nf6"]),
            ("bm a6, Nf6 or Nd4", &["a6", "Nf6", "Nd4"]),
            ("bm 3... Nf6! id \"1\"", &["Nf6"]),
            ("bm a6,Nf6", &["a6", "Nf6"]),
            ("bm a6/Nf6;", &["a6", "Nf6"]),
            ("bm a7a6|g8f6 | Nd4", &["a6", "Nf6", "Nd4"]),
            ("bm a6&Nf6 & Nd4!", &["a6", "Nf6", "Nd4"]),
            ("bm 3...a6,3...Nf6,", &["a6", "Nf6"]),
            ("bm a6!,Nf6+,#5", &["a6", "Nf6"]),
            ("bm a6 \\ Nf6", &["a6", "Nf6"]),
            ("bm a6; id \"open;", &["a6"]),
            ("id \"open; bm a6;", &["a6"]),
            ("bm a6; \"alone\"; 12 3; 00:00; -; # a comment", &["a6"]),
            ("0 3 bm a6;", &["a6"]),
            ("bm ;", &[]),
        ] {
            let record = read(operations);
            assert_eq!(moves(&record.board, &record.best), best, "{operations}");
        }
        assert_eq!(read("bm 3... Nf6! id \"1\"").id, "1");
        assert_eq!(read("id \"open; bm a6;").id, "open");
        // Source: https://github.com/vondele/matetrack, matetrack.epd
        let record = read("bm #1; ep; 00:00;");
        assert_eq!((record.mate, record.best.len()), (Some(1), 0));
        assert_eq!(read("dm 0; bm #0;").mate, None);
        let dropped = Record::read("4k3/8/8/8/8/8/4P3/4K3 w KQkq e6 bm e4;");
        assert!(dropped.is_ok_and(|record| record.best.len() == 1));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (operations, says) in [
            ("bm Qd1;", "bm Qd1: the move is illegal"),
            ("am e9;", "am e9"),
            ("bm #;", "'' is not a distance to mate"),
            ("dm soon;", "'soon' is not a distance to mate"),
        ] {
            let error = Record::read(&format!("{MIDDLE} {operations}")).expect_err(operations);
            assert!(error.to_string().contains(says), "{error}");
        }
        assert!(Record::read("").is_err());
    }

    /// Runs a small fuzz test; tests of the whole program include a larger one.
    #[test]
    fn any_line_is_a_record_or_an_error() {
        let line = format!(r#"{MIDDLE} 0 1 bm a6 #3; am Qh4+; c0 "a6=10, Nf6=7"; id "é 1";"#);
        let letters: Vec<char> = line.chars().chain(['\u{2003}', '\0', 'ß']).collect();
        let mut rng = Rng::new(5);
        for _ in 0..20_000 {
            let mut text: Vec<char> = line.chars().collect();
            for _ in 0..=rng.below(4) {
                let at = rng.below(text.len());
                match rng.below(3) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, letters[rng.below(letters.len())]),
                    _ => text.truncate(at + 40),
                }
            }
            let _ = Record::read(&text.into_iter().collect::<String>());
        }
    }
}
