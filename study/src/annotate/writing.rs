//! Turns a [`Report`] into PGN.
// Source: PGN standard, 8, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm

use rejoinder::board::san;
use rejoinder::build_info::ENGINE;

use super::effort::Effort;
use super::judge::Mark;
use super::report::{Report, SUMMARY};
use crate::pgn::{Item, Line, Tag, ply_of};

/// Longest line of movetext, in characters.
const WIDTH: usize = 80;
/// Longest variation that is added, in plies.
pub(super) const LONGEST_LINE: usize = 10;
/// The tags that PGN requires, with the values used where they are missing.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];
/// Colors of what is drawn behind a bad move, and behind a better one: red and green.
const AGAINST: char = 'R';
const FOR: char = 'G';
/// The last words of the comment with the summary.
const SUMMARY_END: &str = " a position.";
/// Glyphs that judge a move. A move that already has one gets no other.
const JUDGMENTS: std::ops::RangeInclusive<u8> = 1..=9;

/// The choice of what is written besides the game.
#[derive(Clone, Debug)]
pub(super) struct Style {
    /// Loss of winning chance, 0 to 1, from which a move gets the better line as a variation.
    pub least_loss: f64,
    /// Whether scores are left out, so that comments stand only where something is said.
    pub is_plain: bool,
    /// The limit of each search.
    pub effort: Effort,
}

impl Style {
    /// Returns the words of a summary that say whose it is, such as `Rejoinder 0.1.0, 300 nodes`.
    pub fn origin(&self) -> String {
        format!("{ENGINE}, {}", self.effort)
    }
}

/// Returns the game as PGN, followed by an empty line.
pub(super) fn write(report: &Report, style: &Style) -> String {
    let mut out = String::new();
    write_tags(report, &mut out);
    out.push('\n');
    let mut text = Text {
        out,
        ..Text::default()
    };
    let record = &report.record;
    if !record.moves.is_empty() {
        text.comment(&[format!(
            "{} {ENGINE}, {}{SUMMARY_END}",
            report.summary(),
            style.effort.of_game(&report.doublings)
        )]);
    }
    for item in &record.line.head {
        if let Item::Comment(comment) = item {
            let kept = without_summary(comment);
            if !kept.is_empty() {
                text.items(&[Item::Comment(kept)]);
            }
        } else {
            text.items(std::slice::from_ref(item));
        }
    }
    let mut numbered = false;
    for (index, ply) in record.line.plies.iter().enumerate() {
        let number = record.line.start + index as u32;
        text.number(number, numbered);
        text.word(&ply.san);
        numbered = text.judged(report, style, index, &ply.items, number);
    }
    text.word(record.outcome());
    text.out.push_str("\n\n");
    text.out
}

/// Writes the tags as the input has them: first the Seven Tag Roster, last the opening, if the input
/// does not name it, and the annotator.
fn write_tags(report: &Report, out: &mut String) {
    let record = &report.record;
    let mut tags: Vec<&Tag> = record.tags.iter().collect();
    let mut take = |name: &str| {
        let place = tags.iter().position(|tag| tag.is(name));
        place.map(|place| tags.remove(place))
    };
    for (name, missing) in ROSTER {
        let missing = if name == "Result" {
            record.outcome()
        } else {
            missing
        };
        match take(name) {
            Some(tag) => write_line(&tag.raw, out),
            None => write_line(&Tag::new(name, missing).raw, out),
        }
    }
    let annotator = take("Annotator");
    for tag in tags {
        write_line(&tag.raw, out);
    }
    if let Some(opening) = report.opening {
        for (name, value) in [("ECO", opening.eco), ("Opening", opening.name)] {
            if record.tag(name).is_none() {
                write_line(&Tag::new(name, value).raw, out);
            }
        }
    }
    match annotator.map(|tag| (tag, tag.value.trim())) {
        None | Some((_, "" | "?")) => write_line(&Tag::new("Annotator", ENGINE).raw, out),
        Some((tag, value)) if value.contains(ENGINE) => write_line(&tag.raw, out),
        Some((_, value)) => {
            let both = Tag::new("Annotator", &format!("{value}; {ENGINE}"));
            write_line(&both.raw, out);
        }
    }
}

fn write_line(line: &str, out: &mut String) {
    out.push_str(line);
    out.push('\n');
}

/// Movetext, broken into lines of limited width.
#[derive(Default)]
struct Text {
    out: String,
    column: usize,
    /// Text that must stay on one line with the next word: a move number or an opening bracket.
    glued: String,
}

impl Text {
    fn word(&mut self, word: &str) {
        let glued = std::mem::take(&mut self.glued);
        let width = glued.chars().count() + word.chars().count();
        // A line that begins with a percent sign would not be read.
        if self.column > 0 && self.column + 1 + width > WIDTH && !word.starts_with('%') {
            self.out.push('\n');
            self.column = 0;
        }
        if self.column > 0 {
            self.out.push(' ');
            self.column += 1;
        }
        self.out.push_str(&glued);
        self.out.push_str(word);
        self.column += width;
    }

