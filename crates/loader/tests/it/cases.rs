//! What authors do in the field, in small: each test is one thing that other loaders get wrong.

use std::fmt::Write as _;

use metier_loader::{LoadedSkill, ParseMode, ScanReport};
use metier_skill_model::SkillMetadata;
use serde_json::json;

use crate::folder::Folder;

pub(crate) struct Case {
    lenient: ScanReport,
    strict: ScanReport,
}

impl Case {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        for (path, content) in files {
            folder.write(&format!("skills/{path}"), content);
        }
        Self {
            lenient: folder.scan(&["skills"], ParseMode::Lenient),
            strict: folder.scan(&["skills"], ParseMode::Strict),
        }
    }

    /// One line for a skill in both modes: how it fares, and the codes above info.
    pub(crate) fn fares(&self, folder: &str) -> String {
        let mut line = String::new();
        for (mode, report) in [("lenient", &self.lenient), ("strict", &self.strict)] {
            let loaded = report
                .skills
                .iter()
                .find(|skill| skill.display_path == folder);
            let rejected = report
                .rejected
                .iter()
                .find(|skill| skill.display_path == folder);
            let shadowed = report
                .shadowed
                .iter()
                .find(|other| other.skill.display_path == folder);
            let (word, findings) = match (loaded, rejected, shadowed) {
                (Some(skill), _, _) if skill.unusable.is_some() => ("error", &skill.diagnostics),
                (Some(skill), _, _) => ("loads", &skill.diagnostics),
                (_, Some(skill), _) => ("skipped", &skill.diagnostics),
                (_, _, Some(other)) => ("shadowed", &other.skill.diagnostics),
                _ => panic!("{folder} vanished"),
            };
            let _ = write!(line, "{mode} {word}");
            for finding in findings {
                if finding.severity > metier_diagnostics::Severity::Info {
                    let _ = write!(line, " {}", finding.code.id);
                }
            }
            line.push_str("; ");
        }
        line.trim_end_matches("; ").to_owned()
    }

    pub(crate) fn skill(&self, folder: &str) -> &LoadedSkill {
        let found = self
            .lenient
            .skills
            .iter()
            .find(|skill| skill.display_path == folder);
        found.unwrap()
    }

    pub(crate) fn metadata(&self, folder: &str) -> &SkillMetadata {
        &self.skill(folder).metadata
    }

    /// All findings of both modes, as text.
    pub(crate) fn said(&self, folder: &str) -> String {
        let mut said = String::new();
        for report in [&self.lenient, &self.strict] {
            let loaded = report
                .skills
                .iter()
                .filter(|skill| skill.display_path == folder)
                .flat_map(|skill| &skill.diagnostics);
            let rejected = report
                .rejected
                .iter()
                .filter(|skill| skill.display_path == folder)
                .flat_map(|skill| &skill.diagnostics);
            for finding in loaded.chain(rejected) {
                let help = finding.help.as_deref().unwrap_or_default();
                let _ = writeln!(said, "{finding} {help}");
            }
        }
        said
    }
}

pub(crate) fn head(text: &str) -> String {
    format!("---\n{text}---\nBody\n")
}

#[test]
fn a_colon_in_the_description() {
    let text = head(
        "name: look\ndescription: Inspects a shot: frames, handles. Use when: reviewing\nallowed-tools: Read\n",
    );
    let case = Case::new(&[("look/SKILL.md", &text)]);
    assert_eq!(
        case.fares("look"),
        "lenient loads MT118; strict skipped MT118"
    );
    let skill = case.skill("look");
    assert_eq!(
        skill.metadata.description,
        "Inspects a shot: frames, handles. Use when: reviewing"
    );
    assert_eq!(skill.metadata.allowed_tools, ["Read"]);
    assert!(skill.not_served.is_some());
    let said = case.said("look");
    assert_eq!(said.matches("look/SKILL.md:3").count(), 2, "{said}");
    assert!(said.contains("quote the value"), "{said}");
}

