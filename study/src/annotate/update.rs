//! Takes up an output that grows: games are annotated that it lacks, in whatever order the input has
//! them. So games may be added anywhere in the input, and a run may end at any time.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, bail};

use super::part::PartFile;
use super::summary::Accuracies;
use super::unreadable;
use crate::pgn::{self, Identity, Record, Source, known_result};

/// What stands behind the result of a game.
const END: &[u8] = b"\n\n";

/// Returns whether a game is one that this program has annotated.
pub(super) fn is_annotated(record: &Record) -> bool {
    Accuracies::of(record).is_some()
}

/// Makes the file hold the games of an interrupted run, without one that is torn, and those of the
/// output that was finished before. Returns what it holds.
///
/// # Errors
/// If a file cannot be read or written, or if there is a game in the output that is not annotated.
pub(super) fn take_up(file: &mut PartFile) -> anyhow::Result<HashSet<Identity>> {
    let Some(part) = file.part().map(Path::to_path_buf) else {
        bail!("--update needs an ordinary file");
    };
    let mut known = HashSet::new();
    let text = fs::read(&part).with_context(unreadable(&part))?;
    let length = whole_length(&text);
    let mut games = Source::new(&text[..length]);
    while let Some(game) = games.next_game().with_context(unreadable(&part))? {
        known.extend(pgn::read(game).ok().map(|record| Identity::of(&record)));
    }
    file.cut(length as u64)?;
    let target = file.target().to_path_buf();
    if target.exists() {
        let finished = File::open(&target).with_context(unreadable(&target))?;
        add_finished(file, BufReader::new(finished), &mut known)?;
    }
    Ok(known)
}

/// Adds the games of the finished output that are not known yet.
fn add_finished(
    file: &mut PartFile,
    finished: impl BufRead,
    known: &mut HashSet<Identity>,
) -> anyhow::Result<()> {
    let target = file.target().to_path_buf();
    let mut finished = Source::new(finished);
    while let Some(game) = finished.next_game().with_context(unreadable(&target))? {
        let text = String::from_utf8_lossy(&game.bytes).trim().to_owned();
        let number = game.number;
        let record = pgn::read(game).ok().filter(is_annotated);
        let Some(record) = record else {
            bail!(
                "game {number} of {} is not annotated: give another name",
                target.display()
            );
        };
        if known.insert(Identity::of(&record)) {
            file.add(&format!("{text}\n\n"))?;
        }
    }
    Ok(())
}

/// Returns the length of a text up to the end of its last game that is there to its end, which is a
/// result and an empty line. Nothing else in an annotated game looks like that.
fn whole_length(text: &[u8]) -> usize {
    let is_end = |at: &usize| {
        let last = text[..*at].rsplit(u8::is_ascii_whitespace).next();
        let last = last.and_then(|word| std::str::from_utf8(word).ok());
        text[*at..].starts_with(END) && last.is_some_and(|word| known_result(word) == Some(word))
    };
    let end = (0..text.len()).rev().find(is_end);
    end.map_or(0, |at| at + END.len())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use tempfile::TempDir;

    use super::super::{Args, Totals, run};
    use super::*;
    use crate::testing::parse_args;

    const GAMES: [&str; 4] = [
        "[White \"A\"]\n\n1. e4 e5 1-0\n\n",
        "[White \"B\"]\n\n1. d4 *\n\n",
        "[White \"C\"]\n\n1. c4 (1. d4 d5 *) c5 0-1\n\n",
        "[White \"D\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n",
    ];

    struct Place {
        folder: TempDir,
    }

    impl Place {
        fn new(games: &[&str]) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let place = Self { folder };
            place.write("in.pgn", &games.concat());
            place
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.path(name), text).expect("a file");
        }

        fn text(&self, name: &str) -> String {
            fs::read_to_string(self.path(name)).expect("text")
        }

        fn run(&self) -> anyhow::Result<Totals> {
            let [input, output] = ["in.pgn", "out.pgn"].map(|name| self.path(name));
            let words = [
                &*input.to_string_lossy(),
                "-o",
                &*output.to_string_lossy(),
                "--update",
                "--nodes",
                "1",
                "--hash",
                "1",
            ];
            let args: Args = parse_args(&words).expect("arguments");
            run(&args, &mut Vec::new())
        }
    }

    #[test]
    fn only_what_is_new_is_annotated() {
        let place = Place::new(&GAMES[..2]);
        let totals = place.run().expect("a run");
        assert_eq!((totals.games, totals.kept), (2, 0));
        let first = place.text("out.pgn");
        // Newer games are often the first of a file.
        place.write("in.pgn", &[GAMES[2], GAMES[0], GAMES[1]].concat());
        let totals = place.run().expect("a run");
        assert_eq!((totals.games, totals.kept), (3, 2));
        let second = place.text("out.pgn");
        assert!(second.starts_with(&first), "{second}");
        // Nothing is to do, and what is annotated in the input needs no copy.
        place.write("in.pgn", &second);
        assert_eq!(place.run().expect("a run").kept, 3);
        assert_eq!(place.text("out.pgn"), second);
        assert!(!place.path("out.pgn.part").exists());
    }

    #[test]
    fn a_run_goes_on_wherever_it_was_killed() {
        let place = Place::new(&GAMES[..3]);
        place.run().expect("a run");
        let whole = place.text("out.pgn");
        let ends: Vec<usize> = whole
            .match_indices("[Event ")
            .map(|(at, _)| at)
            .chain([whole.len()])
            .collect();
        let near = |end: &usize| end.saturating_sub(2)..=(end + 2).min(whole.len());
        let cuts = (0..whole.len())
            .step_by(23)
            .chain(ends.iter().flat_map(near));
        for cut in cuts {
            fs::remove_file(place.path("out.pgn")).expect("removed");
            place.write("out.pgn.part", &whole[..cut]);
            let totals = place
                .run()
                .unwrap_or_else(|error| panic!("{cut}: {error:#}"));
            // Every game that was there to its end is kept.
            let kept = ends.iter().filter(|end| **end <= cut).count() - 1;
            assert_eq!(totals.kept, kept as u64, "{cut}");
            assert_eq!(place.text("out.pgn"), whole, "{cut}");
        }
    }

    #[test]
    fn a_copy_that_was_killed_loses_nothing() {
        let place = Place::new(&GAMES[..2]);
        place.run().expect("a run");
        let before = place.text("out.pgn");
        place.write("in.pgn", &GAMES[..3].concat());
        for cut in [0, 10, before.len() / 2, before.len() - 1, before.len()] {
            place.write("out.pgn", &before);
            place.write("out.pgn.part", &before[..cut]);
            assert_eq!(place.run().expect("a run").kept, 2, "{cut}");
        }
    }

    #[test]
    fn other_files_are_left_alone() {
        let place = Place::new(&GAMES[..1]);
        place.write("out.pgn", GAMES[1]);
        let error = place.run().expect_err("not ours");
        assert!(error.to_string().contains("is not annotated"), "{error}");
        assert_eq!(place.text("out.pgn"), GAMES[1]);
        // What cannot be read has no place in the output.
        let place = Place::new(&GAMES);
        place.run().expect_err("a variant");
        assert!(!place.text("out.pgn").contains("Atomic"));
    }
}
