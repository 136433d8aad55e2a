//! What a scan is compared with.

use std::fs;
use std::path::Path;

/// The least that any loader has to do, on one thread: list every folder and read every SKILL.md
/// and tools.yaml.
pub(crate) fn walk_and_read(folder: &Path) -> usize {
    let mut folders = vec![folder.to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder").flatten() {
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                folders.push(entry.path());
            } else if matches!(entry.file_name().to_str(), Some("SKILL.md" | "tools.yaml")) {
                let bytes = fs::read(entry.path()).expect("a readable file");
                files += usize::from(!bytes.is_empty());
            }
        }
    }
    files
}
