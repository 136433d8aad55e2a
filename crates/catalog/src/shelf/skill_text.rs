//! A skill as it is served at one moment, and what clients have been shown of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metier_loader::{FileManifest, LoadedSkill, SkillPrompt};

use super::reader::{LiveReaders, SkillReader};
use super::{Manifest, SKILL_FILE, encode_skill_path};

/// Why no list shows a skill of a name that another one has.
const SHADOWED: &str = "another skill of its name comes first; its own URI leads to this one";

/// A skill and its place below `skill://`.
#[derive(Debug)]
pub struct SkillPlace {
    key: String,
    skill: Arc<LoadedSkill>,
    /// Counts the versions of the skill at this place.
    version: u64,
}

impl SkillPlace {
    pub(super) const fn new(key: String, skill: Arc<LoadedSkill>, version: u64) -> Self {
        Self {
            key,
            skill,
            version,
        }
    }

    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    /// What stands between `skill://` and its files: its name, or a label and its name.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The skill as the catalog knows it.
    pub const fn skill(&self) -> &Arc<LoadedSkill> {
        &self.skill
    }

    /// Whether another skill of its name comes first: its own URI, with a label before the name, is the one way to it.
    pub fn is_shadowed(&self) -> bool {
        self.key.contains('/')
    }

    /// Whether lists show it. Its author may want it to be found by its name alone. And a shadowed one says in its
    /// front matter the name of the skill whose tools would be called: whoever keeps skills by their names would read
    /// one and call the other.
    pub fn is_listed(&self) -> bool {
        self.skill.metadata.allow_implicit_invocation && !self.is_shadowed()
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

    /// Of a skill whose files nobody has looked at: what the scan saw of them.
    pub(super) fn unread(place: Arc<SkillPlace>) -> Self {
        let manifest = match &place.skill().beyond_manifest {
            None => Ok(FileManifest::default()),
            Some(reason) => Err(reason.clone()),
        };
        Self::new(place, Arc::new(manifest), None)
    }

    /// Of a skill that no list shows because another one has its name: why.
    pub fn why_unlisted(&self) -> &str {
        let own = self.manifest.as_ref().as_ref().err();
        own.map_or(SHADOWED, String::as_str)
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

/// What clients may have been shown of the skill at one place, in all its versions, as far as somebody who counts the
/// changes has not counted it.
#[derive(Debug, Default)]
pub(super) struct Shown(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    texts: Vec<SkillText>,
    /// How many of the texts each reader has counted, by its id.
    counted: Vec<(u64, usize)>,
}

/// So many states of one skill are kept until everybody has counted them.
const MOST_UNCOUNTED: usize = 64;

impl Shown {
    /// Whether nobody has looked.
    pub(super) fn is_nothing(&self) -> bool {
        self.lock().texts.is_empty()
    }

    /// Whether prompts were among it.
    pub(super) fn has_prompts(&self) -> bool {
        let log = self.lock();
        log.texts.iter().any(|text| text.prompts.is_some())
    }

    /// Somebody looks at it now. Whoever comes late and looks at an earlier version than others have seen already adds
    /// nothing: the notice of the later one has gone out behind his question.
    pub(super) fn note(&self, mut text: SkillText) {
        let mut log = self.lock();
        if let Some(last) = log.texts.last_mut() {
            if last.place.version() > text.place.version() {
                return;
            }
            // What nobody asked for again is taken to be as it was.
            if text.prompts.is_none() {
                text.prompts.clone_from(&last.prompts);
            }
            if last.is_the_very_same(&text) {
                return;
            }
            // The first look at the prompts is no change of them.
            if last.prompts.is_none() {
                last.prompts.clone_from(&text.prompts);
                if last.is_the_very_same(&text) {
                    return;
                }
            }
        }
        log.make_room();
        log.texts.push(text);
    }

    /// What was shown so far is nothing new to a reader.
    pub(super) fn begin(&self, reader: &SkillReader) {
        let mut log = self.lock();
        let all = log.texts.len();
        log.set_counted(reader.id(), all);
    }

    /// What a reader has not counted, behind the last that it has: what the next change is counted from.
    pub(super) fn count(&self, reader: &SkillReader, live: &LiveReaders) -> Vec<SkillText> {
        let mut log = self.lock();
        let before = log.counted_by(reader.id()).saturating_sub(1);
        let states = log.texts.iter().skip(before).cloned().collect();
        let all = log.texts.len();
        log.set_counted(reader.id(), all);
        log.forget(live);
        states
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    fn counted_by(&self, id: u64) -> usize {
        let known = self.counted.iter().find(|(known, _)| *known == id);
        known.map_or(0, |(_, counted)| *counted)
    }

    fn set_counted(&mut self, id: u64, all: usize) {
        match self.counted.iter_mut().find(|(known, _)| *known == id) {
            Some((_, counted)) => *counted = all,
            None => self.counted.push((id, all)),
        }
    }

    /// Without a reader nobody counts them; the first and the last tell whether something has changed.
    fn make_room(&mut self) {
        if self.texts.len() < MOST_UNCOUNTED {
            return;
        }
        let last = self.texts.len() - 1;
        self.texts.drain(1..last);
        for (_, counted) in &mut self.counted {
            *counted = match *counted {
                0 => 0,
                some if some <= last => 1,
                _ => 2,
            };
        }
    }

    /// Keeps what one of the readers still has to count, and what the next change is counted from.
    fn forget(&mut self, live: &LiveReaders) {
        self.counted.retain(|(id, _)| !live.is_gone(*id));
        let known = self.counted.iter().map(|(_, counted)| *counted);
        let unknown = live.ids().any(|id| self.counted_by(id) == 0);
        let least = known.min().filter(|_| !unknown).unwrap_or_default();
        let done = least.saturating_sub(1);
        self.texts.drain(..done);
        for (_, counted) in &mut self.counted {
            *counted -= done;
        }
    }
}

#[cfg(test)]
mod tests {
    use metier_loader::{ParseMode, parse_skill_dir};

    use super::*;
    use crate::catalog::SkillCatalog;
    use crate::registry::ToolRegistry;

    /// States of one skill, each of another version.
    fn states(count: u64) -> Vec<SkillText> {
        let folder = tempfile::tempdir().unwrap();
        let text = "---\nname: a\ndescription: x\n---\n";
        std::fs::write(folder.path().join("SKILL.md"), text).unwrap();
        let skill = Arc::new(parse_skill_dir(folder.path(), ParseMode::Lenient).unwrap());
        let place = |version| SkillPlace::new("a".to_owned(), Arc::clone(&skill), version);
        let states = (0..count).map(|version| SkillText::unread(Arc::new(place(version))));
        states.collect()
    }

    fn versions(states: &[SkillText]) -> Vec<u64> {
        states.iter().map(|state| state.place.version()).collect()
    }

    #[test]
    fn each_reader_counts_for_itself_and_what_all_have_counted_goes() {
        let catalog = SkillCatalog::new(ToolRegistry::new());
        let (one, two) = (catalog.skill_reader(), catalog.skill_reader());
        let count =
            |shown: &Shown, reader: &SkillReader| versions(&shown.count(reader, &reader.live()));
        let (shown, states) = (Shown::default(), states(5));
        let note = |version: usize| shown.note(states[version].clone());
        note(0);
        assert_eq!(count(&shown, &one), [0]);
        note(1);
        assert_eq!(count(&shown, &one), [0, 1]);
        assert_eq!(count(&shown, &one), [1]);
        assert_eq!(
            count(&shown, &two),
            [0, 1],
            "what one counted is there for two"
        );
        assert_eq!(shown.lock().texts.len(), 1);
        // Whoever comes late with an earlier version is behind the notice of the later one.
        note(0);
        assert_eq!(count(&shown, &one), [1]);
        let three = catalog.skill_reader();
        shown.begin(&three);
        note(2);
        assert_eq!(count(&shown, &three), [1, 2]);
        drop(two);
        note(3);
        assert_eq!(count(&shown, &one), [1, 2, 3]);
        assert_eq!(count(&shown, &three), [2, 3]);
        assert_eq!(
            shown.lock().texts.len(),
            1,
            "nobody waits for one that has gone"
        );
    }

    #[test]
    fn of_very_many_states_the_first_and_the_last_are_kept() {
        let catalog = SkillCatalog::new(ToolRegistry::new());
        let (idle, busy) = (catalog.skill_reader(), catalog.skill_reader());
        let shown = Shown::default();
        let states = states(200);
        shown.note(states[0].clone());
        let _ = shown.count(&idle, &idle.live());
        let _ = shown.count(&busy, &busy.live());
        for (number, state) in states.iter().enumerate().skip(1) {
            shown.note(state.clone());
            let counted = versions(&shown.count(&busy, &busy.live()));
            let number = u64::try_from(number).unwrap();
            assert!(
                counted.len() >= 2 && counted.last() == Some(&number),
                "{counted:?}"
            );
            assert!(shown.lock().texts.len() <= MOST_UNCOUNTED);
        }
        let counted = versions(&shown.count(&idle, &idle.live()));
        assert_eq!((counted[0], counted.last()), (0, Some(&199)));
    }
}
