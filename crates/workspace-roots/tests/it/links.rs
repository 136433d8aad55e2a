//! Links inside a workspace.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use metier_workspace_roots::{EscapeReason, WorkspaceResolveError, WorkspaceRoots};
use tempfile::TempDir;

/// A workspace `root` with a folder `assets`, and beside it a folder `secret` with a `key.txt`.
struct Place {
    dir: TempDir,
    roots: WorkspaceRoots,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("root/assets")).unwrap();
        fs::create_dir(dir.path().join("secret")).unwrap();
        fs::write(dir.path().join("secret/key.txt"), "key").unwrap();
        fs::write(dir.path().join("root/assets/a.txt"), "a").unwrap();
        let roots = WorkspaceRoots::new([dir.path().join("root")]);
        Self { dir, roots }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Makes a link in the root.
    fn link(&self, target: &str, name: &str) {
        symlink(target, self.at("root").join(name)).unwrap();
    }

    #[track_caller]
    fn refused(&self, path: &str) {
        for input in [format!("workspace://{path}"), path.to_owned()] {
            assert_eq!(
                self.roots.resolve(&input),
                Err(WorkspaceResolveError::Escapes {
                    input: input.clone(),
                    reason: EscapeReason::Link
                }),
            );
        }
    }

    #[track_caller]
    fn fine(&self, path: &str) {
        for input in [format!("workspace://{path}"), path.to_owned()] {
            assert_eq!(self.roots.resolve(&input), Ok(self.at("root").join(path)));
        }
    }
}

#[test]
fn case_111_link_leaves_root() {
    let place = Place::new();
    place.link("../secret", "out");
    place.link("../secret/key.txt", "leak.txt");
    place.link(place.at("secret").to_str().unwrap(), "absolute");
    place.link("out", "by-way");
    place.link("assets/../../secret", "winding");
    place.link("..", "above");
    for path in [
        "out",
        "out/key.txt",
        "out/new/file.txt",
        "leak.txt",
        "absolute/key.txt",
        "by-way/key.txt",
        "winding/key.txt",
        "above/secret/key.txt",
        "above/beside.txt",
        // The system would go back from where the link leads.
        "out/../assets/a.txt",
        "out/..",
        "assets/../out/../assets",
        "by-way/deep/../../assets",
    ] {
        place.refused(path);
    }
    place.link("assets", "in");
    for path in ["workspace://in/../assets/a.txt", "in/./../assets/a.txt"] {
        let led = place.at("root/assets/a.txt");
        assert_eq!(place.roots.resolve(path), Ok(led));
    }
}

#[test]
fn a_link_to_nothing_outside_is_refused_before_a_write_makes_it_something() {
    let place = Place::new();
    place.link("../secret/not-yet", "new.txt");
    place.link("../nowhere/deep", "new-folder");
    place.refused("new.txt");
    place.refused("new-folder/file.txt");
    place.link("assets/not-yet", "inside.txt");
    place.fine("inside.txt");
}

#[test]
fn links_that_stay_inside() {
    let place = Place::new();
    place.link("./assets", "in");
    place.link(place.at("root/assets").to_str().unwrap(), "in-absolute");
    place.link("../root/assets", "round");
    place.link(".", "self");
    for path in [
        "in/a.txt",
        "in/new.txt",
        "in/new/new.txt",
        "in-absolute/a.txt",
        "round/a.txt",
        "self/self/assets/a.txt",
        "assets/a.txt/below-a-file",
        "none/at/all",
    ] {
        place.fine(path);
    }
}

#[test]
fn a_root_that_is_a_link() {
    let place = Place::new();
    symlink("root", place.at("alias")).unwrap();
    place.link("../secret", "out");
    let roots = WorkspaceRoots::new([place.at("alias")]);
    assert_eq!(
        roots.resolve("workspace://assets/a.txt"),
        Ok(place.at("alias/assets/a.txt"))
    );
    assert!(roots.resolve("workspace://out/key.txt").is_err());
}

#[test]
fn a_link_to_a_sibling_with_the_same_beginning() {
    let place = Place::new();
    fs::create_dir(place.at("root-private")).unwrap();
    place.link("../root-private", "private");
    place.refused("private/a");
}

#[test]
fn links_in_a_circle_end() {
    let place = Place::new();
    place.link("b", "a");
    place.link("a", "b");
    let error = place.roots.resolve("a/x").unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot tell where 'a/x' leads: too many links"
    );
}

#[test]
fn a_name_too_long_for_the_file_system_is_an_error() {
    let place = Place::new();
    assert!(matches!(
        place.roots.resolve(&"x".repeat(5_000)),
        Err(WorkspaceResolveError::Unresolvable { .. })
    ));
}