    fn glue(&mut self, word: &str) {
        self.glued.push_str(word);
        self.glued.push(' ');
    }

    /// Writes the number of a move: before every move of White, and before a move of Black that
    /// does not directly follow White's.
    fn number(&mut self, ply: u32, follows: bool) {
        if ply.is_multiple_of(2) {
            self.glue(&format!("{}.", ply / 2 + 1));
        } else if !follows {
            self.glue(&format!("{}...", ply / 2 + 1));
        }
    }

    fn comment(&mut self, parts: &[String]) {
        let mut words = parts.iter().flat_map(|part| words(part)).peekable();
        self.glue("{");
        while let Some(word) = words.next() {
            if words.peek().is_some() {
                self.word(word);
            } else {
                self.word(&format!("{word} }}"));
            }
        }
        if !self.glued.is_empty() {
            self.word("}");
        }
    }

    /// Writes the items after a move, and returns whether the next move may be written
    /// without its number.
    fn items(&mut self, items: &[Item]) -> bool {
        for item in items {
            match item {
                Item::Nag(nag) => self.word(&format!("${nag}")),
                Item::Comment(text) => self.comment(&[text.replace('}', ")")]),
                Item::Variation(line) => self.variation(line),
            }
        }
        items.iter().all(|item| matches!(item, Item::Nag(_)))
    }

    fn variation(&mut self, line: &Line) {
        self.glue("(");
        self.items(&line.head);
        let mut follows = false;
        for (ply, played) in (line.start..).zip(&line.plies) {
            self.number(ply, follows);
            self.word(&played.san);
            follows = self.items(&played.items);
        }
        self.word(")");
    }

    /// Writes everything after a move of the game: the mark, the score, the items of the input, and
    /// the better line.
    fn judged(
        &mut self,
        report: &Report,
        style: &Style,
        index: usize,
        items: &[Item],
        ply: u32,
    ) -> bool {
        // There is none behind a null move.
        let Some(judgment) = report.judgments.get(index) else {
            return self.items(items);
        };
        let is_judgment = |item: &Item| matches!(item, Item::Nag(nag) if JUDGMENTS.contains(nag));
        let mark = judgment.mark.filter(|_| !items.iter().any(is_judgment));
        if let Some(mark) = mark {
            self.word(&format!("${}", mark.nag()));
        }
        let reason = report.reasons[index].as_ref().filter(|_| mark.is_some());
        let drawing = reason.filter(|_| !style.is_plain);
        let drawing = drawing.map(|reason| reason.here.commands(AGAINST));
        let sentence = reason.map(|reason| reason.text.clone());
        let nags = items
            .iter()
            .take_while(|item| matches!(item, Item::Nag(_)))
            .count();
        let (nags, rest) = items.split_at(nags);
        self.items(nags);
        let eval = report
            .eval(&report.evaluations[index + 1])
            .filter(|_| !style.is_plain)
            .map(|eval| format!("[%eval {eval}]"));
        let rest: Vec<Item> = rest.iter().filter_map(without_old_eval).collect();
        let (comment, rest) = match rest.as_slice() {
            [Item::Comment(text), rest @ ..] => (Some(text.clone()), rest),
            rest => (None, rest),
        };
        let mut follows = rest.is_empty();
        let parts: Vec<String> = (eval.into_iter())
            .chain(drawing.into_iter().flatten())
            .chain(sentence)
            .chain(comment)
            .collect();
        if !parts.is_empty() {
            self.comment(&parts);
            follows = false;
        }
        self.items(rest);
        if has_better_line(report, style, index) && !has_line(report, index, items) {
            self.better_line(report, style, index, ply);
            follows = false;
        }
        follows
    }

    fn better_line(&mut self, report: &Report, style: &Style, index: usize, ply: u32) {
        let here = &report.evaluations[index];
        let mut board = here.board;
        self.glue("(");
        let mut follows = false;
        for (number, &mv) in here.line.iter().take(LONGEST_LINE).enumerate() {
            self.number(ply + number as u32, follows);
            self.word(&san::to_san(&board, mv));
            board.make(mv);
            follows = true;
            if number == 0
                && !style.is_plain
                && let Some(eval) = report.eval(here)
            {
                let mut parts = vec![format!("[%eval {eval}]")];
                let reason = report.reasons[index].iter();
                parts.extend(reason.flat_map(|reason| reason.better.commands(FOR)));
                self.comment(&parts);
                follows = false;
            }
        }
        self.word(")");
        debug_assert_eq!(ply, ply_of(&here.board));
    }
}

/// Returns whether a move gets the better line.
pub(super) fn has_better_line(report: &Report, style: &Style, index: usize) -> bool {
    let judgment = &report.judgments[index];
    // A mark without such a loss is for a mate.
    let inaccuracy = report.ruler.scale.thresholds().inaccuracy;
    let is_for_mate = judgment.mark.is_some_and(Mark::is_fault) && judgment.loss < inaccuracy;
    (judgment.loss >= style.least_loss || is_for_mate) && plays_other(report, index)
}

