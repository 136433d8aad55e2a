//! The check itself: the loader's reading, then the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier_catalog::codes::TOOL_NAME_TAKEN;
use metier_catalog::name_clashes;
use metier_diagnostics::{Code, Diagnostic, Severity};
use metier_loader::{
    LoadedSkill, MOST_FINDINGS, ParseMode, Root, RootLabel, ScanReport, read_despite_errors, scan,
    within_limit,
};
use metier_skill_model::ScriptLookup;

use crate::report::{CheckReport, CheckedSkill, Finding, Verdict};
use crate::rules::{self, Neighbours, Served};
use crate::subject::{Subject, skill_file};

/// How a check is made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// How forgiving skills are read. Strict, unless said otherwise; lenient is what servers do, and
    /// then missing dependencies are warnings as well.
    pub mode: ParseMode,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            mode: ParseMode::Strict,
        }
    }
}

impl CheckOptions {
    /// Reads skills as servers do.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.mode = ParseMode::Lenient;
        self
    }
}

/// A skill with all that the check keeps of it.
struct Read {
    root: Arc<Path>,
    display_path: String,
    checked: CheckedSkill,
    /// As the loader made it; a rejected one as far as it can be read leniently.
    skill: Option<Arc<LoadedSkill>>,
}

impl Read {
    /// Whether the name is one that could be read.
    fn is_named(&self) -> bool {
        let named = self.skill.as_ref().map(|skill| &*skill.metadata.name);
        named == Some(&*self.checked.name)
    }
}

/// Checks every skill below the folders.
pub fn check(paths: &[PathBuf], options: &CheckOptions) -> CheckReport {
    let roots: Vec<Root> = paths
        .iter()
        .map(|path| Root::new(RootLabel::Explicit, path))
        .collect();
    check_roots(&roots, options)
}

