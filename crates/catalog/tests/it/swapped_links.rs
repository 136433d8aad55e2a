//! A release that is swapped in by turning a link: nobody follows the folders here.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::json;

use crate::bench_folder::Bench;

/// Two releases of the skill `app`, and the link `now` to the first, or to the skill in it.
struct Releases {
    bench: Bench,
    root: PathBuf,
    link: PathBuf,
    below: &'static str,
}

impl Releases {
    /// The root is the link, the skill's folder is, or a folder on the way to it.
    fn all() -> [Self; 3] {
        ["current", "root/app", "root/group"].map(|link| {
            let bench = Bench::new();
            for release in ["rel1", "rel2"] {
                let text = format!("---\nname: app\ndescription: Of {release}.\n---\n");
                bench.file(&format!("{release}/app/SKILL.md"), &text);
                bench.file(&format!("{release}/app/f.txt"), release);
            }
            let link = bench.path().join(link);
            let is_root = link.ends_with("current");
            let root = link.clone();
            let root = if is_root {
                root
            } else {
                bench.path().join("root")
            };
            fs::create_dir_all(bench.path().join("root")).unwrap();
            let below = if link.ends_with("app") { "app" } else { "" };
            let releases = Self {
                bench,
                root,
                link,
                below,
            };
            releases.turn("rel1");
            releases
                .bench
                .catalog
                .discover(std::slice::from_ref(&releases.root), None);
            assert_eq!(releases.description().as_deref(), Some("Of rel1."));
            releases
        })
    }

    fn turn(&self, release: &str) {
        let next = self.bench.path().join(".next");
        symlink(self.bench.path().join(release).join(self.below), &next).unwrap();
        fs::rename(next, &self.link).unwrap();
    }

    /// As a list has it.
    fn description(&self) -> Option<String> {
        let state = self.bench.catalog.text_states(&["app"]).remove(0);
        state.map(|_| {
            let known = self.bench.catalog.get_skill_info("app").unwrap();
            known.summary.description
        })
    }

    async fn file(&self) -> String {
        let arguments = json!({"skill_name": "app", "path": "f.txt"});
        let answer = self.bench.output("read_skill_file", arguments).await;
        answer.content[0].as_text().unwrap().to_owned()
    }
}

#[tokio::test]
async fn the_next_question_after_a_link_was_turned_is_answered_from_where_it_leads_now() {
    for releases in Releases::all() {
        let link = releases.link.clone();
        assert_eq!(releases.file().await, "rel1", "{link:?}");
        releases.turn("rel2");
        assert_eq!(releases.file().await, "rel2", "{link:?}");
        fs::remove_dir_all(releases.bench.path().join("rel1")).unwrap();
        assert_eq!(
            releases.description().as_deref(),
            Some("Of rel2."),
            "{link:?}"
        );
        let listed = releases.bench.structured("list_skills", json!({})).await;
        assert_eq!(listed["skills"][0]["description"], "Of rel2.", "{link:?}");
    }
}

/// The old release goes first, and somebody asks in between.
#[test]
fn a_link_that_led_nowhere_for_a_moment_brings_the_skill_back() {
    for releases in Releases::all() {
        let link = releases.link.clone();
        fs::remove_dir_all(releases.bench.path().join("rel1")).unwrap();
        let _ = releases.description();
        releases.turn("rel2");
        assert_eq!(
            releases.description().as_deref(),
            Some("Of rel2."),
            "{link:?}"
        );
    }
}

/// `ln -sfn` in two steps.
#[test]
fn a_link_that_was_not_there_for_a_moment_brings_the_skill_back() {
    for releases in Releases::all() {
        let link = releases.link.clone();
        fs::remove_file(&link).unwrap();
        let _ = releases.description();
        releases.turn("rel2");
        assert_eq!(
            releases.description().as_deref(),
            Some("Of rel2."),
            "{link:?}"
        );
    }
}

/// A link that is taken away takes its skill with it.
#[test]
fn a_skill_whose_link_was_removed_is_gone() {
    for releases in Releases::all() {
        fs::remove_file(&releases.link).unwrap();
        let expected = releases.link == releases.root;
        assert_eq!(
            releases.description().is_some(),
            expected,
            "{:?}",
            releases.link
        );
    }
}

/// A release without a good skill takes the skill out; the next good one brings it back.
#[test]
fn a_bad_release_is_left_by_the_next_good_one() {
    for releases in Releases::all() {
        let link = releases.link.clone();
        releases
            .bench
            .file("bad/app/SKILL.md", "---\nname: [\n---\n");
        releases.turn("bad");
        assert_eq!(releases.description(), None, "{link:?}");
        releases.turn("rel2");
        assert_eq!(
            releases.description().as_deref(),
            Some("Of rel2."),
            "{link:?}"
        );
    }
}

/// Where no link was turned, no question reads the folders: a new skill beside the known one would be found.
#[test]
fn links_that_lead_where_they_led_cost_no_discovery() {
    for releases in Releases::all() {
        let link = releases.link.clone();
        let text = "---\nname: more\ndescription: x\n---\n";
        releases.bench.file("rel1/more/SKILL.md", text);
        releases.bench.file("root/more/SKILL.md", text);
        assert_eq!(
            releases.description().as_deref(),
            Some("Of rel1."),
            "{link:?}"
        );
        assert_eq!(releases.bench.catalog.len(), 1, "{link:?}");
    }
}
