//! Opening a skill: its instructions with the arguments put in.

use metier_safety::{Scan, Verdict};
use serde::Serialize;

use crate::book::SkillEntry;
use crate::line::line;

use super::arguments::{Arguments, argument_names, fill};
use super::find::ActivationRefusal;
use super::scope::Scope;

/// The bytes that are to be served, as they were read.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SkillText<'t> {
    /// The whole SKILL.md.
    pub skill_file: &'t str,
    /// Its instructions: what follows the front matter.
    pub body: &'t str,
    /// What stands for the folder of the skill: a path, or `skill://name` where the client has no such path.
    pub base: &'t str,
    /// The other files of the skill, relative to its folder.
    pub files: &'t [String],
    /// The verdict on exactly these bytes, where one is kept; otherwise they are scanned.
    pub verdict: Option<&'t Verdict>,
}

impl<'t> SkillText<'t> {
    /// A text with its base; the body is what follows the front matter.
    pub fn new(skill_file: &'t str, body: &'t str, base: &'t str) -> Self {
        Self {
            skill_file,
            body,
            base,
            ..Self::default()
        }
    }

    /// With the other files of the skill.
    #[must_use]
    pub fn with_files(mut self, files: &'t [String]) -> Self {
        self.files = files;
        self
    }

    /// With the verdict on exactly these bytes.
    #[must_use]
    pub fn with_verdict(mut self, verdict: &'t Verdict) -> Self {
        self.verdict = Some(verdict);
        self
    }
}

/// An activated skill.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Activation {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What comes into the context.
    pub text: String,
    /// What stands for its folder in the text.
    pub base: String,
    /// Its other files, a hundred at most, relative to the base.
    pub files: Vec<String>,
    /// What it asks of the host until the turn ends.
    pub scope: Scope,
    /// Warnings of the safety rules, one a line; they go to the host, not into the context.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Opens a skill that was found and is permitted. Nothing is run, whatever the text asks for; arguments are put in
/// once; at most [`MOST_CHARACTERS`](crate::MOST_CHARACTERS) characters of the text come into the context.
///
/// # Errors
/// The text is hostile ([`ActivationRefusal::Blocked`]).
pub fn open(
    entry: &SkillEntry,
    text: SkillText<'_>,
    arguments: &str,
) -> Result<Activation, ActivationRefusal> {
    let scanned;
    let verdict = if let Some(verdict) = text.verdict {
        verdict
    } else {
        let mut scan = Scan::new();
        scan.skill_file("SKILL.md", text.skill_file);
        scanned = scan.finish();
        &scanned
    };
    if verdict.is_blocked() {
        let reason = verdict
            .reason()
            .map(ToString::to_string)
            .unwrap_or_default();
        return Err(ActivationRefusal::Blocked {
            name: entry.name.clone(),
            reason,
        });
    }
    let arguments = Arguments::new(arguments, &argument_names(&entry.front_matter));
    let filled = fill(text.body, text.base, &arguments);
    let files: Vec<String> = text
        .files
        .iter()
        .take(100)
        .map(|file| line(file, 300))
        .collect();
    Ok(Activation {
        id: entry.id.clone(),
        name: entry.name.clone(),
        text: filled,
        base: text.base.to_owned(),
        files,
        scope: Scope::of(entry),
        warnings: verdict.findings().iter().map(ToString::to_string).collect(),
    })
}
