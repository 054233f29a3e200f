//! The variants of all experiments, by the names that the user gives them.

use crate::techniques::{Experiment, Variant, catalogue};
use rejoinder::params::Params;
use rejoinder::params::overrides::SettingError;
use rejoinder::search::Setup;

/// Name of the row of the default.
pub const DEFAULT: &str = "default";

/// The classical techniques, whose absence is always measured by games.
const CLASSICAL: [&str; 4] = ["killers", "history", "countermove", "lbr"];

/// A variant together with its experiment.
#[derive(Clone, Copy, Debug)]
pub struct NamedVariant {
    pub experiment: &'static Experiment,
    pub variant: &'static Variant,
}

impl NamedVariant {
    /// Returns the variants with these names, or all of them if there are no names. A name is that
    /// of an experiment with all its variants, or `experiment/variant`.
    ///
    /// # Errors
    /// The first unknown name.
    pub fn choose(names: &[String]) -> Result<Vec<Self>, String> {
        let all = || {
            catalogue().flat_map(|experiment| {
                let variants = experiment.variants.iter();
                variants.map(move |variant| Self {
                    experiment,
                    variant,
                })
            })
        };
        let is = |one: &Self, name: &String| name == one.experiment.name || *name == one.name();
        if let Some(unknown) = names.iter().find(|name| !all().any(|one| is(&one, name))) {
            return Err(unknown.clone());
        }
        let wanted = |one: &Self| names.is_empty() || names.iter().any(|name| is(one, name));
        Ok(all().filter(wanted).collect())
    }

    /// Returns the full name of the variant.
    pub fn name(&self) -> String {
        full_name(self.experiment.name, self.variant.name)
    }

    /// Returns the engine with the changes of this variant.
    ///
    /// # Errors
    /// If the variant sets a parameter that does not exist.
    pub fn setup(&self) -> Result<Setup, SettingError> {
        let mut params = Params::default();
        for &(name, value) in self.variant.params {
            params.set(name, value).map_err(|reason| SettingError {
                setting: format!("{name}={value}"),
                reason,
            })?;
        }
        Ok(Setup {
            params,
            hook: self.variant.hook,
            ..Setup::default()
        })
    }

    /// Returns whether it is the default without one of the classical techniques.
    pub fn is_without_a_classic(&self) -> bool {
        CLASSICAL.contains(&self.experiment.name) && self.variant.name.contains("off")
    }
}

/// `experiment/variant`, or the experiment alone if its only variant has no name.
pub fn full_name(experiment: &str, variant: &str) -> String {
    if variant.is_empty() {
        experiment.to_owned()
    } else {
        format!("{experiment}/{variant}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_variant_has_a_name_of_its_own_and_can_be_played() {
        let variants = NamedVariant::choose(&[]).expect("all of them");
        let names: HashSet<_> = variants.iter().map(NamedVariant::name).collect();
        assert_eq!(names.len(), variants.len());
        assert!(!names.contains(DEFAULT));
        for one in variants {
            one.setup().expect(one.experiment.name);
        }
    }

    #[test]
    fn names_choose() {
        let names = |only: &[&str]| {
            let only: Vec<_> = only.iter().map(ToString::to_string).collect();
            let variants = NamedVariant::choose(&only)?;
            Ok::<_, String>(variants.iter().map(NamedVariant::name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["killers/off"]), Ok(vec!["killers/off".to_owned()]));
        let recapture = names(&["recapture"]).expect("an experiment");
        assert!(recapture.contains(&"recapture/first".to_owned()));
        assert!(recapture.iter().all(|name| name.starts_with("recapture/")));
        assert_eq!(names(&["killers", "recaptur"]), Err("recaptur".to_owned()));
    }
}
