//! The one rule by which every history table learns.

/// Moves `value` by `bonus` and pulls it back in proportion to where it stands, so that it never leaves
/// `-limit..=limit` and old experience fades. `bonus` is cut to the same bounds; `limit` is 1 to 32,767.
///
/// Source: <https://www.chessprogramming.org/History_Heuristic#History_Bonuses>
#[inline(always)]
pub fn update(value: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = *value as i32;
    *value = (old + bonus - old * bonus.abs() / limit) as i16;
}

/// A bonus (or, negated by the caller, a malus) that grows with the depth in plies: a straight line from
/// 0 up to `max`.
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
                // It goes where the bonus points, or stays.
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
    fn ramps_start_at_nothing_and_level_off() {
        assert_eq!(history_bonus(0, 100, 50, 900), 0);
        assert_eq!(history_bonus(1, 100, 50, 900), 50);
        assert_eq!(history_bonus(5, 100, 50, 900), 450);
        assert_eq!(history_bonus(100, 100, 50, 900), 900);
    }
}
