//! How sure the first hit is, against how often it is right.

use std::fmt;

use metier_search::SearchAnswer;

use crate::search_eval_data::LabelledQuery;

/// The confidences from which on an answer is taken.
const STEPS: [f64; 10] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// A query and its first hit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judged {
    /// 0 when nothing was found.
    pub(crate) confidence: f64,
    pub(crate) is_right: bool,
    /// Whether any skill answers the query.
    pub(crate) is_answerable: bool,
}

impl Judged {
    pub(crate) fn new(query: &LabelledQuery, answer: &SearchAnswer) -> Self {
        let first = answer.hits.first();
        Self {
            confidence: first.map_or(0.0, |hit| hit.confidence),
            is_right: first.is_some_and(|hit| {
                query.relevant.contains(&hit.id) || query.neutral.contains(&hit.id)
            }),
            is_answerable: !query.relevant.is_empty(),
        }
    }
}

/// The figures at one confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    least: f64,
    /// The share of the queries with an answer that get one.
    coverage: f64,
    /// The share of all answers that are right.
    precision: f64,
    /// The share of the queries without an answer that are told so.
    refused: f64,
}

/// The report.
#[derive(Debug)]
pub(crate) struct Calibration {
    rows: Vec<Row>,
    /// By tenth of confidence: how many, how sure on average, how often right.
    tenths: Vec<(usize, f64, f64)>,
    /// The mean distance between the last two, weighted by the first.
    error: f64,
}

#[expect(clippy::cast_precision_loss, reason = "few queries")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

impl Calibration {
    pub(crate) fn new(judged: &[Judged]) -> Self {
        let count =
            |wanted: &dyn Fn(&Judged) -> bool| judged.iter().filter(|one| wanted(one)).count();
        let answerable = count(&|one| one.is_answerable);
        let rows = STEPS
            .into_iter()
            .map(|least| {
                let is_taken = |one: &Judged| one.confidence >= least && one.confidence > 0.0;
                Row {
                    least,
                    coverage: share(count(&|one| one.is_answerable && is_taken(one)), answerable),
                    precision: share(
                        count(&|one| one.is_right && is_taken(one)),
                        count(&|one| is_taken(one)),
                    ),
                    refused: share(
                        count(&|one| !one.is_answerable && !is_taken(one)),
                        judged.len() - answerable,
                    ),
                }
            })
            .collect();
        let mut error = 0.0;
        let mut tenths = Vec::new();
        for tenth in 0..10_u32 {
            let (low, high) = (f64::from(tenth) / 10.0, f64::from(tenth + 1) / 10.0);
            let inside: Vec<&Judged> = judged
                .iter()
                .filter(|one| one.confidence >= low && (one.confidence < high || tenth == 9))
                .collect();
            let sure: f64 = inside.iter().map(|one| one.confidence).sum();
            let right = inside.iter().filter(|one| one.is_right).count();
            let each = share(1, inside.len());
            let (sure, right) = (sure * each, share(right, inside.len()));
            error += share(inside.len(), judged.len()) * (sure - right).abs();
            tenths.push((inside.len(), sure, right));
        }
        Self {
            rows,
            tenths,
            error,
        }
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12}{:>10}{:>10}{:>10}",
            "confidence", "coverage", "precision", "refused"
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "from {:<7}{:>10.3}{:>10.3}{:>10.3}",
                row.least, row.coverage, row.precision, row.refused
            )?;
        }
        for (count, sure, right) in self.tenths.iter().filter(|(count, ..)| *count > 0) {
            writeln!(
                f,
                "{count:>6} first hits, on average {sure:.2} sure: {right:.2} are right"
            )?;
        }
        writeln!(f, "calibration error {:.3}", self.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_rises_where_coverage_falls() {
        let one = |confidence, is_right, is_answerable| Judged {
            confidence,
            is_right,
            is_answerable,
        };
        let report = Calibration::new(&[
            one(0.95, true, true),
            one(0.35, false, true),
            one(0.15, false, false),
            one(0.0, false, false),
        ]);
        let row = |least: f64| {
            *report
                .rows
                .iter()
                .find(|row| (row.least - least).abs() < 1e-9)
                .unwrap()
        };
        assert_eq!(
            row(0.0),
            Row {
                least: 0.0,
                coverage: 1.0,
                precision: 1.0 / 3.0,
                refused: 0.5
            }
        );
        assert_eq!(
            row(0.5),
            Row {
                least: 0.5,
                coverage: 0.5,
                precision: 1.0,
                refused: 1.0
            }
        );
        assert!(
            (report.error - (0.05 + 0.35 + 0.075 * 2.0) / 4.0).abs() < 0.06,
            "{}",
            report.error
        );
        assert!(report.to_string().contains("calibration error"));
    }
}
