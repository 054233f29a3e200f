//! The report of a datagen run.

use std::fmt;
use std::time::Duration;

use crate::player::SearchCost;

use crate::data::origin::DatagenSettings;
use crate::data::tally::Tally;

/// The result of a datagen run.
#[derive(Clone, Debug)]
pub struct DatagenSummary {
    /// Settings of the run.
    pub settings: DatagenSettings,
    /// All games and positions on the disk.
    pub tally: Tally,
    /// Games and positions of earlier parts of the run.
    pub before: Tally,
    /// Searches, nodes and time of all players.
    pub cost: SearchCost,
    /// Duration of this part of the run.
    pub elapsed: Duration,
}

impl fmt::Display for DatagenSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.tally;
        let games = tally.games();
        writeln!(
            f,
            "games      {games} of seed {}: White +{} ={} -{}",
            self.settings.seed, tally.white_wins, tally.draws, tally.black_wins
        )?;
        writeln!(
            f,
            "positions  {}, of which {} to train on ({:.1} a game), {} of them useful",
            tally.positions,
            tally.kept,
            tally.kept as f64 / games as f64,
            tally.useful
        )?;
        let fresh = games - self.before.games();
        if self.before.games() > 0 {
            writeln!(f, "now        {fresh} games of them")?;
        }
        if fresh == 0 {
            return Ok(());
        }
        let core_seconds = self.elapsed.as_secs_f64() * self.settings.threads as f64;
        let (counted, kind) = self.settings.counted(tally);
        let (before, _) = self.settings.counted(&self.before);
        let searching = self.cost.time.as_secs_f64();
        writeln!(
            f,
            "speed      {:.0} {kind} a second and core, {:.0} games/h, {:.0} nodes a search",
            (counted - before) as f64 / core_seconds,
            fresh as f64 / self.elapsed.as_secs_f64() * 3600.0,
            self.cost.nodes as f64 / self.cost.searches as f64,
        )?;
        writeln!(
            f,
            "search     {:.1}% of the time, {:.0} nodes/s a core inside it",
            100.0 * searching / core_seconds,
            self.cost.nodes as f64 / searching
        )
    }
}
