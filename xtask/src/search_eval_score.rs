//! How good a ranked list is, and the table of it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// The figures of one list, or the sum of several; binary relevance.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Figures {
    /// Whether the first is right.
    pub(crate) hit_1: f64,
    /// The share of the right ones among the first three, of those that fit there.
    pub(crate) recall_3: f64,
    pub(crate) recall_10: f64,
    /// One over the place of the first right one.
    pub(crate) reciprocal: f64,
    /// Gain by place, the best order being 1.
    pub(crate) gain: f64,
    /// How many lists.
    pub(crate) lists: f64,
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.hit_1 += other.hit_1;
        self.recall_3 += other.recall_3;
        self.recall_10 += other.recall_10;
        self.reciprocal += other.reciprocal;
        self.gain += other.gain;
        self.lists += other.lists;
    }
}

/// The figures of a list. Neutral ids and repetitions are taken out, then the first ten count.
#[expect(clippy::cast_precision_loss, reason = "lists have few entries")]
pub(crate) fn score(relevant: &[String], ranked: &[String], neutral: &[String]) -> Figures {
    let mut seen: Vec<&String> = Vec::new();
    for id in ranked {
        if !neutral.contains(id) && !seen.contains(&id) && seen.len() < 10 {
            seen.push(id);
        }
    }
    let right: Vec<bool> = seen.iter().map(|id| relevant.contains(id)).collect();
    let found = |k: usize| right.iter().take(k).filter(|right| **right).count();
    let wanted = |k: usize| relevant.len().clamp(1, k) as f64;
    let discount = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let gained: f64 = right
        .iter()
        .enumerate()
        .filter(|(_, right)| **right)
        .map(|(place, _)| discount(place))
        .sum();
    let best: f64 = (0..relevant.len().clamp(1, 10)).map(discount).sum();
    Figures {
        hit_1: found(1) as f64,
        recall_3: found(3) as f64 / wanted(3),
        recall_10: found(10) as f64 / wanted(10),
        reciprocal: right
            .iter()
            .position(|right| *right)
            .map_or(0.0, |place| 1.0 / (place as f64 + 1.0)),
        gain: gained / best,
        lists: 1.0,
    }
}

/// The figures of all lists and of each slice.
#[derive(Debug, Default)]
pub(crate) struct Table {
    all: Figures,
    slices: BTreeMap<String, Figures>,
}

impl Table {
    pub(crate) fn add(&mut self, slice: &str, figures: Figures) {
        self.all += figures;
        *self.slices.entry(slice.to_owned()).or_default() += figures;
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12}{:>6}{:>8}{:>8}{:>8}{:>8}{:>9}",
            "slice", "n", "hit@1", "R@3", "R@10", "MRR@10", "NDCG@10"
        )?;
        let rows = self.slices.iter().map(|(slice, sum)| (slice.as_str(), sum));
        for (slice, sum) in [("ALL", &self.all)].into_iter().chain(rows) {
            let mean = |figure: f64| figure / sum.lists.max(1.0);
            writeln!(
                f,
                "{slice:<12}{:>6}{:>8.3}{:>8.3}{:>8.3}{:>8.3}{:>9.4}",
                sum.lists,
                mean(sum.hit_1),
                mean(sum.recall_3),
                mean(sum.recall_10),
                mean(sum.reciprocal),
                mean(sum.gain)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_perfect_list_has_full_marks_and_an_empty_one_none() {
        let perfect = score(&ids("a b"), &ids("a b c"), &[]);
        assert!((perfect.gain - 1.0).abs() < 1e-9 && (perfect.recall_3 - 1.0).abs() < 1e-9);
        assert!(score(&ids("a"), &[], &[]).gain.abs() < 1e-9);
    }

    #[test]
    fn neutral_ids_do_not_take_a_place() {
        let figures = score(&ids("a"), &ids("n n a"), &ids("n"));
        assert!((figures.hit_1 - 1.0).abs() < 1e-9);
        let later = score(&ids("a"), &ids("x a"), &[]);
        assert!((later.reciprocal - 0.5).abs() < 1e-9);
        assert!((later.gain - 1.0 / 3.0_f64.log2()).abs() < 1e-9);
    }

    #[test]
    fn the_table_has_means_by_slice() {
        let mut table = Table::default();
        table.add("one", score(&ids("a"), &ids("a"), &[]));
        table.add("two", score(&ids("a"), &ids("b"), &[]));
        let text = table.to_string();
        assert!(text.contains("ALL              2   0.500"), "{text}");
        assert!(text.contains("one              1   1.000"), "{text}");
    }
}
