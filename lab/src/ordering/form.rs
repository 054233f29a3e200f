//! What is measured: the variants of the catalogue, as the user names them.

use crate::techniques::{Experiment, Variant, catalogue};
use rejoinder::commands::overrides::SettingError;
use rejoinder::params::Params;
use rejoinder::search::Setup;

/// How the default is called among them.
pub const DEFAULT: &str = "default";

/// Techniques whose absence is always worth games: the classical ones.
const CLASSICAL: [&str; 4] = ["killers", "history", "countermove", "lbr"];

/// A technique in one of its variants.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The technique.
    pub entry: &'static Experiment,
    /// Its variant.
    pub variant: &'static Variant,
}

impl Form {
    /// All of them, or those the user names: a technique with all its variants, or `technique/variant`. The error is a
    /// name that is none.
    pub fn named(names: &[String]) -> Result<Vec<Self>, String> {
        let all = || {
            catalogue().flat_map(|entry| {
                let forms = entry.variants.iter();
                forms.map(move |variant| Self { entry, variant })
            })
        };
        let is = |form: &Self, name: &String| name == form.entry.name || *name == form.name();
        if let Some(unknown) = names.iter().find(|name| !all().any(|form| is(&form, name))) {
            return Err(unknown.clone());
        }
        let wanted = |form: &Self| names.is_empty() || names.iter().any(|name| is(form, name));
        Ok(all().filter(wanted).collect())
    }

    /// Its name, as the user may give it.
    pub fn name(&self) -> String {
        full_name(self.entry.name, self.variant.name)
    }

    /// What a worker plays it by.
    ///
    /// # Errors
    /// If the catalogue sets a number that there is not.
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

    /// Whether it is the default without one of the classical techniques.
    pub fn is_without_a_classic(&self) -> bool {
        CLASSICAL.contains(&self.entry.name) && self.variant.name.contains("off")
    }
}

/// `technique/variant`, or the technique alone where there is but one.
pub fn full_name(technique: &str, variant: &str) -> String {
    if variant.is_empty() {
        technique.to_owned()
    } else {
        format!("{technique}/{variant}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_form_has_a_name_of_its_own_and_can_be_played() {
        let forms = Form::named(&[]).expect("all of them");
        let names: HashSet<_> = forms.iter().map(Form::name).collect();
        assert_eq!(names.len(), forms.len());
        assert!(!names.contains(DEFAULT));
        for form in forms {
            form.setup().expect(form.entry.name);
        }
    }

    #[test]
    fn names_choose() {
        let names = |only: &[&str]| {
            let only: Vec<_> = only.iter().map(ToString::to_string).collect();
            let forms = Form::named(&only)?;
            Ok::<_, String>(forms.iter().map(Form::name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["killers/off"]), Ok(vec!["killers/off".to_owned()]));
        let recapture = names(&["recapture"]).expect("a technique");
        assert!(recapture.contains(&"recapture/first".to_owned()));
        assert!(recapture.iter().all(|name| name.starts_with("recapture/")));
        assert_eq!(names(&["killers", "recaptur"]), Err("recaptur".to_owned()));
    }
}
