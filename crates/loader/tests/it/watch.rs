//! Watching: every test waits for what it expects, with a generous bound.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use metier_loader::{ScanDelta, SkillWatcher, WatchNotice, WatchSettings};

const BOUND: Duration = Duration::from_secs(20);

struct Bench {
    folder: tempfile::TempDir,
    watcher: SkillWatcher,
    notices: Receiver<WatchNotice>,
}

impl Bench {
    fn new(before: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        before(folder.path());
        let watcher = SkillWatcher::new(Duration::from_millis(50)).unwrap();
        watcher.watch(folder.path().join("root"));
        let notices = watcher.notices();
        Self {
            folder,
            watcher,
            notices,
        }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("root")
    }

    /// Waits until a change leads to the state that is asked for.
    fn until(&self, what: &str, wanted: impl Fn(&ScanDelta) -> bool) -> Arc<ScanDelta> {
        let end = Instant::now() + BOUND;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.notices.recv_timeout(left) {
                Ok(WatchNotice::Changed(delta)) if wanted(&delta) => return delta,
                Ok(_) => {}
                Err(error) => panic!("{what}: {error}, have {:?}", self.descriptions()),
            }
        }
    }

    fn until_described(&self, descriptions: &[&str]) {
        self.until(&format!("{descriptions:?}"), |delta| {
            let mut found: Vec<_> = delta
                .report
                .skills
                .iter()
                .map(|skill| skill.metadata.description.as_str())
                .collect();
            found.sort_unstable();
            found == descriptions
        });
    }

    fn descriptions(&self) -> Vec<String> {
        self.watcher
            .skills()
            .iter()
            .map(|skill| skill.metadata.description.clone())
            .collect()
    }
}

fn skill(folder: &Path, description: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("SKILL.md"), text(folder, description)).unwrap();
}

fn text(folder: &Path, description: &str) -> String {
    let name = folder.file_name().unwrap().to_str().unwrap();
    format!("---\nname: {name}\ndescription: {description}\n---\n")
}

#[test]
fn saves_by_rename_are_each_seen() {
    let bench = Bench::new(|base| skill(&base.join("root/a"), "0"));
    for number in ["1", "2", "3"] {
        let folder = bench.root().join("a");
        fs::write(folder.join(".SKILL.md.new"), text(&folder, number)).unwrap();
        fs::rename(folder.join(".SKILL.md.new"), folder.join("SKILL.md")).unwrap();
        bench.until_described(&[number]);
    }
    // The first reload was the one of `watch` itself.
    assert_eq!(bench.watcher.reloads(), 4);
}

#[test]
fn folders_go_return_and_are_moved_in() {
    let bench = Bench::new(|base| {
        skill(&base.join("root/pack"), "pack");
        skill(&base.join("aside/moved"), "moved");
    });
    fs::remove_dir_all(bench.root().join("pack")).unwrap();
    bench.until_described(&[]);
    skill(&bench.root().join("pack"), "back");
    bench.until_described(&["back"]);
    fs::rename(
        bench.folder.path().join("aside/moved"),
        bench.root().join("moved"),
    )
    .unwrap();
    bench.until_described(&["back", "moved"]);
    skill(&bench.root().join("deep/er/nested"), "nested");
    bench.until_described(&["back", "moved", "nested"]);
    skill(&bench.root().join("deep/er/nested"), "edited");
    bench.until_described(&["back", "edited", "moved"]);
}

#[test]
fn a_root_is_made_anew() {
    let bench = Bench::new(|base| skill(&base.join("root/old"), "old"));
    fs::rename(bench.root(), bench.folder.path().join("away")).unwrap();
    bench.until_described(&[]);
    assert!(bench.watcher.watched_paths().is_empty());
    skill(&bench.root().join("new"), "new");
    bench.until_described(&["new"]);
    assert_eq!(bench.watcher.watched_paths(), [bench.root()]);
    skill(&bench.root().join("new"), "edited");
    bench.until_described(&["edited"]);
    assert!(bench.watcher.unwatch(bench.root()));
    assert!(!bench.watcher.unwatch(bench.root()));
    assert_eq!(bench.watcher.skill_count(), 0);
}

