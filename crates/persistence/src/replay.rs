//! What is loaded again after a restart.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::ReplayPolicy;
use crate::format::clipped;
use crate::state::LoadedState;

/// A skill whose version on disk is not the saved one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VersionDrift {
    /// The skill.
    pub skill: String,
    /// The version that was loaded.
    pub saved: String,
    /// The version that is there.
    pub found: String,
}

impl fmt::Display for VersionDrift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            skill,
            saved,
            found,
        } = self;
        let (skill, saved, found) = (clipped(skill), clipped(saved), clipped(found));
        write!(f, "`{skill}` was loaded as {saved} and is {found} now")
    }
}

/// A skill as it is there now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CurrentSkill {
    /// Its version.
    pub version: String,
    /// The skills that it names as its dependencies, which loading it loads as well.
    pub depends: Vec<String>,
}

impl CurrentSkill {
    /// A skill of this version that depends on nothing.
    pub fn new(version: impl Into<String>) -> Self {
        Self {
            version: version.into(),
            depends: Vec::new(),
        }
    }

    /// Says what it depends on.
    #[must_use]
    pub fn depends<S: Into<String>>(mut self, on: impl IntoIterator<Item = S>) -> Self {
        self.depends = on.into_iter().map(Into::into).collect();
        self
    }
}

/// A skill that would bring one back that is left out over its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldUp {
    /// The skill.
    pub skill: String,
    /// What it depends on, itself or by way of others.
    pub needs: String,
}

/// Versions that do not fit, under a policy that lets nothing be loaded then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing is restored, because {} required: {}", plural(.0.len()), listed(.0))]
pub struct DriftError(pub Vec<VersionDrift>);

fn plural(number: usize) -> String {
    if number == 1 {
        "a version is not the one that is".to_owned()
    } else {
        format!("{number} versions are not the ones that are")
    }
}

fn listed(drifts: &[VersionDrift]) -> String {
    let drifts: Vec<String> = drifts.iter().map(ToString::to_string).collect();
    drifts.join("; ")
}

/// A skill to load, with exactly these groups active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayLoad {
    /// The skill.
    pub skill: String,
    /// Its active groups.
    pub groups: BTreeSet<String>,
}

/// What to do about a saved state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayPlan {
    /// What to load, in the order in which it was loaded.
    pub load: Vec<ReplayLoad>,
    /// What is left out over its version.
    pub drifted: Vec<VersionDrift>,
    /// What is left out because it depends on one of those.
    pub held_up: Vec<HeldUp>,
    /// Skills that are not there at present. Their records stay: a network drive may be late.
    pub absent: Vec<String>,
}

/// Compares a saved state with the skills that are there, by name and version. What is left out over its version is not
/// brought back by what depends on it either.
///
/// # Errors
/// Under [`ReplayPolicy::RequireExactVersion`], every mismatch there is.
pub fn plan_replay(
    saved: &LoadedState,
    current: &BTreeMap<String, CurrentSkill>,
    policy: ReplayPolicy,
) -> Result<ReplayPlan, DriftError> {
    let mut plan = ReplayPlan::default();
    for skill in &saved.skills {
        let Some(found) = current.get(&skill.name) else {
            plan.absent.push(skill.name.clone());
            continue;
        };
        let drift = skill
            .version
            .as_ref()
            .filter(|saved| **saved != found.version);
        if let Some(saved) = drift
            && policy != ReplayPolicy::IgnoreVersion
        {
            plan.drifted.push(VersionDrift {
                skill: skill.name.clone(),
                saved: saved.clone(),
                found: found.version.clone(),
            });
            continue;
        }
        plan.load.push(ReplayLoad {
            skill: skill.name.clone(),
            groups: saved.groups_of(&skill.name),
        });
    }
    if policy == ReplayPolicy::RequireExactVersion && !plan.drifted.is_empty() {
        return Err(DriftError(plan.drifted));
    }
    plan.hold_up(current);
    Ok(plan)
}

