//! A match: pairs of games on several threads, counted in the order of their openings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use crate::player::Player;
use anyhow::bail;
use rejoinder::board::Board;
use rejoinder::build_info;
use rejoinder::memory::MemoryError;
use rejoinder::search::Setup;
use rejoinder::types::{Color, fnv1a};

use crate::data::kept::Keeper;
use crate::data::origin::{Contest, Maker};
use crate::elo::Sprt;
use crate::opener::Opener;
use crate::selfplay::{self, Adjudication, GameRecord};
use crate::time_control::TimeControl;

use super::draw::Draw;
use super::openings::Openings;
use super::pgn_file::PgnFile;
use super::summary::MatchSummary;

/// The rules that end decided games of matches and tuning runs early. Both sides have to agree for
/// several moves.
pub const ADJUDICATION: Adjudication = Adjudication {
    win_score: 1000,
    win_plies: 8,
    draw_score: 5,
    draw_plies: 20,
    draw_from: 100,
    trust_mates: true,
};

/// Default hash of each player in MB.
pub const HASH: u64 = 4;

/// One side of a match.
#[derive(Clone, Debug)]
pub struct Side {
    /// Parameters and network of the engine.
    pub setup: Setup,
    /// Limit of the searches.
    pub time_control: TimeControl,
    /// Hash in MB.
    pub hash: usize,
}

impl Side {
    fn player(&self) -> Result<Player, MemoryError> {
        Player::new(self.setup.clone(), self.hash, self.time_control.limits())
    }
}

/// A match between two sides.
#[derive(Clone, Debug)]
pub struct Match {
    /// Positions to start from; each is played twice with colors reversed.
    pub openings: Openings,
    /// The players A and B.
    pub sides: [Side; 2],
    /// The sequential test that may end the match early.
    pub sprt: Option<Sprt>,
    /// Rules that decide games before their end by the rules of chess.
    pub adjudication: Option<Adjudication>,
    /// Number of games played at a time.
    pub threads: usize,
    /// Directory that the games are stored in as training data; possible only with the engine's own
    /// openings.
    pub keep: Option<PathBuf>,
    /// File that the games are written to as PGN.
    pub pgn: Option<PathBuf>,
}

impl PartialEq for Side {
    /// Returns whether both play alike.
    fn eq(&self, other: &Self) -> bool {
        let network = |side: &Self| side.setup.network.name();
        self.setup.params == other.setup.params
            && network(self) == network(other)
            && self.time_control == other.time_control
            && self.hash == other.hash
    }
}

impl Match {
    /// Plays the match and calls `on_pair` with the summary after every pair. Games are counted and
    /// stored in the order of their openings, so that the same match gives the same result and the
    /// same files, whatever the number of threads.
    ///
    /// # Errors
    /// If the transposition tables do not fit into memory, or the games cannot be stored. Files
    /// that were complete before the error stay on the disk.
    pub fn play(&self, mut on_pair: impl FnMut(&MatchSummary)) -> anyhow::Result<MatchSummary> {
        let mut keeper = self.keeper()?;
        let win_rates = self
            .sides
            .each_ref()
            .map(|side| side.setup.network.win_rate());
        let pgn = self.pgn.as_deref();
        let mut pgn = pgn
            .map(|path| PgnFile::create(path, win_rates))
            .transpose()?;
        let threads = (self.threads as u64).min(self.openings.count()) as usize;
        let mut teams = (0..threads)
            .map(|_| Ok((self.team()?, self.openings.opener()?)))
            .collect::<Result<Vec<_>, MemoryError>>()?;
        let mut summary = MatchSummary::new(self.sprt, threads);
        let start = Instant::now();
        let draw = Draw::new(self.openings.count());
        let stop = AtomicBool::new(false);
        let stored = thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for (team, opener) in &mut teams {
                let sender = sender.clone();
                let (draw, stop) = (&draw, &stop);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed)
                        && let Some(number) = draw.take()
                    {
                        let pair = self.pair(number, draw, team, opener.as_mut());
                        if sender.send((number, pair)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            // Pairs are counted in the order of their openings. A test that saw them as they come
            // in would see the short games first, and the result would depend on the number of
            // threads.
            let mut early = BTreeMap::new();
            let mut next = 0;
            let mut stored = anyhow::Ok(());
            for (number, pair) in receiver {
                early.insert(number, pair);
                while !stop.load(Ordering::Relaxed)
                    && let Some(pair) = early.remove(&next)
                {
                    // A lower number may have drawn the same opening after this pair was played.
                    let counts =
                        |pair: &[GameRecord; 2]| draw.is_first(next, pair[0].opening.key());
                    let pair = pair.filter(counts);
                    next += 1;
                    let Some(pair) = pair else { continue };
                    stored = store(&pair, next, keeper.as_mut(), pgn.as_mut());
                    summary.add(half_points(&pair));
                    on_pair(&summary);
                    stop.store(summary.decided() || stored.is_err(), Ordering::Relaxed);
                }
            }
            stored
        });
        // The games played so far are stored even if the match ends with an error.
        let kept = keeper.map(|mut keeper| keeper.finish()).transpose();
        stored?;
        summary.kept = kept?;
        summary.elapsed = start.elapsed();
        let players = teams.iter().flat_map(|(team, _)| team);
        summary.cost = players.map(Player::effort).sum();
        Ok(summary)
    }

