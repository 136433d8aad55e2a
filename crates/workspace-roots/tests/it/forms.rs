//! Texts and what becomes of them, by their letters: the folders do not exist.

use std::path::Path;

use metier_workspace_roots::{ClientRoot, EscapeReason, WorkspaceResolveError, WorkspaceRoots};

fn client(uris: &[&str]) -> WorkspaceRoots {
    let roots: Vec<_> = uris.iter().map(|uri| ClientRoot::new(*uri)).collect();
    WorkspaceRoots::from_client_roots(&roots)
}

fn hero() -> WorkspaceRoots {
    client(&["file:///projects/hero"])
}

#[track_caller]
fn becomes(roots: &WorkspaceRoots, input: &str, path: &str) {
    assert_eq!(
        roots.resolve(input).as_deref(),
        Ok(Path::new(path)),
        "{input}"
    );
    // Compared as text too, since paths are equal despite doubled slashes.
    assert_eq!(
        roots.resolve(input).unwrap().to_str(),
        Some(path),
        "{input}"
    );
}

#[track_caller]
fn escapes(roots: &WorkspaceRoots, input: &str, expected: EscapeReason) {
    assert_eq!(
        roots.resolve(input),
        Err(WorkspaceResolveError::Escapes {
            input: input.into(),
            reason: expected
        }),
    );
    assert!(roots.resolve_strict(input).is_err(), "{input}");
}

#[test]
fn case_108_dot_dot() {
    let roots = hero();
    for (input, path) in [
        ("workspace://char/bob.usd", "/projects/hero/char/bob.usd"),
        ("workspace:/char/bob.usd", "/projects/hero/char/bob.usd"),
        ("workspace:///char/bob.usd", "/projects/hero/char/bob.usd"),
        ("workspace://a/../b.usd", "/projects/hero/b.usd"),
        ("workspace://./a//b.usd", "/projects/hero/a/b.usd"),
        ("workspace://a\\b.usd", "/projects/hero/a/b.usd"),
        ("workspace://a/..", "/projects/hero"),
        ("a/b/../c", "/projects/hero/a/c"),
        (".", "/projects/hero"),
    ] {
        becomes(&roots, input, path);
    }
    for input in [
        "workspace://../hero/b.usd",
        "workspace://../secret.txt",
        "workspace://a/../../secret.txt",
        "workspace://a/b/../../../hero-old/x",
        "workspace://..\\secret.txt",
        "workspace://a\\..\\..\\secret.txt",
        "../secret.txt",
        "../hero/b.usd",
        "..\\secret.txt",
        "workspace://..",
        "workspace:..",
    ] {
        escapes(&roots, input, EscapeReason::Climbs);
    }
}

#[test]
fn case_109_percent_escapes() {
    let roots = hero();
    for (input, path) in [
        (
            "workspace://my%20shot/a.usd",
            "/projects/hero/my shot/a.usd",
        ),
        ("workspace://%E7%90%83/a.usd", "/projects/hero/球/a.usd"),
        ("workspace://球/a.usd", "/projects/hero/球/a.usd"),
        ("workspace://100%25.usd", "/projects/hero/100%.usd"),
        ("workspace://a%252e.usd", "/projects/hero/a%2e.usd"),
        ("workspace://what?#1", "/projects/hero/what?#1"),
        ("my%20shot/a.usd", "/projects/hero/my%20shot/a.usd"),
    ] {
        becomes(&roots, input, path);
    }
    escapes(
        &roots,
        "workspace://%2e%2e/secret.txt",
        EscapeReason::Climbs,
    );
    for input in [
        "workspace://a%2f..%2f..%2fsecret.txt",
        "workspace://a%5Cb",
        "file:///a%2Fb",
    ] {
        escapes(&roots, input, EscapeReason::EncodedSeparator);
    }
    for input in ["workspace://a\0b", "a\0b", "/a\0b", "workspace://a%00b"] {
        escapes(&roots, input, EscapeReason::Nul);
    }
    assert!(matches!(
        roots.resolve("workspace://bad%zz.usd"),
        Err(WorkspaceResolveError::BadEscape { escape, .. }) if escape == "%zz"
    ));
    assert!(matches!(
        roots.resolve("workspace://%ff"),
        Err(WorkspaceResolveError::NotUtf8 { .. })
    ));
}

#[test]
fn case_110_sibling_with_same_prefix() {
    for uri in ["file:///projects/hero", "file:///projects/hero/"] {
        let roots = client(&[uri]);
        becomes(&roots, "workspace://a.usd", "/projects/hero/a.usd");
        for input in [
            "workspace://../hero-private/a.usd",
            "workspace://../hero",
            "workspace://x/../../hero.bak",
        ] {
            escapes(&roots, input, EscapeReason::Climbs);
        }
        assert!(roots.resolve_strict("/projects/hero2/a").is_err());
    }
}

