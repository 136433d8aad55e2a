//! Skills whose files turn out to be hostile after they were found: they go, in a generation of their own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use metier_loader::{LoadedSkill, RejectedSkill, ScanReport, SkillId, blocking};
use metier_safety::Verdict;

use crate::catalog::SkillCatalog;
use crate::event::CatalogEventKind;
use crate::skill_set::SkillSet;
use crate::snapshot::CatalogSnapshot;

/// Skills that were found without fault, each with what its files are rejected for.
pub(crate) type Blocked = BTreeMap<SkillId, (Arc<LoadedSkill>, Arc<RejectedSkill>)>;

impl SkillCatalog {
    /// Looks at every file of some skills; those that are hostile are gone afterwards, and the answer is whether there
    /// are such. `None` when nobody knows, because the look failed: then none of them may be loaded.
    pub(crate) async fn block_hostile(
        &self,
        snapshot: &CatalogSnapshot,
        names: impl IntoIterator<Item = &String>,
    ) -> Option<bool> {
        let entries = &snapshot.parts.skills.entries;
        let skills: Vec<Arc<LoadedSkill>> = names
            .into_iter()
            .filter_map(|name| Some(Arc::clone(&entries.get(name)?.skill)))
            .collect();
        if skills.is_empty() {
            return Some(false);
        }
        let catalog = self.clone();
        let look = move || {
            let mut any = false;
            for skill in skills {
                let verdict = skill.verdict(None);
                any |= verdict.is_blocked() && catalog.block(&skill, &verdict);
            }
            any
        };
        tokio::task::spawn_blocking(look).await.ok()
    }

    /// Takes a skill out; whether it was there.
    pub(crate) fn block(&self, skill: &Arc<LoadedSkill>, verdict: &Verdict) -> bool {
        let rejected = Arc::new(skill.rejected_for(verdict));
        self.note_blocked(skill, &rejected);
        let writer = self.shared.write();
        let current = writer.current();
        let before = &current.parts.skills;
        let name = skill.metadata.name.as_str();
        let is_there = before
            .entries
            .get(name)
            .is_some_and(|entry| Arc::ptr_eq(&entry.skill, skill));
        if !is_there {
            return false;
        }
        tracing::warn!("the skill `{name}` is blocked: {}", why(&rejected));
        let mut parts = current.parts.clone();
        parts.skills = Arc::new(without(before, skill, rejected));
        self.renew_loaded(&mut parts);
        writer.publish(parts, CatalogEventKind::SkillsChanged);
        true
    }

    /// Whether a skill of this name is kept out by files that a scan does not read.
    fn is_kept_out(&self, name: &str) -> bool {
        let is_it = |(skill, _): &(Arc<LoadedSkill>, _)| skill.metadata.name.as_str() == name;
        let is_known = self.blocked().values().any(is_it);
        is_known && !self.snapshot().parts.skills.entries.contains_key(name)
    }

    /// Somebody wants a skill that is kept out: its files may have been mended, which nobody tells where the folders are
    /// not followed. Whether there was anything to look at. Blocks.
    pub(crate) fn look_again_at(&self, name: &str) -> bool {
        let is_due = self.is_kept_out(name);
        if is_due {
            self.rediscover();
        }
        is_due
    }

    /// The same for several, on a thread that may wait; and for skills that are not there, as far as they were.
    pub(crate) async fn look_again_at_all(&self, names: impl IntoIterator<Item = &str>) {
        let snapshot = self.snapshot();
        let entries = &snapshot.parts.skills.entries;
        let mut names = names
            .into_iter()
            .filter(|name| !entries.contains_key(*name));
        let is_due = match names.next() {
            Some(first) => self.is_kept_out(first) || names.any(|name| self.is_kept_out(name)),
            // One that is there may have been mended.
            None if self.shared.kept_back.is_any() => false,
            None => return,
        };
        let catalog = self.clone();
        let look = move || {
            if is_due {
                catalog.rediscover();
            } else {
                catalog.bring_back();
            }
        };
        // Without a thread nothing is mended yet.
        let _ = tokio::task::spawn_blocking(look).await;
    }

    fn note_blocked(&self, skill: &Arc<LoadedSkill>, rejected: &Arc<RejectedSkill>) {
        self.blocked()
            .insert(skill.id.clone(), (Arc::clone(skill), Arc::clone(rejected)));
    }

    fn blocked(&self) -> std::sync::MutexGuard<'_, Blocked> {
        self.shared
            .blocked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the files of what a scan found, as far as [`Self::to_be_looked_at`] says and nobody has looked yet; whether
    /// there was anything. Blocks, so no lock may be held.
    pub(crate) fn look_for_blocked(
        &self,
        report: &ScanReport,
        current: &CatalogSnapshot,
        looked: &mut BTreeSet<SkillId>,
    ) -> bool {
        let due: Vec<&Arc<LoadedSkill>> = self
            .to_be_looked_at(report, current)
            .filter(|skill| !looked.contains(&skill.id))
            .collect();
        for skill in &due {
            let verdict = skill.verdict(None);
            if verdict.is_blocked() {
                self.note_blocked(skill, &Arc::new(skill.rejected_for(&verdict)));
            } else {
                self.blocked().remove(&skill.id);
            }
            looked.insert(skill.id.clone());
        }
        !due.is_empty()
    }

    /// Whether everything has been looked at that is to be.
    pub(crate) fn is_looked_at(
        &self,
        report: &ScanReport,
        current: &CatalogSnapshot,
        looked: &BTreeSet<SkillId>,
    ) -> bool {
        self.to_be_looked_at(report, current)
            .all(|skill| looked.contains(&skill.id))
    }

    /// What was blocked before, and what is loaded and another one by now.
    fn to_be_looked_at<'r>(
        &self,
        report: &'r ScanReport,
        current: &CatalogSnapshot,
    ) -> impl Iterator<Item = &'r Arc<LoadedSkill>> {
        let parts = &current.parts;
        report.skills.iter().filter(move |skill| {
            let name = skill.metadata.name.as_str();
            let is_used = parts.loaded.contains_key(name) || parts.wished.contains(name);
            let known = parts.skills.entries.get(name);
            let is_known = known.is_some_and(|known| Arc::ptr_eq(&known.skill, skill));
            self.blocked().contains_key(&skill.id) || is_used && !is_known
        })
    }

    /// What a scan found without the skills that are blocked by files that it does not read.
    pub(crate) fn without_blocked<'r>(&self, report: &'r ScanReport) -> Cow<'r, ScanReport> {
        let blocked = self.blocked();
        let mut report = Cow::Borrowed(report);
        for (skill, rejected) in blocked.values() {
            let is_it = |other: &Arc<LoadedSkill>| Arc::ptr_eq(other, skill);
            if report.skills.iter().any(is_it) {
                let report = report.to_mut();
                report.skills.retain(|other| !is_it(other));
                report.rejected.push(Arc::clone(rejected));
            }
        }
        report
    }
}

fn without(before: &SkillSet, skill: &Arc<LoadedSkill>, rejected: Arc<RejectedSkill>) -> SkillSet {
    let mut report = ScanReport::default();
    report.skills = before
        .entries
        .values()
        .map(|entry| Arc::clone(&entry.skill))
        .filter(|other| !Arc::ptr_eq(other, skill))
        .collect();
    report.shadowed.clone_from(&before.shadowed);
    report.rejected.clone_from(&before.rejected);
    report.rejected.push(rejected);
    before.next(&report, before.root_findings.clone(), None)
}

fn why(rejected: &RejectedSkill) -> String {
    blocking(&rejected.diagnostics).map_or_else(String::new, ToString::to_string)
}
