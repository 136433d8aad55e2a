//! How a tool would run, and why it would not.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use metier::CatalogSettings;
use metier::capability::CapabilitySet;
use metier::check::required_and_forbidden;
use metier::runner::{Program, ResolveError, ScriptKind};
use metier::skill_model::{Affinity, JsonObject, ScriptLookup, SkillMetadata, ToolDeclaration};
use serde::Serialize;

/// The cure for a tool that lacks its application.
const ATTACH: &str = "start the adapter that `metier host-adapter` prints in the application, and name its file with --attach FILE";

/// What a call of a tool would come to.
pub(crate) struct ToolOutlook {
    /// The script, relative to the skill.
    pub(crate) script: Option<String>,
    /// What would read it; absent where there is no script.
    pub(crate) program: Option<Result<Program, ResolveError>>,
    /// Why a call would fail.
    pub(crate) obstacles: Vec<Obstacle>,
}

/// Something that would fail, and the cure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Obstacle {
    pub(crate) problem: String,
    pub(crate) cure: String,
}

impl Obstacle {
    pub(crate) fn new(problem: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            cure: cure.into(),
        }
    }
}

/// So much of a shell script is looked through.
const LOOKED_AT: u64 = 64 << 10;

fn has_crlf(script: File) -> bool {
    let mut start = Vec::new();
    let read = script.take(LOOKED_AT).read_to_end(&mut start);
    read.is_ok() && start.windows(2).any(|pair| pair == b"\r\n")
}

impl ToolOutlook {
    pub(crate) fn of(
        tool: &ToolDeclaration,
        skill: &SkillMetadata,
        settings: &CatalogSettings,
    ) -> Self {
        let mut outlook = Self {
            script: None,
            program: None,
            obstacles: Vec::new(),
        };
        if let Some(refusal) = &tool.refusal {
            outlook.fails(refusal.reason.as_str(), "mend its entry in the tools file");
        }
        let schema = tool.input_schema.as_ref().map(JsonObject::map);
        for slip in schema.iter().flat_map(required_and_forbidden) {
            let problem = format!("no call fits `input_schema`: {}", slip.message);
            outlook.fails(problem, slip.help);
        }
        match &tool.script {
            ScriptLookup::Script { path } => {
                outlook.script = Some(path.clone());
                let opened = File::open(skill.skill_path.join(path));
                if opened
                    .as_ref()
                    .is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
                {
                    outlook.fails(
                        format!("permission denied for `{path}`"),
                        "let the user that the server runs as read it",
                    );
                }
                if ScriptKind::of(Path::new(path)) == Some(ScriptKind::Shell)
                    && opened.is_ok_and(has_crlf)
                {
                    outlook.fails(
                        format!("`{path}` has CRLF line endings, which a shell cannot read"),
                        "save it with LF line endings",
                    );
                }
                let run = &settings.run;
                if !run.runs_in_host(tool.affinity, tool.requires_in_process, Path::new(path)) {
                    outlook.finds_interpreter(&tool.name, path, skill, settings);
                }
            }
            ScriptLookup::Missing { path, similar } => {
                let cure = match similar {
                    Some(similar) => format!("there is `{similar}`, and letter case counts"),
                    None => format!("add `{path}`, or correct `source_file`"),
                };
                outlook.fails(format!("script not found: {path}"), cure);
            }
            // What is wrong with the entry is said above.
            _ if tool.refusal.is_some() => {}
            _ => outlook.fails(
                "there is no script for it",
                "set `source_file`, or name a script in scripts/ after the tool",
            ),
        }
        if tool.requires_in_process && settings.run.host.is_none() {
            outlook.fails("it can run only inside its application", ATTACH);
        } else if tool.affinity == Affinity::Main
            && settings.run.require_host
            && settings.run.host.is_none()
        {
            outlook.fails(
                "it needs the application's main thread",
                format!("{ATTACH}, or leave `require_host` out"),
            );
        }
        let declared = CapabilitySet::new(&settings.declared_capabilities);
        let missing = declared.check(&tool.required_capabilities);
        if !missing.is_empty() {
            outlook.fails(
                format!(
                    "it requires {}, which the host does not declare",
                    missing.join(", ")
                ),
                format!(
                    "--capability {}, if the host can do that",
                    missing.join(" --capability ")
                ),
            );
        }
        outlook
    }

    fn finds_interpreter(
        &mut self,
        tool: &str,
        path: &str,
        skill: &SkillMetadata,
        settings: &CatalogSettings,
    ) {
        let run = &settings.run;
        let found =
            run.interpreters
                .resolve(Path::new(path), Some(skill.dcc.as_str()), &run.environment);
        if let Ok(program) = &found {
            tracing::debug!(tool = %tool, interpreter = %program.interpreter.display(), "interpreter chosen");
        }
        if let Err(error) = &found {
            // The messages end with their cure behind a semicolon or a colon.
            let text = error.to_string();
            let (problem, cure) = text
                .split_once("; ")
                .or_else(|| text.split_once(": "))
                .unwrap_or((text.as_str(), "see `metier config show`"));
            self.fails(problem, cure);
        }
        self.program = Some(found);
    }

    fn fails(&mut self, problem: impl Into<String>, cure: impl Into<String>) {
        self.obstacles.push(Obstacle::new(problem, cure));
    }
}
