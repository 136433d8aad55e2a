//! What a refusal says.

use metier_workspace_roots::WorkspaceRoots;

#[test]
fn every_message_says_what_was_found_and_what_is_expected() {
    let roots = WorkspaceRoots::new(["/projects/hero"]);
    let text = |input: &str| roots.resolve(input).unwrap_err().to_string();
    let accepted = "expected workspace://PATH, file:///PATH, an absolute path, \
                    or a path relative to the workspace";
    for (input, message) in [
        ("", format!("empty path; {accepted}")),
        (
            "http://x/a",
            format!("'http://x/a' has the unsupported scheme 'http'; {accepted}"),
        ),
        (
            "../a",
            "'../a' leaves the workspace: '..' leads above the root".into(),
        ),
        (
            "a\0\nb",
            "'a\\u{0}\\nb' leaves the workspace: it contains a NUL".into(),
        ),
        (
            "workspace://a%2Fb",
            "'workspace://a%2Fb' leaves the workspace: it contains an encoded slash or backslash; \
             write a plain slash between names"
                .into(),
        ),
        (
            "C:x",
            "'C:x' leaves the workspace: it names a drive or the top of one; \
             write an absolute path such as C:\\x"
                .into(),
        ),
        (
            "a/.. /b",
            "'a/.. /b' leaves the workspace: a name of dots and blanks alone can be read as '..' \
             on some systems"
                .into(),
        ),
        (
            "workspace://bad%zz",
            "'workspace://bad%zz' has the broken escape '%zz'; \
             expected % and two hexadecimal digits, and %25 for a percent sign"
                .into(),
        ),
        (
            "workspace://%ff",
            "'workspace://%ff' does not decode to UTF-8".into(),
        ),
        (
            "file://box/a",
            "'file://box/a' is on the host 'box'; expected file:///PATH or file://localhost/PATH"
                .into(),
        ),
        (
            "file:a",
            "'file:a' is not absolute; expected file:///PATH".into(),
        ),
    ] {
        assert_eq!(text(input), message);
    }
    let none = WorkspaceRoots::default();
    assert_eq!(
        none.resolve("workspace://a").unwrap_err().to_string(),
        "no workspace roots"
    );
}
