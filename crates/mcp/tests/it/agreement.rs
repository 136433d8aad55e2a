//! Whatever is done to the skills on disk, every surface says the same of them, and it is what lies there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt as _;
use metier_catalog::SkillTools;
use metier_mcp::NoticeStream;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bench::{Bench, Client};
use crate::skill_folder::{digest, write};

const SKILLS: [&str; 4] = ["bake", "one", "two", "new"];
const PATHS: [&str; 5] = ["a.md", "deep/b c.txt", "deep/more/é.bin", ".hidden", "nul"];

/// Something that a person does in the folders.
#[derive(Clone, Debug)]
enum Edit {
    Write {
        skill: usize,
        path: usize,
        bytes: Vec<u8>,
    },
    Remove {
        skill: usize,
        path: usize,
    },
    Describe {
        skill: usize,
        words: String,
        user: bool,
        implicit: bool,
    },
    Break {
        skill: usize,
    },
    Delete {
        skill: usize,
    },
}

fn edit() -> impl Strategy<Value = Edit> {
    let skill = 0..SKILLS.len();
    let path = 0..PATHS.len();
    prop_oneof![
        4 => (skill.clone(), path.clone(), proptest::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(skill, path, bytes)| Edit::Write { skill, path, bytes }),
        2 => (skill.clone(), path).prop_map(|(skill, path)| Edit::Remove { skill, path }),
        3 => (skill.clone(), "[a-z ]{1,20}", any::<bool>(), any::<bool>()).prop_map(
            |(skill, words, user, implicit)| Edit::Describe { skill, words, user, implicit }
        ),
        1 => skill.clone().prop_map(|skill| Edit::Break { skill }),
        1 => skill.prop_map(|skill| Edit::Delete { skill }),
    ]
}

/// A skill as its files say.
#[derive(Clone, Debug, Default, PartialEq)]
struct Expected {
    description: String,
    user: bool,
    implicit: bool,
    files: BTreeMap<String, Vec<u8>>,
}

/// What lies in the folders: the skills whose `SKILL.md` can be read.
#[derive(Clone, Debug, Default, PartialEq)]
struct Model(BTreeMap<&'static str, Expected>);

/// Does the edit; whether the folders have to be looked at anew before it can be known.
fn apply(edit: &Edit, root: &Path) -> bool {
    match edit {
        Edit::Write { skill, path, bytes } => {
            let folder = root.join(SKILLS[*skill]);
            if folder.exists() {
                write(&folder, PATHS[*path], bytes);
            }
            false
        }
        Edit::Remove { skill, path } => {
            let _ = fs::remove_file(root.join(SKILLS[*skill]).join(PATHS[*path]));
            false
        }
        Edit::Describe {
            skill,
            words,
            user,
            implicit,
        } => {
            let name = SKILLS[*skill];
            let is_new = !root.join(name).exists();
            let text = format!(
                "---\nname: {name}\ndescription: \"x{words}\"\nuser-invocable: {user}\nmetadata:\n  dcc-mcp:\n    allow-implicit-invocation: {implicit}\n---\nThe body of {words}.\n"
            );
            write(root, &format!("{name}/SKILL.md"), text);
            is_new
        }
        Edit::Break { skill } => {
            let path = root.join(SKILLS[*skill]).join("SKILL.md");
            if path.exists() {
                fs::write(path, "---\nname: [\n---\n").unwrap();
            }
            false
        }
        Edit::Delete { skill } => {
            let _ = fs::remove_dir_all(root.join(SKILLS[*skill]));
            true
        }
    }
}

fn model(root: &Path) -> Model {
    let mut model = Model::default();
    for name in SKILLS {
        let Ok(text) = fs::read_to_string(root.join(name).join("SKILL.md")) else {
            continue;
        };
        let Some((_, rest)) = text.split_once("description: ") else {
            continue;
        };
        let line = rest.lines().next().unwrap_or_default();
        let mut skill = Expected {
            description: line.trim_matches('"').trim().to_owned(),
            user: !text.contains("user-invocable: false"),
            implicit: !text.contains("invocation: false"),
            files: BTreeMap::new(),
        };
        files_below(&root.join(name), "", &mut skill.files);
        model.0.insert(name, skill);
    }
    model
}

fn files_below(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            files_below(&path, &format!("{prefix}{name}/"), found);
        } else {
            found.insert(format!("{prefix}{name}"), fs::read(&path).unwrap());
        }
    }
}

fn bytes_of(content: &Value) -> Vec<u8> {
    match (&content["text"], &content["blob"]) {
        (Value::String(text), _) => text.clone().into_bytes(),
        (_, Value::String(blob)) => STANDARD.decode(blob).unwrap(),
        _ => panic!("neither text nor blob: {content}"),
    }
}

