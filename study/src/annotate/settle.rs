//! Verdicts that agree with each other. A move that is the engine's first choice cannot change the
//! winning chance, and no other move can gain any: where the scores of two neighboring positions
//! say so, one of the searches was too short, and both are repeated with more effort. So are those
//! that find a mistake, because a verdict is founded on them.

use super::evaluation::Analysis;
use super::judge;
use crate::pgn::Record;
use crate::scale::Ruler;

/// Most doublings of the effort at a position: 16 times the limit.
pub(super) const MOST_DOUBLINGS: u32 = 4;
/// The doublings that a verdict of a mistake is founded on: 4 times the limit.
const CONFIRMED: u32 = 2;
/// The most that these searches may cost, in limits for each position of the game.
pub(super) const MOST_COST: u64 = 3;

/// Searches positions again, from the last to the first, until neighbors agree and mistakes are
/// confirmed, or the effort is spent. `search` searches the position at a place of the game again with
/// its effort doubled so many times, puts the result in its place, and returns `None` to end the run.
pub(super) fn settle(
    analysis: &mut Analysis,
    record: &Record,
    ruler: Ruler,
    search: &mut dyn FnMut(&mut Analysis, usize, u32) -> Option<()>,
) -> Option<()> {
    let mut left = MOST_COST * analysis.evaluations.len() as u64;
    loop {
        let mut is_settled = true;
        for place in (0..record.moves.len()).rev() {
            let wanted = wanted(analysis, record, ruler, place);
            if wanted > MOST_DOUBLINGS {
                continue;
            }
            // The later position first: what it finds is in the hash when the earlier one is searched.
            for place in [place + 1, place] {
                if analysis.evaluations[place].line.is_empty()
                    || analysis.doublings[place] >= wanted
                {
                    continue;
                }
                let cost = 1 << wanted;
                if cost > left {
                    return Some(());
                }
                left -= cost;
                search(analysis, place, wanted)?;
                analysis.doublings[place] = wanted;
                is_settled = false;
            }
        }
        if is_settled {
            return Some(());
        }
    }
}

/// Returns the doublings that the positions before and after the move at a place of the game need next;
/// 0 if they need none.
fn wanted(analysis: &Analysis, record: &Record, ruler: Ruler, place: usize) -> u32 {
    let [here, next] = [0, 1].map(|behind| &analysis.evaluations[place + behind]);
    let mv = record.moves[place];
    if judge::agree(ruler, here, mv, next) {
        let loss = judge::judge(ruler, here, mv, next).loss;
        let is_mistake = loss >= ruler.scale.thresholds().mistake;
        return if is_mistake { CONFIRMED } else { 0 };
    }
    let is_over = next.line.is_empty();
    let [here, next] = [0, 1].map(|behind| analysis.doublings[place + behind]);
    // The position that was searched less catches up first.
    if here == next || is_over {
        here + 1
    } else {
        here.max(next)
    }
}

#[cfg(test)]
mod tests {
    use rejoinder::board::{Board, san};
    use rejoinder::eval::win_rate::WinRate;
    use rejoinder::types::{Move, Score};

    use super::*;
    use crate::annotate::evaluation::Evaluation;
    use crate::pgn::{self, Source};
    use crate::scale::Scale;

    /// A game of four moves that are all first choices.
    fn record() -> Record {
        let mut source = Source::new(&b"1. e4 e5 2. Nf3 Nc6 *"[..]);
        let game = source.next_game().expect("a text").expect("a game");
        pgn::read(game).expect("a record")
    }

    /// Searches of the game with these scores from White's point of view, one for each position.
    fn analysis(record: &Record, scores: [Score; 5]) -> Analysis {
        let mut board = record.start;
        let mut evaluations = Vec::new();
        for (place, score) in scores.into_iter().enumerate() {
            let mv: Option<Move> = record.moves.get(place).copied();
            let line = mv.or_else(|| san::parse(&board, "Bb5"));
            evaluations.push(Evaluation {
                board,
                score: if place % 2 == 0 { score } else { -score },
                line: line.into_iter().collect(),
                second: None,
            });
            if let Some(mv) = mv {
                board.make(mv);
            }
        }
        Analysis {
            doublings: vec![0; evaluations.len()],
            evaluations,
            nodes: 0,
        }
    }

