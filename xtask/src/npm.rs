//! Node.js packages under the target folder.

use std::path::Path;
use std::process::Command;

use crate::venv::{VenvError, said};

/// What `npm` says when it cannot reach its registry.
const NO_NETWORK: [&str; 7] = [
    "EAI_AGAIN",
    "ENOTFOUND",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "ERR_SOCKET_TIMEOUT",
    "ENETUNREACH",
];

/// Installs the packages unless these very ones are there.
pub(crate) fn ensure(folder: &Path, pins: &[&str]) -> Result<(), VenvError> {
    let stamp = folder.join("pins.txt");
    let wanted = pins.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
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
    std::fs::create_dir_all(folder).map_err(broken)?;
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let install = said(
        Command::new(program)
            .args(["install", "--no-audit", "--no-fund", "--no-save"])
            .args([
                "--fetch-retries",
                "2",
                "--fetch-timeout",
                "60000",
                "--prefix",
            ])
            .arg(folder)
            .args(pins),
    );
    install.map_err(|text| npm_error(pins, &text))?;
    std::fs::write(&stamp, wanted).map_err(broken)
}

/// Tells a registry that is away from a pin that is wrong.
fn npm_error(pins: &[&str], text: &str) -> VenvError {
    let pins = pins.join(", ");
    if NO_NETWORK.iter().any(|sign| text.contains(sign)) {
        VenvError::Unreachable(format!(
            "the registry of Node.js packages cannot be reached, so there is no {pins}"
        ))
    } else {
        VenvError::Broken(format!("npm could not install {pins}:\n{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_network_is_told_from_a_wrong_pin() {
        let away = "npm error code EAI_AGAIN\nnpm error request to a registry failed";
        assert!(matches!(
            npm_error(&["a@1"], away),
            VenvError::Unreachable(_)
        ));
        let wrong =
            "npm error code ETARGET\nnpm error notarget No matching version found for a@99.";
        assert!(matches!(npm_error(&["a@99"], wrong), VenvError::Broken(_)));
    }
}
