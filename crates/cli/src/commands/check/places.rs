//! Which folders are checked, and how strictly.

use std::path::{Path, PathBuf};

use clap::Args;
use metier::CatalogSettings;
use metier::check::CheckOptions;
use metier::loader::{Root, RootLabel};

use crate::Failure;
use crate::catalog_settings::settings;
use crate::config::{Config, Key, Origin};
use crate::given_path::readable_folder;
use crate::options::{Running, SkillPlaces};
use crate::printer::Printer;

/// Where the skills to check are, and how they are read.
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(super) struct CheckPlaces {
    /// Read skills as servers do: what can be worked around is a warning.
    #[arg(long)]
    lenient: bool,
    /// Read skills as `serve --strict` does; this is the default unless the settings say otherwise.
    #[arg(long, conflicts_with = "lenient")]
    strict: bool,
    /// Also check the usual places of skills.
    #[arg(long)]
    with_defaults: bool,
    /// Also check the skills of agents in the project and the home folder: `.claude/skills`, `.agents/skills` and
    /// `.openspace/skills`.
    #[arg(long)]
    agent_skills: bool,
    /// The application whose usual places are meant [default: python].
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
    /// Read the settings from this file; otherwise from metier.toml in the working directory or the
    /// nearest folder above.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Read no settings from a file.
    #[arg(long)]
    no_config: bool,
    /// Folders with skills, or a SKILL.md; without any, `roots` of the settings, otherwise the current
    /// folder.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl CheckPlaces {
    /// The folders and the mode.
    pub(super) fn resolve(&self) -> Result<(Vec<Root>, CheckOptions), Failure> {
        let paths = self
            .paths
            .iter()
            .map(|path| folder(path))
            .collect::<Result<Vec<_>, _>>()?;
        let places = SkillPlaces {
            app: self.app.clone(),
            with_defaults: self.with_defaults,
            agent_skills: self.agent_skills,
            config: self.config.clone(),
            no_config: self.no_config,
            paths,
            ..SkillPlaces::default()
        };
        let (config, mut faults) = Running::default().config(&places);
        for note in &config.notes {
            Printer.say(&format!("warning: {note}"));
        }
        let settings = settings(&config, &places, &mut faults);
        if !faults.is_empty() {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            return Err(Failure::Usage(faults.join("\nerror: ")));
        }
        let options = if self.is_lenient(&config) {
            CheckOptions::default().lenient()
        } else {
            CheckOptions::default()
        };
        Ok((self.roots(&places.paths, &config, &settings), options))
    }

    /// Checking is strict by itself; an option counts before what the settings say.
    fn is_lenient(&self, config: &Config) -> bool {
        if self.lenient || self.strict {
            return self.lenient;
        }
        let said = config
            .get(Key::Strict)
            .is_some_and(|strict| strict.origin != Origin::BuiltIn);
        said && !config.flag(Key::Strict)
    }

    fn roots(&self, paths: &[PathBuf], config: &Config, settings: &CatalogSettings) -> Vec<Root> {
        let mut places = settings.roots.clone();
        places.with_defaults = self.with_defaults;
        if self.with_defaults || !paths.is_empty() {
            return places.resolve(paths, &settings.app).0;
        }
        let labelled =
            |label, paths: &[PathBuf]| paths.iter().map(|path| Root::new(label, path)).collect();
        let mut roots: Vec<Root> = match config.folders(Key::Roots) {
            [] => labelled(RootLabel::Explicit, &[PathBuf::from(".")]),
            configured => labelled(RootLabel::Configured, configured),
        };
        roots.extend(places.resolve(&[], &settings.app).0);
        roots
    }
}

/// The folder to check; a SKILL.md stands for its own, so that editors and commit hooks can hand over
/// the file they have.
fn folder(path: &Path) -> Result<PathBuf, Failure> {
    let is_skill_file = path.is_file()
        && path
            .file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    if !is_skill_file {
        readable_folder(path)?;
        return Ok(path.to_owned());
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    Ok(folder.map_or_else(|| PathBuf::from("."), PathBuf::from))
}
