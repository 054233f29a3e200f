//! Text in JSON.
// Source: RFC 8259, https://www.rfc-editor.org/rfc/rfc8259

use std::fmt::Write;

/// Fields of an object or an array, written one after the other.
#[derive(Debug)]
pub struct Json(pub String);

impl Json {
    /// Begins the next field, or the next value if the name is empty.
    pub fn field(&mut self, name: &str) -> &mut Self {
        if !self.0.is_empty() && !self.0.ends_with(['{', '[']) {
            self.0.push(',');
        }
        if !name.is_empty() {
            self.text(name);
            self.0.push(':');
        }
        self
    }

    /// Writes a text in quotes.
    pub fn text(&mut self, text: &str) {
        self.0.push('"');
        for letter in text.chars() {
            match letter {
                '"' | '\\' => self.0.extend(['\\', letter]),
                // Two of them are line ends to JavaScript.
                '\0'..' ' | '\u{7f}' | '\u{2028}' | '\u{2029}' => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(letter));
                }
                _ => self.0.push(letter),
            }
        }
        self.0.push('"');
    }

    /// Writes a number with this many decimals; infinities, which JSON lacks, become 0.
    pub fn number(&mut self, number: f64, digits: usize) {
        let number = if number.is_finite() { number } else { 0.0 };
        let _ = write!(self.0, "{number:.digits$}");
    }

    /// Writes what is JSON already.
    pub fn raw(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn nested(&mut self, ends: [char; 2], write: impl FnOnce(&mut Self)) {
        self.0.push(ends[0]);
        write(self);
        self.0.push(ends[1]);
    }

    /// Writes an object, the fields of which come from `write`.
    pub fn object(&mut self, write: impl FnOnce(&mut Self)) {
        self.nested(['{', '}'], write);
    }

    /// Writes an array, the values of which come from `write`.
    pub fn array(&mut self, write: impl FnOnce(&mut Self)) {
        self.nested(['[', ']'], write);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_every_kind_is_escaped() {
        let mut json = Json(String::new());
        json.object(|json| {
            json.field("a\"b").text("\\ \n\u{1}é\u{2028}");
            json.field("list").array(|json| {
                json.field("").number(0.5, 1);
                json.field("").number(f64::NAN, 0);
                json.field("").array(|_| {});
            });
        });
        assert_eq!(
            json.0,
            r#"{"a\"b":"\\ \u000a\u0001é\u2028","list":[0.5,0,[]]}"#
        );
    }
}
