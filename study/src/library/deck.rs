//! Exercises with what is known of the answers to them, and the file that page and terminal share: EPD,
//! a position a line, which other programs read as well.
//!
//! `bm` is the better move, `am` the one that was played, `pv` the better line, and `id` the game. The
//! comments are the reason (`c0`), the two players (`c1`, `c2`), the date (`c3`), the move before and
//! the mark (`c4`), and the memory (`c5`): stability, difficulty, and the times of the last answer and of
//! the next one.

use std::collections::BTreeMap;
use std::fmt::Write;

use rejoinder::board::{epd, notation, san};

use super::exercise::Exercise;
use super::memory::{Grade, Memory};
use crate::json::Json;

/// Seconds of a day.
const DAY: i64 = 86_400;
/// Seconds after which an exercise comes back that was not solved at first.
const SOON: i64 = 600;
/// The name of the scheduler in the file.
const SCHEDULER: &str = "FSRS-5";

/// An exercise, and what is known of the answers to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub exercise: Exercise,
    /// `None` if it was never asked.
    pub answers: Option<Answers>,
}

/// What is known of the answers to an exercise. Times are seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    pub memory: Memory,
    /// When it was answered.
    pub last: i64,
    /// When it is to be asked again.
    pub due: i64,
}

impl Answers {
    /// Returns what is known when there is one more answer; `before` is what was known.
    pub fn add(before: Option<Self>, grade: Grade, now: i64) -> Self {
        let memory = match before {
            None => Memory::first(grade),
            Some(before) => {
                let days = (now - before.last).div_euclid(DAY).max(0);
                before.memory.after(days as f64, grade)
            }
        };
        let wait = match grade {
            Grade::Again => SOON,
            _ => memory.interval() as i64 * DAY,
        };
        Self {
            memory,
            last: now,
            due: now + wait,
        }
    }
}

impl Card {
    /// Returns the card of an exercise that was never asked.
    pub const fn new(exercise: Exercise) -> Self {
        let answers = None;
        Self { exercise, answers }
    }

    /// Reads a line; `None` if it is no card, or if its moves are not legal.
    pub fn read(line: &str) -> Option<Self> {
        let (board, operations) = epd::read(line).ok()?;
        let operation = |name: &str| {
            let found = operations.iter().find(|(other, _)| *other == name);
            found.map(|(_, operands)| operands.join(" "))
        };
        let mut better = Vec::new();
        let mut after = board;
        for word in operation("pv")?.split_whitespace() {
            let mv = notation::parse(&after, word)?;
            better.push(san::to_san(&after, mv));
            after.make(mv);
        }
        better.first()?;
        let played = notation::parse(&board, &operation("am")?)?;
        let mark = operation("c4").unwrap_or_default();
        let (lead, sign) = mark.split_once(' ').unwrap_or((&mark, ""));
        let is_standard = |right: u8| b"KQkq-".contains(&right);
        let rights = line.split_whitespace().nth(2).unwrap_or_default();
        Some(Self {
            exercise: Exercise {
                fen: board.fen(!rights.bytes().all(is_standard)),
                lead: lead.replace('-', ""),
                players: ["c1", "c2"].map(|name| operation(name).unwrap_or_default()),
                date: operation("c3").unwrap_or_default(),
                played: san::to_san(&board, played),
                sign: sign.to_owned(),
                better,
                reason: operation("c0").unwrap_or_default(),
            },
            answers: operation("c5").and_then(|text| answers_of(&text)),
        })
    }

    /// Returns the card as a line, without a line feed.
    pub fn line(&self) -> String {
        let exercise = &self.exercise;
        let fields: Vec<&str> = exercise.fen.split(' ').collect();
        let counter = |at: usize| fields.get(at).copied().unwrap_or("0");
        let quoted = |text: &str| text.replace('"', "'").replace([';', '\n'], ",");
        let [white, black] = exercise.players.each_ref().map(|name| quoted(name));
        let date = quoted(&exercise.date);
        let lead = match &*exercise.lead {
            "" => "-",
            lead => lead,
        };
        let mut line = format!(
            "{} bm {}; am {}; pv {}; hmvc {}; fmvn {}; id \"{}\"; c0 \"{}\"; c1 \"{white}\"; \
             c2 \"{black}\"; c3 \"{date}\"; c4 \"{lead} {}\";",
            exercise.key(),
            exercise.better[0],
            exercise.played,
            exercise.better.join(" "),
            counter(4),
            counter(5),
            format!("{white} - {black} {date}").trim(),
            quoted(&exercise.reason),
            exercise.sign,
        );
        if let Some(Answers { memory, last, due }) = &self.answers {
            let Memory {
                stability,
                difficulty,
            } = memory;
            let _ = write!(
                line,
                " c5 \"{SCHEDULER} {stability:.6} {difficulty:.6} {last} {due}\";"
            );
        }
        line
    }

