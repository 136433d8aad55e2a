//! How sure a hit is.

/// What speaks for a hit, whatever the other hits are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signs {
    /// The share of the query's words that the skill has, weighted by how telling they are.
    pub(crate) coverage: f32,
    /// The greatest likeness that an arm of vectors gives.
    pub(crate) likeness: f32,
    /// The score of the words, in words that a single skill has: how much a word can score depends on how
    /// many skills there are.
    pub(crate) words: f32,
}

/// The chance that a skill answers the query, 0..=1, fitted on labelled development queries and on
/// queries that nothing answers (`cargo xtask search-eval --calibrate`).
pub(crate) fn confidence(signs: &Signs) -> f64 {
    let [constant, coverage, likeness, words] = FIT;
    let sum = constant
        + coverage * f64::from(signs.coverage)
        + likeness * f64::from(signs.likeness)
        + words * f64::from(signs.words).ln_1p();
    1.0 / (1.0 + (-sum).exp())
}

/// An answer whose first hit is less sure than this is probably none.
pub(crate) const UNSURE: f64 = 0.2;

/// The fit: a constant, and what coverage, likeness and the logarithm of the words' score count.
const FIT: [f64; 4] = [-4.04, 3.19, 1.13, 5.77];
