//! Where skills are looked for: one labelled list, first wins.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use metier_diagnostics::Diagnostic;

use crate::codes;

mod project;

pub use project::{everybody_writes, project_folders};

/// Why a folder is searched. The order of the variants is the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RootLabel {
    /// Given on the command line or by the caller.
    Explicit,
    /// Given by the host through `METIER_HOST_SKILL_DIRS` or `OPENSPACE_HOST_SKILL_DIRS`.
    Host,
    /// `DCC_MCP_{APP}_SKILL_PATHS`.
    AppEnv,
    /// `DCC_MCP_SKILL_PATHS`.
    Env,
    /// `roots` of the configuration file.
    Configured,
    /// An agent folder of the project.
    Project,
    /// An agent folder of the user.
    User,
    /// `~/.dcc-mcp/{app}/skills`.
    Home,
    /// The data folder of the platform.
    Platform,
    /// Delivered with the program.
    Bundled,
}

impl RootLabel {
    /// The word used in ids and lists.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Host => "host",
            Self::AppEnv => "app-env",
            Self::Env => "env",
            Self::Configured => "configured",
            Self::Project => "project",
            Self::User => "user",
            Self::Home => "home",
            Self::Platform => "platform",
            Self::Bundled => "bundled",
        }
    }

    /// Whether somebody named the folder, so that its absence is worth a word.
    pub(crate) const fn is_named(self) -> bool {
        matches!(
            self,
            Self::Explicit | Self::Host | Self::AppEnv | Self::Env | Self::Configured
        )
    }
}

impl fmt::Display for RootLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A folder to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Why it is searched.
    pub label: RootLabel,
    /// The folder as it was named; for the operator, never for a client.
    pub path: PathBuf,
}

impl Root {
    /// A root.
    pub fn new(label: RootLabel, path: impl Into<PathBuf>) -> Self {
        Self {
            label,
            path: path.into(),
        }
    }
}

/// Everything that decides on the roots, as values: nothing is read from the process.
#[expect(missing_debug_implementations, reason = "the environment is a closure")]
#[derive(Clone)]
pub struct RootSources<'a> {
    /// Folders named by the caller; they come first.
    pub explicit: &'a [PathBuf],
    /// The application (`maya`); empty when there is none.
    pub app: &'a str,
    /// The environment.
    pub environment: &'a dyn Fn(&str) -> Option<OsString>,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The folder below which the platform keeps this program's data; its `skills/{app}` and
    /// `skills` are searched.
    pub platform_data: Option<PathBuf>,
    /// `roots` of the configuration file.
    pub configured: &'a [PathBuf],
    /// Folders whose agent folders (`.claude/skills`, `.agents/skills`, `.openspace/skills`) are searched, and those of the
    /// home folder after them, whatever `with_defaults` says; with `None` no agent folder is. [`project_folders`] gives
    /// those of a project.
    pub agent_folders_of: Option<&'a [PathBuf]>,
    /// Whether the usual places are searched: those of the environment, the configured ones, those of the application.
    pub with_defaults: bool,
}

/// The folders to search, in order of precedence, and what was odd about their sources.
///
/// The variables of the application and the global one are both read. The separator is the
/// platform's (the host's variables allow commas too), blanks are trimmed, a leading `~/` is the
/// home folder. An empty entry is never the current directory. Whether a folder exists is the
/// scan's business.
pub fn resolve_roots(sources: &RootSources<'_>) -> (Vec<Root>, Vec<Diagnostic>) {
    let mut roots: Vec<Root> = sources
        .explicit
        .iter()
        .map(|path| Root::new(RootLabel::Explicit, path))
        .collect();
    let mut diagnostics = Vec::new();
    if !sources.with_defaults {
        roots.extend(agent_roots(sources));
        return (roots, diagnostics);
    }
    let mut variable = |name: &str, label, commas| {
        let Some(value) = (sources.environment)(name) else {
            return;
        };
        let mut empty = 0_usize;
        for entry in entries(&value, commas) {
            match entry_path(&entry, sources.home.as_deref()) {
                Some(path) => roots.push(Root::new(label, path)),
                None => empty += 1,
            }
        }
        // A variable that is set to nothing is as good as unset.
        let blank = value.to_str().is_some_and(|text| text.trim().is_empty());
        if empty > 0 && !blank {
            let entries = if empty == 1 { "entry" } else { "entries" };
            diagnostics.push(
                Diagnostic::warning(
                    codes::EMPTY_ROOT_ENTRY,
                    format!("{name} holds {empty} empty {entries}, which count for nothing"),
                )
                .help("write `.` where the current directory is meant"),
            );
        }
    };
    variable("METIER_HOST_SKILL_DIRS", RootLabel::Host, true);
    variable("OPENSPACE_HOST_SKILL_DIRS", RootLabel::Host, true);
    if !sources.app.is_empty() {
        let app = sources.app.to_uppercase().replace('-', "_");
        variable(
            &format!("DCC_MCP_{app}_SKILL_PATHS"),
            RootLabel::AppEnv,
            false,
        );
    }
    variable("DCC_MCP_SKILL_PATHS", RootLabel::Env, false);
    roots.extend(
        sources
            .configured
            .iter()
            .map(|path| Root::new(RootLabel::Configured, path)),
    );
    roots.extend(agent_roots(sources));
    // An application's name becomes part of a path here; one that could climb is left out.
    let app =
        Some(sources.app).filter(|app| !app.is_empty() && !app.contains(['/', '\\', ':', '.']));
    if let (Some(home), Some(app)) = (&sources.home, app) {
        roots.push(Root::new(
            RootLabel::Home,
            home.join(".dcc-mcp").join(app).join("skills"),
        ));
    }
    if let Some(data) = &sources.platform_data {
        if let Some(app) = app {
            roots.push(Root::new(
                RootLabel::Platform,
                data.join("skills").join(app),
            ));
        }
        roots.push(Root::new(RootLabel::Platform, data.join("skills")));
    }
    (roots, diagnostics)
}

