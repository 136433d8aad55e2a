//! Where skills are found, and what is passed over.

use std::fs;

use metier::catalog::LoadRequest;
use metier::skill_model::SkillStatus;
use metier::{CatalogSettings, ParseMode, runner::EnvLookup};
use serde_json::{Value, json};

use super::bench::{Case, Seen};

const LOADS: (&str, &[&str]) = ("unloaded", &[]);

/// The findings about folders that a client sees.
async fn findings(seen: &Seen) -> Vec<String> {
    let listed = seen.structured("list_skills", json!({})).await;
    let rows = listed["findings"].as_array().cloned().unwrap_or_default();
    let line = |row: &Value| {
        let place = row["where"].as_str().unwrap_or_default();
        format!("{place}: {}", row["message"].as_str().unwrap())
    };
    rows.iter().map(line).collect()
}

#[tokio::test]
async fn case_034_linked_skill_folder() {
    let case = Case::spec(34).await;
    assert_eq!(case.lenient.statuses(), ["real unloaded"]);
    let direct = metier::loader::parse_skill_dir(&case.path().join("linked"), ParseMode::Strict);
    let found = case.scanned();
    assert_eq!(found[0].skill_path, direct.unwrap().metadata.skill_path);
}

#[tokio::test]
async fn case_035_link_cycles() {
    let case = Case::spec(35).await;
    assert_eq!(case.lenient.statuses(), ["a unloaded", "one unloaded"]);
    let told = findings(&case.lenient).await;
    assert_eq!(told.len(), 2);
    assert!(
        told[0].starts_with("again:") && told[0].contains("loop"),
        "{told:?}"
    );
    case.lenient.load("one").await.unwrap();
}

#[tokio::test]
async fn case_036_dangling_link_first() {
    let case = Case::spec(36).await;
    assert_eq!(case.lenient.statuses(), ["mmm unloaded", "zzz unloaded"]);
    let told = findings(&case.lenient).await;
    assert!(
        told[0].starts_with("aaa:") && told[0].contains("broken link"),
        "{told:?}"
    );
    let paths = [case.path().to_owned(), case.path().join("bbb")];
    let report = case.lenient.catalog.discover(&paths, None);
    assert_eq!(report.skills, 2);
    let told = findings(&case.lenient).await;
    assert_eq!(told.len(), 2, "a root that is a file is one more: {told:?}");
}

#[tokio::test]
async fn case_037_one_skill_two_routes() {
    let case = Case::spec(37).await;
    assert_eq!(case.lenient.statuses(), ["real unloaded"]);
    let path = case.path();
    let paths = [
        path.join("a"),
        path.join("a/"),
        path.join("b"),
        path.join("a/../a"),
    ];
    case.lenient.catalog.discover(&paths, None);
    assert_eq!(case.lenient.statuses(), ["real unloaded"]);
    assert_eq!(case.lenient.said("real"), "");
    assert_eq!(findings(&case.lenient).await, Vec::<String>::new());
}

#[tokio::test]
async fn case_038_nested_and_vendored() {
    let case = Case::spec(38).await;
    assert_eq!(case.lenient.statuses(), ["outer unloaded"]);
    let report = case.check(false);
    let inner = report.findings.iter();
    let inner = inner.filter(|finding| finding.diagnostic.code.id == "MT601");
    assert!(inner.count() > 0);
}

#[tokio::test]
async fn case_039_grouped_layout() {
    let case = Case::spec(39).await;
    let all = ["bake unloaded", "far unloaded"];
    assert_eq!(case.lenient.statuses(), all);
    assert_eq!(case.strict.statuses(), all);
    assert_eq!(case.check(false).skills.len(), 2);
}

/// A folder that cannot be read tells root nothing, so that root runs this as somebody else.
#[cfg(unix)]
#[tokio::test]
async fn case_040_unreadable_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    const NOBODY: u32 = 65_534;
    let case = Case::empty();
    for name in ["ok", "locked", "no-file", "no-tools"] {
        case.skill_with_tools(name, "tools: [go]\n");
    }
    let lock = |path: &str, mode: u32| {
        let path = case.path().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let locked = ["locked", "no-file/SKILL.md", "no-tools/tools.yaml"];
    for path in locked {
        lock(path, 0);
    }
    if fs::read_dir(case.path().join("locked")).is_ok() {
        let again = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "field::folders::case_040_unreadable_folder"])
            .uid(NOBODY)
            .gid(NOBODY)
            .output();
        match again {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout);
                assert!(
                    output.status.success() && said.contains("1 passed"),
                    "{said}"
                );
            }
            Err(error) => println!("skipped: nobody else may run this test ({error})"),
        }
        return;
    }
    case.discover();
    case.holds().await;
    case.fares("ok", LOADS, LOADS);
    for (name, file) in [("locked", "locked:"), ("no-file", "no-file/SKILL.md:")] {
        case.fares_alike(name, "skipped", &[file, "permission denied"]);
    }
    let told: &[&str] = &["no-tools/", "permission denied"];
    case.fares("no-tools", ("error", told), ("skipped", told));
    lock("locked", 0o755);
}

