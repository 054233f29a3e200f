//! `data info`: counts of games and positions, and the distribution of scores, game lengths and
//! pieces.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::print::print;
use crate::selfplay::GameRecord;
use rejoinder::eval::features;
use rejoinder_study::parallel;

use super::filter::{DECIDED, FEW_PIECES, Filter};
use super::find;
use super::manifest::{self, Manifest};
use super::origin::{ContestPart, DatagenPart, ImportPart, Origin};
use super::shard::{self, ShardError};
use super::tally::Tally;

/// The bounds between the bars of scores, in centipawns.
const SCORES: [i32; 14] = [
    -2000, -1000, -500, -200, -100, -50, -20, 20, 50, 100, 200, 500, 1000, 2000,
];
/// Least number of pieces in a middlegame, kings and pawns included.
const MIDDLEGAME: u32 = 16;
/// The score in centipawns under which, from either view, a position is balanced.
const BALANCED: i32 = 100;
/// Number of plies in a bar of game lengths.
const LENGTH: usize = 25;
/// Number of bars of game lengths; the last one includes all longer games.
const LENGTHS: usize = 12;
/// Length of the longest bar in characters.
const WIDTH: u64 = 50;

/// The files to count.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files of games, or directories that hold such files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// Counts games and positions of the files and prints the report.
///
/// # Errors
/// If a file cannot be read or a game is damaged.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let files = find::shards(&args.files)?;
    let mut report = Report::default();
    for one in parallel::map(&files, |path| Report::of(path)) {
        report.merge(one?);
    }
    Ok(print(report)?)
}

/// The contents of some files.
#[derive(Clone, Debug, Default)]
struct Report {
    /// Number of files by origin.
    origins: BTreeMap<String, u64>,
    /// Size of the files.
    bytes: u64,
    counts: Tally,
    /// Number of positions to train on that are balanced middlegames.
    balanced: u64,
    /// Number of games whose first position does not have the castling rights of standard chess.
    chess960: u64,
    /// Number of positions to train on by score from White's view.
    scores: [u64; SCORES.len() + 1],
    /// Number of games by length.
    lengths: [u64; LENGTHS],
    /// Number of positions to train on by the output bucket of the network.
    pieces: [u64; features::OUTPUT_BUCKETS],
}

impl Report {
    fn of(path: &Path) -> Result<Self, ShardError> {
        let raw = shard::read_raw(path)?;
        let mut report = Self {
            bytes: raw.len() as u64,
            ..Self::default()
        };
        report.origins.insert(origin(manifest::read(path)?), 1);
        for game in shard::games(path, &shard::unpack(path, &raw)?) {
            report.add(&game?);
        }
        Ok(report)
    }

    fn add(&mut self, game: &GameRecord) {
        self.counts.add(game);
        self.chess960 += u64::from(!game.opening.has_standard_castling());
        self.lengths[(game.moves.len() / LENGTH).min(LENGTHS - 1)] += 1;
        Filter::default().each(game, |board, score| {
            let pieces = board.occupied().count();
            self.scores[SCORES.partition_point(|&end| end <= score)] += 1;
            self.pieces[features::output_bucket(pieces)] += 1;
            self.balanced += u64::from(score.abs() < BALANCED && pieces >= MIDDLEGAME);
        });
    }

    fn merge(&mut self, other: Self) {
        fn add(to: &mut [u64], from: &[u64]) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        for (origin, files) in other.origins {
            *self.origins.entry(origin).or_default() += files;
        }
        self.bytes += other.bytes;
        self.counts += other.counts;
        self.balanced += other.balanced;
        self.chess960 += other.chess960;
        add(&mut self.scores, &other.scores);
        add(&mut self.lengths, &other.lengths);
        add(&mut self.pieces, &other.pieces);
    }
}

