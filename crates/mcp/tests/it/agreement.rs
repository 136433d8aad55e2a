//! Whatever is done to the skills on disk, every surface says the same of them, and it is what lies there.

mod command;
mod edits;
mod model;
mod surfaces;

use std::path::PathBuf;
use std::time::Duration;

use futures_util::FutureExt as _;
use metier_catalog::SkillTools;
use metier_loader::WatchSettings;
use metier_mcp::NoticeStream;
use proptest::prelude::*;
use serde_json::Value;

use crate::bench::Bench;
use edits::{Edit, Placed, apply_all, placed, put};
use model::model;
use surfaces::{Seen, Surfaces};

/// The notices of everything that has happened so far, those of the tools left out.
pub(crate) async fn heard(bench: &Bench, stream: &NoticeStream, round: usize) -> Vec<String> {
    let mut heard = Vec::new();
    let mut note = |notice: &[u8]| -> bool {
        let notice: Value = serde_json::from_slice(notice).unwrap();
        let method = notice["method"].as_str().unwrap().to_owned();
        let is_of_tools = method.ends_with("tools/list_changed");
        if !is_of_tools {
            heard.push(method);
        }
        is_of_tools
    };
    // Changes are told in their order. The first notice of the tools may come of an edit; the second
    // one comes of a tool that was registered after all edits.
    for half in ["a", "b"] {
        bench.add_tool(&format!("barrier_{round}_{half}"));
        loop {
            let next = tokio::time::timeout(Duration::from_secs(20), stream.next());
            if note(&next.await.expect("a notice").unwrap()) {
                break;
            }
        }
    }
    while let Some(Some(notice)) = stream.next().now_or_never() {
        note(&notice);
    }
    heard
}

/// Three roots with skills of the same names, of which the first counts.
fn three_roots() -> (Bench, [tempfile::TempDir; 2], Vec<PathBuf>) {
    let bench = Bench::with_settings(|settings| settings.skill_tools = SkillTools::On);
    let further = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut roots = vec![bench.root().to_owned()];
    roots.extend(further.iter().map(|root| root.path().to_owned()));
    for root in roots.iter().skip(1) {
        let text = "---\nname: two\ndescription: xAnother two\n---\nThe body of it.\n";
        put(&root.join("two/SKILL.md"), text);
    }
    bench.catalog.discover(&roots, None);
    (bench, further, roots)
}

/// Each notice came exactly when what it is about has become something else, and of one edit once. Of several the later
/// ones may be found later.
fn told_exactly(edit: &[Placed], told: &[String], before: &Seen, now: &Seen) {
    for (list, before, now) in [
        ("resources", &before.resources, &now.resources),
        ("prompts", &before.prompts, &now.prompts),
    ] {
        let method = format!("notifications/{list}/list_changed");
        let times = told.iter().filter(|told| **told == method).count();
        let times = if edit.len() > 1 { times.min(1) } else { times };
        assert_eq!(times, usize::from(before != now), "{edit:?}: {told:?}");
    }
}

async fn whatever_is_done(edits: &[Vec<Placed>]) {
    let (bench, _further, roots) = three_roots();
    let client = bench.session().await;
    let surfaces = Surfaces {
        bench: &bench,
        client: &client,
    };
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let mut before = model(&roots);
    surfaces.agree_with(&before).await;
    let _ = heard(&bench, &stream, 0).await;
    for (round, edit) in edits.iter().enumerate() {
        let seen = surfaces.seen().await;
        if apply_all(edit, &roots) {
            bench.catalog.discover(&roots, None);
        }
        let now = model(&roots);
        surfaces.agree_with(&now).await;
        let told = heard(&bench, &stream, round + 1).await;
        let seen_now = surfaces.seen().await;
        told_exactly(edit, &told, &seen, &seen_now);
        // Whatever else clients see, they see what lies there.
        assert!(now == before || seen != seen_now, "{edit:?}");
        before = now;
    }
}

