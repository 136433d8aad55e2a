//! Files whose bytes matter: marks, line ends, encodings, sizes.

use metier_loader::{
    LoadedSkill, ParseMode, RejectedSkill, body_of, parse_skill_dir, parse_skill_md,
};

use crate::folder::Folder;

const MODES: [ParseMode; 2] = [ParseMode::Lenient, ParseMode::Strict];

fn read(content: impl AsRef<[u8]>, mode: ParseMode) -> Result<LoadedSkill, Box<RejectedSkill>> {
    let folder = Folder::new();
    folder.write("bake/SKILL.md", content);
    parse_skill_dir(&folder.at("bake"), mode)
}

fn rejected(content: impl AsRef<[u8]>) -> String {
    let texts = MODES.map(|mode| {
        let rejected = read(&content, mode).unwrap_err();
        rejected.diagnostics[0].to_string()
    });
    assert_eq!(texts[0], texts[1]);
    texts[0].clone()
}

#[test]
fn a_byte_order_mark_changes_nothing_but_the_serving() {
    for mode in MODES {
        let folder = Folder::new();
        folder
            .write("bake/SKILL.md", "\u{FEFF}---\nname: bake\ndescription: x\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\nbody\n")
            .write("bake/tools.yaml", "\u{FEFF}tools:\n  - name: ping\n")
            .write("bake/metadata/depends.md", "\u{FEFF}- base\n")
            .write("bake/scripts/ping.py", "");
        let skill = parse_skill_dir(&folder.at("bake"), mode).unwrap();
        assert_eq!(skill.metadata.tools.len(), 1);
        assert_eq!(skill.metadata.depends, ["base"]);
        assert_eq!(skill.body_excerpt, "body\n");
        assert_eq!(
            skill.not_served.as_deref(),
            Some("its file begins with a byte order mark")
        );
        let codes: Vec<_> = skill
            .diagnostics
            .iter()
            .map(|found| found.code.id)
            .collect();
        assert_eq!(codes, ["MT114"]);
    }
}

#[test]
fn windows_line_ends_leave_no_trace() {
    let folder = Folder::new();
    folder
        .write("bake/SKILL.md", "---\r\nname: bake\r\ndescription: >-\r\n  two\r\n  lines\r\nmetadata:\r\n  dcc-mcp:\r\n    dcc: maya\r\n    tools: tools.yaml\r\n---\r\nBody\r\nbare\rCR\r\n")
        .write("bake/tools.yaml", "tools:\r\n- name: ping\r\n  description: |\r\n    a\r\n    b\r\n")
        .write("bake/metadata/depends.md", "- base\r\n")
        .write("bake/scripts/ping.py", "");
    let skill = parse_skill_dir(&folder.at("bake"), ParseMode::Strict).unwrap();
    assert_eq!(&*skill.metadata.name, "bake");
    assert_eq!(skill.metadata.description, "two lines");
    assert_eq!(skill.metadata.dcc, "maya");
    assert_eq!(skill.metadata.depends, ["base"]);
    assert_eq!(skill.metadata.tools[0].description, "a\nb\n");
    assert_eq!(skill.body_excerpt, "Body\r\nbare\rCR\r\n");
}

#[test]
fn a_colon_is_found_behind_windows_line_ends() {
    let skill = read(
        "---\r\nname: bake\r\ndescription: 名字: a: b\r\nlicense: MIT\r\n---\r\n",
        ParseMode::Lenient,
    )
    .unwrap();
    assert_eq!(skill.metadata.description, "名字: a: b");
    assert_eq!(skill.metadata.license, "MIT");
    let place = skill.diagnostics[0].location().unwrap();
    assert_eq!((place.line, place.column), (3, 14));
}

#[test]
fn other_encodings_are_named() {
    assert_eq!(
        rejected(b"---\nname: bake\ndescription: \xC4\xE3\n---\n"),
        "SKILL.md:3:14: error[MT106]: the file is not UTF-8 (byte 28) (save the file as UTF-8)"
    );
    let wide: Vec<u8> = "---\nname: bake\n---\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(rejected(&wide).contains("looks like UTF-16"));
    assert!(rejected([&[0xFF, 0xFE][..], &wide].concat()).contains("looks like UTF-16"));
    let skill = read(
        b"---\nname: bake\ndescription: x\n---\nbody \xFF\n",
        ParseMode::Strict,
    )
    .unwrap();
    assert_eq!(skill.body_excerpt, "body \u{FFFD}\n");
    assert!(skill.diagnostics[0].message.contains("(byte 39)"));
}

