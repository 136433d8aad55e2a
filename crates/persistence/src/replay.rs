//! What is loaded again after a restart.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::format::clipped;
use crate::state::LoadedState;

/// What happens to a skill whose version on disk is not the saved one. Versions are compared as
/// text, so `1.0` differs from `1.0.0`; a record without a version fits every one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayPolicy {
    /// It is not loaded; the others are.
    #[default]
    SkipOnDrift,
    /// Nothing is loaded at all, and the start fails with every mismatch.
    RequireExactVersion,
    /// It is loaded as it is.
    IgnoreVersion,
}

impl ReplayPolicy {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [
        Self::SkipOnDrift,
        Self::RequireExactVersion,
        Self::IgnoreVersion,
    ];

    /// The name as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SkipOnDrift => "skip_on_drift",
            Self::RequireExactVersion => "require_exact_version",
            Self::IgnoreVersion => "ignore_version",
        }
    }
}

impl fmt::Display for ReplayPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no policy; there are skip_on_drift, require_exact_version and ignore_version")]
pub struct UnknownPolicy(pub String);

impl FromStr for ReplayPolicy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        let found = Self::ALL.into_iter().find(|policy| policy.name() == text);
        found.ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}

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
    /// Skills that are not there at present. Their records stay: a network drive may be late.
    pub absent: Vec<String>,
}

/// Compares a saved state with the skills that are there, by name and version.
///
/// # Errors
/// Under [`ReplayPolicy::RequireExactVersion`], every mismatch there is.
pub fn plan_replay(
    saved: &LoadedState,
    current: &BTreeMap<String, String>,
    policy: ReplayPolicy,
) -> Result<ReplayPlan, DriftError> {
    let mut plan = ReplayPlan::default();
    for skill in &saved.skills {
        let Some(found) = current.get(&skill.name) else {
            plan.absent.push(skill.name.clone());
            continue;
        };
        let drift = skill.version.as_ref().filter(|saved| *saved != found);
        if let Some(saved) = drift
            && policy != ReplayPolicy::IgnoreVersion
        {
            plan.drifted.push(VersionDrift {
                skill: skill.name.clone(),
                saved: saved.clone(),
                found: found.clone(),
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
    Ok(plan)
}

/// What a replay did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReplayReport {
    /// Skills that are loaded again.
    pub restored: Vec<String>,
    /// Skills that were left out over their version.
    pub drifted: Vec<VersionDrift>,
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
        let mut notes = self.warnings.clone();
        some(&mut notes, &self.drifted, |drift| {
            format!("not restored: {drift}; load it anew, or start with --persist=ignore_version")
        });
        some(&mut notes, &self.absent, |skill| {
            let skill = clipped(skill);
            format!(
                "not restored: `{skill}` is not there; it is loaded when it comes, and `metier state forget {skill}` gives it up"
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

    fn current() -> BTreeMap<String, String> {
        [
            ("same", "1.0.0"),
            ("newer", "1.1.0"),
            ("older", "1.0.0"),
            ("short", "1.0.0"),
            ("unsaved", "3.2.1"),
        ]
        .map(|(name, version)| (name.to_owned(), version.to_owned()))
        .into()
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
    fn policies_have_the_names_that_are_written() {
        for policy in ReplayPolicy::ALL {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        assert!("skip".parse::<ReplayPolicy>().is_err());
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
