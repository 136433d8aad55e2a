//! Every surface of one server, asked after each edit.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::edits::SKILLS;
use super::model::{Expected, Model};
use crate::bench::{Bench, Client};
use crate::skill_folder::digest;

fn bytes_of(content: &Value) -> Vec<u8> {
    match (&content["text"], &content["blob"]) {
        (Value::String(text), _) => text.clone().into_bytes(),
        (_, Value::String(blob)) => STANDARD.decode(blob).unwrap(),
        _ => panic!("neither text nor blob: {content}"),
    }
}

/// What a client has seen, by the notice that says it is another one.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) resources: Vec<Value>,
    pub(crate) prompts: Vec<Value>,
}

/// Where each skill may be, as the first of its name or behind another one.
fn keys() -> impl Iterator<Item = String> {
    let labelled = ["explicit-2", "explicit-3"].map(|label| format!("{label}/"));
    let before = std::iter::once(String::new()).chain(labelled);
    before.flat_map(|before| SKILLS.map(|name| format!("{before}{name}")))
}

/// All surfaces of one server.
pub(crate) struct Surfaces<'b> {
    pub(crate) bench: &'b Bench,
    pub(crate) client: &'b Client<'b>,
}

impl Surfaces<'_> {
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        let heard = self.client.request(method, params).await;
        heard.answer["result"].clone()
    }

    /// The same, or why there is none: a client has seen that as well.
    async fn said(&self, method: &str, params: Value) -> Value {
        let heard = self.client.request(method, params).await;
        let members = ["result", "error"].map(|member| heard.answer[member].clone());
        Value::from(members.to_vec())
    }

    /// Everything that a notice may be about.
    pub(crate) async fn seen(&self) -> Seen {
        let mut seen = Seen::default();
        for list in ["resources/list", "skills/list"] {
            seen.resources.push(self.ask(list, json!({})).await);
        }
        seen.prompts.push(self.ask("prompts/list", json!({})).await);
        for key in keys() {
            let uri = format!("skill://{key}/SKILL.md");
            let got = self.said("skills/get", json!({"uri": uri})).await;
            seen.resources.push(got);
        }
        for name in SKILLS {
            for prompt in ["a", "b", "c"] {
                let name = format!("{name}__{prompt}");
                let got = self.said("prompts/get", json!({"name": name})).await;
                seen.prompts.push(got);
            }
        }
        seen
    }

    async fn read(&self, uri: &str) -> Value {
        let answer = self.ask("resources/read", json!({"uri": uri})).await;
        answer["contents"][0].clone()
    }

    pub(crate) async fn agree_with(&self, model: &Model) {
        let list = self.ask("skills/list", json!({})).await;
        let names = |entries: &Value, member: &str| -> Vec<String> {
            let entries = entries.as_array().unwrap().iter();
            entries
                .map(|entry| entry[member].as_str().unwrap().to_owned())
                .collect()
        };
        let uris: Vec<_> = model
            .listed()
            .map(|skill| format!("skill://{}/SKILL.md", skill.name))
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

        self.lists_agree(model, &list).await;
        let prompts = self.ask("prompts/list", json!({})).await;
        let invocable: Vec<_> = model.first().filter(|skill| skill.user).collect();
        let expected: Vec<_> = invocable
            .iter()
            .flat_map(|skill| {
                let name = skill.name;
                let further = skill
                    .prompt
                    .iter()
                    .map(move |prompt| format!("{name}__{prompt}"));
                std::iter::once(name.to_owned()).chain(further)
            })
            .collect();
        assert_eq!(names(&prompts["prompts"], "name"), expected);

        self.faces_agree(model).await;

        for (key, skill) in &model.served {
            let name = skill.name;
            let uri = format!("skill://{key}/SKILL.md");
            let got = self.ask("skills/get", json!({"uri": uri})).await["skill"].clone();
            assert_eq!(got["frontmatter"]["name"], *name);
            let described = got["frontmatter"]["description"].as_str().unwrap();
            assert_eq!(described.trim(), skill.description);
            self.files_agree(key, skill, &got).await;
            self.command_agrees(key, skill, &got);
            if !skill.implicit || skill.id.is_some() {
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
        for skill in invocable {
            let name = skill.name;
            let prompt = self.ask("prompts/get", json!({"name": name})).await;
            let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
            let file = String::from_utf8_lossy(&skill.files["SKILL.md"]);
            let body = file.rsplit("---\n").next().unwrap();
            assert!(text.contains(body.trim()), "{text}");
            if let Some(further) = &skill.prompt {
                let further_name = format!("{name}__{further}");
                let prompt = self.ask("prompts/get", json!({"name": further_name})).await;
                let text = &prompt["messages"][0]["content"]["text"];
                assert_eq!(*text, format!("The {further}"));
            }
        }
        for key in keys().filter(|key| !model.served.contains_key(key)) {
            let uri = format!("skill://{key}/SKILL.md");
            for method in ["skills/get", "resources/read"] {
                let heard = self.client.request(method, json!({"uri": uri})).await;
                assert_eq!(heard.code(), -32602, "{method} {uri}");
            }
            let path = format!("{key}/SKILL.md");
            assert!(self.bench.server.agent_skills(&path).await.is_none());
        }
    }

    /// The listing, discovery and activation name the skills that lists show, and open those that are served.
    async fn faces_agree(&self, model: &Model) {
        let visible: Vec<_> = model.listed().map(|skill| skill.name).collect();
        let listing = self.read("metier://listing").await;
        let told = self.client.call("skills_listing", json!({})).await;
        let told = told.answer["result"]["structuredContent"]["text"].clone();
        for text in [&listing["text"], &told] {
            let lines = text.as_str().unwrap().lines();
            let names = lines.filter_map(|line| line.strip_prefix("- ")?.split(':').next());
            let mut names: Vec<_> = names.collect();
            names.sort_unstable();
            assert_eq!(names, visible);
        }
        for name in SKILLS {
            let query = json!({"query": format!("select:{name}")});
            let found = self.client.call("discover_skills", query).await;
            let found = &found.answer["result"]["structuredContent"]["hits"];
            let is_visible = visible.contains(&name);
            assert_eq!(found.as_array().unwrap().len(), usize::from(is_visible));
            let opened = self.client.call("skill", json!({"skill": name})).await;
            let is_served = model.served.contains_key(name);
            let is_refused = opened.answer["result"]["isError"] == true;
            assert_eq!(is_refused, !is_served, "{}", opened.raw);
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
                    // The type is that of the contents.
                    let content = self.read(&uri).await;
                    assert_eq!(child["mimeType"], content["mimeType"], "{uri}");
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
