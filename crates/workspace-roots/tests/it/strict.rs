//! Absolute paths against the roots.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use metier_workspace_roots::{EscapeReason, WorkspaceResolveError, WorkspaceRoots};

#[track_caller]
fn refused(roots: &WorkspaceRoots, input: &str, expected: EscapeReason) {
    assert_eq!(
        roots.resolve_strict(input),
        Err(WorkspaceResolveError::Escapes {
            input: input.into(),
            reason: expected
        }),
    );
}

#[test]
fn paths_that_do_not_exist() {
    let roots = WorkspaceRoots::new(["/projects/hero", "/projects/lib"]);
    for input in [
        "/projects/hero/x.ma",
        "/projects/hero",
        "/projects/hero/a/../x.ma",
        "/projects/lib/x.ma",
        "file:///projects/lib/x.ma",
    ] {
        let path = input.trim_start_matches("file://");
        assert_eq!(roots.resolve_strict(input).as_deref(), Ok(Path::new(path)));
    }
    for input in [
        "/projects/other/x.ma",
        "/projects/hero2/x.ma",
        "/projects",
        "/",
        "C:\\show\\x.max",
        "C:/show/x.max",
        "\\\\server\\share\\x",
        "file:///projects/other/x.ma",
    ] {
        refused(&roots, input, EscapeReason::OutsideRoots);
    }
    for input in [
        "/projects/hero/../other/x.ma",
        "/projects/hero/../hero/x.ma",
        "/projects/hero/a/../../hero/x.ma",
        "file:///projects/hero/%2e%2e/x",
        // Whoever makes `h` a link decides where this leads.
        "/projects/h//../hero/x.ma",
        "/nowhere/../projects/lib/x.ma",
    ] {
        refused(&roots, input, EscapeReason::Climbs);
    }
}

/// Behind a folder that is there the system tells where `..` leads.
#[test]
fn a_step_back_behind_what_is_there_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    for folder in ["root", "beside", "far/off"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    symlink(at("far/off"), at("link")).unwrap();
    let roots = WorkspaceRoots::new([at("root")]);
    let path = at("beside/../root/x.ma");
    assert_eq!(roots.resolve_strict(&path).as_deref(), Ok(Path::new(&path)));
    refused(&roots, &at("link/../root/x.ma"), EscapeReason::OutsideRoots);
    refused(&roots, &at("gone/../root/x.ma"), EscapeReason::Climbs);
}

#[test]
fn links_are_followed() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir_all(at("root/assets")).unwrap();
    fs::create_dir(at("secret")).unwrap();
    symlink("../secret", at("root/out")).unwrap();
    symlink("root", at("alias")).unwrap();

    let roots = WorkspaceRoots::new([at("root")]);
    refused(&roots, &at("root/out/key"), EscapeReason::Link);
    // `out/..` is the folder above the link's target, not the root.
    refused(&roots, &at("root/out/../assets"), EscapeReason::Link);
    assert!(roots.resolve_strict(&at("alias/assets/new")).is_ok());
    refused(&roots, &at("alias/out/key"), EscapeReason::OutsideRoots);

    let linked = WorkspaceRoots::new([at("alias")]);
    assert!(linked.resolve_strict(&at("root/assets")).is_ok());
    assert!(linked.resolve_strict(&at("alias/assets")).is_ok());

    // A root that cannot be looked at grants nothing and takes nothing from the others.
    symlink("loop", at("loop")).unwrap();
    let both = WorkspaceRoots::new([at("loop"), at("root")]);
    assert!(both.resolve_strict(&at("root/assets")).is_ok());
    refused(&both, &at("secret"), EscapeReason::OutsideRoots);
}