#[test]
fn side_files_count() {
    let bench = Bench::new(|base| {
        let live = base.join("root/live");
        fs::create_dir_all(live.join("scripts")).unwrap();
        fs::write(
            live.join("SKILL.md"),
            "---\nname: live\ndescription: d\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n",
        )
        .unwrap();
        fs::write(live.join("tools.yaml"), "tools: [a]\n").unwrap();
        fs::write(live.join("scripts/a.py"), "").unwrap();
    });
    let live = bench.root().join("live");
    fs::write(live.join("tools.yaml"), "tools: [a, b]\n").unwrap();
    bench.until("a second tool", |delta| {
        delta.report.skills[0].metadata.tools.len() == 2
    });
    fs::remove_file(live.join("scripts/a.py")).unwrap();
    bench.until("no script", |delta| {
        delta.report.skills[0].metadata.scripts.is_empty()
    });
    fs::create_dir(live.join("metadata")).unwrap();
    fs::write(live.join("metadata/depends.md"), "- base\n").unwrap();
    bench.until("a dependency", |delta| {
        delta.report.skills[0].metadata.depends == ["base"]
    });
}

#[test]
fn litter_is_told_to_nobody() {
    let bench = Bench::new(|base| skill(&base.join("root/a"), "a"));
    let a = bench.root().join("a");
    fs::create_dir_all(a.join("scripts/__pycache__")).unwrap();
    for litter in [
        ".SKILL.md.swp",
        "SKILL.md~",
        "4913",
        "scripts/__pycache__/x.pyc",
        "out.log",
    ] {
        fs::write(a.join(litter), "x").unwrap();
    }
    // A real change behind it: it is the first one that is told.
    skill(&bench.root().join("b"), "b");
    bench.until_described(&["a", "b"]);
    assert_eq!(bench.watcher.reloads(), 2);
}

#[cfg(unix)]
#[test]
fn links_are_followed_where_they_lead() {
    let bench = Bench::new(|base| {
        fs::create_dir(base.join("root")).unwrap();
        skill(&base.join("releases/v1"), "one");
        skill(&base.join("releases/v2"), "two");
        std::os::unix::fs::symlink(base.join("releases/v1"), base.join("root/current")).unwrap();
    });
    skill(&bench.folder.path().join("releases/v1"), "edited");
    bench.until_described(&["edited"]);
    fs::remove_file(bench.root().join("current")).unwrap();
    let target = bench.folder.path().join("releases/v2");
    std::os::unix::fs::symlink(target, bench.root().join("current")).unwrap();
    bench.until_described(&["two"]);
}