    /// Returns the players of one thread, A first.
    fn team(&self) -> Result<[Player; 2], MemoryError> {
        let [a, b] = &self.sides;
        Ok([a.player()?, b.player()?])
    }

    /// Plays both games of the opening with this number; A has White in the first. Returns `None`
    /// if another number has the same opening.
    fn pair(
        &self,
        number: u64,
        draw: &Draw,
        team: &mut [Player; 2],
        opener: Option<&mut Opener>,
    ) -> Option<[GameRecord; 2]> {
        let opening = match &self.openings {
            Openings::Book(openings) => openings[number as usize],
            Openings::Own { .. } => opener?.opening(number),
        };
        draw.enter(number, opening.key())
            .then(|| play_pair(opening, team, self.adjudication))
    }

    /// Returns the writer of the training data, if the match keeps its games.
    fn keeper(&self) -> anyhow::Result<Option<Keeper>> {
        let Some(dir) = &self.keep else {
            return Ok(None);
        };
        let Openings::Own {
            seed,
            chess960_share,
            ..
        } = self.openings
        else {
            bail!(
                "games from an opening book are not kept: networks learn from the engine's own \
                 openings only"
            );
        };
        let sides = self.sides.each_ref();
        let contest = Contest {
            by: Maker::Match,
            engine: build_info::ENGINE.to_owned(),
            networks: sides.map(|side| side.setup.network.name()),
            params: Some(sides.map(|side| {
                let numbers = format!("{:?}", side.setup.params);
                format!("{:016x}", fnv1a(numbers.as_bytes()))
            })),
            nodes: sides.map(|side| side.time_control),
            hash: sides.map(|side| side.hash as u64),
            seed,
            chess960_share,
            played_out: self.adjudication.is_none(),
        };
        Ok(Some(Keeper::open(dir, contest)?))
    }
}

/// Writes both games of the pair with this number, counted from 1, to where they are kept.
fn store(
    pair: &[GameRecord; 2],
    number: u64,
    keeper: Option<&mut Keeper>,
    pgn: Option<&mut PgnFile>,
) -> anyhow::Result<()> {
    if let Some(keeper) = keeper {
        pair.iter().try_for_each(|game| keeper.add(game))?;
    }
    if let Some(pgn) = pgn {
        pgn.add(pair, number)?;
    }
    Ok(())
}

/// Plays both games of one opening: the first player of the team has White, then Black.
pub fn play_pair(
    opening: Board,
    team: &mut [Player; 2],
    rules: Option<Adjudication>,
) -> [GameRecord; 2] {
    let [a, b] = team;
    [
        selfplay::play(opening, [a, b], rules),
        selfplay::play(opening, [b, a], rules),
    ]
}

/// Returns the half points of the team's first player in each game of a pair: 0, 1 or 2.
pub fn half_points([first, second]: &[GameRecord; 2]) -> [usize; 2] {
    [
        first.outcome.half_points(Color::White),
        second.outcome.half_points(Color::Black),
    ]
}
