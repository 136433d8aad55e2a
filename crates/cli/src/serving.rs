//! What every server of skills is started with, whoever carries its messages.

use std::sync::Arc;

use clap::Args;
use metier::{AgentMemory, CatalogSettings, SkillCatalog};

use crate::Failure;
use crate::attaching::warn_if_unattached;
use crate::choosing::{self, Choosing};
use crate::config::{Config, Fault, Key, Value};
use crate::confirming::Confirming;
use crate::freed_memory;
use crate::listing::Listing;
use crate::loading::{self, Loading};
use crate::options::{Running, SkillPlaces, follow};
use crate::persisting::{self, Persistence, Persisting};
use crate::printer::Printer;
use crate::program_hooks::warn_if_idle;
use crate::remembering::{self, Remembering};
use crate::watch_talk::WatchTalk;

/// The options of `metier stdio`. `metier serve` has them and where it listens; `metier connect-client`
/// hands them on; `metier config show` tells what they come to.
#[derive(Args, Clone, Default, PartialEq, Eq)]
pub(crate) struct Serving {
    /// Follow the folders: what changes there is served without a restart.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    persisting: Persisting,
    #[command(flatten)]
    remembering: Remembering,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    confirming: Confirming,
    #[command(flatten)]
    choosing: Choosing,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    pub(crate) places: SkillPlaces,
}

/// What a server writes until its end.
pub(crate) struct Kept {
    persistence: Option<Persistence>,
    memory: Option<Arc<AgentMemory>>,
}

impl Kept {
    /// Writes what is not written yet. After the end of all sessions.
    pub(crate) async fn close(self) {
        if let Some(memory) = self.memory {
            remembering::end(memory).await;
        }
        if let Some(persistence) = self.persistence {
            persistence.close().await;
        }
    }
}

impl Serving {
    /// What the catalog is told, and every setting with its origin.
    pub(crate) fn settings(&self) -> Result<(CatalogSettings, Config), Failure> {
        let (mut settings, config) = Running::settings_of(self.config(), &self.places)?;
        if let Some(quality) = persisting::experience(&config)? {
            settings.protocol.quality = quality;
        }
        Ok((settings, config))
    }

    /// What both servers do between finding the skills and serving them, and what is to be kept of it.
    pub(crate) async fn prepare(
        printer: Printer,
        catalog: &SkillCatalog,
        chosen: &Config,
    ) -> Result<Kept, Failure> {
        let memory = remembering::begin(printer, catalog, chosen);
        if chosen.flag(Key::Watch) {
            let talk = WatchTalk::begin(catalog);
            follow(catalog)?;
            tokio::spawn(talk.tell(printer));
        }
        choosing::warn_of_unknown_names(printer, chosen, catalog);
        warn_if_unattached(chosen).await;
        warn_if_idle(printer, chosen, catalog);
        let persistence = persisting::begin(printer, catalog, chosen).await?;
        loading::load(printer, catalog, chosen).await?;
        freed_memory::give_back(catalog);
        Ok(Kept {
            persistence,
            memory,
        })
    }

    /// Every setting with its origin, and what is wrong with those that cannot be used.
    pub(crate) fn config(&self) -> (Config, Vec<Fault>) {
        let (mut config, faults) = self.running.config(&self.places);
        self.cover(&mut config);
        (config, faults)
    }

    fn cover(&self, config: &mut Config) {
        let watch = self.watch.then_some(Value::Flag(true));
        config.layer.option(Key::Watch, watch);
        self.loading.cover(config);
        self.persisting.cover(config);
        self.remembering.cover(config);
        self.listing.cover(config);
        self.confirming.cover(config);
        self.choosing.cover(config);
    }

    /// The same choice as arguments for another process, which may stand elsewhere: paths absolute,
    /// and the settings file that is in force here named.
    pub(crate) fn as_arguments(&self) -> Result<Vec<String>, Failure> {
        let mut arguments = Vec::new();
        if self.watch {
            arguments.push("--watch".to_owned());
        }
        arguments.extend(self.loading.as_arguments());
        arguments.extend(self.persisting.as_arguments()?);
        arguments.extend(self.remembering.as_arguments()?);
        arguments.extend(self.listing.as_arguments());
        arguments.extend(self.confirming.as_arguments());
        arguments.extend(self.choosing.as_arguments());
        arguments.extend(self.running.as_arguments()?);
        arguments.extend(self.places.as_arguments()?);
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, CommandFactory as _, Parser};

    use super::*;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        serving: Serving,
    }

    /// Something that the option takes.
    fn sample(option: &Arg) -> Option<String> {
        if !option.get_action().takes_values() {
            return None;
        }
        let first = option.get_possible_values().into_iter().next_back();
        Some(match (first, option.get_id().as_str()) {
            (Some(word), _) => word.get_name().to_owned(),
            (None, "timeout") => "5".to_owned(),
            (None, "window") => "200000".to_owned(),
            (None, "persist") => "ignore_version".to_owned(),
            (None, _) => "name".to_owned(),
        })
    }

    #[test]
    fn every_option_is_handed_on() {
        let command = Alone::command();
        let mut given = Vec::new();
        for option in command.get_opts() {
            // One of the two leaves no place for the other.
            if matches!(option.get_id().as_str(), "help" | "no_config") {
                continue;
            }
            let name = format!("--{}", option.get_long().unwrap());
            let value = sample(option).map(|value| format!("={value}"));
            given.push(format!("{name}{}", value.unwrap_or_default()));
        }
        assert!(given.len() > 18, "{given:?}");
        let words = |given: &[String]| {
            let words = ["metier"].map(ToOwned::to_owned).into_iter();
            let serving = Alone::parse_from(words.chain(given.to_vec())).serving;
            serving.as_arguments().unwrap()
        };
        let handed_on = words(&given);
        for option in &given {
            let name = option.split('=').next().unwrap();
            // The settings file is the one in force, and there is none of this name.
            let is_there = handed_on
                .iter()
                .any(|word| word.split('=').next() == Some(name));
            assert!(is_there || name == "--config", "{name}: {handed_on:?}");
        }
        assert!(words(&["--no-config".to_owned()]).contains(&"--no-config".to_owned()));
        // Handed on once more, nothing changes.
        assert_eq!(words(&handed_on), handed_on);
    }
}
