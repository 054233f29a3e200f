//! The tags of a game, as in `[White "Tal, M"]`. People write names that PGN does not know and forget
//! quotes; so a tag is kept as it is written, besides what it means.

use super::words::is_invisible;

/// A tag of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name, as in `White`.
    pub name: String,
    /// The value without its quotes, and without the backslashes before quotes inside it.
    pub value: String,
    /// The tag as it is written, with its brackets, in one line.
    pub raw: String,
}

impl Tag {
    /// Reads a tag from its text, which begins with a bracket.
    pub fn read(raw: &str) -> Self {
        let raw = raw.trim().replace('\n', " ");
        let inner = raw.strip_prefix('[').unwrap_or(&raw);
        let inner = inner.strip_suffix(']').unwrap_or(inner).trim();
        let ends_name = |letter: char| letter.is_whitespace() || is_quote(letter);
        let name = &inner[..inner.find(ends_name).unwrap_or(inner.len())];
        let value = inner[name.len()..].trim();
        let value = value.strip_prefix(is_quote).unwrap_or(value);
        let value = value.strip_suffix(is_quote).unwrap_or(value);
        Self {
            name: name.to_owned(),
            value: unescape(value),
            raw,
        }
    }

    /// Returns a tag in the form of the standard.
    pub fn new(name: &str, value: &str) -> Self {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        Self {
            name: name.to_owned(),
            value: value.to_owned(),
            raw: format!("[{name} \"{escaped}\"]"),
        }
    }

    /// Returns whether there are a name and a value in quotes, as in no other text in brackets.
    pub fn is_quoted(&self) -> bool {
        let behind = self.raw.trim_start_matches('[').trim_start();
        let value = behind.strip_prefix(&*self.name).unwrap_or_default();
        !self.name.is_empty()
            && !self.name.contains('.')
            && value.trim_start().starts_with(is_quote)
    }

    /// Returns whether the tag has this name, in whatever case, and whatever is invisible in it.
    pub fn is(&self, name: &str) -> bool {
        let mut seen = self.name.to_ascii_lowercase();
        seen.retain(|letter| !is_invisible(letter));
        seen == name.to_ascii_lowercase()
    }
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '“' | '”' | '„')
}

fn unescape(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_escape = letter == '\\' && matches!(letters.peek(), Some('\\' | '"'));
        plain.push(if is_escape {
            letters.next().unwrap_or(letter)
        } else {
            letter
        });
    }
    plain
}

/// Returns whether a text that begins with a bracket begins with a tag, if it stands before the
/// moves. Commands and diagrams, as in `[%clk 0:01]` and `[#]`, are none.
pub(crate) fn is_tag(text: &[u8]) -> bool {
    let is_command = || matches!(text.get(1), Some(b'%' | b'#'));
    text.starts_with(b"[") && (!is_command() || is_quoted(&text[..line_end(text)]))
}

/// Returns whether a line that begins with a bracket is a tag for sure, also behind moves: a word,
/// followed by a quote.
pub(crate) fn is_regular(text: &[u8]) -> bool {
    let behind = text.get(1..).unwrap_or_default().trim_ascii_start();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = behind.iter().position(|byte| !is_letter(byte));
    let length = length.unwrap_or(behind.len());
    let value = behind[length..].trim_ascii_start();
    text.starts_with(b"[") && length > 0 && value.starts_with(b"\"")
}

/// Returns whether a line is one tag or several, if it stands behind an empty line: it has a quote,
/// and brackets at both ends.
pub(crate) fn is_bracketed(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"[") && line.ends_with(b"]") && is_quoted(line)
}

/// Returns the name of the tag that a text begins with.
pub(crate) fn name(text: &[u8]) -> &[u8] {
    let behind = text.get(1..).unwrap_or_default().trim_ascii_start();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b']');
    &behind[..behind.iter().position(ends).unwrap_or(behind.len())]
}

/// Returns the length of the tag that a text begins with. A tag that its line does not close goes on
/// to the end of the next line if that line closes it, and otherwise ends with its own line.
pub(crate) fn length(text: &[u8]) -> usize {
    let line = &text[..line_end(text)];
    closed_length(line).unwrap_or_else(|| match text.get(line.len() + 1..) {
        Some(next) if closes(&next[..line_end(next)]) => line.len() + 1 + line_end(next),
        _ => line.len(),
    })
}

/// Returns whether a line is the second part of a tag that the line before did not close.
pub(crate) fn closes(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.starts_with(b"[") && line.ends_with(b"]")
}

/// Returns the length of the tag at the beginning of a line, with its closing bracket; `None` if it
/// has none.
pub(crate) fn closed_length(line: &[u8]) -> Option<usize> {
    standard_length(line).or_else(|| careless_length(line))
}

