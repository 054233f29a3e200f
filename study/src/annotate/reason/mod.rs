//! The reason why a move is bad, in one short sentence: a mate that is missed or allowed, or the
//! material that a line wins, with the motif that explains it. Every motif is shown by the line
//! itself, and the sentence names all that the line wins. There is none where more is lost than that.

mod back_rank;
#[cfg(test)]
mod corpus;
mod discovery;
mod fork;
mod hanging;
mod material;
mod only;
mod pin;
mod scene;
mod skewer;
mod story;
mod thing;
mod threat;
mod trap;

use rejoinder::board::{Board, san};
use rejoinder::eval::win_rate;
use rejoinder::types::{Move, Square, score};

use super::evaluation::Evaluation;
use super::judge::{Judgment, Mark};
use crate::scale::Ruler;
use material::balance;
use scene::{Scene, Shown};
use story::Story;
use thing::Thing;

/// Plies of a line after which material is counted, and the least points that then make a reason: a
/// pawn that is lost late may be a sacrifice.
const HORIZONS: [(usize, i32); 2] = [(3, 1), (7, 2)];
/// Most centipawns that a point of material explains on a full board, and what a position may add to
/// them. Without pieces a point may explain twice as many.
const POINT: i32 = 150;
const SLACK: i32 = 100;
/// Least centipawns that a point of material costs. If it costs less, something else makes up for it.
const LEAST: i32 = 40;
/// Centipawns from which a game is decided, so that more material costs little.
const DECIDED: i32 = 900;
/// Winning chance, 0 to 1, from which a game is won, and the range in which it is even.
const WON: f64 = 0.75;
const EVEN: std::ops::RangeInclusive<f64> = 0.4..=0.6;

/// A motif that explains a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motif {
    Hanging,
    Threat,
    Fork,
    Pin,
    Skewer,
    Discovery,
    Trap,
    BackRank,
    Mate,
    OnlyMove,
}

impl Motif {
    /// Returns the name, as in the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hanging => "hanging piece",
            Self::Threat => "threat ignored",
            Self::Fork => "fork",
            Self::Pin => "pin",
            Self::Skewer => "skewer",
            Self::Discovery => "discovered attack",
            Self::Trap => "trapped piece",
            Self::BackRank => "back rank",
            Self::Mate => "mate",
            Self::OnlyMove => "only move",
        }
    }
}

/// Arrows and circles on a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Drawing {
    /// From square to square.
    pub arrows: Vec<[Square; 2]>,
    pub circles: Vec<Square>,
}

impl Drawing {
    /// Returns the drawing as commands of a comment, in a color such as `R`.
    // Source: https://www.enpassant.dk/chess/palview/enhancedpgn.htm
    pub fn commands(&self, color: char) -> Vec<String> {
        let command = |name: &str, shapes: Vec<String>| {
            (!shapes.is_empty()).then(|| format!("[%{name} {}]", shapes.join(",")))
        };
        let circles = self.circles.iter();
        let circles = circles.map(|square| format!("{color}{square}")).collect();
        let arrows = self.arrows.iter();
        let arrows = arrows
            .map(|[from, to]| format!("{color}{from}{to}"))
            .collect();
        let commands = [command("csl", circles), command("cal", arrows)];
        commands.into_iter().flatten().collect()
    }
}

/// Why a move is good or bad.
#[derive(Clone, Debug, Default)]
pub(super) struct Reason {
    /// The sentence.
    pub text: String,
    pub motif: Option<Motif>,
    /// What is drawn behind the move.
    pub here: Drawing,
    /// What is drawn behind the better move, beside that move.
    pub better: Drawing,
}

