//! Slips that only the check tells of, with their places and cures.

use metier_check::{CheckOptions, check};

/// The findings of one code as `place: message | help`.
fn found(code: &str, files: &[(&str, &str)]) -> Vec<String> {
    found_in(code, &folder_of(files))
}

fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn found_in(code: &str, folder: &tempfile::TempDir) -> Vec<String> {
    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    let findings = report.findings.iter().map(|finding| &finding.diagnostic);
    findings
        .filter(|about| about.code.id == code)
        .map(|about| {
            let help = about.help.as_deref().unwrap_or_default();
            format!("{}: {} | {help}", about.location().unwrap(), about.message)
        })
        .collect()
}

fn skill(dcc: &str) -> String {
    format!(
        "---\nname: a\ndescription: d\nmetadata:\n  dcc-mcp:\n    dcc: {dcc}\n    tools: tools.yaml\n---\n"
    )
}

#[test]
fn a_script_that_nothing_runs_is_told() {
    let tools =
        "tools:\n- name: count\n  source_file: scripts/count.rb\n- name: bake\n- name: ok\n";
    let files = |dcc: &str| {
        found(
            "MT608",
            &[
                ("a/SKILL.md", &skill(dcc)),
                ("a/tools.yaml", tools),
                ("a/scripts/count.rb", ""),
                ("a/scripts/bake.mel", ""),
                ("a/scripts/ok.py", ""),
            ],
        )
    };
    let ruby = "a/tools.yaml:3:16: the tool `count` runs `scripts/count.rb`, which nothing runs \
                | use one of .py, .sh, .bash, .bat, .cmd, .ps1, .js, .lua, .mel, .ms, .hscript";
    let mel = "a/tools.yaml:4:9: the tool `bake` runs `scripts/bake.mel`, which only a host application reads, \
               but the skill is for `python` \
               | write `dcc: maya` below `metadata.dcc-mcp`, or whatever host reads `.mel`";
    assert_eq!(files("python"), [ruby, mel]);
    assert_eq!(files("maya"), [ruby]);
}

#[test]
fn a_slip_in_a_schema_is_told_at_its_word() {
    let tools = "tools:\n- name: bake\n  input_schema:\n    type: object\n    propertis:\n      size: {type: integer}\n\
                 - name: lift\n  input_schema:\n    properties:\n      size: {tpye: integer}\n    required: [siez]\n    additionalProperties: false\n";
    let told = found(
        "MT609",
        &[
            ("a/SKILL.md", &skill("python")),
            ("a/tools.yaml", tools),
            ("a/scripts/bake.py", ""),
            ("a/scripts/lift.py", ""),
        ],
    );
    assert_eq!(
        told,
        [
            "a/tools.yaml:5:5: `input_schema` of the tool `bake`: `propertis` is no keyword of JSON Schema \
             and changes nothing | did you mean `properties`?",
            "a/tools.yaml:10:14: `input_schema` of the tool `lift`: `tpye` is no keyword of JSON Schema \
             and changes nothing | did you mean `type`?",
            "a/tools.yaml:11:16: `input_schema` of the tool `lift`: `required` names `siez`, which is not in \
             `properties` and which `additionalProperties: false` forbids, so that no value fits \
             | did you mean `size`?",
        ]
    );
}

