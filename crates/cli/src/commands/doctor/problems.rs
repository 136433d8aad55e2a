//! What would fail, and the cure.

use metier::SkillCatalog;
use metier::catalog::{LoadError, LoadRequest};
use metier::diagnostics::{Diagnostic, Severity};
use metier::skill_model::{SkillStatus, canonical_name, wire_name};
use serde::Serialize;

use crate::config::{Config, Fault};
use crate::findings::placed;
use crate::tool_outlook::{Obstacle, ToolOutlook};

use super::interpreters::Interpreter;

/// The cure for a fault of a file that has none of its own.
const MEND: &str = "mend it; `metier check` shows the place";

/// Something that would fail.
#[derive(Serialize)]
pub(super) struct Problem {
    /// `settings`, `root`, `skill NAME`, `tool NAME`.
    pub(super) about: String,
    pub(super) what: String,
    pub(super) cure: String,
}

impl Problem {
    fn new(about: impl Into<String>, problem: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            about: about.into(),
            what: problem.into(),
            cure: cure.into(),
        }
    }

    fn of_finding(about: impl Into<String>, finding: &Diagnostic, cure: &str) -> Self {
        let place = finding
            .location()
            .map(|place| format!("{place}: "))
            .unwrap_or_default();
        let cure = finding.help.as_deref().unwrap_or(cure);
        Self::new(
            about,
            one_line(&format!("{place}{} [{}]", finding.message, finding.code)),
            one_line(cure),
        )
    }
}

/// How many of those that a problem is about are named.
const NAMED: usize = 3;

