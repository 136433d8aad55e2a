//! Scanning again, where only what changed is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use metier_diagnostics::{Diagnostic, Location};

use crate::candidate::{Candidate, SkillFolder};
use crate::parallel::in_parallel;
use crate::parse::parse_touching;
use crate::report::{LoadedSkill, RejectedSkill, ScanReport, SkillId};
use crate::scan::assemble;
use crate::scan_delta::{ScanDelta, delta};
use crate::stamp::Stamp;
use crate::walk::{Walked, walk};
use crate::{ParseMode, Root, codes};

type Read = Result<Arc<LoadedSkill>, Arc<RejectedSkill>>;

/// Scans the same roots again and again, and reads only what has changed.
///
/// A skill is the same as long as every file and folder that was asked for when it was read has the
/// same size, times and identity, links followed. A file that changed within the last seconds is
/// read once more, because two changes in one tick of a file system's clock look like one.
///
/// A save that breaks a skill does not lose it: the last good version stays, with the findings
/// about the files on disk, until they are mended or the folder goes.
#[derive(Debug)]
pub struct ScanCache {
    roots: Vec<Root>,
    mode: ParseMode,
    walk: Option<KnownWalk>,
    skills: BTreeMap<SkillId, Arc<KnownSkill>>,
    /// The same in the order of the walk's candidates.
    in_order: Vec<Arc<KnownSkill>>,
    report: Arc<ScanReport>,
}

/// A walk that holds as long as its folders are as they were.
#[derive(Debug)]
struct KnownWalk {
    walked: Walked,
    /// The roots with the folders they lead to.
    roots: Vec<Option<PathBuf>>,
    stamps: Vec<Option<Stamp>>,
    holds: bool,
}

/// A skill as it was read last.
#[derive(Clone, Debug)]
struct KnownSkill {
    path: PathBuf,
    content: SkillFolder,
    /// Everything the answer depends on.
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    /// The scripts: their text plays no part in the answer, but what clients know of it does.
    scripts: Vec<(PathBuf, Option<Stamp>)>,
    /// Equal stamps mean equal files.
    settled: bool,
    /// What is used: what was read, or the last good version.
    used: Read,
    /// The last version without a fault of the whole.
    good: Option<Arc<LoadedSkill>>,
}

impl ScanCache {
    /// A cache that has seen nothing yet: the first rescan finds everything new.
    pub fn new(roots: Vec<Root>, mode: ParseMode) -> Self {
        Self {
            roots,
            mode,
            walk: None,
            skills: BTreeMap::new(),
            in_order: Vec::new(),
            report: Arc::default(),
        }
    }

    /// The roots that are scanned.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Scans other roots from now on. What is known of skills that stay is kept.
    pub fn set_roots(&mut self, roots: Vec<Root>) {
        if self.roots != roots {
            self.roots = roots;
            self.walk = None;
        }
    }

    /// How skills are read.
    pub fn mode(&self) -> ParseMode {
        self.mode
    }

    /// What the last scan brought.
    pub fn report(&self) -> &Arc<ScanReport> {
        &self.report
    }

    /// Scans, and says what is different from the last time.
    pub fn rescan(&mut self) -> ScanDelta {
        let walk = match self.walk.take() {
            Some(known) if known.still_holds(&self.roots) => {
                if self.nothing_changed(&known) {
                    self.walk = Some(known);
                    return ScanDelta {
                        unchanged: self.report.skills.len(),
                        report: Arc::clone(&self.report),
                        ..ScanDelta::default()
                    };
                }
                known
            }
            _ => KnownWalk::new(&self.roots, self.mode),
        };
        let known = std::mem::take(&mut self.skills);
        let mode = self.mode;
        let found = in_parallel(&walk.walked.candidates, |candidate| {
            let id = candidate.id();
            let before = known.get(&id);
            match before {
                Some(before) if before.still_holds(candidate) => (id, Arc::clone(before), false),
                before => {
                    let before = before.map(AsRef::as_ref);
                    (
                        id,
                        Arc::new(KnownSkill::read(candidate, mode, before)),
                        true,
                    )
                }
            }
        });
        let mut read = 0;
        let mut results = Vec::with_capacity(found.len());
        self.in_order.clear();
        for (id, skill, was_read) in found {
            read += usize::from(was_read);
            results.push(skill.used.clone());
            self.in_order.push(Arc::clone(&skill));
            self.skills.insert(id, skill);
        }
        let report = Arc::new(assemble(&self.roots, &walk.walked, results));
        self.walk = Some(walk);
        let before = std::mem::replace(&mut self.report, Arc::clone(&report));
        delta(&before, report, read)
    }

