//! What people do in the folders of skills.

use std::fs;
use std::path::Path;

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
    Delete {
        skill: usize,
    },
}

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
        1 => skill.clone().prop_map(|skill| Edit::Break { skill }),
        1 => skill.prop_map(|skill| Edit::Delete { skill }),
    ]
}

/// Does the edit; whether the folders have to be looked at anew before it can be known.
pub(crate) fn apply(edit: &Edit, root: &Path) -> bool {
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
                "---\nname: {name}\ndescription: \"x{words}\"\nuser-invocable: {user}\nmetadata:\n  dcc-mcp:\n    allow-implicit-invocation: {implicit}\n    prompts: prompts.yaml\n---\nThe body of {words}.\n"
            );
            write(root, &format!("{name}/SKILL.md"), text);
            is_new
        }
        Edit::Prompt { skill, name } => {
            let folder = root.join(SKILLS[*skill]);
            if folder.exists() {
                let text = format!("prompts: [{{name: {name}, template: The {name}}}]\n");
                write(&folder, "prompts.yaml", text);
            }
            false
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