/// All surfaces of one server.
struct Surfaces<'b> {
    bench: &'b Bench,
    client: &'b Client<'b>,
}

impl Surfaces<'_> {
    async fn ask(&self, method: &str, params: Value) -> Value {
        let heard = self.client.request(method, params).await;
        heard.answer["result"].clone()
    }

    async fn read(&self, uri: &str) -> Value {
        let answer = self.ask("resources/read", json!({"uri": uri})).await;
        answer["contents"][0].clone()
    }

    async fn agree_with(&self, model: &Model) {
        let listed: Vec<_> = model.0.iter().filter(|(_, skill)| skill.implicit).collect();
        let list = self.ask("skills/list", json!({})).await;
        let names = |entries: &Value, member: &str| -> Vec<String> {
            let entries = entries.as_array().unwrap().iter();
            entries
                .map(|entry| entry[member].as_str().unwrap().to_owned())
                .collect()
        };
        let uris: Vec<_> = listed
            .iter()
            .map(|(name, _)| format!("skill://{name}/SKILL.md"))
            .collect();
        assert_eq!(names(&list["skills"], "uri"), uris);
        let resources = self.ask("resources/list", json!({})).await;
        assert_eq!(names(&resources["resources"], "uri"), uris);
        let modern = self.bench.modern("skills/list", json!({})).await;
        assert_eq!(modern.answer["result"]["skills"], list["skills"]);
        let index: Value = self.read("skill://index.json").await;
        let index: Value = serde_json::from_str(index["text"].as_str().unwrap()).unwrap();
        assert_eq!(names(&index["skills"], "url"), uris);
        let installers = self.bench.server.agent_skills("index.json").await.unwrap();
        let installers: Value = serde_json::from_slice(&installers.bytes).unwrap();

        let prompts = self.ask("prompts/list", json!({})).await;
        let invocable: Vec<_> = model.0.iter().filter(|(_, skill)| skill.user).collect();
        let expected: Vec<_> = invocable
            .iter()
            .map(|(name, _)| (**name).to_owned())
            .collect();
        assert_eq!(names(&prompts["prompts"], "name"), expected);

        for (name, skill) in &model.0 {
            let uri = format!("skill://{name}/SKILL.md");
            let got = self.ask("skills/get", json!({"uri": uri})).await["skill"].clone();
            assert_eq!(got["frontmatter"]["name"], **name);
            let described = got["frontmatter"]["description"].as_str().unwrap();
            assert_eq!(described.trim(), skill.description);
            self.files_agree(name, skill, &got).await;
            if !skill.implicit {
                continue;
            }
            let of = |entries: &Value, key: &str, wanted: &str| -> Value {
                let entries = entries.as_array().unwrap().iter();
                let mut entries = entries.filter(|entry| entry[key] == wanted);
                entries.next().cloned().unwrap_or_default()
            };
            assert_eq!(of(&list["skills"], "uri", &uri), got);
            let file = digest(&skill.files["SKILL.md"]);
            let resource = of(&resources["resources"], "uri", &uri);
            assert_eq!(
                resource["_meta"]["io.modelcontextprotocol.skills/digest"],
                file
            );
            assert_eq!(resource["size"], skill.files["SKILL.md"].len());
            for (entries, described) in [
                (&index["skills"], &resource["description"]),
                (&installers["skills"], &resource["description"]),
            ] {
                assert_eq!(of(entries, "name", name)["description"], *described);
            }
            assert_eq!(of(&installers["skills"], "name", name)["digest"], file);
        }
        for (name, skill) in invocable {
            let prompt = self.ask("prompts/get", json!({"name": name})).await;
            let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
            let file = String::from_utf8_lossy(&skill.files["SKILL.md"]);
            let body = file.rsplit("---\n").next().unwrap();
            assert!(text.contains(body.trim()), "{text}");
        }
        for name in SKILLS.iter().filter(|name| !model.0.contains_key(*name)) {
            let uri = format!("skill://{name}/SKILL.md");
            for method in ["skills/get", "resources/read"] {
                let heard = self.client.request(method, json!({"uri": uri})).await;
                assert_eq!(heard.code(), -32602, "{method} {uri}");
            }
            let path = format!("{name}/SKILL.md");
            assert!(self.bench.server.agent_skills(&path).await.is_none());
        }
    }

    async fn files_agree(&self, name: &str, skill: &Expected, entry: &Value) {
        let listed: BTreeMap<String, (String, u64)> = entry["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| {
                let text = |member: &str| file[member].as_str().unwrap().to_owned();
                (
                    text("uri"),
                    (text("digest"), file["size"].as_u64().unwrap()),
                )
            })
            .collect();
        assert_eq!(listed.len(), skill.files.len(), "{name}");
        let manifest = self.read(&format!("skill://{name}/_manifest")).await;
        let manifest: Value = serde_json::from_str(manifest["text"].as_str().unwrap()).unwrap();
        let manifest = manifest["files"].as_array().unwrap();
        assert_eq!(manifest.len(), skill.files.len(), "{name}");
        let mut walked = Vec::new();
        let mut folders = vec![format!("skill://{name}")];
        while let Some(folder) = folders.pop() {
            let read = self
                .ask("resources/directory/read", json!({"uri": folder}))
                .await;
            for child in read["resources"].as_array().unwrap() {
                let uri = child["uri"].as_str().unwrap().to_owned();
                if child["mimeType"] == "inode/directory" {
                    folders.push(uri);
                } else {
                    assert_eq!(
                        child["size"].as_u64(),
                        listed.get(&uri).map(|(_, size)| *size)
                    );
                    walked.push(uri);
                }
            }
        }
        walked.sort();
        assert_eq!(walked, listed.keys().cloned().collect::<Vec<_>>());
        for (path, bytes) in &skill.files {
            let uri = format!(
                "skill://{name}/{}",
                path.replace(' ', "%20").replace('é', "%C3%A9")
            );
            let wanted = (digest(bytes), bytes.len() as u64);
            assert_eq!(listed.get(&uri), Some(&wanted), "{uri}");
            let content = self.read(&uri).await;
            assert_eq!(bytes_of(&content), *bytes, "{uri}");
            assert_eq!(
                content["_meta"]["io.modelcontextprotocol.skills/digest"],
                wanted.0
            );
            let known = manifest.iter().find(|file| file["path"] == **path).unwrap();
            assert_eq!(
                (&known["hash"], &known["size"]),
                (&json!(wanted.0), &json!(wanted.1))
            );
            let below = uri.strip_prefix("skill://").unwrap();
            let file = self.bench.server.agent_skills(below).await.unwrap();
            assert_eq!(file.bytes, *bytes, "{below}");
            let arguments = json!({"skill_name": name, "path": path});
            let tool = self.client.call("read_skill_file", arguments).await;
            let answer = &tool.answer["result"];
            assert_eq!(
                answer["structuredContent"]["digest"], wanted.0,
                "{}",
                tool.raw
            );
            let item = &answer["content"][0];
            let item = if item["type"] == "resource" {
                &item["resource"]
            } else {
                item
            };
            assert_eq!(bytes_of(item), *bytes, "{uri}");
        }
    }
}