    const RULER: Ruler = Ruler {
        scale: Scale::Lichess,
        model: WinRate::DEFAULT,
    };

    /// Settles the game; a position has White's score `later` once its effort was doubled `needed` times.
    /// Returns the doublings of each position and the number of searches.
    fn settled(scores: [Score; 5], later: Score, needed: u32) -> (Vec<u32>, usize) {
        let record = record();
        let mut analysis = analysis(&record, scores);
        let mut searches = 0;
        let found = settle(
            &mut analysis,
            &record,
            RULER,
            &mut |analysis, place, doublings| {
                searches += 1;
                assert!(doublings <= MOST_DOUBLINGS);
                if doublings >= needed {
                    analysis.evaluations[place].score = if place % 2 == 0 { later } else { -later };
                }
                Some(())
            },
        );
        assert!(found.is_some());
        (analysis.doublings, searches)
    }

    #[test]
    fn scores_that_agree_are_left_alone() {
        assert_eq!(settled([30, 25, 30, 40, 35], 0, 0), (vec![0; 5], 0));
    }

    #[test]
    fn neighbors_that_contradict_each_other_are_searched_until_they_agree() {
        // The last position contradicts the one before it once that is searched again.
        let (doublings, searches) = settled([400, 400, 400, 30, 30], 400, 1);
        assert_eq!((doublings, searches), (vec![0, 0, 1, 1, 1], 3));
        let (doublings, searches) = settled([400, 400, 400, 30, 400], 400, 2);
        assert_eq!((doublings, searches), (vec![0, 0, 1, 2, 2], 5));
    }

    #[test]
    fn a_move_that_gains_is_as_wrong_as_a_first_choice_that_loses() {
        let record = record();
        let mut found = analysis(&record, [0, 400, 400, 400, 400]);
        for best in ["e4", "d4"] {
            found.evaluations[0].line = san::parse(&Board::startpos(), best).into_iter().collect();
            let mv = record.moves[0];
            assert!(!judge::agree(
                RULER,
                &found.evaluations[0],
                mv,
                &found.evaluations[1]
            ));
            // The other way round, only the first choice contradicts itself.
            found.evaluations.swap(0, 1);
            let [first, second] = [&found.evaluations[1], &found.evaluations[0]];
            let (first, second) = (
                Evaluation {
                    score: 400,
                    ..first.clone()
                },
                Evaluation {
                    score: 0,
                    ..second.clone()
                },
            );
            assert_eq!(judge::agree(RULER, &first, mv, &second), best == "d4");
            found.evaluations.swap(0, 1);
        }
    }

    #[test]
    fn a_mistake_is_confirmed() {
        let record = record();
        let mut found = analysis(&record, [0, 0, 0, -600, -600]);
        let others = san::parse(&found.evaluations[2].board, "Nc3");
        found.evaluations[2].line = others.into_iter().collect();
        let mut search = |_: &mut Analysis, _, _| Some(());
        assert!(settle(&mut found, &record, RULER, &mut search).is_some());
        assert_eq!(found.doublings, [0, 0, CONFIRMED, CONFIRMED, 0]);
    }

    #[test]
    fn the_effort_is_bounded() {
        let (doublings, _) = settled([0, 900, 0, 900, 0], 0, MOST_DOUBLINGS + 1);
        assert!(doublings.iter().any(|doublings| *doublings > 0));
        let cost = |doublings: &u32| (1..=*doublings).map(|one| 1 << one).sum::<u64>();
        let cost: u64 = doublings.iter().map(cost).sum();
        assert!(cost <= MOST_COST * 5, "{doublings:?}");
    }

    #[test]
    fn a_run_that_is_stopped_ends() {
        let record = record();
        let mut analysis = analysis(&record, [0, 900, 0, 900, 0]);
        assert!(settle(&mut analysis, &record, RULER, &mut |_, _, _| None).is_none());
    }
}
