//! Why there is no interpreter for a script.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why there is no interpreter for a script.
///
/// The message is for clients and holds no absolute path; [`operator_detail`](Self::operator_detail)
/// has what an operator needs in addition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// No interpreter belongs to this extension.
    #[error(
        "`{script}` is no script that can be run: expected one of .py, .sh, .bash, .bat, .cmd, .ps1, .js, .lua, .mel, .ms, .hscript"
    )]
    UnknownExtension {
        /// The file name of the script.
        script: String,
    },
    /// An interpreter was named, and it cannot be used. Another one is never taken in its place.
    #[error(
        "cannot use the interpreter from {origin}: `{}` {fault}; correct it or remove it",
        shown(value)
    )]
    WrongOverride {
        /// Who named it.
        origin: Origin,
        /// What was named.
        value: PathBuf,
        /// What is wrong with it.
        fault: Fault,
    },
    /// No interpreter was named, and none is on the path.
    #[error(
        "no {language} interpreter found: looked for {} on the PATH; install one or set {cure}",
        listed(tried)
    )]
    NotFound {
        /// What the script is written in.
        language: &'static str,
        /// The names that were looked for.
        tried: Vec<&'static str>,
        /// The option or variable that names an interpreter.
        cure: String,
    },
    /// Only a host application can run such a script, and none is connected.
    #[error(
        "`.{extension}` scripts need a host application{}", host_cure(extension, variable.as_deref())
    )]
    NeedsHost {
        /// The extension, without its dot.
        extension: String,
        /// The variable that names the interpreter of the host; `None` where the skill names no host.
        variable: Option<String>,
    },
}

fn host_cure(extension: &str, variable: Option<&str>) -> String {
    match variable {
        _ if extension == "lua" => {
            let host = variable.map_or_else(String::new, |variable| {
                format!(", connect a host, set {variable}")
            });
            format!(
                " or a `lua` on the PATH: install one{host}, or name an interpreter as `interpreters.lua` in the \
                 configuration"
            )
        }
        Some(variable) => {
            format!(": connect a host, or set {variable} to its command line interpreter")
        }
        None => format!(
            ", and the skill is for `python`: write its host as `dcc` in SKILL.md, or name an interpreter as \
             `interpreters.{extension}` in the configuration"
        ),
    }
}

impl ResolveError {
    /// What only an operator should see: the path that was named.
    pub fn operator_detail(&self) -> Option<String> {
        match self {
            Self::WrongOverride { value, .. } => Some(value.display().to_string()),
            _ => None,
        }
    }
}

/// Where an interpreter was named.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The setting `python`, from the option `--python` or from the configuration.
    PythonOption,
    /// An entry of `[interpreters]` in the configuration: a host application or an extension.
    Configured(String),
    /// An environment variable.
    Variable(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PythonOption => formatter.write_str("the setting `python` (--python)"),
            Self::Configured(key) => write!(formatter, "interpreters.{key}"),
            Self::Variable(name) => formatter.write_str(name),
        }
    }
}

/// What is wrong with a named interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// No such file.
    Missing,
    /// A folder.
    Folder,
    /// A file that may not be executed.
    NotExecutable,
    /// A bare name that is not on the path.
    NotOnPath,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Missing => "does not exist",
            Self::Folder => "is a folder",
            Self::NotExecutable => "is not executable",
            Self::NotOnPath => "is not on the PATH",
        })
    }
}

/// A path as a client may see it: a relative one as it is, of an absolute one its last parts, enough
/// to recognise it and never all of it.
fn shown(path: &Path) -> String {
    if path.is_relative() {
        return path.display().to_string();
    }
    let parts: Vec<_> = path
        .components()
        .filter_map(|part| match part {
            std::path::Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        })
        .collect();
    let count = parts.len().saturating_sub(1).clamp(1, 3).min(parts.len());
    let last = parts.get(parts.len() - count..).unwrap_or_default();
    format!("…/{}", last.join("/"))
}

fn listed(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_path_is_never_shown_whole() {
        assert_eq!(shown(Path::new("missing/bin/python")), "missing/bin/python");
        assert_eq!(
            shown(Path::new("/opt/studio/missing/bin/python")),
            "…/missing/bin/python"
        );
        assert_eq!(shown(Path::new("/opt/anna/python")), "…/anna/python");
        assert_eq!(shown(Path::new("/python")), "…/python");
        assert_eq!(shown(Path::new("/")), "…/");
    }
}
