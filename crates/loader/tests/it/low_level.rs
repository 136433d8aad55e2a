//! The low-level names: the first fault ends it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use metier_loader::{
    ParseMode, Root, RootLabel, expand_transitive_dependencies, resolve_dependencies, scan,
    scan_and_load, scan_and_load_lenient, scan_skill_paths, validate_dependencies,
};
use metier_skill_model::SkillMetadata;

fn skills(folder: &Path, skills: &[(&str, &str)]) -> Vec<Arc<SkillMetadata>> {
    for (name, depends) in skills {
        fs::create_dir_all(folder.join(name)).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: d\nmetadata: {{dcc-mcp: {{depends: [{depends}]}}}}\n---\n"
        );
        fs::write(folder.join(name).join("SKILL.md"), text).unwrap();
    }
    let report = scan(&[Root::new(RootLabel::Explicit, folder)], ParseMode::Strict);
    report
        .skills
        .iter()
        .map(|skill| Arc::clone(&skill.metadata))
        .collect()
}

fn names(skills: &[Arc<SkillMetadata>]) -> Vec<&str> {
    skills.iter().map(|skill| skill.name.as_str()).collect()
}

#[test]
fn an_order_or_the_first_fault() {
    let folder = tempfile::tempdir().unwrap();
    let found = skills(
        folder.path(),
        &[("a", "b"), ("b", "c"), ("c", ""), ("d", "")],
    );
    assert_eq!(
        names(&resolve_dependencies(&found).unwrap()),
        ["c", "b", "a", "d"]
    );
    assert_eq!(
        expand_transitive_dependencies(&found, "a").unwrap(),
        ["c", "b"]
    );
    assert!(validate_dependencies(&found).is_empty());

    let found = skills(folder.path(), &[("c", "gone")]);
    let missing = validate_dependencies(&found);
    assert_eq!(
        (missing[0].node.as_str(), missing[0].dependency.as_str()),
        ("c", "gone")
    );
    let error = resolve_dependencies(&found).unwrap_err().to_string();
    assert!(error.contains("'c'") && error.contains("'gone'"), "{error}");
    let error = expand_transitive_dependencies(&found, "a")
        .unwrap_err()
        .to_string();
    assert!(error.contains("'gone'"), "{error}");

    let found = skills(folder.path(), &[("c", "a")]);
    let error = resolve_dependencies(&found).unwrap_err().to_string();
    assert!(
        error.contains("cycle") && error.contains('a') && error.contains('c'),
        "{error}"
    );
}

/// These functions read the environment of the process, as packagers call them; what it may name comes behind the folder
/// that is given and is no business of the test.
const NO_APP: &str = "an-application-that-nobody-has";

#[test]
fn for_packaging_the_first_fault_ends_it_and_a_lenient_order_keeps_what_waits() {
    let folder = tempfile::tempdir().unwrap();
    skills(
        folder.path(),
        &[("a", "b"), ("b", ""), ("waits", "b, gone")],
    );
    fs::create_dir(folder.path().join("broken")).unwrap();
    fs::write(folder.path().join("broken/SKILL.md"), "no front matter").unwrap();
    let given = [folder.path().to_owned()];

    let paths = scan_skill_paths(&given, NO_APP);
    let below: Vec<_> = paths
        .iter()
        .take(4)
        .map(|path| path.file_name().unwrap())
        .collect();
    assert_eq!(below, ["a", "b", "broken", "waits"]);

    let error = scan_and_load(&given, NO_APP).unwrap_err().to_string();
    assert!(
        error.contains("'waits'") && error.contains("'gone'"),
        "{error}"
    );
    let (ordered, skipped) = scan_and_load_lenient(&given, NO_APP).unwrap();
    let at = |name: &str| ordered.iter().position(|skill| skill.name.as_str() == name);
    assert!(at("b").unwrap() < at("a").unwrap().min(at("waits").unwrap()));
    assert!(skipped.iter().any(|skill| skill.name == "broken"));

    // Reading is strict in both: only dependencies are lenient.
    let odd = folder.path().join("odd");
    fs::create_dir(&odd).unwrap();
    fs::write(
        odd.join("SKILL.md"),
        "---\nname: odd\nversion: 1.0\ndescription: d\n---\n",
    )
    .unwrap();
    let (ordered, skipped) = scan_and_load_lenient(&given, NO_APP).unwrap();
    assert!(ordered.iter().all(|skill| skill.name.as_str() != "odd"));
    assert!(skipped.iter().any(|skill| skill.name == "odd"));

    skills(folder.path(), &[("b", "a")]);
    let error = scan_and_load_lenient(&given, NO_APP)
        .unwrap_err()
        .to_string();
    assert!(error.contains("cycle"), "{error}");
}
