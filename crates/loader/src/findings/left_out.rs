//! Findings of one file beyond the limit: counted, not kept.

use metier_diagnostics::{Diagnostic, Location, Severity};

use crate::codes;

/// How many were left out, and where the first of them is.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    errors: usize,
    warnings: usize,
    infos: usize,
    first: Option<Location>,
}

impl LeftOut {
    pub(crate) fn is_empty(&self) -> bool {
        self.errors + self.warnings + self.infos == 0
    }

    pub(crate) fn count(&mut self, severity: Severity, place: Option<&Location>) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
        if self.first.is_none() {
            self.first = place.cloned();
        }
    }

    /// One finding for all of them, as grave as the gravest.
    pub(crate) fn told(self) -> Option<Diagnostic> {
        let kinds = [
            (self.errors, "error", Severity::Error),
            (self.warnings, "warning", Severity::Warning),
            (self.infos, "info", Severity::Info),
        ];
        let mut counted = kinds.into_iter().filter(|(number, ..)| *number > 0);
        let (_, _, gravest) = counted.clone().next()?;
        let total = self.errors + self.warnings + self.infos;
        let words: Vec<String> = counted
            .by_ref()
            .map(|(number, word, _)| match number {
                1 => format!("1 {word}"),
                _ => format!("{number} {word}s"),
            })
            .collect();
        let further = if total == 1 { "finding" } else { "findings" };
        let mut told = Diagnostic::new(
            codes::FINDINGS_LEFT_OUT,
            gravest,
            format!(
                "{total} further {further} about this file left out: {}",
                words.join(", ")
            ),
        )
        .help("mend what is named, and check again");
        if let Some(first) = self.first {
            told = told.at(first, "");
        }
        Some(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_count_by_severity() {
        let mut left_out = LeftOut::default();
        assert_eq!(LeftOut::default().told(), None);
        left_out.count(Severity::Warning, None);
        left_out.count(Severity::Info, None);
        left_out.count(Severity::Info, None);
        let told = left_out.told().unwrap();
        assert_eq!(told.severity, Severity::Warning);
        assert_eq!(
            told.message,
            "3 further findings about this file left out: 1 warning, 2 infos"
        );
    }
}
