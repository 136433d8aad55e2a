//! Which script runs which tool.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use metier_skill_model::ScriptLookup;

use crate::effort;
use crate::skill_files::{FolderHandle, ReadFileError, is_absolute_anywhere};

/// The extensions of scripts, in the order in which one of several is chosen.
const EXTENSIONS: [&str; 11] = [
    "py", "sh", "bash", "bat", "cmd", "ps1", "mel", "ms", "lua", "hscript", "js",
];

/// The folder of the scripts.
const FOLDER: &str = "scripts";

/// What lies in `scripts/`.
#[derive(Debug, Default)]
pub(crate) struct Scripts {
    /// Paths of the scripts below the skill, sorted by path.
    pub(crate) paths: Vec<String>,
    /// Entries that cannot be used, with the reason.
    pub(crate) odd: Vec<(String, String)>,
    /// Every name in the folder.
    names: Vec<String>,
    /// Places in `paths` by folded stem, the one that is chosen first; made when it is asked for.
    by_stem: OnceCell<BTreeMap<String, Vec<usize>>>,
    /// Folders that were looked into for a path that differs in letter case.
    listings: RefCell<BTreeMap<String, Rc<Listing>>>,
}

/// The names in a folder.
#[derive(Debug, Default)]
struct Listing {
    names: BTreeSet<String>,
    /// The first name of each lower-case spelling.
    by_lower_case: BTreeMap<String, String>,
}

impl Listing {
    fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut listing = Self::default();
        for name in names {
            let lower = name.to_lowercase();
            listing
                .by_lower_case
                .entry(lower)
                .or_insert_with(|| name.clone());
            listing.names.insert(name);
        }
        listing
    }

    fn spelled(&self, part: &str) -> Option<&str> {
        let exact = self.names.get(part);
        exact
            .or_else(|| self.by_lower_case.get(&part.to_lowercase()))
            .map(String::as_str)
    }
}

/// How many of the scripts that are passed over are named.
const NAMED: usize = 5;

/// Among more scripts than this, and for a longer path than this, none is offered: comparing takes time.
const COMPARED: usize = 64;
const LONGEST_COMPARED: usize = 128;

/// A script found for a tool, and the others that would have fitted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) path: String,
    /// The first of the others.
    pub(crate) passed_over: Vec<String>,
    /// How many others there are besides those.
    pub(crate) more: usize,
}

/// What became of an explicit `source_file`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SourceFile {
    Found(ScriptLookup),
    Outside,
    /// The system forbids to look.
    Forbidden {
        path: String,
    },
}

impl Scripts {
    /// The direct children of `scripts/` that can be tools: names that begin with `_` are not.
    pub(crate) fn read(handle: &FolderHandle) -> Self {
        let mut scripts = Self::default();
        let entries = handle.entries(FOLDER);
        if entries.is_empty()
            && let Some(reason) = handle.why_no_folder(FOLDER)
        {
            scripts.odd.push((FOLDER.to_owned(), reason));
        }
        for entry in entries {
            let name = match &entry.name {
                Ok(name) => name.clone(),
                Err(raw) => {
                    let shown = format!("{FOLDER}/{}", raw.as_encoded_bytes().escape_ascii());
                    let why = format!("the name of `{shown}` is not UTF-8");
                    scripts.odd.push((shown, why));
                    continue;
                }
            };
            let path = format!("{FOLDER}/{name}");
            let is_script = rank(&name).is_some() && !name.starts_with('_');
            scripts.names.push(name);
            if !is_script {
                continue;
            }
            if entry.is_file() {
                scripts.paths.push(path);
            } else if entry.is_link() {
                match handle.file_path(&path) {
                    Ok(_) => scripts.paths.push(path),
                    Err(ReadFileError::NotAFile { .. }) => {}
                    Err(error) => scripts.odd.push((path, error.to_string())),
                }
            } else {
                let why = format!("`{path}` is not a file");
                scripts.odd.push((path, why));
            }
        }
        scripts.paths.sort_unstable();
        scripts
    }

    fn by_stem(&self) -> &BTreeMap<String, Vec<usize>> {
        self.by_stem.get_or_init(|| {
            let mut by_stem: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (place, path) in self.paths.iter().enumerate() {
                by_stem.entry(folded(stem(path))).or_default().push(place);
            }
            for places in by_stem.values_mut() {
                // Among equals the order of the paths stays.
                places.sort_by_key(|place| self.paths.get(*place).and_then(|path| rank(path)));
            }
            by_stem
        })
    }

