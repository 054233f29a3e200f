//! Styled text and the terminal that it has to fit into.

use anstyle::Style;

/// The terminal that the view has to fit into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Canvas {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Whether it shows colors.
    pub color: bool,
    /// Whether it shows more than ASCII.
    pub unicode: bool,
    /// Whether it shows the figurines of the pieces.
    pub figurines: bool,
}

impl Canvas {
    /// Text that anything can show.
    pub const PLAIN: Self = Self {
        width: 80,
        height: 24,
        color: false,
        unicode: false,
        figurines: false,
    };

    /// Returns a text of a file as the terminal can show it.
    pub fn written(self, text: &str) -> String {
        let shown = |letter: char| match letter {
            _ if letter.is_control() => " ".to_owned(),
            _ if self.unicode || letter.is_ascii() => letter.to_string(),
            '□' => "[]".to_owned(),
            '∞' => "~".to_owned(),
            _ => "?".to_owned(),
        };
        text.chars().map(shown).collect()
    }

    pub fn ellipsis(self) -> char {
        if self.unicode { '…' } else { '>' }
    }
}

pub(super) const PLAIN: Style = Style::new();
pub(super) const LOUD: Style = Style::new().bold();
pub(super) const QUIET: Style = Style::new().dimmed();

/// A row of styled text.
#[derive(Clone, Debug, Default)]
pub(super) struct Row(pub Vec<(String, Style)>);

impl Row {
    pub fn push(&mut self, text: impl Into<String>, style: Style) {
        self.0.push((text.into(), style));
    }

    pub fn plain(text: impl Into<String>) -> Self {
        Self(vec![(text.into(), PLAIN)])
    }

    /// Returns the columns it takes: every character that is ever shown takes one.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| text.chars().count()).sum()
    }

    /// Cuts what is beyond this width.
    pub fn fit(mut self, width: usize, ellipsis: char) -> Self {
        if self.width() <= width {
            return self;
        }
        let mut left = width.saturating_sub(1);
        for (text, _) in &mut self.0 {
            let count = text.chars().count().min(left);
            *text = text.chars().take(count).collect();
            left -= count;
        }
        if width > 0 {
            self.push(ellipsis, PLAIN);
        }
        self
    }

    pub fn render(self, color: bool) -> String {
        let styled = |(text, style): (String, Style)| {
            if color && style != PLAIN && !text.is_empty() {
                format!("{style}{text}{style:#}")
            } else {
                text
            }
        };
        let text: String = self.0.into_iter().map(styled).collect();
        if color {
            text
        } else {
            text.trim_end().to_owned()
        }
    }
}
