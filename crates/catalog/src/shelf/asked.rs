//! Which skills clients have asked for by name: what is in no list is known to them by that alone.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// So many are remembered; with more, every skill counts as asked for.
const MOST: usize = 4_096;
/// No key of a skill is longer.
const LONGEST: usize = 300;

/// The keys that were asked for, whether there were such skills or not; those of skills that lists show are nothing
/// that anybody would have to remember.
#[derive(Debug, Default)]
pub(super) struct Asked(RwLock<Keys>);

#[derive(Debug, Default)]
struct Keys {
    known: BTreeSet<String>,
    are_too_many: bool,
}

impl Asked {
    /// Writes what is not known yet alone, so that whoever asks once more waits for nobody.
    pub(super) fn note(&self, key: &str) {
        if key.len() > LONGEST || self.has(key) {
            return;
        }
        let mut keys = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if keys.are_too_many || keys.known.contains(key) {
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
        let keys = self.0.read().unwrap_or_else(PoisonError::into_inner);
        keys.are_too_many || keys.known.contains(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::SkillCatalog;
    use crate::registry::ToolRegistry;

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
        assert!(asked.0.read().unwrap().known.is_empty());
    }

    #[test]
    fn what_is_known_is_not_written_again() {
        let asked = Asked::default();
        asked.note("a");
        let reading = asked.0.read().unwrap();
        std::thread::scope(|scope| {
            let again = scope.spawn(|| asked.note("a"));
            assert!(again.join().is_ok());
        });
        drop(reading);
    }

    /// Two skills of each name, of which one found by its name alone, and clients that ask for all of them.
    #[test]
    fn skills_that_lists_show_are_remembered_only_when_lists_show_them_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, more: &str| {
            let name = path.rsplit('/').next().unwrap();
            let text = format!("---\nname: {name}\ndescription: x\n{more}---\n");
            std::fs::create_dir_all(folder.path().join(path)).unwrap();
            std::fs::write(folder.path().join(path).join("SKILL.md"), text).unwrap();
        };
        let hidden = "metadata:\n  dcc-mcp:\n    allow-implicit-invocation: false\n";
        for (path, more) in [
            ("a/one", ""),
            ("a/quiet", hidden),
            ("b/one", ""),
            ("a/two", ""),
        ] {
            write(path, more);
        }
        let catalog = SkillCatalog::new(ToolRegistry::new());
        let roots = ["a", "b"].map(|root| folder.path().join(root));
        catalog.discover(&roots, None);
        let remembered = || {
            let snapshot = catalog.snapshot();
            let keys = snapshot.shelf().asked.0.read().unwrap();
            keys.known.iter().cloned().collect::<Vec<_>>()
        };
        let ask = |uri: &[&str]| {
            let segments: Vec<String> = uri.iter().map(|&part| part.to_owned()).collect();
            let snapshot = catalog.snapshot();
            snapshot.shelf().locate(&segments).is_some()
        };
        assert!(ask(&["one", "SKILL.md"]) && ask(&["two", "SKILL.md"]));
        assert_eq!(remembered(), [""; 0]);
        assert!(ask(&["quiet", "SKILL.md"]) && ask(&["explicit-2", "one", "SKILL.md"]));
        assert!(!ask(&["gone", "SKILL.md"]));
        assert_eq!(
            remembered(),
            ["explicit-2/one", "gone", "gone/SKILL.md", "quiet"]
        );
        // Whoever was shown `one` knows its name; nobody was shown `two`.
        let _ = catalog.text_states(&["one"]);
        write("a/one", hidden);
        write("a/two", hidden);
        catalog.rediscover();
        catalog.snapshot().shelf();
        assert_eq!(
            remembered(),
            ["explicit-2/one", "gone", "gone/SKILL.md", "one", "quiet"]
        );
    }
}
