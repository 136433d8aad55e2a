//! Following the folders: every test waits for a generation that shows what it expects.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metier_catalog::{CatalogEvent, CatalogSnapshot};
use metier_hooks::{HookDeny, HookEvent, LifecycleHooks};
use metier_loader::WatchSettings;
use serde_json::json;
use tokio::sync::broadcast::Receiver;

use crate::bench_folder::{Bench, ECHO, beyond_core};

struct Followed {
    bench: Bench,
    events: Receiver<CatalogEvent>,
}

impl Followed {
    fn new(bench: Bench) -> Self {
        bench.discover();
        let settings = WatchSettings {
            debounce: Duration::from_millis(50),
            ..WatchSettings::default()
        };
        bench.catalog.watch(settings).unwrap();
        let events = bench.catalog.subscribe();
        Self { bench, events }
    }

    async fn until(&mut self, wanted: impl Fn(&CatalogSnapshot) -> bool) {
        let reached = async {
            while !wanted(&self.bench.catalog.snapshot()) {
                self.events.recv().await.unwrap();
            }
        };
        let bound = Duration::from_secs(20);
        let reached = tokio::time::timeout(bound, reached).await;
        assert!(reached.is_ok(), "listed: {:?}", self.bench.beyond_core());
    }

    async fn until_listed(&mut self, names: &[&str]) {
        self.until(|snapshot| beyond_core(snapshot).iter().eq(names))
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loaded_skill_is_swapped_and_a_broken_save_keeps_it() {
    let bench = Bench::new();
    bench.skill_with_tools("live", "tools: [a]\n", ECHO);
    let mut followed = Followed::new(bench);
    followed.bench.catalog.load_skill("live").await.unwrap();
    followed.until_listed(&["live__a"]).await;

    followed.bench.file("live/tools.yaml", "tools: [a, b]\n");
    followed.until_listed(&["live__a", "live__b"]).await;
    let called = followed.bench.structured("live__b", json!({"x": 1})).await;
    assert_eq!(called["got"]["x"], 1);

    followed
        .bench
        .file("live/SKILL.md", "---\nname: [live\n---\n");
    followed
        .until(|snapshot| {
            let mut findings = snapshot.operator_findings().into_iter();
            findings.any(|(_, finding)| finding.code.id == "MT162")
        })
        .await;
    followed.until_listed(&["live__a", "live__b"]).await;
    let called = followed.bench.structured("live__a", json!({"x": 2})).await;
    assert_eq!(called["got"]["x"], 2);

    followed
        .bench
        .skill("live", &["tools: tools.yaml", "tags: [mended]"]);
    followed
        .until(|snapshot| snapshot.operator_findings().is_empty())
        .await;
    followed.until_listed(&["live__a", "live__b"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loaded_skill_goes_with_its_folder_and_returns_with_it() {
    let bench = Bench::new();
    bench.skill_with_tools("live", "tools: [a]\n", ECHO);
    bench.skill("other", &[]);
    let mut followed = Followed::new(bench);
    followed.bench.catalog.load_skill("live").await.unwrap();
    let aside = tempfile::tempdir().unwrap();
    let (here, there) = (
        followed.bench.path().join("live"),
        aside.path().join("live"),
    );
    fs::rename(&here, &there).unwrap();
    followed.until_listed(&["__skill__other"]).await;
    fs::rename(&there, &here).unwrap();
    followed.until_listed(&["live__a", "__skill__other"]).await;

    // A wish that was taken back is forgotten.
    fs::rename(&here, &there).unwrap();
    followed.until_listed(&["__skill__other"]).await;
    followed.bench.catalog.unload_skill("live").unwrap();
    fs::rename(&there, &here).unwrap();
    followed
        .until_listed(&["__skill__live", "__skill__other"])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_that_comes_back_is_asked_for() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let hooks = LifecycleHooks::new();
    let seen = Arc::clone(&asked);
    hooks.on(
        HookEvent::BeforeSkillLoad,
        move |context: &metier_hooks::HookContext| {
            let mut seen = seen.lock().unwrap();
            seen.push(context.skill_name().unwrap_or_default().to_owned());
            if seen.len() > 2 {
                return Err(HookDeny::new("not twice").into());
            }
            Ok(())
        },
    );
    let mut bench = Bench::new();
    bench.catalog = bench.catalog.clone().with_hooks(hooks);
    bench.skill_with_tools("live", "tools: [a]\n", ECHO);
    let mut followed = Followed::new(bench);
    followed.bench.catalog.load_skill("live").await.unwrap();
    let aside = tempfile::tempdir().unwrap();
    let (here, there) = (
        followed.bench.path().join("live"),
        aside.path().join("live"),
    );
    fs::rename(&here, &there).unwrap();
    followed.until_listed(&[]).await;
    fs::rename(&there, &here).unwrap();
    followed.until_listed(&["live__a"]).await;
    assert_eq!(*asked.lock().unwrap(), ["live", "live"]);

    fs::rename(&here, &there).unwrap();
    followed.until_listed(&[]).await;
    fs::rename(&there, &here).unwrap();
    let catalog = followed.bench.catalog.clone();
    let told = || {
        let info = catalog.get_skill_info("live")?;
        let mut found = info.summary.diagnostics.into_iter();
        found.find(|finding| finding.code.id == "MT508")
    };
    followed.until(|_| told().is_some()).await;
    let finding = told().unwrap();
    assert!(finding.message.contains("not twice"), "{finding}");
    assert!(!catalog.is_loaded("live"));
    assert_eq!(followed.bench.beyond_core(), ["__skill__live"]);
    assert_eq!(asked.lock().unwrap().len(), 3);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_call_under_way_ends_on_the_version_it_began_with() {
    const WAITS: &str = "import json, sys\nfiles = json.load(sys.stdin)\nopen(files['begun'], 'w').close()\nopen(files['go']).close()\nprint(json.dumps({'version': 1}))\n";
    let bench = Bench::new();
    bench.skill_with_tools("live", "tools: [a]\n", WAITS);
    let pipes = tempfile::tempdir().unwrap();
    let [begun, go] = ["begun", "go"].map(|name| pipes.path().join(name));
    let made = std::process::Command::new("mkfifo")
        .args([&begun, &go])
        .status();
    assert!(made.unwrap().success());
    let mut followed = Followed::new(bench);
    followed.bench.catalog.load_skill("live").await.unwrap();

    let edits = async {
        let first = begun.clone();
        // Reading ends when the script has opened its end and closed it.
        let started = tokio::task::spawn_blocking(move || fs::read(first));
        assert_eq!(started.await.unwrap().unwrap(), b"");
        let quick = "print('{\"version\": 2}')\n";
        followed.bench.file("live/scripts/run.py", quick);
        followed.bench.file("live/tools.yaml", "tools: [b]\n");
        let swapped = |snapshot: &CatalogSnapshot| beyond_core(snapshot) == ["live__b"];
        let reached = async {
            while !swapped(&followed.bench.catalog.snapshot()) {
                followed.events.recv().await.unwrap();
            }
        };
        let bound = Duration::from_secs(20);
        tokio::time::timeout(bound, reached).await.unwrap();
        let newer = followed.bench.structured("live__b", json!({})).await;
        tokio::task::spawn_blocking(move || fs::write(go, ""))
            .await
            .unwrap()
            .unwrap();
        newer
    };
    let arguments = json!({"begun": begun, "go": pipes.path().join("go")});
    let (older, newer) = tokio::join!(followed.bench.structured("live__a", arguments), edits);
    assert_eq!(
        (&older["version"], &newer["version"]),
        (&json!(1), &json!(2))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_script_is_a_generation_and_no_news_of_tools() {
    let bench = Bench::new();
    bench.skill_with_tools("live", "tools: [a]\n", ECHO);
    let mut followed = Followed::new(bench);
    followed.bench.catalog.load_skill("live").await.unwrap();
    let before = followed.bench.catalog.snapshot().generation();
    followed.bench.file("live/scripts/out.log", "no script");
    followed
        .bench
        .file("live/scripts/run.py", "print('{\"n\": 2}')\n");
    followed
        .until(|snapshot| snapshot.generation() > before)
        .await;
    let mut told = Vec::new();
    while let Ok(event) = followed.events.try_recv() {
        told.push((event.generation, event.tools_changed));
    }
    assert_eq!(followed.bench.catalog.snapshot().generation(), before + 1);
    assert!(
        told.iter().all(|(at, tools)| *at <= before || !tools),
        "{told:?}"
    );
    let called = followed.bench.structured("live__a", json!({})).await;
    assert_eq!(called["n"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dependency_heals_and_search_follows() {
    let bench = Bench::new();
    bench.skill("rig", &["depends: [base]"]);
    let mut followed = Followed::new(bench);
    assert!(followed.bench.catalog.load_skill("rig").await.is_err());
    followed.bench.skill("base", &["tags: [quaternion]"]);
    followed
        .until(|snapshot| {
            snapshot
                .tools()
                .iter()
                .any(|tool| tool.name == "__skill__base")
        })
        .await;
    followed.bench.catalog.load_skill("rig").await.unwrap();
    let found = |query: &str| metier_catalog::SearchRequest::new(query);
    let hits = followed
        .bench
        .catalog
        .search_skills(found("quaternion"))
        .await
        .unwrap()
        .hits;
    assert_eq!(hits[0].skill.name, "base");
    fs::remove_dir_all(followed.bench.path().join("rig")).unwrap();
    let catalog = followed.bench.catalog.clone();
    followed
        .until(|_| catalog.get_skill_info("rig").is_none())
        .await;
    let hits = followed
        .bench
        .catalog
        .search_skills(found("rig"))
        .await
        .unwrap()
        .hits;
    assert!(hits.iter().all(|hit| hit.skill.name != "rig"), "{hits:?}");
}

#[test]
fn a_discovery_that_finds_nothing_new_makes_no_generation() {
    let bench = Bench::new();
    bench.skill("a", &[]);
    bench.discover();
    let before = bench.catalog.snapshot().generation();
    bench.file("a/SKILL.md~", "x");
    bench.catalog.rediscover();
    assert_eq!(bench.catalog.snapshot().generation(), before);
    bench.skill("b", &[]);
    bench.catalog.rediscover();
    assert_eq!(bench.catalog.snapshot().generation(), before + 1);
}
