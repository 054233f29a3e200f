//! The differences between the settings of a run and the settings that it should continue with.

use serde::Serialize;
use serde_json::Value;

/// Lists the settings that differ, as text for the user; fields that only `begun` has are left out.
pub fn differences<T: Serialize>(begun: &T, wanted: &T) -> String {
    let fields = |settings: &T| match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let wanted = fields(wanted);
    let differing = fields(begun).into_iter().filter_map(|(name, there)| {
        let here = wanted.get(&name)?;
        (there != *here).then(|| format!("{name} was {there} and is {here}"))
    });
    differing.collect::<Vec<_>>().join(", ")
}