/// A name that stands in many places of a file: each finding stands at its own.
#[test]
fn a_finding_stands_where_its_path_leads() {
    let tools = "tools:\n- name: bake\n  descripton: bake\n  input_schema:\n    type: object\n    descripton: x\n\
                 \x20   properties:\n      required: {type: string, descripton: y}\n      bake: {items: [{tpye: 1}, {tpye: 2}]}\n\
                 \x20   required: [siez]\n    additionalProperties: false\n  output_schema: {type: object, descripton: z}\n\
                 \x20 next-tools:\n    on-success: [lift]\n    on-failure: [bake, lift]\n\
                 - name: lift.it\n  description: 'name: lift'\n  input_schema: {type: object, properties: {x: {pattern: '('}}}\n\
                 groups:\n- name: lift\n  tools: [bake, lift]\n";
    let files = [
        ("a/SKILL.md", &*skill("python")),
        ("a/tools.yaml", tools),
        ("a/scripts/bake.py", ""),
        ("a/scripts/lift.it.py", ""),
    ];
    let places = |code: &str| -> Vec<String> {
        let told = found(code, &files);
        let place = |told: &String| told.split(": ").next().unwrap_or_default().to_owned();
        told.iter().map(place).collect()
    };
    assert_eq!(places("MT225"), ["a/tools.yaml:3:3"]);
    assert_eq!(
        places("MT609"),
        [
            "a/tools.yaml:6:5",
            "a/tools.yaml:8:32",
            "a/tools.yaml:9:23",
            "a/tools.yaml:9:34",
            "a/tools.yaml:12:33",
        ]
    );
    assert_eq!(
        places("MT603"),
        ["a/tools.yaml:14:18", "a/tools.yaml:15:24"]
    );
    assert_eq!(places("MT236"), ["a/tools.yaml:21:17"]);
    assert_eq!(places("MT506"), ["a/tools.yaml:18:3"]);
}

/// A schema that breaks a rule is told at the word that does, in every way of writing it down.
#[test]
fn a_schema_that_breaks_a_rule_is_told_at_its_word() {
    for (tools, place, cure) in [
        (
            "tools:\n- name: bake\n  inputSchema:\n    properties:\n      n: {type: int}\n",
            "a/tools.yaml:5:17",
            "did you mean `integer`?",
        ),
        (
            "tools:\n- name: bake\n  \"output_schema\":\n    required: text\n",
            "a/tools.yaml:4:15",
            "write `[text]`",
        ),
        (
            r#"{"tools": [{"name": "bake", "input_schema": {"properties": {"a": {"type": "intger"}}}}]}"#,
            "a/tools.yaml:1:75",
            "did you mean `integer`?",
        ),
        (
            "tools:\n- name: bake\n  input-schema: '{\"properties\": {\"a\": {\"required\": true}}}'\n",
            "a/tools.yaml:3:52",
            "list the names of required properties beside `properties`: `required: [name]`",
        ),
        (
            "tools:\n- name: bake\n  input_schema:\n    allOf: [{$ref: '#'}]\n",
            "a/tools.yaml:3:3",
            "mend the schema; until then the tool refuses calls",
        ),
    ] {
        let told = found(
            "MT505",
            &[
                ("a/SKILL.md", &skill("python")),
                ("a/tools.yaml", tools),
                ("a/scripts/bake.py", ""),
            ],
        );
        assert_eq!(told.len(), 1, "{tools}: {told:?}");
        assert!(
            told[0].starts_with(&format!("{place}: ")),
            "{tools}: {told:?}"
        );
        assert!(
            told[0].ends_with(&format!(" | {cure}")),
            "{tools}: {told:?}"
        );
    }
}

/// Skills without a tools file have their names told where the skill is named.
#[test]
fn tools_of_scripts_that_have_one_name_are_told_at_the_name_of_the_skill() {
    let text = |name: &str| format!("---\nname: {name}\ndescription: d\n---\n");
    let told = found(
        "MT504",
        &[
            ("a/SKILL.md", &text("x-y")),
            ("a/scripts/run.py", ""),
            ("b/SKILL.md", &text("x_y")),
            ("b/scripts/run.py", ""),
        ],
    );
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("b/SKILL.md:2:7: "), "{told:?}");
}

#[test]
fn an_ambiguous_key_of_the_front_matter_hides_no_other_fault() {
    for extra in [
        "metadata: {other: {a: 1, a: 2}, dcc-mcp: {tools: tools.yaml}}",
        "x: {<<: {}}\nmetadata: {dcc-mcp: {tools: tools.yaml}}",
        "x: !tag y\nmetadata: {dcc-mcp: {tools: tools.yaml}}",
    ] {
        let text =
            format!("---\nname: HE\ndescription: ''\nversion: 1\n{extra}\n---\n[gone](gone.md)\n");
        let files = [
            ("he/SKILL.md", text.as_str()),
            (
                "he/tools.yaml",
                "tools:\n- {name: a, read_only: perhaps, input_schema: {required: a}}\n- 5\n",
            ),
        ];
        for code in [
            "MT121", "MT124", "MT130", "MT227", "MT220", "MT505", "MT604",
        ] {
            assert_eq!(found(code, &files).len(), 1, "{extra}: {code}");
        }
    }
}

