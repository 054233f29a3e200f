//! The differences between the settings of a run and the settings that it should continue with.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

/// Lists the settings that differ, as text for the user; "none" stands for a setting that one of
/// them lacks.
pub fn differences<T: Serialize>(begun: &T, wanted: &T) -> String {
    let fields = |settings: &T| match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (begun, wanted) = (fields(begun), fields(wanted));
    let names: BTreeSet<_> = begun.keys().chain(wanted.keys()).collect();
    let differing = names.into_iter().filter_map(|name| {
        let text = |value: Option<&Value>| value.map_or("none".to_owned(), Value::to_string);
        let (there, here) = (begun.get(name), wanted.get(name));
        (there != here).then(|| format!("{name} was {} and is {}", text(there), text(here)))
    });
    differing.collect::<Vec<_>>().join(", ")
}