#[test]
fn beyond_the_budget_folders_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..8 {
        skill(&folder.path().join(format!("s{number}")), "before");
    }
    let settings = WatchSettings {
        debounce: Duration::from_millis(50),
        budget: 4,
        poll: Duration::from_millis(100),
    };
    let root = metier_loader::Root::new(metier_loader::RootLabel::Explicit, folder.path());
    let watcher =
        SkillWatcher::of_roots(vec![root], metier_loader::ParseMode::Lenient, settings).unwrap();
    let notices = watcher.notices();
    let Ok(WatchNotice::Limited(message)) = notices.recv_timeout(BOUND) else {
        panic!("no word on the limit");
    };
    assert!(message.contains("more than 4"), "{message}");
    assert!(watcher.watched_folders().is_empty());
    skill(&folder.path().join("s3"), "after");
    loop {
        match notices.recv_timeout(BOUND) {
            // Nobody knows where something has changed, so it may be anywhere.
            Ok(WatchNotice::Files(stirred)) => assert!(stirred.touches(folder.path())),
            Ok(WatchNotice::Changed(delta)) => {
                assert_eq!(delta.changed[0].metadata.description, "after");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    drop(watcher);
    let end = notices.iter().last();
    assert!(matches!(end, None | Some(WatchNotice::Files(_))), "{end:?}");
    assert!(matches!(
        notices.recv_timeout(BOUND),
        Err(RecvTimeoutError::Disconnected)
    ));
}

impl Bench {
    /// Waits until it is told that files of a folder may be others; no skill may have changed.
    fn until_stirred(&self, folder: &Path, other: &Path) {
        let end = Instant::now() + BOUND;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.notices.recv_timeout(left) {
                Ok(WatchNotice::Files(stirred)) if stirred.touches(folder) => {
                    assert!(!stirred.touches(other), "{stirred:?}");
                    return;
                }
                Ok(WatchNotice::Files(_)) => {}
                other => panic!("{}: {other:?}", folder.display()),
            }
        }
    }
}

/// Files for readers, at any depth, count as files that may be others and not as a change of skills.
#[test]
fn files_that_only_readers_see_are_told_by_their_folder() {
    let bench = Bench::new(|base| {
        skill(&base.join("root/one"), "one");
        skill(&base.join("root/two"), "two");
    });
    let [one, two] = ["one", "two"].map(|name| bench.root().join(name).canonicalize().unwrap());
    fs::create_dir_all(one.join("a/b/c")).unwrap();
    bench.until_stirred(&one, &two);
    let c = one.join("a/b/c");
    let is_watched = || bench.watcher.watched_folders().contains(&c);
    let end = Instant::now() + BOUND;
    while !is_watched() && Instant::now() < end {
        std::thread::yield_now();
    }
    assert!(is_watched());
    for text in ["1", "2"] {
        fs::write(one.join("a/b/c/x.md"), text).unwrap();
        bench.until_stirred(&one, &two);
    }
    // What no reader sees is in no folder that is watched.
    fs::create_dir_all(two.join(".git/objects")).unwrap();
    fs::create_dir_all(two.join("scripts/__pycache__")).unwrap();
    fs::write(two.join("x.md"), "").unwrap();
    bench.until_stirred(&two, &one);
    let hidden = |folder: &std::path::PathBuf| {
        folder.starts_with(two.join(".git")) || folder.ends_with("__pycache__")
    };
    assert!(!bench.watcher.watched_folders().iter().any(hidden));
    assert_eq!(bench.watcher.reloads(), 1);
}

/// The number of a folder that is made anew at once may be that of the removed one.
#[test]
fn a_folder_made_anew_at_once_is_still_watched() {
    let bench = Bench::new(|base| {
        skill(&base.join("root/one"), "one");
        skill(&base.join("root/two"), "two");
    });
    for (number, made_anew) in ["root/one", "root", "root/one"].into_iter().enumerate() {
        let folder = bench.folder.path().join(made_anew);
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        let one = bench.root().join("one");
        for edit in ["made", "edited", "again"] {
            let description = format!("{edit} {number}");
            skill(&one, &description);
            bench.until(&description, |delta| {
                let mut skills = delta.report.skills.iter();
                skills.any(|skill| skill.metadata.description == description)
            });
        }
    }
}

/// The system stops watching what is renamed, also when it comes back at once.
#[test]
fn a_folder_moved_away_and_back_at_once_is_still_watched() {
    let bench = Bench::new(|base| skill(&base.join("root/one"), "one"));
    for (number, moved) in ["root/one", "root"].into_iter().enumerate() {
        let folder = bench.folder.path().join(moved);
        let away = bench.folder.path().join("away");
        fs::rename(&folder, &away).unwrap();
        fs::rename(&away, &folder).unwrap();
        for edit in ["edited", "again"] {
            let description = format!("{edit} {number}");
            skill(&bench.root().join("one"), &description);
            bench.until_described(&[&description]);
        }
    }
}

/// One arrangement of links, and the folder behind them that goes and is made anew.
#[cfg(unix)]
struct Linked {
    what: &'static str,
    /// Link and what it leads to, below the test's folder; relative targets are taken as they are.
    links: &'static [(&'static str, &'static str)],
    /// Where the skill really lies.
    skill: &'static str,
    /// What is taken away, and comes back.
    gone: &'static str,
}

#[cfg(unix)]
const LINKED: &[Linked] = &[
    Linked {
        what: "a link to a skill folder",
        links: &[("root/current", "/far/a")],
        skill: "far/a",
        gone: "far/a",
    },
    Linked {
        what: "a link to a folder of skills",
        links: &[("root/pack", "/far/skills")],
        skill: "far/skills/a",
        gone: "far/skills",
    },
    Linked {
        what: "the root is a link",
        links: &[("root", "/far/skills")],
        skill: "far/skills/a",
        gone: "far/skills",
    },
    Linked {
        what: "what holds the target",
        links: &[("root/current", "/far/deep/er/a")],
        skill: "far/deep/er/a",
        gone: "far/deep",
    },
    Linked {
        what: "what holds the target of the root",
        links: &[("root", "/far/deep/er/skills")],
        skill: "far/deep/er/skills/a",
        gone: "far/deep",
    },
    Linked {
        what: "the end of a chain of links, one of them relative",
        links: &[
            ("root/current", "/one/link"),
            ("one/link", "../two/link"),
            ("two/link", "/far/a"),
        ],
        skill: "far/a",
        gone: "far/a",
    },
    Linked {
        what: "a link in the middle of a chain",
        links: &[("root/current", "/one/link"), ("one/link", "/far/a")],
        skill: "far/a",
        gone: "one",
    },
    Linked {
        what: "a link on the way to a target",
        links: &[("root/current", "/one/link/deep/a"), ("one/link", "/far")],
        skill: "far/deep/a",
        gone: "one/link",
    },
];

#[cfg(unix)]
fn link(base: &Path, link: &str, target: &str) {
    let target = match target.strip_prefix('/') {
        Some(below) => base.join(below),
        None => target.into(),
    };
    let link = base.join(link);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, link).unwrap();
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_goes_and_is_made_anew() {
    for case in LINKED {
        for is_renamed in [false, true] {
            let bench = Bench::new(|base| {
                if !case.links.iter().any(|(link, _)| *link == "root") {
                    fs::create_dir(base.join("root")).unwrap();
                }
                skill(&base.join(case.skill), "first");
                for (name, target) in case.links {
                    link(base, name, target);
                }
            });
            let base = bench.folder.path();
            assert_eq!(bench.descriptions(), ["first"], "{}", case.what);
            let gone = base.join(case.gone);
            for description in ["second", "third"] {
                if is_renamed {
                    let away = base.join(format!("before-{description}"));
                    fs::rename(&gone, away).unwrap();
                } else if gone.is_symlink() {
                    fs::remove_file(&gone).unwrap();
                } else {
                    fs::remove_dir_all(&gone).unwrap();
                }
                bench.until_described(&[]);
                skill(&base.join(case.skill), description);
                for (name, target) in case.links {
                    if !base.join(name).is_symlink() {
                        link(base, name, target);
                    }
                }
                bench.until(case.what, |delta| {
                    let skills = &delta.report.skills;
                    skills.len() == 1 && skills[0].metadata.description == description
                });
                // What was made anew is watched as well.
                skill(&base.join(case.skill), "edited");
                bench.until_described(&["edited"]);
            }
        }
    }
}

/// Whatever stands on the way, and in whatever folder, may lead elsewhere from now on.
#[cfg(unix)]
#[test]
fn any_link_on_the_way_may_be_pointed_elsewhere() {
    for moved in ["root/current", "one/link", "two"] {
        let bench = Bench::new(|base| {
            skill(&base.join("far/v1"), "v1");
            skill(&base.join("far/v2"), "v2");
            fs::create_dir(base.join("other")).unwrap();
            link(base, "other/link", "/far/v2");
            link(base, "three/link", "/far/v1");
            link(base, "two", "/three");
            link(base, "one/link", "../two/link");
            link(base, "root/current", "/one/link");
        });
        let base = bench.folder.path();
        assert_eq!(bench.descriptions(), ["v1"], "{moved}");
        for (target, description) in [("v2", "v2"), ("v1", "v1"), ("v2", "v2")] {
            let target = match (moved, target) {
                ("two", "v2") => "/other".to_owned(),
                ("two", _) => "/three".to_owned(),
                (_, target) => format!("/far/{target}"),
            };
            link(base, "aside/new", &target);
            fs::rename(base.join("aside/new"), base.join(moved)).unwrap();
            bench.until(moved, |delta| {
                delta.report.skills.len() == 1
                    && delta.report.skills[0].metadata.description == description
            });
        }
    }
}

/// A folder on the way is watched for what lies on the way alone.
#[cfg(unix)]
#[test]
fn what_lies_beside_the_way_is_told_to_nobody() {
    let bench = Bench::new(|base| {
        skill(&base.join("far/a"), "a");
        link(base, "root/current", "/far/a");
    });
    let base = bench.folder.path();
    fs::write(base.join("far/beside"), "x").unwrap();
    fs::write(base.join("beside"), "x").unwrap();
    skill(&base.join("far/a"), "b");
    let mut stirred = Vec::new();
    while stirred.is_empty() {
        match bench.notices.recv_timeout(BOUND) {
            Ok(WatchNotice::Files(files)) => stirred.push(files),
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let base = base.canonicalize().unwrap();
    assert!(stirred[0].touches(&base.join("far/a")));
    assert!(!stirred[0].touches(&base.join("far/beside")), "{stirred:?}");
    assert!(!stirred[0].touches(&base.join("beside")), "{stirred:?}");
}