    /// Whether every skill of a walk that still holds is as it was: by far the most frequent case, in
    /// which nothing is put together anew.
    fn nothing_changed(&self, walk: &KnownWalk) -> bool {
        let candidates = &walk.walked.candidates;
        let pairs: Vec<_> = candidates.iter().zip(&self.in_order).collect();
        pairs.len() == candidates.len()
            && pairs.len() == self.in_order.len()
            && in_parallel(&pairs, |(candidate, known)| known.still_holds(candidate))
                .into_iter()
                .all(|holds| holds)
    }

    /// Every folder in which a change may change the report: those that were listed, and those of
    /// the files that skills depend on.
    #[cfg(feature = "watch")]
    pub(crate) fn folders(&self) -> std::collections::BTreeSet<PathBuf> {
        let mut folders = std::collections::BTreeSet::new();
        if let Some(walk) = &self.walk {
            folders.extend(walk.walked.folders.iter().cloned());
        }
        for skill in self.skills.values() {
            for (path, stamp) in &skill.stamps {
                let is_folder = stamp.is_some_and(|stamp| stamp.is_folder());
                let folder = if is_folder {
                    Some(path.as_path())
                } else {
                    path.parent()
                };
                folders.extend(folder.map(Path::to_path_buf));
            }
        }
        folders
    }

    /// Every link that a skill or one of its files was reached by: what it leads to lies in another
    /// folder.
    #[cfg(feature = "watch")]
    pub(crate) fn links(&self) -> Vec<PathBuf> {
        let walked = self.walk.iter().flat_map(|walk| &walk.walked.links);
        let stamps = self.skills.values().flat_map(|skill| &skill.stamps);
        let inside = stamps.map(|(path, _)| path).filter(|path| {
            path.symlink_metadata()
                .is_ok_and(|found| found.is_symlink())
        });
        walked.chain(inside).cloned().collect()
    }
}

impl KnownWalk {
    fn new(roots: &[Root], mode: ParseMode) -> Self {
        let now = SystemTime::now();
        let walked = walk(roots, mode);
        let stamps = in_parallel(&walked.folders, |folder| Stamp::of(folder));
        let holds = walked.links.is_empty()
            && walked.locked.is_empty()
            && stamps.iter().flatten().all(|stamp| stamp.is_settled(now));
        Self {
            roots: targets(roots),
            walked,
            stamps,
            holds,
        }
    }

    fn still_holds(&self, roots: &[Root]) -> bool {
        self.holds
            && self.roots == targets(roots)
            && in_parallel(&self.walked.folders, |folder| Stamp::of(folder)) == self.stamps
    }
}

fn targets(roots: &[Root]) -> Vec<Option<PathBuf>> {
    roots
        .iter()
        .map(|root| root.path.canonicalize().ok())
        .collect()
}

