//! A game in a line of a list.

use crate::annotate::Accuracies;
use crate::json::Json;
use crate::pgn::{Identity, Record};

/// What a list tells about a game.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The game, whatever is said about it.
    pub identity: Identity,
    /// White and Black; "?" if they are not known.
    pub players: [String; 2],
    /// The result, `*` if there is none.
    pub result: String,
    /// The date as PGN writes it; empty if it is not known.
    pub date: String,
    /// The code and the name of the opening, as far as tags tell.
    pub opening: String,
    /// Number of moves of both sides.
    pub plies: usize,
    /// Whether the game is annotated by this program.
    pub is_reviewed: bool,
    /// Accuracies of White and Black, 0 to 100; `None` if they are not known.
    pub accuracy: [Option<f64>; 2],
}

impl Summary {
    /// Returns the summary of a game.
    pub fn of(record: &Record) -> Self {
        let known = |name: &str| {
            let value = record.tag(name).unwrap_or_default().trim();
            let says_nothing = value.trim_matches(['?', '.', '-', '*']).is_empty();
            if says_nothing { "" } else { value }
        };
        let accuracies = Accuracies::of(record);
        let opening = format!("{} {}", known("ECO"), known("Opening"));
        Self {
            identity: Identity::of(record),
            players: ["White", "Black"].map(|name| record.player(name).trim().to_owned()),
            result: record.outcome().to_owned(),
            date: known("Date").trim_end_matches(['.', '?']).to_owned(),
            opening: opening.trim().to_owned(),
            plies: record.moves.len(),
            is_reviewed: accuracies.is_some(),
            accuracy: accuracies.map(|found| found.sides).unwrap_or_default(),
        }
    }

    /// Writes the fields of an object: `id`, `white`, `black`, `result`, `date`, `opening`, `plies`,
    /// `isReviewed` and `accuracy`, an array of two numbers or nulls.
    pub fn write(&self, json: &mut Json) {
        json.field("id").text(&self.identity.to_string());
        json.field("white").text(&self.players[0]);
        json.field("black").text(&self.players[1]);
        json.field("result").text(&self.result);
        json.field("date").text(&self.date);
        json.field("opening").text(&self.opening);
        json.field("plies").number(self.plies as f64, 0);
        json.field("isReviewed")
            .raw(if self.is_reviewed { "true" } else { "false" });
        json.field("accuracy").array(|json| {
            for accuracy in self.accuracy {
                match accuracy {
                    Some(accuracy) => json.field("").number(accuracy, 1),
                    None => json.field("").raw("null"),
                }
            }
        });
    }
}
