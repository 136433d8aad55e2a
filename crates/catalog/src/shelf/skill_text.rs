//! A skill as it is served at one moment, and what clients have been shown of it.

use std::sync::{Arc, Mutex, PoisonError};

use metier_loader::{FileManifest, LoadedSkill, SkillPrompt};

use super::{Manifest, SKILL_FILE, encode_skill_path};

/// A skill and its place below `skill://`.
#[derive(Debug)]
pub struct SkillPlace {
    key: String,
    skill: Arc<LoadedSkill>,
}

impl SkillPlace {
    pub(super) const fn new(key: String, skill: Arc<LoadedSkill>) -> Self {
        Self { key, skill }
    }

    /// What stands between `skill://` and its files: its name, or a label and its name.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The skill as the catalog knows it.
    pub const fn skill(&self) -> &Arc<LoadedSkill> {
        &self.skill
    }

    /// Whether lists show it: its author may want it to be found by its name alone.
    pub fn is_listed(&self) -> bool {
        self.skill.metadata.allow_implicit_invocation
    }

    /// The URI of the folder.
    pub fn uri(&self) -> String {
        format!("skill://{}", self.key)
    }

    /// The URI of a file.
    pub fn uri_of(&self, path: &str) -> String {
        format!("skill://{}/{}", self.key, encode_skill_path(path))
    }

    /// The URI by which the skill is known.
    pub fn entry_uri(&self) -> String {
        self.uri_of(SKILL_FILE)
    }
}

/// A skill as it is served at one moment: all that lists are made of.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SkillText {
    /// What it is, and where.
    pub place: Arc<SkillPlace>,
    /// Its files, or why they are not served.
    pub manifest: Arc<Manifest>,
    /// The prompts that it brings along, as far as somebody asked.
    pub prompts: Option<Arc<[SkillPrompt]>>,
}

impl SkillText {
    pub(super) const fn new(
        place: Arc<SkillPlace>,
        manifest: Arc<Manifest>,
        prompts: Option<Arc<[SkillPrompt]>>,
    ) -> Self {
        Self {
            place,
            manifest,
            prompts,
        }
    }

    /// Of a skill whose files nobody has looked at.
    pub(super) fn unread(place: Arc<SkillPlace>) -> Self {
        Self::new(place, Arc::new(Ok(FileManifest::default())), None)
    }

    fn is_the_very_same(&self, other: &Self) -> bool {
        let same_prompts = match (&self.prompts, &other.prompts) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        };
        same_prompts
            && Arc::ptr_eq(&self.place, &other.place)
            && Arc::ptr_eq(&self.manifest, &other.manifest)
    }
}

/// What clients may have been shown of the skill at one place, in all its versions, since the changes
/// were last counted.
#[derive(Debug, Default)]
pub(super) struct Shown(Mutex<Vec<SkillText>>);

/// So many states of one skill are kept until somebody counts them.
const MOST_UNCOUNTED: usize = 64;

impl Shown {
    /// Whether nobody has looked.
    pub(super) fn is_nothing(&self) -> bool {
        self.with(|texts| texts.is_empty())
    }

    /// Whether prompts were among it.
    pub(super) fn has_prompts(&self) -> bool {
        self.with(|texts| texts.iter().any(|text| text.prompts.is_some()))
    }

    /// Whether this version was looked at last.
    pub(super) fn ends_with(&self, place: &Arc<SkillPlace>) -> bool {
        let is_last = |text: &SkillText| Arc::ptr_eq(&text.place, place);
        self.with(|texts| texts.last().is_some_and(is_last))
    }

    /// Somebody looks at it now.
    pub(super) fn note(&self, mut text: SkillText) {
        self.with(|texts| {
            if let Some(last) = texts.last() {
                // What nobody asked for again is taken to be as it was.
                if text.prompts.is_none() {
                    text.prompts.clone_from(&last.prompts);
                }
                if last.is_the_very_same(&text) {
                    return;
                }
                // The first look at the prompts is no change of them.
                if last.prompts.is_none()
                    && let Some(last) = texts.last_mut()
                {
                    last.prompts.clone_from(&text.prompts);
                    if last.is_the_very_same(&text) {
                        return;
                    }
                }
            }
            // Without a server nobody counts them; the first and the last tell whether something has changed.
            if texts.len() >= MOST_UNCOUNTED {
                texts.drain(1..texts.len() - 1);
            }
            texts.push(text);
        });
    }

    /// All of it in its order. The last one stays: it is what the next change is counted from.
    pub(super) fn counted(&self) -> Vec<SkillText> {
        self.with(|texts| {
            let all = texts.clone();
            texts.drain(..texts.len().saturating_sub(1));
            all
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<SkillText>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
