//! Python environments under the target folder, for tools and clients that come as wheels.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Why an environment could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum VenvError {
    /// The package registry does not answer; the step is skipped.
    Unreachable(String),
    /// Anything else; the step fails.
    Broken(String),
}

/// What `pip` says when it cannot reach its registry.
const NO_NETWORK: [&str; 7] = [
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Connection refused",
    "Connection reset",
    "timed out",
    "ProxyError",
];

/// Makes the environment if it is not there yet, or holds other pins, and hands back the folder of its programs.
pub(crate) fn ensure(folder: &Path, pins: &[&str]) -> Result<PathBuf, VenvError> {
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let stamp = folder.join("pins.txt");
    let wanted = pins.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(programs);
    }
    let broken = |error: std::io::Error| {
        VenvError::Broken(format!(
            "{} could not be written: {error}",
            folder.display()
        ))
    };
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(broken)?;
    }
    let python = if cfg!(windows) { "python" } else { "python3" };
    said(Command::new(python).args(["-m", "venv"]).arg(folder)).map_err(|text| {
        VenvError::Broken(format!(
            "`{python} -m venv` failed; it needs Python 3 with its venv module:\n{text}"
        ))
    })?;
    let install = said(
        Command::new(programs.join("python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-input",
            ])
            .args(["--retries", "2", "--timeout", "20"])
            .args(pins),
    );
    install.map_err(|text| pip_error(pins, &text))?;
    std::fs::write(&stamp, wanted).map_err(broken)?;
    Ok(programs)
}

/// Tells a registry that is away from a pin that is wrong.
fn pip_error(pins: &[&str], text: &str) -> VenvError {
    let pins = pins.join(", ");
    if NO_NETWORK.iter().any(|sign| text.contains(sign)) {
        VenvError::Unreachable(format!(
            "the Python package registry cannot be reached, so there is no {pins}"
        ))
    } else {
        VenvError::Broken(format!("pip could not install {pins}:\n{text}"))
    }
}

/// Runs a command; the error is what it printed.
pub(crate) fn said(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Err(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_network_is_told_from_a_wrong_pin() {
        let away = "WARNING: Retrying after connection broken by 'NewConnectionError: Failed to establish a new \
                    connection'\nERROR: No matching distribution found for typos==1.52.0";
        assert!(matches!(
            pip_error(&["typos==1.52.0"], away),
            VenvError::Unreachable(_)
        ));
        let wrong = "ERROR: No matching distribution found for typos==0.0.0";
        assert!(matches!(
            pip_error(&["typos==0.0.0"], wrong),
            VenvError::Broken(_)
        ));
    }

    #[test]
    fn an_environment_with_the_same_pins_is_left_alone() {
        let folder = std::env::temp_dir().join(format!("xtask-venv-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("pins.txt"), "a==1\nb==2").unwrap();
        let programs = ensure(&folder, &["a==1", "b==2"]).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(programs.starts_with(&folder));
    }
}
