//! What a skill's prompts say, as values: in the file, marks of YAML stand around them.

use metier_safety::{Part, Scan};

use crate::manifest::MANIFEST_BYTES;
use crate::prompts_file::{SkillPrompt, prompt_files, read_prompts};
use crate::report::LoadedSkill;

/// Looks at every text of the prompts that the skill names, of the files that it has.
pub(super) fn look_at<'p>(
    scan: &mut Scan,
    skill: &LoadedSkill,
    paths: impl IntoIterator<Item = &'p str>,
) {
    for file in prompt_files(&skill.metadata, paths) {
        let read = read_prompts(std::slice::from_ref(&file), |path| {
            let bytes = skill.files.read(path, MANIFEST_BYTES);
            bytes.map_err(|error| error.to_string())
        });
        let prompts = read.prompts;
        let templates = prompts.iter().map(|prompt| &*prompt.template);
        scan.values(Part::Body, &file, "in the prompts", templates);
        let shown = prompts.iter().flat_map(shown);
        scan.values(Part::Tools, &file, "in the prompts", shown);
    }
}

/// What stands in the list of prompts.
fn shown(prompt: &SkillPrompt) -> impl Iterator<Item = &str> {
    let arguments = prompt.arguments.iter();
    let arguments = arguments.flat_map(|argument| [&*argument.name, &*argument.description]);
    [&*prompt.name, &*prompt.description]
        .into_iter()
        .chain(arguments)
}
