//! The engine's numbers as the user sets them: `name=value`.

use crate::params::Params;

/// Why a number cannot be set.
#[derive(Debug, thiserror::Error)]
#[error("parameter `{setting}`: {reason}")]
pub struct SettingError {
    /// What was given.
    pub setting: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The default numbers with some of them set, each as `name=value`.
///
/// # Errors
/// Names the setting that is no good.
#[cfg(feature = "tune")]
pub fn params(settings: &[String]) -> Result<Params, SettingError> {
    let mut params = Params::default();
    for setting in settings {
        let wrong = |reason: &str| SettingError {
            setting: setting.clone(),
            reason: reason.to_string(),
        };
        let (name, value) = setting.split_once('=').ok_or_else(|| wrong("no `=`"))?;
        let value = value.trim().parse().map_err(|_| wrong("no whole number"))?;
        params
            .set(name.trim(), value)
            .map_err(|reason| wrong(&reason))?;
    }
    Ok(params)
}

/// The numbers of this build, which are constants.
///
/// # Errors
/// If any is to be set.
#[cfg(not(feature = "tune"))]
pub fn params(settings: &[String]) -> Result<Params, SettingError> {
    match settings.first() {
        None => Ok(Params::default()),
        Some(setting) => Err(SettingError {
            setting: setting.clone(),
            reason: "numbers are constants in this build; build with `--features tune`".to_string(),
        }),
    }
}

#[cfg(all(test, feature = "tune"))]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_set() {
        let set =
            |settings: &str| params(&settings.split(',').map(String::from).collect::<Vec<_>>());
        let params = set("see_pawn=120,see_rook=510").expect("good parameters");
        assert_eq!((params.see_pawn(), params.see_rook()), (120, 510));
        assert_ne!(params, Params::default());
        assert!(set("see_pawn=9999").is_err());
    }
}
