//! What a check brings home.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier_diagnostics::{Code, Diagnostic, Severity};

/// A finding with the root it was made under.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The root as it was named; `None` for a finding about no place below a root.
    pub root: Option<Arc<Path>>,
    /// The finding; its files are named below the root.
    pub diagnostic: Diagnostic,
}

impl Finding {
    /// The finding with its files named as a person who named the root can open them.
    pub fn shown(&self) -> Diagnostic {
        let Some(root) = &self.root else {
            return self.diagnostic.clone();
        };
        let mut shown = self.diagnostic.clone();
        for label in &mut shown.labels {
            let file = &mut label.location.file;
            *file = named_from_outside(root, file);
        }
        shown
    }
}

/// A file below a root, as a person who named the root can open it.
pub(crate) fn named_from_outside(root: &Path, file: &str) -> String {
    let root = root.to_string_lossy().replace('\\', "/");
    match root.trim_start_matches("./") {
        "" | "." => file.to_owned(),
        root if file == "." => root.to_owned(),
        root => format!("{}/{file}", root.trim_end_matches('/')),
    }
}

/// What became of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It loads.
    Loaded,
    /// It is listed and waits: a skill that it needs, or that one of those needs, is missing or
    /// rejected.
    Pending,
    /// It is listed and cannot be loaded, because a skill that it needs is part of a cycle.
    Blocked,
    /// It is listed with an error and cannot be loaded: its tools file cannot be used (lenient mode
    /// alone), or it is part of a dependency cycle.
    Unusable,
    /// It is rejected.
    Rejected,
    /// Another skill of its name comes first.
    Shadowed,
}

/// A skill that was found, with what became of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckedSkill {
    /// Its stable name among all roots (`explicit:lighting/bake-ao`).
    pub id: String,
    /// Its name as far as it is known, otherwise that of its folder.
    pub name: String,
    /// The folder. For the operator.
    pub path: PathBuf,
    /// Its SKILL.md, named as the findings of [`CheckReport::shown`] name it.
    pub skill_file: String,
    /// What became of it.
    pub verdict: Verdict,
    /// The codes of what costs it, each once.
    pub reasons: Vec<Code>,
    /// The names of its tools in file order; of a rejected skill as far as they can be read.
    pub tools: Vec<String>,
    /// How many of them can be called: they have a script that exists and refuse nothing.
    pub callable: usize,
}

/// Everything that was found below the roots.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CheckReport {
    /// Every finding, by root, file and place.
    pub findings: Vec<Finding>,
    /// Every skill that was found, by root and path.
    pub skills: Vec<CheckedSkill>,
}

impl CheckReport {
    /// How many skills have this verdict.
    pub fn with_verdict(&self, verdict: Verdict) -> usize {
        let of = |skill: &&CheckedSkill| skill.verdict == verdict;
        self.skills.iter().filter(of).count()
    }

    /// How many findings have this severity.
    pub fn with_severity(&self, severity: Severity) -> usize {
        let of = |finding: &&Finding| finding.diagnostic.severity == severity;
        self.findings.iter().filter(of).count()
    }

    /// The findings with their files named from where the roots are named from.
    pub fn shown(&self) -> Vec<Diagnostic> {
        self.findings.iter().map(Finding::shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use metier_diagnostics::Location;

    use super::*;

    #[test]
    fn files_are_named_as_the_root_was() {
        const CODE: Code = Code::new("MT000", "x", "X.");
        let shown = |root: &str, file: &str| {
            let finding = Finding {
                root: Some(Path::new(root).into()),
                diagnostic: Diagnostic::error(CODE, "x").at(Location::file(file), ""),
            };
            finding.shown().labels.remove(0).location.file
        };
        assert_eq!(shown(".", "a/SKILL.md"), "a/SKILL.md");
        assert_eq!(shown("./", "a/SKILL.md"), "a/SKILL.md");
        assert_eq!(shown("skills/", "a/SKILL.md"), "skills/a/SKILL.md");
        assert_eq!(shown("./skills", "."), "skills");
        assert_eq!(shown("../x", "SKILL.md"), "../x/SKILL.md");
    }
}
