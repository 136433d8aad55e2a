//! The seed's first program, in Rust.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at a broken fixture"
)]

mod field;
mod host;
#[expect(dead_code, reason = "the check's own tests use the rest")]
#[path = "../../../check/tests/it/literate.rs"]
mod literate;
#[cfg(feature = "memory")]
mod memory;
#[cfg(feature = "mcp-client")]
mod other_servers;
mod persistence;
#[cfg(unix)]
mod session_hooks;

use std::path::PathBuf;

use metier::skill_model::SkillStatus;
use metier::{CatalogSettings, SkillCatalog, ToolDispatcher, ToolRegistry};

fn seed_skills() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/skills/seed")
}

#[tokio::test]
async fn the_seeds_walk_through() {
    let registry = ToolRegistry::with_settings(CatalogSettings::default());
    let dispatcher = ToolDispatcher::new(registry.clone());
    let catalog = SkillCatalog::new(registry).with_dispatcher(dispatcher);
    catalog.discover(&[seed_skills()], Some("maya"));

    let skills = catalog.list_skills(None);
    assert_eq!(skills.len(), 1);
    assert_eq!(skills[0].name, "maya-geometry");
    assert_eq!(
        (skills[0].dcc.as_str(), skills[0].version.as_str()),
        ("maya", "1.0.0")
    );
    assert_eq!(skills[0].tags, ["geometry", "create"]);
    assert!(!skills[0].loaded);

    let mut request = metier::catalog::SearchRequest::new("geometry");
    request.tags = vec!["create".to_owned()];
    request.dcc = Some("maya".to_owned());
    let found = catalog.search_skills(request).await.unwrap();
    assert_eq!(
        found.hits[0].skill.tool_names,
        ["create_sphere", "export_fbx"]
    );

    let actions = catalog.load_skill("maya-geometry").await.unwrap();
    assert_eq!(
        actions,
        ["maya_geometry__create_sphere", "maya_geometry__export_fbx"]
    );
    assert!(catalog.is_loaded("maya-geometry"));
    assert_eq!(catalog.loaded_count(), 1);
    assert_eq!(catalog.list_skills(Some(SkillStatus::Loaded)).len(), 1);
    assert!(catalog.list_skills(Some(SkillStatus::Unloaded)).is_empty());
    let info = catalog.get_skill_info("maya-geometry").unwrap();
    assert_eq!(info.registered_tools, actions);
    assert_eq!(catalog.unload_skill("maya-geometry"), Ok(2));
    assert_eq!(catalog.len(), 1);
    assert!(catalog.get_skill_info("nothing").is_none());
}