    /// Writes the card as an object: the fields of the exercise, `line`, and `last` and `due`, which are
    /// null if it was never asked.
    pub fn write(&self, json: &mut Json) {
        json.object(|json| {
            self.exercise.write(json);
            json.field("line").text(&self.line());
            let times = self.answers.map(|answers| [answers.last, answers.due]);
            for (at, name) in ["last", "due"].into_iter().enumerate() {
                match times {
                    Some(times) => json.field(name).raw(&times[at].to_string()),
                    None => json.field(name).raw("null"),
                }
            }
        });
    }
}

fn answers_of(text: &str) -> Option<Answers> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [SCHEDULER, stability, difficulty, last, due] = words[..] else {
        return None;
    };
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| *number > 0.0);
    Some(Answers {
        memory: Memory {
            stability: number(stability)?,
            difficulty: number(difficulty)?,
        },
        last: last.parse().ok()?,
        due: due.parse().ok()?,
    })
}

/// Exercises by their keys, each once.
#[derive(Clone, Debug, Default)]
pub struct Deck {
    cards: BTreeMap<String, Card>,
}

impl Deck {
    /// Returns what is known of the answers to an exercise; `None` if it was never asked.
    pub fn answers(&self, key: &str) -> Option<Answers> {
        self.cards.get(key).and_then(|card| card.answers)
    }

    /// Returns all cards.
    pub fn cards(&self) -> impl Iterator<Item = &Card> {
        self.cards.values()
    }

    /// Adds a card. Of two with the same exercise, the one that was answered last stays.
    pub fn add(&mut self, card: Card) {
        let last = |card: &Card| card.answers.map(|answers| answers.last);
        let key = card.exercise.key();
        let known = self.cards.get(&key);
        if known.is_none_or(|known| last(known) <= last(&card)) {
            self.cards.insert(key, card);
        }
    }

    /// Reads the lines of a file; what is no card is passed over.
    pub fn read(text: &str) -> Self {
        let mut deck = Self::default();
        for (_, line) in epd::lines(text) {
            if let Some(card) = Card::read(line) {
                deck.add(card);
            }
        }
        deck
    }

    /// Writes the lines of a file.
    pub fn write(&self) -> String {
        let lines = self.cards.values().map(Card::line);
        lines.fold(String::new(), |text, line| text + &line + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exercise() -> Exercise {
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        Exercise {
            fen: fen.to_owned(),
            lead: "e7e5".to_owned(),
            players: ["Ann \"A\"; B", "Bob"].map(str::to_owned),
            date: "2026.11".to_owned(),
            played: "Ke2".to_owned(),
            sign: "??".to_owned(),
            better: ["Nf3", "Nc6"].map(str::to_owned).to_vec(),
            reason: "Loses a piece: 2... Nf6.".to_owned(),
        }
    }

    fn card(grade: Grade, now: i64) -> Card {
        Card {
            exercise: exercise(),
            answers: Some(Answers::add(None, grade, now)),
        }
    }

    #[test]
    fn answers_decide_when_an_exercise_comes_back() {
        let wrong = Answers::add(None, Grade::Again, 1000);
        assert_eq!(wrong.due, 1000 + SOON);
        let right = Answers::add(Some(wrong), Grade::Good, wrong.due);
        assert_eq!(right.memory, wrong.memory.after(0.0, Grade::Good));
        assert_eq!(right.due - right.last, DAY);
        let again = Answers::add(Some(right), Grade::Good, right.due);
        assert!(again.due - again.last > DAY, "{again:?}");
    }

    #[test]
    fn a_deck_comes_back_from_its_file() {
        let mut deck = Deck::default();
        let card = card(Grade::Good, 1_764_000_000);
        deck.add(card.clone());
        let text = deck.write();
        let read = Deck::read(&format!("nonsense\n{text}4k3/8/8/8/8/8/8/4K3 w - -\n"));
        let found: Vec<&Card> = read.cards().collect();
        let [found] = found[..] else {
            panic!("{text}{found:?}")
        };
        let players = ["Ann 'A', B", "Bob"].map(str::to_owned);
        let expected = Exercise {
            players,
            ..exercise()
        };
        assert_eq!(found.exercise, expected);
        let [found, card] = [found, &card].map(|card| card.answers.expect("answers"));
        assert_eq!((found.last, found.due), (card.last, card.due));
        assert!((found.memory.stability - card.memory.stability).abs() < 1e-6);
        assert_eq!(read.write(), Deck::read(&read.write()).write());
        // An exercise that was never asked has a line as well.
        let card = Card::new(expected);
        assert_eq!(Card::read(&card.line()), Some(card));
    }

    #[test]
    fn the_card_that_was_answered_last_stays() {
        let mut deck = Deck::default();
        for card in [card(Grade::Good, 5000), card(Grade::Good, 1000)] {
            deck.add(card);
        }
        deck.add(Card::new(exercise()));
        let answers = deck.answers(&exercise().key());
        assert_eq!(answers.map(|answers| answers.last), Some(5000));
    }
}
