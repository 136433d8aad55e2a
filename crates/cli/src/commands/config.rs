//! `metier config`.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::catalog_settings::settings;
use crate::config::{Config as Settings, Fault, Key, Origin, help};
use crate::listening::Listening;
use crate::printer::Printer;
use crate::remembering::in_effect;
use crate::serving::Serving;

#[derive(Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show each setting, its value and where it comes from.
    #[command(after_help = help())]
    Show(Show),
}

#[derive(Args)]
struct Show {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    listening: Listening,
    #[command(flatten)]
    serving: Serving,
}

impl Config {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let Action::Show(show) = self.action;
        let (mut config, mut faults) = show.serving.config();
        show.listening.cover(&mut config);
        settings(&config, &show.serving.places, &mut faults);
        // A server decides this from three settings.
        if let Some(memory) = in_effect(&config) {
            config.layer.values.insert(Key::MemoryEnabled, memory);
        }
        // Whoever looks at settings need not hold the keys that the server is started with.
        let (lacking, faults): (Vec<Fault>, Vec<Fault>) =
            faults.into_iter().partition(|fault| fault.is_of_process);
        if show.json {
            printer.json(&to_json(&config, &faults, &lacking));
        } else {
            printer.rows(&rows(&config));
        }
        for note in &config.notes {
            printer.say(&format!("warning: {note}"));
        }
        for fault in &lacking {
            printer.say(&format!("warning: {fault}"));
        }
        match &config.file {
            Some((shown, _)) => printer.say(&format!("settings file: {shown}")),
            None => {
                printer.say("no settings file: there is no metier.toml here or in a folder above");
            }
        }
        if faults.is_empty() {
            return Ok(());
        }
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        Err(Failure::Usage(faults.join("\nerror: ")))
    }
}

fn rows(config: &Settings) -> Vec<Vec<String>> {
    let header = ["SETTING", "VALUE", "FROM"].map(str::to_owned).to_vec();
    let row = |name: &str, value: String, origin: &Origin| {
        vec![name.to_owned(), value, origin.to_string()]
    };
    let values = Key::ALL.iter().map(|key| match config.get(*key) {
        Some(found) => row(key.path(), found.value.to_string(), &found.origin),
        None => row(key.path(), "-".to_owned(), &Origin::BuiltIn),
    });
    let interpreters = config.layer.interpreters.iter().map(|(name, found)| {
        let value = found.value.display().to_string();
        row(&format!("interpreters.{name}"), value, &found.origin)
    });
    let hooks = config.layer.hooks.iter().map(|hook| {
        let set = &hook.value;
        let mut value = set.command_line();
        if !set.only.is_empty() {
            value = format!("{value} for {}", set.only.join(", "));
        }
        value = format!("{value}, {} s", set.timeout.as_secs_f64());
        if set.fail_closed {
            value.push_str(", fail closed");
        }
        row(&format!("hooks: {}", set.event), value, &hook.origin)
    });
    std::iter::once(header)
        .chain(values)
        .chain(interpreters)
        .chain(hooks)
        .collect()
}

fn to_json(config: &Settings, faults: &[Fault], lacking: &[Fault]) -> Value {
    let entry = |value: Value, origin: &Origin| {
        let (source, place) = match origin {
            Origin::BuiltIn => ("default", None),
            Origin::File(place) => ("file", Some(place.as_str())),
            Origin::Variable(name) => ("variable", Some(name.as_str())),
            Origin::Option(name) => ("option", Some(*name)),
        };
        json!({"value": value, "source": source, "place": place})
    };
    let mut values = Map::new();
    for key in Key::ALL {
        let entry = match config.get(key) {
            Some(found) => entry(found.value.to_json(), &found.origin),
            None => entry(Value::Null, &Origin::BuiltIn),
        };
        values.insert(key.path().to_owned(), entry);
    }
    for (name, found) in &config.layer.interpreters {
        let value = json!(found.value.to_string_lossy());
        values.insert(format!("interpreters.{name}"), entry(value, &found.origin));
    }
    let hooks = config.layer.hooks.iter().map(|hook| {
        let set = &hook.value;
        let value = json!({
            "event": set.event.as_str(),
            "command": set.command,
            "match": set.only,
            "timeout": set.timeout.as_secs_f64(),
            "fail_closed": set.fail_closed,
        });
        entry(value, &hook.origin)
    });
    let hooks: Vec<Value> = hooks.collect();
    json!({
        "file": config.file.as_ref().map(|(shown, _)| shown),
        "settings": values,
        "hooks": hooks,
        "faults": faults,
        "lacking": lacking,
    })
}
