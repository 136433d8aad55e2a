//! What the lists of skills show now that they did not show before.

use std::sync::Arc;

use metier_catalog::{SkillReader, SkillShelf, SkillText};
use metier_loader::SkillPrompt;
use serde_json::Value;

use crate::methods::{prompts, resources, skills};

/// Which lists show something else than before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedLists {
    /// `resources/list` or `skills/list`, or what else is known by its URI.
    pub(crate) resources: bool,
    /// `prompts/list`.
    pub(crate) prompts: bool,
}

/// What has changed, by where the change is to be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Other skills, or other versions of them: whoever came with the later snapshot has seen no others.
    pub(crate) skills: ChangedLists,
    /// Other files of the same skills. They are seen as soon as somebody looks, which may be before the snapshot that
    /// tells of it: whoever is there may have seen the earlier ones.
    pub(crate) files: ChangedLists,
}

impl Changed {
    /// The lists are compared as they would be answered, so that nothing else is news. Blocks.
    pub(crate) fn between(before: &SkillShelf, now: &SkillShelf, reader: &SkillReader) -> Self {
        let mut changed = Self::default();
        changed.skills.resources =
            !before.left_out().eq(now.left_out()) || before.why_rejected() != now.why_rejected();
        for states in now.turns_since(before, reader) {
            for pair in states.windows(2) {
                let [one, two] = pair else { continue };
                let (one, two) = (one.as_ref(), two.as_ref());
                let is_same_version = one
                    .zip(two)
                    .is_some_and(|(one, two)| Arc::ptr_eq(&one.place, &two.place));
                let lists = if is_same_version {
                    &mut changed.files
                } else {
                    &mut changed.skills
                };
                let resource = |text| as_resource(text, now);
                lists.resources = lists.resources || resource(one) != resource(two);
                lists.prompts = lists.prompts || as_prompts(one) != as_prompts(two);
            }
        }
        changed
    }
}

/// What is to be found of it below `skill://`, as far as clients know of it: of a shadowed skill that nobody has asked for
/// `skills/list` says no more than that it is there, or why it is not served.
fn as_resource<'t>(
    text: Option<&'t SkillText>,
    shelf: &SkillShelf,
) -> Option<(bool, Option<Value>, Result<Value, &'t str>)> {
    let text = text?;
    if shelf.is_known_to_clients(&text.place) {
        let is_listed = text.place.is_listed();
        return Some((is_listed, resources::listed(text), skills::listed(text)));
    }
    let is_shadowed = text.place.is_shadowed();
    is_shadowed.then(|| (false, None, Err(text.why_unlisted())))
}

/// What `prompts/list` shows of it, and what the prompts say that it brings along.
fn as_prompts(text: Option<&SkillText>) -> (Vec<Value>, &[SkillPrompt]) {
    let is_prompt = |text: &&SkillText| text.manifest.is_ok() && prompts::is_prompt(&text.place);
    text.filter(is_prompt)
        .map_or_else(Default::default, |text| {
            (
                prompts::listed(text),
                text.prompts.as_deref().unwrap_or_default(),
            )
        })
}
