//! A server in memory.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metier_loader::digest;
use metier_mcp_client::{
    Answer, Connection, Declared, Flag, Map, Page, ServerFault, ServerLabel, Settings, SkillServer,
    Value,
};
use serde_json::json;
use tokio::sync::Semaphore;

/// What the server answers.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) declared: Declared,
    /// Entries of each page.
    pub(crate) skills: Vec<Vec<Value>>,
    pub(crate) resources: Vec<Vec<Value>>,
    pub(crate) prompts: Vec<Vec<Value>>,
    /// Entries for `skills/get` that no list has.
    pub(crate) unlisted: BTreeMap<String, Value>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// Results of `prompts/get`.
    pub(crate) filled: BTreeMap<String, Value>,
    /// Faults for the next requests of a method.
    pub(crate) faults: BTreeMap<&'static str, VecDeque<ServerFault>>,
    /// How long an answer of a method takes.
    pub(crate) slow: BTreeMap<&'static str, Duration>,
    /// Every page leads to another one.
    pub(crate) endless: bool,
    /// Every page leads to the same one.
    pub(crate) circle: bool,
}

#[derive(Debug)]
pub(crate) struct Scripted {
    pub(crate) script: Mutex<Script>,
    asked: Mutex<Vec<String>>,
    /// Answers wait for a permit each while it is there.
    pub(crate) gate: Mutex<Option<Arc<Semaphore>>>,
    running: Mutex<(usize, usize)>,
}

pub(crate) fn label() -> ServerLabel {
    ServerLabel::new("assets").unwrap()
}

/// A server with the extension, prompts and resources, that offers these skills.
pub(crate) fn server(skills: &[&Skill]) -> Arc<Scripted> {
    let mut script = Script::default();
    script.declared.skills = true;
    script.declared.resources = true;
    script.declared.prompts = true;
    script.skills = vec![skills.iter().map(|skill| skill.entry()).collect()];
    for skill in skills {
        script.files.extend(skill.files());
    }
    Scripted::new(script)
}

pub(crate) fn settings() -> Settings {
    Settings::new(Flag::On)
}

pub(crate) async fn connected(server: &Arc<Scripted>) -> Connection {
    connected_with(server, settings()).await
}

pub(crate) async fn connected_with(server: &Arc<Scripted>, settings: Settings) -> Connection {
    Connection::open(
        label(),
        Arc::clone(server) as Arc<dyn SkillServer>,
        settings,
    )
    .await
}

impl Scripted {
    pub(crate) fn new(script: Script) -> Arc<Self> {
        Arc::new(Self {
            script: Mutex::new(script),
            asked: Mutex::default(),
            gate: Mutex::default(),
            running: Mutex::default(),
        })
    }

    /// What was asked since the last look.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    /// The most requests that ran at the same time.
    pub(crate) fn most_running(&self) -> usize {
        self.running.lock().unwrap().1
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.script.lock().unwrap());
    }

    /// Puts a skill in the place of the one with its name, files included.
    pub(crate) fn replace(&self, skill: &Skill) {
        self.change(|script| {
            let root = skill.root();
            script.files.retain(|uri, _| !uri.starts_with(&root));
            script.files.extend(skill.files());
            for entry in script.skills.iter_mut().flatten() {
                if entry["uri"] == skill.uri() {
                    *entry = skill.entry();
                }
            }
        });
    }

    fn answer<T: Send + 'static>(
        &self,
        method: &'static str,
        about: &str,
        made: impl FnOnce(&mut Script) -> Result<T, ServerFault> + Send + 'static,
    ) -> Answer<'_, T> {
        self.asked
            .lock()
            .unwrap()
            .push(format!("{method} {about}").trim_end().to_owned());
        Box::pin(async move {
            {
                let mut running = self.running.lock().unwrap();
                running.0 += 1;
                running.1 = running.1.max(running.0);
            }
            // As a network would: the answer is not there at once.
            tokio::task::yield_now().await;
            let gate = self.gate.lock().unwrap().clone();
            if let Some(gate) = gate {
                gate.acquire().await.unwrap().forget();
            }
            let slow = self.script.lock().unwrap().slow.get(method).copied();
            if let Some(slow) = slow {
                tokio::time::sleep(slow).await;
            }
            self.running.lock().unwrap().0 -= 1;
            let mut script = self.script.lock().unwrap();
            let fault = script.faults.get_mut(method).and_then(VecDeque::pop_front);
            match fault {
                Some(fault) => Err(fault),
                None => made(&mut script),
            }
        })
    }

    fn page(
        &self,
        method: &'static str,
        cursor: Option<String>,
        pages: fn(&Script) -> &Vec<Vec<Value>>,
    ) -> Answer<'_, Page> {
        let about = cursor.clone().unwrap_or_default();
        self.answer(method, &about, move |script| {
            let number: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
            let pages = pages(script);
            let next = if script.endless {
                Some(number + 1)
            } else if script.circle {
                Some(1)
            } else {
                (number + 1 < pages.len()).then_some(number + 1)
            };
            let page = number.min(pages.len().saturating_sub(1));
            Ok(Page {
                items: pages.get(page).cloned().unwrap_or_default(),
                next: next.map(|next| next.to_string()),
            })
        })
    }
}

