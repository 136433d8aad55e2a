//! Skills that a server has loaded before its first client asks.

use clap::Args;
use metier::SkillCatalog;
use metier::catalog::{LoadError, LoadRequest};

use crate::Failure;
use crate::config::{Config, Key, Value};
use crate::options::place;
use crate::printer::Printer;

/// Stands for every skill.
const ALL: &str = "all";

/// What is loaded at the start.
#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct Loading {
    /// Load this skill at the start, or `all`; may be given several times. A client that asks once and
    /// goes can then call its tools.
    #[arg(long = "load", value_name = "NAME|all")]
    names: Vec<String>,
}

impl Loading {
    /// Puts the option on top of the other settings.
    pub(crate) fn cover(&self, config: &mut Config) {
        let names = (!self.names.is_empty()).then(|| self.names.clone());
        config.layer.option(Key::Load, names.map(Value::Texts));
    }

    /// The same option as arguments for another process.
    pub(crate) fn as_arguments(&self) -> impl Iterator<Item = String> {
        let names = self.names.iter();
        names.flat_map(|name| ["--load".to_owned(), name.clone()])
    }
}

/// Loads what the settings name. A name that no skill has is refused; a skill that cannot be loaded is
/// told, and the others are served.
pub(crate) async fn load(
    printer: Printer,
    catalog: &SkillCatalog,
    config: &Config,
) -> Result<(), Failure> {
    let (origin, names) = (place(config, Key::Load), config.texts(Key::Load).to_vec());
    let names = if names.iter().any(|name| name == ALL) {
        let skills = catalog.list_skills(None);
        skills.into_iter().map(|skill| skill.name).collect()
    } else {
        names
    };
    let requests = names
        .iter()
        .map(|name| LoadRequest::new(name.as_str()))
        .collect();
    for (name, loaded) in names.iter().zip(catalog.load_all(requests).await) {
        match loaded {
            Ok(_) => {}
            Err(LoadError::Unknown { nearest, .. }) => {
                let cure = nearest.first().map_or_else(
                    || "`metier list` shows all".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                return Err(Failure::Usage(format!(
                    "{origin} {name}: there is no such skill; {cure}"
                )));
            }
            Err(error) => printer.say(&format!("warning: {origin} {name}: {error}")),
        }
    }
    Ok(())
}
