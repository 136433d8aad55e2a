//! The one table of numbers that ranking depends on.

/// How many fields a document has: name, description, hints, tools, body
/// (see [`Field::ALL`](crate::Field::ALL)).
pub const FIELDS: usize = 5;

/// So many characters of a body are indexed.
pub const BODY_CHARACTERS: usize = 8_000;

/// The numbers of one way to rank, none of them negative. [`Weights::DEFAULT`] is the product's.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Weights {
    /// How much an occurrence counts, by field.
    pub field: [f32; FIELDS],
    /// How strongly a long field dilutes its words (BM25's b), 0..=1, by field.
    pub length: [f32; FIELDS],
    /// How soon repetition stops to pay (BM25's k1).
    pub saturation: f32,
    /// What a match of an identifier as a whole counts, beside the matches of its parts.
    pub whole: f32,
    /// What the letters or the digits alone of a word such as `mp4` count.
    pub piece: f32,
    /// What a word of talk, such as `start` or `almost`, counts in a query.
    pub weak: f32,
    /// What an indexed word counts that the query's unknown word begins.
    pub prefix: f32,
    /// What an indexed word counts that is one edit away from an unknown word; the half at two.
    /// Below 1, so that a guess never counts as much as the word itself.
    pub fuzzy: f32,
    /// What the English words of the glossary count for a word of another script; 0 leaves it out.
    pub glossary: f32,
    /// What multiplies [`Weights::glossary`] for a word that some skill has as it is written: who asks in
    /// a language and is answered in it comes first.
    pub native: f32,
    /// What a word of like meaning counts; 0 leaves them out.
    pub synonym: f32,
    /// The share of a fused score that likeness of word vectors has; 0 leaves it out.
    pub semantic: f32,
    /// From this likeness of word vectors on a skill without any of the query's words is found.
    pub semantic_floor: f32,
    /// The share of a fused score that likeness of a model's vectors has.
    pub model: f32,
    /// The same for a model.
    pub model_floor: f32,
    /// How many indexed words stand in for an unknown one at most.
    pub expansions: usize,
    /// The share of a score that depends on how much of the query was matched, 0..=1.
    pub coverage: f32,
    /// What multiplies the score of skills of the layers `infrastructure` and `example`.
    pub low_layer: f32,
}

impl Weights {
    /// The field weights and k1 are those of the published comparison that search started from
    /// (BM25F over skill metadata); the rest was set on labelled development queries. `semantic`,
    /// `coverage` and `synonym` were chosen by cross-validation in five parts over two sets of queries, of
    /// which one was written by others: the folds agree on these but for one, and lose less than 0.01 NDCG@10
    /// against the choice on all of them. `model` was chosen with the vectors of a multilingual sentence encoder:
    /// above a third of the score they bring skills before one that has the query's very words.
    pub const DEFAULT: Self = Self {
        field: [2.5, 1.0, 0.7, 0.3, 0.15],
        length: [0.75, 0.75, 0.7, 0.7, 0.9],
        saturation: 1.2,
        whole: 1.0,
        piece: 0.3,
        weak: 0.5,
        prefix: 0.5,
        fuzzy: 0.8,
        glossary: 1.0,
        native: 0.05,
        synonym: 0.3,
        semantic: 0.45,
        semantic_floor: 0.25,
        model: 0.32,
        model_floor: 0.35,
        expansions: 5,
        coverage: 0.2,
        low_layer: 0.85,
    };

    /// What multiplies the score of a skill of this layer.
    pub fn layer(&self, layer: Option<&str>) -> f32 {
        let low = layer.is_some_and(|layer| {
            ["infrastructure", "example"]
                .iter()
                .any(|low| layer.trim().eq_ignore_ascii_case(low))
        });
        if low { self.low_layer } else { 1.0 }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The bounds of the quality factor: it breaks near-ties, it does not overrule a better match.
pub(crate) const QUALITY: (f64, f64) = (0.9, 1.1);
