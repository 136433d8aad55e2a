//! Held against a plain model, and against what the file system itself says.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use metier_workspace_roots::{WorkspaceResolveError, WorkspaceRoots};
use proptest::prelude::*;

/// The model: a list of names and a depth that never falls below zero.
fn walk(pieces: &[&str]) -> Option<PathBuf> {
    let mut path = PathBuf::from("/projects/hero");
    let mut depth = 0;
    for piece in pieces {
        match *piece {
            "" | "." => {}
            ".." if depth == 0 => return None,
            ".." => {
                path.pop();
                depth -= 1;
            }
            name => {
                path.push(name);
                depth += 1;
            }
        }
    }
    Some(path)
}

fn encode(piece: &str) -> String {
    piece
        .bytes()
        .fold(String::new(), |text, byte| format!("{text}%{byte:02x}"))
}

proptest! {
    #[test]
    fn resolve_walks_like_the_model(
        pieces in prop::collection::vec(
            (prop::sample::select(vec!["..", ".", "", "a", "b c", "球", "..x", "100%"]), any::<bool>(), any::<bool>()),
            1..8,
        ),
    ) {
        let roots = WorkspaceRoots::new(["/projects/hero"]);
        let mut plain = String::from("./");
        let mut uri = String::from("workspace://./");
        for (piece, encoded, backslash) in &pieces {
            let slash = if *backslash { '\\' } else { '/' };
            plain.push_str(piece);
            plain.push(slash);
            let piece = if *encoded { encode(piece) } else { piece.replace('%', "%25") };
            uri.push_str(&piece);
            uri.push(slash);
        }
        let names: Vec<_> = pieces.iter().map(|(piece, ..)| *piece).collect();
        match walk(&names) {
            Some(path) => {
                prop_assert_eq!(roots.resolve(&plain), Ok(path.clone()));
                prop_assert_eq!(roots.resolve(&uri), Ok(path));
            }
            None => for input in [plain, uri] {
                let escapes = matches!(roots.resolve(&input), Err(WorkspaceResolveError::Escapes { .. }));
                prop_assert!(escapes, "{}", input);
            }
        }
    }
}

proptest! {
    // Each case makes and removes a folder tree, which is what takes the time here.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_resolves_is_inside_by_the_file_systems_own_word(
        links in prop::collection::vec(
            (
                prop::sample::select(vec!["", "d/", "d/e/"]),
                prop::sample::select(vec!["x", "y", "z"]),
                prop::collection::vec(prop::sample::select(vec!["..", ".", "d", "e", "x", "y", "root", "out"]), 1..5),
            ),
            0..6,
        ),
        tries in prop::collection::vec(
            prop::collection::vec(prop::sample::select(vec!["d", "e", "x", "y", "z", "new", ".."]), 1..5),
            12,
        ),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let root = top.join("root");
        fs::create_dir_all(root.join("d/e")).unwrap();
        fs::create_dir_all(top.join("out/d")).unwrap();
        for (folder, name, target) in links {
            // A second link of the same name is refused by the file system; the first one stands.
            let _ = symlink(target.join("/"), root.join(folder).join(name));
        }
        let roots = WorkspaceRoots::new([&root]);
        for names in tries {
            let input = names.join("/");
            match roots.resolve(&input) {
                Ok(path) => {
                    prop_assert!(path.starts_with(&root));
                    if let Ok(real) = path.canonicalize() {
                        prop_assert!(real.starts_with(&root), "{} is {}", input, real.display());
                    } else if fs::create_dir(&path).is_ok() {
                        let real = path.canonicalize().unwrap();
                        prop_assert!(real.starts_with(&root), "made {}", real.display());
                        fs::remove_dir(&path).unwrap();
                    } else if fs::write(&path, "").is_ok() {
                        let real = path.canonicalize().unwrap();
                        prop_assert!(real.starts_with(&root), "wrote {}", real.display());
                        fs::remove_file(real).unwrap();
                    }
                }
                Err(WorkspaceResolveError::Escapes { .. }) if !names.contains(&"..") => {
                    // Nothing inside is refused: where the path exists, it is outside.
                    if let Ok(real) = root.join(&input).canonicalize() {
                        prop_assert!(!real.starts_with(&root), "{} is inside", input);
                    }
                }
                Err(_) => {}
            }
        }
    }
}