#[test]
fn the_description_is_the_one_of_the_skill() {
    let told = found(
        "MT606",
        &[(
            "a/SKILL.md",
            "---\nname: a\nlicense: description TODO\nmetadata: {description: 'TODO: y'}\ndescription: >\n  TODO: x\n---\n",
        )],
    );
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("a/SKILL.md:6:3: "), "{told:?}");
}

#[test]
fn links_are_looked_for_in_the_body_alone() {
    let told = found(
        "MT604",
        &[(
            "a/SKILL.md",
            "---\nname: a\ndescription: |\n  d\nlicense: |\n ---\n [x](gone.md)\n---\n[y](lost.md)\n",
        )],
    );
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("a/SKILL.md:9:5: "), "{told:?}");
}

#[test]
fn what_no_client_can_read_is_told_with_the_reason() {
    let plain = ("a/SKILL.md", "---\nname: a\ndescription: d\n---\nText.\n");
    let names: Vec<String> = (0..512)
        .map(|number| format!("a/many/{number}.txt"))
        .collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    files.push(plain);
    // 512 files beside SKILL.md are one too many; hidden ones and compiled code do not count.
    assert_eq!(
        found("MT610", &files),
        [
            "a/SKILL.md:1:1: no file of `a` is served to clients: the skill has more than 512 files (files: 513, bytes: 37) | move what clients need not read out of the folder"
        ]
    );
    files.truncate(511);
    files.extend([plain, ("a/.git/config", ""), ("a/__pycache__/x.pyc", "")]);
    assert!(found("MT610", &files).is_empty());
    assert_eq!(
        found("MT611", &files),
        [
            "a/SKILL.md:1:1: not served to clients: `.git` (it is hidden), `__pycache__` (it is compiled code) | "
        ]
    );
    #[cfg(unix)]
    {
        let folder = folder_of(&[plain, ("a/.h", ""), ("a/.git/config", "")]);
        for (link, target) in [
            ("toh", ".h"),
            ("togit", ".git/config"),
            ("toself", "SKILL.md"),
        ] {
            std::os::unix::fs::symlink(target, folder.path().join("a").join(link)).unwrap();
        }
        assert_eq!(
            found_in("MT611", &folder),
            [
                "a/SKILL.md:1:1: not served to clients: `.git` (it is hidden), `.h` (it is hidden), `togit` (it leads to what is not served: it is hidden), `toh` (it leads to what is not served: it is hidden) | "
            ]
        );
    }
    let megabytes = "x".repeat(16 << 20);
    let large = found("MT610", &[plain, ("a/large.bin", &megabytes)]);
    assert!(
        large[0].contains("more than 16 MiB together (files: 2, bytes: 16777253)"),
        "{large:?}"
    );
    assert!(found("MT610", &[plain, ("a/.large.bin", &megabytes)]).is_empty());
}

/// Served as `skill://explicit/shared/…` it would be a file of the skill `explicit`.
#[test]
fn a_shadowed_skill_that_has_no_uri_is_told() {
    let named = |name: &str| format!("---\nname: {name}\ndescription: d\n---\n");
    let shared = named("shared");
    let first = ("a/SKILL.md", shared.as_str());
    let second = ("b/SKILL.md", shared.as_str());
    let third = ("c/SKILL.md", shared.as_str());
    assert!(found("MT612", &[first, second]).is_empty());
    assert_eq!(
        found("MT612", &[first, second, third]),
        [
            "c/SKILL.md:1:1: no file of `shared` is served to clients: another skill of this name is served as \
             skill://explicit/shared | give it a name of its own"
        ]
    );
    let inside = "b/SKILL.md:1:1: no file of `shared` is served to clients: its URI would lie inside the skill `explicit` \
                  | give it a name of its own";
    let label = named("explicit");
    let label = ("x/SKILL.md", label.as_str());
    assert_eq!(found("MT612", &[first, second, label]), [inside]);
    // A skill that is not there itself takes no place.
    let broken = ("x/SKILL.md", "---\nname: explicit\ntags: [\n---\n");
    assert!(found("MT612", &[first, second, broken]).is_empty());
}
