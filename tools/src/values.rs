//! Validators of numbers on command lines.

/// Parses a number from 0 to 1.
///
/// # Errors
/// A message for the user.
pub fn share(text: &str) -> Result<f64, String> {
    number(text, |x| (0.0..=1.0).contains(&x), "from 0 to 1")
}

/// Parses a positive number, at most 100,000.
///
/// # Errors
/// A message for the user.
pub fn positive(text: &str) -> Result<f64, String> {
    number(text, |x| x > 0.0 && x <= 1e5, "above 0")
}

/// Parses a number that `fits` accepts; `wanted` describes such numbers in the error message.
///
/// # Errors
/// A message for the user.
pub fn number(text: &str, fits: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number| fits(number));
    number.ok_or_else(|| format!("must be a number {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_from_0_to_1() {
        assert_eq!(
            [share("0"), share("0.15"), share("1")],
            [Ok(0.0), Ok(0.15), Ok(1.0)]
        );
        for text in ["", "-0.1", "1.1", "nan", "all"] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn positive_numbers_are_above_0() {
        assert_eq!(positive("0.5"), Ok(0.5));
        for text in ["", "0", "-1", "nan", "inf"] {
            assert!(positive(text).is_err(), "{text}");
        }
    }
}
