//! Following the folders: every test waits for a generation that shows what it expects.

use std::fs;
use std::path::Path;
use std::time::Duration;

use metier::WatchSettings;
use metier::catalog::{CatalogEvent, CatalogSnapshot, SearchRequest};
use serde_json::json;
use tokio::sync::broadcast::Receiver;

use super::bench::Case;

struct Followed {
    case: Case,
    events: Receiver<CatalogEvent>,
}

impl Followed {
    fn new(case: Case) -> Self {
        Self::with(case, WatchSettings::default())
    }

    fn with(case: Case, mut settings: WatchSettings) -> Self {
        let catalog = &case.lenient.catalog;
        catalog.discover(&[case.path().join("root")], None);
        settings.debounce = Duration::from_millis(50);
        catalog.watch(settings).unwrap();
        let events = catalog.subscribe();
        Self { case, events }
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.case.path().join("root").join(path)
    }

    async fn until(&mut self, what: &str, wanted: impl Fn(&CatalogSnapshot) -> bool) {
        let catalog = self.case.lenient.catalog.clone();
        let reached = async {
            while !wanted(&catalog.snapshot()) {
                self.events.recv().await.unwrap();
            }
        };
        let bound = Duration::from_secs(20);
        let reached = tokio::time::timeout(bound, reached).await;
        assert!(
            reached.is_ok(),
            "{what}: {:?}",
            self.case.lenient.statuses()
        );
    }

    async fn until_statuses(&mut self, wanted: &[&str]) {
        let catalog = self.case.lenient.catalog.clone();
        self.until(&format!("{wanted:?}"), |_| {
            let found = catalog.list_skills(None);
            let found = found
                .iter()
                .map(|skill| format!("{} {}", skill.name, skill.status));
            found.eq(wanted.iter().map(|line| (*line).to_owned()))
        })
        .await;
    }

    async fn until_described(&mut self, name: &str, description: &str) {
        let catalog = self.case.lenient.catalog.clone();
        self.until(description, |_| {
            let info = catalog.get_skill_info(name);
            info.is_some_and(|info| info.summary.description == description)
        })
        .await;
    }

    fn generation(&self) -> u64 {
        self.case.lenient.catalog.snapshot().generation()
    }

    /// How often clients were told that the list of tools has changed.
    fn told(&mut self) -> usize {
        let mut told = 0;
        while let Ok(event) = self.events.try_recv() {
            told += usize::from(event.tools_changed);
        }
        told
    }
}

fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn case_079_save_by_rename() {
    let case = Case::empty();
    case.skill("root/live", "");
    let mut followed = Followed::new(case);
    let before = followed.generation();
    for (number, description) in (1..).zip(["one", "two", "three"]) {
        let fresh = followed.at("live/.SKILL.md.new");
        fs::write(&fresh, text("live", description)).unwrap();
        fs::rename(fresh, followed.at("live/SKILL.md")).unwrap();
        followed.until_described("live", description).await;
        assert_eq!(
            followed.generation(),
            before + number,
            "one reload for one save"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_080_removed_folder() {
    let case = Case::empty();
    case.skill_with_tools("root/my_pack", "tools: [go]\n");
    case.write(
        "root/my_pack/SKILL.md",
        "---\nname: code-review\ndescription: D.\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
    );
    case.skill("root/other", "");
    let mut followed = Followed::new(case);
    followed.case.lenient.load("code-review").await.unwrap();
    followed.told();
    let aside = followed.case.path().join("aside");
    fs::rename(followed.at("my_pack"), &aside).unwrap();
    followed.until_statuses(&["other unloaded"]).await;
    assert_eq!(followed.told(), 0, "the one change was waited for");
    let found = followed
        .case
        .lenient
        .catalog
        .search_skills(SearchRequest::new("code-review"));
    assert!(
        found
            .await
            .unwrap()
            .hits
            .iter()
            .all(|hit| hit.skill.name != "code-review")
    );
    assert!(followed.case.lenient.listed().is_empty());
    fs::rename(&aside, followed.at("my_pack")).unwrap();
    followed
        .until_statuses(&["code-review loaded", "other unloaded"])
        .await;
    assert_eq!(followed.case.lenient.listed(), ["code_review__go"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_081_root_recreated() {
    let case = Case::empty();
    case.skill("root/old", "");
    let mut followed = Followed::new(case);
    fs::rename(followed.at(""), followed.case.path().join("away")).unwrap();
    followed.until_statuses(&[]).await;
    followed.case.skill("root/fresh", "");
    followed.until_statuses(&["fresh unloaded"]).await;
    followed
        .case
        .write("root/fresh/SKILL.md", text("fresh", "Edited later."));
    followed.until_described("fresh", "Edited later.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_082_moved_in_folder() {
    let case = Case::empty();
    fs::create_dir(case.path().join("root")).unwrap();
    case.skill("outside/moved", "");
    let mut followed = Followed::new(case);
    fs::rename(
        followed.case.path().join("outside/moved"),
        followed.at("moved"),
    )
    .unwrap();
    followed.until_statuses(&["moved unloaded"]).await;
    followed.case.skill("root/one/go/nested", "");
    followed
        .until_statuses(&["moved unloaded", "nested unloaded"])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_083_side_files_count() {
    let case = Case::empty();
    case.skill("root/live", "tools: tools.yaml");
    case.write(
        "root/live/tools.yaml",
        "tools: [{name: a, source_file: scripts/a.py}]\n",
    );
    case.write("root/live/scripts/a.py", "print('{}')\n");
    case.write("root/live/scripts/b.py", "print('{}')\n");
    let mut followed = Followed::new(case);
    followed.case.lenient.load("live").await.unwrap();
    followed.told();
    followed.case.write(
        "root/live/tools.yaml",
        "tools:\n  - {name: a, source_file: scripts/a.py, input_schema: {type: object, required: [n]}}\n  - b\n",
    );
    followed
        .until("a second tool", |snapshot| {
            snapshot.tools().iter().any(|tool| tool.name == "live__b")
        })
        .await;
    assert_eq!(followed.case.lenient.listed(), ["live__a", "live__b"]);
    let refused = followed.case.lenient.call("live__a", json!({})).await;
    assert!(
        refused.is_error && refused.joined_text().contains('n'),
        "{refused:?}"
    );
    fs::remove_file(followed.at("live/scripts/a.py")).unwrap();
    let catalog = followed.case.lenient.catalog.clone();
    followed
        .until("no script", |_| {
            let info = catalog.get_skill_info("live").unwrap();
            info.metadata.unwrap().scripts == ["scripts/b.py"]
        })
        .await;
    let called = followed.case.lenient.call("live__a", json!({"n": 1})).await;
    assert!(
        called.is_error
            && called
                .joined_text()
                .contains("script not found: scripts/a.py"),
        "{called:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn case_084_broken_save_keeps_last_good() {
    let case = Case::empty();
    case.skill_with_tools("root/live", "tools: [go]\n");
    let mut followed = Followed::new(case);
    followed.case.lenient.load("live").await.unwrap();
    let good = fs::read(followed.at("live/SKILL.md")).unwrap();
    followed.told();
    followed
        .case
        .write("root/live/SKILL.md", "---\nname: [live\n---\n");
    let catalog = followed.case.lenient.catalog.clone();
    let broken = |_: &CatalogSnapshot| {
        let info = catalog.get_skill_info("live").unwrap();
        info.summary
            .diagnostics
            .iter()
            .any(|found| found.code.id == "MT162")
    };
    followed.until("a word on the file", broken).await;
    assert_eq!(followed.case.lenient.listed(), ["live__go"]);
    let called = followed
        .case
        .lenient
        .call("live__go", json!({"n": 1}))
        .await;
    assert!(!called.is_error, "{called:?}");
    fs::write(followed.at("live/SKILL.md"), good).unwrap();
    followed.until("mended", |snapshot| !broken(snapshot)).await;
    assert_eq!(followed.case.lenient.listed(), ["live__go"]);
    assert_eq!(followed.told(), 0, "the tools were there all the time");
}

#[tokio::test(flavor = "multi_thread")]
async fn case_085_editor_litter() {
    let case = Case::empty();
    case.skill_with_tools("root/live", "tools: [go]\n");
    let mut followed = Followed::new(case);
    let before = followed.generation();
    fs::create_dir(followed.at("live/scripts/__pycache__")).unwrap();
    for litter in [
        ".SKILL.md.swp",
        "SKILL.md~",
        "4913",
        ".DS_Store",
        "scripts/__pycache__/x.pyc",
        "scripts/out.log",
    ] {
        fs::write(followed.at("live").join(litter), "x").unwrap();
    }
    // A real change behind it is the next one that is told.
    followed.case.skill("root/later", "");
    followed
        .until_statuses(&["later unloaded", "live unloaded"])
        .await;
    assert_eq!(followed.generation(), before + 1);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn case_086_link_target_change() {
    let case = Case::empty();
    fs::create_dir(case.path().join("root")).unwrap();
    for version in ["v1", "v2"] {
        case.write(
            &format!("releases/{version}/SKILL.md"),
            text("tool", version),
        );
    }
    let point = |path: &Path, version: &str| {
        let target = path.join("releases").join(version);
        let link = path.join("root/current");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(target, link).unwrap();
    };
    point(case.path(), "v1");
    let mut followed = Followed::new(case);
    followed.until_described("tool", "v1").await;
    followed
        .case
        .write("releases/v1/SKILL.md", text("tool", "v1, edited"));
    followed.until_described("tool", "v1, edited").await;
    point(followed.case.path(), "v2");
    followed.until_described("tool", "v2").await;
    followed.case.lenient.catalog.rediscover();
    followed.until_described("tool", "v2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn case_148_watch_budget() {
    let case = Case::empty();
    for n in 0..20 {
        case.skill_with_tools(&format!("root/s{n:02}"), "tools: [go]\n");
    }
    let settings = WatchSettings {
        budget: 4,
        poll: Duration::from_millis(50),
        ..WatchSettings::default()
    };
    let mut followed = Followed::with(case, settings);
    let handles = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    for round in 0..5 {
        let description = format!("round {round}");
        followed
            .case
            .write("root/s07/SKILL.md", text("s07", &description));
        followed.until_described("s07", &description).await;
    }
    followed.case.lenient.load("s03").await.unwrap();
    let called = followed.case.lenient.call("s03__go", json!({})).await;
    assert!(!called.is_error, "scripts start all the same: {called:?}");
    // Other tests of this process open files as well, hence the room.
    assert!(handles() < 400, "{}", handles());
}
