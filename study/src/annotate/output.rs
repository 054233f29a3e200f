//! Where the games and their summaries go.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::{Context, bail};

use super::part::{
    PartFile, cannot_write, is_same, length_of_lines, part_of, resolved, write_whole,
};
use super::range::Selection;
use super::report::Report;
use super::resume::{Finished, finished};
use super::writing::{self, Style};
use super::{Args, html, index, json, print, svg, tell, update};
use crate::pgn::Identity;

/// The output of a run.
pub(super) struct Output<'a> {
    /// Standard output.
    out: &'a mut dyn Write,
    /// The output file; `None` if the games go to standard output.
    pgn: Option<PartFile>,
    json: Option<PartFile>,
    svg: Option<&'a Path>,
    html: Option<&'a Path>,
    style: Style,
    /// Set if standard output is free for the summaries.
    is_free: bool,
    /// Set if games that are not annotated have no place in the output.
    is_update: bool,
    /// What is done before the run begins.
    pub finished: Finished,
    /// The games that an output which is updated has; `None` for another one.
    pub known: Option<HashSet<Identity>>,
}

impl<'a> Output<'a> {
    /// Opens the files of a run. If an interrupted one goes on, passes over the games that it has
    /// finished.
    ///
    /// # Errors
    /// Fails if a file cannot be written, or if the interrupted run cannot go on like this.
    pub fn open(
        args: &'a Args,
        input: &mut Selection<impl BufRead>,
        out: &'a mut dyn Write,
    ) -> anyhow::Result<Self> {
        let style = args.style();
        let mut done = Finished::default();
        let mut pgn = args.output.as_deref().map(PartFile::open).transpose()?;
        let mut known = None;
        if let Some(file) = pgn.as_mut().filter(|_| args.update) {
            known = Some(update::take_up(file)?);
        } else if let Some(file) = &pgn
            && let Some(part) = file.part().filter(|_| file.is_begun())
        {
            if !args.resume {
                bail!(
                    "{} is what a run that was interrupted has done: give --resume to go on with it, or delete it to begin anew",
                    part.display()
                );
            }
            done = finished(part, input, &style.origin())?;
        }
        let json = args.json.as_deref();
        if let Some(part) = pgn.as_ref().and_then(PartFile::part)
            && json
                .is_some_and(|json| resolved(json).is_ok_and(|json| is_same(&part_of(&json), part)))
        {
            bail!(
                "{} would hold both the games and the JSON: give one of them another name",
                part.display()
            );
        }
        let json = json.map(|path| open_json(path, done.games - done.refused));
        let json = json.transpose()?;
        for folder in args.svg.iter().chain(&args.html) {
            fs::create_dir_all(folder).with_context(cannot_write(folder))?;
        }
        if let Some(file) = pgn.as_mut().filter(|_| !args.update) {
            file.cut(done.length)?;
        }
        if done.games > 0 {
            print(out, &format!("resuming after game {}\n", input.passed()))?;
        }
        Ok(Self {
            out,
            pgn,
            json,
            svg: args.svg.as_deref(),
            html: args.html.as_deref(),
            style,
            is_free: args.output.is_some(),
            is_update: args.update,
            finished: done,
            known,
        })
    }

    /// Writes a game that is not annotated.
    pub fn copy(&mut self, game: &str) -> anyhow::Result<()> {
        if self.is_update {
            return Ok(());
        }
        self.add(game)
    }

    fn add(&mut self, game: &str) -> anyhow::Result<()> {
        match &mut self.pgn {
            Some(file) => file.add(game),
            None => print(self.out, game),
        }
    }

    /// Writes an annotated game. The output file comes last: what is there is everywhere.
    pub fn write(&mut self, report: &Report) -> anyhow::Result<()> {
        let name = |folder: &Path, end| folder.join(format!("game-{:05}.{end}", report.number));
        if let Some(folder) = self.svg {
            write_whole(&name(folder, "svg"), &svg::draw(report))?;
        }
        if let Some(folder) = self.html {
            write_whole(&name(folder, "html"), &html::write(report, &self.style))?;
        }
        if let Some(file) = &mut self.json {
            file.add(&json::write(report, &self.style.effort))?;
        }
        self.add(&writing::write(report, &self.style))?;
        self.say(&format!("{}\n", report.line()))
    }

    /// Gives the files their names, and prints the last words.
    pub fn close(mut self, words: &str) -> anyhow::Result<()> {
        if let Some(folder) = self.html {
            index::write(folder)?;
        }
        // As long as the games have no name, the run can be resumed.
        for file in self.json.take().into_iter().chain(self.pgn.take()) {
            if self.is_update && !file.is_begun() {
                continue;
            }
            file.publish()?;
        }
        self.say(words)
    }

    fn say(&mut self, words: &str) -> anyhow::Result<()> {
        if self.is_free {
            return print(self.out, words);
        }
        tell(format_args!("{words}"));
        Ok(())
    }
}

/// Opens the JSON file, and keeps so many lines of what an interrupted run has written to it.
fn open_json(target: &Path, lines: u64) -> anyhow::Result<PartFile> {
    let path = resolved(target)?;
    let part = part_of(&path);
    let kept = |file: &Path| length_of_lines(file, lines).ok().flatten();
    // A run that ended between the names of its files has given this one its own already.
    if lines > 0 && !part.exists() && kept(&path).is_some() {
        fs::rename(&path, &part).with_context(cannot_write(&part))?;
    }
    let mut file = PartFile::open(&path)?;
    if let Some(part) = file.part() {
        let Some(length) = kept(part) else {
            bail!(
                "cannot go on with {}: it lacks games that are done: give the same --json as before, or none",
                part.display()
            );
        };
        file.cut(length)?;
    }
    Ok(file)
}
