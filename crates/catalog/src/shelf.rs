//! The skills as texts: which are served, under which URI, and every file of each with its digest.
//!
//! One shelf belongs to the skills of one snapshot. Files are looked at when somebody asks for them;
//! what is known of a file is what was hashed, and a reading that finds something else makes it known
//! before the new bytes go out.

mod asked;
mod contents;
mod known_prompts;
mod left_out;
mod look;
mod reader;
mod served_skill;
mod shadowed_place;
mod skill_text;
mod text_state;
mod texts;
mod told;
mod turns;
mod uri;

use std::collections::BTreeMap;
#[cfg(feature = "watch")]
use std::collections::BTreeSet;
use std::sync::Arc;

use metier_diagnostics::visible_name;
use metier_loader::{LoadedSkill, RejectedSkill};

use crate::catalog::SkillCatalog;
use crate::left_out::LeftOut;
use crate::load::LoadError;
use crate::skill_set::{SkillSet, reason_of, rejection};

use asked::Asked;
pub use contents::{FileBody, FileContents, mime_of};
use left_out::{LeftOutSkills, Reason};
pub(crate) use reader::Readers;
pub use reader::SkillReader;
pub use served_skill::{FileChange, FileFault, Manifest, ServedFile, ServedSkill};
pub use shadowed_place::{PlaceObstacle, ShadowedPlace, shadowed_places};
pub use skill_text::{SkillPlace, SkillText};
pub use text_state::TextState;
pub(crate) use texts::Texts;
pub use uri::{encode_skill_path, parse_skill_uri};

/// The file by which a skill is known.
pub const SKILL_FILE: &str = "SKILL.md";

/// How often one question looks while somebody goes on writing.
const MOST_LOOKS: usize = 32;

/// Every skill whose texts are served, by what stands between `skill://` and its files: its name,
/// or `LABEL/NAME` for one whose name an earlier skill has (SEP-2640).
#[derive(Debug, Default)]
pub struct SkillShelf {
    skills: BTreeMap<String, Arc<ServedSkill>>,
    /// Why others are not, by what would be their key.
    left_out: LeftOutSkills,
    /// The keys of shadowed skills, by their ids.
    shadowed: BTreeMap<String, String>,
    rejected: Vec<Arc<RejectedSkill>>,
    /// Why those are, by their names, or by their ids where another skill has the name.
    why_rejected: BTreeMap<String, String>,
    /// Skills that the settings keep out, by their names.
    kept_out: BTreeMap<String, LeftOut>,
    /// The same for all versions of the catalog.
    asked: Arc<Asked>,
}

/// A part of a list of skills.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SkillPage {
    /// The skills, each with its files or the reason why they are not served.
    pub skills: Vec<SkillText>,
    /// Whether the list goes on.
    pub more: bool,
}

impl SkillPage {
    /// The key after which the next page begins; `None` when this is the last one.
    pub fn next(&self) -> Option<&str> {
        let last = self.skills.last().filter(|_| self.more)?;
        Some(last.place.key())
    }
}

impl SkillShelf {
    fn new(set: &SkillSet, before: &Self) -> Self {
        let mut shelf = Self {
            rejected: set.rejected.clone(),
            kept_out: set.left_out.clone(),
            asked: Arc::clone(&before.asked),
            ..Self::default()
        };
        for skill in set.entries.values().map(|entry| &entry.skill) {
            shelf.put(skill.metadata.name.to_string(), skill, before);
        }
        let shadowed = set.shadowed.iter().map(|shadowed| &shadowed.skill);
        let has_name = |name: &str| shelf.skills.contains_key(name);
        let places = shadowed_places(has_name, shadowed.clone().map(AsRef::as_ref));
        for (skill, place) in shadowed.zip(places) {
            let (id, key) = (skill.id.to_string(), place.key);
            let Some(obstacle) = place.obstacle else {
                shelf.shadowed.insert(id, key.clone());
                shelf.put(key, skill, before);
                continue;
            };
            let key = match &obstacle {
                PlaceObstacle::InsideSkill(_) => {
                    shelf.shadowed.insert(id, key.clone());
                    key
                }
                PlaceObstacle::Taken(_) => id,
            };
            let reason = Reason::of(skill, Some(obstacle));
            shelf.left_out.put(key, skill, reason, &before.left_out);
        }
        for skill in &set.rejected {
            let is_taken = set.entries.contains_key(&skill.name)
                || shelf.left_out.get(&skill.name).is_some()
                || shelf.why_rejected.contains_key(&skill.name);
            let key = if is_taken {
                skill.id.to_string()
            } else {
                skill.name.clone()
            };
            let why = reason_of(skill);
            let why = format!("it was found and rejected: {why}");
            shelf
                .why_rejected
                .insert(visible_name(&key).into_owned(), why);
        }
        shelf
    }