#[tokio::test]
async fn case_041_one_bad_nine_good() {
    let case = Case::spec(41).await;
    case.fares_alike("bad", "skipped", &["bad/SKILL.md:3", "not valid YAML"]);
    for seen in [&case.lenient, &case.strict] {
        assert_eq!(
            seen.catalog.list_skills(Some(SkillStatus::Unloaded)).len(),
            9
        );
    }
}

#[tokio::test]
async fn case_042_same_name_two_roots() {
    let case = Case::spec(42).await;
    assert_eq!(
        case.lenient.statuses(),
        ["deploy shadowed", "deploy unloaded"]
    );
    let won = case.lenient.metadata("deploy");
    assert_eq!(won["description"], "The first.");
    let said = case.lenient.said("deploy");
    assert!(
        said.contains("explicit:deploy") && said.contains("explicit-2:deploy"),
        "{said}"
    );
    let by_id = case
        .lenient
        .catalog
        .get_skill_info("explicit-2:deploy")
        .unwrap();
    assert_eq!(by_id.summary.description, "The second.");
    assert!(case.lenient.load("explicit-2:deploy").await.is_err());
    case.lenient.load("deploy").await.unwrap();
}

#[tokio::test]
async fn case_043_same_name_one_root() {
    let case = Case::spec(43).await;
    assert_eq!(
        case.lenient.statuses(),
        ["Shared shadowed", "shared shadowed", "shared unloaded"]
    );
    assert_eq!(
        case.strict.statuses(),
        ["Shared skipped", "shared shadowed", "shared unloaded"]
    );
    assert_eq!(case.lenient.metadata("shared")["description"], "Wins.");
    assert!(case.lenient.said("shared").contains("alpha/SKILL.md"));
}

#[cfg(unix)]
#[tokio::test]
async fn case_044_path_list_edges() {
    let case = Case::empty();
    case.skill("skills/a", "");
    case.skill("home/more/b", "");
    let root = case.path().display();
    for (variables, names, missing) in [
        (vec![("DCC_MCP_SKILL_PATHS", String::new())], vec![], 0),
        (vec![("DCC_MCP_SKILL_PATHS", ":".to_owned())], vec![], 0),
        (
            vec![("DCC_MCP_SKILL_PATHS", format!(" {root}/skills ::"))],
            vec!["a"],
            0,
        ),
        (
            vec![("DCC_MCP_SKILL_PATHS", format!("{root}/gone:{root}/skills"))],
            vec!["a"],
            1,
        ),
        (
            vec![("DCC_MCP_SKILL_PATHS", "~/more:\"x\"".to_owned())],
            vec!["b"],
            1,
        ),
        (
            vec![
                ("DCC_MCP_MAYA_SKILL_PATHS", String::new()),
                ("DCC_MCP_SKILL_PATHS", format!("{root}/skills")),
            ],
            vec!["a"],
            0,
        ),
    ] {
        let mut settings = CatalogSettings::default();
        settings.app = "maya".to_owned();
        settings.roots.with_defaults = true;
        settings.roots.home = Some(case.path().join("home"));
        settings.roots.environment = EnvLookup::new(variables.clone());
        let seen = Seen::new(settings);
        let report = seen.catalog.discover(&[], None);
        let found: Vec<String> = seen
            .catalog
            .list_skills(None)
            .into_iter()
            .map(|skill| skill.name)
            .collect();
        assert_eq!(found, names, "{variables:?}");
        let here = std::env::current_dir().unwrap();
        let roots = &report.roots;
        assert!(
            roots
                .iter()
                .all(|root| !root.as_os_str().is_empty() && *root != here)
        );
        let told = report.diagnostics.iter();
        let told = told.filter(|finding| finding.message.contains("does not exist"));
        assert_eq!(
            told.count(),
            missing,
            "{variables:?}: {:?}",
            report.diagnostics
        );
    }
}

