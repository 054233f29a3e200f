//! Mistakes of an annotated game as exercises: the position before the move, and what was better.

use rejoinder::board::coordinates::move_to_uci;
use rejoinder::board::san;

use crate::annotate::Notes;
use crate::json::Json;
use crate::pgn::Record;

/// The signs of mistakes.
const SIGNS: [&str; 3] = ["?!", "?", "??"];

/// A mistake that is to be done better. Moves are in SAN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exercise {
    /// The position before the mistake.
    pub fen: String,
    /// The move that led there in UCI notation; empty if the game begins there.
    pub lead: String,
    /// White and Black, and the date as far as it is known.
    pub players: [String; 2],
    pub date: String,
    /// The move that was played, and its mark, such as `??`.
    pub played: String,
    pub sign: String,
    /// The line that was better, at least one move.
    pub better: Vec<String>,
    /// Why the move was bad, in words; empty if nothing is said.
    pub reason: String,
}

impl Exercise {
    /// Returns what makes two exercises the same: the position without its counters.
    pub fn key(&self) -> String {
        let fields: Vec<&str> = self.fen.split(' ').take(4).collect();
        fields.join(" ")
    }

    /// Returns whether White made the mistake.
    pub fn is_white(&self) -> bool {
        self.fen.split(' ').nth(1) == Some("w")
    }

    /// Returns the name of the player who made the mistake.
    pub fn player(&self) -> &str {
        &self.players[usize::from(!self.is_white())]
    }

    /// Writes the fields of an object, which have the names of this structure.
    pub fn write(&self, json: &mut Json) {
        json.field("key").text(&self.key());
        json.field("fen").text(&self.fen);
        json.field("lead").text(&self.lead);
        json.field("white").text(&self.players[0]);
        json.field("black").text(&self.players[1]);
        json.field("date").text(&self.date);
        json.field("played").text(&self.played);
        json.field("sign").text(&self.sign);
        json.field("better").array(|json| {
            for san in &self.better {
                json.field("").text(san);
            }
        });
        json.field("reason").text(&self.reason);
    }
}

/// Returns the mistakes of a game that has marks and better lines, in their order.
pub fn exercises(record: &Record) -> Vec<Exercise> {
    let notes = Notes::of(record);
    let summary = super::Summary::of(record);
    let mut board = record.start;
    let mut lead = String::new();
    let mut found = Vec::new();
    for (ply, &mv) in record.moves.iter().enumerate() {
        let note = notes.at(&record.moves[..=ply]);
        let better = note.filter(|note| note.is_mistake).and_then(|note| {
            let line = note.lines.iter().find(|line| line.moves[0] != mv)?;
            Some((note, line))
        });
        if let Some((note, line)) = better {
            let mut after = board;
            let better = line.moves.iter().map(|&mv| {
                let san = san::to_san(&after, mv);
                after.make(mv);
                san
            });
            found.push(Exercise {
                fen: board.fen(record.chess960),
                lead: std::mem::take(&mut lead),
                players: summary.players.clone(),
                date: summary.date.clone(),
                played: san::to_san(&board, mv),
                sign: (note.signs.iter().find(|sign| SIGNS.contains(sign)))
                    .map_or_else(String::new, |sign| (*sign).to_owned()),
                better: better.collect(),
                reason: note.text.clone(),
            });
        }
        lead = move_to_uci(&board, mv, true);
        board.make(mv);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::{self, Source};

    const GAME: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[Date \"2026.11.??\"]\n\n\
        1. e4 e5 2. Ke2 $4 { [%eval -0.5] Loses the right to castle. } \
        ( 2. Nf3 { [%eval 0.3] } Nc6 ) 2... Nf6 $2 3. d3 d5 $6 ( 3... Zz ) ( 3... d6 ) *";

    fn read(text: &str) -> Vec<Exercise> {
        let game = Source::new(text.as_bytes()).next_game();
        let game = game.expect("a text").expect("a game");
        exercises(&pgn::read(game).expect("a record"))
    }

    #[test]
    fn mistakes_with_a_better_line_are_exercises() {
        let found = read(GAME);
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        let first = Exercise {
            fen: fen.to_owned(),
            lead: "e7e5".to_owned(),
            players: ["Ann", "Bob"].map(str::to_owned),
            date: "2026.11".to_owned(),
            played: "Ke2".to_owned(),
            sign: "??".to_owned(),
            better: ["Nf3", "Nc6"].map(str::to_owned).to_vec(),
            reason: "Loses the right to castle.".to_owned(),
        };
        assert_eq!(found[0], first);
        assert_eq!((found[0].player(), found[1].player()), ("Ann", "Bob"));
        assert_eq!(found[1].better, ["d6"]);
        // Nothing is known that was better than 2... Nf6.
        assert_eq!(found.len(), 2);
        assert!(!found[0].key().contains(" 0 2"));
    }
}
