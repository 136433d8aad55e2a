//! Scanning again.

use std::fs;
use std::path::Path;

use metier_loader::{ParseMode, Root, RootLabel, ScanCache, ScanDelta};

fn skill(folder: &Path, name: &str, description: &str) {
    fs::create_dir_all(folder.join(name)).unwrap();
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n");
    fs::write(folder.join(name).join("SKILL.md"), text).unwrap();
}

fn cache(folder: &Path) -> ScanCache {
    ScanCache::new(
        vec![Root::new(RootLabel::Explicit, folder)],
        ParseMode::Lenient,
    )
}

/// Names that were added, changed and removed.
fn told(delta: &ScanDelta) -> String {
    let names = [&delta.added, &delta.changed, &delta.removed].map(|skills| {
        let names: Vec<_> = skills
            .iter()
            .map(|skill| skill.metadata.name.as_str())
            .collect();
        names.join(",")
    });
    format!("+{} ~{} -{}", names[0], names[1], names[2])
}

#[test]
fn only_what_changed_is_told() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path(), "a", "One.");
    skill(folder.path(), "b", "Two.");
    let mut cache = cache(folder.path());
    assert_eq!(told(&cache.rescan()), "+a,b ~ -");
    let again = cache.rescan();
    assert!(again.is_empty() && again.unchanged == 2, "{again:?}");

    skill(folder.path(), "b", "Six.");
    skill(folder.path(), "c", "Three.");
    assert_eq!(told(&cache.rescan()), "+c ~b -");

    fs::remove_dir_all(folder.path().join("a")).unwrap();
    let gone = cache.rescan();
    assert_eq!(told(&gone), "+ ~ -a");
    assert_eq!(gone.report.skills.len(), 2);
}

#[test]
fn side_files_and_scripts_count_and_litter_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let live = folder.path().join("live");
    fs::create_dir_all(live.join("scripts")).unwrap();
    fs::write(
        live.join("SKILL.md"),
        "---\nname: live\ndescription: d\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
    )
    .unwrap();
    fs::write(live.join("tools.yaml"), "tools: [a]\n").unwrap();
    fs::write(live.join("scripts/a.py"), "").unwrap();
    let mut cache = cache(folder.path());
    cache.rescan();
    for litter in [
        ".SKILL.md.swp",
        "SKILL.md~",
        "4913",
        "scripts/out.log",
        "notes.txt",
    ] {
        fs::write(live.join(litter), "x").unwrap();
        let delta = cache.rescan();
        assert!(delta.is_empty(), "{litter}: {delta:?}");
    }
    fs::write(live.join("scripts/a.py"), "print('{}')").unwrap();
    let edited = cache.rescan();
    assert_eq!(told(&edited), "+ ~live -");
    assert_eq!(told(&cache.rescan()), "+ ~ -");
    fs::write(live.join("tools.yaml"), "tools: [a, b]\n").unwrap();
    assert_eq!(cache.rescan().changed[0].metadata.tools.len(), 2);
    fs::remove_file(live.join("scripts/a.py")).unwrap();
    assert_eq!(
        cache.rescan().changed[0].metadata.scripts,
        Vec::<String>::new()
    );
    fs::create_dir(live.join("metadata")).unwrap();
    fs::write(live.join("metadata/depends.md"), "- base\n").unwrap();
    assert_eq!(cache.rescan().changed[0].metadata.depends, ["base"]);
}

#[test]
fn a_broken_save_keeps_the_last_good_version() {
    let folder = tempfile::tempdir().unwrap();
    skill(folder.path(), "a", "Good.");
    let mut cache = cache(folder.path());
    cache.rescan();
    fs::write(folder.path().join("a/SKILL.md"), "---\nname: [a\n---\n").unwrap();
    let broken = cache.rescan();
    assert_eq!(told(&broken), "+ ~a -");
    let kept = &broken.changed[0];
    assert_eq!(kept.metadata.description, "Good.");
    let codes: Vec<_> = kept.diagnostics.iter().map(|found| found.code.id).collect();
    assert_eq!(codes, ["MT162", "MT108"]);
    assert!(cache.rescan().is_empty());

    skill(folder.path(), "a", "Better.");
    let mended = cache.rescan();
    assert_eq!(mended.changed[0].metadata.description, "Better.");
    assert!(mended.changed[0].diagnostics.is_empty());

    // What was never good has nothing to fall back to.
    fs::create_dir(folder.path().join("b")).unwrap();
    fs::write(folder.path().join("b/SKILL.md"), "---\nname: [b\n---\n").unwrap();
    let delta = cache.rescan();
    assert!(delta.other_findings && delta.added.is_empty(), "{delta:?}");
    assert_eq!(delta.report.rejected.len(), 1);
}

