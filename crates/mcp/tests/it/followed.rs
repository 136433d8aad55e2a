//! With the folders followed, whoever has a stream is told of each change without asking, once for
//! each list that shows something else.

use std::fs;
use std::path::Path;
use std::time::Duration;

use futures_util::FutureExt as _;
use metier_loader::WatchSettings;
use metier_mcp::{Exchange, Frame, NoticeStream};
use serde_json::{Value, json};

use crate::bench::{Bench, Client};
use crate::notices::listen;
use crate::skill_folder::digest;

const GOOD: &str = "---\nname: alpha\ndescription: The first.\n---\nBody.\n";
const BROKEN: &str = "---\nname: [\n---\nBody.\n";
const BOUND: Duration = Duration::from_secs(30);

/// A server that follows its folders, and both kinds of listeners.
struct Followed<'b> {
    bench: &'b Bench,
    client: Client<'b>,
    stream: NoticeStream,
    listener: Exchange,
    barriers: usize,
}

fn followed_bench() -> Bench {
    following(Bench::new(), Duration::from_millis(50))
}

fn following(bench: Bench, debounce: Duration) -> Bench {
    write(bench.root(), "alpha/SKILL.md", GOOD);
    write(bench.root(), "alpha/c.txt", "one");
    write(bench.root(), "alpha/references/x.md", "x");
    bench.rediscover();
    let settings = WatchSettings {
        debounce,
        ..WatchSettings::default()
    };
    bench.catalog.watch(settings).unwrap();
    bench
}

fn short(message: &Value) -> String {
    let method = message["method"].as_str().unwrap();
    let what = method.trim_start_matches("notifications/");
    what.trim_end_matches("/list_changed").to_owned()
}

impl<'b> Followed<'b> {
    async fn new(bench: &'b Bench) -> Self {
        let client = bench.session().await;
        let stream = bench.server.open_stream(Some(&client.id)).unwrap();
        // What was found before either of them listened is behind them.
        for name in ["before_a", "before_b"] {
            bench.add_tool(name);
            let heard = async {
                let is_of_tools =
                    |notice: &[u8]| short(&serde_json::from_slice(notice).unwrap()) == "tools";
                while !is_of_tools(&stream.next().await.unwrap()) {}
            };
            tokio::time::timeout(BOUND, heard).await.expect("a notice");
        }
        while stream.next().now_or_never().is_some() {}
        let all = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
        let mut listener = listen(bench, &all);
        let first = listener.next().await;
        assert!(matches!(first, Some(Frame::Message(_))), "acknowledged");
        let mut followed = Self {
            bench,
            client,
            stream,
            listener,
            barriers: 0,
        };
        followed.lists().await;
        followed.rest(Default::default()).await;
        followed
    }

    /// What every list says at present.
    async fn lists(&self) -> [Value; 3] {
        let ask = async |method: &str| {
            let mut answer = self.client.request(method, json!({})).await.answer;
            answer["result"].take()
        };
        let (prompts, resources) = (ask("prompts/list").await, ask("resources/list").await);
        [prompts, resources, ask("skills/list").await]
    }

    /// The next notice of each kind of listener.
    async fn next(&mut self) -> [String; 2] {
        let heard = async {
            let legacy: Value = serde_json::from_slice(&self.stream.next().await.unwrap()).unwrap();
            let modern = match self.listener.next().await {
                Some(Frame::Message(message)) => serde_json::from_slice(&message).unwrap(),
                other => panic!("{other:?}"),
            };
            [short(&legacy), short(&modern)]
        };
        tokio::time::timeout(BOUND, heard).await.expect("a notice")
    }

    /// Every notice that comes of what has been done so far. Notices come in the order of changes but
    /// for those that wait together, so that the second one of the tools comes behind all others.
    async fn rest(&mut self, [mut legacy, mut modern]: [Vec<String>; 2]) -> Vec<String> {
        let count = |heard: &[String]| heard.iter().filter(|it| *it == "tools").count();
        for _ in 0..2 {
            let before = count(&legacy);
            self.barriers += 1;
            self.bench.add_tool(&format!("barrier_{}", self.barriers));
            while count(&legacy) == before || count(&modern) == before {
                let [one, other] = self.next().await;
                legacy.push(one);
                modern.push(other);
            }
        }
        while let Some(Some(notice)) = self.stream.next().now_or_never() {
            legacy.push(short(&serde_json::from_slice(&notice).unwrap()));
        }
        while let Some(Some(Frame::Message(notice))) = self.listener.next().now_or_never() {
            modern.push(short(&serde_json::from_slice(&notice).unwrap()));
        }
        for heard in [&mut legacy, &mut modern] {
            heard.sort();
        }
        assert_eq!(legacy, modern, "both kinds of listeners hear the same");
        let barriers = legacy.iter().filter(|it| *it == "tools").take(2);
        assert_eq!(barriers.count(), 2);
        legacy.truncate(legacy.len() - 2);
        legacy
    }