impl Reason {
    fn plain(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

/// Returns the reason for the mark of a move; `None` for a move without one, and where nothing is
/// evident.
pub(super) fn find(
    here: &Evaluation,
    mv: Move,
    next: &Evaluation,
    judgment: &Judgment,
    ruler: Ruler,
) -> Option<Reason> {
    let mark = judgment.mark?;
    if !mark.is_fault() {
        let is_only = matches!(mark, Mark::OnlyMove | Mark::Good);
        let text = only::find(&here.board, mv, here.second.filter(|_| is_only)?)?;
        return Some(Reason {
            motif: Some(Motif::OnlyMove),
            ..Reason::plain(text)
        });
    }
    let better = *here.line.first().filter(|best| **best != mv)?;
    if let Some(reason) = allowed_mate(here, next).or_else(|| missed_mate(here, next)) {
        return Some(reason);
    }
    let lost =
        ruler.centipawns(here.score, &here.board) + ruler.centipawns(next.score, &next.board);
    let is_decided = [here, next]
        .into_iter()
        .any(|place| ruler.centipawns(place.score, &place.board).abs() >= DECIDED);
    if let Some(reason) = material(here, mv, next, lost, is_decided) {
        return Some(reason);
    }
    if mark == Mark::Inaccuracy {
        return None;
    }
    let better = numbered(&here.board, better);
    Some(Reason::plain(
        if judgment.before >= WON && EVEN.contains(&judgment.after) {
            format!("Gives the win away; {better} keeps it.")
        } else {
            format!("{better} was better.")
        },
    ))
}

/// Returns the moves to mate from the point of view of the side to move; `None` without one.
fn mate(evaluation: &Evaluation) -> Option<i32> {
    score::mate_distance(evaluation.score).filter(|moves| *moves != 0)
}

/// Returns the reason for a move that lets the opponent mate.
fn allowed_mate(here: &Evaluation, next: &Evaluation) -> Option<Reason> {
    let moves = mate(next).filter(|moves| *moves > 0)?;
    if mate(here).is_some_and(|moves| moves < 0) {
        return None;
    }
    let &reply = next.line.first()?;
    let refutation = numbered(&next.board, reply);
    let is_threat = moves == 1 && threat::is_mate_ignored(&here.board, reply);
    let is_back_rank = back_rank::ends_there(&next.board, &next.line);
    let place = if is_back_rank {
        " on the back rank"
    } else {
        ""
    };
    let text = if is_threat {
        format!("Ignores the threat of mate{place}: {refutation}.")
    } else {
        format!("Allows mate in {moves}{place}: {refutation}.")
    };
    Some(Reason {
        motif: Some(if is_threat {
            Motif::Threat
        } else if is_back_rank {
            Motif::BackRank
        } else {
            Motif::Mate
        }),
        here: Drawing {
            arrows: vec![arrow(reply)],
            circles: vec![next.board.king(!next.board.side_to_move())],
        },
        ..Reason::plain(text)
    })
}

/// Returns the reason for a move that misses a mate.
fn missed_mate(here: &Evaluation, next: &Evaluation) -> Option<Reason> {
    let moves = mate(here).filter(|moves| *moves > 0)?;
    if mate(next).is_some_and(|moves| moves < 0) {
        return None;
    }
    let &best = here.line.first()?;
    let best_move = numbered(&here.board, best);
    let is_back_rank = back_rank::ends_there(&here.board, &here.line);
    let place = if is_back_rank {
        " on the back rank"
    } else {
        ""
    };
    Some(Reason {
        motif: Some(if is_back_rank {
            Motif::BackRank
        } else {
            Motif::Mate
        }),
        ..Reason::plain(format!("Misses mate in {moves}{place}: {best_move}."))
    })
}

/// What a line wins, and how.
struct Win {
    points: i32,
    thing: Thing,
    motif: Option<Motif>,
    /// The moves up to the one that explains it, and what that does.
    words: String,
    drawing: Drawing,
}

/// Returns the reason for a move that loses material or does not win it. There is none where so many
/// centipawns are lost that the material is the least of it, or so few that it is no loss.
fn material(
    here: &Evaluation,
    mv: Move,
    next: &Evaluation,
    centipawns: i32,
    is_decided: bool,
) -> Option<Reason> {
    let now = balance(&here.board, here.board.side_to_move());
    let full = win_rate::FULL_MATERIAL;
    let point = POINT * (2 * full - win_rate::material(&here.board).min(full)) / full;
    let mut both = None;
    for (horizon, least) in HORIZONS {
        let Some(best) = Story::of(&here.board, &here.line, now, horizon) else {
            continue;
        };
        let Some(after) = Story::of(&next.board, &next.line, -now, horizon) else {
            continue;
        };
        // What is named must be what the move costs, or a pawn more, never less.
        let cost = best.gain + after.gain;
        let fits = |points: i32| {
            points > 0
                && cost > 0
                && (cost..=cost + 1).contains(&points)
                && centipawns <= points * point + SLACK
                && (is_decided || centipawns >= points * LEAST)
        };
        let lost = lost(here, mv, next, &after, least, cost);
        let missed = missed(here, mv, &best, least);
        let points = |win: &Option<Win>| win.as_ref().map_or(0, |win| win.points);
        if fits(points(&lost)) {
            return lost.map(lost_reason);
        }
        if fits(points(&missed)) {
            return missed.map(missed_reason);
        }
        if both.is_none() && lost.is_some() && missed.is_some() {
            both = fits(points(&lost) + points(&missed)).then_some((lost, missed));
        }
    }
    let (lost, missed) = both?;
    let (lost, missed) = (lost.map(lost_reason)?, missed.map(missed_reason)?);
    Some(Reason {
        text: format!("{} {}", lost.text, missed.text),
        motif: lost.motif.or(missed.motif),
        better: missed.better,
        ..lost
    })
}

/// Returns what the refutation of a move wins: since before the move or, if that is not what the move
/// costs, since the move, which then has won what the better line wins as well.
fn lost(
    here: &Evaluation,
    mv: Move,
    next: &Evaluation,
    refutation: &Story,
    least: i32,
    cost: i32,
) -> Option<Win> {
    let us = here.board.side_to_move();
    let won = balance(&next.board, us) - balance(&here.board, us);
    let since = |before: &Board, won| {
        let points = refutation.gain + won;
        let win = (points >= least).then(|| win(before, refutation, points));
        win.flatten()
    };
    let fits = |win: &Win| (cost..=cost + 1).contains(&win.points);
    let before = since(&here.board, 0);
    // A capture that is taken back is a trade.
    let is_traded = next.line.first().map(|reply| reply.to()) == Some(mv.to());
    let is_open = !is_traded && !before.as_ref().is_some_and(fits);
    let after = is_open.then(|| since(&next.board, won)).flatten();
    let win = after.filter(fits).or(before)?;
    Some(ignored(here, mv, next, win))
}

/// Returns what the better line wins, unless the move has taken that as well.
fn missed(here: &Evaluation, mv: Move, better: &Story, least: i32) -> Option<Win> {
    let win = win(&here.board, better, better.gain).filter(|win| win.points >= least)?;
    let is_taken = mv.is_capture() && win.thing.origins.contains(&mv.to());
    (!is_taken).then_some(win)
}

/// Returns what a story wins from a position on, which may be one before it begins.
fn win(before: &Board, story: &Story, points: i32) -> Option<Win> {
    let thing = thing::of(before, story)?;
    let (ply, motif, shown) = match explanation(story, &thing) {
        Some((ply, motif, shown)) => (ply, Some(motif), shown),
        None => (0, None, Shown::default()),
    };
    let moves = story.moves.get(..=ply)?;
    let words = san::words(&story.boards[0], moves).join(" ") + &shown.words;
    let own = moves.iter().step_by(2).map(|mv| arrow(*mv));
    let drawing = Drawing {
        arrows: own.chain(shown.arrows).collect(),
        circles: thing.origins.clone(),
    };
    Some(Win {
        points,
        thing,
        motif,
        words,
        drawing,
    })
}

/// Finds the motif of a story, with the ply at which it is; those of the first move come first.
fn explanation(story: &Story, thing: &Thing) -> Option<(usize, Motif, Shown)> {
    type Find = fn(&Scene<'_>) -> Option<Shown>;
    const FINDERS: [(Motif, Find); 7] = [
        (Motif::Hanging, hanging::find),
        (Motif::Discovery, discovery::find),
        (Motif::Fork, fork::find),
        (Motif::Skewer, skewer::find),
        (Motif::Pin, pin::find),
        (Motif::Trap, trap::find),
        (Motif::BackRank, back_rank::find),
    ];
    [0, 2].into_iter().find_map(|ply| {
        let scene = Scene::new(story, thing, ply)?;
        let found = |(motif, find): (Motif, Find)| find(&scene).map(|shown| (ply, motif, shown));
        FINDERS.into_iter().find_map(found)
    })
}

/// Says whether a piece that hangs did so before the move, which then ignored the threat.
fn ignored(here: &Evaluation, mv: Move, next: &Evaluation, win: Win) -> Win {
    let reply = next.line.first();
    let is_ignored = win.motif == Some(Motif::Hanging)
        && win.thing.is_one_piece
        && reply
            .is_some_and(|reply| threat::is_capture_ignored(&here.board, mv, &next.board, *reply));
    let motif = if is_ignored {
        Some(Motif::Threat)
    } else {
        win.motif
    };
    Win { motif, ..win }
}

fn lost_reason(win: Win) -> Reason {
    let (thing, words) = (win.thing.words, win.words);
    let text = if win.motif == Some(Motif::Threat) {
        format!("Ignores the threat to {thing}: {words}.")
    } else {
        format!("Loses {thing}: {words}.")
    };
    Reason {
        text,
        motif: win.motif,
        here: win.drawing,
        better: Drawing::default(),
    }
}

fn missed_reason(mut win: Win) -> Reason {
    // The better move has been made where this is drawn.
    win.drawing.arrows.remove(0);
    Reason {
        text: format!("Misses the win of {}: {}.", win.thing.words, win.words),
        motif: win.motif,
        here: Drawing::default(),
        better: win.drawing,
    }
}

fn arrow(mv: Move) -> [Square; 2] {
    [mv.from(), mv.to()]
}

/// Returns a move with its number, as in `14... Qxb2`.
fn numbered(board: &Board, mv: Move) -> String {
    san::words(board, &[mv]).concat()
}

#[cfg(test)]
mod tests {
    use rejoinder::board::notation;
    use rejoinder::eval::win_rate::WinRate;

    use super::*;
    use crate::scale::Scale;

    /// Returns the sentence for the first of the moves, after which the others follow, beside a
    /// better line.
    fn said(fen: &str, scores: [i32; 2], better: &str, played: &str) -> Option<String> {
        let start = Board::from_fen(fen).expect("a position");
        let line = |text: &str| notation::parse_line(&start, text.split(' ')).expect("legal moves");
        let evaluation = |board, score, line| Evaluation {
            board,
            score,
            line,
            second: None,
        };
        let played = line(played);
        let mut after = start;
        after.make(played[0]);
        let judgment = Judgment {
            before: 0.8,
            after: 0.5,
            loss: 0.3,
            mark: Some(Mark::Blunder),
        };
        let ruler = Ruler {
            scale: Scale::Lichess,
            model: WinRate::DEFAULT,
        };
        let here = evaluation(start, scores[0], line(better));
        let next = evaluation(after, -scores[1], played[1..].to_vec());
        find(&here, played[0], &next, &judgment, ruler).map(|reason| reason.text)
    }

    #[test]
    fn a_pawn_is_named_only_if_little_else_is_lost() {
        let fen = "rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2";
        let at = |after| said(fen, [30, after], "Nf3 Nf6 d4 e6 e3", "e4 dxe4 Nc3 Nf6");
        assert_eq!(
            at(-200).as_deref(),
            Some("Loses the pawn on e4: 2... dxe4.")
        );
        assert_eq!(
            at(-900).as_deref(),
            Some("Gives the win away; 2. Nf3 keeps it.")
        );
    }

    #[test]
    fn mates_and_material_are_named() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        const FOOL: &str = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";
        const BEFORE: &str = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2";
        const QUEEN: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        let mate = score::mate_in;
        for (fen, scores, better, played, wanted) in [
            (
                FOOL,
                [mate(1), 200],
                "Qh4#",
                "d5 d4",
                "Misses mate in 1: 2... Qh4#.",
            ),
            (
                BEFORE,
                [-50, score::mated_in(2)],
                "e4 d6",
                "g4 Qh4#",
                "Allows mate in 1: 2... Qh4#.",
            ),
            (
                QUEEN,
                [30, -900],
                "Nf3 d6 d4 cxd4 Nxd4",
                "Qg4 d5 Qxc8 Qxc8 Nc3 dxe4",
                "Loses the queen on g4 for a bishop and a pawn: 2... d5 uncovers an attack on it.",
            ),
            (
                QUEEN,
                [30, -900],
                "Nf3 d6 d4 cxd4 Nxd4",
                "Ba6 Nxa6 d3 d6",
                "Loses the bishop on a6: 2... Nxa6.",
            ),
            (
                START,
                [30, -90],
                "e4 e5 Nf3 Nc6 Bb5",
                "f3 e5 Nc3 Bc5 f4 exf4 Nf3 d6",
                "Gives the win away; 1. e4 keeps it.",
            ),
        ] {
            let sentence = said(fen, scores, better, played);
            assert_eq!(sentence.as_deref(), Some(wanted), "{played}");
        }
    }
}
