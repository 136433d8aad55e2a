//! Where vectors are kept.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use super::rows::{Coded, Rows, dot};

/// Keeps vectors by id and finds the nearest.
pub trait VectorStore: Send + Sync + fmt::Debug {
    /// Keeps a vector, in place of an earlier one of the same id.
    fn upsert(&mut self, id: &str, vector: &[f32]);

    /// Forgets a vector; `false` when there was none.
    fn remove(&mut self, id: &str) -> bool;

    /// How many vectors there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `k` ids of the greatest inner product with the query among those that `keep` lets pass,
    /// best first, ties by id. Products that are not above 0 are left out.
    fn nearest(&self, query: &[f32], k: usize, keep: &dyn Fn(&str) -> bool) -> Vec<(String, f32)>;
}

/// Vectors in memory, compared one by one: exact, and quick up to some ten thousand.
#[derive(Debug, Clone, Default)]
pub struct InMemoryVectorStore {
    ids: Vec<String>,
    places: BTreeMap<String, usize>,
    vectors: Vectors,
}

#[derive(Debug, Clone)]
enum Vectors {
    Exact(Vec<Vec<f32>>),
    Coded(Rows),
}

impl Default for Vectors {
    fn default() -> Self {
        Self::Exact(Vec::new())
    }
}

impl InMemoryVectorStore {
    /// Keeps vectors as they are.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps one byte for each of the `dims` numbers of a vector: a quarter of the memory, and products
    /// that differ in the third digit.
    pub fn coded(dims: usize) -> Self {
        Self {
            vectors: Vectors::Coded(Rows::new(dims)),
            ..Self::default()
        }
    }
}

impl VectorStore for InMemoryVectorStore {
    fn upsert(&mut self, id: &str, vector: &[f32]) {
        if let Some(place) = self.places.get(id) {
            match &mut self.vectors {
                Vectors::Exact(vectors) => {
                    if let Some(slot) = vectors.get_mut(*place) {
                        *slot = vector.to_vec();
                    }
                }
                Vectors::Coded(rows) => rows.set(*place, vector),
            }
            return;
        }
        self.places.insert(id.to_owned(), self.ids.len());
        self.ids.push(id.to_owned());
        match &mut self.vectors {
            Vectors::Exact(vectors) => vectors.push(vector.to_vec()),
            Vectors::Coded(rows) => rows.push(vector),
        }
    }

    fn remove(&mut self, id: &str) -> bool {
        let Some(place) = self.places.remove(id) else {
            return false;
        };
        let last = self.ids.len().saturating_sub(1);
        self.ids.swap_remove(place);
        match &mut self.vectors {
            Vectors::Exact(vectors) => {
                vectors.swap_remove(place);
            }
            Vectors::Coded(rows) => rows.swap_remove(place),
        }
        if place != last
            && let Some(moved) = self.ids.get(place)
        {
            self.places.insert(moved.clone(), place);
        }
        true
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn nearest(&self, query: &[f32], k: usize, keep: &dyn Fn(&str) -> bool) -> Vec<(String, f32)> {
        let products: Vec<f32> = match &self.vectors {
            Vectors::Exact(vectors) => vectors.iter().map(|vector| dot(vector, query)).collect(),
            Vectors::Coded(rows) => rows.likeness(&Coded::new(query)),
        };
        let mut near: Vec<(&String, f32)> = self
            .ids
            .iter()
            .zip(products)
            .filter(|(id, product)| *product > 0.0 && keep(id))
            .collect();
        let order = |a: &(&String, f32), b: &(&String, f32)| -> Ordering {
            b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0))
        };
        if k > 0 && k < near.len() {
            near.select_nth_unstable_by(k - 1, order);
        }
        near.truncate(k);
        near.sort_unstable_by(order);
        near.into_iter()
            .map(|(id, product)| (id.clone(), product))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_ties_go_by_id() {
        for mut store in [InMemoryVectorStore::new(), InMemoryVectorStore::coded(2)] {
            for (id, vector) in [
                ("b", [1.0, 0.0]),
                ("a", [1.0, 0.0]),
                ("c", [0.8, 0.6]),
                ("d", [0.0, 1.0]),
            ] {
                store.upsert(id, &vector);
            }
            let ids = |store: &InMemoryVectorStore, k| -> Vec<String> {
                let near = store.nearest(&[1.0, 0.0], k, &|id| id != "x");
                near.into_iter().map(|(id, _)| id).collect()
            };
            assert_eq!(ids(&store, 3), ["a", "b", "c"]);
            assert_eq!(ids(&store, 1), ["a"]);
            assert_eq!(ids(&store, 0), [""; 0]);
            assert!(store.remove("b") && !store.remove("b"));
            store.upsert("a", &[0.0, 1.0]);
            assert_eq!(ids(&store, 9), ["c"]);
            assert_eq!(store.len(), 3);
        }
    }
}
