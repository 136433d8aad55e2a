//! Roots and folders as they are in real use.

use metier_loader::{ParseMode, Root, RootLabel, ScanReport, SkillScanner, scan};

use crate::folder::Folder;

fn ids(report: &ScanReport) -> Vec<&str> {
    report
        .skills
        .iter()
        .map(|skill| skill.id.as_str())
        .collect()
}

fn findings(report: &ScanReport) -> Vec<String> {
    let findings = report.root_findings.iter();
    findings.map(|found| found.diagnostic.to_string()).collect()
}

#[test]
fn a_root_that_is_a_skill_is_one() {
    let folder = Folder::new();
    folder.skill("solo").skill("solo/examples/inner");
    let report = folder.scan(&["solo"], ParseMode::Lenient);
    assert_eq!(ids(&report), ["explicit:solo"]);
    assert_eq!(report.skills[0].display_path, "");
    assert_eq!(findings(&report), Vec::<String>::new());
}

#[test]
fn the_first_of_two_names_wins_whatever_its_case_or_composition() {
    let folder = Folder::new();
    folder
        .write(
            "one/a/SKILL.md",
            "---\nname: caf\u{E9}\ndescription: composed\n---\n",
        )
        .write(
            "two/b/SKILL.md",
            "---\nname: CAFE\u{301}\ndescription: decomposed\n---\n",
        );
    let report = folder.scan(&["one", "two"], ParseMode::Lenient);
    assert_eq!(ids(&report), ["explicit:a"]);
    assert_eq!(report.shadowed[0].skill.id.as_str(), "explicit-2:b");
    assert_eq!(report.shadowed[0].by.as_str(), "explicit:a");
    let report = folder.scan(&["two", "one"], ParseMode::Lenient);
    assert_eq!(report.skills[0].metadata.description, "decomposed");
}

#[test]
fn a_root_that_is_missing_or_a_file_is_one_word_and_a_default_one_none() {
    let folder = Folder::new();
    folder.skill("skills/a").write("file", "x");
    let root = |label, path: &str| Root::new(label, folder.at(path));
    let report = scan(
        &[
            root(RootLabel::Env, "missing"),
            root(RootLabel::Configured, "file"),
            root(RootLabel::Home, "missing"),
            root(RootLabel::Env, "skills"),
        ],
        ParseMode::Strict,
    );
    assert_eq!(ids(&report), ["env-2:a"]);
    let codes: Vec<_> = report
        .root_findings
        .iter()
        .map(|found| found.diagnostic.code.id)
        .collect();
    assert_eq!(codes, ["MT151", "MT152"]);
}

#[test]
fn many_skills_come_in_the_order_of_their_paths() {
    let folder = Folder::new();
    for number in 0..200 {
        folder.skill(&format!("g{}/s{number}", number % 7));
    }
    let first = folder.scan(&["."], ParseMode::Lenient);
    assert_eq!(first.skills.len(), 200);
    let paths: Vec<_> = first
        .skills
        .iter()
        .map(|skill| skill.display_path.clone())
        .collect();
    assert!(paths.is_sorted_by(|one, other| one.split('/').lt(other.split('/'))));
    for _ in 0..3 {
        assert_eq!(ids(&folder.scan(&["."], ParseMode::Lenient)), ids(&first));
    }
}

#[test]
fn the_scanner_names_folders_and_reads_nothing() {
    let folder = Folder::new();
    folder
        .skill("env/a")
        .skill("extra/b")
        .write("extra/broken/SKILL.md", "no front matter");
    let env = folder.at("env");
    let scanner = SkillScanner::new(
        move |name| (name == "DCC_MCP_RIG_SKILL_PATHS").then(|| env.clone().into()),
        None,
        None,
    );
    let root = folder.path().canonicalize().unwrap();
    assert_eq!(
        scanner.scan(&[folder.at("extra")], "rig"),
        [
            root.join("extra/b"),
            root.join("extra/broken"),
            root.join("env/a")
        ]
    );
    assert_eq!(scanner.scan(&[], ""), Vec::<std::path::PathBuf>::new());
}

#[cfg(unix)]
mod links {
    use super::*;

    #[test]
    fn a_linked_skill_is_found_once() {
        let folder = Folder::new();
        folder.skill("pool/linked").skill("skills/real");
        folder
            .link("skills/linked", "../pool/linked")
            .link("skills/other-way", "../pool/linked")
            .link("alias", "skills");
        let report = folder.scan(&["skills", "skills/../alias", "pool"], ParseMode::Strict);
        assert_eq!(ids(&report), ["explicit:linked", "explicit:real"]);
        assert_eq!(
            report.skills[0].path,
            folder.path().canonicalize().unwrap().join("pool/linked")
        );
        assert_eq!(report.shadowed.len(), 0);
        assert_eq!(findings(&report), Vec::<String>::new());
        assert_eq!(report.skills[0].diagnostics, []);
    }

