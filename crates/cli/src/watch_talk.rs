//! What `--watch` found, told to the operator.

use std::collections::BTreeMap;

use metier::SkillCatalog;
use metier::catalog::{CatalogEvent, CatalogEventKind};
use metier::skill_model::{SkillStatus, SkillSummary};
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::findings::errors_of;
use crate::printer::Printer;

/// The finding of a skill whose files are broken and whose last good version is served.
const KEPT: &str = "MT162";
const UNSAID: &str = "`metier check` says why";

/// How a skill stands, and everything of it that a person can change.
#[derive(Clone, PartialEq, Eq)]
struct Standing {
    /// Why it cannot be used, in one line.
    broken: Option<String>,
    content: String,
}

type Seen = BTreeMap<String, Standing>;

/// What is there now, to be compared with what is there after a change.
pub(crate) struct WatchTalk {
    catalog: SkillCatalog,
    changes: Receiver<CatalogEvent>,
    seen: Seen,
}

impl WatchTalk {
    /// Takes down what is there, before the folders are followed.
    pub(crate) fn begin(catalog: &SkillCatalog) -> Self {
        Self {
            catalog: catalog.clone(),
            changes: catalog.subscribe(),
            seen: seen(catalog),
        }
    }

    /// Tells every change from now on, a line for each skill, as long as there is a catalog.
    pub(crate) async fn tell(mut self, printer: Printer) {
        loop {
            match self.changes.recv().await {
                Ok(event) if event.kind != CatalogEventKind::SkillsChanged => continue,
                // A listener that lags is told of it, and looks at everything all the same.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
            let now = seen(&self.catalog);
            for line in differences(&self.seen, &now) {
                printer.say(&line);
            }
            self.seen = now;
        }
    }
}

fn seen(catalog: &SkillCatalog) -> Seen {
    let snapshot = catalog.snapshot();
    let standing = |skill: &SkillSummary| {
        let why = || errors_of(&snapshot, skill).into_iter().next();
        let kept = skill
            .diagnostics
            .iter()
            .any(|finding| finding.code.to_string() == KEPT);
        let broken = match skill.status {
            SkillStatus::Loaded | SkillStatus::Unloaded if kept => Some(format!(
                "{}; the last good version stays in use",
                why().unwrap_or_else(|| UNSAID.to_owned())
            )),
            SkillStatus::Loaded | SkillStatus::Unloaded => None,
            SkillStatus::PendingDeps => Some(format!(
                "it needs {}, which is not there",
                skill.missing_dependencies.join(", ")
            )),
            _ => Some(why().unwrap_or_else(|| UNSAID.to_owned())),
        };
        // Whether a client loaded it is no change of the folder.
        let metadata = catalog
            .get_skill_info(&skill.name)
            .and_then(|info| info.metadata);
        Standing {
            broken,
            content: json!([metadata, skill.diagnostics]).to_string(),
        }
    };
    let mut skills = catalog.list_skills(Some(SkillStatus::Skipped));
    // Of a rejected skill and a usable one of the same name the usable one counts.
    skills.extend(catalog.list_skills(None));
    skills
        .iter()
        .map(|skill| (skill.name.clone(), standing(skill)))
        .collect()
}

fn differences(before: &Seen, now: &Seen) -> Vec<String> {
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let mut lines: Vec<String> = gone.map(|name| format!("skill removed: {name}")).collect();
    for (name, standing) in now {
        let old = before.get(name);
        if old == Some(standing) {
            continue;
        }
        let was_broken = old.is_some_and(|old| old.broken.is_some());
        lines.push(match (&standing.broken, old) {
            (Some(why), _) => format!("skill broken: {name}: {why}"),
            (None, None) => format!("skill added: {name}"),
            (None, Some(_)) if was_broken => format!("skill mended: {name}"),
            (None, Some(_)) => format!("skill changed: {name}"),
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(broken: Option<&str>, content: &str) -> Standing {
        Standing {
            broken: broken.map(ToOwned::to_owned),
            content: content.to_owned(),
        }
    }

    #[test]
    fn each_change_has_its_line() {
        let seen = |skills: &[(&str, Option<&str>, &str)]| {
            let skills = skills.iter();
            skills
                .map(|(name, broken, content)| ((*name).to_owned(), standing(*broken, content)))
                .collect::<Seen>()
        };
        let before = seen(&[
            ("same", None, "1"),
            ("gone", None, "1"),
            ("edited", None, "1"),
            ("breaks", None, "1"),
            ("heals", Some("no"), "1"),
        ]);
        let now = seen(&[
            ("same", None, "1"),
            ("new", None, "1"),
            ("edited", None, "2"),
            ("breaks", Some("a.yaml:1:1: no"), "1"),
            ("heals", None, "1"),
        ]);
        assert_eq!(
            differences(&before, &now),
            [
                "skill removed: gone",
                "skill broken: breaks: a.yaml:1:1: no",
                "skill changed: edited",
                "skill mended: heals",
                "skill added: new",
            ]
        );
        assert!(differences(&now, &now).is_empty());
    }
}
