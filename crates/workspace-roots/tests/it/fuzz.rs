//! Any bytes as the text that a client sends, and mutations of texts that are close to leaving the root. The same
//! function serves a coverage-guided fuzzer.

use std::path::{Component, Path};

use metier_workspace_roots::{ClientRoot, WorkspaceResolveError, WorkspaceRoots};
use proptest::prelude::*;

const ROOT: &str = "/projects/hero";

/// The fuzz target: whatever is resolved against a root is a place below it, or the text was absolute by itself.
fn fuzz(bytes: &[u8]) {
    let input = String::from_utf8_lossy(bytes);
    let roots = WorkspaceRoots::new([ROOT]);
    let plain = roots.resolve(&input);
    let strict = roots.resolve_strict(&input);
    if let Ok(path) = &strict {
        assert!(path.starts_with(ROOT), "{input:?} is {}", path.display());
        assert_eq!(
            plain.as_ref(),
            Ok(path),
            "{input:?}: strict refuses, and changes nothing"
        );
    }
    if let Ok(path) = &plain
        && is_of_the_workspace(&input)
    {
        assert!(path.starts_with(ROOT), "{input:?} is {}", path.display());
        assert!(is_clean(path), "{input:?} is {}", path.display());
        assert_eq!(strict.as_ref(), Ok(path), "{input:?}");
        // What came out is a path: it is taken as it is, and not decoded a second time.
        assert_eq!(roots.resolve(path.to_str().unwrap()).as_ref(), Ok(path));
    }
    for refused in [&plain, &strict]
        .into_iter()
        .filter_map(|it| it.as_ref().err())
    {
        assert!(!refused.to_string().is_empty());
    }
    if is_of_the_workspace(&input) {
        let nowhere = WorkspaceRoots::default().resolve(&input);
        assert!(nowhere.is_err(), "{input:?} without roots: {nowhere:?}");
        if plain.is_ok() {
            assert_eq!(nowhere, Err(WorkspaceResolveError::NoRoots), "{input:?}");
        }
    }
    // Roots are texts of the client as well.
    let from_client = WorkspaceRoots::from_client_roots(&[ClientRoot::new(&*input)]);
    assert!(
        from_client
            .roots()
            .iter()
            .all(|root| root.has_root() || cfg!(windows))
    );
}

fn is_of_the_workspace(input: &str) -> bool {
    let scheme = input.get(..10).unwrap_or_default();
    scheme.eq_ignore_ascii_case("workspace:")
}

fn is_clean(path: &Path) -> bool {
    let text = path.to_str().unwrap();
    !text.contains('\0') && !path.components().any(|it| it == Component::ParentDir)
}

/// Texts that are close to the fence.
const CORPUS: &[&str] = &[
    "workspace://assets/hero.usd",
    "workspace:/assets/a%20b.usd",
    "workspace:///a//./b",
    "WORKSPACE://a/../b",
    "workspace://../hero/a",
    "workspace://a/%2e%2e/%2E%2E/x",
    "workspace://a%2f..%5c..",
    "workspace://a\\..\\..\\b",
    "workspace://100%25/%e7%90%83",
    "workspace://%zz",
    "workspace://%00",
    "workspace://localhost/a",
    "workspace://?a#b",
    "workspace:",
    "file:///projects/hero/a%20b",
    "file://localhost/projects/hero-private/x",
    "/projects/hero/../hero2",
    "C:\\projects\\hero",
    "\\\\server\\share\\x",
    "\\\\?\\C:\\x",
    "./a/..",
    "a/b/../../..",
];

#[test]
fn the_corpus_holds() {
    for text in CORPUS {
        fuzz(text.as_bytes());
    }
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        fuzz(&bytes);
        fuzz(&[b"workspace://", &*bytes].concat());
    }

    #[test]
    fn any_text_of_the_workspace(
        head in prop::sample::select(vec!["workspace://", "workspace:", "WORKSPACE:/", "./", ""]),
        tail in "([a.%/\\\\:2eEfF05cC~? ]|\\PC|\\x00){0,24}",
    ) {
        fuzz(format!("{head}{tail}").as_bytes());
    }

    #[test]
    fn changed_texts(
        which in 0..CORPUS.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..6),
    ) {
        let mut bytes = CORPUS[which].as_bytes().to_vec();
        for (place, byte, how) in edits {
            let at = place.index(bytes.len() + 1);
            match how {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => _ = bytes.remove(at),
                // A piece of another text: escapes and dots come in whole.
                2 => {
                    let other = CORPUS[usize::from(byte) % CORPUS.len()].as_bytes();
                    bytes.splice(at..at, other[other.len() / 2..].iter().copied());
                }
                _ => bytes.insert(at, byte),
            }
        }
        fuzz(&bytes);
    }
}
