//! An experiment and its variants.

use rejoinder::ordering::hook::{Hook, no_hook};

/// A technique of move ordering, and the variants by which it is measured.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Name in words joined by hyphens.
    pub name: &'static str,
    /// Description in one or two sentences.
    pub what: &'static str,
    /// Sources, separated by semicolons; an address begins with `https`.
    pub source: &'static str,
    /// True if the default has the technique. Its variants then leave it out or change it;
    /// otherwise they add it.
    pub in_default: bool,
    /// The variants that are measured against the default.
    pub variants: &'static [Variant],
}

/// One change of the default.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Name of the variant; empty if the experiment has only one.
    pub name: &'static str,
    /// Parameters of `params.rs` that differ from the default, with their values.
    pub params: &'static [(&'static str, i32)],
    /// The hook that is plugged into the engine.
    pub hook: fn() -> Hook,
}

impl Variant {
    /// Creates a variant with a hook and the default parameters.
    pub(super) const fn new(name: &'static str, hook: fn() -> Hook) -> Self {
        Self {
            name,
            params: &[],
            hook,
        }
    }

    /// Creates a variant that only changes parameters.
    pub(super) const fn of_params(
        name: &'static str,
        params: &'static [(&'static str, i32)],
    ) -> Self {
        Self {
            name,
            params,
            hook: no_hook,
        }
    }
}
