//! What a driver is told: where the server is, and what it must find there.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::clients::Client;

/// The tools that are always listed, in their order.
const CORE: [&str; 5] = [
    "list_skills",
    "get_skill_info",
    "load_skill",
    "unload_skill",
    "search_skills",
];

/// Written as JSON for a driver of any language.
#[derive(Debug, Serialize)]
pub(crate) struct Plan {
    pub(crate) url: Option<String>,
    pub(crate) command: Option<Vec<String>>,
    /// The command itself and the folder with the skills, for a driver that has it write an entry.
    pub(crate) metier: String,
    folder: String,
    pub(crate) environment: BTreeMap<String, String>,
    /// Nothing is known of the skills but their files: what follows the front matter is of other skills.
    pub(crate) only_files: bool,
    mode: String,
    revision: String,
    core: Vec<String>,
    skills: Vec<String>,
    /// What the SKILL.md of each skill says of it, read by another reader of YAML than ours.
    front_matter: BTreeMap<String, Value>,
    skill: String,
    tool: String,
    hint: String,
    query: String,
    required: Vec<String>,
    arguments: Value,
    finds: String,
    wrong: Value,
    wrong_words: Vec<String>,
}

impl Plan {
    /// A plan around one tool, which gets a folder with gaps to find.
    pub(crate) fn new(client: &Client, skills: &Path, place: &Path) -> Result<Self, String> {
        let frames = place.join("frames");
        let failed = |error: std::io::Error| format!("{}: {error}", frames.display());
        std::fs::create_dir_all(&frames).map_err(failed)?;
        for frame in [1, 2, 5] {
            std::fs::write(frames.join(format!("shot.{frame:04}.exr")), "").map_err(failed)?;
        }
        let names = skills_in(skills)?;
        let mut front_matters = BTreeMap::new();
        for name in &names {
            let path = skills.join(name).join("SKILL.md");
            let read = front_matter(&path);
            let read = read.map_err(|why| format!("{}: {why}", path.display()))?;
            front_matters.insert(name.clone(), read);
        }
        Ok(Self {
            url: None,
            command: None,
            metier: String::new(),
            folder: skills.display().to_string(),
            environment: environment(place),
            only_files: false,
            mode: client.mode.to_owned(),
            revision: client.revision.to_owned(),
            core: CORE.map(str::to_owned).into(),
            skills: names,
            front_matter: front_matters,
            skill: "image-sequence".to_owned(),
            tool: "image_sequence__find_gaps".to_owned(),
            hint: "Call load_skill(skill_name=\"image-sequence\") to register its tools".to_owned(),
            query: "which frames are missing from my render".to_owned(),
            required: vec!["folder".to_owned()],
            arguments: json!({ "folder": frames }),
            finds: "3-4".to_owned(),
            wrong: json!({ "extension": "exr" }),
            wrong_words: vec!["folder".to_owned()],
        })
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// All that a server which a driver starts may see.
pub(crate) fn environment(place: &Path) -> BTreeMap<String, String> {
    let mut environment = BTreeMap::new();
    for name in ["PATH", "SYSTEMROOT"] {
        if let Ok(value) = std::env::var(name) {
            environment.insert(name.to_owned(), value);
        }
    }
    for (name, folder) in [("HOME", "home"), ("METIER_STATE_DIR", "state")] {
        environment.insert(name.to_owned(), place.join(folder).display().to_string());
    }
    environment
}

/// The YAML between the first two lines of three dashes, as JSON.
fn front_matter(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let yaml = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map(|(yaml, _)| yaml)
        .ok_or("there is no front matter")?;
    serde_yaml::from_str(yaml).map_err(|error| error.to_string())
}

/// The folders that are skills, in order.
pub(crate) fn skills_in(folder: &Path) -> Result<Vec<String>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("SKILL.md").is_file())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort_unstable();
    Ok(names)
}
