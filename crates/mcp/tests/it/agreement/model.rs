//! What lies in the folders, read without the product.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::edits::{SKILLS, folder};

/// A skill as its files say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expected {
    pub(crate) description: String,
    pub(crate) user: bool,
    pub(crate) implicit: bool,
    /// The prompt that it brings along.
    pub(crate) prompt: Option<String>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// What lies in the folders: the skills whose `SKILL.md` can be read and that are not too large.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model(pub(crate) BTreeMap<&'static str, Expected>);

pub(crate) fn model(root: &Path) -> Model {
    let mut model = Model::default();
    for name in SKILLS {
        let folder = folder(root, name);
        let Ok(text) = fs::read_to_string(folder.join("SKILL.md")) else {
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
            prompt: None,
            files: BTreeMap::new(),
        };
        files_below(&folder, "", &mut skill.files);
        let bytes: usize = skill.files.values().map(Vec::len).sum();
        if skill.files.len() > 512 || bytes > 16 << 20 {
            continue;
        }
        if text.contains("prompts: prompts.yaml")
            && let Some(file) = skill.files.get("prompts.yaml")
        {
            let (_, rest) = std::str::from_utf8(file)
                .unwrap()
                .split_once("name: ")
                .unwrap();
            skill.prompt = rest.split(',').next().map(str::to_owned);
        }
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
