//! Which skills clients have asked for by name: what is in no list is known to them by that alone.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// So many are remembered; with more, every skill counts as asked for.
const MOST: usize = 4_096;
/// No key of a skill is longer.
const LONGEST: usize = 300;

/// The keys that were asked for, whether there were such skills or not.
#[derive(Debug, Default)]
pub(super) struct Asked(Mutex<Keys>);

#[derive(Debug, Default)]
struct Keys {
    known: BTreeSet<String>,
    are_too_many: bool,
}

impl Asked {
    pub(super) fn note(&self, key: &str) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.are_too_many || key.len() > LONGEST || keys.known.contains(key) {
            return;
        }
        if keys.known.len() >= MOST {
            keys.are_too_many = true;
            keys.known.clear();
            return;
        }
        keys.known.insert(key.to_owned());
    }

    pub(super) fn has(&self, key: &str) -> bool {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.are_too_many || keys.known.contains(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_all_are_known() {
        let asked = Asked::default();
        asked.note(&"x".repeat(LONGEST + 1));
        asked.note("a");
        assert!(asked.has("a") && !asked.has("b"));
        for number in 0..MOST {
            asked.note(&number.to_string());
        }
        assert!(asked.has("a") && asked.has("b"));
        assert!(asked.0.lock().unwrap().known.is_empty());
    }
}