impl KnownSkill {
    fn read(candidate: &Candidate, mode: ParseMode, before: Option<&Self>) -> Self {
        let now = SystemTime::now();
        let (read, touched) = parse_touching(candidate, mode);
        let stamps: Vec<_> = if touched.is_empty() {
            vec![candidate.path.clone()]
        } else {
            touched
                .into_iter()
                .map(|path| candidate.path.join(path))
                .collect()
        }
        .into_iter()
        .map(|path| {
            let stamp = Stamp::of(&path);
            (path, stamp)
        })
        .collect();
        let scripts = read.as_ref().map_or_else(
            |_| Vec::new(),
            |skill| stamped(&candidate.path, &skill.metadata.scripts),
        );
        let settled = stamps
            .iter()
            .chain(&scripts)
            .all(|(_, stamp)| stamp.is_none_or(|stamp| stamp.is_settled(now)));
        let before = before.filter(|before| before.path == candidate.path);
        let good = before.and_then(|before| before.good.as_ref());
        let used = match read {
            Ok(skill) if skill.unusable.is_none() && !skill.is_torn => Ok(Arc::new(skill)),
            // Without its groups a tool that waits for one would be active: whole, it was not.
            Ok(skill) => match good.filter(|good| skill.unusable.is_some() || !good.is_torn) {
                Some(good) => Ok(last_good(candidate, good, &skill.diagnostics)),
                None => Ok(Arc::new(skill)),
            },
            // Of a skill that turned hostile no version is in use.
            Err(rejected) if rejected.is_blocked() => Err(Arc::new(*rejected)),
            Err(rejected) => match good {
                Some(good) => Ok(last_good(candidate, good, &rejected.diagnostics)),
                None => Err(Arc::new(*rejected)),
            },
        };
        let is_good = used.as_ref().is_ok_and(|skill| {
            skill.unusable.is_none()
                && skill
                    .diagnostics
                    .iter()
                    .all(|finding| finding.code != codes::LAST_GOOD_KEPT)
        });
        // A skill that was read anew and says the same is the same, unless a script is another one:
        // then there is a new version of it, although no tool has changed.
        let same_scripts = before.is_some_and(|before| before.scripts == scripts);
        let used = match (before.map(|before| &before.used), used) {
            (Some(Ok(before)), Ok(now)) if same_scripts && **before == *now => {
                Ok(Arc::clone(before))
            }
            (Some(Err(before)), Err(now)) if **before == *now => Err(Arc::clone(before)),
            (_, now) => now,
        };
        let good = match &used {
            Ok(used) if is_good => Some(used),
            Err(rejected) if rejected.is_blocked() => None,
            _ => good,
        };
        Self {
            path: candidate.path.clone(),
            content: candidate.content.clone(),
            stamps,
            scripts,
            settled,
            good: good.cloned(),
            used,
        }
    }

    fn still_holds(&self, candidate: &Candidate) -> bool {
        self.settled
            && self.path == candidate.path
            && self.content == candidate.content
            && self
                .stamps
                .iter()
                .chain(&self.scripts)
                .all(|(path, stamp)| Stamp::of(path) == *stamp)
            && self.is_still_beyond()
    }

    /// No stamp tells that files which were too many or too large are no longer so; there are few such skills.
    fn is_still_beyond(&self) -> bool {
        let Ok(skill) = &self.used else {
            return true;
        };
        let beyond = &skill.beyond_manifest;
        beyond.is_none() || skill.files.beyond_manifest() == *beyond
    }
}

fn stamped(folder: &Path, files: &[String]) -> Vec<(PathBuf, Option<Stamp>)> {
    let paths = files.iter().map(|file| folder.join(file));
    paths
        .map(|path| {
            let stamp = Stamp::of(&path);
            (path, stamp)
        })
        .collect()
}

/// The version from before, with what is wrong with the files now.
fn last_good(
    candidate: &Candidate,
    good: &Arc<LoadedSkill>,
    findings: &[Diagnostic],
) -> Arc<LoadedSkill> {
    let mut kept = LoadedSkill::clone(good);
    let place = Location::file(candidate.shown(&candidate.content.file_name));
    kept.diagnostics = vec![
        Diagnostic::warning(
            codes::LAST_GOOD_KEPT,
            "the files on disk are broken; the last good version stays in use",
        )
        .at(place, "")
        .help("mend what is found below, and save"),
    ];
    kept.diagnostics.extend(findings.iter().cloned());
    Arc::new(kept)
}
