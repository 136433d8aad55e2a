//! How skills come before a model: what a listing may take, who chooses, who may activate what.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use metier::catalog::LeftOut;
use metier::mcp::ClientSelector;
use metier::skill_protocol::{Decision, ScriptedSelector, SelectorError};
use metier::{CatalogSettings, HttpSelector, SkillCatalog};

use crate::config::{Config, Fault, Key, SELECTOR, Value, nearest, word};
use crate::options::place;
use crate::printer::Printer;

/// So much of a file of answers is read.
const LONGEST: u64 = 1 << 20;

#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choosing {
    /// Who chooses among the skills that `discover_skills` found where the search is not sure
    /// [default: caller].
    #[arg(long, value_enum, value_name = "WHO")]
    selector: Option<Selector>,
    /// The context window of the models in tokens: a listing of skills takes a hundredth of it
    /// [default: 8,000 characters].
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1_000..=100_000_000))]
    window: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Selector {
    /// The model that calls, among the hits it is given.
    Caller,
    /// The client's model, asked by `sampling/createMessage`.
    Client,
    /// The model that `[selector]` in metier.toml names.
    Http,
    /// The answers of a file, for trying.
    Scripted,
}

impl Choosing {
    /// Puts the options on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let selector = self.selector.map(|selector| Value::Text(word(selector)));
        config.layer.option(Key::Selector, selector);
        let window = self.window.and_then(|window| usize::try_from(window).ok());
        config.layer.option(Key::Window, window.map(Value::Count));
    }

    /// The same options as arguments for another process.
    pub(crate) fn as_arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if let Some(selector) = self.selector {
            arguments.extend(["--selector".to_owned(), word(selector)]);
        }
        if let Some(window) = self.window {
            arguments.extend(["--window".to_owned(), window.to_string()]);
        }
        arguments
    }
}

/// Whether the client's own model is asked.
pub(crate) fn client_selector(config: &Config) -> ClientSelector {
    if config.text(Key::Selector) == Some("client") {
        ClientSelector::Sampling
    } else {
        ClientSelector::Never
    }
}

/// What the catalog is told. A setting that cannot be used is left out and told.
pub(crate) fn apply(config: &Config, settings: &mut CatalogSettings, faults: &mut Vec<Fault>) {
    settings.disabled = config.texts(Key::Disabled).iter().cloned().collect();
    let protocol = &mut settings.protocol;
    protocol.window = config.number(Key::Window);
    for (key, decision) in [
        (Key::PermissionsDeny, Decision::Deny),
        (Key::PermissionsAllow, Decision::Allow),
        (Key::PermissionsAsk, Decision::Ask),
    ] {
        for rule in config.texts(key) {
            if let Err(fault) = protocol.permissions.add(decision, rule) {
                let cure = "correct it or leave it out";
                faults.push(Fault::new(place(config, key), fault.to_string(), cure));
            }
        }
    }
    if let Some(seconds) = config.seconds(Key::SelectorTimeout) {
        protocol.selector_limit = Duration::from_secs(seconds);
    }
    match config.text(Key::Selector) {
        Some("http") => match http(config, settings) {
            Ok(selector) => settings.protocol.selector = Some(Arc::new(selector)),
            Err(fault) => faults.push(fault),
        },
        Some("scripted") => match scripted(config) {
            Ok(selector) => settings.protocol.selector = Some(Arc::new(selector)),
            Err(fault) => faults.push(fault),
        },
        _ => {}
    }
}

fn http(config: &Config, settings: &CatalogSettings) -> Result<HttpSelector, Fault> {
    let address = needed(config, Key::SelectorUrl)?;
    let model = needed(config, Key::SelectorModel)?;
    let key = config.text(Key::SelectorKeyVariable).map(|name| {
        let key = settings.run.environment.get(name);
        let key = key.and_then(|key| key.to_str()).map(ToOwned::to_owned);
        key.ok_or_else(|| {
            Fault::new(
                place(config, Key::SelectorKeyVariable),
                format!("the variable {name} is not set"),
                "set it to the key, or leave `key_variable` out where none is needed",
            )
            .of_process()
        })
    });
    HttpSelector::new(address, model, key.transpose()?).map_err(|error| {
        let text = error.to_string();
        let (problem, cure) = text.split_once("; ").unwrap_or((&text, "correct it"));
        Fault::new(
            format!("{} {address}", place(config, Key::SelectorUrl)),
            problem,
            cure,
        )
    })
}

fn scripted(config: &Config) -> Result<ScriptedSelector, Fault> {
    let file = config.file(Key::SelectorAnswers);
    let file = file.ok_or_else(|| missing(config, Key::SelectorAnswers))?;
    let text = answers(file).map_err(|message| {
        let place = format!("{} {}", place(config, Key::SelectorAnswers), file.display());
        Fault::new(place, message, "name a file with an answer on each line")
    })?;
    let answers = text.lines().filter(|line| !line.trim().is_empty());
    let answers = answers.map(|line| Ok::<_, SelectorError>(line.to_owned()));
    Ok(ScriptedSelector::new(answers))
}

fn answers(file: &Path) -> Result<String, String> {
    let metadata = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Err("it is no file of at most 1 MiB".to_owned());
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}

fn needed(config: &Config, key: Key) -> Result<&str, Fault> {
    config.text(key).ok_or_else(|| missing(config, key))
}

/// A selector that lacks what it works with.
fn missing(config: &Config, key: Key) -> Fault {
    let who = config.text(Key::Selector).unwrap_or(SELECTOR[0]);
    let path = key.path();
    let (table, name) = path.split_once('.').unwrap_or(("", path));
    Fault::new(
        place(config, Key::Selector),
        format!("the selector `{who}` needs `{path}`"),
        format!(
            "write `{name}` below `[{table}]` in metier.toml, or set {}",
            key.variable()
        ),
    )
}

/// Names in `disabled` that no skill has: a misspelt one disables nothing.
pub(crate) fn unknown_names(config: &Config, catalog: &SkillCatalog) -> Vec<Fault> {
    let snapshot = catalog.snapshot();
    let found = snapshot.disabled_skills();
    let names = config.texts(Key::Disabled).iter();
    let unknown = names.filter(|name| !found.contains(name.as_str()));
    let skills = catalog.list_skills(None);
    let fault = |name: &String| {
        let near = nearest(name, skills.iter().map(|skill| skill.name.as_str()));
        let cure = near.map_or_else(
            || "`metier list` shows all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        let place = format!("{} {name}", place(config, Key::Disabled));
        Fault::new(
            place,
            "there is no such skill, and nothing is disabled by it",
            cure,
        )
    };
    unknown.map(fault).collect()
}

/// That the settings leave a skill out, and which one says so.
pub(crate) fn left_out(config: &Config, catalog: &SkillCatalog, name: &str) -> Option<String> {
    let snapshot = catalog.snapshot();
    let why = snapshot.left_out_skills().get(name)?;
    let key = match why {
        LeftOut::OtherApplication { .. } => Key::Dcc,
        _ => Key::Disabled,
    };
    let place = place(config, key);
    Some(format!("the skill `{name}` {why} ({place})"))
}

/// The same as warnings of a server.
pub(crate) fn warn_of_unknown_names(printer: Printer, config: &Config, catalog: &SkillCatalog) {
    for fault in unknown_names(config, catalog) {
        printer.say(&format!("warning: {fault}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_knows_the_words_of_the_option() {
        let words = Selector::value_variants().iter().map(|it| word(*it));
        assert_eq!(words.collect::<Vec<_>>(), SELECTOR);
    }
}
