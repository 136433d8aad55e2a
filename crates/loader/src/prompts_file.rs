//! The prompts that a skill brings along: `metadata.dcc-mcp.prompts` names a file, or several with `*`.
//!
//! A prompt that cannot be used costs that prompt, with the reason.

use metier_skill_model::SkillMetadata;
use serde::Deserialize;
use serde_json::Value;

use crate::yaml::{parse, without_pairs};

/// The most bytes of one file.
const MOST_BYTES: usize = 1024 * 1024;
/// The most prompts of one skill, and the most files.
const MOST_PROMPTS: usize = 100;

/// One prompt of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillPrompt {
    /// Its name within the skill.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it is filled with.
    pub arguments: Vec<PromptArgument>,
    /// The text, with `{{name}}` where an argument belongs.
    pub template: String,
}

/// One argument of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// Whether the prompt makes no sense without it.
    pub required: bool,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    prompts: Vec<Value>,
}

#[derive(Deserialize)]
struct Written {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    arguments: Vec<WrittenArgument>,
    template: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenArgument {
    Name(String),
    Full {
        name: String,
        #[serde(default)]
        description: String,
        #[serde(default)]
        required: bool,
    },
}

/// The files that a skill names for its prompts, of those that it has: one, or those that a name with
/// one `*` means, in the order of their paths.
pub fn prompt_files<'p>(
    metadata: &SkillMetadata,
    paths: impl IntoIterator<Item = &'p str>,
) -> Vec<String> {
    let Some(Value::String(named)) = metadata.dcc_extra.get("prompts") else {
        return Vec::new();
    };
    let Some((before, after)) = named.split_once('*') else {
        return vec![named.to_owned()];
    };
    let is_meant = |path: &&str| {
        path.strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|middle| !middle.contains('/'))
    };
    let meant = paths.into_iter().filter(is_meant).take(MOST_PROMPTS);
    meant.map(ToOwned::to_owned).collect()
}

