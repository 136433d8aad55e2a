//! The command that this tree builds, for chores that ask it something.

use std::path::PathBuf;

use crate::metadata::Metadata;
use crate::process::{cargo, step};
use crate::steps::Outcome;

/// Builds the command and hands back where it is.
pub(crate) fn build(metadata: &Metadata, release: bool) -> Result<PathBuf, String> {
    let mut arguments = vec!["build", "--quiet", "-p", "metier-cli", "--locked"];
    if release {
        arguments.push("--release");
    }
    if let Outcome::Failed(why) = step(&mut cargo(&arguments)).outcome {
        return Err(why);
    }
    let profile = if release { "release" } else { "debug" };
    Ok(metadata
        .target_directory
        .join(profile)
        .join(format!("metier{}", std::env::consts::EXE_SUFFIX)))
}
