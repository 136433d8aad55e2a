//! What an author wrote neither steers the terminal nor makes lines of its own.

use std::path::Path;

use crate::command::{json, metier, write};

/// A skill with a sequence that sets the title of a terminal, one that turns the writing direction and a
/// line end wherever its author can write something.
fn hostile(folder: &Path) {
    let odd = r"\x1b]0;pwn\x07\u202e\x9b2J\nfaked  line";
    write(
        folder.join("skills/hostile/SKILL.md"),
        &format!(
            "---\nname: hostile\ndescription: \"light {odd}\"\nlicense: \"{odd}\"\ncompatibility: \"{odd}\"\n\
             metadata:\n  dcc-mcp:\n    version: \"{odd}\"\n    dcc: \"a{odd}\"\n    tags: [\"{odd}\", light]\n    layer: \"{odd}\"\n    stage: \"{odd}\"\n\
             \x20   depends: [\"x{odd}\"]\n    required_capabilities: [\"{odd}\"]\n    tools: tools.yaml\n    groups: groups.yaml\n---\n"
        ),
    );
    write(
        folder.join("skills/hostile/tools.yaml"),
        &format!(
            "tools:\n  - name: fine\n    description: \"{odd}\"\n    group: \"{odd}\"\n    source_file: \"scripts/{odd}.py\"\n    required_capabilities: [\"{odd}\"]\n\
             \x20   input_schema: {{type: object, properties: {{\"{odd}\": {{type: string, enum: [\"{odd}\"]}}}}}}\n\
             \x20 - name: \"{odd}\"\n    source_file: scripts/run.py\n"
        ),
    );
    write(
        folder.join("skills/hostile/groups.yaml"),
        &format!("groups:\n  - name: \"{odd}\"\n    tools: [fine]\n"),
    );
    write(
        folder.join("skills/hostile/scripts/run.py"),
        "print('{}')\n",
    );
    write(
        folder.join("skills/bad/SKILL.md"),
        &format!("---\nname: \"{odd}\"\ndescription: \"{odd}\"\n---\n"),
    );
    write(
        folder.join("metier.toml"),
        "app = \"a\\u001b]0;pwn\\u0007\"\ncapabilities = [\"\\u001b]0;pwn\\u0007\\u202e\\n\"]\n[interpreters]\n\"x\\u001b\" = \"y\\u0007\"\n",
    );
}

#[test]
fn no_command_hands_them_on() {
    let folder = tempfile::tempdir().unwrap();
    hostile(folder.path());
    for arguments in [
        &["list", "--no-config", "skills"][..],
        &["list", "--no-config", "--json", "skills"],
        &["list", "--no-config", "--strict", "skills"],
        &["info", "--no-config", "hostile", "skills"],
        &["info", "--no-config", "hostile", "--json", "skills"],
        &["search", "--no-config", "light", "skills"],
        &["search", "--no-config", "light", "--json", "skills"],
        &["deps", "--no-config", "skills"],
        &["deps", "--no-config", "--format", "dot", "skills"],
        &["deps", "--no-config", "--format", "mermaid", "skills"],
        &["deps", "--no-config", "--json", "skills"],
        &["doctor", "--no-config", "skills"],
        &["doctor", "--no-config", "--json", "skills"],
        &["doctor", "skills"],
        &["config", "show"],
        &["config", "show", "--json"],
        &["check", "--no-config", "skills"],
        &["check", "--no-config", "--format", "concise", "skills"],
        &["check", "--no-config", "--format", "github", "skills"],
        &["call", "--no-config", "hostile__fine", "skills"],
        &["call", "--no-config", "nobody", "skills"],
        &["stdio", "--no-config", "--load", "all", "skills"],
    ] {
        let output = metier(folder.path()).args(arguments).output().unwrap();
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8(bytes.clone()).unwrap();
            let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            let found = text.lines().find(|line| line.contains(steers));
            assert!(found.is_none(), "{arguments:?} {name}: {found:?}");
            let own = text.lines().find(|line| line.starts_with("faked"));
            assert!(own.is_none(), "{arguments:?} {name}: {own:?}\n{text}");
        }
        if arguments.contains(&"--json") {
            // Escaped as JSON has it, so that a program gets what was written.
            let _ = json(&output);
        }
    }
    let output = metier(folder.path())
        .args(["config", "show", "--json"])
        .output()
        .unwrap();
    assert_eq!(
        json(&output)["settings"]["capabilities"]["value"][0],
        "\u{1b}]0;pwn\u{7}\u{202e}\n"
    );
}
