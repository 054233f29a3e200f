//! The headers of a game: its tags by their names.

use rejoinder_study::pgn::{Item, Record, Tag, known_result};

/// The names of the tags that the page looks for; people write them in letters of either case.
const NAMES: [&str; 10] = [
    "Event", "Date", "White", "Black", "Result", "WhiteElo", "BlackElo", "FEN", "SetUp", "Variant",
];

/// The tags of a game.
pub(crate) struct Headers {
    /// Names and values, in the order of the game, without tags that are there before.
    pub list: Vec<(String, String)>,
    /// The tags that are there before with another value, as comments.
    pub comments: Vec<String>,
    /// Says that the tag has another result than the moves.
    pub contradiction: Option<String>,
}

impl Headers {
    pub fn of(record: &Record) -> Self {
        let mut headers = Self {
            list: Vec::new(),
            comments: Vec::new(),
            contradiction: None,
        };
        for tag in &record.tags {
            headers.add(tag);
        }
        headers.take_result(record.result);
        headers
    }

    fn add(&mut self, tag: &Tag) {
        let usual = NAMES.iter().find(|name| tag.is(name));
        let name = usual.map_or(&*tag.name, |name| name);
        match self.list.iter().find(|(known, _)| known == name) {
            None => self.list.push((name.to_owned(), tag.value.clone())),
            Some((_, value)) if *value == tag.value => {}
            Some(_) => {
                if let Item::Comment(text) = Item::kept(&tag.raw) {
                    self.comments.push(text);
                }
            }
        }
    }

    /// Writes the result as PGN knows it. That behind the moves counts more than that of the tag.
    fn take_result(&mut self, behind: Option<&str>) {
        let behind = behind.filter(|result| *result != "*");
        let Some((_, value)) = self.list.iter_mut().find(|(name, _)| name == "Result") else {
            if let Some(result) = behind {
                self.list.push(("Result".to_owned(), result.to_owned()));
            }
            return;
        };
        let tag = value.trim();
        let tag = known_result(tag).unwrap_or(tag).to_owned();
        value.clone_from(&tag);
        if let Some(result) = behind.filter(|result| *result != tag) {
            result.clone_into(value);
            if !matches!(&*tag, "" | "*" | "?") {
                self.contradiction = Some(format!(
                    "the result behind the moves is {result}, and that of the tag was {tag}"
                ));
            }
        }
    }
}
