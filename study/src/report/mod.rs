//! `rejoinder-study report`: what the reviews of many games say together: accuracy, and the mistakes by
//! phase, piece, clock and opening.

mod html;
mod tally;
mod text;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::annotate::AnnotatedGame;
use crate::pgn::{self, Record, Source};
use tally::Tally;

/// Sum up the reviews of many games.
///
/// Reads games that `annotate` or the page has reviewed, or any with a score behind each move, and says
/// how well a player, or everybody, played: accuracy, and mistakes by phase of the game, piece, time left
/// and opening. Games without a review are counted and left out.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Annotated games; - for standard input
    #[arg(value_name = "FILES.pgn", required = true)]
    files: Vec<PathBuf>,
    /// Only the moves of this player: a part of the name, in any case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Write the report as a page into this file as well; - prints the page instead
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Prints the report.
///
/// # Errors
/// If a file cannot be read or written, or nothing in them can be reported on.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut library = Library::new(args.player.as_deref());
    let is_standard = |path: &Path| path == Path::new("-");
    for path in &args.files {
        if is_standard(path) {
            library
                .read(&mut io::stdin().lock())
                .context("cannot read standard input")?;
            continue;
        }
        let unreadable = || format!("cannot read {}", path.display());
        let file = File::open(path).with_context(unreadable)?;
        library
            .read(&mut BufReader::with_capacity(1 << 16, file))
            .with_context(unreadable)?;
    }
    let printed = |text: &str, out: &mut dyn Write| {
        let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        printed.context("cannot print the report")
    };
    if args.html.as_deref().is_some_and(is_standard) {
        return printed(&library.html(false), out);
    }
    let text = library.text()?;
    if let Some(path) = &args.html {
        fs::write(path, library.html(false))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    printed(&text, out)
}

/// Games that are summed up while they are read.
#[derive(Clone, Debug)]
pub struct Library {
    /// A part of the name of the player whose moves count, in lower case.
    player: Option<String>,
    tally: Tally,
}

impl Library {
    /// Sums up the moves of the players with this part of a name, or of all.
    pub fn new(player: Option<&str>) -> Self {
        let player = player.map(str::trim).filter(|player| !player.is_empty());
        Self {
            player: player.map(str::to_lowercase),
            tally: Tally::default(),
        }
    }

    /// Adds the games of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&mut self, input: &mut dyn BufRead) -> anyhow::Result<()> {
        let mut games = Source::new(input);
        while let Some(game) = games.next_game()? {
            match pgn::read(game) {
                Ok(record) => self.add(&record),
                Err(_) => self.tally.unreadable += 1,
            }
        }
        Ok(())
    }

    /// Adds a game.
    pub fn add(&mut self, game: &Record) {
        if game.moves.is_empty() {
            self.tally.unreadable += 1;
        } else {
            self.tally
                .add(&AnnotatedGame::of(game), self.player.as_deref());
        }
    }

    /// Returns the report as text.
    ///
    /// # Errors
    /// If there is no game with a review, or none of the player.
    pub fn text(&self) -> anyhow::Result<String> {
        let Tally {
            games,
            unreviewed,
            unreadable,
            ..
        } = self.tally;
        if games == 0 {
            match &self.player {
                Some(player) => bail!(
                    "no game with a review has a player named '{player}': there are {unreviewed} without a \
                     review, {unreadable} without moves, and {} of others",
                    self.tally.others
                ),
                None => bail!(
                    "no game has a review: `rejoinder-study annotate` makes one ({unreviewed} games \
                     without a review, {unreadable} without moves)"
                ),
            }
        }
        Ok(text::write(&self.tally, &self.title()))
    }

    /// Returns the report as a page that stands alone. With `has_choice` it can be asked for another
    /// player, as where this program serves it.
    pub fn html(&self, has_choice: bool) -> String {
        html::write(
            &self.tally,
            &self.title(),
            self.player.as_deref(),
            has_choice,
        )
    }

    /// Whom the report is about.
    fn title(&self) -> String {
        match &self.player {
            None => "All players".to_owned(),
            Some(player) => (self.tally.names().first())
                .map_or_else(|| player.clone(), |(name, _)| (*name).to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const GAMES: &str = "\
[White \"Anna\"]\n[Black \"Bert <b>\"]\n[Result \"0-1\"]\n\n\
{ White: accuracy 50.0%, 1 inaccuracy, 0 mistakes, 1 blunder. Black: accuracy 100.0%, 0 inaccuracies,\n\
0 mistakes, 0 blunders. Rejoinder, 100 nodes a position. }\n\
1. f3 $6 { [%eval -0.80] [%clk 0:01:00] } e5 { [%eval -0.7] [%clk 0:00:08] }\n\
2. g4 $4 { [%eval #-1] [%clk 0:00:09] } Qh4# 0-1\n\n\
[White \"Carl\"]\n[Black \"anna\"]\n[Result \"1/2-1/2\"]\n\n\
1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 1/2-1/2\n\n\
[White \"Anna\"]\n[Black \"Carl\"]\n\n1. d4 d5 *\n\n[White \"Anna\"]\n\n*\n";

    pub(super) fn library(player: Option<&str>) -> Library {
        let mut library = Library::new(player);
        library.read(&mut GAMES.as_bytes()).expect("readable");
        library
    }

    #[test]
    fn a_report_is_about_all_or_about_one() {
        let all = library(None).text().expect("a report");
        assert!(all.starts_with("All players: 2 games"), "{all}");
        assert!(
            all.contains("1 game without a review and 1 without moves"),
            "{all}"
        );
        let anna = library(Some("ANNA")).text().expect("a report");
        assert!(anna.starts_with("Anna: 2 games"), "{anna}");
        assert!(anna.contains("0 won, 1 drawn, 1 lost"), "{anna}");
        assert!(
            anna.contains("3 moves: 1 inaccuracy, 0 mistakes, 1 blunder"),
            "{anna}"
        );
        assert!(anna.contains("Accuracy 75.0%"), "{anna}");
        let nobody = library(Some("Dora"))
            .text()
            .expect_err("nobody")
            .to_string();
        assert!(nobody.contains("'dora'"), "{nobody}");
        let none = Library::new(None).text().expect_err("no game").to_string();
        assert!(none.contains("annotate"), "{none}");
    }

    #[test]
    fn mistakes_are_told_by_phase_piece_clock_and_opening() {
        let text = library(Some("anna")).text().expect("a report");
        let row = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name));
            let line = line.unwrap_or_else(|| panic!("{name}\n{text}"));
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(row("Opening")[1..5], ["3", "1", "0", "1"]);
        assert_eq!(row("Pawn")[1..5], ["3", "1", "0", "1"]);
        assert_eq!(row("Under 10 s")[3..7], ["1", "0", "0", "1"]);
        assert!(text.contains("Barnes Opening"), "{text}");
    }

    #[test]
    fn the_page_stands_alone_and_escapes_names() {
        let page = library(None).html(true);
        assert!(
            page.contains("Bert &lt;b&gt;") && !page.contains("<b>"),
            "{page}"
        );
        assert!(!page.contains("@@") && !page.contains("src="), "{page}");
        assert!(!library(None).html(false).contains("<form"));
        let empty = Library::new(Some("<i>")).html(false);
        assert!(
            empty.contains("&lt;i&gt;") && empty.contains("No game"),
            "{empty}"
        );
    }
}
