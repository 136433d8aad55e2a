//! `cargo xtask check-skills DIR…`: the check of the command, with its exit codes.

use std::process::{Command, ExitCode};

use crate::metadata::Metadata;
use crate::metier_binary;

pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let binary = Metadata::read().and_then(|metadata| metier_binary::build(&metadata, false));
    let started = binary.and_then(|binary| {
        // The folders are meant from where the caller stands.
        Command::new(binary)
            .arg("check")
            .args(arguments)
            .status()
            .map_err(|error| format!("the check did not start: {error}"))
    });
    match started {
        Ok(status) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            ExitCode::from(code.unwrap_or(2))
        }
        Err(why) => {
            eprintln!("failed: {why}");
            ExitCode::from(2)
        }
    }
}
