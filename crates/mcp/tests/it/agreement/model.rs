//! What lies in the folders, read without the product.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::edits::{SKILLS, folder};

/// A skill as its files say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    pub(crate) name: &'static str,
    /// By what it is known where another skill has its name.
    pub(crate) id: Option<String>,
    /// Where it lies.
    pub(crate) folder: PathBuf,
    pub(crate) description: String,
    pub(crate) user: bool,
    pub(crate) implicit: bool,
    /// The prompt that it brings along.
    pub(crate) prompt: Option<String>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// The same to a client, wherever it lies.
impl PartialEq for Expected {
    fn eq(&self, other: &Self) -> bool {
        let seen = |skill: &Self| {
            let flags = (skill.user, skill.implicit, skill.id.is_some());
            (skill.name, flags, skill.description.clone())
        };
        seen(self) == seen(other) && self.prompt == other.prompt && self.files == other.files
    }
}

/// What lies in the folders: the skills whose `SKILL.md` can be read and that are not too large, by what stands behind
/// `skill://`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Model {
    pub(crate) served: BTreeMap<String, Expected>,
    /// All whose name an earlier one has.
    pub(crate) shadowed: Vec<String>,
}

impl Model {
    /// Those that are reached by their names.
    pub(crate) fn first(&self) -> impl Iterator<Item = &Expected> {
        self.served.values().filter(|skill| skill.id.is_none())
    }

    /// Those that lists show.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &Expected> {
        self.first().filter(|skill| skill.implicit)
    }
}

pub(crate) fn model(roots: &[PathBuf]) -> Model {
    let mut model = Model::default();
    let mut taken = BTreeSet::new();
    for (number, root) in roots.iter().enumerate() {
        add_root(&mut model, number, root, &mut taken);
    }
    model
}

fn add_root(model: &mut Model, number: usize, root: &Path, taken: &mut BTreeSet<&'static str>) {
    for name in SKILLS {
        let folder = folder(root, name);
        let Ok(text) = fs::read_to_string(folder.join("SKILL.md")) else {
            continue;
        };
        let is_first = taken.insert(name);
        let label = format!("explicit-{}", number + 1);
        let key = if is_first {
            name.to_owned()
        } else {
            format!("{label}/{name}")
        };
        if !is_first {
            model.shadowed.push(key.clone());
        }
        let lies_in = folder.file_name().unwrap().to_str().unwrap();
        let Some((_, rest)) = text.split_once("description: ") else {
            continue;
        };
        let line = rest.lines().next().unwrap_or_default();
        // Clients refuse a skill that says nothing of itself.
        if line.trim_matches(['"', ' ']).is_empty() {
            continue;
        }
        let mut skill = Expected {
            name,
            id: (!is_first).then(|| format!("{label}:{lies_in}")),
            folder: folder.clone(),
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
        model.served.insert(key, skill);
    }
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
