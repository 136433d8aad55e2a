//! Skill search: one analyser for every language, BM25F over fst, explained hits.
