//! What changed from one scan to the next.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::report::{LoadedSkill, ScanReport, SkillId};

/// What changed from one scan to the next.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ScanDelta {
    /// Skills that were not there before.
    pub added: Vec<Arc<LoadedSkill>>,
    /// Skills that were there and are different now, in their present state.
    pub changed: Vec<Arc<LoadedSkill>>,
    /// Skills that are no longer there, in their last state.
    pub removed: Vec<Arc<LoadedSkill>>,
    /// How many skills are as they were.
    pub unchanged: usize,
    /// How many skills were read.
    pub read: usize,
    /// Whether something was found, or is no longer found, about rejected and shadowed skills, roots
    /// or folders.
    pub other_findings: bool,
    /// Everything there is now.
    pub report: Arc<ScanReport>,
}

impl ScanDelta {
    /// Whether nothing at all has changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.changed.is_empty()
            && self.removed.is_empty()
            && !self.other_findings
    }
}

#[cfg(feature = "watch")]
impl ScanDelta {
    /// Both deltas as one.
    pub(crate) fn followed_by(mut self, next: Self) -> Self {
        let is = |id: &SkillId| {
            let id = id.clone();
            move |skill: &Arc<LoadedSkill>| skill.id == id
        };
        for skill in next.added {
            let before = self.removed.iter().position(is(&skill.id));
            match before {
                Some(place) => {
                    self.removed.remove(place);
                    self.changed.push(skill);
                }
                None => self.added.push(skill),
            }
        }
        for skill in next.changed {
            let known = self.added.iter_mut().chain(&mut self.changed);
            match known.into_iter().find(|known| known.id == skill.id) {
                Some(known) => *known = skill,
                None => self.changed.push(skill),
            }
        }
        for skill in next.removed {
            let is = is(&skill.id);
            self.changed.retain(|known| !is(known));
            match self.added.iter().position(is) {
                Some(place) => {
                    self.added.remove(place);
                }
                None => self.removed.push(skill),
            }
        }
        self.unchanged = next.unchanged;
        self.read += next.read;
        self.other_findings |= next.other_findings;
        self.report = next.report;
        self
    }
}

/// The difference between two reports.
pub(crate) fn delta(before: &ScanReport, report: Arc<ScanReport>, read: usize) -> ScanDelta {
    let mut old: BTreeMap<&SkillId, &Arc<LoadedSkill>> = before
        .skills
        .iter()
        .map(|skill| (&skill.id, skill))
        .collect();
    let mut delta = ScanDelta {
        read,
        ..ScanDelta::default()
    };
    for skill in &report.skills {
        match old.remove(&skill.id) {
            None => delta.added.push(Arc::clone(skill)),
            Some(known) if Arc::ptr_eq(known, skill) => delta.unchanged += 1,
            Some(_) => delta.changed.push(Arc::clone(skill)),
        }
    }
    delta.removed = old.into_values().cloned().collect();
    delta.other_findings = before.rejected != report.rejected
        || before.shadowed != report.shadowed
        || before.diagnostics != report.diagnostics;
    delta.report = report;
    delta
}
