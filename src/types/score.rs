//! Scores in centipawns from the point of view of the side to move, with separate ranges for mates
//! and tablebase wins.
//!
//! ```text
//! 0 … EVAL_LIMIT   evaluations
//! TB_WIN - ply     a won position of the tablebases in `ply` plies
//! MATE - ply       mate in `ply` plies from the root
//! INFINITE         the open end of a window
//! NONE             an unknown score
//! ```

use super::MAX_PLY;

/// A score in centipawns, or in one of the ranges that the [module](self) lists.
pub type Score = i32;

/// The score of a draw.
pub const DRAW: Score = 0;
/// The score of a mate on the board; a mate in n plies is `MATE - n`.
pub const MATE: Score = 32_000;
/// A bound beyond every score, for the open end of a window.
pub const INFINITE: Score = 32_001;
/// Marks an unknown score.
pub const NONE: Score = 32_002;
/// The lowest score of a forced mate.
pub const MATE_BOUND: Score = MATE - MAX_PLY as Score;
/// The score of a tablebase win at the root; n plies further down it is `TB_WIN - n`.
pub const TB_WIN: Score = MATE_BOUND - 1;
/// The lowest decisive score: everything from here on is a tablebase win or a mate.
pub const DECISIVE: Score = TB_WIN - MAX_PLY as Score;
/// The highest score of an evaluation.
pub const EVAL_LIMIT: Score = DECISIVE - 1;

/// Returns the score of giving mate `ply` plies from the root.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// Returns the score of being mated `ply` plies from the root.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Score {
    -MATE + ply as Score
}

/// Returns whether the score is a forced mate for either side.
#[inline(always)]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_BOUND && score.abs() <= MATE
}

/// Returns whether the score is a forced mate by the side to move.
#[inline(always)]
pub const fn is_won_mate(score: Score) -> bool {
    score >= MATE_BOUND && score <= MATE
}

/// Returns whether the score is decisive: a mate or a tablebase win for either side.
#[inline(always)]
pub const fn is_decisive(score: Score) -> bool {
    score.abs() >= DECISIVE
}

/// Returns the distance to mate in moves (not plies), negative if the side to move is mated; `None`
/// if the score is not a mate.
pub const fn mate_distance(score: Score) -> Option<i32> {
    if !is_mate(score) {
        None
    } else if score > 0 {
        Some((MATE - score + 1) / 2)
    } else {
        Some(-((MATE + score + 1) / 2))
    }
}

/// Converts a decisive score from distance to the root to distance to the node, as the
/// transposition table stores it. A bound beyond the fastest possible mate becomes that mate.
#[inline(always)]
pub(crate) const fn to_tt(score: Score, ply: usize) -> Score {
    if score.abs() > MATE {
        score
    } else if score >= DECISIVE {
        min(score + ply as Score, MATE)
    } else if score <= -DECISIVE {
        -min(ply as Score - score, MATE)
    } else {
        score
    }
}

const fn min(a: Score, b: Score) -> Score {
    if a < b { a } else { b }
}

/// Converts a decisive score from distance to the node to distance to the root; the inverse of
/// [`to_tt`].
#[inline(always)]
pub(crate) const fn from_tt(score: Score, ply: usize) -> Score {
    if score.abs() > MATE {
        score
    } else if score >= DECISIVE {
        score - ply as Score
    } else if score <= -DECISIVE {
        score + ply as Score
    } else {
        score
    }
}

/// Clamps an evaluation to the range below the decisive scores.
#[inline(always)]
pub(crate) const fn clamp_eval(score: Score) -> Score {
    if score > EVAL_LIMIT {
        EVAL_LIMIT
    } else if score < -EVAL_LIMIT {
        -EVAL_LIMIT
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_do_not_touch() {
        const { assert!(EVAL_LIMIT < DECISIVE && DECISIVE < TB_WIN && TB_WIN < MATE_BOUND) };
        assert!(is_mate(mate_in(MAX_PLY)) && is_mate(mated_in(MAX_PLY)));
        assert!(!is_mate(TB_WIN) && is_decisive(TB_WIN - MAX_PLY as Score));
        assert!(!is_mate(NONE) && !is_mate(INFINITE));
    }

    #[test]
    fn mate_distance_counts_moves() {
        assert_eq!(mate_distance(mate_in(1)), Some(1));
        assert_eq!(mate_distance(mate_in(3)), Some(2));
        assert_eq!(mate_distance(mated_in(2)), Some(-1));
        assert_eq!(mate_distance(mated_in(0)), Some(0));
        assert_eq!(mate_distance(TB_WIN), None);
    }

    #[test]
    fn the_table_keeps_the_distance() {
        for score in [
            0,
            57,
            -EVAL_LIMIT,
            mate_in(9),
            mated_in(8),
            TB_WIN - 5,
            NONE,
        ] {
            assert_eq!(from_tt(to_tt(score, 5), 5), score);
        }
        assert_eq!(from_tt(to_tt(mate_in(9), 5), 3), mate_in(7));
    }
}