#[test]
fn the_top_of_the_file_system_as_a_root() {
    for roots in [client(&["file:///"]), WorkspaceRoots::new(["/"])] {
        becomes(
            &roots,
            "workspace://projects/hero-private/a.usd",
            "/projects/hero-private/a.usd",
        );
        escapes(&roots, "workspace://../a", EscapeReason::Climbs);
        assert_eq!(
            roots.resolve_strict("/projects/x").as_deref(),
            Ok(Path::new("/projects/x"))
        );
    }
}

#[test]
fn case_112_root_uri_forms() {
    for uris in [
        &["file:///projects/My%20Hero"][..],
        &["file:///projects/My%20Hero/"],
        &["file://localhost/projects/My%20Hero"],
        &["file:/projects/My%20Hero"],
        &["FILE:///projects/My%20Hero"],
        &["editor-remote://box/x", "file:///projects/My%20Hero"],
        &[
            "file://other-host/share",
            "file:///projects/My%20Hero",
            "file:///second",
        ],
    ] {
        becomes(&client(uris), "workspace://a", "/projects/My Hero/a");
    }
    let roots = client(&[
        "file://other-host/share/x",
        "http://x.invalid/",
        "/plain",
        "",
    ]);
    assert!(roots.is_empty());
    assert_eq!(
        roots.resolve("workspace://a"),
        Err(WorkspaceResolveError::NoRoots)
    );
    let kept: Vec<_> = roots
        .unusable()
        .iter()
        .map(|it| it.root.uri.as_str())
        .collect();
    assert_eq!(
        kept,
        [
            "file://other-host/share/x",
            "http://x.invalid/",
            "/plain",
            ""
        ]
    );
}

#[test]
fn roots_of_two_origins() {
    let named = ClientRoot {
        uri: "vscode-vfs://x".into(),
        name: Some("remote".into()),
    };
    let roots =
        WorkspaceRoots::from_client_roots(&[named.clone(), ClientRoot::new("file:///client")])
            .followed_by(WorkspaceRoots::new([
                "/command/line/",
                "",
                "/client/",
                "/command/line",
            ]));
    assert_eq!(
        roots.roots(),
        [Path::new("/client"), Path::new("/command/line")]
    );
    assert_eq!(roots.unusable()[0].root, named);
    becomes(&roots, "a", "/client/a");
    assert!(roots.resolve_strict("/command/line/x").is_ok());
}

#[test]
fn case_113_empty_and_odd_schemes() {
    let roots = hero();
    for input in [
        "",
        " ",
        "workspace:",
        "workspace://",
        "workspace:///",
        "workspace:\\\\",
        "file://",
    ] {
        assert_eq!(
            roots.resolve(input),
            Err(WorkspaceResolveError::Empty),
            "{input}"
        );
    }
    for input in [
        "http://x.invalid/a",
        "HTTP://x.invalid/a",
        " http://x.invalid/a",
        "data:x",
    ] {
        assert!(
            matches!(
                roots.resolve(input),
                Err(WorkspaceResolveError::UnsupportedScheme { .. })
            ),
            "{input}"
        );
    }
    becomes(&roots, "file:///projects/hero/a", "/projects/hero/a");
    becomes(&roots, "file:/elsewhere/my%20a", "/elsewhere/my a");
    becomes(&roots, "~/a", "/projects/hero/~/a");
    escapes(&roots, "workspace://C:/x", EscapeReason::Drive);
    escapes(&roots, "C:x", EscapeReason::Drive);
}

#[test]
fn without_roots() {
    let none = client(&[]);
    for input in [
        "workspace://a",
        "WORKSPACE://a",
        "workspace://",
        "workspace://../x",
    ] {
        assert_eq!(
            none.resolve(input),
            Err(WorkspaceResolveError::NoRoots),
            "{input}"
        );
    }
    becomes(&none, "a/b", "a/b");
    becomes(&none, "../a\\b", "../a\\b");
    becomes(&none, "/abs", "/abs");
    assert_eq!(
        none.resolve_strict("a/b"),
        Err(WorkspaceResolveError::NoRoots)
    );
    assert!(none.resolve_strict("/abs").is_err());
}

#[test]
fn case_115_absolute_stays_absolute() {
    let roots = hero();
    for input in [
        "/projects/other/x.ma",
        "/projects/hero/x.ma",
        "/projects/hero/../x%20y",
        "C:\\show\\x.max",
        "C:/show/x.max",
        "\\\\server\\share\\x",
        "\\\\?\\C:\\x",
    ] {
        becomes(&roots, input, input);
    }
}