/// The same problem of several tools told once, where it came first: one interpreter that lacks is
/// one thing to mend.
pub(super) fn grouped(problems: &[Problem]) -> Vec<(&Problem, String)> {
    let mut groups: Vec<(&Problem, Vec<&str>)> = Vec::new();
    for problem in problems {
        let same = groups
            .iter_mut()
            .find(|(first, _)| first.what == problem.what && first.cure == problem.cure);
        match same {
            Some((_, about)) => about.push(&problem.about),
            None => groups.push((problem, vec![&problem.about])),
        }
    }
    groups
        .into_iter()
        .map(|(problem, about)| {
            let named: Vec<&str> = about.iter().take(NAMED).copied().collect();
            let mut text = named.join(", ");
            if about.len() > NAMED {
                text = format!("{text} and {} more", about.len() - NAMED);
            }
            (problem, text)
        })
        .collect()
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Settings that cannot be used, and variables that look like ours and mean nothing.
pub(super) fn of_settings(config: &Config, faults: &[Fault]) -> Vec<Problem> {
    let faults = faults.iter().map(|fault| {
        let problem = format!("{}: {}", fault.place, fault.message);
        Problem::new("settings", problem, fault.cure.as_str())
    });
    let notes = config
        .notes
        .iter()
        .filter_map(|note| note.split_once("; "))
        .map(|(problem, cure)| Problem::new("settings", problem, cure));
    faults.chain(notes).collect()
}

/// Interpreters that are there and do not start.
pub(super) fn of_interpreters(interpreters: &[Interpreter]) -> Vec<Problem> {
    let faults = interpreters.iter().filter_map(Interpreter::fault);
    let problem = |(problem, cure): (String, String)| Problem::new("interpreter", problem, cure);
    faults.map(problem).collect()
}

/// Roots that are not there, skills that cannot be loaded, tools that cannot be called. Every skill
/// is loaded, which runs none of its scripts, because only that shows what stands in each other's way.
pub(super) async fn of_skills(catalog: &SkillCatalog) -> Vec<Problem> {
    let snapshot = catalog.snapshot();
    let of_finding = |about: &str, finding: &Diagnostic| {
        Problem::of_finding(about, &placed(&snapshot, finding), MEND)
    };
    let mut problems: Vec<Problem> = snapshot
        .root_findings()
        .filter(|finding| finding.severity >= Severity::Warning)
        .map(|finding| Problem::of_finding("root", finding, "make the folder, or name another one"))
        .collect();
    for skill in catalog.list_skills(Some(SkillStatus::Skipped)) {
        let about = format!("skill {}", skill.name);
        let errors = skill
            .diagnostics
            .iter()
            .filter(|finding| finding.severity == Severity::Error);
        problems.extend(errors.map(|finding| of_finding(&about, finding)));
    }
    // All at once: each loading makes a list of all tools.
    let skills = catalog.list_skills(None);
    let requests = skills.iter();
    let requests = requests.map(|skill| LoadRequest::new(skill.name.as_str()));
    let loaded = catalog.load_all(requests.collect()).await;
    for (skill, loaded) in skills.into_iter().zip(loaded) {
        let about = format!("skill {}", skill.name);
        let found = match &loaded {
            Ok(report) => &report.diagnostics,
            Err(_) => &skill.diagnostics,
        };
        // Whatever the loading says, what the reading found has its place there.
        let mut errors: Vec<&Diagnostic> = Vec::new();
        for finding in found.iter().chain(&skill.diagnostics) {
            if finding.severity == Severity::Error && !errors.contains(&finding) {
                errors.push(finding);
            }
        }
        problems.extend(errors.iter().map(|finding| of_finding(&about, finding)));
        match &loaded {
            Ok(_) => {}
            // Its errors, which are told with their places, are the reason.
            Err(LoadError::Unusable { .. }) if !errors.is_empty() => {}
            Err(error) => problems.push(of_load(about, error)),
        }
        problems.extend(of_tools(catalog, &skill.name, &errors));
    }
    problems
}

/// Skills whose instructions and files no client gets to read. Looks at the files.
pub(super) fn of_texts(catalog: &SkillCatalog) -> Vec<Problem> {
    let skills = catalog.list_skills(None);
    let texts = catalog.texts_of(&skills).into_iter();
    let told = skills.iter().zip(texts).filter_map(|(skill, text)| {
        let what = format!(
            "its instructions and files are not served: {}",
            text?.not_served?
        );
        let name = skill.id.as_ref().unwrap_or(&skill.name);
        let cure = "`metier check` shows the place and the cure";
        Some(Problem::new(format!("skill {name}"), one_line(&what), cure))
    });
    told.collect()
}

fn of_load(about: String, error: &LoadError) -> Problem {
    let (problem, cure) = match error {
        LoadError::Unusable { reason, .. } => (reason.clone(), MEND),
        LoadError::Dependencies { name, reasons, .. } if !reasons.is_empty() => {
            let text = error.to_string();
            let known = format!("the skill `{name}` cannot be loaded: ");
            let problem = text.strip_prefix(&known).unwrap_or(&text).to_owned();
            let cure = "make what it needs available, or remove it from the dependencies";
            (problem, cure)
        }
        LoadError::Dependencies { error, .. } => {
            let text = error.to_string();
            match text.split_once("; ") {
                Some((problem, cure)) => return Problem::new(about, problem, cure),
                None => (text, "remove one of the dependencies of the cycle"),
            }
        }
        other => (other.to_string(), MEND),
    };
    Problem::new(about, one_line(&problem), cure)
}

/// `errors` are those of the skill, which are told already.
fn of_tools(catalog: &SkillCatalog, skill: &str, errors: &[&Diagnostic]) -> Vec<Problem> {
    let registry = catalog.registry();
    let Some(metadata) = catalog.get_skill_info(skill).and_then(|info| info.metadata) else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    for tool in &metadata.tools {
        let about = format!("tool {}", wire_name(&canonical_name(skill, &tool.name)));
        let outlook = ToolOutlook::of(tool, &metadata, registry.settings());
        let named = format!("`{}`", tool.name);
        let is_told = errors.iter().any(|error| error.message.contains(&named));
        problems.extend(
            outlook
                .obstacles
                .into_iter()
                // What keeps a tool out is one thing to mend, and an error with its place and cure tells it.
                .filter(|_| !(is_told && tool.refusal.is_some()))
                .map(|Obstacle { problem, cure }| Problem::new(about.as_str(), problem, cure)),
        );
    }
    problems
}