/// Returns whether the best line begins with another move than the one played.
fn plays_other(report: &Report, index: usize) -> bool {
    let best = report.evaluations[index].line.first();
    best.is_some_and(|&best| best != report.record.moves[index])
}

/// Returns whether the input already has a variation that begins with the better move.
fn has_line(report: &Report, index: usize, items: &[Item]) -> bool {
    let here = &report.evaluations[index];
    let best = here.line.first().map(|&mv| san::to_san(&here.board, mv));
    let first = |line: &Line| line.plies.first().map(|ply| ply.san.clone());
    (items.iter()).any(|item| matches!(item, Item::Variation(line) if first(line) == best))
}

/// Splits a comment into words; a command such as `[%clk 0:10:00]` counts as one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let command = rest.starts_with("[%").then(|| rest.find(']')).flatten();
        let end = if let Some(end) = command {
            end + 1
        } else {
            let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let next = rest[..word].rfind("[%").filter(|at| *at > 0);
            next.unwrap_or(word)
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// Returns an item without the scores that other programs left in a comment; `None` if nothing
/// else is in it. A variation keeps them, because its moves get no other scores.
fn without_old_eval(item: &Item) -> Option<Item> {
    let Item::Comment(text) = item else {
        return Some(item.clone());
    };
    let text = without_eval(text);
    (!text.is_empty()).then_some(Item::Comment(text))
}

/// Returns a comment without the scores that other programs left in it.
fn without_eval(text: &str) -> String {
    let kept = words(text).filter(|word| !word.starts_with("[%eval"));
    kept.collect::<Vec<_>>().join(" ")
}

/// Returns a comment without the summaries that this program wrote another time. People and other
/// programs may have put other text before and behind them.
fn without_summary(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(SUMMARY) {
        let (before, here) = rest.split_at(at);
        kept.push_str(before);
        let length = summary_length(here).unwrap_or_else(|| {
            kept.push_str(SUMMARY);
            SUMMARY.len()
        });
        rest = &here[length..];
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

/// Returns the length of the summary with which a text begins; `None` if other sentences follow its
/// first words.
fn summary_length(text: &str) -> Option<usize> {
    let length = text.find(SUMMARY_END)? + SUMMARY_END.len();
    let sentences: Vec<&str> = text[..length].split(". ").collect();
    let [_, black, effort] = sentences[..] else {
        return None;
    };
    let is_ours = black.starts_with("Black: accuracy ") && effort.starts_with("Rejoinder ");
    is_ours.then_some(length)
}

/// Returns a comment without commands such as `[%clk 0:10:00]`.
pub(super) fn without_commands(text: &str) -> String {
    let kept = words(text).filter(|word| !word.starts_with("[%"));
    kept.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_not_torn() {
        let text = " a [%clk 0:10:00] b[%eval 0.1] [%eval #-3] [%csl Ra1, Gb2]c ";
        let all: Vec<_> = words(text).collect();
        assert_eq!(
            all,
            [
                "a",
                "[%clk 0:10:00]",
                "b",
                "[%eval 0.1]",
                "[%eval #-3]",
                "[%csl Ra1, Gb2]",
                "c"
            ]
        );
        assert_eq!(
            without_eval("[%eval 0.25] [%clk 1:00:00]"),
            "[%clk 1:00:00]"
        );
        assert_eq!(without_eval(" [%eval 0.25,20] "), "");
        assert_eq!(without_eval("[%open"), "[%open");
    }

    #[test]
    fn only_the_summary_itself_is_taken_out() {
        let ours = "White: accuracy 94.6%, 0 inaccuracies, 1 mistake, 0 blunders. \
            Black: accuracy -. Rejoinder 0.1.0, 300 nodes a position.";
        for (text, kept) in [
            ("SUMMARY", ""),
            ("SUMMARY A queen in a position.", "A queen in a position."),
            ("SUMMARYGlued", "Glued"),
            ("An introduction. SUMMARY", "An introduction."),
            ("One SUMMARY two SUMMARY three", "One  two  three"),
            (
                "White: accuracy is high. SUMMARY",
                "White: accuracy is high.",
            ),
            (
                "White: accuracy 90. What a position.",
                "White: accuracy 90. What a position.",
            ),
            ("White: accuracy ", "White: accuracy"),
        ] {
            assert_eq!(without_summary(&text.replace("SUMMARY", ours)), kept);
        }
    }

    #[test]
    fn lines_are_wrapped() {
        let mut text = Text::default();
        text.comment(&[format!("{} %5 end", "word ".repeat(15))]);
        assert!(
            text.out
                .lines()
                .all(|line| line.chars().count() <= WIDTH + 3 && !line.starts_with('%'))
        );
        assert_eq!(text.out.lines().count(), 2, "{}", text.out);
    }
}
