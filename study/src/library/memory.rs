//! When an exercise comes back: the scheduler FSRS-5 with its default weights, which predicts by the
//! answers so far when an exercise is remembered with 90%.
// Source: https://github.com/open-spaced-repetition/fsrs4anki/wiki/The-Algorithm (FSRS-5)

/// The default weights.
const W: [f64; 19] = [
    0.40255, 1.18385, 3.173, 15.69105, 7.1949, 0.5345, 1.4604, 0.0046, 1.54575, 0.1192, 1.01925,
    1.9395, 0.11, 0.29605, 2.2698, 0.2315, 2.9898, 0.51655, 0.6621,
];
/// The exponent of the curve of forgetting, and its factor, with which 90% are left after as many days
/// as the stability is.
const DECAY: f64 = -0.5;
const FACTOR: f64 = 19.0 / 81.0;
/// The chance, 0 to 1, that an exercise is remembered when it comes back.
const RETENTION: f64 = 0.9;
/// The longest interval in days.
const LONGEST: f64 = 36500.0;
/// The least stability in days.
const LEAST: f64 = 0.01;

/// How well an exercise was solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Not at first.
    Again = 1,
    /// With a hint.
    Hard = 2,
    /// Without help.
    Good = 3,
    /// At once. Neither page nor terminal gives it.
    Easy = 4,
}

impl Grade {
    /// Returns the grade of a number from 1 to 4.
    pub const fn of(number: u32) -> Option<Self> {
        Some(match number {
            1 => Self::Again,
            2 => Self::Hard,
            3 => Self::Good,
            4 => Self::Easy,
            _ => return None,
        })
    }

    fn number(self) -> f64 {
        f64::from(self as u8)
    }
}

/// How well an exercise is remembered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Days after which it is remembered with 90%.
    pub stability: f64,
    /// From 1, easy, to 10.
    pub difficulty: f64,
}

impl Memory {
    /// Returns the memory after the first answer.
    pub fn first(grade: Grade) -> Self {
        Self {
            stability: W[grade as usize - 1],
            difficulty: first_difficulty(grade),
        }
    }

    /// Returns the memory after another answer, so many whole days after the one before.
    pub fn after(self, days: f64, grade: Grade) -> Self {
        let stability = if days < 1.0 {
            self.after_same_day(grade)
        } else if grade == Grade::Again {
            let longest = self.stability / (W[17] * W[18]).exp();
            self.after_failure(days).min(longest)
        } else {
            self.after_success(days, grade)
        };
        Self {
            stability: stability.clamp(LEAST, LONGEST),
            difficulty: self.next_difficulty(grade),
        }
    }

    /// Returns the number of days until the exercise comes back, at least 1.
    pub fn interval(self) -> f64 {
        self.interval_for(RETENTION)
    }

    fn interval_for(self, retention: f64) -> f64 {
        let days = self.stability / FACTOR * (retention.powf(1.0 / DECAY) - 1.0);
        days.round().clamp(1.0, LONGEST)
    }

    /// Returns the chance, 0 to 1, that the exercise is remembered after so many days.
    fn retrievability(self, days: f64) -> f64 {
        (1.0 + FACTOR * days / self.stability).powf(DECAY)
    }

    fn after_same_day(self, grade: Grade) -> f64 {
        self.stability * (W[17] * (grade.number() - 3.0 + W[18])).exp()
    }

    fn after_failure(self, days: f64) -> f64 {
        let forgotten = 1.0 - self.retrievability(days);
        W[11]
            * self.difficulty.powf(-W[12])
            * ((self.stability + 1.0).powf(W[13]) - 1.0)
            * (W[14] * forgotten).exp()
    }

    fn after_success(self, days: f64, grade: Grade) -> f64 {
        let forgotten = 1.0 - self.retrievability(days);
        let by_grade = match grade {
            Grade::Hard => W[15],
            Grade::Easy => W[16],
            Grade::Again | Grade::Good => 1.0,
        };
        let growth = W[8].exp()
            * (11.0 - self.difficulty)
            * self.stability.powf(-W[9])
            * ((W[10] * forgotten).exp() - 1.0);
        self.stability * (1.0 + growth * by_grade)
    }

    fn next_difficulty(self, grade: Grade) -> f64 {
        let change = -W[6] * (grade.number() - 3.0);
        let changed = self.difficulty + change * (10.0 - self.difficulty) / 9.0;
        let reverted = W[7] * first_difficulty(Grade::Easy) + (1.0 - W[7]) * changed;
        reverted.clamp(1.0, 10.0)
    }
}

fn first_difficulty(grade: Grade) -> f64 {
    let difficulty = W[4] - (W[5] * (grade.number() - 1.0)).exp() + 1.0;
    difficulty.clamp(1.0, 10.0)
}

#[cfg(test)]
mod tests {
    use super::Grade::{Again, Easy, Good, Hard};
    use super::*;

    fn assert_close(found: f64, expected: f64) {
        // The published numbers are rounded after each answer.
        assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
    }

    // The numbers of these tests are those of the tests of ts-fsrs 4.7.1, which is FSRS-5.
    // Source: https://github.com/open-spaced-repetition/ts-fsrs/blob/v4.7.1/__tests__/FSRS-5.test.ts

    #[test]
    fn the_first_answer_sets_the_published_state() {
        for (grade, stability, difficulty) in [
            (Again, 0.40255, 7.1949),
            (Hard, 1.18385, 6.488_305_27),
            (Good, 3.173, 5.282_434_42),
            (Easy, 15.69105, 3.224_501_59),
        ] {
            let memory = Memory::first(grade);
            assert_close(memory.stability, stability);
            assert_close(memory.difficulty, difficulty);
        }
    }

    #[test]
    fn answers_lead_to_the_published_state() {
        let mut memory = Memory::first(Again);
        for days in [0.0, 1.0, 3.0, 8.0, 21.0] {
            memory = memory.after(days, Good);
        }
        assert_close(memory.stability, 48.265_494_38);
        assert_close(memory.difficulty, 7.104_417_12);
    }

    #[test]
    fn intervals_are_the_published_ones() {
        let memory = Memory::first(Easy);
        assert_close(memory.interval_for(0.9), 16.0);
        assert_close(memory.interval_for(0.8), 38.0);
        assert_close(memory.interval(), 16.0);
    }

    #[test]
    fn intervals_grow_until_something_is_forgotten() {
        let mut memory = Memory::first(Good);
        let mut intervals = vec![memory.interval()];
        for _ in 0..5 {
            memory = memory.after(memory.interval(), Good);
            intervals.push(memory.interval());
        }
        assert!(intervals.is_sorted_by(|a, b| a < b), "{intervals:?}");
        let forgotten = memory.after(memory.interval(), Again);
        assert!(forgotten.interval() < intervals[2], "{forgotten:?}");
        assert!(forgotten.difficulty > memory.difficulty);
        // A hint is less than no help.
        let days = memory.interval();
        assert!(memory.after(days, Hard).stability < memory.after(days, Good).stability);
    }
}
