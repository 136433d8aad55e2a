//! What people do in the folders of skills.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::skill_folder::write;

pub(crate) const SKILLS: [&str; 4] = ["bake", "one", "two", "new"];
pub(crate) const PATHS: [&str; 5] = ["a.md", "deep/b c.txt", "deep/more/é.bin", ".hidden", "nul"];

/// Something that a person does in the folders.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
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
    /// Another prompt in the file that skills name for theirs.
    Prompt {
        skill: usize,
        name: String,
    },
    Break {
        skill: usize,
    },
    /// A file is written again with the bytes that it has.
    Touch {
        skill: usize,
        path: usize,
    },
    /// The folder gets another name, or its first one again; the skill keeps its own.
    Rename {
        skill: usize,
    },
    /// More files or more bytes than a manifest may have, or no longer.
    Crowd {
        skill: usize,
        with: usize,
    },
    Delete {
        skill: usize,
    },
}

/// An edit, and in which of the roots.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) root: usize,
    pub(crate) edit: Edit,
}

/// Edits of several roots, mostly of the first.
pub(crate) fn placed() -> impl Strategy<Value = Placed> {
    let root = prop_oneof![3 => Just(0_usize), 2 => Just(1_usize), 1 => Just(2_usize)];
    (root, edit()).prop_map(|(root, edit)| Placed { root, edit })
}

/// Does some edits at once; whether the folders have to be looked at anew.
pub(crate) fn apply_all(edits: &[Placed], roots: &[PathBuf]) -> bool {
    // Of a skill that nobody has seen whole there is no last good version.
    let good: BTreeSet<PathBuf> = roots
        .iter()
        .flat_map(|root| SKILLS.map(|name| folder(root, name)))
        .filter(|folder| is_whole(folder))
        .collect();
    let mut is_anew = false;
    for Placed { root, edit } in edits {
        let root = &roots[*root];
        let is_possible = match edit {
            Edit::Break { skill } => good.contains(&folder(root, SKILLS[*skill])),
            Edit::Rename { skill } => is_whole(&folder(root, SKILLS[*skill])),
            _ => true,
        };
        is_anew |= is_possible && apply(edit, root);
    }
    is_anew
}

/// Whether the skill's file says what it is.
fn is_whole(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("SKILL.md"));
    text.is_ok_and(|text| text.contains("description: "))
}

/// What makes a skill too large, by its name below the folder.
const CROWDS: [&str; 2] = ["crowd", "large.bin"];

pub(crate) fn edit() -> impl Strategy<Value = Edit> {
    let skill = 0..SKILLS.len();
    let path = 0..PATHS.len();
    prop_oneof![
        4 => (skill.clone(), path.clone(), proptest::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(skill, path, bytes)| Edit::Write { skill, path, bytes }),
        2 => (skill.clone(), path).prop_map(|(skill, path)| Edit::Remove { skill, path }),
        3 => (skill.clone(), "[a-z ]{1,20}", any::<bool>(), any::<bool>()).prop_map(
            |(skill, words, user, implicit)| Edit::Describe { skill, words, user, implicit }
        ),
        2 => (skill.clone(), "[a-c]").prop_map(|(skill, name)| Edit::Prompt { skill, name }),
        2 => skill.clone().prop_map(|skill| Edit::Break { skill }),
        1 => (skill.clone(), 0..=PATHS.len()).prop_map(|(skill, path)| Edit::Touch { skill, path }),
        1 => skill.clone().prop_map(|skill| Edit::Rename { skill }),
        1 => (skill.clone(), 0..CROWDS.len()).prop_map(|(skill, with)| Edit::Crowd { skill, with }),
        1 => skill.prop_map(|skill| Edit::Delete { skill }),
    ]
}

/// The folder of a skill, under whichever name it lies there.
pub(crate) fn folder(root: &Path, name: &str) -> PathBuf {
    let renamed = root.join(format!("{name}-renamed"));
    if renamed.exists() {
        renamed
    } else {
        root.join(name)
    }
}

/// Puts a file in its place whole, as careful programs do: a reader sees the old one or the new one.
pub(crate) fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    let aside = tempfile::tempdir().unwrap();
    write(aside.path(), "file", bytes);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::rename(aside.path().join("file"), path).unwrap();
}

/// Does the edit; whether the folders have to be looked at anew before it can be known.
pub(crate) fn apply(edit: &Edit, root: &Path) -> bool {
    let of = |skill: &usize| folder(root, SKILLS[*skill]);
    match edit {
        Edit::Write { skill, path, bytes } => {
            let folder = of(skill);
            if folder.exists() {
                put(&folder.join(PATHS[*path]), bytes);
            }
            false
        }
        Edit::Remove { skill, path } => {
            let _ = fs::remove_file(of(skill).join(PATHS[*path]));
            false
        }
        Edit::Describe {
            skill,
            words,
            user,
            implicit,
        } => {
            let name = SKILLS[*skill];
            let is_new = !of(skill).exists();
            let text = format!(
                "---\nname: {name}\ndescription: \"x{words}\"\nuser-invocable: {user}\nmetadata:\n  dcc-mcp:\n    allow-implicit-invocation: {implicit}\n    prompts: prompts.yaml\n---\nThe body of {words}.\n"
            );
            put(&of(skill).join("SKILL.md"), text);
            is_new
        }
        Edit::Prompt { skill, name } => {
            let folder = of(skill);
            if folder.exists() {
                let text = format!("prompts: [{{name: {name}, template: The {name}}}]\n");
                put(&folder.join("prompts.yaml"), text);
            }
            false
        }
        Edit::Break { skill } => {
            let path = of(skill).join("SKILL.md");
            if path.exists() {
                put(&path, "---\nname: [\n---\n");
            }
            false
        }
        Edit::Touch { skill, path } => {
            let path = PATHS.get(*path).unwrap_or(&"SKILL.md");
            let path = of(skill).join(path);
            if let Ok(bytes) = fs::read(&path) {
                put(&path, bytes);
            }
            false
        }
        Edit::Rename { skill } => {
            let (now, name) = (of(skill), SKILLS[*skill]);
            if now.exists() {
                let is_first = now.ends_with(name);
                let other = if is_first {
                    format!("{name}-renamed")
                } else {
                    name.to_owned()
                };
                fs::rename(now, root.join(other)).unwrap();
            }
            true
        }
        Edit::Crowd { skill, with } => {
            let there = of(skill).join(CROWDS[*with]);
            let aside = tempfile::tempdir().unwrap();
            let away = aside.path().join("crowd");
            if there.exists() {
                fs::rename(there, away).unwrap();
            } else if of(skill).exists() {
                if *with == 0 {
                    (0..513).for_each(|number| write(&away, &number.to_string(), ""));
                } else {
                    fs::File::create(&away).unwrap().set_len(16 << 20).unwrap();
                }
                fs::rename(away, there).unwrap();
            }
            false
        }
        Edit::Delete { skill } => {
            let aside = tempfile::tempdir().unwrap();
            let _ = fs::rename(of(skill), aside.path().join("gone"));
            false
        }
    }
}