    fn put(&mut self, key: String, skill: &Arc<LoadedSkill>, before: &Self) {
        if skill.not_served.is_some() {
            let reason = Reason::of(skill, None);
            self.left_out.put(key, skill, reason, &before.left_out);
            return;
        }
        let served = match before.skills.get(&key) {
            Some(known) if Arc::ptr_eq(known.skill(), skill) => Arc::clone(known),
            known => {
                let known = known.map(AsRef::as_ref);
                Arc::new(ServedSkill::new(key.clone(), Arc::clone(skill), known))
            }
        };
        // Whoever was shown it in a list knows it, also when lists show it no more.
        if let Some(known) = before.skills.get(&key)
            && known.is_listed()
            && !served.is_listed()
            && !known.shown().is_nothing()
        {
            self.asked.note(&key);
        }
        self.skills.insert(key, served);
    }

    /// The skills that lists show, in the order of their URIs, as far as it is known of their files.
    pub fn listed(&self) -> impl Iterator<Item = &Arc<ServedSkill>> {
        self.all_after("")
            .filter(|skill| skill.is_listed() && skill.why_not().is_none())
    }

    /// Every served skill after the one of that key.
    pub fn all_after(&self, last: &str) -> impl Iterator<Item = &Arc<ServedSkill>> {
        use std::ops::Bound::{Excluded, Unbounded};
        self.skills
            .range::<str, _>((Excluded(last), Unbounded))
            .map(|(_, skill)| skill)
    }

    /// One page of a list: up to `most` skills after the one of that key, each as `look` finds it
    /// ([`ServedSkill::text`]), and whether more follow. `shown` says whether the list has a skill; a
    /// skill that it has not is looked at all the same, because its file may say otherwise by now.
    /// Blocks.
    pub fn page(
        &self,
        last: &str,
        most: usize,
        shown: impl Fn(&SkillPlace) -> bool,
        look: impl Fn(&ServedSkill, &mut FileChange) -> SkillText,
        change: &mut FileChange,
    ) -> SkillPage {
        let mut page = SkillPage::default();
        for skill in self.all_after(last) {
            if page.skills.len() == most {
                page.more |= shown(skill);
                if page.more {
                    break;
                }
                continue;
            }
            let text = look(skill, change);
            if shown(skill) {
                page.skills.push(text);
            }
        }
        page
    }

    /// A skill by what stands between `skill://` and its files.
    pub fn get(&self, key: &str) -> Option<&Arc<ServedSkill>> {
        self.skills.get(key)
    }

    /// Why no list shows the shadowed skills, by their keys: what is wrong with each one comes first. Looks at their files,
    /// which blocks.
    pub fn why_shadowed(&self, change: &mut FileChange) -> BTreeMap<String, String> {
        let shadowed = self.skills.values().filter(|skill| skill.is_shadowed());
        let reasons = shadowed.map(|skill| {
            let text = skill.text(change);
            (skill.key().to_owned(), text.why_unlisted().to_owned())
        });
        reasons.collect()
    }

    /// Why skills are not served, by what would be their key.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &str)> {
        self.left_out.reasons()
    }

    /// Why skills are rejected, by their names, or by their ids where another skill has the name.
    pub const fn why_rejected(&self) -> &BTreeMap<String, String> {
        &self.why_rejected
    }

    /// Why the skill that would have this key is not served.
    pub(crate) fn why_left_out(&self, key: &str) -> Option<&str> {
        Some(self.left_out.get(key)?.reason())
    }

    /// The same by its name, or by its id where it is shadowed.
    pub(crate) fn why_left_out_by_name_or_id(&self, name: &str) -> Option<&str> {
        self.why_left_out(self.shadowed.get(name).map_or(name, String::as_str))
    }

    /// Why the skill that a URI would lead into is not there, in words, as far as something of it is known.
    pub fn why_not(&self, segments: &[String]) -> Option<String> {
        let name = segments.first()?;
        let mut names = segments.iter().take(2);
        if let Some((name, why)) = names.find_map(|name| self.kept_out.get_key_value(name)) {
            let (name, why) = (name.clone(), why.clone());
            return Some(LoadError::LeftOut { name, why }.to_string());
        }
        let labelled = segments.get(1).map(|second| format!("{name}/{second}"));
        let left_out = labelled.and_then(|key| self.why_left_out(&key));
        if let Some(reason) = left_out.or_else(|| self.why_left_out(name)) {
            return Some(format!("the skill is known and not served: {reason}"));
        }
        let reason = rejection(&self.rejected, name)?;
        Some(format!("the skill was found and rejected: {reason}"))
    }

    /// The skill that the segments of a URI lead into, and the path below it. A client asks for it.
    pub fn locate(&self, segments: &[String]) -> Option<(&Arc<ServedSkill>, String)> {
        let (first, rest) = segments.split_first()?;
        if let Some(skill) = self.skills.get(first) {
            self.note_asked(skill);
            return Some((skill, rest.join("/")));
        }
        let labelled = rest
            .split_first()
            .map(|(second, rest)| (format!("{first}/{second}"), rest));
        if let Some((key, rest)) = &labelled
            && let Some(skill) = self.skills.get(key)
        {
            self.note_asked(skill);
            return Some((skill, rest.join("/")));
        }
        // One that comes by this name is no news to nobody.
        self.asked.note(first);
        if let Some((key, _)) = &labelled {
            self.asked.note(key);
        }
        None
    }

    /// A client asks for this one. What lists show is known by that.
    pub(crate) fn note_asked(&self, skill: &SkillPlace) {
        if !skill.is_listed() {
            self.asked.note(skill.key());
        }
    }

    /// Whether clients know what it says: lists show it, or somebody asked for it by its name or its URI.
    pub fn is_known_to_clients(&self, skill: &SkillPlace) -> bool {
        skill.is_listed() || self.asked.has(skill.key())
    }

    /// Whether it holds the same skills, read from the same bytes of `SKILL.md`.
    pub fn is_same(&self, other: &Self) -> bool {
        self.skills.len() == other.skills.len()
            && self
                .skills
                .iter()
                .zip(&other.skills)
                .all(|((a, one), (b, two))| a == b && Arc::ptr_eq(one.skill(), two.skill()))
    }
}