/// Checks every skill below roots that may come from anywhere.
pub fn check_roots(roots: &[Root], options: &CheckOptions) -> CheckReport {
    let scanned = scan(roots, options.mode);
    let mut findings = Vec::new();
    about_roots(&scanned, &mut findings);
    let skills = read(roots, scanned, &mut findings);

    let subjects: Vec<(usize, Subject<'_>)> = skills
        .iter()
        .enumerate()
        .filter_map(|(number, read)| {
            let subject = Subject::new(read.skill.as_ref()?, &read.display_path);
            Some((number, subject))
        })
        .collect();
    let refused = refused(&skills, &subjects, options.mode);
    let (served, unreadable) = served(&skills, &subjects, &refused);
    let dependencies = dependencies(&skills, &refused);
    let neighbours = Neighbours::new(&served, unreadable, options.mode);
    let mut found: Vec<(usize, Diagnostic)> = rules::across(&served, &neighbours);
    drop(served);
    found.extend(uri_taken(&skills, &subjects, &refused));
    found.extend(alone(&skills, &neighbours));
    let mut skills: Vec<Read> = skills;
    for (number, diagnostic) in found {
        if let Some(read) = skills.get_mut(number) {
            block(read, &diagnostic);
            findings.push(Finding {
                root: Some(Arc::clone(&read.root)),
                diagnostic,
            });
        }
    }
    for number in refused {
        if let Some(read) = skills.get_mut(number) {
            read.checked.verdict = Verdict::Rejected;
            read.checked.reasons.push(TOOL_NAME_TAKEN);
            read.checked.callable = 0;
        }
    }
    let mut findings = within_limits(findings);
    sort(roots, &mut findings);
    for (number, verdict, code) in dependencies {
        if let Some(read) = skills.get_mut(number) {
            read.checked.verdict = verdict;
            read.checked.reasons.push(code);
            if verdict == Verdict::Unusable {
                read.checked.callable = 0;
            }
        }
    }
    skills.sort_by(|one, other| {
        let place = |read: &Read| root_number(roots, Some(&read.root));
        let parts = |read: &Read| {
            let parts = read.display_path.split('/').map(str::to_owned);
            parts.collect::<Vec<_>>()
        };
        (place(one), parts(one)).cmp(&(place(other), parts(other)))
    });
    CheckReport {
        findings,
        skills: skills.into_iter().map(|read| read.checked).collect(),
    }
}

/// A skill with a hostile file is listed by servers until somebody loads it, and loaded by none.
fn block(read: &mut Read, finding: &Diagnostic) {
    if metier_loader::blocking(std::slice::from_ref(finding)).is_none() {
        return;
    }
    if read.checked.verdict == Verdict::Loaded {
        read.checked.verdict = Verdict::Unusable;
        read.checked.callable = 0;
    }
    if read.checked.verdict == Verdict::Unusable && !read.checked.reasons.contains(&finding.code) {
        read.checked.reasons.push(finding.code);
    }
}

/// The loader's findings about a file and those of the rules share one limit.
fn within_limits(findings: Vec<Finding>) -> Vec<Finding> {
    if findings.len() <= MOST_FINDINGS {
        return findings;
    }
    let mut by_root: BTreeMap<Option<Arc<Path>>, Vec<Diagnostic>> = BTreeMap::new();
    for finding in findings {
        let of_root = by_root.entry(finding.root).or_default();
        of_root.push(finding.diagnostic);
    }
    let bounded = by_root.into_iter().flat_map(|(root, found)| {
        let finding = move |diagnostic| Finding {
            root: root.clone(),
            diagnostic,
        };
        within_limit(found).into_iter().map(finding)
    });
    bounded.collect()
}

/// The skills that strict mode rejects for a tool whose name an earlier skill's tool has, as the catalog does.
fn refused(skills: &[Read], subjects: &[(usize, Subject<'_>)], mode: ParseMode) -> BTreeSet<usize> {
    if mode == ParseMode::Lenient {
        return BTreeSet::new();
    }
    let (served, _) = served(skills, subjects, &BTreeSet::new());
    let clashes = name_clashes(served.iter().map(|served| served.subject.metadata()));
    let refused = clashes.iter().filter_map(|clash| served.get(clash.skill));
    let refused = refused.filter(|served| !served.is_rejected);
    refused.map(|served| served.number).collect()
}

/// The skills that stand for their names, and the names of those that nothing can be read of.
fn served<'s, 'a>(
    skills: &'a [Read],
    subjects: &'s [(usize, Subject<'a>)],
    refused: &BTreeSet<usize>,
) -> (Vec<Served<'s, 'a>>, Vec<&'a str>) {
    let verdict = |number: usize| skills.get(number).map(|read| read.checked.verdict);
    let served = subjects
        .iter()
        .filter(|(number, _)| verdict(*number) != Some(Verdict::Shadowed))
        .map(|(number, subject)| Served {
            number: *number,
            subject,
            is_rejected: verdict(*number) == Some(Verdict::Rejected) || refused.contains(number),
        })
        .collect();
    let unreadable = skills
        .iter()
        .filter(|read| !read.is_named())
        .flat_map(|read| {
            // Of broken front matter the name is a guess, and the folder's is another.
            let folder = read.checked.id.rsplit(['/', ':']).next();
            [Some(read.checked.name.as_str()), folder]
        })
        .flatten()
        .collect();
    (served, unreadable)
}

/// What is said of shadowed skills that have no URI, each with the number of its skill.
fn uri_taken(
    skills: &[Read],
    subjects: &[(usize, Subject<'_>)],
    refused: &BTreeSet<usize>,
) -> Vec<(usize, Diagnostic)> {
    let verdict = |number: usize| skills.get(number).map(|read| read.checked.verdict);
    let (mut named, mut numbers, mut shadowed) = (Vec::new(), Vec::new(), Vec::new());
    for (number, subject) in subjects {
        match verdict(*number) {
            Some(Verdict::Shadowed) => {
                numbers.push(*number);
                shadowed.push(subject);
            }
            Some(Verdict::Rejected) | None => {}
            Some(_) if refused.contains(number) => {}
            Some(_) => named.push(subject),
        }
    }
    let found = rules::uri_taken(&named, &shadowed).into_iter();
    let found = found.filter_map(|(at, finding)| Some((*numbers.get(at)?, finding)));
    found.collect()
}

/// The skills that load and whose dependencies keep them from it, each with the code that says why.
fn dependencies(skills: &[Read], refused: &BTreeSet<usize>) -> Vec<(usize, Verdict, Code)> {
    let loaded = skills.iter().enumerate().filter_map(|(number, read)| {
        let is_served = matches!(read.checked.verdict, Verdict::Loaded | Verdict::Unusable)
            && !refused.contains(&number);
        Some((number, read.skill.as_deref().filter(|_| is_served)?))
    });
    let verdicts = rules::verdicts(loaded.clone().map(|(_, skill)| skill));
    loaded
        .filter_map(|(number, skill)| {
            let (verdict, code) = verdicts.get(skill.metadata.name.as_str())?;
            // What cannot be loaded whatever else is found stays that.
            let known = skill.unusable.as_ref().map(|_| Verdict::Unusable);
            Some((number, known.unwrap_or(*verdict), *code))
        })
        .collect()
}

/// The rules that look at one skill alone, on as many threads as there are cores.
fn alone(skills: &[Read], neighbours: &Neighbours<'_>) -> Vec<(usize, Diagnostic)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = skills.len().div_ceil(cores).max(16);
    let numbered: Vec<(usize, &Read)> = skills.iter().enumerate().collect();
    let work = |part: &[(usize, &Read)]| -> Vec<(usize, Diagnostic)> {
        let mut found = Vec::new();
        for (number, read) in part {
            if let Some(skill) = &read.skill {
                let subject = Subject::new(skill, &read.display_path);
                let about = rules::alone(&subject, neighbours);
                found.extend(about.into_iter().map(|diagnostic| (*number, diagnostic)));
            }
        }
        found
    };
    std::thread::scope(|scope| {
        let parts: Vec<_> = numbered
            .chunks(share)
            .map(|part| scope.spawn(move || work(part)))
            .collect();
        let done = parts.into_iter().map(std::thread::ScopedJoinHandle::join);
        done.flat_map(Result::unwrap_or_default).collect()
    })
}

/// Takes skills and their own findings out of the scan.
fn read(roots: &[Root], scanned: ScanReport, findings: &mut Vec<Finding>) -> Vec<Read> {
    let mut skills = Vec::new();
    let mut told = |root: &Arc<Path>, diagnostics: Vec<Diagnostic>| {
        findings.extend(diagnostics.into_iter().map(|diagnostic| Finding {
            root: Some(Arc::clone(root)),
            diagnostic,
        }));
    };
    let known: Vec<Arc<Path>> = roots
        .iter()
        .map(|root| root.path.as_path().into())
        .collect();
    let shared = |path: &Path| -> Arc<Path> {
        let found = known.iter().find(|known| known.as_ref() == path);
        found.map_or_else(|| path.into(), Arc::clone)
    };
    for skill in scanned.skills {
        let root = shared(&skill.root.path);
        let reasons = reasons(&skill.diagnostics);
        told(&root, skill.diagnostics.clone());
        let verdict = if skill.unusable.is_some() {
            Verdict::Unusable
        } else {
            Verdict::Loaded
        };
        let mut read = of_skill(root, skill, verdict);
        if verdict == Verdict::Unusable {
            read.checked.reasons = reasons;
        }
        skills.push(read);
    }
    for shadowed in scanned.shadowed {
        let skill = shadowed.skill;
        let root = shared(&skill.root.path);
        told(&root, skill.diagnostics.clone());
        told(&root, vec![shadowed.diagnostic]);
        skills.push(of_skill(root, skill, Verdict::Shadowed));
    }
    for rejected in scanned.rejected {
        let root = shared(&rejected.root.path);
        let reasons = reasons(&rejected.diagnostics.clone());
        told(&root, rejected.diagnostics.clone());
        let again = read_despite_errors(&rejected.path);
        let skill_file = skill_file(&root, &rejected.display_path);
        skills.push(Read {
            root,
            display_path: rejected.display_path.clone(),
            checked: CheckedSkill {
                id: rejected.id.to_string(),
                name: rejected.name.clone(),
                path: rejected.path.clone(),
                skill_file,
                verdict: Verdict::Rejected,
                reasons,
                tools: again.as_ref().map(tool_names).unwrap_or_default(),
                callable: 0,
            },
            skill: again.map(Arc::new),
        });
    }
    skills
}

/// The codes of the errors, each once.
fn reasons(diagnostics: &[Diagnostic]) -> Vec<Code> {
    let errors = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    let mut codes: Vec<Code> = errors.map(|diagnostic| diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn of_skill(root: Arc<Path>, skill: Arc<LoadedSkill>, verdict: Verdict) -> Read {
    let callable = |tool: &&metier_skill_model::ToolDeclaration| {
        tool.refusal.is_none() && matches!(tool.script, ScriptLookup::Script { .. })
    };
    let usable = verdict == Verdict::Loaded;
    let skill_file = skill_file(&root, &skill.display_path);
    Read {
        root,
        display_path: skill.display_path.clone(),
        checked: CheckedSkill {
            id: skill.id.to_string(),
            name: skill.metadata.name.to_string(),
            path: skill.path.clone(),
            skill_file,
            verdict,
            reasons: Vec::new(),
            tools: tool_names(&skill),
            callable: if usable {
                skill.metadata.tools.iter().filter(callable).count()
            } else {
                0
            },
        },
        skill: Some(skill),
    }
}

fn tool_names(skill: &LoadedSkill) -> Vec<String> {
    let tools = skill.metadata.tools.iter();
    tools.map(|tool| tool.name.clone()).collect()
}

fn about_roots(scanned: &ScanReport, findings: &mut Vec<Finding>) {
    findings.extend(scanned.root_findings.iter().map(|found| Finding {
        root: found.root.as_ref().map(|root| root.path.as_path().into()),
        diagnostic: found.diagnostic.clone(),
    }));
}

fn root_number(roots: &[Root], root: Option<&Arc<Path>>) -> Option<usize> {
    let root = root?;
    roots.iter().position(|known| known.path == **root)
}

/// By root, file and place; a file named `SKILL.md` comes before the others of its folder.
fn sort(roots: &[Root], findings: &mut [Finding]) {
    findings.sort_by_cached_key(|finding| {
        let location = finding.diagnostic.location();
        (
            root_number(roots, finding.root.as_ref()),
            location.map(|place| {
                let parts: Vec<String> = place.file.split('/').map(str::to_owned).collect();
                (parts, place.line, place.column)
            }),
            finding.diagnostic.code.id,
        )
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_found_in_no_folder() {
        let report = check(&[], &CheckOptions::default());
        assert!(report.skills.is_empty() && report.findings.is_empty());
    }
}