/// The notices of everything that has happened so far, those of the tools left out.
async fn heard(bench: &Bench, stream: &NoticeStream, round: usize) -> Vec<String> {
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

async fn whatever_is_done(edits: &[Edit]) {
    let bench = Bench::with_settings(|settings| settings.skill_tools = SkillTools::On);
    let client = bench.session().await;
    let surfaces = Surfaces {
        bench: &bench,
        client: &client,
    };
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let mut before = model(bench.root());
    surfaces.agree_with(&before).await;
    let _ = heard(&bench, &stream, 0).await;
    for (round, edit) in edits.iter().enumerate() {
        let prompts = surfaces.ask("prompts/list", json!({})).await;
        let folders_before = SKILLS.map(|name| bench.root().join(name).exists());
        if apply(edit, bench.root()) {
            bench.rediscover();
        }
        let now = model(bench.root());
        surfaces.agree_with(&now).await;
        let told = heard(&bench, &stream, round + 1).await;
        let times = |list: &str| {
            let method = format!("notifications/{list}/list_changed");
            told.iter().filter(|told| **told == method).count()
        };
        // A list also says which skills are left out.
        let folders = SKILLS.map(|name| bench.root().join(name).exists());
        let may = now != before || folders != folders_before;
        let resources = usize::from(now != before)..=usize::from(may);
        assert!(
            resources.contains(&times("resources")),
            "{edit:?}: {told:?}"
        );
        let same_prompts = prompts == surfaces.ask("prompts/list", json!({})).await;
        // A skill that is served no longer, or again, counts as a change of the prompts as well.
        let prompts = usize::from(!same_prompts)..=usize::from(may);
        assert!(prompts.contains(&times("prompts")), "{edit:?}: {told:?}");
        before = now;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_surface_says_what_lies_there(edits in proptest::collection::vec(edit(), 1..8)) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(whatever_is_done(&edits));
    }
}
