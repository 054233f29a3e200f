//! What a file says about the positions of a game: marks, scores, comments and other lines, as this
//! program and others write them.

use rejoinder::board::{Board, san};
use rejoinder::types::Move;

use super::judge::Mark;
use super::report::Eval;
use super::writing::without_commands;
use crate::pgn::{Item, Line, Record};
use crate::scale;

/// The signs of the glyphs that judge a position.
// Source: PGN standard, 10, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm
const POSITIONS: [(u8, &str); 10] = [
    (10, "="),
    (11, "="),
    (12, "="),
    (13, "∞"),
    (14, "+/="),
    (15, "=/+"),
    (16, "+/-"),
    (17, "-/+"),
    (18, "+-"),
    (19, "-+"),
];

/// What a file says about its game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// The moves of the game.
    moves: Vec<Move>,
    /// The notes behind each of them, after those before the first one; empty without a file.
    notes: Vec<Note>,
}

/// What a file says behind a move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Note {
    /// The signs of the move and the position, such as `?!` and `+/-`.
    pub signs: Vec<&'static str>,
    /// Whether one of the signs finds fault with the move.
    pub is_mistake: bool,
    /// The score of the position.
    pub eval: Option<Eval>,
    /// The comments, without commands.
    pub text: String,
    /// Other moves in place of the move, each with those that follow.
    pub lines: Vec<OtherLine>,
}

/// A variation.
#[derive(Clone, Debug)]
pub(crate) struct OtherLine {
    /// Its moves as far as they are legal, at least one.
    pub moves: Vec<Move>,
    /// The score behind the first of them.
    pub eval: Option<Eval>,
}

impl Notes {
    pub fn of(record: &Record) -> Self {
        let mut notes = vec![Note::of(&record.line.head, None)];
        let mut board = record.start;
        for (ply, &mv) in record.line.plies.iter().zip(&record.moves) {
            notes.push(Note::of(&ply.items, Some(&board)));
            board.make(mv);
        }
        Self {
            moves: record.moves.clone(),
            notes,
        }
    }

    /// Returns the moves of the game.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns what the file says about the position after these moves; `None` if they are not those
    /// of the game.
    pub fn at(&self, moves: &[Move]) -> Option<&Note> {
        let is_of_game = self.moves.starts_with(moves);
        self.notes.get(moves.len()).filter(|_| is_of_game)
    }

    /// Returns the number of moves up to the next mistake, with it; `moves` lead to the position on
    /// the board, from which the next one is looked for, or the last one before it.
    pub fn mistake(&self, moves: &[Move], is_next: bool) -> Option<usize> {
        let same = moves.iter().zip(&self.moves);
        let same = same.take_while(|(one, other)| one == other).count();
        // A variation stands where the move of the game stands that it replaces.
        let has_left = same < moves.len();
        let here = (same + usize::from(has_left)).min(self.notes.len());
        let is_mistake = |place: &usize| self.notes[*place].is_mistake;
        if is_next {
            (here + 1..self.notes.len()).find(is_mistake)
        } else {
            let behind = (here + usize::from(has_left)).min(self.notes.len());
            (0..behind).rfind(is_mistake)
        }
    }

    /// Returns whether a move of the game is marked as a mistake.
    pub fn has_mistakes(&self) -> bool {
        self.notes.iter().any(|note| note.is_mistake)
    }

    /// Returns the positions of the game whose score is in the file, with White's winning chances, 0
    /// to 1.
    pub fn chances(&self, start: &Board) -> Vec<(Board, f64)> {
        let mut board = *start;
        let mut found = Vec::new();
        for (place, note) in self.notes.iter().enumerate() {
            if let Some(mv) = place.checked_sub(1).map(|last| self.moves[last]) {
                board.make(mv);
            }
            let chance = match note.eval {
                Some(Eval::Centipawns(score)) => Some(scale::chance(score)),
                Some(Eval::Mate(moves)) => Some(scale::chance(scale::HIGHEST * moves.signum())),
                None => None,
            };
            found.extend(chance.map(|chance| (board, chance)));
        }
        found
    }

    /// Returns what the file says before the first move and about each move with a mark, in lines of
    /// text; empty if it says nothing.
    pub fn listing(&self, start: &Board) -> String {
        let mut text = String::new();
        let mut board = *start;
        let numbered = |board: &Board, moves: &[Move]| san::words(board, moves).join(" ");
        for (place, note) in self.notes.iter().enumerate() {
            let before = board;
            let mv = place.checked_sub(1).map(|last| self.moves[last]);
            if let Some(mv) = mv {
                board.make(mv);
            }
            let mut words = Vec::new();
            match mv {
                None => words.push(note.text.clone()),
                Some(mv) if !note.signs.is_empty() => {
                    words.push(numbered(&before, &[mv]) + note.signs[0]);
                    words.extend(note.signs[1..].iter().map(|sign| (*sign).to_owned()));
                    words.extend(note.eval.map(Eval::signed));
                    words.push(note.text.clone());
                    for line in &note.lines {
                        let score = line.eval.map(|eval| format!(" {}", eval.signed()));
                        let moves = numbered(&before, &line.moves);
                        words.push(format!("({moves}{})", score.unwrap_or_default()));
                    }
                }
                Some(_) => {}
            }
            words.retain(|word| !word.is_empty());
            if !words.is_empty() {
                text += &(words.join(" ") + "\n");
            }
        }
        text
    }
}

