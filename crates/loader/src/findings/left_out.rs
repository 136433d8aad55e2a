//! Findings of one file beyond the limit: counted, not kept.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use metier_diagnostics::{Diagnostic, Location, Severity};

use super::MOST_FINDINGS;
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

    /// Takes the counts of a finding that tells of others, in the words of [`LeftOut::told`].
    fn add(&mut self, told: &Diagnostic) {
        let counts = told.message.rsplit(": ").next().unwrap_or_default();
        for (number, word) in counts.split(", ").filter_map(|count| count.split_once(' ')) {
            let number: usize = number.parse().unwrap_or(0);
            match word.trim_end_matches('s') {
                "error" => self.errors += number,
                "warning" => self.warnings += number,
                _ => self.infos += number,
            }
        }
        if self.first.is_none() {
            self.first = told.location().cloned();
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

/// One finding for so many of one severity that are not made at all; the place is that of the first.
pub fn findings_left_out(
    severity: Severity,
    number: usize,
    first: Option<&Location>,
) -> Option<Diagnostic> {
    let mut left_out = LeftOut::default();
    match severity {
        Severity::Error => left_out.errors = number,
        Severity::Warning => left_out.warnings = number,
        Severity::Info => left_out.infos = number,
    }
    left_out.first = first.cloned();
    left_out.told()
}

/// Findings from several readers of the same files, within the limit that each reader keeps: a hundred
/// about a file, the graver ones first, and one finding that counts the rest.
pub fn within_limit(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if found.len() <= MOST_FINDINGS {
        return found;
    }
    let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, finding) in found.iter().enumerate() {
        if let Some(place) = finding.location() {
            files.entry(place.file.as_str()).or_default().push(number);
        }
    }
    let counts = |number: &usize| {
        let finding = found.get(*number);
        finding.is_some_and(|finding| finding.code == codes::FINDINGS_LEFT_OUT)
    };
    let mut kept = vec![true; found.len()];
    let mut told = Vec::new();
    for numbers in files.into_values() {
        let (before, mut own): (Vec<usize>, Vec<usize>) = numbers.into_iter().partition(counts);
        if own.len() <= MOST_FINDINGS && before.len() <= 1 {
            continue;
        }
        own.sort_by_key(|number| Reverse(found.get(*number).map(|finding| finding.severity)));
        let mut beyond = own.split_off(own.len().min(MOST_FINDINGS));
        beyond.sort_unstable();
        let mut left_out = LeftOut::default();
        for number in before.iter().chain(&beyond) {
            if let Some(keeps) = kept.get_mut(*number) {
                *keeps = false;
            }
            match found.get(*number) {
                Some(finding) if counts(number) => left_out.add(finding),
                Some(finding) => left_out.count(finding.severity, finding.location()),
                None => {}
            }
        }
        told.extend(left_out.told());
    }
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(true));
    found.extend(told);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_readers_of_a_file_keep_one_limit() {
        let finding = |severity, line| {
            Diagnostic::new(codes::WRONG_TYPE, severity, "x").at(Location::line("a", line), "")
        };
        let mut found: Vec<Diagnostic> = (1..=90)
            .map(|line| finding(Severity::Warning, line))
            .collect();
        found.extend(
            findings_left_out(Severity::Info, 7, None)
                .map(|told| told.at(Location::line("a", 500), "")),
        );
        found.push(finding(Severity::Error, 91).at(Location::file("b"), ""));
        assert_eq!(within_limit(found.clone()), found);
        found.extend((100..200).map(|line| finding(Severity::Error, line)));
        found.extend((1..=5).map(|line| {
            Diagnostic::warning(codes::WRONG_TYPE, "x").at(Location::line("b", line), "")
        }));
        let bounded = within_limit(found);
        let of = |file: &str| {
            let of = bounded
                .iter()
                .filter(|found| found.location().is_some_and(|at| at.file == file));
            of.map(|found| found.severity).collect::<Vec<_>>()
        };
        assert_eq!(of("b"), [Severity::Warning; 5]);
        assert_eq!(of("a")[..100], [Severity::Error; 100]);
        assert_eq!(
            bounded.last().unwrap().message,
            "98 further findings about this file left out: 1 error, 90 warnings, 7 infos"
        );
        assert_eq!(within_limit(bounded.clone()), bounded);
    }

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