    /// Does it, and waits for these notices; no others may come.
    async fn told(&mut self, what: &str, edit: impl FnOnce(&Path), lists: &[&str]) {
        edit(self.bench.root());
        let mut heard = [Vec::new(), Vec::new()];
        while heard[0].len() < lists.len() {
            let next = self.next().await;
            heard
                .iter_mut()
                .zip(next)
                .for_each(|(heard, next)| heard.push(next));
        }
        // A list that is asked for now has nothing new to say.
        self.lists().await;
        assert_eq!(self.rest(heard).await, lists, "{what}");
    }

    async fn until(&self, reached: impl Fn(&Bench) -> bool) {
        let mut events = self.bench.catalog.subscribe();
        let reached = async {
            while !reached(self.bench) {
                events.recv().await.unwrap();
            }
        };
        tokio::time::timeout(BOUND, reached)
            .await
            .expect("a change");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_and_a_mended_skill_are_told_once_each() {
    let bench = followed_bench();
    let mut followed = Followed::new(&bench).await;
    // Its stub goes and comes with its text.
    let all = ["prompts", "resources", "tools"];
    for _ in 0..2 {
        followed
            .told("broken", |root| write(root, "alpha/SKILL.md", BROKEN), &all)
            .await;
        let [prompts, resources, skills] = followed.lists().await;
        for list in [prompts, resources] {
            assert!(!list.to_string().contains("alpha"), "{list}");
        }
        let reason = skills["_meta"]["dcc"]["left_out"]["alpha"]
            .as_str()
            .unwrap();
        assert!(reason.contains("broken at present"), "{reason}");
        followed
            .told("mended", |root| write(root, "alpha/SKILL.md", GOOD), &all)
            .await;
    }
}

/// Saves a file in one step, as editors do: whoever follows the folder never sees half of it.
fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let aside = tempfile::NamedTempFile::new_in(root.parent().unwrap()).unwrap();
    fs::write(aside.path(), bytes).unwrap();
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    aside.persist(path).unwrap();
}

/// What is done to the folders.
type Edit = fn(&Path);

#[tokio::test(flavor = "multi_thread")]
async fn files_beside_are_followed_although_nobody_asks() {
    let bench = followed_bench();
    let mut followed = Followed::new(&bench).await;
    let generation = bench.catalog.snapshot().generation();
    let resources = ["resources"];
    let edits: [(&str, Edit); 6] = [
        ("alpha/c.txt", |root| write(root, "alpha/c.txt", "two!")),
        ("in a folder", |root| {
            write(root, "alpha/references/x.md", "xx");
        }),
        ("in a new folder", |root| {
            write(root, "aside.md", "new");
            fs::create_dir_all(root.join("alpha/deep/er")).unwrap();
            fs::rename(root.join("aside.md"), root.join("alpha/deep/er/new.md")).unwrap();
        }),
        ("in that one", |root| {
            write(root, "alpha/deep/er/new.md", "newer");
        }),
        ("a lock file is a file", |root| {
            write(root, "alpha/uv.lock", "1");
        }),
        ("gone", |root| {
            fs::remove_dir_all(root.join("alpha/deep")).unwrap();
        }),
    ];
    for (what, edit) in edits {
        followed.told(what, edit, &resources).await;
    }
    assert!(bench.catalog.snapshot().generation() > generation);
    let [_, _, skills] = followed.lists().await;
    assert!(skills.to_string().contains(&digest(b"two!")), "{skills}");
}

/// What an installer or `git` does: the words of one skill and the files of another one, at once.
#[tokio::test(flavor = "multi_thread")]
async fn one_burst_is_told_once_whatever_it_touches() {
    let bench = Bench::new();
    let beta = GOOD.replace("alpha", "beta");
    write(bench.root(), "beta/SKILL.md", &beta);
    // Long enough for both edits of a burst, also where the machine is busy.
    let bench = following(bench, Duration::from_millis(400));
    let mut followed = Followed::new(&bench).await;
    let aside = tempfile::tempdir_in(bench.root().parent().unwrap()).unwrap();
    for number in 0..520 {
        write(aside.path(), &format!("many/{number}"), "x");
    }
    let (out, inside) = (aside.path().join("many"), bench.root().join("alpha/many"));
    let words = |number: usize| beta.replace("The first.", &format!("Number {number}."));
    let all = ["prompts", "resources", "tools"];
    for round in 0..4 {
        let (from, to) = if round % 2 == 0 {
            (&out, &inside)
        } else {
            (&inside, &out)
        };
        let generation = bench.catalog.snapshot().generation();
        followed
            .told(
                "a limit and a description",
                |root| {
                    fs::rename(from, to).unwrap();
                    write(root, "beta/SKILL.md", words(round));
                },
                &all,
            )
            .await;
        assert!(bench.catalog.snapshot().generation() > generation);
        let _ = followed.lists().await;
        let resources = ["resources"];
        followed
            .told(
                "a file and a body",
                |root| {
                    write(root, "alpha/c.txt", format!("{round}"));
                    write(root, "beta/SKILL.md", words(round) + "More.\n");
                },
                &resources,
            )
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_is_crossed_is_told_both_ways() {
    let bench = followed_bench();
    let mut followed = Followed::new(&bench).await;
    let all = ["prompts", "resources", "tools"];
    let aside = tempfile::tempdir_in(bench.root().parent().unwrap()).unwrap();
    for number in 0..520 {
        write(aside.path(), &format!("many/{number}"), "x");
    }
    write(aside.path(), "large.bin", vec![b'x'; 16 << 20]);
    for name in ["many", "large.bin"] {
        let there = aside.path().join(name);
        followed
            .told(
                name,
                |root| fs::rename(&there, root.join("alpha").join(name)).unwrap(),
                &all,
            )
            .await;
        let [_, _, skills] = followed.lists().await;
        assert!(skills["_meta"]["dcc"]["left_out"]["alpha"].is_string());
        followed
            .told(
                name,
                |root| fs::rename(root.join("alpha").join(name), &there).unwrap(),
                &all,
            )
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_client_sees_is_told_to_nobody() {
    let bench = followed_bench();
    let mut followed = Followed::new(&bench).await;
    let before = followed.lists().await;
    let root = bench.root();
    // A folder of another name is the same skill under the same URI.
    fs::rename(root.join("alpha"), root.join("beta")).unwrap();
    followed
        .until(|bench| {
            let snapshot = bench.catalog.snapshot();
            let alpha = snapshot.shelf().get("alpha");
            alpha.is_some_and(|skill| skill.skill().path.ends_with("beta"))
        })
        .await;
    assert!(
        followed.rest(Default::default()).await.is_empty(),
        "renamed"
    );
    assert_eq!(followed.lists().await, before);
    // The same bytes again are the same file, also by its time.
    write(root, "beta/SKILL.md", GOOD);
    write(root, "beta/c.txt", "one");
    write(root, "beta/.hidden", "x");
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = fs::File::options()
        .write(true)
        .open(root.join("beta/SKILL.md"));
    file.unwrap().set_modified(old).unwrap();
    // A real change behind it: it is the first one that is told.
    followed
        .told(
            "a change",
            |root| write(root, "beta/c.txt", "two"),
            &["resources"],
        )
        .await;
    let now = followed.lists().await;
    assert_eq!((&now[0], &now[1]), (&before[0], &before[1]));
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_that_come_and_go_are_told_by_what_the_lists_show_of_them() {
    let bench = followed_bench();
    let mut followed = Followed::new(&bench).await;
    let skill = |more: &str| format!("---\nname: late\ndescription: x\n{more}---\n");
    let quiet = "metadata:\n  dcc-mcp:\n    allow-implicit-invocation: false\n";
    for (more, lists) in [
        ("", &["prompts", "resources", "tools"][..]),
        ("user-invocable: false\n", &["resources", "tools"]),
        // No list shows it, and nobody knows its URI.
        (quiet, &["prompts", "tools"]),
        // Whoever has asked for it by its URI finds it, or not.
        (quiet, &["prompts", "resources", "tools"]),
    ] {
        if more == quiet && lists.contains(&"resources") {
            let uri = json!({"uri": "skill://late/SKILL.md"});
            let asked = followed.client.request("skills/get", uri).await;
            assert_eq!(asked.code(), -32602);
        }
        let text = skill(more);
        followed
            .told(more, |root| write(root, "late/SKILL.md", &text), lists)
            .await;
        followed
            .told(
                more,
                |root| fs::remove_dir_all(root.join("late")).unwrap(),
                lists,
            )
            .await;
    }
}
