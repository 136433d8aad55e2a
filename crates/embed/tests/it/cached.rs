//! The cache over restarts, changes and damage.

use std::sync::atomic::{AtomicUsize, Ordering};

use metier_embed::{CacheError, CachedEmbedder};
use metier_search::{Embedder, EmbedderError, HashedEmbedder};

/// Counts the texts that it is asked for.
#[derive(Debug)]
struct Counting {
    asked: AtomicUsize,
    version: &'static str,
}

impl Counting {
    fn new(version: &'static str) -> Self {
        Self {
            asked: AtomicUsize::new(0),
            version,
        }
    }
}

impl Embedder for &Counting {
    fn dims(&self) -> usize {
        8
    }

    fn fingerprint(&self) -> String {
        self.version.to_owned()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.asked.fetch_add(texts.len(), Ordering::Relaxed);
        HashedEmbedder::with_dims(8).embed(texts)
    }
}

#[test]
fn a_text_is_embedded_once_and_a_changed_one_anew() {
    let folder = tempfile::tempdir().unwrap();
    let counting = Counting::new("one");
    let cached = CachedEmbedder::open(&counting, folder.path()).unwrap();
    let first = cached.embed(&["sphere", "cube", "sphere"]).unwrap();
    assert_eq!(counting.asked.load(Ordering::Relaxed), 2);
    assert_eq!(first[0], first[2]);
    drop(cached);

    let again = CachedEmbedder::open(&counting, folder.path()).unwrap();
    assert_eq!((again.len(), again.is_empty()), (2, false));
    assert_eq!(again.embed(&["sphere", "cube"]).unwrap(), first[..2]);
    assert_eq!(counting.asked.load(Ordering::Relaxed), 2);
    again.embed(&["sphere!"]).unwrap();
    assert_eq!(counting.asked.load(Ordering::Relaxed), 3);

    let other = Counting::new("two");
    assert!(
        CachedEmbedder::open(&other, folder.path())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_record_that_was_cut_off_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let counting = Counting::new("one");
    CachedEmbedder::open(&counting, folder.path())
        .unwrap()
        .embed(&["a sphere", "a cube"])
        .unwrap();
    let file = std::fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 5]).unwrap();
    let cached = CachedEmbedder::open(&counting, folder.path()).unwrap();
    assert_eq!(cached.len(), 1);
    cached.embed(&["a sphere", "a cube"]).unwrap();
    drop(cached);
    assert_eq!(
        CachedEmbedder::open(&counting, folder.path())
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_cache_of_another_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let counting = Counting::new("one");
    drop(CachedEmbedder::open(&counting, folder.path()).unwrap());
    let file = std::fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    std::fs::write(&file, b"MTEMBED0 of long ago").unwrap();
    let error = CachedEmbedder::open(&counting, folder.path()).unwrap_err();
    assert!(matches!(error, CacheError::OtherVersion), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), b"MTEMBED0 of long ago");
}
