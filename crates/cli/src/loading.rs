//! Skills that a server has loaded before its first client asks.

use clap::Args;
use metier::SkillCatalog;
use metier::catalog::{LoadError, LoadRequest};

use crate::Failure;
use crate::config::{Config, Key};
use crate::options::place;
use crate::printer::Printer;

/// Stands for every skill.
const ALL: &str = "all";

/// What is loaded at the start.
#[derive(Args, Clone, Default)]
pub(crate) struct Loading {
    /// Load this skill at the start, or `all`; may be given several times. A client that asks once and
    /// goes can then call its tools.
    #[arg(long = "load", value_name = "NAME|all")]
    names: Vec<String>,
}

impl Loading {
    /// The same option as arguments for another process.
    pub(crate) fn as_arguments(&self) -> impl Iterator<Item = String> {
        let names = self.names.iter();
        names.flat_map(|name| ["--load".to_owned(), name.clone()])
    }

    /// Loads what the option names, or else the settings. A name that no skill has is refused; a
    /// skill that cannot be loaded is told, and the others are served.
    pub(crate) async fn load(
        &self,
        printer: Printer,
        catalog: &SkillCatalog,
        config: &Config,
    ) -> Result<(), Failure> {
        let (origin, names) = if self.names.is_empty() {
            (place(config, Key::Load), config.texts(Key::Load).to_vec())
        } else {
            ("--load".to_owned(), self.names.clone())
        };
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
}