#[test]
fn a_tools_file_in_another_encoding_is_unusable() {
    let folder = Folder::new();
    folder
        .write(
            "bake/SKILL.md",
            "---\nname: bake\ndescription: x\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
        )
        .write("bake/tools.yaml", b"tools:\n- name: caf\xE9\n");
    let skill = parse_skill_dir(&folder.at("bake"), ParseMode::Lenient).unwrap();
    assert_eq!(
        skill.unusable.as_deref(),
        Some("`tools.yaml` is not UTF-8 (byte 18)")
    );
    let rejected = parse_skill_md(&folder.at("bake")).unwrap_err();
    let text = rejected.to_string();
    assert!(
        text.contains("`bake` is rejected") && text.contains("MT205"),
        "{text}"
    );
    let by_file = parse_skill_md(&folder.at("bake/SKILL.md")).unwrap_err();
    assert_eq!(by_file.diagnostics, rejected.diagnostics);
}

#[test]
fn sizes_are_bounded() {
    let long = "x".repeat(300 * 1024);
    assert!(rejected(format!("---\nname: bake\nlicense: {long}\n---\n")).contains("MT107"));
    let skill = read(
        format!(
            "---\nname: bake\ndescription: x\n---\n{}",
            "烘".repeat(200_000)
        ),
        ParseMode::Strict,
    )
    .unwrap();
    assert_eq!(skill.body_excerpt.chars().count(), 8000);
    assert_eq!(skill.diagnostics, []);
    let folder = Folder::new();
    folder
        .write(
            "bake/SKILL.md",
            "---\nname: bake\ndescription: x\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
        )
        .write("bake/tools.yaml", "#".repeat(1024 * 1024 + 1));
    let skill = parse_skill_dir(&folder.at("bake"), ParseMode::Lenient).unwrap();
    assert!(
        skill
            .unusable
            .unwrap()
            .contains("too large: more than 1 MiB")
    );
}

#[test]
fn the_body_is_everything_below_the_fence() {
    let file = b"\n---\nname: bake\n---\r\nBody\n---\nmore\xFF";
    assert_eq!(body_of(file), Some(&b"Body\n---\nmore\xFF"[..]));
    assert_eq!(body_of(b"Body"), None);
}

/// The place of the only finding of a kind: line, column, bytes.
fn place(
    found: &[metier_diagnostics::Diagnostic],
    code: &str,
) -> (u32, u32, std::ops::Range<usize>) {
    let found: Vec<_> = found.iter().filter(|found| found.code.id == code).collect();
    assert_eq!(found.len(), 1, "{code}");
    let place = found[0].location().unwrap();
    (place.line, place.column, place.span.clone())
}

#[test]
fn what_is_no_text_is_shown_at_its_byte() {
    for (content, code, expected) in [
        (&b"---\nname: b\xE9\n---\n"[..], "MT106", (2, 8, 11..11)),
        (b"\n\n  text\n", "MT102", (3, 3, 4..8)),
        (b"\n---\nname: x\n", "MT103", (2, 1, 1..4)),
    ] {
        let rejected = read(content, ParseMode::Lenient).unwrap_err();
        assert_eq!(place(&rejected.diagnostics, code), expected);
    }
    let body = b"---\nname: bake\ndescription: x\n---\nab\nc\xE9\n";
    let skill = read(body, ParseMode::Lenient).unwrap();
    assert_eq!(place(&skill.diagnostics, "MT119"), (6, 2, 38..38));
    let folder = Folder::new();
    folder
        .write(
            "bake/SKILL.md",
            "---\nname: bake\ndescription: x\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
        )
        .write("bake/tools.yaml", b"tools:\n  - name: \xE9\n");
    let skill = parse_skill_dir(&folder.at("bake"), ParseMode::Lenient).unwrap();
    assert_eq!(place(&skill.diagnostics, "MT205"), (2, 11, 17..17));
}

#[test]
fn places_in_a_file_that_is_no_text_are_those_of_its_bytes() {
    let text = b"---\nname: bake\ndescription: x\n---\n\xFF\xFF\xFF x\x04y\n";
    let folder = Folder::new();
    folder
        .write("bake/SKILL.md", text)
        .write("bake/notes.md", b"f\xA6\xA7# \x04>L\n");
    let skill = parse_skill_dir(&folder.at("bake"), ParseMode::Lenient).unwrap();
    let verdict = skill.verdict(None);
    for (findings, name, bytes) in [
        (&skill.diagnostics[..], "SKILL.md", &text[..]),
        (verdict.findings(), "SKILL.md", text),
        (verdict.findings(), "notes.md", b"f\xA6\xA7# \x04>L\n"),
    ] {
        let place = findings
            .iter()
            .filter_map(|found| Some((found.code.id, found.location()?)))
            .find(|(code, place)| *code == "MT405" && place.file.ends_with(name))
            .unwrap()
            .1;
        assert_eq!(bytes.get(place.span.clone()), Some(&b"\x04"[..]), "{name}");
    }
}
