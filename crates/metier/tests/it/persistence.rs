//! What is loaded comes back, unless a hook objects.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use metier::catalog::CallRequest;
use metier::hooks::{HookContext, HookDeny, HookEvent, HookPayload};
use metier::persistence::{AppName, LoadedState, SaveStep, StateMirror};
use metier::{
    CatalogSettings, LifecycleHooks, LoadPersistence, LoadedStateStore, ReplayPolicy, ReplayReport,
    SkillCatalog, ToolDispatcher, ToolRegistry, enable_skill_load_persistence,
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

async fn begun(catalog: &SkillCatalog, store: LoadedStateStore) -> (LoadPersistence, ReplayReport) {
    let begun = enable_skill_load_persistence(catalog, store, ReplayPolicy::default());
    begun.await.unwrap()
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
    let (persistence, report) = begun(&first, store(folder)).await;
    assert_eq!(report, ReplayReport::default());
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
    let (persistence, report) = begun(&second, store(folder)).await;
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
            .all(|(_, why)| why.contains("base is retired") && why.contains("use base2")),
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
    let (persistence, _) = begun(&catalog, store(folder)).await;
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
    let (persistence, _) = begun(&catalog, store(folder)).await;
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

/// Calls a tool on a skill as a client would; whether the answer promises that it is kept.
async fn promised(catalog: &SkillCatalog, tool: &str, skill: &str) -> bool {
    let arguments = serde_json::json!({"skill_name": skill});
    let dispatcher = ToolDispatcher::new(catalog.registry());
    let call = CallRequest::new(tool, Some(arguments));
    let answer = dispatcher.call(call).await.unwrap();
    assert!(!answer.is_error, "{answer:?}");
    let answer = serde_json::to_string(&answer.structured).unwrap();
    !answer.contains("MT509")
}

/// Does nothing until its other end is dropped.
#[derive(Debug)]
struct Stuck(Mutex<mpsc::Receiver<()>>);

impl Stuck {
    fn new() -> (mpsc::Sender<()>, Self) {
        let (go, wait) = mpsc::channel();
        (go, Self(Mutex::new(wait)))
    }

    fn wait(&self) {
        // It has been let go.
        let _ = self.0.lock().unwrap().recv();
    }
}

impl StateMirror for Stuck {
    fn show(&self, _: &AppName, _: &dyn Fn() -> LoadedState) -> Result<(), String> {
        self.wait();
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_is_on_the_disk_whatever_holds_the_mirror() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    skill(folder, "base", "");
    skill(folder, "other", "");
    let catalog = catalog(folder);
    let (go, mirror) = Stuck::new();
    let (persistence, _) = begun(&catalog, store(folder).with_mirror(Arc::new(mirror))).await;
    for (tool, name, left) in [
        ("load_skill", "base", &["base"][..]),
        ("load_skill", "other", &["base", "other"]),
        ("unload_skill", "base", &["other"]),
    ] {
        // A machine may be slow, and then the answer says so.
        if promised(&catalog, tool, name).await {
            assert_eq!(kept(folder), left);
        }
    }
    drop(go);
    persistence.close().await;
    assert_eq!(kept(folder), ["other"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_disk_costs_the_promise_and_a_broken_one_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    skill(folder, "base", "");
    skill(folder, "other", "");
    let catalog = catalog(folder);
    let (go, disk) = Stuck::new();
    let slow = store(folder).with_probe(Arc::new(move |step| {
        if step == SaveStep::SyncFile {
            disk.wait();
        }
        Ok(())
    }));
    let (persistence, _) = begun(&catalog, slow).await;
    assert!(!promised(&catalog, "load_skill", "base").await);
    assert!(catalog.is_loaded("base") && kept(folder).is_empty());
    drop(go);
    persistence.close().await;
    assert_eq!(kept(folder), ["base"]);

    let full = store(folder).with_probe(Arc::new(|_| Err(std::io::ErrorKind::StorageFull.into())));
    let (persistence, _) = begun(&catalog, full).await;
    assert!(!promised(&catalog, "load_skill", "other").await);
    assert!(catalog.is_loaded("other"));
    persistence.close().await;
    assert_eq!(kept(folder), ["base"]);
    // Nobody keeps anything any more, and nobody waits.
    assert!(promised(&catalog, "unload_skill", "other").await);
}

/// A lock that nobody gives back: each save would wait five seconds for it.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_ends_waits_for_no_lock_as_long_as_he_would_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["base", "other", "third"] {
        skill(folder, name, "");
    }
    let catalog = catalog(folder);
    let (persistence, _) = begun(&catalog, store(folder)).await;
    let lock = store(folder).file().with_extension("json.lock");
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let held = std::fs::File::create(&lock).unwrap();
    held.lock().unwrap();
    for name in ["base", "other", "third"] {
        assert!(!promised(&catalog, "load_skill", name).await);
    }
    let began = std::time::Instant::now();
    persistence.close().await;
    assert!(began.elapsed().as_secs() < 4, "{:?}", began.elapsed());
    assert!(kept(folder).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_deleted_or_damaged_meanwhile_costs_nothing_that_is_loaded() {
    for damage in [None, Some("{ cut")] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for name in ["z", "a", "later"] {
            skill(folder, name, "");
        }
        let catalog = catalog(folder);
        let (persistence, _) = begun(&catalog, store(folder)).await;
        for name in ["z", "a"] {
            while !promised(&catalog, "load_skill", name).await {
                catalog.unload_skill(name).unwrap();
            }
        }
        let file = store(folder).file().to_owned();
        match damage {
            Some(text) => std::fs::write(&file, text).unwrap(),
            None => std::fs::remove_dir_all(file.parent().unwrap()).unwrap(),
        }
        catalog.load_skill("later").await.unwrap();
        persistence.close().await;
        assert_eq!(kept(folder), ["z", "a", "later"], "in their order");
    }
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_saved_is_saved_when_there_is_room_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    skill(folder, "base", "");
    let catalog = catalog(folder);
    let full = Arc::new(AtomicBool::new(true));
    let is_full = Arc::clone(&full);
    let disk = store(folder).with_probe(Arc::new(move |_| {
        let error = std::io::ErrorKind::StorageFull.into();
        if is_full.load(Ordering::SeqCst) {
            Err(error)
        } else {
            Ok(())
        }
    }));
    let (_persistence, _) = begun(&catalog, disk).await;
    assert!(!promised(&catalog, "load_skill", "base").await);
    full.store(false, Ordering::SeqCst);
    // Nothing else changes; it waits on a clock that runs when nobody works.
    tokio::time::sleep(std::time::Duration::from_secs(30)).await;
    assert_eq!(kept(folder), ["base"]);
}