    /// The script whose stem is the tool's name, or the only one there is.
    pub(crate) fn for_tool(&self, tool: &str) -> Option<Choice> {
        // Authors may write the canonical name; the script bears the tool's own part of it.
        let own = tool.rsplit("__").next().unwrap_or(tool);
        match self.by_stem().get(&folded(own)) {
            Some(places) => self.choice(places),
            None if self.paths.len() == 1 => self.choice(&[0]),
            None => None,
        }
    }

    fn choice(&self, places: &[usize]) -> Option<Choice> {
        let mut paths = places.iter().filter_map(|place| self.paths.get(*place));
        Some(Choice {
            path: paths.next()?.clone(),
            passed_over: paths.take(NAMED).cloned().collect(),
            more: places.len().saturating_sub(1 + NAMED),
        })
    }

    /// One choice for each stem, in the order of the scripts: the tools of a skill that declares none.
    pub(crate) fn as_tools(&self) -> Vec<(String, Choice)> {
        let mut stems: Vec<&Vec<usize>> = self.by_stem().values().collect();
        stems.sort_by_key(|places| places.iter().min());
        let choices = stems.into_iter().filter_map(|places| self.choice(places));
        // The name is that of the file that is chosen.
        choices
            .map(|choice| (stem(&choice.path).to_owned(), choice))
            .collect()
    }

    /// Looks an explicit `source_file` up; letter case counts on every platform.
    pub(crate) fn source_file(&self, handle: &FolderHandle, written: &str) -> SourceFile {
        if is_absolute_anywhere(written) {
            return SourceFile::Outside;
        }
        let Some(path) = normalized(written) else {
            return SourceFile::Outside;
        };
        // What the listing found is inside, and its spelling is the file system's own.
        if self.paths.binary_search(&path).is_ok() {
            return SourceFile::Found(ScriptLookup::Script { path });
        }
        match handle.file_path(&path) {
            Err(ReadFileError::Outside { .. }) => SourceFile::Outside,
            Err(ReadFileError::PermissionDenied { path }) => SourceFile::Forbidden { path },
            Ok(_) if self.is_exact(handle, &path) => {
                SourceFile::Found(ScriptLookup::Script { path })
            }
            _ => {
                let similar = self.similar(handle, &path).filter(|found| *found != path);
                SourceFile::Found(ScriptLookup::Missing { path, similar })
            }
        }
    }

    /// Whether every part of the path has exactly this spelling, also on file systems that do not
    /// care about letter case.
    fn is_exact(&self, handle: &FolderHandle, path: &str) -> bool {
        if !cfg!(any(windows, target_os = "macos")) {
            return true;
        }
        self.similar(handle, path).is_none_or(|found| found == path)
    }

    /// A path that differs in letter case alone.
    fn similar(&self, handle: &FolderHandle, path: &str) -> Option<String> {
        let mut found = String::new();
        for part in path.split('/') {
            let listing = self.listing(handle, &found);
            let name = listing.spelled(part)?;
            if !found.is_empty() {
                found.push('/');
            }
            found.push_str(name);
        }
        Some(found)
    }

    /// The script that a path which leads nowhere may mean: a slip of the hand or an ending away, or of the same name.
    pub(crate) fn near(&self, path: &str) -> Option<&str> {
        if self.paths.len() > COMPARED || path.len() > LONGEST_COMPARED {
            return None;
        }
        let name = |path: &str| path.rsplit('/').next().map(str::to_lowercase);
        let without_ending = self.paths.iter().find(|known| {
            let ending = known
                .strip_prefix(path)
                .and_then(|rest| rest.strip_prefix('.'));
            ending.is_some_and(|ending| !ending.contains(['.', '/']))
        });
        let same_name = self.paths.iter().find(|known| name(known) == name(path));
        let slip = || {
            // A short name is soon another one.
            let most = (stem(path).chars().count() / 4).clamp(1, 3);
            let known = self.paths.iter();
            let far = known.map(|known| (strsim::damerau_levenshtein(path, known), known));
            far.filter(|(distance, _)| *distance <= most).min()
        };
        without_ending
            .or(same_name)
            .or_else(|| slip().map(|(_, known)| known))
            .map(String::as_str)
    }