impl Note {
    /// Returns what the items behind a move say, or those before the first one; `before` is the
    /// position in which the move was made.
    fn of(items: &[Item], before: Option<&Board>) -> Self {
        let mut note = Self::default();
        let mut texts = Vec::new();
        for item in items {
            match item {
                Item::Nag(nag) => {
                    let mark = Mark::of_nag(*nag);
                    note.is_mistake |= mark.is_some_and(Mark::is_fault);
                    let position = POSITIONS.iter().find(|(number, _)| number == nag);
                    let sign = mark.map(Mark::sign).or(position.map(|(_, sign)| *sign));
                    note.signs.extend(sign);
                }
                Item::Comment(comment) => {
                    note.eval = note.eval.or_else(|| eval_of(comment));
                    texts.push(without_commands(comment));
                }
                Item::Variation(line) => {
                    note.lines
                        .extend(before.and_then(|board| OtherLine::of(line, board)));
                }
            }
        }
        texts.retain(|text| !text.is_empty());
        note.text = texts.join(" ");
        note
    }
}

impl OtherLine {
    fn of(line: &Line, before: &Board) -> Option<Self> {
        let mut board = *before;
        let moves = line.plies.iter().map_while(|ply| {
            let mv = san::parse(&board, &ply.san)?;
            board.make(mv);
            Some(mv)
        });
        let moves: Vec<Move> = moves.collect();
        let first = line.plies.first()?;
        let eval = first.items.iter().find_map(|item| match item {
            Item::Comment(comment) => eval_of(comment),
            _ => None,
        });
        (!moves.is_empty()).then_some(Self { moves, eval })
    }
}

/// Returns the score in a comment: `[%eval 0.25]`, `[%eval #-3]`, or with a depth behind a comma.
pub(super) fn eval_of(comment: &str) -> Option<Eval> {
    let (_, command) = comment.split_once("[%eval")?;
    let (value, _) = command.split_once(']')?;
    let value = value.split(',').next()?.trim();
    if let Some(moves) = value.strip_prefix('#') {
        return moves.parse().ok().map(Eval::Mate);
    }
    let pawns: f64 = value.parse().ok()?;
    pawns
        .is_finite()
        .then(|| Eval::Centipawns((100.0 * pawns).round() as i32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotate::notes_of;

    const GAME: &str = r#"[White "A"]

{ White: accuracy 50.0%. } 1. e4 { [%eval 0.30,20] [%clk 0:01:00] } e5 $6 $16
{ [%eval 0.9] Loses time. } ( 1... c5 { [%eval 0.25] } 2. Nf3 ( 2. c3 ) 2... d6 ) ( 1... Zug )
2. Nf3 $1 $13 Nc6 $4 { [%eval #4] } ( 2... d6 3. d4 ) *
"#;

    fn read() -> (Board, Notes) {
        (Board::startpos(), notes_of(GAME))
    }

    #[test]
    fn every_kind_of_note_is_read() {
        let (start, notes) = read();
        let note = |place: usize| notes.at(&notes.moves()[..place]).expect("a note");
        assert_eq!(note(0).text, "White: accuracy 50.0%.");
        assert_eq!(note(1).eval, Some(Eval::Centipawns(30)));
        assert!(note(1).text.is_empty() && !note(1).is_mistake);
        assert_eq!(note(2).signs, ["?!", "+/-"]);
        assert_eq!(note(2).text, "Loses time. ( 1... Zug )");
        let [line] = &note(2).lines[..] else {
            panic!("{:?}", note(2));
        };
        assert_eq!(
            (line.moves.len(), line.eval),
            (3, Some(Eval::Centipawns(25)))
        );
        assert_eq!(note(3).signs, ["!", "∞"]);
        assert_eq!(note(4).eval, Some(Eval::Mate(4)));
        let chances = notes.chances(&start);
        let chances: Vec<u32> = chances
            .iter()
            .map(|(_, chance)| (100.0 * chance) as u32)
            .collect();
        assert_eq!(chances, [52, 58, 97]);
        let listing = notes.listing(&start);
        assert_eq!(
            listing,
            "White: accuracy 50.0%.\n\
            1... e5?! +/- +0.90 Loses time. ( 1... Zug ) (1... c5 2. Nf3 d6 +0.25)\n\
            2. Nf3! ∞\n\
            2... Nc6?? #4 (2... d6 3. d4)\n"
        );
    }

    #[test]
    fn mistakes_are_found_from_the_game_and_from_variations() {
        let (_, notes) = read();
        let game = notes.moves().to_vec();
        for (at, next, last) in [
            (0, Some(2), None),
            (1, Some(2), None),
            (2, Some(4), None),
            (3, Some(4), Some(2)),
            (4, None, Some(2)),
        ] {
            assert_eq!(notes.mistake(&game[..at], true), next, "{at}");
            assert_eq!(notes.mistake(&game[..at], false), last, "{at}");
        }
        // In the line in place of the first mistake.
        let line = &notes.at(&game[..2]).expect("a note").lines[0];
        let moves = [&game[..1], &line.moves].concat();
        assert_eq!(notes.mistake(&moves, true), Some(4));
        assert_eq!(notes.mistake(&moves, false), Some(2));
        assert!(notes.at(&moves).is_none());
        // Behind the end of the game.
        let moves = [&game[..], &line.moves].concat();
        assert_eq!(notes.mistake(&moves, true), None);
        assert_eq!(notes.mistake(&moves, false), Some(4));
        assert!(notes.has_mistakes() && !Notes::default().has_mistakes());
        assert_eq!(Notes::default().mistake(&[], false), None);
    }
}