/// The prompts of these files, each name once, and what was found wrong. `read` gives the bytes of a
/// file, or why there are none, in words for the author.
pub fn read_prompts(
    files: &[String],
    mut read: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> (Vec<SkillPrompt>, Vec<String>) {
    let mut prompts: Vec<SkillPrompt> = Vec::new();
    let mut faults = Vec::new();
    for path in files {
        let bytes = match read(path) {
            Ok(bytes) if bytes.len() > MOST_BYTES => {
                faults.push(format!("{path}: it has more than {MOST_BYTES} bytes"));
                continue;
            }
            Ok(bytes) => bytes,
            Err(error) => {
                faults.push(error);
                continue;
            }
        };
        let read = json_written(&bytes).map_or_else(
            || serde_yaml::from_slice(&bytes).map_err(|error| error.to_string()),
            |value| File::deserialize(value).map_err(|error| error.to_string()),
        );
        let file: File = match read {
            Ok(file) => file,
            Err(error) => {
                faults.push(format!("{path}: expected a list `prompts`: {error}"));
                continue;
            }
        };
        for entry in file.prompts {
            match Written::deserialize(entry) {
                Ok(written) if prompts.len() >= MOST_PROMPTS => {
                    faults.push(format!("{path}: `{}` is one prompt too many", written.name));
                }
                Ok(written) if prompts.iter().any(|known| known.name == written.name) => {
                    faults.push(format!("{path}: `{}` is there twice", written.name));
                }
                Ok(written) => prompts.push(written.into()),
                Err(error) => faults.push(format!("{path}: {error}")),
            }
        }
    }
    (prompts, faults)
}

/// What a file says that spells characters as JSON writers do, in two halves: plain readers of YAML refuse those.
fn json_written(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    without_pairs(text)?;
    let tree = parse(text, 0).ok().filter(|tree| tree.faults.is_empty())?;
    Some(tree.root?.to_json())
}

impl From<Written> for SkillPrompt {
    fn from(written: Written) -> Self {
        let arguments = written
            .arguments
            .into_iter()
            .map(|argument| match argument {
                WrittenArgument::Name(name) => PromptArgument {
                    name,
                    ..PromptArgument::default()
                },
                WrittenArgument::Full {
                    name,
                    description,
                    required,
                } => PromptArgument {
                    name,
                    description,
                    required,
                },
            });
        Self {
            name: written.name,
            description: written.description,
            arguments: arguments.collect(),
            template: written.template,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseMode, parse_skill_dir};

    fn read(named: &str, files: &[(&str, &str)]) -> (Vec<SkillPrompt>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "---\nname: x\ndescription: x\nmetadata:\n  dcc-mcp:\n    prompts: '{named}'\n---\n"
        );
        std::fs::write(folder.path().join("SKILL.md"), text).unwrap();
        std::fs::create_dir(folder.path().join("prompts")).unwrap();
        for (path, text) in files {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        let skill = parse_skill_dir(folder.path(), ParseMode::Lenient).unwrap();
        let manifest = skill.files.manifest().unwrap();
        let paths = manifest.files.iter().map(|file| &*file.path);
        let read = |path: &str| {
            let bytes = skill.files.read(path, 1 << 24);
            bytes.map_err(|error| error.to_string())
        };
        read_prompts(&prompt_files(&skill.metadata, paths), read)
    }

    #[test]
    fn a_bad_prompt_costs_that_prompt() {
        let file = "prompts:\n- name: a\n  template: Do {{what}}\n  arguments: [what, {name: how, required: true}]\n- name: b\n- name: a\n  template: again\n";
        let (prompts, faults) = read("prompts.yaml", &[("prompts.yaml", file)]);
        assert_eq!(prompts.len(), 1);
        assert!(prompts[0].arguments[1].required);
        assert_eq!(prompts[0].arguments[0].name, "what");
        assert_eq!(faults.len(), 2, "{faults:?}");
    }

    #[test]
    fn a_character_may_be_written_in_two_halves() {
        let file = r#"{"prompts": [{"name": "a", "template": "Bake \ud83d\ude00 now"}, {"name": "b", "template": "\u00e9"}]}"#;
        let (prompts, faults) = read("prompts.json", &[("prompts.json", file)]);
        let templates: Vec<_> = prompts.iter().map(|prompt| &*prompt.template).collect();
        assert_eq!(
            (templates, faults),
            (vec!["Bake \u{1F600} now", "é"], vec![])
        );
        let half = r#"{"prompts": [{"name": "a", "template": "\ud83d"}]}"#;
        let (prompts, faults) = read("prompts.json", &[("prompts.json", half)]);
        assert_eq!((prompts.len(), faults.len()), (0, 1));
    }

    #[test]
    fn a_star_means_files_of_one_folder() {
        let one = |name: &str| format!("prompts:\n- name: {name}\n  template: t\n");
        let files = [
            ("prompts/b.prompt.yaml", &*one("b")),
            ("prompts/a.prompt.yaml", &*one("a")),
            ("prompts/other.yaml", &*one("c")),
        ];
        let (prompts, faults) = read("prompts/*.prompt.yaml", &files);
        let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!((names, faults), (vec!["a", "b"], vec![]));
    }

    #[test]
    fn a_file_is_read_as_far_as_it_is_small() {
        let large = format!("prompts: []\n{}", "#".repeat(MOST_BYTES));
        let (prompts, faults) = read("prompts.yaml", &[("prompts.yaml", &large)]);
        assert_eq!((prompts.len(), faults.len()), (0, 1));
        assert!(faults[0].contains("1048576 bytes"), "{faults:?}");
    }

    #[test]
    fn what_is_not_there_or_leads_out_is_named() {
        for named in ["none.yaml", "../x.yaml", "SKILL.md"] {
            let (prompts, faults) = read(named, &[]);
            assert_eq!((prompts.len(), faults.len()), (0, 1), "{named}: {faults:?}");
        }
    }
}