/// Where agents keep the skills of a project or a user, in order of precedence.
const AGENT_FOLDERS: [&str; 3] = [".claude", ".agents", ".openspace"];

fn agent_roots(sources: &RootSources<'_>) -> Vec<Root> {
    let Some(project) = sources.agent_folders_of else {
        return Vec::new();
    };
    let of = |label, folder: &Path| {
        let folders = AGENT_FOLDERS.map(|agent| folder.join(agent).join("skills"));
        folders.map(|path| Root::new(label, path))
    };
    let project = project.iter();
    let project = project.flat_map(|folder| of(RootLabel::Project, folder));
    let user = sources.home.iter();
    project
        .chain(user.flat_map(|home| of(RootLabel::User, home)))
        .collect()
}

fn entries(value: &OsStr, commas: bool) -> Vec<PathBuf> {
    std::env::split_paths(value)
        .flat_map(|entry| match entry.to_str() {
            Some(text) if commas => text.split(',').map(PathBuf::from).collect(),
            _ => vec![entry],
        })
        .collect()
}

fn entry_path(entry: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let Some(text) = entry.to_str() else {
        // A path that is no text has no blanks that could be trimmed.
        return Some(entry.to_path_buf());
    };
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => Some(home.to_path_buf()),
        (Some(rest), Some(home)) if rest.starts_with(['/', '\\']) => {
            Some(home.join(rest.trim_start_matches(['/', '\\'])))
        }
        _ => Some(PathBuf::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn roots(app: &str, variables: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let variables: BTreeMap<_, _> = variables.iter().copied().collect();
        let environment = |name: &str| variables.get(name).map(OsString::from);
        let (roots, diagnostics) = resolve_roots(&RootSources {
            explicit: &[PathBuf::from("given")],
            app,
            environment: &environment,
            home: Some(PathBuf::from("/projects/me")),
            platform_data: Some(PathBuf::from("/data")),
            configured: &[PathBuf::from("configured")],
            agent_folders_of: Some(&[PathBuf::from("/w/p/in"), PathBuf::from("/w/p")]),
            with_defaults: true,
        });
        let roots = roots
            .iter()
            .map(|root| format!("{} {}", root.label, root.path.display()))
            .collect();
        (roots, diagnostics.iter().map(ToString::to_string).collect())
    }

    #[cfg(unix)]
    #[test]
    fn one_list_in_order() {
        let (roots, diagnostics) = roots(
            "rig-tool",
            &[
                ("DCC_MCP_SKILL_PATHS", " /a :: ~/b:"),
                ("DCC_MCP_RIG_TOOL_SKILL_PATHS", "/app"),
                ("METIER_HOST_SKILL_DIRS", "/h1,/h2:/h3"),
                ("OPENSPACE_HOST_SKILL_DIRS", "/o"),
            ],
        );
        assert_eq!(
            roots,
            [
                "explicit given",
                "host /h1",
                "host /h2",
                "host /h3",
                "host /o",
                "app-env /app",
                "env /a",
                "env /projects/me/b",
                "configured configured",
                "project /w/p/in/.claude/skills",
                "project /w/p/in/.agents/skills",
                "project /w/p/in/.openspace/skills",
                "project /w/p/.claude/skills",
                "project /w/p/.agents/skills",
                "project /w/p/.openspace/skills",
                "user /projects/me/.claude/skills",
                "user /projects/me/.agents/skills",
                "user /projects/me/.openspace/skills",
                "home /projects/me/.dcc-mcp/rig-tool/skills",
                "platform /data/skills/rig-tool",
                "platform /data/skills",
            ]
        );
        assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
        assert!(
            diagnostics[0].contains("2 empty entries"),
            "{diagnostics:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn an_empty_variable_is_as_good_as_unset() {
        let (roots, diagnostics) = roots(
            "../x",
            &[("DCC_MCP_SKILL_PATHS", ""), ("METIER_HOST_SKILL_DIRS", " ")],
        );
        let roots: Vec<&String> = roots
            .iter()
            .filter(|root| !root.starts_with("project") && !root.starts_with("user"))
            .collect();
        assert_eq!(
            roots,
            [
                "explicit given",
                "configured configured",
                "platform /data/skills"
            ]
        );
        assert_eq!(diagnostics, Vec::<String>::new());
    }
}
