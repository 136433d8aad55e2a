//! Interpreters that somebody named and that cannot be used, found before a tool needs them.

use std::path::Path;

use metier::runner::ScriptKind;
use metier::runner::{Origin as NamedBy, ResolveError};
use metier::{CatalogSettings, SkillCatalog};

use crate::config::{Config, Fault, Key, Origin};

const CURE: &str = "name a program that can be executed, or leave it out";

/// A program and its arguments are not one program.
fn cure(named: &Path) -> &'static str {
    if named.to_string_lossy().contains(' ') {
        "name the program alone: it gets no arguments here; a script of your own can add them"
    } else {
        CURE
    }
}

/// Those that were named, in the order python, applications and extensions.
pub(crate) fn faults(config: &Config, settings: &CatalogSettings) -> Vec<Fault> {
    let mut faults = Vec::new();
    faults.extend(python(config, settings));
    for (name, interpreter) in &config.layer.interpreters {
        let by_host = settings.run.interpreters.by_host.contains_key(name);
        let (script, host) = if by_host {
            ("x.mel".to_owned(), Some(name.as_str()))
        } else {
            (format!("x.{name}"), None)
        };
        let configured = NamedBy::Configured(name.clone());
        if let Some((origin, message)) = wrong(settings, &script, host)
            && origin == configured
        {
            let place = format!("{}: interpreters.{name}", interpreter.origin);
            faults.push(Fault::new(place, message, cure(&interpreter.value)));
        }
    }
    faults
}

/// Whether the fault is that of the option `--python`, without which nothing was meant to start.
pub(crate) fn is_of_option(fault: &Fault) -> bool {
    fault.place == "--python"
}

fn python(config: &Config, settings: &CatalogSettings) -> Option<Fault> {
    let (origin, message) = wrong(settings, "x.py", None)?;
    let place = match origin {
        NamedBy::PythonOption => match &config.get(Key::Python)?.origin {
            Origin::File(place) => format!("{place}: {}", Key::Python.path()),
            other => other.to_string(),
        },
        NamedBy::Variable(name) => name,
        // The entry `py` of `[interpreters]` is told with the others.
        _ => return None,
    };
    Some(Fault::new(place, message, CURE))
}

/// Who named the interpreter of such a script, and what is wrong with it.
fn wrong(
    settings: &CatalogSettings,
    script: &str,
    host: Option<&str>,
) -> Option<(NamedBy, String)> {
    let run = &settings.run;
    let found = run
        .interpreters
        .resolve(Path::new(script), host, &run.environment);
    match found {
        Err(ResolveError::WrongOverride {
            origin,
            value,
            fault,
        }) => Some((origin, format!("`{}` {fault}", value.display()))),
        _ => None,
    }
}

/// The entries that no skill of the catalog can mean: neither its application nor the extension of a script.
pub(crate) fn unused<'c>(
    config: &'c Config,
    catalog: &SkillCatalog,
) -> impl Iterator<Item = &'c str> {
    let skills = catalog.list_skills(None);
    let names = config.layer.interpreters.keys().map(String::as_str);
    names.filter(move |name| {
        !ScriptKind::EXTENSIONS.contains(name)
            && skills
                .iter()
                .all(|skill| !skill.dcc.eq_ignore_ascii_case(name))
    })
}
