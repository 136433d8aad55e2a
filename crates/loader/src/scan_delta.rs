//! What changed from one scan to the next.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::report::{LoadedSkill, ScanReport, SkillId};
#[cfg(feature = "watch")]
use crate::watch::StirredPaths;

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
    /// Where a watcher saw that files may be others; [`WatchNotice::Files`](crate::WatchNotice::Files) tells the same behind it.
    #[cfg(feature = "watch")]
    pub stirred: Option<Arc<StirredPaths>>,
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
    /// Both deltas as one, each list in the order of ids.
    pub(crate) fn followed_by(mut self, next: Self) -> Self {
        let by_id = |skills: Vec<Arc<LoadedSkill>>| -> BTreeMap<SkillId, Arc<LoadedSkill>> {
            let skills = skills.into_iter();
            skills.map(|skill| (skill.id.clone(), skill)).collect()
        };
        let mut added = by_id(self.added);
        let mut changed = by_id(self.changed);
        let mut removed = by_id(self.removed);
        for (id, skill) in by_id(next.added) {
            if removed.remove(&id).is_some() {
                changed.insert(id, skill);
            } else {
                added.insert(id, skill);
            }
        }
        for (id, skill) in by_id(next.changed) {
            match added.get_mut(&id) {
                Some(known) => *known = skill,
                None => {
                    changed.insert(id, skill);
                }
            }
        }
        for (id, skill) in by_id(next.removed) {
            changed.remove(&id);
            if added.remove(&id).is_none() {
                removed.insert(id, skill);
            }
        }
        self.added = added.into_values().collect();
        self.changed = changed.into_values().collect();
        self.removed = removed.into_values().collect();
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
        || before.root_findings != report.root_findings;
    delta.report = report;
    delta
}

#[cfg(all(test, feature = "watch"))]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{ParseMode, parse_skill_dir};

    /// Skills `0` to `count - 1`, in the order of their ids.
    fn skills(folder: &Path, count: usize) -> Vec<Arc<LoadedSkill>> {
        let text = "---\nname: one\ndescription: d\n---\n";
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
        let one = parse_skill_dir(folder, ParseMode::Lenient).unwrap();
        let numbered = |number: usize| {
            let mut skill = one.clone();
            skill.id = SkillId::new("explicit", &format!("{number:06}"));
            Arc::new(skill)
        };
        (0..count).map(numbered).collect()
    }

    fn told(skills: &[Arc<LoadedSkill>]) -> Vec<&str> {
        let ids = skills.iter().map(|skill| skill.id.as_str());
        ids.map(|id| id.trim_start_matches("explicit:0").trim_start_matches('0'))
            .collect()
    }

    #[test]
    fn what_follows_is_told_against_what_was_before_both() {
        let folder = tempfile::tempdir().unwrap();
        let all = skills(folder.path(), 10);
        let some = |numbers: &[usize]| numbers.iter().map(|at| Arc::clone(&all[*at])).collect();
        let delta = |added: &[usize], changed: &[usize], removed: &[usize]| ScanDelta {
            added: some(added),
            changed: some(changed),
            removed: some(removed),
            read: 1,
            ..ScanDelta::default()
        };
        // 1 comes and changes, 2 comes and goes, 3 goes and comes back, 4 changes and goes, 5 and 6 as
        // they are told once, 7 changes twice.
        let both = delta(&[1, 2], &[4, 7], &[3, 5]).followed_by(delta(&[3, 6], &[1, 7], &[2, 4]));
        assert_eq!(told(&both.added), ["1", "6"]);
        assert_eq!(told(&both.changed), ["3", "7"]);
        assert_eq!(told(&both.removed), ["4", "5"]);
        assert_eq!(both.read, 2);
    }

    #[test]
    fn putting_deltas_together_takes_time_in_proportion() {
        let folder = tempfile::tempdir().unwrap();
        // 40,000 in each list: with a search for each of them these are milliards of steps, and the
        // test does not come to an end.
        let all = skills(folder.path(), 120_000);
        let (first, rest) = all.split_at(40_000);
        let (second, third) = rest.split_at(40_000);
        let delta = |added: &[Arc<LoadedSkill>],
                     changed: &[Arc<LoadedSkill>],
                     removed: &[Arc<LoadedSkill>]| ScanDelta {
            added: added.to_vec(),
            changed: changed.to_vec(),
            removed: removed.to_vec(),
            ..ScanDelta::default()
        };
        let both = delta(first, second, third).followed_by(delta(third, second, first));
        assert_eq!(
            (both.added.len(), both.changed.len(), both.removed.len()),
            (0, 80_000, 0)
        );
    }
}
