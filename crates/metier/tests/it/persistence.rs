//! What is loaded comes back, unless a hook objects.

use std::path::Path;

use metier::hooks::{HookContext, HookDeny, HookEvent, HookPayload};
use metier::persistence::AppName;
use metier::{
    CatalogSettings, LifecycleHooks, LoadedStateStore, ReplayPolicy, SkillCatalog, ToolRegistry,
    enable_skill_load_persistence,
};

fn skill(folder: &Path, name: &str, depends: &str) {
    let skill = folder.join("skills").join(name);
    std::fs::create_dir_all(&skill).unwrap();
    let text = format!(
        "---\nname: {name}\ndescription: The {name} skill.\nmetadata: {{dcc-mcp: {{depends: [{depends}]}}}}\n---\n"
    );
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
}

fn catalog(folder: &Path) -> SkillCatalog {
    let registry = ToolRegistry::with_settings(CatalogSettings::default());
    let catalog = SkillCatalog::new(registry);
    catalog.discover(&[folder.join("skills")], None);
    catalog
}

fn store(folder: &Path) -> LoadedStateStore {
    LoadedStateStore::new(folder.join("state"), AppName::new("maya").unwrap())
}

fn kept(folder: &Path) -> Vec<String> {
    let skills = store(folder).load().state.skills;
    skills.into_iter().map(|skill| skill.name).collect()
}

#[tokio::test]
async fn a_hook_refuses_on_the_way_back_as_on_every_other() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    skill(folder, "base", "");
    skill(folder, "rig", "base");
    skill(folder, "other", "");
    let first = catalog(folder);
    let (persistence, report) =
        enable_skill_load_persistence(&first, store(folder), ReplayPolicy::default())
            .await
            .unwrap();
    assert_eq!(report, metier::ReplayReport::default());
    first.load_skill("rig").await.unwrap();
    first.load_skill("other").await.unwrap();
    persistence.close().await;
    assert_eq!(
        kept(folder),
        ["base", "rig", "other"],
        "in the order of loading"
    );

    let hooks = LifecycleHooks::new();
    hooks.on(
        HookEvent::BeforeSkillLoad,
        |context: &HookContext| match &context.payload {
            HookPayload::BeforeSkillLoad { skill_name, .. } if skill_name == "base" => {
                Err(HookDeny::new("base is retired").hint("use base2").into())
            }
            _ => Ok(()),
        },
    );
    let second = catalog(folder).with_hooks(hooks);
    let (persistence, report) =
        enable_skill_load_persistence(&second, store(folder), ReplayPolicy::default())
            .await
            .unwrap();
    assert_eq!(report.restored, ["other"]);
    let failed: Vec<&str> = report
        .failed
        .iter()
        .map(|(skill, _)| skill.as_str())
        .collect();
    assert_eq!(failed, ["base", "rig"]);
    assert!(
        report
            .failed
            .iter()
            .all(|(_, why)| why.contains("base is retired")),
        "{report:?}"
    );
    assert!(!second.is_loaded("rig") && !second.is_loaded("base"));
    persistence.close().await;
    assert_eq!(
        kept(folder),
        ["base", "rig", "other"],
        "the next start asks again"
    );
}

#[tokio::test]
async fn what_was_loaded_before_is_kept_too_and_unloading_with_force_forgets_all() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    skill(folder, "base", "");
    skill(folder, "rig", "base");
    let catalog = catalog(folder);
    catalog.load_skill("rig").await.unwrap();
    let (persistence, _) =
        enable_skill_load_persistence(&catalog, store(folder), ReplayPolicy::default())
            .await
            .unwrap();
    persistence.close().await;
    assert_eq!(kept(folder), ["base", "rig"]);
    let (persistence, report) =
        enable_skill_load_persistence(&catalog, store(folder), ReplayPolicy::RequireExactVersion)
            .await
            .unwrap();
    assert_eq!(report.restored, ["base", "rig"]);
    catalog.unload("base", true).unwrap();
    persistence.close().await;
    assert!(kept(folder).is_empty());
}

#[tokio::test]
async fn an_event_that_was_missed_is_no_loss() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    skill(folder, "base", "");
    skill(folder, "other", "");
    let catalog = catalog(folder);
    let (persistence, _) =
        enable_skill_load_persistence(&catalog, store(folder), ReplayPolicy::default())
            .await
            .unwrap();
    // On one thread nobody hears of these before the end, and the channel keeps 256.
    catalog.load_skill("other").await.unwrap();
    for _ in 0..300 {
        catalog.declare_capabilities(["a"]);
        catalog.declare_capabilities(["b"]);
    }
    catalog.load_skill("base").await.unwrap();
    catalog.unload_skill("other").unwrap();
    persistence.close().await;
    assert_eq!(kept(folder), ["base"]);
}