#[tokio::test]
async fn case_045_root_is_a_skill() {
    let case = Case::spec(45).await;
    assert_eq!(case.lenient.statuses(), ["first unloaded"]);
    case.lenient.load("first").await.unwrap();
}

#[tokio::test]
async fn case_046_five_thousand_skills() {
    const SKILLS: usize = 5000;
    let case = Case::empty();
    for n in 0..SKILLS {
        case.write(
            &format!("skill-{n:04}/SKILL.md"),
            format!("---\nname: skill-{n:04}\ndescription: Does task {n}.\n---\n"),
        );
    }
    case.lenient.catalog.discover(&case.paths(), None);
    // Without its folders the answers are the same: no request looks at the disk.
    fs::remove_dir_all(case.path()).unwrap();
    let seen = &case.lenient;
    let page = seen.structured("list_skills", json!({})).await;
    assert_eq!(page["skills"].as_array().unwrap().len(), 50);
    assert_eq!(
        (&page["total"], &page["next_cursor"]),
        (&json!(SKILLS), &json!("50"))
    );
    let found = json!({"query": "task 4711"});
    let found = seen.structured("search_skills", found).await;
    assert_eq!(found["hits"][0]["name"], "skill-4711");
    let names: Vec<String> = (0..SKILLS).map(|n| format!("skill-{n:04}")).collect();
    let before = seen.catalog.snapshot().generation();
    // A request of a client is for a hundred at most.
    let hundred = json!({"skill_names": &names[..100]});
    let loaded = seen.structured("load_skill", hundred).await;
    assert_eq!(loaded["loaded"].as_array().unwrap().len(), 100);
    assert_eq!(seen.catalog.snapshot().generation(), before + 1);
    let requests = names.iter().map(|name| LoadRequest::new(name.as_str()));
    let loaded = seen.catalog.load_all(requests.collect()).await;
    assert!(loaded.len() == SKILLS && loaded.iter().all(Result::is_ok));
    assert_eq!(seen.catalog.snapshot().generation(), before + 2);
}

#[tokio::test]
async fn case_047_huge_tree_in_a_skill() {
    let case = Case::spec(47).await;
    case.fares("tall", LOADS, LOADS);
    #[cfg(feature = "watch")]
    {
        let watcher = metier::SkillWatcher::new(std::time::Duration::from_millis(50)).unwrap();
        watcher.watch(case.path().join("shelf"));
        let watched = watcher.watched_folders();
        assert!(!watched.is_empty());
        let far = case.path().canonicalize().unwrap().join("big");
        assert!(
            watched.iter().all(|folder| !folder.starts_with(&far)),
            "{watched:?}"
        );
    }
    let skill =
        metier::loader::parse_skill_dir(&case.path().join("shelf/tall"), ParseMode::Lenient);
    assert!(skill.unwrap().files.read("assets/one.txt", 100).is_err());
}

#[tokio::test]
async fn case_048_odd_folder_names() {
    let case = Case::spec(48).await;
    for name in ["star", "blanks", "quote", "render"] {
        case.fares_alike(name, "unloaded", &["MT123"]);
    }
    for folder in ["my\nline", "-dash", "🎬 shots"] {
        let name = format!("odd-{}", folder.len());
        case.write(
            &format!("{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: D.\n---\n"),
        );
        case.discover();
        case.fares_alike(&name, "unloaded", &["MT123"]);
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        let raw = std::ffi::OsString::from_vec(b"raw-\xFF".to_vec());
        // Some file systems refuse such names, and then there is nothing to tell.
        if fs::create_dir(case.path().join(raw)).is_ok() {
            case.discover();
            let told = findings(&case.lenient).await;
            assert!(told[0].contains("raw-\\xff"), "{told:?}");
        }
    }
    case.holds().await;
}

#[tokio::test]
async fn case_049_strict_scan_speaks() {
    let case = Case::spec(49).await;
    let reason: &[&str] = &["tools.yaml", "does not exist"];
    case.fares("no-tools-file", ("error", reason), ("skipped", reason));
    for seen in [&case.lenient, &case.strict] {
        let told = findings(seen).await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("maya-bad:") && told[0].contains("no SKILL.md"),
            "{told:?}"
        );
    }
    let errors = case
        .check(false)
        .with_severity(metier::diagnostics::Severity::Error);
    assert_eq!(errors, 2);
}