    #[test]
    fn loops_and_broken_links_end_nothing() {
        let folder = Folder::new();
        folder
            .skill("skills/z")
            .skill("skills/group/y")
            .write("skills/file", "x");
        folder
            .link("skills/again", ".")
            .link("skills/broken", "nowhere")
            .link("skills/circle", "circle")
            .link("skills/group/up", "..")
            .link("skills/z/self", ".");
        let report = folder.scan(&["skills"], ParseMode::Lenient);
        assert_eq!(ids(&report), ["explicit:group/y", "explicit:z"]);
        let found: Vec<_> = report
            .root_findings
            .iter()
            .map(|found| &found.diagnostic)
            .map(|found| (found.code.id, found.location().unwrap().file.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("MT155", "again"),
                ("MT154", "broken"),
                ("MT154", "circle"),
                ("MT155", "group/up"),
            ]
        );
    }

    #[test]
    fn odd_entries_are_named_and_passed_over() {
        use std::os::unix::ffi::OsStringExt;
        let folder = Folder::new();
        folder
            .skill("skills/a")
            .skill("skills/two\nlines")
            .skill("skills/my [wip] skill");
        let raw = std::ffi::OsString::from_vec(b"raw\xFFbyte".to_vec());
        // Some file systems refuse such a name; there is nothing to test there then.
        let has_raw = std::fs::create_dir(folder.at("skills").join(raw)).is_ok();
        let _socket = std::os::unix::net::UnixListener::bind(folder.at("skills/socket")).unwrap();
        let report = folder.scan(&["skills"], ParseMode::Lenient);
        assert_eq!(report.skills.len(), 2);
        // The folder's name stands in, and a line break in it is no part of a name.
        assert_eq!(report.rejected.len(), 1);
        let mut expected = vec!["MT157"];
        if has_raw {
            expected.insert(0, "MT156");
        }
        let codes: Vec<_> = report
            .root_findings
            .iter()
            .map(|found| found.diagnostic.code.id)
            .collect();
        assert_eq!(codes, expected);
    }

    #[test]
    fn a_tree_behind_a_link_inside_a_skill_is_not_entered() {
        let folder = Folder::new();
        folder
            .skill("skills/heavy")
            .write("pool/secret.txt", "x")
            .write("pool/run.py", "x");
        folder
            .link("skills/heavy/scripts", "../../pool")
            .link("skills/heavy/tools.yaml", "../../pool/run.py");
        let report = folder.scan(&["skills"], ParseMode::Lenient);
        let skill = &report.skills[0];
        assert_eq!(skill.metadata.scripts, Vec::<String>::new());
        assert_eq!(skill.metadata.tools, []);
        let list = skill.files.list(100).unwrap();
        assert_eq!(list.files.keys().collect::<Vec<_>>(), ["SKILL.md"]);
        assert_eq!(list.skipped.len(), 2);
    }

    #[test]
    fn what_stands_in_the_place_of_scripts_is_named() {
        let folder = Folder::new();
        folder
            .skill("skills/a")
            .skill("skills/b")
            .skill("skills/c")
            .write("pool/run.py", "x")
            .write("skills/b/scripts", "x")
            .write("skills/c/scripts/run.py/x", "x");
        folder.link("skills/a/scripts", "../../pool");
        let report = folder.scan(&["skills"], ParseMode::Lenient);
        let told: Vec<String> = report
            .skills
            .iter()
            .map(|skill| skill.diagnostics[0].to_string())
            .collect();
        assert_eq!(
            told,
            [
                "a/scripts:1:1: warning[MT141]: `scripts` leads out of the skill folder (put the script itself there, under a name of plain text, or remove what is there)",
                "b/scripts:1:1: warning[MT141]: `scripts` is not a folder (put the script itself there, under a name of plain text, or remove what is there)",
                "c/scripts/run.py:1:1: warning[MT141]: `scripts/run.py` is not a file (put the script itself there, under a name of plain text, or remove what is there)",
            ]
        );
    }

    #[test]
    fn a_script_that_links_out_is_named() {
        let folder = Folder::new();
        folder
            .skill("skills/a")
            .write("outside.py", "x")
            .write("skills/a/scripts/in.py", "x");
        folder
            .link("skills/a/scripts/out.py", "../../../outside.py")
            .link("skills/a/scripts/alias.py", "in.py");
        let report = folder.scan(&["skills"], ParseMode::Lenient);
        let skill = &report.skills[0];
        assert_eq!(
            skill.metadata.scripts,
            ["scripts/alias.py", "scripts/in.py"]
        );
        assert_eq!(skill.diagnostics[0].code.id, "MT141");
        assert!(
            !skill.diagnostics[0]
                .message
                .contains(&*folder.path().to_string_lossy())
        );
    }
}
