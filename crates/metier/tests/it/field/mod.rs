//! What goes wrong with skills in real use, one test for each numbered case, as a client sees it.
//!
//! The numbers are those of a list of faults that were gathered from public reports. Most inputs are
//! the sections of `fixtures/spec`, whose headings bear the same numbers; there `check` is held to
//! its findings, and here the catalog to what it lists, finds, loads and calls.

mod bench;
mod bytes_and_fences;
mod dependencies;
mod fields;
mod folders;
#[cfg(feature = "watch")]
mod reload;
mod schemas;
mod tools;

/// Every case about files, folders, tools, dependencies, reloading, scripts, capabilities, the workspace, what is
/// kept, hooks and memory.
fn every_case() -> Vec<u16> {
    (1..=69)
        .chain(79..=115)
        .chain(136..=146)
        .chain([148])
        .collect()
}

#[test]
fn every_case_has_a_test() {
    let sources = [
        include_str!("bytes_and_fences.rs"),
        include_str!("fields.rs"),
        include_str!("folders.rs"),
        include_str!("tools.rs"),
        include_str!("schemas.rs"),
        include_str!("dependencies.rs"),
        include_str!("reload.rs"),
        // Tests that stand beside the crate that they are about.
        include_str!("../../../../catalog/tests/it/script_cases.rs"),
        include_str!("../../../../catalog/tests/it/script_result_cases.rs"),
        include_str!("../../../../catalog/tests/it/capabilities.rs"),
        include_str!("../../../../catalog/tests/it/field_cases.rs"),
        include_str!("../../../../cli/tests/it/field_cases.rs"),
        include_str!("../../../../mcp/tests/it/roots.rs"),
        include_str!("../../../../workspace-roots/tests/it/forms.rs"),
        include_str!("../../../../workspace-roots/tests/it/links.rs"),
        include_str!("../../../../cli/tests/it/persist.rs"),
        include_str!("../../../../persistence/tests/it/damage.rs"),
        include_str!("../../../../persistence/tests/it/writers.rs"),
        include_str!("../../../../catalog/tests/it/hooks.rs"),
        include_str!("../../../../mcp/tests/it/denied.rs"),
        include_str!("../../../../memory/tests/it/forget.rs"),
        include_str!("../../../../memory/tests/it/layers.rs"),
        include_str!("../../../../memory/tests/it/session_end.rs"),
    ]
    .concat();
    let missing: Vec<u16> = every_case()
        .into_iter()
        .filter(|number| !sources.contains(&format!("fn case_{number:03}_")))
        .collect();
    assert!(missing.is_empty(), "cases without a test: {missing:?}");
}
