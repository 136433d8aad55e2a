//! Starting other programs.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::steps::{Counts, Outcome, Report, test_counts};

/// The root of the repository: the folder above this crate.
pub(crate) fn root() -> PathBuf {
    let mut folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    folder.pop();
    folder
}

/// Cargo of the pinned toolchain, at the root of the repository.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = cargo_at(&root());
    command.args(arguments).env("CARGO_INCREMENTAL", "0");
    command
}

/// The same in another folder, for a package that is not of this workspace.
///
/// A cargo that was started by another one hands on what that one said in the environment: its own path and its
/// toolchain. Whoever came here by way of another toolchain would build everything anew, with another compiler than
/// the one that is checked.
pub(crate) fn cargo_at(folder: &Path) -> Command {
    let mut command;
    if std::env::var_os("RUSTUP_TOOLCHAIN").is_some() {
        // Started through rustup, whose own `cargo` comes first among the programs then.
        command = Command::new("cargo");
        command.env_remove("CARGO");
        match pinned_toolchain() {
            Some(pinned) => command.env("RUSTUP_TOOLCHAIN", pinned),
            None => command.env_remove("RUSTUP_TOOLCHAIN"),
        };
    } else {
        command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    }
    command.current_dir(folder);
    command
}

/// The channel in `rust-toolchain.toml`.
fn pinned_toolchain() -> Option<String> {
    let file: toml::Table = toml::from_str(include_str!("../../rust-toolchain.toml")).ok()?;
    let channel = file.get("toolchain")?.get("channel")?.as_str()?;
    Some(channel.to_owned())
}

/// Runs a command with its output going to the terminal.
pub(crate) fn step(command: &mut Command) -> Report {
    let shown = show(command);
    match command.status() {
        Ok(status) if status.success() => Report::passed(),
        Ok(status) => Report::failed(format!("`{shown}` ended with {status}")),
        Err(error) => Report::failed(format!("`{shown}` did not start: {error}")),
    }
}

/// Runs a command that prints test results, passes its lines on and adds the results up.
pub(crate) fn counted_step(command: &mut Command) -> Report {
    let shown = show(command);
    let mut child = match command.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return Report::failed(format!("`{shown}` did not start: {error}")),
    };
    let mut counts = Counts::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            counts += test_counts(&line).unwrap_or_default();
        }
    }
    let outcome = match child.wait() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(format!("`{shown}` ended with {status}")),
        Err(error) => Outcome::Failed(format!("`{shown}` was lost: {error}")),
    };
    Report::counted(outcome, counts)
}

/// Runs a command and hands back what it printed to its standard output; the error names the command.
pub(crate) fn capture(command: &mut Command) -> Result<String, String> {
    let shown = show(command);
    let output = command
        .output()
        .map_err(|error| format!("`{shown}` did not start: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "`{shown}` ended with {}:\n{}",
            output.status,
            said.trim_end()
        ));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("`{shown}` printed bytes that are not UTF-8"))
}

/// The command as one would type it, without the folders of the program.
fn show(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut shown = program.file_name().map_or_else(
        || program.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    for argument in command.get_args() {
        shown.push(' ');
        shown.push_str(&argument.to_string_lossy());
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_the_pinned_one_whoever_called() {
        let pinned = pinned_toolchain().unwrap();
        let command = cargo(&["--version"]);
        let told = command
            .get_envs()
            .find(|(name, _)| *name == "RUSTUP_TOOLCHAIN");
        if std::env::var_os("RUSTUP_TOOLCHAIN").is_some() {
            assert_eq!(
                told,
                Some(("RUSTUP_TOOLCHAIN".as_ref(), Some(pinned.as_ref())))
            );
            let mut command = command;
            assert!(capture(&mut command).unwrap().contains(&pinned));
        } else {
            assert_eq!(told, None);
        }
    }
}
