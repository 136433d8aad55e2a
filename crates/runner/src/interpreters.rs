//! Which interpreter reads a script.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::resolve_error::{Origin, ResolveError};
use crate::{EnvLookup, Program, ScriptKind};

/// The interpreters that an operator named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interpreters {
    /// The setting `python`.
    pub python: Option<PathBuf>,
    /// Whether `python` comes before the interpreter of a host, as it does when it is given on the command line: whoever
    /// says so means this run and all of its scripts, and a file says what is usual.
    pub python_for_hosts: bool,
    /// Interpreters by host application (`maya`): they read that host's Python and host scripts.
    pub by_host: BTreeMap<String, PathBuf>,
    /// Interpreters by extension without its dot (`js`), or `py` where `--python` is not given.
    pub by_extension: BTreeMap<String, PathBuf>,
}

impl Interpreters {
    /// The program that runs a script.
    ///
    /// `host` is the application that the script is written for, `None` or `python` for none.
    /// The first of these counts, and if it cannot be used that is the error:
    ///
    /// | script | interpreter |
    /// |---|---|
    /// | `.py` | `python` with `python_for_hosts`, `by_host`, `python`, `by_extension`, `DCC_MCP_PYTHON_EXECUTABLE`, the one in `VIRTUAL_ENV`, `python3` or `python` on the path |
    /// | `.mel` `.ms` `.hscript` | `by_host`, `by_extension`, `DCC_MCP_{HOST}_INTERPRETER` |
    /// | `.lua` | as host scripts, then `lua` on the path |
    /// | others | `by_extension`, then `bash`; `cmd /C`; `pwsh` or `powershell`; `node` on the path |
    pub fn resolve(
        &self,
        script: &Path,
        host: Option<&str>,
        lookup: &EnvLookup,
    ) -> Result<Program, ResolveError> {
        let unknown = || ResolveError::UnknownExtension {
            script: script
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        };
        let kind = ScriptKind::of(script).ok_or_else(unknown)?;
        let extension = script
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .to_ascii_lowercase();
        let host = host.filter(|host| !host.is_empty() && *host != "python");

        let (interpreter, named_by) = match self.named(kind, &extension, host, lookup) {
            Some((origin, value)) => match lookup.named(&value) {
                Ok(interpreter) => (interpreter, Some(origin)),
                Err(fault) => {
                    return Err(ResolveError::WrongOverride {
                        origin,
                        value,
                        fault,
                    });
                }
            },
            None => (found(kind, &extension, host, lookup)?, None),
        };
        let arguments = arguments(kind).iter().map(OsString::from).collect();
        Ok(Program {
            interpreter,
            arguments,
            script: script.to_path_buf(),
            kind,
            named_by,
        })
    }

    /// The first interpreter that somebody named for such a script.
    fn named(
        &self,
        kind: ScriptKind,
        extension: &str,
        host: Option<&str>,
        lookup: &EnvLookup,
    ) -> Option<(Origin, PathBuf)> {
        let for_host = matches!(
            kind,
            ScriptKind::Python | ScriptKind::Lua | ScriptKind::HostScript
        );
        let configured = |map: &BTreeMap<String, PathBuf>, key: &str| {
            map.get(key)
                .map(|value| (Origin::Configured(key.to_owned()), value.clone()))
        };
        let variable = |name: String| {
            let value = PathBuf::from(lookup.get(&name)?);
            Some((Origin::Variable(name), value))
        };
        let by_host = host.filter(|_| for_host).and_then(|host| {
            // Letter case does not count in the name of an application, as in that of its variable.
            let exact = self.by_host.get_key_value(host);
            let mut hosts = self.by_host.iter();
            let (name, value) =
                exact.or_else(|| hosts.find(|(name, _)| name.eq_ignore_ascii_case(host)))?;
            Some((Origin::Configured(name.clone()), value.clone()))
        });
        let by_option = || match kind {
            ScriptKind::Python => self
                .python
                .clone()
                .map(|value| (Origin::PythonOption, value)),
            _ => None,
        };
        let by_variable = || match kind {
            ScriptKind::Python => variable("DCC_MCP_PYTHON_EXECUTABLE".to_owned()).or_else(|| {
                let folder = PathBuf::from(lookup.get("VIRTUAL_ENV")?);
                let inside = if cfg!(windows) {
                    "Scripts/python.exe"
                } else {
                    "bin/python"
                };
                Some((
                    Origin::Variable("VIRTUAL_ENV".to_owned()),
                    folder.join(inside),
                ))
            }),
            ScriptKind::Lua | ScriptKind::HostScript => variable(host_variable(host?)),
            _ => None,
        };
        by_option()
            .filter(|_| self.python_for_hosts)
            .or(by_host)
            .or_else(by_option)
            .or_else(|| configured(&self.by_extension, extension))
            .or_else(by_variable)
    }
}

/// The variable that names the interpreter of a host.
fn host_variable(host: &str) -> String {
    format!(
        "DCC_MCP_{}_INTERPRETER",
        host.to_uppercase().replace('-', "_")
    )
}

/// The usual interpreter on the path.
fn found(
    kind: ScriptKind,
    extension: &str,
    host: Option<&str>,
    lookup: &EnvLookup,
) -> Result<PathBuf, ResolveError> {
    let tried: &[&'static str] = match kind {
        ScriptKind::Python => &["python3", "python"],
        ScriptKind::Shell => &["bash"],
        ScriptKind::Batch => &["cmd"],
        ScriptKind::PowerShell => &["pwsh", "powershell"],
        ScriptKind::JavaScript => &["node"],
        ScriptKind::Lua => &["lua"],
        ScriptKind::HostScript | ScriptKind::Executable => &[],
    };
    if let Some(path) = tried.iter().find_map(|name| lookup.on_path(name)) {
        return Ok(path);
    }
    match kind {
        ScriptKind::HostScript | ScriptKind::Lua => Err(ResolveError::NeedsHost {
            extension: extension.to_owned(),
            variable: host.map(host_variable),
        }),
        _ => Err(ResolveError::NotFound {
            language: kind.label(),
            tried: tried.to_vec(),
            cure: match kind {
                ScriptKind::Python => "DCC_MCP_PYTHON_EXECUTABLE or --python".to_owned(),
                _ => format!("interpreters.{extension} in the configuration"),
            },
        }),
    }
}

/// The arguments before the script. None of them depends on the script or on the call.
fn arguments(kind: ScriptKind) -> &'static [&'static str] {
    match kind {
        // Without the registry's start-up commands, which may print or change directory.
        ScriptKind::Batch => &["/D", "/C"],
        ScriptKind::PowerShell => &[
            "-NoProfile",
            "-NonInteractive",
            "-ExecutionPolicy",
            "Bypass",
            "-File",
        ],
        _ => &[],
    }
}