#[test]
fn block_scalars_are_read_as_yaml_says() {
    let folded = head("name: folded\ndescription: >-\n  Sets up\n  a shot.\n\n  WHEN: dusk\n");
    let literal = head("name: literal\ndescription: |\n  One.\n  NOT: two\n");
    let hint = head("name: hint\ndescription: |2-\n    deep\n");
    let case = Case::new(&[
        ("folded/SKILL.md", &folded),
        ("literal/SKILL.md", &literal),
        ("hint/SKILL.md", &hint),
    ]);
    assert_eq!(
        case.metadata("folded").description,
        "Sets up a shot.\nWHEN: dusk"
    );
    assert_eq!(case.metadata("literal").description, "One.\nNOT: two\n");
    assert_eq!(case.metadata("hint").description, "  deep");
    for folder in ["folded", "literal", "hint"] {
        assert_eq!(case.fares(folder), "lenient loads; strict loads");
    }
}

#[test]
fn line_ends_and_marks_change_nothing() {
    let plain = "---\nname: same\ndescription: d\nmetadata:\n  dcc-mcp:\n    tags: [a, b]\n    depends: [base]\n---\nBody\n";
    let read = |text: &str| {
        let case = Case::new(&[("same/SKILL.md", text)]);
        let mut metadata = case.metadata("same").clone();
        metadata.skill_path = std::path::PathBuf::new();
        (metadata, case.fares("same"))
    };
    let expected = read(plain);
    assert_eq!(read(&plain.replace('\n', "\r\n")), expected);
    let mixed = plain.replacen('\n', "\r\n", 3);
    assert_eq!(read(&mixed), expected);
    let marked = read(&format!("\u{FEFF}{plain}"));
    assert_eq!(marked.0, expected.0);
    assert_eq!(marked.1, "lenient loads MT114; strict loads MT114");
}

#[test]
fn values_keep_their_spelling_and_json_reads_them() {
    let text = head(
        "name: spelled\ndescription: d\nflag: no\nmetadata:\n  dcc-mcp:\n    version: 1.10\n    tags: [no, yes, on, off]\n",
    );
    let case = Case::new(&[("spelled/SKILL.md", &text)]);
    let metadata = case.metadata("spelled");
    assert_eq!(metadata.version, "1.10");
    assert_eq!(metadata.tags, ["no", "yes", "on", "off"]);
    assert_eq!(metadata.front_matter["flag"], json!("no"));
    assert_eq!(
        metadata.front_matter["metadata"]["dcc-mcp"]["version"],
        json!(1.1)
    );
}

#[test]
fn fences_inside_values_and_bodies() {
    let text =
        "---\nname: fence\ndescription: a --- b\nlicense: MIT\n---\nBody\n\n---\n\nmore: text\n";
    let case = Case::new(&[("fence/SKILL.md", text)]);
    let skill = case.skill("fence");
    assert_eq!(skill.metadata.description, "a --- b");
    assert_eq!(skill.metadata.license, "MIT");
    assert_eq!(skill.body_excerpt, "Body\n\n---\n\nmore: text\n");
}

#[test]
fn what_is_skipped_in_both_modes_says_why() {
    for (text, word) in [
        ("---\nname: x\n", "not closed"),
        ("", "empty"),
        ("\n \n", "blank lines"),
        ("# Title\n", "no front matter"),
        ("---\n---\n", "front matter is empty"),
        ("---\n- a\n---\n", "found a list"),
        ("---\nname: x\n\tdescription: y\n---\n", "tab"),
        ("---\nname: x\nname: y\n---\n", "lines 2 and 3"),
        ("<!-- note -->\n---\nname: x\n---\n", "found a comment"),
        ("---\nname: ../up\ndescription: d\n---\n", "`/`"),
        ("---\nname: 'a\u{202E}b'\ndescription: d\n---\n", "U+202E"),
        (
            "---\nname: x\ntools: [a]\ndcc: maya\n---\n",
            "`tools`, `dcc`",
        ),
        ("---\nname: x\ndescription: [open\n---\n", "not valid YAML"),
        ("---\nname: x\na: &a [b]\n<<: *a\n---\n", "`<<`"),
        ("---\nname: x\na: !!python/name b\n---\n", "tag"),
    ] {
        let case = Case::new(&[
            ("bad/SKILL.md", text),
            ("good/SKILL.md", &head("name: good\ndescription: d\n")),
        ]);
        assert!(
            case.fares("bad").starts_with("lenient skipped"),
            "{text:?}: {}",
            case.fares("bad")
        );
        assert!(case.fares("bad").contains("strict skipped"), "{text:?}");
        assert!(
            case.said("bad").contains(word),
            "{text:?}: {}",
            case.said("bad")
        );
        assert_eq!(case.fares("good"), "lenient loads; strict loads");
    }
}