/// Returns the length of the tag at the beginning of a line if it is as PGN wants it: each quote and
/// backslash in the value has a backslash before it.
fn standard_length(line: &[u8]) -> Option<usize> {
    let inner = line.strip_prefix(b"[")?.trim_ascii_start();
    let name = name(line);
    let value = inner[name.len()..].trim_ascii_start().strip_prefix(b"\"")?;
    let mut is_escaped = false;
    let end = value.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })?;
    let behind = value[end + 1..].trim_ascii_start().strip_prefix(b"]")?;
    (!name.is_empty()).then(|| line.len() - behind.len())
}

/// Returns the same for a tag in which quotes may be missing, or stand in the value.
fn careless_length(line: &[u8]) -> Option<usize> {
    let bracket = line.iter().position(|byte| *byte == b']')?;
    let Some(quote) = line[..bracket].iter().position(|byte| *byte == b'"') else {
        return Some(bracket + 1);
    };
    // The value may hold what looks like its end, but only before other text than a tag, a comment
    // or a move. The line may hold many games, so no more of it is looked at than necessary.
    let mut ends = (quote + 1..line.len())
        .filter(|at| line[*at] == b'"')
        .filter_map(|at| {
            let behind = &line[at + 1..];
            let spaces = behind.len() - behind.trim_ascii_start().len();
            (behind.get(spaces) == Some(&b']')).then_some(at + spaces + 2)
        });
    let sound = |end: &usize| {
        let behind = line[*end..].trim_ascii_start();
        behind.first().is_none_or(|first| {
            first.is_ascii_digit() || b"[{(;*".contains(first) || !line_has_end(behind)
        })
    };
    let first = ends.next();
    let found = first.filter(sound).or_else(|| ends.find(sound)).or(first);
    found.or_else(|| line.iter().rposition(|byte| *byte == b']').map(|at| at + 1))
}

/// Returns whether a text has a quote with a closing bracket behind it.
fn line_has_end(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair == b"\"]")
}

fn is_quoted(line: &[u8]) -> bool {
    line.contains(&b'"')
}

fn line_end(text: &[u8]) -> usize {
    let end = text.iter().position(|byte| *byte == b'\n');
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read_whatever_is_wrong() {
        for (raw, name, value) in [
            (r#"[White "Tal, M"]"#, "White", "Tal, M"),
            (r#"[BlackType: "program"]"#, "BlackType:", "program"),
            (r#"[White-Elo "1"]"#, "White-Elo", "1"),
            (r#"[ Белые"Таль" ]"#, "Белые", "Таль"),
            ("[White Tal]", "White", "Tal"),
            ("[White “Tal”]", "White", "Tal"),
            (r#"[White "Tal]"#, "White", "Tal"),
            (r#"[White Tal"]"#, "White", "Tal"),
            (r#"[White "Tal"#, "White", "Tal"),
            (
                r#"[A "the "big" \"one\" \ [x]"]"#,
                "A",
                r#"the "big" "one" \ [x]"#,
            ),
            ("[White \"Tal,\nMikhail\"]", "White", "Tal, Mikhail"),
            ("[E]", "E", ""),
            ("[]", "", ""),
        ] {
            let tag = Tag::read(raw);
            assert_eq!((&*tag.name, &*tag.value), (name, value), "{raw}");
            assert_eq!(tag.raw, raw.replace('\n', " "));
        }
        let tag = Tag::new("Annotator", r#"a "b" \"#);
        assert_eq!(tag.raw, r#"[Annotator "a \"b\" \\"]"#);
        assert_eq!(Tag::read(&tag.raw), tag);
    }

    #[test]
    fn a_tag_ends_at_its_own_bracket() {
        for (tag, behind) in [
            (r#"[A "1"]"#, r#" [B "2"]"#),
            (r#"[A "1" ]"#, " 1. e4 {x [B \"2\"]} *"),
            (r#"[A "see "x"] y"]"#, ""),
            (r#"[A "see [x]"]"#, "e4 e5"),
            (r#"[A "x\"] [d"]"#, r#" [B "2"]"#),
            (r#"[A "C:\"]"#, r#" [B "2"]"#),
            ("[E]", r#" [F "x"]"#),
            (r#"[A "open]"#, "\n[B \"2\"]"),
            (r#"[A "open"#, "\n[B \"2\"]"),
            ("[A \"in two\nlines\"]", "\n1. e4"),
        ] {
            let text = format!("{tag}{behind}");
            assert_eq!(length(text.as_bytes()), tag.len(), "{text}");
        }
    }

    #[test]
    fn tags_are_told_from_other_brackets() {
        for (text, tag, regular) in [
            (r#"[Event "a"]"#, true, true),
            (r#"[ Event"a"#, true, true),
            (r#"[White-Elo "1"]"#, true, false),
            (r#"[#Games "1"]"#, true, false),
            ("[E]", true, false),
            ("[#]", false, false),
            ("[%eval 0.1]", false, false),
            ("e4", false, false),
            ("", false, false),
        ] {
            let text = text.as_bytes();
            assert_eq!((is_tag(text), is_regular(text)), (tag, regular));
        }
        assert!(is_bracketed(b" [White-Elo \"1\"] "));
        assert!(!is_bracketed(b"[Diagram]") && !is_bracketed(b"[a \"b\" c"));
    }
}
