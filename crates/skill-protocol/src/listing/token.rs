//! A token that says what was sent: a fingerprint for each card.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::book::SkillEntry;

const VERSION: u8 = 1;
/// Forty bits: among a hundred skills, two look alike once in two hundred million times.
const PRINT: usize = 5;
const CHECK: usize = 4;
/// A longer text is none of ours.
const LONGEST: usize = 8_192;

/// What a card says of a skill, in a few bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fingerprint([u8; PRINT]);

impl Fingerprint {
    /// Of the whole card, however it is shortened.
    pub(super) fn of(entry: &SkillEntry) -> Self {
        let mut hash = Sha256::new();
        for part in [
            &entry.id,
            &entry.name,
            &entry.description,
            &entry.when_to_use,
        ] {
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
        Self(first(&hash.finalize()))
    }
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk::<N>().copied().unwrap_or([0; N])
}

/// What was sent, up to which generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) generation: u64,
    pub(super) sent: Vec<Fingerprint>,
}

impl Token {
    pub(super) fn new(generation: u64, sent: Vec<Fingerprint>) -> Self {
        Self { generation, sent }
    }

    pub(super) fn write(&self) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend(self.generation.to_be_bytes());
        for print in &self.sent {
            bytes.extend(print.0);
        }
        let check: [u8; CHECK] = first(&Sha256::digest(&bytes));
        bytes.extend(check);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// `None` for what is no token, or was damaged on its way.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).ok()?;
        let (rest, check) = bytes.split_last_chunk::<CHECK>()?;
        if *check != first::<CHECK>(&Sha256::digest(rest)) {
            return None;
        }
        let (version, rest) = rest.split_first()?;
        let (generation, prints) = rest.split_first_chunk::<8>()?;
        let (prints, odd) = prints.as_chunks::<PRINT>();
        if *version != VERSION || !odd.is_empty() {
            return None;
        }
        Some(Self {
            generation: u64::from_be_bytes(*generation),
            sent: prints.iter().map(|print| Fingerprint(*print)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_and_a_damaged_one_does_not() {
        let print = Fingerprint::of(&SkillEntry::new("a", "a", "b"));
        let token = Token::new(7, vec![print; 3]);
        let text = token.write();
        assert_eq!(Token::read(&text), Some(token));
        assert_eq!(Token::read(&text[1..]), None);
        assert_eq!(Token::read(&text.replace('A', "B")), None);
        assert_eq!(Token::read(&"A".repeat(10_000)), None);
        assert_eq!(Token::read("???"), None);
    }
}
