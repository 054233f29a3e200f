//! The window of a search: the scores between which an exact score is wanted.

use crate::types::{Score, score};

/// A window, in centipawns: a score inside it is exact, one outside is a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// The lower end: a score of at most alpha is an upper bound.
    pub alpha: Score,
    /// The upper end: a score of at least beta is a lower bound.
    pub beta: Score,
}

impl Window {
    /// The window that holds every score.
    pub const FULL: Self = Self {
        alpha: -score::INFINITE,
        beta: score::INFINITE,
    };

    /// Returns the zero window just above alpha, which tells only whether a score exceeds alpha.
    #[inline(always)]
    pub const fn zero(self) -> Self {
        Self::zero_below(self.alpha + 1)
    }

    /// Returns the zero window just below `beta`, which tells only whether a score reaches it.
    #[inline(always)]
    pub const fn zero_below(beta: Score) -> Self {
        Self {
            alpha: beta - 1,
            beta,
        }
    }

    /// Returns the same window as the other side sees it.
    #[inline(always)]
    pub const fn negated(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Returns the width: 1 for a zero window.
    #[inline(always)]
    pub const fn width(self) -> Score {
        self.beta - self.alpha
    }

    /// Returns whether no score can lie inside any more.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.alpha >= self.beta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn window(alpha: Score, beta: Score) -> Window {
        Window { alpha, beta }
    }

    #[test]
    fn zero_windows_lie_at_the_ends() {
        let wide = window(-20, 35);
        assert_eq!(wide.zero(), window(-20, -19));
        assert_eq!(Window::zero_below(35), window(34, 35));
        assert_eq!((wide.width(), wide.zero().width()), (55, 1));
    }

    #[test]
    fn the_other_side_sees_the_window_negated() {
        assert_eq!(window(-20, 35).negated(), window(-35, 20));
        assert_eq!(window(-20, 35).negated().negated(), window(-20, 35));
        assert_eq!(Window::FULL.negated(), Window::FULL);
    }

    #[test]
    fn a_window_is_empty_once_its_bounds_meet() {
        assert!(!window(-20, 35).is_empty() && !window(-20, -19).is_empty());
        assert!(window(-20, -20).is_empty());
    }
}
