//! Sets of CPUs, and the lists by which Linux and people name them.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// No machine has a CPU with this number or a higher one.
const LIMIT: usize = 1 << 16;

/// A set of CPUs, by the numbers of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpus(BTreeSet<usize>);

/// The reason why a text is not a list of CPUs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a list of CPUs such as 0-3,8-11")]
pub struct CpusError(String);

impl Cpus {
    /// Returns the number of CPUs.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no CPU in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the CPUs that are in both sets.
    pub fn and(&self, other: &Self) -> Self {
        Self(&self.0 & &other.0)
    }

    /// Returns the numbers of the CPUs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied()
    }
}

impl FromIterator<usize> for Cpus {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        Self(numbers.into_iter().collect())
    }
}

/// Reads a list of numbers and ranges such as `0-3,8`. An empty text is the empty set.
// Source: https://docs.kernel.org/admin-guide/cputopology.html
impl FromStr for Cpus {
    type Err = CpusError;

    fn from_str(text: &str) -> Result<Self, CpusError> {
        let error = || CpusError(text.trim().chars().take(60).collect());
        let number = |text: &str| {
            let number: usize = text.trim().parse().ok()?;
            (number < LIMIT).then_some(number)
        };
        let mut cpus = BTreeSet::new();
        if text.trim().is_empty() {
            return Ok(Self(cpus));
        }
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (number(first), number(last)) {
                (Some(first), Some(last)) if first <= last => cpus.extend(first..=last),
                _ => return Err(error()),
            }
        }
        Ok(Self(cpus))
    }
}

/// Writes the same kind of list, as short as possible.
impl fmt::Display for Cpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if_eq(&(last + 1)) {
                last = next;
            }
            if first == last {
                write!(f, "{separator}{first}")?;
            } else {
                write!(f, "{separator}{first}-{last}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_of_the_kernel_are_understood() {
        for (text, numbers) in [
            ("", &[][..]),
            ("\n", &[]),
            ("0\n", &[0]),
            ("0-3\n", &[0, 1, 2, 3]),
            ("0-1,8-9,17", &[0, 1, 8, 9, 17]),
            (" 4 - 5 , 2 ", &[2, 4, 5]),
            ("1-2,2-3", &[1, 2, 3]),
        ] {
            let cpus: Cpus = text.parse().expect(text);
            assert_eq!(cpus.iter().collect::<Vec<_>>(), numbers, "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "x",
            "-",
            "1-",
            "-1",
            "3-1",
            "1,,2",
            ",",
            "0-3:1/2",
            "0x1",
            "65536",
            "0-99999999999999999999",
        ] {
            assert!(text.parse::<Cpus>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_list_is_read_as_it_was_written(numbers in proptest::collection::btree_set(0..200usize, 0..80)) {
            let cpus: Cpus = numbers.into_iter().collect();
            prop_assert_eq!(cpus.to_string().parse(), Ok(cpus));
        }
    }
}
