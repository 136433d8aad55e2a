//! The low-level names: the first fault ends it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use metier_loader::{
    ParseMode, Root, RootLabel, expand_transitive_dependencies, resolve_dependencies, scan,
    validate_dependencies,
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
