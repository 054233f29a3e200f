//! The sums of a report.

use std::collections::{BTreeMap, HashMap};

use rejoinder::types::{Color, PieceType};

use crate::annotate::{AnnotatedGame, AnnotatedMove, Mark, Phase};

/// The phases of a game with their names.
pub const PHASES: [(Phase, &str); 3] = [
    (Phase::Opening, "Opening"),
    (Phase::Middlegame, "Middlegame"),
    (Phase::Endgame, "Endgame"),
];
/// The pieces with their names.
pub const PIECES: [(PieceType, &str); 6] = [
    (PieceType::Pawn, "Pawn"),
    (PieceType::Knight, "Knight"),
    (PieceType::Bishop, "Bishop"),
    (PieceType::Rook, "Rook"),
    (PieceType::Queen, "Queen"),
    (PieceType::King, "King"),
];
/// Times that are left on the clock, in seconds below which they are, with their names.
pub const CLOCKS: [(f64, &str); 6] = [
    (10.0, "Under 10 s"),
    (30.0, "10–30 s"),
    (60.0, "30–60 s"),
    (180.0, "1–3 min"),
    (600.0, "3–10 min"),
    (f64::INFINITY, "10 min on"),
];
/// Least games of an opening that is compared with others, and the openings that this must leave: with
/// fewer of them, openings with fewer games are compared as well.
const LEAST_GAMES: u64 = 3;
const LEAST_OPENINGS: usize = 4;
/// Most openings that are called the strongest or the weakest.
const MOST_OPENINGS: usize = 5;

/// Moves and their marks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub moves: u64,
    /// Inaccuracies, mistakes and blunders.
    pub marks: [u64; 3],
    /// The sum of the winning chances that were lost, and the number of moves of which that is known.
    loss: f64,
    known: u64,
}

impl Count {
    fn add(&mut self, mv: &AnnotatedMove) {
        self.moves += 1;
        let place = match mv.mark {
            Some(Mark::Inaccuracy) => Some(0),
            Some(Mark::Mistake) => Some(1),
            Some(Mark::Blunder) => Some(2),
            _ => None,
        };
        if let Some(place) = place {
            self.marks[place] += 1;
        }
        if let Some(loss) = mv.loss {
            self.loss += loss;
            self.known += 1;
        }
    }

    /// Mistakes and blunders in a hundred moves; 0 without moves.
    pub fn rate(&self) -> f64 {
        100.0 * (self.marks[1] + self.marks[2]) as f64 / self.moves.max(1) as f64
    }

    /// Winning chance that a move loses on average, in percent; `None` if no score is known.
    pub fn loss(&self) -> Option<f64> {
        (self.known > 0).then(|| 100.0 * self.loss / self.known as f64)
    }
}

/// A mean of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.count += 1;
        }
    }

    pub fn get(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

/// Games of one side with an opening, or of all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Record {
    pub games: u64,
    /// Games won, drawn and lost.
    pub results: [u64; 3],
    pub accuracy: Mean,
    pub count: Count,
}

impl Record {
    fn add(&mut self, game: &AnnotatedGame, color: Color) {
        self.games += 1;
        let place = match (game.result.as_str(), color) {
            ("1-0", Color::White) | ("0-1", Color::Black) => Some(0),
            ("1/2-1/2", _) => Some(1),
            ("1-0" | "0-1", _) => Some(2),
            _ => None,
        };
        if let Some(place) = place {
            self.results[place] += 1;
        }
        self.accuracy.add(game.accuracies[color.index()]);
        for mv in game.moves.iter().filter(|mv| mv.color == color) {
            self.count.add(mv);
        }
    }

    /// Points in percent of the games that have a result; `None` if none has.
    pub fn score(&self) -> Option<f64> {
        let [won, drawn, lost] = self.results;
        let games = won + drawn + lost;
        (games > 0).then(|| (100 * won + 50 * drawn) as f64 / games as f64)
    }
}

/// An opening of one side, with its games.
pub type Opening<'a> = (&'a str, Color, &'a Record);

