//! Vectors that were computed before.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use metier_search::{Embedder, EmbedderError};
use sha2::{Digest, Sha256};

/// The first bytes of a cache file of this layout, before the fingerprint.
const MAGIC: &[u8; 8] = b"MTEMBED1";

type Key = [u8; 16];

/// Keeps the vectors of texts, not of queries, in one file of a folder, by the embedder's fingerprint and a hash of the
/// text: a text that changes is embedded anew, and so is everything when the model changes.
///
/// The file is appended to. A record that was cut off, as by a power failure, ends the reading, and is
/// written over.
#[derive(Debug)]
pub struct CachedEmbedder<E> {
    inner: E,
    file: PathBuf,
    kept: Mutex<HashMap<Key, Vec<f32>>>,
}

/// Why a cache cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum CacheError {
    /// The folder or the file in it cannot be read or written.
    Io(std::io::Error),
    /// The file was written by another version or for another embedder.
    OtherVersion,
}

impl std::fmt::Display for CacheError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the cache of vectors could not be used: {error}"),
            Self::OtherVersion => f.write_str(
                "the cache of vectors was written by another version; remove it to have it written anew",
            ),
        }
    }
}

impl std::error::Error for CacheError {}

impl From<std::io::Error> for CacheError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl<E: Embedder> CachedEmbedder<E> {
    /// Reads the cache of this embedder in a folder, which is made when it is not there.
    ///
    /// # Errors
    /// [`CacheError`] when it cannot be read, or is of another version; it is left as it is then.
    pub fn open(inner: E, folder: &Path) -> Result<Self, CacheError> {
        std::fs::create_dir_all(folder)?;
        let head = head(&inner);
        let file = folder.join(format!("{}.vectors", hex(&key(&inner.fingerprint()))));
        let kept = match std::fs::read(&file) {
            Ok(bytes) => {
                let records = bytes
                    .strip_prefix(head.as_slice())
                    .ok_or(CacheError::OtherVersion)?;
                let (kept, whole) = records_of(records, inner.dims());
                if whole < records.len() {
                    let length = (head.len() + whole) as u64;
                    OpenOptions::new()
                        .write(true)
                        .open(&file)?
                        .set_len(length)?;
                }
                kept
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                File::create(&file)?.write_all(&head)?;
                HashMap::new()
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            inner,
            file,
            kept: Mutex::new(kept),
        })
    }

    /// How many vectors it has.
    pub fn len(&self) -> usize {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A cache that cannot be written is no reason to do without the vectors.
    fn write(&self, fresh: &[(Key, &Vec<f32>)]) {
        let mut bytes = Vec::new();
        for (key, vector) in fresh {
            bytes.extend(key);
            for value in *vector {
                bytes.extend(value.to_le_bytes());
            }
        }
        if let Ok(mut file) = OpenOptions::new().append(true).open(&self.file) {
            let _ = file.write_all(&bytes);
        }
    }
}

fn head(embedder: &impl Embedder) -> Vec<u8> {
    let fingerprint = embedder.fingerprint();
    let mut head = MAGIC.to_vec();
    head.extend(
        u64::try_from(embedder.dims())
            .unwrap_or_default()
            .to_le_bytes(),
    );
    head.extend((fingerprint.len() as u64).to_le_bytes());
    head.extend(fingerprint.as_bytes());
    head
}

/// The whole records and how many bytes they take.
fn records_of(bytes: &[u8], dims: usize) -> (HashMap<Key, Vec<f32>>, usize) {
    let size = size_of::<Key>() + dims * 4;
    let mut kept = HashMap::new();
    for record in bytes.chunks_exact(size) {
        if let Some((key, numbers)) = record.split_first_chunk() {
            let vector = numbers
                .as_chunks()
                .0
                .iter()
                .map(|four| f32::from_le_bytes(*four));
            kept.insert(*key, vector.collect());
        }
    }
    (kept, bytes.len() / size * size)
}

fn key(text: &str) -> Key {
    let digest = Sha256::digest(text.as_bytes());
    let mut key = Key::default();
    for (slot, byte) in key.iter_mut().zip(digest.iter()) {
        *slot = *byte;
    }
    key
}

/// Bytes as small hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for half in [byte >> 4, byte & 0xF] {
            text.extend(char::from_digit(u32::from(half), 16));
        }
    }
    text
}

impl<E: Embedder> Embedder for CachedEmbedder<E> {
    fn dims(&self) -> usize {
        self.inner.dims()
    }

    fn fingerprint(&self) -> String {
        self.inner.fingerprint()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: Vec<(Key, &str)> = Vec::new();
        for text in texts {
            let key = key(text);
            if !kept.contains_key(&key) && missing.iter().all(|(known, _)| *known != key) {
                missing.push((key, text));
            }
        }
        if !missing.is_empty() {
            let unknown: Vec<&str> = missing.iter().map(|(_, text)| *text).collect();
            let vectors = self.inner.embed(&unknown)?;
            let fresh: Vec<(Key, &Vec<f32>)> =
                missing.iter().map(|(key, _)| *key).zip(&vectors).collect();
            self.write(&fresh);
            let keys: Vec<Key> = missing.iter().map(|(key, _)| *key).collect();
            kept.extend(keys.into_iter().zip(vectors));
        }
        Ok(texts
            .iter()
            .map(|text| kept.get(&key(text)).cloned().unwrap_or_default())
            .collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        self.inner.embed_query(text)
    }

    fn knows(&self, term: &str) -> bool {
        self.inner.knows(term)
    }
}
