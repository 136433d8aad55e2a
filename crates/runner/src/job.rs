//! What is to be run: a job, its program, and the kind of script.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::{Origin, Watchdog};

/// One run of one program.
#[derive(Debug, Clone)]
pub struct Job {
    /// Interpreter and script.
    pub program: Program,
    /// The JSON object that the script reads from standard input, followed by end of file.
    pub input: Map<String, Value>,
    /// Arguments after the script. Empty unless an operator asked for them: a value on a command
    /// line is read by shells and shown in process lists. Refused for batch files.
    pub script_arguments: Vec<OsString>,
    /// Where the script runs: the folder of its skill.
    pub working_dir: PathBuf,
    /// The complete environment; nothing else is inherited. A later entry of the same name wins.
    /// `PYTHONUTF8=1`, `PYTHONIOENCODING=utf-8` and `PYTHONDONTWRITEBYTECODE=1` are added for every run.
    pub environment: Vec<(OsString, OsString)>,
    /// Who ends the script should this process be killed. A [`Gate`](crate::Gate) that has one puts it
    /// here.
    pub watchdog: Option<Watchdog>,
    /// On whose behalf it runs, as a session of a server: those who ask a [`Gate`](crate::Gate) take turns. `None` is
    /// one of them.
    pub asker: Option<String>,
}

impl Job {
    /// A job without input, arguments or environment.
    pub fn new(program: Program, working_dir: impl Into<PathBuf>) -> Self {
        Self {
            program,
            input: Map::new(),
            script_arguments: Vec::new(),
            working_dir: working_dir.into(),
            environment: Vec::new(),
            watchdog: None,
            asker: None,
        }
    }
}

/// A script together with the interpreter that reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The executable, as an absolute path.
    pub interpreter: PathBuf,
    /// Arguments of the interpreter, before the script.
    pub arguments: Vec<OsString>,
    /// The script; a relative path is read from the working directory of the job. Of
    /// [`ScriptKind::Executable`] it is the executable itself.
    pub script: PathBuf,
    /// What the script is written in.
    pub kind: ScriptKind,
    /// Who named the interpreter; `None` for one that was found on the path.
    pub named_by: Option<Origin>,
}

/// What a script is written in. Of a skill's script it is told by its extension alone: neither the executable bit nor a
/// first line `#!` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ScriptKind {
    /// `.py`
    Python,
    /// `.sh`, `.bash`
    Shell,
    /// `.bat`, `.cmd`
    Batch,
    /// `.ps1`
    PowerShell,
    /// `.js`
    JavaScript,
    /// `.lua`: a host reads it, or a `lua` on the path.
    Lua,
    /// `.mel`, `.ms`, `.hscript`: only a host reads it.
    HostScript,
    /// Nothing reads it, the system starts it. Never a script of a skill, but a command that an operator
    /// named.
    Executable,
}

impl ScriptKind {
    /// Every extension that [`of`](Self::of) knows.
    pub const EXTENSIONS: [&str; 11] = [
        "py", "sh", "bash", "bat", "cmd", "ps1", "js", "lua", "mel", "ms", "hscript",
    ];

    /// The kind of a script by its extension, in any letter case; `None` for every other file.
    ///
    /// ```
    /// use metier_runner::ScriptKind;
    ///
    /// assert_eq!(ScriptKind::of("scripts/Bake.PY".as_ref()), Some(ScriptKind::Python));
    /// assert_eq!(ScriptKind::of("scripts/notes.txt".as_ref()), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "py" => Self::Python,
            "sh" | "bash" => Self::Shell,
            "bat" | "cmd" => Self::Batch,
            "ps1" => Self::PowerShell,
            "js" => Self::JavaScript,
            "lua" => Self::Lua,
            "mel" | "ms" | "hscript" => Self::HostScript,
            _ => return None,
        })
    }

    /// The name of the language for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Shell => "shell",
            Self::Batch => "batch",
            Self::PowerShell => "PowerShell",
            Self::JavaScript => "JavaScript",
            Self::Lua => "Lua",
            Self::HostScript => "host",
            Self::Executable => "executable",
        }
    }
}
