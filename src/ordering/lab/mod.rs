//! The ordering laboratory: techniques that did not earn a place in the default order, one file for each, behind the
//! interface [`Technique`]. Only built with the cargo feature `lab`; `rejoinder ordering` measures them.

pub mod chessmaps;
pub mod move_map;
mod recapture;
pub mod small_net;
mod without;

use std::ops::{Deref, DerefMut};

use super::technique::{Plain, Technique};

/// What of the laboratory a worker plays with.
#[derive(Debug)]
pub struct Lab(Box<dyn Technique + Send>);

impl Lab {
    /// With this technique.
    pub fn new(technique: impl Technique + Send + 'static) -> Self {
        Self(Box::new(technique))
    }
}

impl Default for Lab {
    fn default() -> Self {
        Self::new(Plain)
    }
}

impl Deref for Lab {
    type Target = dyn Technique + Send;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for Lab {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

/// A technique as a reader meets it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, in words joined by hyphens.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub what: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether the default has it: each variant then does without, or otherwise.
    pub in_default: bool,
    /// The forms that are measured against the default.
    pub variants: &'static [Variant],
}

/// One form of a technique.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Its name among the others; empty if there is no other.
    pub name: &'static str,
    /// Numbers of `params.rs` that are not the default.
    pub params: &'static [(&'static str, i32)],
    /// What of the laboratory it needs.
    pub lab: fn() -> Lab,
}

impl Variant {
    /// A form that needs a technique of the laboratory, but no other numbers.
    const fn new(name: &'static str, lab: fn() -> Lab) -> Self {
        Self {
            name,
            params: &[],
            lab,
        }
    }

    /// A form that differs from the default by its numbers alone.
    const fn of_params(name: &'static str, params: &'static [(&'static str, i32)]) -> Self {
        Self {
            name,
            params,
            lab: Lab::default,
        }
    }
}

/// All techniques, in the order in which the table shows them.
pub const CATALOGUE: &[&Entry] = &[
    &without::KILLERS,
    &recapture::ENTRY,
    &chessmaps::ENTRY,
    &move_map::ENTRY,
];
