//! What reads the scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use metier::SkillCatalog;
use metier::runner::ScriptKind;
use serde::Serialize;
use tokio::process::Command;

use crate::printer::{clipped, count};
use crate::tool_outlook::ToolOutlook;

/// How long an interpreter may take to name its version.
const PATIENCE: Duration = Duration::from_secs(3);

/// An interpreter, or the lack of one.
#[derive(Serialize)]
pub(super) struct Interpreter {
    /// What is written in it.
    language: String,
    /// The applications whose skills need it; `python` for none in particular.
    applications: BTreeSet<String>,
    /// Where it is; absent when there is none.
    path: Option<String>,
    /// What it says of itself, for those that answer quickly.
    version: Option<String>,
    /// How many tools it runs.
    tools: usize,
}

/// The start of what stands in the place of a version.
const DOES_NOT_START: &str = "does not start";

impl Interpreter {
    /// What is wrong with one that is there and cannot be started: a virtual environment that was moved, a file of
    /// another system.
    pub(super) fn fault(&self) -> Option<(String, String)> {
        let said = self.version.as_deref()?;
        let path = self.path.as_deref()?;
        said.starts_with(DOES_NOT_START).then(|| {
            (
                format!(
                    "{} for {}: {path} {said}",
                    self.language,
                    count(self.tools, "tool")
                ),
                "name another one (`metier config show` tells what named this one), or mend it"
                    .to_owned(),
            )
        })
    }

    pub(super) fn row(&self) -> Vec<String> {
        let applications: Vec<&str> = self
            .applications
            .iter()
            .map(String::as_str)
            .filter(|application| *application != "python")
            .collect();
        let language = if applications.is_empty() {
            self.language.clone()
        } else {
            format!("{} ({})", self.language, applications.join(", "))
        };
        vec![
            language,
            count(self.tools, "tool"),
            self.path.clone().unwrap_or_else(|| "none found".to_owned()),
            // What is read over stands last, where it may be cut.
            self.version.clone().unwrap_or_default(),
        ]
    }
}

/// What is used by at least one tool of the catalog.
pub(super) async fn of(catalog: &SkillCatalog) -> Vec<Interpreter> {
    let registry = catalog.registry();
    let mut found: BTreeMap<(ScriptKind, Option<PathBuf>), (BTreeSet<String>, usize)> =
        BTreeMap::new();
    for summary in catalog.list_skills(None) {
        let Some(metadata) = catalog
            .get_skill_info(&summary.name)
            .and_then(|info| info.metadata)
        else {
            continue;
        };
        for tool in &metadata.tools {
            let outlook = ToolOutlook::of(tool, &metadata, registry.settings());
            let Some(script) = &outlook.script else {
                continue;
            };
            let Some(kind) = ScriptKind::of(Path::new(script)) else {
                continue;
            };
            // What runs in the application needs no interpreter.
            let Some(program) = outlook.program else {
                continue;
            };
            let path = program.ok().map(|program| program.interpreter);
            let entry = found.entry((kind, path)).or_default();
            entry.0.insert(metadata.dcc.clone());
            entry.1 += 1;
        }
    }
    let mut interpreters = Vec::new();
    for ((kind, path), (applications, tools)) in found {
        let version = match &path {
            Some(path) => version(kind, path).await,
            None => None,
        };
        interpreters.push(Interpreter {
            language: kind.label().to_owned(),
            applications,
            path: path.map(|path| path.display().to_string()),
            version,
            tools,
        });
    }
    interpreters
}

/// The first line an interpreter prints about itself. Those that start slowly or open a window are
/// not asked.
async fn version(kind: ScriptKind, path: &Path) -> Option<String> {
    let question = match kind {
        ScriptKind::Python | ScriptKind::Shell | ScriptKind::JavaScript => "--version",
        ScriptKind::Lua => "-v",
        _ => return None,
    };
    let asked = Command::new(path)
        .arg(question)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(answer)) if !answer.status.success() => Some(format!(
            "{DOES_NOT_START}: asked for its version, it ended with {}",
            answer.status
        )),
        Ok(Ok(answer)) => {
            let said = [answer.stdout, answer.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let line = said.lines().find(|line| !line.trim().is_empty())?;
            Some(clipped(line, 60))
        }
        Ok(Err(error)) => Some(format!("{DOES_NOT_START}: {error}")),
        Err(_) => Some(format!("no answer in {} s", PATIENCE.as_secs())),
    }
}
