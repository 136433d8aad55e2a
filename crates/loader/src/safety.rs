//! The one verdict on a skill: may its texts come before a model, and its scripts onto a machine?
//!
//! A scan looks at what it reads anyway: the beginning of `SKILL.md`, and the tools. The other files are looked at when a
//! skill is loaded, activated, served or checked ([`whole`]).

mod decoded;
mod prompts;
mod whole;

use metier_diagnostics::{Code, Diagnostic, Location, Severity};
use metier_safety::{Part, Scan, Verdict, codes, is_clean};
use metier_skill_model::SkillMetadata;

use decoded::Decoded;

use crate::candidate::Candidate;
use crate::parse::SKILL_FILE;
use crate::places::{ToolPlaces, place_below_front_matter};
use crate::report::RejectedSkill;
use crate::script::is_script;
use crate::skill_files::SkillFiles;
use crate::tools_file::TOOLS_FILE_LIMIT;

/// Files that are read; whatever else is text is run.
const READ: [&str; 13] = [
    "md", "mdx", "markdown", "txt", "rst", "html", "htm", "yaml", "yml", "json", "toml", "csv",
    "xml",
];

/// Whether the code is one of the safety rules'.
pub fn is_safety_code(code: Code) -> bool {
    codes::ALL.iter().any(|known| known.id == code.id)
}

/// The finding because of which a skill must not be used, among those about it.
pub fn blocking(findings: &[Diagnostic]) -> Option<&Diagnostic> {
    findings
        .iter()
        .find(|finding| finding.severity == Severity::Error && is_safety_code(finding.code))
}

impl RejectedSkill {
    /// Whether it is rejected because its texts are hostile.
    pub fn is_blocked(&self) -> bool {
        blocking(&self.diagnostics).is_some()
    }
}

/// What is known of the values of a skill before they are looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// Every value of the front matter stands in `SKILL.md` as it is, between blanks, quotes or brackets: what is certain
    /// of the file is certain of each.
    pub(crate) front_is_written: bool,
    /// The same of the tools, and it is certain that their file holds nothing.
    pub(crate) tools_are_clean: bool,
}

/// What a scan has read: the beginning of `SKILL.md`, and the values of front matter and tools.
pub(crate) fn of_head(
    candidate: &Candidate,
    bytes: &[u8],
    metadata: &SkillMetadata,
    tools_file: Option<&str>,
    known: Known,
) -> Verdict {
    let decoded = Decoded::new(bytes);
    let text = &decoded.text;
    let shown = candidate.shown(&candidate.content.file_name);
    let mut scan = Scan::new();
    let is_clean = is_clean(text);
    if !is_clean {
        scan.skill_file(&shown, text);
        if decoded.is_made() {
            scan.in_bytes(&shown, |offset| decoded.byte(offset));
        }
    }
    if !(is_clean && known.front_is_written) {
        // The marks around a value are none of the value: what looks like a quotation in the file may be said outright.
        scan.front_matter(&shown, metadata, |path| {
            place_in_skill_file(&shown, text, path)
        });
    }
    if let Some(file) = tools_file
        && !known.tools_are_clean
    {
        let shown = candidate.shown(file);
        let files = SkillFiles::canonical(candidate.path.clone());
        scan.tools(&shown, metadata, |path| {
            let bytes = files.read(file, TOOLS_FILE_LIMIT).ok()?;
            place_in_tools_file(&shown, &bytes, path)
        });
    }
    scan.finish()
}

/// Where a value of the front matter stands.
fn place_in_skill_file(shown: &str, text: &str, path: &[String]) -> Option<Location> {
    let span = place_below_front_matter(text, path)?;
    Some(Location::in_bytes(shown.to_owned(), text.as_bytes(), span))
}

/// Where a value of a tool stands.
fn place_in_tools_file(shown: &str, bytes: &[u8], path: &[String]) -> Option<Location> {
    let text = std::str::from_utf8(bytes).ok()?;
    let [kind, tool, below @ ..] = path else {
        return None;
    };
    if kind != "tools" {
        return None;
    }
    let below: Vec<&str> = below.iter().map(String::as_str).collect();
    let places = ToolPlaces::read(text);
    let span = places.value(tool, &below)?;
    Some(places.locate(shown.to_owned(), span))
}

fn look_at(scan: &mut Scan, path: &str, bytes: &[u8], is_tools_file: bool) {
    let decoded = Decoded::new(bytes);
    if path.eq_ignore_ascii_case(SKILL_FILE) {
        scan.skill_file(path, &decoded.text);
    } else {
        let part = if is_tools_file {
            Part::Tools
        } else {
            part_of(path)
        };
        scan.file(part, path, &decoded.text);
    }
    if decoded.is_made() {
        scan.in_bytes(path, |offset| decoded.byte(offset));
    }
}

/// Whether a file is run whatever stands in it: interpreters of these read over a zero.
fn is_named_as_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_script(name)
        || ["mjs", "cjs", "ts"].iter().any(|kind| {
            name.rsplit_once('.')
                .is_some_and(|(_, found)| found.eq_ignore_ascii_case(kind))
        })
}

/// Whether a file is read or run, by its name.
fn part_of(path: &str) -> Part {
    let name = path.rsplit('/').next().unwrap_or(path);
    let kind = name
        .rsplit_once('.')
        .map(|(_, kind)| kind.to_ascii_lowercase());
    match kind {
        Some(kind) if READ.contains(&kind.as_str()) => Part::Body,
        None if name.chars().all(|c| c.is_uppercase() || !c.is_alphabetic()) => Part::Body,
        _ => Part::Script,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_told_from_what_is_run() {
        for path in ["a.md", "references/B.MD", "LICENSE", "metadata/x.json"] {
            assert_eq!(part_of(path), Part::Body, "{path}");
        }
        for path in ["a.py", "scripts/run", "b.tar.sh", "Makefile"] {
            assert_eq!(part_of(path), Part::Script, "{path}");
        }
    }
}