/// Waits until a change that no list shows has been found, which a watcher finds in its turn.
async fn until_watched(bench: &Bench, round: usize) {
    let mut events = bench.catalog.subscribe();
    for half in ["a", "b"] {
        // No skill, so that no list of a client is another one by it.
        let name = format!("sentinel-{round}-{half}");
        put(&bench.root().join(&name).join("tools.yaml"), "");
        let is_found = || {
            let snapshot = bench.catalog.snapshot();
            let mut findings = snapshot.root_findings();
            findings.any(|finding| finding.to_string().contains(&name))
        };
        let found = async {
            while !is_found() {
                events.recv().await.unwrap();
            }
        };
        let found = tokio::time::timeout(Duration::from_secs(30), found).await;
        assert!(found.is_ok(), "{name}");
    }
}

#[expect(
    clippy::field_reassign_with_default,
    reason = "the settings can grow, so nobody else builds them"
)]
fn quick(debounce: Duration) -> WatchSettings {
    let mut settings = WatchSettings::default();
    settings.debounce = debounce;
    settings
}

/// With the folders followed, whoever listens is told although nobody asks.
async fn whoever_listens(edits: &[Vec<Placed>]) {
    let (bench, _further, roots) = three_roots();
    let debounce = Duration::from_millis(30);
    bench.catalog.watch(quick(debounce)).unwrap();
    let client = bench.session().await;
    let surfaces = Surfaces {
        bench: &bench,
        client: &client,
    };
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    until_watched(&bench, 0).await;
    let mut seen = surfaces.seen().await;
    let _ = heard(&bench, &stream, 0).await;
    for (round, edit) in edits.iter().enumerate() {
        apply_all(edit, &roots);
        until_watched(&bench, round + 1).await;
        let told = heard(&bench, &stream, round + 1).await;
        let now = surfaces.seen().await;
        // What is done and undone may have been seen between.
        if edit.len() == 1 || seen != now {
            told_exactly(edit, &told, &seen, &now);
        }
        surfaces.agree_with(&model(&roots)).await;
        let late = heard(&bench, &stream, 1_000 + round).await;
        assert!(
            late.is_empty(),
            "{edit:?}: {late:?} only when somebody asked"
        );
        seen = now;
    }
}

fn described(skill: usize) -> Placed {
    let (words, user, implicit) = ("paj a c".to_owned(), false, false);
    let edit = Edit::Describe {
        skill,
        words,
        user,
        implicit,
    };
    Placed { root: 1, edit }
}

const fn crowded(skill: usize, with: usize) -> Placed {
    let edit = Edit::Crowd { skill, with };
    Placed { root: 1, edit }
}

/// A skill that is not served, at first for one reason and then for another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_reason_is_another_answer() {
    for edits in [
        vec![vec![described(3), crowded(3, 0)]],
        vec![vec![described(3)], vec![described(3), crowded(3, 0)]],
        vec![
            vec![described(3), crowded(3, 1)],
            vec![described(3), crowded(3, 0)],
        ],
        vec![
            vec![described(3), crowded(3, 0)],
            vec![crowded(3, 1)],
            vec![described(3), crowded(3, 0)],
        ],
    ] {
        eprintln!("{edits:?}");
        whatever_is_done(&edits).await;
    }
}

/// Mostly one edit after the other, sometimes several at once.
fn groups(most: usize) -> impl Strategy<Value = Vec<Vec<Placed>>> {
    let one = proptest::collection::vec(placed(), 1);
    let several = proptest::collection::vec(placed(), 2..6);
    let group = prop_oneof![3 => one, 1 => several];
    proptest::collection::vec(group, 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_surface_says_what_lies_there(edits in groups(8)) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(whatever_is_done(&edits));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn whoever_listens_is_told_without_asking(edits in groups(6)) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(whoever_listens(&edits));
    }
}