#[test]
fn empty_values_count_as_absent() {
    let nothing = head(
        "name: nothing\ndescription: d\nmetadata:\n  dcc-mcp:\n    tags:\n    depends: [a, null, '']\n",
    );
    let nameless = head("name:\ndescription: ''\n");
    let case = Case::new(&[
        ("nothing/SKILL.md", &nothing),
        ("nameless/SKILL.md", &nameless),
    ]);
    assert_eq!(case.metadata("nothing").tags, Vec::<String>::new());
    assert_eq!(case.metadata("nothing").depends, ["a"]);
    assert_eq!(
        case.fares("nothing"),
        "lenient loads MT136 MT136; strict loads MT136 MT136"
    );
    assert_eq!(case.metadata("nameless").name.as_str(), "nameless");
    assert!(case.fares("nameless").contains("strict skipped"));
}

#[test]
fn metadata_of_the_wrong_shape() {
    let with = |name: &str, metadata: &str| {
        head(&format!(
            "name: {name}\ndescription: d\nmetadata: {metadata}\n"
        ))
    };
    let case = Case::new(&[
        ("scalar/SKILL.md", &with("scalar", "word")),
        ("list/SKILL.md", &with("list", "{dcc-mcp: [a]}")),
        (
            "inline/SKILL.md",
            &with("inline", "{dcc-mcp: {tools: [{name: a}]}}"),
        ),
        ("number/SKILL.md", &with("number", "{dcc-mcp: {tools: 7}}")),
    ]);
    assert_eq!(
        case.fares("scalar"),
        "lenient loads MT135; strict skipped MT135"
    );
    assert_eq!(
        case.fares("list"),
        "lenient loads MT135; strict skipped MT135"
    );
    assert_eq!(
        case.fares("inline"),
        "lenient error MT201; strict skipped MT201"
    );
    assert_eq!(
        case.fares("number"),
        "lenient error MT201; strict skipped MT201"
    );
}

#[test]
fn lists_may_be_text_and_keys_may_be_dotted() {
    let text = head(
        "name: words\ndescription: d\nmetadata:\n  dcc-mcp.dcc: maya\n  dcc-mcp.tags: 'rig， anim'\n  dcc-mcp.search-aliases: 绑定、骨骼\n  dcc-mcp.depends: base-a,base-b\n",
    );
    let case = Case::new(&[("words/SKILL.md", &text)]);
    let metadata = case.metadata("words");
    assert_eq!(metadata.dcc, "maya");
    assert_eq!(metadata.tags, ["rig", "anim"]);
    assert_eq!(metadata.search_aliases, ["绑定", "骨骼"]);
    assert_eq!(metadata.depends, ["base-a", "base-b"]);
    assert_eq!(
        case.fares("words"),
        "lenient loads MT133 MT133 MT133 MT133; strict loads MT133 MT133 MT133 MT133"
    );
}

#[test]
fn dependencies_in_every_shape() {
    for depends in [
        "base-a",
        "[base-a, null]",
        "['base-a>=1.2']",
        "[{name: base-a, version: 1}]",
    ] {
        let text = head(&format!(
            "name: needs\ndescription: d\nmetadata:\n  dcc-mcp:\n    depends: {depends}\n"
        ));
        let case = Case::new(&[("needs/SKILL.md", &text)]);
        assert_eq!(case.metadata("needs").depends, ["base-a"], "{depends}");
    }
    let own = head("name: own\ndescription: d\nmetadata: {dcc-mcp: {depends: [own]}}\n");
    let case = Case::new(&[("own/SKILL.md", &own)]);
    assert_eq!(
        case.fares("own"),
        "lenient loads MT139; strict skipped MT139"
    );
    assert!(case.metadata("own").depends.is_empty());
}

