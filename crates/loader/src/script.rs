//! Which script runs which tool.

use metier_skill_model::ScriptLookup;

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
    /// Every name in the folder.
    names: Vec<String>,
    /// Entries that cannot be used, with the reason.
    pub(crate) odd: Vec<(String, String)>,
}

/// A script found for a tool, and the others that would have fitted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) path: String,
    pub(crate) passed_over: Vec<String>,
}

/// What became of an explicit `source_file`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SourceFile {
    Found(ScriptLookup),
    Outside,
}

impl Scripts {
    /// The direct children of `scripts/` that can be tools: names that begin with `_` are not.
    pub(crate) fn read(handle: &FolderHandle) -> Self {
        let mut scripts = Self::default();
        for entry in handle.entries(FOLDER) {
            let name = match &entry.name {
                Ok(name) => name.clone(),
                Err(raw) => {
                    let shown = format!("{FOLDER}/{}", raw.as_encoded_bytes().escape_ascii());
                    scripts
                        .odd
                        .push((shown, "its name is not UTF-8".to_owned()));
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
            }
        }
        scripts
    }

    /// The script whose stem is the tool's name, or the only one there is.
    pub(crate) fn for_tool(&self, tool: &str) -> Option<Choice> {
        // Authors may write the canonical name; the script bears the tool's own part of it.
        let own = tool.rsplit("__").next().unwrap_or(tool);
        let wanted = folded(own);
        let mut fitting: Vec<&String> = self
            .paths
            .iter()
            .filter(|path| folded(stem(path)) == wanted)
            .collect();
        fitting.sort_by_key(|path| (rank(path), (*path).clone()));
        if fitting.is_empty() && self.paths.len() == 1 {
            fitting = self.paths.iter().collect();
        }
        let mut fitting = fitting.into_iter().cloned();
        Some(Choice {
            path: fitting.next()?,
            passed_over: fitting.collect(),
        })
    }

    /// One choice for each stem: the tools of a skill that declares none.
    pub(crate) fn as_tools(&self) -> Vec<(String, Choice)> {
        let mut tools: Vec<(String, Choice)> = Vec::new();
        for path in &self.paths {
            let name = stem(path);
            if tools.iter().any(|(known, _)| folded(known) == folded(name)) {
                continue;
            }
            if let Some(choice) = self.for_tool(name) {
                // The name is that of the file that is chosen.
                tools.push((stem(&choice.path).to_owned(), choice));
            }
        }
        tools
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
        if self.paths.contains(&path) {
            return SourceFile::Found(ScriptLookup::Script { path });
        }
        match handle.file_path(&path) {
            Err(ReadFileError::Outside { .. }) => SourceFile::Outside,
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
            let names: Vec<String> = if found == FOLDER {
                self.names.clone()
            } else {
                let place = if found.is_empty() {
                    "."
                } else {
                    found.as_str()
                };
                handle
                    .entries(place)
                    .into_iter()
                    .filter_map(|entry| entry.name.ok())
                    .collect()
            };
            let name = names.iter().find(|name| *name == part).or_else(|| {
                names
                    .iter()
                    .find(|name| name.to_lowercase() == part.to_lowercase())
            })?;
            if !found.is_empty() {
                found.push('/');
            }
            found.push_str(name);
        }
        Some(found)
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
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts(names: &[&str]) -> Scripts {
        Scripts {
            paths: names.iter().map(|name| format!("scripts/{name}")).collect(),
            ..Scripts::default()
        }
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
