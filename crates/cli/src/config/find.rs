//! Which file is in force.

use std::path::{Path, PathBuf};

use metier::loader::everybody_writes;
use metier::runner::EnvLookup;

use super::fault::Fault;
use super::layer::{Config, Layer};
use super::reading::Base;
use super::{file, variables};

const FILE: &str = "metier.toml";
const LARGEST: u64 = 1 << 20;

/// Which file is wanted.
#[derive(Clone, Debug, Default)]
pub(crate) enum Wanted {
    /// The one that `METIER_CONFIG` names, otherwise the nearest one from the working directory upwards.
    #[default]
    Usual,
    Named(PathBuf),
    None,
}

impl Config {
    /// Puts the layers together, options last. What is wrong with the file or a variable is told
    /// and left out, so that a caller can go on to look at the rest.
    pub(crate) fn read(
        wanted: Wanted,
        environment: &EnvLookup,
        home: Option<&Path>,
        options: Layer,
    ) -> (Self, Vec<Fault>) {
        let mut config = Self {
            layer: Layer::built_in(),
            ..Self::default()
        };
        let mut faults = Vec::new();
        let mut named_by = "";
        let wanted = match (wanted, environment.get("METIER_CONFIG")) {
            (Wanted::Usual, Some(named)) => {
                named_by = "METIER_CONFIG: ";
                Wanted::Named(named.into())
            }
            (wanted, _) => wanted,
        };
        config.file = match wanted {
            Wanted::Named(path) => Some((path.display().to_string(), path)),
            Wanted::Usual => std::env::current_dir()
                .ok()
                .and_then(|folder| upwards(&folder, &mut config.notes)),
            Wanted::None => None,
        };
        if let Some((shown, path)) = &config.file {
            match text(path) {
                Ok(text) => {
                    let base = Base {
                        folder: path.parent().unwrap_or(Path::new("")).to_owned(),
                        home: home.map(ToOwned::to_owned),
                    };
                    let (layer, mut wrong) = file::layer(&text, shown, &base);
                    config.layer.cover(layer);
                    faults.append(&mut wrong);
                }
                Err((message, cure)) => {
                    faults.push(Fault::new(format!("{named_by}{shown}"), message, cure));
                }
            }
        }
        let base = Base {
            folder: PathBuf::new(),
            home: home.map(ToOwned::to_owned),
        };
        for (name, cure) in variables::unknown(environment) {
            let note = format!("the variable {name} means nothing; {cure}");
            config.notes.push(note);
        }
        let (layer, mut wrong) = variables::layer(environment, &base);
        config.layer.cover(layer);
        faults.append(&mut wrong);
        config.layer.cover(options);
        (config, faults)
    }
}

/// The nearest file, shown as a path from the working directory.
///
/// A file that everybody can write to, or in a folder of that kind (a shared temporary folder), may be anybody's, and
/// it names programs that are run; it counts only when it is named.
fn upwards(start: &Path, notes: &mut Vec<String>) -> Option<(String, PathBuf)> {
    for (climbs, folder) in start.ancestors().enumerate() {
        let path = folder.join(FILE);
        // One that is there and cannot be read is told: a link to a drive that is late must not take the policies away.
        if path.symlink_metadata().is_err() {
            continue;
        }
        let shown = format!("{}{FILE}", "../".repeat(climbs));
        let open = [(folder, "its folder"), (&*path, "it")]
            .into_iter()
            .find(|(place, _)| everybody_writes(place));
        if let Some((_, place)) = open {
            notes.push(format!(
                "{shown} is passed over: everybody can write to {place}; name it with --config if it is yours"
            ));
            continue;
        }
        // What is relative in a file of the working directory stays relative, as a person wrote it.
        let path = PathBuf::from(&shown);
        return Some((shown, path));
    }
    None
}

fn text(path: &Path) -> Result<String, (String, String)> {
    let name = |message: String| (message, "name a TOML file that can be read".to_owned());
    let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => match std::fs::read_link(path) {
            Ok(target) => (
                format!(
                    "it is a link to {}, which is not there; its drive may be late",
                    target.display()
                ),
                "wait for it, name another file with --config, or start without with --no-config"
                    .to_owned(),
            ),
            Err(_) => name("there is no such file".to_owned()),
        },
        _ => name(error.to_string()),
    })?;
    if !metadata.is_file() {
        return Err(name("this is no file".to_owned()));
    }
    if metadata.len() > LARGEST {
        return Err(name(format!("{} bytes are too many", metadata.len())));
    }
    let bytes = std::fs::read(path).map_err(|error| name(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        (
            format!("byte {at} is not UTF-8"),
            "save the file as UTF-8".to_owned(),
        )
    })
}
