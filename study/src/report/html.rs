//! A report as a web page that stands alone.

use std::fmt::Write;

use rejoinder::types::Color;

use super::tally::{CLOCKS, Count, Opening, PHASES, PIECES, Tally};
use super::text::left_out;
use crate::annotate::{counted, escaped};

const PAGE: &str = include_str!("page.html");
/// Most players among whom one can choose.
const MOST_PLAYERS: usize = 50;

/// Returns the page. `player` is the part of a name that was asked for; with `has_choice` the page asks
/// its own address for another one.
pub fn write(tally: &Tally, title: &str, player: Option<&str>, has_choice: bool) -> String {
    let mut about = counted(tally.games, "game", "games");
    if let Some(left_out) = left_out(tally) {
        about = format!("{about}. {left_out}");
    }
    let values = [
        ("title", escaped(title)),
        ("about", escaped(&about)),
        (
            "choice",
            if has_choice {
                choice(tally, player)
            } else {
                String::new()
            },
        ),
        ("body", body(tally)),
    ];
    let mut page = String::new();
    for (index, part) in PAGE.split("@@").enumerate() {
        let value = values
            .iter()
            .find(|(name, _)| index % 2 == 1 && *name == part);
        page.push_str(value.map_or(part, |(_, value)| value));
    }
    page
}

fn choice(tally: &Tally, player: Option<&str>) -> String {
    let mut options = String::new();
    let chosen = |is_chosen: bool| if is_chosen { " selected" } else { "" };
    let _ = write!(
        options,
        "<option value=\"\"{}>All players</option>",
        chosen(player.is_none())
    );
    let players = tally.players();
    for (name, games) in players.into_iter().take(MOST_PLAYERS) {
        let is_chosen = player.is_some_and(|player| name.to_lowercase().contains(player));
        let _ = write!(
            options,
            "<option value=\"{name}\"{}>{name} ({games})</option>",
            chosen(is_chosen),
            name = escaped(name)
        );
    }
    format!(
        "<form method=\"get\"><label>Player <select name=\"player\">{options}</select></label> \
         <button>Show</button></form>"
    )
}

fn body(tally: &Tally) -> String {
    if tally.games == 0 {
        return "<section><p>No game here has a review. <i>Review the game</i> on the page makes one, \
                and <code>rejoinder-study annotate</code> one of each game of a file.</p></section>"
            .to_owned();
    }
    let mut out = String::new();
    tiles(&mut out, tally);
    out.push_str("<div class=\"cards\">");
    counts(
        &mut out,
        "By phase",
        "Phase",
        PHASES.iter().map(|(_, name)| *name).zip(&tally.phases),
    );
    counts(
        &mut out,
        "By time left",
        "Clock",
        CLOCKS.iter().map(|(_, name)| *name).zip(&tally.clocks),
    );
    counts(
        &mut out,
        "By piece moved",
        "Piece",
        PIECES.iter().map(|(_, name)| *name).zip(&tally.pieces),
    );
    let (strongest, weakest, compared) = tally.openings();
    if compared > 0 {
        openings(&mut out, "Strongest openings", "fine", &strongest);
        openings(&mut out, "Weakest openings", "bad", &weakest);
    }
    out.push_str("</div>\n");
    out
}

fn tiles(out: &mut String, tally: &Tally) {
    let percent = |value: Option<f64>, places: usize| {
        value.map_or("–".to_owned(), |value| format!("{value:.places$}%"))
    };
    let [won, drawn, lost] = tally.all.results;
    let [white, black] = tally.sides.map(|side| percent(side.accuracy.get(), 1));
    let [inaccuracies, mistakes, blunders] = tally.all.count.marks;
    let sides = tally.all.games.max(1) as f64;
    let faults = (mistakes + blunders) as f64 / sides;
    out.push_str("<div class=\"tiles\">");
    for (name, value, rest) in [
        (
            "Accuracy",
            percent(tally.all.accuracy.get(), 1),
            format!("{white} as White, {black} as Black"),
        ),
        (
            "Score",
            percent(tally.all.score(), 0),
            format!("{won} won, {drawn} drawn, {lost} lost"),
        ),
        (
            "? and ?? a game",
            format!("{faults:.1}"),
            format!("{inaccuracies} ?!, {mistakes} ?, {blunders} ?? in all"),
        ),
    ] {
        let _ = write!(
            out,
            "<div><h2>{name}</h2><p class=\"big\">{value}</p><p>{rest}</p></div>"
        );
    }
    out.push_str("</div>\n");
}

fn counts<'a>(
    out: &mut String,
    title: &str,
    first: &str,
    rows: impl Iterator<Item = (&'a str, &'a Count)>,
) {
    let rows: Vec<_> = rows.filter(|(_, count)| count.moves > 0).collect();
    if rows.is_empty() {
        return;
    }
    let most = rows
        .iter()
        .map(|(_, count)| count.rate())
        .fold(0.1, f64::max);
    let _ = write!(
        out,
        "<section><h2>{title}</h2><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\
         <table><thead><tr><th scope=\"col\">{first}<th scope=\"col\">Moves<th scope=\"col\">?!\
         <th scope=\"col\">?<th scope=\"col\">??<th scope=\"col\">Loss a move\
         <th scope=\"col\" class=\"bar\">? and ?? in 100 moves</thead><tbody>"
    );
    for (name, count) in rows {
        let [inaccuracies, mistakes, blunders] = count.marks;
        let loss = count
            .loss()
            .map_or("–".to_owned(), |loss| format!("{loss:.1}%"));
        let _ = write!(
            out,
            "<tr><th scope=\"row\" class=\"name\">{name}<td>{}<td>{inaccuracies}<td>{mistakes}<td>{blunders}<td>{loss}\
             <td class=\"bar\"><span>{:.1}</span><i style=\"--share:{:.3}\"></i>",
            count.moves,
            count.rate(),
            count.rate() / most
        );
    }
    out.push_str("</tbody></table></div></section>\n");
}

fn openings(out: &mut String, title: &str, class: &str, openings: &[Opening<'_>]) {
    if openings.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<section><h2>{title}</h2><div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\
         <table><thead><tr><th scope=\"col\">Opening<th scope=\"col\">Games<th scope=\"col\">Score\
         <th scope=\"col\" class=\"bar\">Accuracy</thead><tbody>"
    );
    for (name, color, record) in openings {
        let side = if *color == Color::White {
            "White"
        } else {
            "Black"
        };
        let score = record
            .score()
            .map_or("–".to_owned(), |score| format!("{score:.0}%"));
        let accuracy = record.accuracy.get().unwrap_or_default();
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{} <small>as {side}</small><td>{}<td>{score}\
             <td class=\"bar\"><span>{accuracy:.1}%</span><i class=\"{class}\" style=\"--share:{:.3}\"></i>",
            escaped(name),
            record.games,
            accuracy / 100.0
        );
    }
    out.push_str("</tbody></table></div></section>\n");
}
