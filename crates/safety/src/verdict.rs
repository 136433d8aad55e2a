//! What a scan comes to.

use metier_diagnostics::{Code, Diagnostic, Severity, worst};

/// What is to be done with a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// No rule found anything worth a warning.
    Clean,
    /// Shown with its findings, and used all the same.
    Suspicious,
    /// Neither registered nor served.
    Blocked,
}

impl Outcome {
    /// The word used in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Suspicious => "suspicious",
            Self::Blocked => "blocked",
        }
    }
}

/// The outcome of a scan with the findings that lead to it. Made by [`Scan::finish`](crate::Scan::finish).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a verdict that nobody reads protects nobody"]
pub struct Verdict {
    findings: Vec<Diagnostic>,
    left_out: usize,
    blocked: bool,
}

impl Verdict {
    pub(crate) fn new(findings: Vec<Diagnostic>, left_out: usize, blocked: bool) -> Self {
        Self {
            findings,
            left_out,
            blocked,
        }
    }

    /// What is to be done.
    pub fn outcome(&self) -> Outcome {
        if self.blocked {
            return Outcome::Blocked;
        }
        match worst(&self.findings) {
            Some(Severity::Error) => Outcome::Blocked,
            Some(Severity::Warning) => Outcome::Suspicious,
            Some(Severity::Info) | None => Outcome::Clean,
        }
    }

    /// Whether the skill must be neither registered nor served.
    pub fn is_blocked(&self) -> bool {
        self.outcome() == Outcome::Blocked
    }

    /// What was found, in the order in which the texts were given, then by place.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// How many more findings there were than are kept.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The gravest finding, the first of them: the reason to give in one line.
    pub fn reason(&self) -> Option<&Diagnostic> {
        let worst = worst(&self.findings)?;
        self.findings
            .iter()
            .find(|finding| finding.severity == worst)
    }

    /// The codes that were found, each once, in the order of their ids.
    pub fn codes(&self) -> Vec<Code> {
        let mut codes: Vec<Code> = self.findings.iter().map(|finding| finding.code).collect();
        codes.sort_by_key(|code| code.id);
        codes.dedup_by_key(|code| code.id);
        codes
    }
}
