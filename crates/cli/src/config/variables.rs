//! The layer of `METIER_…` variables.

use std::path::PathBuf;

use metier::runner::EnvLookup;

use super::fault::Fault;
use super::key::Key;
use super::kind::Kind;
use super::layer::{Layer, Origin, Sourced};
use super::nearest::nearest;
use super::reading::Base;
use super::value::Value;

/// What would be the variable of the one table that has none.
const HOOKS: &str = "METIER_HOOKS";

const INTERPRETERS: &str = "METIER_INTERPRETERS_";

/// Variables of this name that are read elsewhere.
const OTHERS: [&str; 5] = [
    "METIER_CONFIG",
    "METIER_LOG",
    "METIER_HOST_SKILL_DIRS",
    "METIER_PATIENCE_MS",
    "METIER_MCP_SKILLS",
];

/// What the variables say. One that is set to nothing counts as not set.
pub(super) fn layer(environment: &EnvLookup, base: &Base) -> (Layer, Vec<Fault>) {
    let mut layer = Layer::default();
    let mut faults = Vec::new();
    for key in Key::ALL {
        let name = key.variable();
        let Some(text) = environment.get(&name) else {
            continue;
        };
        match Value::of_variable(key.kind(), text, base) {
            Ok(value) => layer.set(key, value, Origin::Variable(name)),
            Err(wrong) => faults.push(Fault::new(
                name,
                format!("found {}", wrong.found),
                format!("expected {}", wrong.expected),
            )),
        }
    }
    for (name, text) in environment.vars() {
        let Some(name) = name.to_str() else { continue };
        let Some(interpreter) = name.strip_prefix(INTERPRETERS) else {
            continue;
        };
        if interpreter.is_empty() || text.is_empty() {
            continue;
        }
        if let Ok(Value::Program(path)) = Value::of_variable(Kind::Program, &text, base) {
            // Applications are written in lower case with hyphens, which no variable can have.
            let key = interpreter.to_lowercase().replace('_', "-");
            layer.interpreters.insert(
                key,
                Sourced::<PathBuf> {
                    value: path,
                    origin: Origin::Variable(name.to_owned()),
                },
            );
        }
    }
    (layer, faults)
}

/// Variables that look like ours and mean nothing, each with what helps: the one that may have been meant, or where its
/// setting stands.
pub(super) fn unknown(environment: &EnvLookup) -> Vec<(String, String)> {
    let ours: Vec<String> = Key::ALL.iter().map(|key| key.variable()).collect();
    let known = || ours.iter().map(String::as_str).chain(OTHERS);
    environment
        .vars()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with("METIER_") && !name.starts_with(INTERPRETERS))
        .filter(|name| known().all(|known| known != name))
        .map(|name| {
            let cure = match nearest(&name, known()) {
                _ if name == HOOKS => "hooks stand in metier.toml alone".to_owned(),
                Some(near) => format!("did you mean {near}?"),
                None => "`metier config show --help` lists those there are".to_owned(),
            };
            (name, cure)
        })
        .collect()
}