impl SkillCatalog {
    /// Runs what looks at the skills' files; once more where that showed that the catalog was
    /// behind, and again while somebody goes on writing. `work` tells what it found in its second argument. Blocks.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn look<T, E>(
        &self,
        work: impl Fn(&SkillShelf, &mut FileChange) -> Result<T, E>,
    ) -> Result<T, E> {
        self.bring_back();
        let mut looks = 1;
        loop {
            let snapshot = self.snapshot();
            let mut change = FileChange::None;
            let found = work(snapshot.shelf(), &mut change);
            let is_worth_another = self.heed(change, snapshot.shelf());
            if !is_worth_another || looks == MOST_LOOKS {
                return found;
            }
            looks += 1;
        }
    }

    /// Looks at the files of every skill that the folders' changes may concern and that somebody was shown, or whose
    /// files are too many by now; with a report, of those that are the same there. Whether there are other files, which
    /// is to be published. Blocks.
    #[cfg(feature = "watch")]
    pub(crate) fn look_where(
        &self,
        stirred: impl Fn(&std::path::Path) -> bool,
        report: Option<&metier_loader::ScanReport>,
    ) -> bool {
        let snapshot = self.snapshot();
        let Some(shelf) = snapshot.shelf_in_use() else {
            return false;
        };
        let staying: Option<BTreeSet<*const LoadedSkill>> = report.map(|report| {
            let shadowed = report.shadowed.iter().map(|shadowed| &shadowed.skill);
            report
                .skills
                .iter()
                .chain(shadowed)
                .map(Arc::as_ptr)
                .collect()
        });
        let stays = |skill: &Arc<LoadedSkill>| {
            let staying = staying.as_ref();
            staying.is_none_or(|staying| staying.contains(&Arc::as_ptr(skill)))
        };
        let mut change = FileChange::None;
        for skill in shelf.skills.values() {
            if stirred(&skill.skill().path)
                && stays(skill.skill())
                && (!skill.shown().is_nothing() || skill.is_other_than_scanned())
            {
                skill.manifest(&mut change);
            }
        }
        change != FileChange::None
    }

    /// Takes over what a look at the files found: whether the folders were read anew, so that it is
    /// worth looking once more.
    fn heed(&self, change: FileChange, looked_at: &Arc<SkillShelf>) -> bool {
        match change {
            FileChange::None => false,
            FileChange::Files => {
                self.shared.files_changed();
                false
            }
            FileChange::Blocked => {
                let snapshot = self.snapshot();
                let mut is_gone = false;
                for skill in snapshot.shelf().all_after("") {
                    if let Some(verdict) = skill.blocked() {
                        is_gone |= self.block(skill.skill(), &verdict);
                    }
                }
                // A shadowed skill is in nobody's list of skills; only its files go.
                if !is_gone {
                    self.shared.files_changed();
                }
                true
            }
            FileChange::SkillFile => {
                // Of all who find the same one reads the folders, and the others wait for that.
                let _taking_over = self.take_over();
                if !Arc::ptr_eq(self.snapshot().shelf(), looked_at) {
                    return true;
                }
                self.rediscover();
                let snapshot = self.snapshot();
                let now = snapshot.shelf();
                for (key, skill) in &now.skills {
                    let before = looked_at.skills.get(key);
                    if before.is_some_and(|before| Arc::ptr_eq(before, skill)) {
                        skill.settle_awaited();
                    }
                }
                if now.is_same(looked_at) {
                    // What cannot be taken over makes no other skill of it, but the files are not served.
                    self.shared.files_changed();
                } else {
                    self.remember_departed(looked_at, now);
                }
                true
            }
        }
    }
}