    /// The names in a folder of the skill, listed once.
    fn listing(&self, handle: &FolderHandle, folder: &str) -> Rc<Listing> {
        let mut listings = self.listings.borrow_mut();
        let known = listings.entry(folder.to_owned()).or_insert_with(|| {
            if folder == FOLDER {
                return Rc::new(Listing::new(self.names.iter().cloned()));
            }
            let place = if folder.is_empty() { "." } else { folder };
            let entries = handle.entries(place).into_iter();
            Rc::new(Listing::new(entries.filter_map(|entry| entry.name.ok())))
        });
        Rc::clone(known)
    }
}

/// Parts joined by `/`, without `.` and with `..` resolved; `None` if it climbs out.
pub(crate) fn normalized(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Whether a file has the name of a script.
pub(crate) fn is_script(name: &str) -> bool {
    rank(name).is_some()
}

fn rank(name: &str) -> Option<usize> {
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    EXTENSIONS
        .iter()
        .position(|known| extension.eq_ignore_ascii_case(known))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn folded(name: &str) -> String {
    effort::step();
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts(names: &[&str]) -> Scripts {
        let mut scripts = Scripts {
            paths: names.iter().map(|name| format!("scripts/{name}")).collect(),
            ..Scripts::default()
        };
        scripts.paths.sort_unstable();
        scripts
    }

    #[test]
    fn the_order_of_extensions_decides() {
        let found = scripts(&["bake.bat", "bake.py", "bake.sh", "bake_ao.py"]);
        let choice = found.for_tool("bake").unwrap();
        assert_eq!(choice.path, "scripts/bake.py");
        assert_eq!(choice.passed_over, ["scripts/bake.sh", "scripts/bake.bat"]);
        assert_eq!(
            found.for_tool("bake-ao").unwrap().path,
            "scripts/bake_ao.py"
        );
        assert_eq!(
            found.for_tool("rig__Bake_AO").unwrap().path,
            "scripts/bake_ao.py"
        );
        assert_eq!(found.for_tool("other"), None);
        let names: Vec<_> = found.as_tools().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["bake", "bake_ao"]);
    }

    #[test]
    fn many_scripts_and_many_tools_are_looked_up_once_each() {
        let names: Vec<String> = (0..500).map(|number| format!("s{number}.py")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let steps = effort::steps_of(|| {
            let found = scripts(&names);
            assert_eq!(found.as_tools().len(), 500);
            for number in 0..500 {
                assert!(found.for_tool(&format!("S{number}")).is_some());
            }
        });
        assert!(steps <= 1000, "{steps} names folded");
    }

    #[test]
    fn of_many_that_are_passed_over_a_few_are_named() {
        let names = [
            "a.py", "a.sh", "a.bash", "a.bat", "a.cmd", "a.ps1", "a.mel", "a.js",
        ];
        let choice = scripts(&names).for_tool("a").unwrap();
        assert_eq!((choice.passed_over.len(), choice.more), (5, 2));
    }

    #[test]
    fn a_path_that_leads_nowhere_may_mean_another() {
        let found = scripts(&["count_words.py", "bake.sh"]);
        for path in [
            "script/count_words.py",
            "count_words.py",
            "scripts/cuont_words.py",
        ] {
            assert_eq!(found.near(path), Some("scripts/count_words.py"), "{path}");
        }
        assert_eq!(found.near("scripts/baek.sh"), Some("scripts/bake.sh"));
        assert_eq!(found.near("scripts/gone.sh"), None);
        assert_eq!(found.near(&"x".repeat(10_000)), None);
    }

    #[test]
    fn an_only_script_serves_every_tool() {
        assert_eq!(
            scripts(&["run.py"]).for_tool("any").unwrap().path,
            "scripts/run.py"
        );
        assert_eq!(scripts(&[]).for_tool("any"), None);
    }

    #[test]
    fn paths_that_climb_out() {
        assert_eq!(
            normalized("./scripts\\a.py").as_deref(),
            Some("scripts/a.py")
        );
        assert_eq!(normalized("scripts/../a.py").as_deref(), Some("a.py"));
        assert_eq!(normalized("../a.py"), None);
        assert_eq!(normalized("scripts/../../a.py"), None);
        assert_eq!(normalized("."), None);
    }
}
