//! One rule for how a command ends: 0 fine, 1 something wrong was found or a tool failed, 2 wrong usage or a
//! name that leads nowhere. Nothing found at all has its own tests in `nothing_found.rs`.

use crate::command::{metier, mixed, write};

/// A command line over the folder `skills`, and its code.
const CASES: &[(&str, i32)] = &[
    // Answers, an empty one as well.
    ("list skills", 0),
    ("list skills --status loaded", 0),
    ("search good skills", 0),
    ("search zzzqqq skills", 0),
    ("discover zzzqqq skills", 0),
    ("listing skills", 0),
    ("info good skills", 0),
    ("info broken skills", 0),
    ("deps skills", 0),
    ("check skills/good", 0),
    ("doctor skills/good", 0),
    ("call good__echo --args {\"n\":1} skills", 0),
    ("call echo --args {\"n\":1} skills", 0),
    ("connect-client cursor skills", 0),
    ("schema skill", 0),
    ("config show", 0),
    ("completions fish", 0),
    ("host-adapter", 0),
    ("state show", 0),
    ("check --explain MT207", 0),
    ("--help", 0),
    ("--version", 0),
    // Something wrong was found, or a tool failed.
    ("check skills", 1),
    ("doctor skills", 1),
    ("deps tangled", 1),
    ("call echo skills", 1),
    ("call good__echo skills", 1),
    ("call fails__run skills", 1),
    ("call broken__anything skills", 1),
    ("call anything skills", 1),
    // Wrong usage, or a name that leads nowhere.
    ("nope", 2),
    ("", 2),
    ("list nowhere", 2),
    ("check nowhere", 2),
    ("search", 2),
    ("schema nope", 2),
    ("call ecoh skills", 2),
    ("call good__ecoh skills", 2),
    ("call anything skills/good", 2),
    ("call good__anything skills/good", 2),
    ("call twice twins", 2),
    ("call echo --args nope skills", 2),
    ("info nope skills", 2),
    ("connect-client nope", 2),
    ("check --explain MT999", 2),
    ("state forget nope", 2),
    ("new Not_A_Name", 2),
    ("completions nope", 2),
    ("list --config nowhere.toml skills", 2),
];

#[test]
fn every_command_ends_by_one_rule() {
    let folder = mixed();
    let skill = |path: &str, name: &str, more: &str| {
        write(
            folder.path().join(path).join("SKILL.md"),
            &format!(
                "---\nname: {name}\ndescription: The {name} skill.\nmetadata:\n  dcc-mcp:\n    dcc: python{more}\n---\n"
            ),
        );
    };
    skill("skills/fails", "fails", "");
    write(
        folder.path().join("skills/fails/scripts/run.py"),
        "raise SystemExit('no')\n",
    );
    skill("tangled/needy", "needy", "\n    depends: [absent-one]");
    for name in ["one", "two"] {
        skill(&format!("twins/{name}"), name, "");
        write(
            folder.path().join(format!("twins/{name}/scripts/twice.py")),
            "print('{}')\n",
        );
    }
    let wrong: Vec<String> = CASES
        .iter()
        .filter_map(|(line, code)| {
            let output = metier(folder.path())
                .args(line.split_whitespace())
                .output()
                .unwrap();
            (output.status.code() != Some(*code)).then(|| format!("{line}: {output:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
