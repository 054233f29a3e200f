//! A game between two players in this process, as `match`, `spsa` and `datagen` play it.

use crate::player::Player;
use rejoinder::board::{Board, Game, Outcome};
use rejoinder::clock::Limits;
use rejoinder::search::SearchRequest;
use rejoinder::shared::SearchResult;
use rejoinder::types::{Color, Move, Score, score};

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The first position.
    pub opening: Board,
    /// Every move with the score of its search in centipawns from White's view; [`score::NONE`] if
    /// it is no label: of a short search, or before a random move.
    pub moves: Vec<(Move, Score)>,
    /// The result.
    pub outcome: Outcome,
}

/// Limits at which scores decide a game before the rules of chess do. The streaks run over the
/// plies of both sides, so both have to agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Minimum score in centipawns for a win; it must last for `win_plies` plies in a row.
    pub win_score: Score,
    /// Length of the streak that wins, in plies.
    pub win_plies: u32,
    /// Maximum score in centipawns, for either side, for a draw; it must last for `draw_plies`
    /// plies in a row.
    pub draw_score: Score,
    /// Length of the streak that draws, in plies.
    pub draw_plies: u32,
    /// First ply, counted from the initial position of chess, that may belong to the streak that
    /// draws.
    pub draw_from: usize,
    /// True if the first mate score ends the game.
    pub trust_mates: bool,
}

/// The outcome of a search in a game, with its use for training.
#[derive(Clone, Copy, Debug)]
pub struct Thought {
    /// The move to play, which need not be the best one.
    pub mv: Move,
    /// The score of the search in centipawns, from the mover's view.
    pub score: Score,
    /// True if the score is to be recorded.
    pub recorded: bool,
}

impl From<SearchResult> for Thought {
    /// Plays the best move and records its score.
    fn from(result: SearchResult) -> Self {
        Self {
            mv: result.pv[0],
            score: result.score,
            recorded: true,
        }
    }
}

/// Adjudicates one game by its scores.
struct Referee {
    rules: Adjudication,
    /// Length of the current winning streak in plies: positive for White, negative for Black.
    winning: i32,
    /// Length of the current drawing streak in plies.
    level: u32,
}

impl Referee {
    const fn new(rules: Adjudication) -> Self {
        Self {
            rules,
            winning: 0,
            level: 0,
        }
    }

    /// Adds a score from White's view. Returns the result of the game if it is decided now.
    fn verdict(&mut self, score: Score, ply: usize) -> Option<Outcome> {
        let leader = score.signum();
        if self.rules.trust_mates && score::is_mate(score) {
            return Some(winner(leader));
        }
        if score.abs() < self.rules.win_score {
            self.winning = 0;
        } else if self.winning.signum() == leader {
            self.winning += leader;
        } else {
            self.winning = leader;
        }
        let level = ply >= self.rules.draw_from && score.abs() <= self.rules.draw_score;
        self.level = if level { self.level + 1 } else { 0 };

        if self.winning.unsigned_abs() >= self.rules.win_plies {
            Some(winner(leader))
        } else if self.level >= self.rules.draw_plies {
            Some(Outcome::Draw)
        } else {
            None
        }
    }
}

/// Returns the winner if White's score has this sign.
const fn winner(sign: i32) -> Outcome {
    if sign > 0 {
        Outcome::WhiteWin
    } else {
        Outcome::BlackWin
    }
}

/// Plays one game from this position; White's player comes first in the array. Both players forget
/// everything before, so the record depends on the arguments alone.
pub fn play(
    opening: Board,
    mut players: [&mut Player; 2],
    adjudication: Option<Adjudication>,
) -> GameRecord {
    for player in &mut players {
        player.forget();
    }
    game(opening, &mut players, adjudication, |player, request, _| {
        player.think(request).into()
    })
}

/// Plays one game from this position with one player for both sides, so that each search profits
/// from the one before. The player keeps what it has learned from judging the opening; whoever
/// wants games that do not depend on earlier ones lets it forget them before that. `think` searches
/// the position of a request; it is given the score of the search before in centipawns from either
/// view, 0 at first. Scores that are not recorded adjudicate the game as well.
pub fn play_alone(
    opening: Board,
    player: &mut Player,
    adjudication: Option<Adjudication>,
    think: impl FnMut(&mut Player, &mut SearchRequest, Score) -> Thought,
) -> GameRecord {
    game(opening, &mut [player], adjudication, think)
}

