//! Where skills were looked for, told to whoever found none.

use std::path::{Path, PathBuf};

use metier::loader::RootLabel;
use metier::skill_model::SkillStatus;
use metier::{CatalogSettings, SkillCatalog};
use serde::Serialize;

use crate::Failure;
use crate::printer::{Printer, table};

/// A folder that was searched.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    /// Why it was searched: `explicit`, `env`, `home` …
    pub(crate) label: &'static str,
    pub(crate) path: String,
    pub(crate) exists: bool,
}

/// A label for people: where the folder was named.
pub(crate) fn named(label: &str) -> &str {
    if label == RootLabel::Explicit.as_str() {
        "command line"
    } else {
        label
    }
}

/// The folders that a catalog with these settings searches, in order of precedence.
pub(crate) fn places(settings: &CatalogSettings, explicit: &[PathBuf]) -> Vec<Place> {
    let app = settings.only_dcc.as_deref().unwrap_or(&settings.app);
    let (roots, _) = settings.roots.resolve(explicit, app);
    roots
        .iter()
        .map(|root| Place {
            label: root.label.as_str(),
            path: root.path.display().to_string(),
            exists: root.path.is_dir(),
        })
        .collect()
}

/// Says where was looked and what to do, when nothing at all was found there, and gives how a command that
/// needs skills ends then.
pub(crate) fn tell_if_empty(
    printer: Printer,
    catalog: &SkillCatalog,
    explicit: &[PathBuf],
) -> Result<(), Failure> {
    let states = [
        None,
        Some(SkillStatus::Skipped),
        Some(SkillStatus::Shadowed),
    ];
    if states
        .iter()
        .any(|status| !catalog.list_skills(*status).is_empty())
    {
        return Ok(());
    }
    let registry = catalog.registry();
    for line in nothing_found(registry.settings(), explicit) {
        printer.say_prose(&line);
    }
    Err(Failure::NothingFound)
}

fn nothing_found(settings: &CatalogSettings, explicit: &[PathBuf]) -> Vec<String> {
    let mut lines = vec!["no skill was found; looked in:".to_owned()];
    let rows: Vec<Vec<String>> = places(settings, explicit)
        .into_iter()
        .map(|place| {
            let state = if place.exists {
                "no skill in it"
            } else {
                "no such folder"
            };
            vec![named(place.label).to_owned(), state.to_owned(), place.path]
        })
        .collect();
    lines.extend(table(&rows).into_iter().map(|line| format!("  {line}")));
    if let Some(dcc) = settings.only_dcc.as_deref() {
        lines.push(format!(
            "only skills for {dcc} and python count, because of --dcc"
        ));
    }
    if explicit.is_empty() && holds_skills(Path::new(".")) {
        lines.push("the current folder holds some: `metier list .` looks there".to_owned());
    }
    lines.push(
        "a skill is a folder with a SKILL.md: name the folder that holds some as PATH, \
         set DCC_MCP_SKILL_PATHS, or make one with `metier new NAME`"
            .to_owned(),
    );
    lines
}

/// Whether the folder is a skill, or one of those directly in it is.
fn holds_skills(folder: &Path) -> bool {
    let is_skill = |folder: &Path| folder.join("SKILL.md").is_file();
    is_skill(folder)
        || std::fs::read_dir(folder)
            .is_ok_and(|entries| entries.flatten().any(|entry| is_skill(&entry.path())))
}