fn no_such(uri: &str) -> ServerFault {
    ServerFault::Refused {
        code: -32602,
        message: format!("there is no {uri}"),
    }
}

impl SkillServer for Scripted {
    fn declared(&self) -> Declared {
        self.script.lock().unwrap().declared.clone()
    }

    fn skills(&self, cursor: Option<String>) -> Answer<'_, Page> {
        self.page("skills/list", cursor, |script| &script.skills)
    }

    fn skill(&self, uri: String) -> Answer<'_, Value> {
        self.answer("skills/get", &uri.clone(), move |script| {
            script
                .unlisted
                .get(&uri)
                .cloned()
                .ok_or_else(|| no_such(&uri))
        })
    }

    fn resources(&self, cursor: Option<String>) -> Answer<'_, Page> {
        self.page("resources/list", cursor, |script| &script.resources)
    }

    fn prompts(&self, cursor: Option<String>) -> Answer<'_, Page> {
        self.page("prompts/list", cursor, |script| &script.prompts)
    }

    fn prompt(&self, name: String, arguments: Map<String, Value>) -> Answer<'_, Value> {
        self.answer("prompts/get", &name.clone(), move |script| {
            let answer = script.filled.get(&name).cloned().ok_or_else(|| no_such(&name))?;
            Ok(match arguments.get("whom") {
                Some(whom) => json!({"messages": [{"role": "user", "content": {"type": "text", "text": whom}}]}),
                None => answer,
            })
        })
    }

    fn read(&self, uri: String) -> Answer<'_, Vec<u8>> {
        self.answer("resources/read", &uri.clone(), move |script| {
            script.files.get(&uri).cloned().ok_or_else(|| no_such(&uri))
        })
    }
}

/// A skill, from which its entry and its files are made.
#[derive(Clone, Debug)]
pub(crate) struct Skill {
    pub(crate) path: String,
    pub(crate) front_matter: Value,
    pub(crate) body: String,
    pub(crate) others: BTreeMap<String, String>,
}

pub(crate) fn skill(name: &str) -> Skill {
    Skill {
        path: name.to_owned(),
        front_matter: json!({"name": name, "description": format!("Does {name}.")}),
        body: format!("How to {name}.\n"),
        others: BTreeMap::new(),
    }
}

impl Skill {
    pub(crate) fn below(mut self, folder: &str) -> Self {
        self.path = format!("{folder}/{}", self.path);
        self
    }

    pub(crate) fn with(mut self, key: &str, value: Value) -> Self {
        self.front_matter[key] = value;
        self
    }

    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.others.insert(path.to_owned(), text.to_owned());
        self
    }

    pub(crate) fn root(&self) -> String {
        format!("skill://{}/", self.path)
    }

    pub(crate) fn uri(&self) -> String {
        self.root() + "SKILL.md"
    }

    /// JSON is YAML, so the front matter can be written as it is.
    pub(crate) fn text(&self) -> String {
        let fields = self.front_matter.as_object().unwrap();
        let lines: Vec<String> = fields
            .iter()
            .map(|(key, value)| format!("{key}: {value}\n"))
            .collect();
        format!("---\n{}---\n{}", lines.concat(), self.body)
    }

    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = vec![(self.uri(), self.text().into_bytes())];
        for (path, text) in &self.others {
            files.push((self.root() + path, text.clone().into_bytes()));
        }
        files
    }

    pub(crate) fn entry(&self) -> Value {
        let resources: Vec<Value> = self
            .files()
            .iter()
            .map(|(uri, bytes)| json!({"uri": uri, "digest": digest(bytes), "size": bytes.len()}))
            .collect();
        json!({"uri": self.uri(), "frontmatter": self.front_matter, "resources": resources})
    }
}
