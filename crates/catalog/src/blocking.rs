//! Skills whose files turn out to be hostile after they were found: they go, in a generation of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;
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
        tracing::warn!(skill = name, reason = %why(&rejected), "a skill is blocked");
        let mut parts = current.parts.clone();
        parts.skills = Arc::new(without(before, skill, rejected));
        self.renew_loaded(&mut parts);
        writer.publish(parts, CatalogEventKind::SkillsChanged);
        true
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

    /// What a scan found without the skills that are blocked by files that it does not read. A skill that is loaded and
    /// is another one by now is looked at first. Blocks.
    pub(crate) fn without_blocked<'r>(
        &self,
        report: &'r ScanReport,
        current: &CatalogSnapshot,
    ) -> Cow<'r, ScanReport> {
        let parts = &current.parts;
        for skill in &report.skills {
            let name = skill.metadata.name.as_str();
            let is_used = parts.loaded.contains_key(name) || parts.wished.contains(name);
            let known = parts.skills.entries.get(name);
            let is_known = known.is_some_and(|known| Arc::ptr_eq(&known.skill, skill));
            let was_blocked = self.blocked().contains_key(&skill.id);
            if !(was_blocked || is_used && !is_known) {
                continue;
            }
            let verdict = skill.verdict(None);
            if verdict.is_blocked() {
                self.note_blocked(skill, &Arc::new(skill.rejected_for(&verdict)));
            } else {
                self.blocked().remove(&skill.id);
            }
        }
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
    SkillSet {
        disabled: before.disabled.clone(),
        ..before.next(&report, before.root_findings.clone(), None)
    }
}

fn why(rejected: &RejectedSkill) -> String {
    blocking(&rejected.diagnostics).map_or_else(String::new, ToString::to_string)
}
