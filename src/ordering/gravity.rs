//! The update rule of all history tables.

/// Adds `bonus` (a malus if negative) to `value` and reduces the value in proportion to its size,
/// so that it never leaves `-limit..=limit` and old experience fades. `bonus` is clamped to the
/// same range. All three are in points, and `limit` is 1 to 32,767.
///
/// Source: <https://www.chessprogramming.org/History_Heuristic#History_Bonuses>
#[inline(always)]
pub fn update(value: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = *value as i32;
    *value = (old + bonus - old * bonus.abs() / limit) as i16;
}

/// Returns a bonus in points (or, negated by the caller, a malus) that grows linearly with the
/// depth in plies: `slope * depth - offset`, clamped to `0..=max`.
#[inline(always)]
pub fn history_bonus(depth: i32, slope: i32, offset: i32, max: i32) -> i32 {
    (slope * depth - offset).clamp(0, max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_stay_within_the_limit(
            limit in 1..=i16::MAX as i32,
            bonuses in prop::collection::vec(-70_000..=70_000, 1..200),
        ) {
            let mut value = 0;
            for bonus in bonuses {
                let old = value;
                update(&mut value, bonus, limit);
                prop_assert!((value as i32).abs() <= limit);
                // The value moves in the direction of the bonus or stays.
                prop_assert!((value as i32 - old as i32) * bonus.signum() >= 0);
            }
        }
    }

    #[test]
    fn repetition_approaches_the_limit_from_both_sides() {
        for sign in [1, -1] {
            let mut value = 0;
            for _ in 0..200 {
                update(&mut value, 500 * sign, 4096);
            }
            assert!(value as i32 * sign > 4000, "{value}");
        }
    }

    #[test]
    fn a_surprise_counts_more_than_a_confirmation() {
        let (mut confirmed, mut surprised) = (3000, -3000);
        update(&mut confirmed, 400, 4096);
        update(&mut surprised, 400, 4096);
        assert!(surprised + 3000 > 2 * (confirmed - 3000));
    }

    #[test]
    fn bonuses_grow_from_zero_to_the_limit() {
        assert_eq!(history_bonus(0, 100, 50, 900), 0);
        assert_eq!(history_bonus(1, 100, 50, 900), 50);
        assert_eq!(history_bonus(5, 100, 50, 900), 450);
        assert_eq!(history_bonus(100, 100, 50, 900), 900);
    }
}