impl ReplayPlan {
    fn hold_up(&mut self, current: &BTreeMap<String, CurrentSkill>) {
        let drifted = self.drifted.iter().map(|drift| drift.skill.as_str());
        let drifted: BTreeSet<&str> = drifted.collect();
        if drifted.is_empty() {
            return;
        }
        let held_up = &mut self.held_up;
        self.load.retain(|load| {
            let needed = drifted_below(&load.skill, current, &drifted);
            held_up.extend(needed.map(|needs| HeldUp {
                skill: load.skill.clone(),
                needs: needs.to_owned(),
            }));
            needed.is_none()
        });
    }
}

/// The first of these that loading a skill would load as well; dependencies may go in circles.
fn drifted_below<'a>(
    skill: &'a str,
    current: &'a BTreeMap<String, CurrentSkill>,
    drifted: &BTreeSet<&str>,
) -> Option<&'a str> {
    let mut open = vec![skill];
    let mut seen = BTreeSet::new();
    while let Some(next) = open.pop() {
        if drifted.contains(next) {
            return Some(next);
        }
        if seen.insert(next)
            && let Some(found) = current.get(next)
        {
            open.extend(found.depends.iter().rev().map(String::as_str));
        }
    }
    None
}

/// What a replay did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReplayReport {
    /// Skills that are loaded again.
    pub restored: Vec<String>,
    /// Skills that were left out over their version.
    pub drifted: Vec<VersionDrift>,
    /// Skills that were left out because they depend on one of those.
    pub held_up: Vec<HeldUp>,
    /// Skills that are not there at present.
    pub absent: Vec<String>,
    /// Skills that could not be loaded or that a policy refused, with the reason.
    pub failed: Vec<(String, String)>,
    /// What was wrong with the file.
    pub warnings: Vec<String>,
}

impl ReplayReport {
    /// A line for each thing that is not as it was, for people: the first of each kind, and how many
    /// more there are.
    pub fn notes(&self) -> Vec<String> {
        self.notes_for("")
    }

    /// The same where the state is that of these options of the command, each with a blank before it:
    /// `metier state forget NAME --state-dir state` forgets nothing elsewhere.
    pub fn notes_for(&self, options: &str) -> Vec<String> {
        let mut notes = self.warnings.clone();
        some(&mut notes, &self.drifted, |drift| {
            format!("not restored: {drift}; load it anew, or start with --persist=ignore_version")
        });
        some(&mut notes, &self.held_up, |HeldUp { skill, needs }| {
            let (skill, needs) = (clipped(skill), clipped(needs));
            format!("not restored: `{skill}` needs `{needs}`, which is of another version now")
        });
        some(&mut notes, &self.absent, |skill| {
            let skill = clipped(skill);
            format!(
                "not restored: `{skill}` is not there; it is loaded with the next start, or, with --watch, when it comes, and `metier state forget {skill}{options}` gives it up"
            )
        });
        some(&mut notes, &self.failed, |(skill, why)| {
            format!("not restored: `{}`: {why}", clipped(skill))
        });
        notes
    }
}

/// How many of a kind are told one by one; a file may hold a hundred thousand records.
const TOLD: usize = 20;