#[test]
fn a_key_that_is_nearly_dcc_mcp_is_told() {
    let found = |key: &str| {
        let folder = Folder::new();
        folder.write(
            "bake/SKILL.md",
            format!("---\nname: bake\ndescription: x\nmetadata:\n  {key}: {{dcc: maya}}\n---\n"),
        );
        let skill = metier_loader::parse_skill_dir(&folder.at("bake"), ParseMode::Lenient).unwrap();
        skill
            .diagnostics
            .into_iter()
            .find(|found| found.code.id == "MT142")
    };
    for key in [
        "dcc_mcp",
        "dcc-mpc",
        "dccmcp",
        "DCC-MCP",
        "dcc-mc",
        "Dcc Mcp",
        "dcc_mcp.tools",
    ] {
        let about = found(key).unwrap_or_else(|| panic!("{key}"));
        assert_eq!(
            about.help.as_deref(),
            Some("did you mean `dcc-mcp`?"),
            "{key}"
        );
        assert_eq!(about.severity, metier_diagnostics::Severity::Warning);
        let place = about.location().unwrap();
        assert_eq!((place.line, place.column), (5, 3), "{key}");
    }
    for key in ["dcc-mcp", "dcc", "mcp", "author", "dcc-mcp.dcc", "version"] {
        assert_eq!(found(key), None, "{key}");
    }
}

/// One entry that a client refuses costs it the whole list.
#[test]
fn what_clients_of_skills_refuse_is_not_served() {
    let not_served = |name: &str, more: &str| {
        let folder = Folder::new();
        let text = format!("---\nname: {name}\n{more}\n---\n");
        folder.write(&format!("{name}/SKILL.md"), text);
        let skill = metier_loader::parse_skill_dir(&folder.at(name), ParseMode::Lenient).unwrap();
        let told = skill.diagnostics.iter();
        let told = told
            .filter(|found| found.severity > metier_diagnostics::Severity::Info)
            .map(|found| found.code.id);
        (
            skill.not_served.unwrap_or_default(),
            told.collect::<Vec<_>>(),
        )
    };
    for name in ["1234", "1e3", "0x1f", "true", "1.5"] {
        let (reason, told) = not_served(name, "description: x");
        assert!(reason.contains("name"), "{name}: {reason}");
        assert!(
            told.iter().any(|code| ["MT129", "MT121"].contains(code)),
            "{name}: {told:?}"
        );
    }
    assert_eq!(not_served("1234", "description: x").1, ["MT129"]);
    for (more, code) in [
        ("description: 42", "MT129"),
        ("description: true", "MT129"),
        ("description:", "MT124"),
        ("description: \"  \"", "MT124"),
        ("description: [a]", "MT135"),
        ("license: x", "MT124"),
        ("description: x\nlicense:", "MT129"),
        ("description: x\nlicense: 2.0", "MT129"),
        ("description: x\nlicense: [MIT]", "MT135"),
        ("description: x\ncompatibility:", "MT129"),
        ("description: x\ncompatibility: \"\"", "MT129"),
        ("description: x\ncompatibility: 3", "MT129"),
        ("description: x\ncompatibility: {a: b}", "MT135"),
        ("description: x\nallowed-tools:", "MT129"),
        ("description: x\nallowed-tools: 5", "MT129"),
        ("description: x\nallowed-tools: [Read, 1]", "MT129"),
        ("description: x\nallowed-tools: {a: b}", "MT135"),
        ("description: x\nmetadata:", "MT129"),
        ("description: x\nmetadata: \"\"", "MT129"),
        ("description: x\nmetadata: some text", "MT135"),
        ("description: x\nmetadata: [a, b]", "MT135"),
    ] {
        let (reason, told) = not_served("a", more);
        assert!(!reason.is_empty(), "{more}");
        assert_eq!(told, [code], "{more}");
    }
    let long = format!("description: x\ncompatibility: {}", "x".repeat(501));
    assert_eq!(
        not_served("a", &long),
        (
            "`compatibility` in its front matter must be text of 1 to 500 characters".to_owned(),
            vec!["MT126"]
        )
    );
    for fine in [
        "description: \"42\"",
        "description: x\nlicense: \"\"",
        "description: x\nlicense: MIT\ncompatibility: Any\nallowed-tools: []\nmetadata: {}",
        "description: x\nallowed-tools: Read, Grep",
        "description: x\nallowed_tools: 1",
    ] {
        assert_eq!(not_served("a", fine), (String::new(), vec![]), "{fine}");
    }
}
