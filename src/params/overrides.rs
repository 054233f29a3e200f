//! Parameters that the user sets as `name=value`.

use crate::params::Params;

/// The reason why a parameter cannot be set.
#[derive(Debug, thiserror::Error)]
#[error("parameter `{setting}`: {reason}")]
pub struct SettingError {
    /// The text that the user gave.
    pub setting: String,
    /// The reason why it is invalid.
    pub reason: String,
}

/// Returns the default parameters, changed by settings of the form `name=value`.
///
/// # Errors
/// If a setting is invalid.
#[cfg(feature = "tune")]
pub fn params(settings: &[String]) -> Result<Params, SettingError> {
    let mut params = Params::default();
    for setting in settings {
        let wrong = |reason: &str| SettingError {
            setting: setting.clone(),
            reason: reason.to_string(),
        };
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| wrong("there is no `=`"))?;
        let value = value
            .trim()
            .parse()
            .map_err(|_| wrong("the value is not an integer"))?;
        params
            .set(name.trim(), value)
            .map_err(|reason| wrong(&reason))?;
    }
    Ok(params)
}

/// Returns the parameters of this build, which are constants.
///
/// # Errors
/// If there is any setting.
#[cfg(not(feature = "tune"))]
pub fn params(settings: &[String]) -> Result<Params, SettingError> {
    match settings.first() {
        None => Ok(Params::default()),
        Some(setting) => Err(SettingError {
            setting: setting.clone(),
            reason: "parameters are constants in this build; build with `--features tune`"
                .to_string(),
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
        let params = set("see_pawn=120,see_rook=510").expect("the settings were refused");
        assert_eq!((params.see_pawn(), params.see_rook()), (120, 510));
        assert_ne!(params, Params::default());
        assert!(set("see_pawn=9999").is_err());
    }

    #[test]
    fn the_numbers_for_few_nodes_are_parameters() {
        let text = include_str!("../../tools/few-nodes.params");
        let settings: Vec<_> = text.lines().map(String::from).collect();
        let params = params(&settings).expect("the file was refused");
        assert_eq!(params.policy_depth(), 0);
    }
}