/// Returns the origin of a shard's games in one line.
fn origin(manifest: Option<Manifest>) -> String {
    let Some(manifest) = manifest else {
        return "without a manifest".to_owned();
    };
    let by = |engine, network, nodes| format!("by {engine}, {network}, {nodes} nodes");
    let played = match manifest.played {
        None => "of unknown origin".to_owned(),
        Some(Origin::Datagen(DatagenPart { run, .. })) => {
            let mixture = run.mixture.map(|mixture| format!(", {mixture}"));
            by(run.engine, run.network, run.nodes) + &mixture.unwrap_or_default()
        }
        Some(Origin::Contest(ContestPart { contest, .. })) => {
            let (maker, engine) = (contest.by, contest.engine);
            let ([a, b], [nodes_a, nodes_b]) = (contest.networks, contest.nodes);
            format!("from {maker} by {engine}, {a}, {nodes_a}, against {b}, {nodes_b}")
        }
        Some(Origin::Import(ImportPart {
            import, players, ..
        })) => format!("from {}, of {}", import.from, players.join(" and ")),
    };
    match manifest.rescored.into_iter().next_back() {
        Some(last) => {
            let rescored = by(last.engine, last.network, last.nodes);
            format!("{played}; rescored {rescored}")
        }
        None => played,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        let games = counts.games();
        let percent = |part, all: u64| 100.0 * part as f64 / all.max(1) as f64;
        let each = |count| count as f64 / games.max(1) as f64;
        let files: u64 = self.origins.values().sum();
        writeln!(
            f,
            "files      {files}, {:.1} MB ({:.2} bytes a position)",
            self.bytes as f64 / 1e6,
            self.bytes as f64 / counts.positions.max(1) as f64
        )?;
        for (origin, files) in &self.origins {
            writeln!(f, "           {files} {origin}")?;
        }
        writeln!(
            f,
            "games      {games}: White +{} ({:.1}%) ={} ({:.1}%) -{} ({:.1}%), {:.1}% with castling of Chess960",
            counts.white_wins,
            percent(counts.white_wins, games),
            counts.draws,
            percent(counts.draws, games),
            counts.black_wins,
            percent(counts.black_wins, games),
            percent(self.chess960, games),
        )?;
        writeln!(
            f,
            "positions  {} ({:.1} a game), of which {} to train on ({:.1}%, {:.1} a game)",
            counts.positions,
            each(counts.positions),
            counts.kept,
            percent(counts.kept, counts.positions),
            each(counts.kept),
        )?;
        writeln!(
            f,
            "           {} useful: more than {FEW_PIECES} pieces, score under {DECIDED} ({:.1}%); {} balanced middlegames: at least {MIDDLEGAME} pieces, score under {BALANCED} ({:.1}%)",
            counts.useful,
            percent(counts.useful, counts.kept),
            self.balanced,
            percent(self.balanced, counts.kept),
        )?;
        bars(
            f,
            "score of positions to train on, White's centipawns",
            &self.scores,
            |bar| match (bar.checked_sub(1).map(|last| SCORES[last]), SCORES.get(bar)) {
                (None, _) => format!("under {}", SCORES[0]),
                (Some(from), Some(to)) => format!("{from} to {}", to - 1),
                (Some(from), None) => format!("{from} and more"),
            },
        )?;
        bars(
            f,
            "pieces on the board in positions to train on",
            &self.pieces,
            |bar| {
                let mut pieces = (2..=32).filter(|&pieces| features::output_bucket(pieces) == bar);
                let first = pieces.next().unwrap_or_default();
                format!("{first} to {}", pieces.next_back().unwrap_or(first))
            },
        )?;
        bars(f, "length of games, plies", &self.lengths, |bar| {
            let first = bar * LENGTH;
            if bar == LENGTHS - 1 {
                format!("{first} and more")
            } else {
                format!("{first} to {}", first + LENGTH - 1)
            }
        })
    }
}

/// Draws a bar for each count; the longest has the full width.
fn bars(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    counts: &[u64],
    label: impl Fn(usize) -> String,
) -> fmt::Result {
    let all = counts.iter().sum::<u64>().max(1);
    let most = counts.iter().max().map_or(1, |&most| most.max(1));
    writeln!(f, "\n{title}")?;
    for (bar, &count) in counts.iter().enumerate() {
        let percent = 100.0 * count as f64 / all as f64;
        let letters = (count * WIDTH).div_ceil(most) as usize;
        let line = format!("{:>14} {percent:5.1}% {}", label(bar), "#".repeat(letters));
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoinder::board::{Board, Outcome};

    #[test]
    fn everything_is_counted_once() {
        let opening = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 20").expect("a position");
        let mut board = opening;
        let mut moves = Vec::new();
        for (ply, score) in [-2001, -20, 19, 20, 2000, 9_999, 10_000]
            .into_iter()
            .enumerate()
        {
            // Kings walk up and down the a- and h-files of their own halves.
            let quiet = board.legal_moves().into_iter().filter(|mv| mv.is_quiet());
            let mut kings =
                quiet.filter(|mv| mv.from() == board.king(board.side_to_move()) && !mv.is_castle());
            let mv = kings
                .next()
                .unwrap_or_else(|| panic!("no move at ply {ply}"));
            moves.push((mv, score));
            board.make(mv);
        }
        let game = GameRecord {
            opening,
            moves,
            outcome: Outcome::Draw,
        };
        let mut one = Report::default();
        one.add(&game);
        let kept = one.counts.kept;
        assert_eq!((one.counts.positions, kept), (7, 6));
        let at = |score| SCORES.partition_point(|&end| end <= score);
        assert_eq!(
            (one.scores[0], one.scores[at(0)], one.scores[at(20)]),
            (1, 2, 1)
        );
        assert_eq!(one.scores[SCORES.len()], 2);
        assert_eq!((one.pieces[0], one.lengths[0]), (6, 1));

        let mut both = one.clone();
        both.merge(one);
        assert_eq!(both.scores.iter().sum::<u64>(), 2 * kept);
        let text = both.to_string();
        assert!(
            text.contains("games      2: White +0 (0.0%) =2 (100.0%)"),
            "{text}"
        );
        assert!(text.contains(" 2000 and more  33.3% ####"), "{text}");
        assert!(text.contains("      30 to 32   0.0%\n"), "{text}");
    }

    #[test]
    fn nothing_is_shown_as_nothing() {
        let text = Report::default().to_string();
        assert!(
            !text.contains("NaN") && text.contains("games      0"),
            "{text}"
        );
    }
}
