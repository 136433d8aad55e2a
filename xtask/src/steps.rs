//! How a step ends, and what it counted.

use std::ops::AddAssign;

/// Tests that passed, failed and were skipped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// The reason, one line.
    Failed(String),
    /// What could not be had, one line.
    Skipped(String),
}

/// What a step hands back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) outcome: Outcome,
    pub(crate) counts: Counts,
}

impl Report {
    pub(crate) fn passed() -> Self {
        Self::counted(Outcome::Passed, Counts::default())
    }

    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self::counted(Outcome::Failed(why.into()), Counts::default())
    }

    pub(crate) fn skipped(why: impl Into<String>) -> Self {
        Self::counted(Outcome::Skipped(why.into()), Counts::default())
    }

    pub(crate) fn counted(outcome: Outcome, counts: Counts) -> Self {
        Self { outcome, counts }
    }

    /// Passed when nothing was found; otherwise prints every finding and fails with their number.
    pub(crate) fn of_findings(findings: &[crate::finding::Finding]) -> Self {
        for finding in findings {
            eprintln!("{finding}");
        }
        match findings.len() {
            0 => Self::passed(),
            1 => Self::failed("1 finding"),
            many => Self::failed(format!("{many} findings")),
        }
    }
}

/// Reads one line of `cargo test` output, such as `test result: ok. 12 passed; 0 failed; 1 ignored; …`.
pub(crate) fn test_counts(line: &str) -> Option<Counts> {
    let (_, tail) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = Counts::default();
    for part in tail.split(';') {
        let mut words = part.split_whitespace();
        let (Some(number), Some(what)) = (words.next(), words.next()) else {
            continue;
        };
        let Ok(number) = number.parse() else { continue };
        match what {
            "passed" => counts.passed = number,
            "failed" => counts.failed = number,
            "ignored" => counts.skipped = number,
            _ => {}
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_line_is_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.52s";
        assert_eq!(
            test_counts(line),
            Some(Counts {
                passed: 12,
                failed: 3,
                skipped: 1
            })
        );
    }

    #[test]
    fn other_lines_are_not() {
        assert_eq!(test_counts("running 3 tests"), None);
        assert_eq!(test_counts("test result: ok"), None);
    }
}
