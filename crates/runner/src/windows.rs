//! Programs and their names on Windows. What does not touch the system is tested everywhere.

#[cfg(windows)]
pub(crate) use system::command;

/// The file names that stand for a program name: itself if it has one of the endings, else with
/// each of them. `endings` is the value of `PATHEXT`.
pub(crate) fn file_names(name: &str, endings: Option<&str>) -> Vec<String> {
    let endings: Vec<_> = endings
        .unwrap_or(".COM;.EXE;.BAT;.CMD")
        .split(';')
        .map(|ending| ending.trim().to_ascii_lowercase())
        .filter(|ending| ending.len() > 1 && ending.starts_with('.'))
        .collect();
    let lower = name.to_ascii_lowercase();
    if endings
        .iter()
        .any(|ending| lower.ends_with(ending.as_str()))
    {
        return vec![name.to_owned()];
    }
    endings
        .iter()
        .map(|ending| format!("{name}{ending}"))
        .collect()
}

#[cfg(windows)]
mod system {
    use std::collections::BTreeMap;
    use std::ffi::OsString;

    use process_wrap::tokio::{CommandWrap, JobObject, KillOnDrop};
    use tokio::process::Command;

    use crate::{Job, ScriptKind};

    /// The command that runs a job, in a job object of its own.
    ///
    /// A batch file is given to the standard library as the program: it calls the system's own
    /// `cmd` and quotes the path so that `&`, `%` and quotes in it stay text.
    pub(crate) fn command(job: &Job, environment: &BTreeMap<OsString, OsString>) -> CommandWrap {
        let program = &job.program;
        let mut command = match program.kind {
            ScriptKind::Batch => Command::new(&program.script),
            ScriptKind::Executable => {
                let mut command = Command::new(&program.script);
                command.args(&program.arguments);
                command
            }
            _ => {
                let mut command = Command::new(&program.interpreter);
                command.args(&program.arguments).arg(&program.script);
                command
            }
        };
        command
            .args(&job.script_arguments)
            .env_clear()
            .envs(environment)
            .kill_on_drop(true);
        let mut wrapped = CommandWrap::from(command);
        wrapped.wrap(KillOnDrop).wrap(JobObject);
        wrapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_come_from_pathext() {
        assert_eq!(
            file_names("python", None),
            ["python.com", "python.exe", "python.bat", "python.cmd"]
        );
        assert_eq!(
            file_names("node", Some(".EXE; .Cmd;;x")),
            ["node.exe", "node.cmd"]
        );
        assert_eq!(file_names("Lua.EXE", Some(".exe")), ["Lua.EXE"]);
    }
}