/// The sums of the games that have been read.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Number of games with a review that count.
    pub games: u64,
    /// Number of games of the player without a review, of games without moves, and of others.
    pub unreviewed: u64,
    pub unreadable: u64,
    pub others: u64,
    /// The games of White, of Black, and both; a game in which both sides count is in it twice.
    pub sides: [Record; 2],
    pub all: Record,
    pub phases: [Count; PHASES.len()],
    pub pieces: [Count; PIECES.len()],
    pub clocks: [Count; CLOCKS.len()],
    openings: BTreeMap<(String, usize), Record>,
    names: HashMap<String, u64>,
    /// The names of those whose moves count.
    counted: HashMap<String, u64>,
}

impl Tally {
    /// Adds a game; only the sides whose name has this part, in lower case, count.
    pub fn add(&mut self, game: &AnnotatedGame, player: Option<&str>) {
        let counts = |name: &str| player.is_none_or(|part| name.to_lowercase().contains(part));
        let colors = [Color::White, Color::Black];
        let colors = colors
            .into_iter()
            .filter(|color| counts(&game.players[color.index()]));
        let colors: Vec<Color> = colors.collect();
        if colors.is_empty() {
            self.others += 1;
            return;
        }
        if !game.is_reviewed {
            self.unreviewed += 1;
            return;
        }
        self.games += 1;
        for name in &game.players {
            *self.names.entry(name.clone()).or_default() += 1;
        }
        for color in colors {
            *self
                .counted
                .entry(game.players[color.index()].clone())
                .or_default() += 1;
            self.all.add(game, color);
            self.sides[color.index()].add(game, color);
            if let Some(opening) = &game.opening {
                // Variations are behind a colon.
                let family = opening.split(':').next().unwrap_or_default().trim();
                let key = (family.to_owned(), color.index());
                self.openings.entry(key).or_default().add(game, color);
            }
            for mv in game.moves.iter().filter(|mv| mv.color == color) {
                self.add_move(mv);
            }
        }
    }

    fn add_move(&mut self, mv: &AnnotatedMove) {
        if let Some(place) = PHASES.iter().position(|(phase, _)| *phase == mv.phase) {
            self.phases[place].add(mv);
        }
        self.pieces[mv.piece.index()].add(mv);
        let place = |clock| CLOCKS.iter().position(|(below, _)| clock < *below);
        if let Some(place) = mv.clock.and_then(place) {
            self.clocks[place].add(mv);
        }
    }

    /// The openings in the order of their accuracy, the best first: the strongest, the weakest from the
    /// worst on, and the number of those that have enough games to be compared.
    pub fn openings(&self) -> (Vec<Opening<'_>>, Vec<Opening<'_>>, usize) {
        let accuracy = |opening: &Opening<'_>| opening.2.accuracy.get().unwrap_or_default();
        let with = |least: u64| {
            self.openings
                .values()
                .filter(move |record| record.games >= least)
        };
        let mut least = (1..=LEAST_GAMES).rev();
        let least = least.find(|least| with(*least).count() >= LEAST_OPENINGS);
        let openings = self.openings.iter();
        let mut all: Vec<Opening<'_>> = openings
            .filter(|(_, record)| record.games >= least.unwrap_or(1))
            .map(|((name, side), record)| {
                (name.as_str(), [Color::White, Color::Black][*side], record)
            })
            .collect();
        all.sort_by(|one, other| accuracy(other).total_cmp(&accuracy(one)));
        let few = (all.len().div_ceil(2)).min(MOST_OPENINGS);
        let strongest = all[..few].to_vec();
        let weak = all[few..].iter().rev().take(MOST_OPENINGS);
        (strongest, weak.copied().collect(), all.len())
    }

    /// The names of those whose moves count, with their games, the most frequent first.
    pub fn names(&self) -> Vec<(&str, u64)> {
        sorted(&self.counted)
    }

    /// The names of all players of the games that count, in the same form.
    pub fn players(&self) -> Vec<(&str, u64)> {
        sorted(&self.names)
    }
}

fn sorted(names: &HashMap<String, u64>) -> Vec<(&str, u64)> {
    let mut names: Vec<(&str, u64)> = names
        .iter()
        .map(|(name, games)| (name.as_str(), *games))
        .collect();
    names.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    names
}