#[cfg(unix)]
#[test]
fn the_target_of_a_link_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    skill(elsewhere.path(), "v1", "First.");
    skill(elsewhere.path(), "v2", "Second.");
    let link = folder.path().join("current");
    std::os::unix::fs::symlink(elsewhere.path().join("v1"), &link).unwrap();
    let mut cache = cache(folder.path());
    assert_eq!(cache.rescan().added[0].metadata.description, "First.");
    skill(elsewhere.path(), "v1", "First, edited.");
    assert_eq!(
        cache.rescan().changed[0].metadata.description,
        "First, edited."
    );
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("v2"), &link).unwrap();
    assert_eq!(cache.rescan().changed[0].metadata.description, "Second.");
}

/// The groups of the only skill with the codes of its findings.
fn grouped(cache: &mut ScanCache) -> (Vec<String>, Vec<&'static str>) {
    let report = cache.rescan().report;
    let skill = &report.skills[0];
    let of_tool = skill.metadata.tools.iter().map(|tool| tool.group.clone());
    let codes = skill.diagnostics.iter().map(|found| found.code.id);
    (
        of_tool.collect(),
        codes.filter(|id| *id != "MT233").collect(),
    )
}

#[test]
fn a_broken_side_file_keeps_the_last_good_version() {
    let folder = tempfile::tempdir().unwrap();
    let live = folder.path().join("live");
    fs::create_dir_all(live.join("metadata")).unwrap();
    let front = "---\nname: live\ndescription: d\nmetadata: {dcc-mcp: {tools: tools.yaml, groups: groups.yaml}}\n---\n";
    let groups = "groups:\n- {name: g1, tools: [a]}\n";
    fs::write(live.join("SKILL.md"), front).unwrap();
    fs::write(live.join("tools.yaml"), "tools: [a, b]\n").unwrap();
    fs::write(live.join("groups.yaml"), "groups: [").unwrap();
    let mut cache = cache(folder.path());
    // What was never good stays as it can be read.
    assert_eq!(
        grouped(&mut cache),
        (vec![String::new(), String::new()], vec!["MT207"])
    );
    fs::write(live.join("groups.yaml"), groups).unwrap();
    let good = (vec!["g1".to_owned(), String::new()], vec![]);
    assert_eq!(grouped(&mut cache), good);

    for (broken, code) in [
        ("groups: [", "MT207"),
        ("groups: 5\n", "MT226"),
        ("groups:\n- {tools: [a]}\n", "MT221"),
        ("groups:\n- {name: g1, tools: [a], tools: [b]}\n", "MT210"),
        ("group:\n", "MT209"),
    ] {
        fs::write(live.join("groups.yaml"), broken).unwrap();
        let (of_tool, codes) = grouped(&mut cache);
        assert_eq!((&of_tool, codes[0]), (&good.0, "MT162"), "{broken}");
        assert!(codes.contains(&code), "{broken}: {codes:?}");
        fs::write(live.join("groups.yaml"), groups).unwrap();
        assert_eq!(grouped(&mut cache), good, "{broken}");
    }
    fs::remove_file(live.join("groups.yaml")).unwrap();
    assert_eq!(
        grouped(&mut cache),
        (good.0.clone(), vec!["MT162", "MT202"])
    );
    fs::write(live.join("groups.yaml"), groups).unwrap();
    assert_eq!(grouped(&mut cache), good);

    // Dependencies are not forgotten for a save that is no text.
    fs::write(live.join("metadata/depends.md"), "- base\n").unwrap();
    assert_eq!(cache.rescan().changed[0].metadata.depends, ["base"]);
    fs::write(live.join("metadata/depends.md"), b"- base\xFF\n").unwrap();
    let kept = cache.rescan();
    assert_eq!(kept.report.skills[0].metadata.depends, ["base"]);
    assert_eq!(kept.report.skills[0].diagnostics[0].code.id, "MT162");

    // Groups that are taken away are gone.
    fs::remove_file(live.join("metadata/depends.md")).unwrap();
    fs::write(
        live.join("SKILL.md"),
        front.replace(", groups: groups.yaml", ""),
    )
    .unwrap();
    assert_eq!(grouped(&mut cache).0, vec![String::new(), String::new()]);
}