/// Plays one game with two players, White's first, or with one for both sides.
fn game(
    opening: Board,
    players: &mut [&mut Player],
    adjudication: Option<Adjudication>,
    mut think: impl FnMut(&mut Player, &mut SearchRequest, Score) -> Thought,
) -> GameRecord {
    let mut request = SearchRequest::new(Game::new(opening), Limits::default());
    let mut referee = adjudication.map(Referee::new);
    let mut record = GameRecord {
        opening,
        moves: Vec::with_capacity(128),
        outcome: Outcome::Draw,
    };
    let mut last_score = 0;
    loop {
        let board = request.game.board();
        let (side, ply) = (board.side_to_move(), ply(board));
        if let Some(outcome) = request.game.outcome() {
            record.outcome = outcome;
            return record;
        }
        let player = &mut *players[side.index() % players.len()];
        let thought = think(player, &mut request, last_score);
        let Thought { mv, recorded, .. } = thought;
        last_score = thought.score;
        let score = of_white(side, thought.score);
        record
            .moves
            .push((mv, if recorded { score } else { score::NONE }));
        let verdict = referee.as_mut().and_then(|r| r.verdict(score, ply));
        request.game.play(mv);
        if let Some(outcome) = verdict {
            // The winning side may have given stalemate with this move.
            record.outcome = request.game.outcome().unwrap_or(outcome);
            return record;
        }
    }
}

/// Turns a score from the view of a side into one from White's view.
pub const fn of_white(side: Color, score: Score) -> Score {
    match side {
        Color::White => score,
        Color::Black => -score,
    }
}

/// Returns the number of plies since the initial position of chess, by the move number of the
/// position.
pub fn ply(board: &Board) -> usize {
    (board.fullmove_number() as usize - 1) * 2 + board.side_to_move().index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_control::soft_limits;
    use rejoinder::search::Setup;

    const RULES: Adjudication = Adjudication {
        win_score: 2500,
        win_plies: 4,
        draw_score: 4,
        draw_plies: 12,
        draw_from: 80,
        trust_mates: true,
    };

    /// Returns the index of the score that decides the game, and the result.
    fn decided(scores: &[Score], first_ply: usize) -> Option<(usize, Outcome)> {
        let mut referee = Referee::new(RULES);
        scores.iter().enumerate().find_map(|(i, &score)| {
            referee
                .verdict(score, first_ply + i)
                .map(|outcome| (i, outcome))
        })
    }

    #[test]
    fn a_win_needs_a_streak_of_one_side() {
        let lost = Some((3, Outcome::BlackWin));
        assert_eq!(decided(&[-2500; 4], 20), lost);
        assert_eq!(decided(&[2600, 2499, 2600, 2600, 2600], 20), None);
        assert_eq!(decided(&[2600, 2600, 2600, -2600, -2600, -2600], 20), None);
        assert_eq!(
            decided(&[9, 2500, 2600, 2700, 2800], 20),
            Some((4, Outcome::WhiteWin))
        );
    }

    #[test]
    fn a_draw_needs_a_long_game() {
        assert_eq!(decided(&[4; 12], 80), Some((11, Outcome::Draw)));
        assert_eq!(decided(&[-4; 12], 79), None);
        assert_eq!(decided(&[0; 40], 60), Some((31, Outcome::Draw)));
        assert_eq!(decided(&[0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0], 100), None);
    }

    #[test]
    fn a_stalemate_is_a_draw_whatever_the_scores_say() {
        let opening = Board::from_fen("7k/8/5K2/8/8/8/8/6Q1 w - - 0 60").expect("a position");
        let rules = Adjudication {
            win_plies: 1,
            ..RULES
        };
        let outcome = |wanted: &str| {
            let setup = Setup::with_network(None);
            let mut player = Player::new(setup, 1, soft_limits(1, 1)).expect("memory");
            let record = play_alone(opening, &mut player, Some(rules), |_, request, _| {
                let mut legal = request.game.board().legal_moves().into_iter();
                Thought {
                    mv: legal.find(|mv| format!("{mv:?}") == wanted).expect("legal"),
                    score: 3000,
                    recorded: true,
                }
            });
            (record.moves.len(), record.outcome)
        };
        assert_eq!(outcome("g1g6"), (1, Outcome::Draw));
        assert_eq!(outcome("g1g5"), (1, Outcome::WhiteWin));
    }

    #[test]
    fn a_mate_score_ends_the_game() {
        assert_eq!(
            decided(&[0, score::mate_in(5)], 20),
            Some((1, Outcome::WhiteWin))
        );
        assert_eq!(
            decided(&[score::mated_in(4)], 20),
            Some((0, Outcome::BlackWin))
        );
        assert_eq!(decided(&[score::TB_WIN], 20), None);
    }
}
