//! The vote of the workers on the move to play, as a pure function.

use crate::shared::SearchResult;
use crate::types::score::is_mate;
use crate::types::{Move, Score};

/// Centipawns added to each score's distance from the lowest score, so that the lowest one has some
/// weight as well.
const BASE_WEIGHT: i64 = 14;

/// Returns the number of the worker whose result is played; 0 if no worker has a result.
///
/// The shortest proven mate wins. Without a mate, each worker votes for the first move of its line,
/// with a weight that grows with the depth and the score of its result. Of the results with the
/// elected move the deepest one is played, then the one with the highest score, then that of the
/// worker with the lowest number, because worker 0 has reported its line.
// Source: https://www.chessprogramming.org/Lazy_SMP
pub fn elect(results: &[SearchResult]) -> usize {
    let voters = || {
        let voter = |(worker, result): (usize, &SearchResult)| {
            let first = *result.pv.first().filter(|_| result.depth > 0)?;
            Some((worker, first, result.depth, result.score))
        };
        results.iter().enumerate().filter_map(voter)
    };
    // The workers come in reverse order, because `max_by_key` returns the last of equal elements.
    let mate = voters()
        .rev()
        .filter(|&(.., score)| score > 0 && is_mate(score))
        .max_by_key(|&(.., score)| score);
    if let Some((worker, ..)) = mate {
        return worker;
    }

    let lowest = voters().map(|(.., score)| score).min().unwrap_or_default();
    let mut votes: Vec<(Move, i64)> = Vec::new();
    for (_, first, depth, score) in voters() {
        let weight = weight(depth, score - lowest);
        match votes.iter_mut().find(|(mv, _)| *mv == first) {
            Some((_, sum)) => *sum += weight,
            None => votes.push((first, weight)),
        }
    }
    let votes_for = |mv| votes.iter().find(|vote| vote.0 == mv).map(|vote| vote.1);
    voters()
        .rev()
        .max_by_key(|&(_, first, depth, score)| (votes_for(first), depth, score))
        .map_or(0, |(worker, ..)| worker)
}

/// Returns the weight of a vote. The depth is in plies, and `lead` is the distance of the score
/// from the lowest score, in centipawns.
fn weight(depth: i32, lead: Score) -> i64 {
    i64::from(depth) * (i64::from(lead) + BASE_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::score::{DRAW, mate_in, mated_in};

    const A: u16 = 0x010;
    const B: u16 = 0x020;
    const C: u16 = 0x030;

    fn result(mv: u16, depth: i32, score: Score) -> SearchResult {
        SearchResult {
            depth,
            score,
            pv: vec![Move::from_bits(mv), Move::from_bits(0x7ff)],
            ..SearchResult::default()
        }
    }

    #[test]
    fn elections() {
        let table = [
            ("alone", vec![result(A, 7, -300)], 0),
            (
                "two workers against one",
                vec![result(A, 12, 20), result(B, 12, 20), result(B, 12, 20)],
                1,
            ),
            (
                "two workers against a better score",
                vec![result(A, 12, 30), result(B, 12, 24), result(B, 12, 24)],
                1,
            ),
            (
                "a much better score against two",
                vec![result(A, 12, 20), result(A, 12, 20), result(B, 12, 90)],
                2,
            ),
            ("the deeper", vec![result(A, 11, 20), result(B, 14, 20)], 1),
            (
                "the deepest result of the elected move",
                vec![result(A, 11, 25), result(A, 14, 10), result(B, 5, 10)],
                1,
            ),
            ("a tie", vec![result(A, 9, 20), result(B, 9, 20)], 0),
            (
                "a tie behind worker 0",
                vec![result(C, 2, 20), result(B, 9, 20), result(A, 9, 20)],
                1,
            ),
            (
                "a mate against depth and number of votes",
                vec![
                    result(A, 30, 900),
                    result(A, 30, 900),
                    result(B, 4, mate_in(9)),
                ],
                2,
            ),
            (
                "the shorter mate",
                vec![result(A, 20, mate_in(9)), result(B, 8, mate_in(5))],
                1,
            ),
            (
                "the same mate twice",
                vec![result(A, 8, mate_in(5)), result(B, 9, mate_in(5))],
                0,
            ),
            (
                "not into a mate",
                vec![result(A, 20, mated_in(6)), result(B, 18, -700)],
                1,
            ),
            (
                "the longer way to the mate",
                vec![result(A, 20, mated_in(6)), result(B, 20, mated_in(14))],
                1,
            ),
        ];
        for (name, results, winner) in table {
            assert_eq!(elect(&results), winner, "{name}");
        }
    }

    #[test]
    fn without_a_finished_iteration_there_is_no_vote() {
        let nothing = SearchResult::default();
        assert_eq!(elect(&[]), 0);
        assert_eq!(elect(&[nothing.clone(), nothing.clone()]), 0);
        let no_depth = result(A, 0, mate_in(1));
        let no_line = SearchResult {
            depth: 30,
            score: mate_in(3),
            ..SearchResult::default()
        };
        assert_eq!(elect(&[no_depth, no_line, result(B, 1, DRAW), nothing]), 2);
    }
}