fn some<T>(notes: &mut Vec<String>, all: &[T], told: impl Fn(&T) -> String) {
    notes.extend(all.iter().take(TOLD).map(&told));
    if let Some(more) = all.len().checked_sub(TOLD).filter(|more| *more > 0) {
        notes.push(format!(
            "and {more} more that are not restored for the same reason"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::SavedSkill;

    fn saved() -> LoadedState {
        let record = |name: &str, version: &str| SavedSkill::new(name).with_version(version);
        LoadedState {
            skills: vec![
                record("same", "1.0.0"),
                record("newer", "1.0.0"),
                record("older", "2.0.0"),
                record("short", "1.0"),
                SavedSkill::new("unsaved"),
                record("away", "1.0.0"),
            ],
            active_groups: ["same:modeling".to_owned()].into(),
            ..LoadedState::default()
        }
    }

    fn current() -> BTreeMap<String, CurrentSkill> {
        [
            ("same", "1.0.0"),
            ("newer", "1.1.0"),
            ("older", "1.0.0"),
            ("short", "1.0.0"),
            ("unsaved", "3.2.1"),
        ]
        .map(|(name, version)| (name.to_owned(), CurrentSkill::new(version)))
        .into()
    }

    #[test]
    fn what_is_left_out_does_not_come_back_by_what_depends_on_it() {
        let mut current = current();
        let depends = |on: &str| CurrentSkill::new("1.0.0").depends([on]);
        current.insert("same".to_owned(), depends("between"));
        // Nothing is kept of this one: it would only be loaded as a dependency. The circle ends.
        current.insert(
            "between".to_owned(),
            CurrentSkill::new("7").depends(["same", "newer"]),
        );
        let plan = plan_replay(&saved(), &current, ReplayPolicy::SkipOnDrift).unwrap();
        assert_eq!(names(&plan), ["unsaved"]);
        let needs = "newer".to_owned();
        let skill = "same".to_owned();
        assert_eq!(plan.held_up, [HeldUp { skill, needs }]);
        let all = plan_replay(&saved(), &current, ReplayPolicy::IgnoreVersion).unwrap();
        assert_eq!(all.load.len(), 5);
    }

    fn names(plan: &ReplayPlan) -> Vec<&str> {
        plan.load.iter().map(|load| load.skill.as_str()).collect()
    }

    #[test]
    fn skip_leaves_out_what_drifted_and_nothing_else() {
        let plan = plan_replay(&saved(), &current(), ReplayPolicy::SkipOnDrift).unwrap();
        assert_eq!(names(&plan), ["same", "unsaved"]);
        assert_eq!(plan.load[0].groups, ["modeling".to_owned()].into());
        let drifted: Vec<_> = plan.drifted.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(drifted.join("\n"), @"
        `newer` was loaded as 1.0.0 and is 1.1.0 now
        `older` was loaded as 2.0.0 and is 1.0.0 now
        `short` was loaded as 1.0 and is 1.0.0 now
        ");
        assert_eq!(plan.absent, ["away"]);
    }

    #[test]
    fn exact_says_everything_at_once() {
        let error =
            plan_replay(&saved(), &current(), ReplayPolicy::RequireExactVersion).unwrap_err();
        insta::assert_snapshot!(error, @"nothing is restored, because 3 versions are not the ones that are required: `newer` was loaded as 1.0.0 and is 1.1.0 now; `older` was loaded as 2.0.0 and is 1.0.0 now; `short` was loaded as 1.0 and is 1.0.0 now");
    }

    #[test]
    fn ignore_loads_whatever_is_there() {
        let plan = plan_replay(&saved(), &current(), ReplayPolicy::IgnoreVersion).unwrap();
        assert_eq!(names(&plan), ["same", "newer", "older", "short", "unsaved"]);
        assert!(plan.drifted.is_empty());
    }

    #[test]
    fn of_a_hundred_thousand_that_are_away_some_are_told() {
        let mut report = ReplayReport {
            warnings: vec!["w".to_owned()],
            absent: (0..100_000).map(|number| format!("s{number}")).collect(),
            failed: vec![("x\ny".repeat(10_000), "no".to_owned())],
            ..ReplayReport::default()
        };
        let notes = report.notes();
        assert_eq!(notes.len(), 1 + TOLD + 1 + 1);
        assert!(notes[1].contains("`s0` is not there"), "{}", notes[1]);
        assert_eq!(
            notes[1 + TOLD],
            "and 99980 more that are not restored for the same reason"
        );
        assert!(
            notes
                .iter()
                .all(|note| note.len() < 400 && !note.contains('\n'))
        );
        report.absent.truncate(TOLD);
        assert_eq!(report.notes().len(), 1 + TOLD + 1);
    }
}
