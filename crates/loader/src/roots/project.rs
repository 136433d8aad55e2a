//! Which folders belong to a project.

use std::path::{Path, PathBuf};

/// What lies in the root of a project: the folder or file of its version control.
const PROJECT_MARKS: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// The folders of the project that `working` is in, itself first, up to the project root: the nearest folder with a
/// `.git`, `.hg`, `.jj` or `.svn`. Without one only `working` counts.
///
/// The home folder is the user's and no project's: neither it nor what lies above it is among them. A folder that everybody
/// can write to may hold anybody's skills, so it ends the search as if there were no project root.
pub fn project_folders(working: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for folder in working.ancestors() {
        if Some(folder) == home || everybody_writes(folder) {
            break;
        }
        folders.push(folder.to_owned());
        let is_root = |mark: &&str| folder.join(mark).symlink_metadata().is_ok();
        if PROJECT_MARKS.iter().any(is_root) {
            return folders;
        }
    }
    folders.truncate(1);
    folders
}

/// Whether every user of the machine can write to a file or folder, so that what it says may be anybody's word. `false`
/// where it is not there, and on systems whose rights are not these.
#[cfg(unix)]
pub fn everybody_writes(place: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(place).is_ok_and(|metadata| metadata.mode() & 0o002 != 0)
}

/// Whether every user of the machine can write to a file or folder; on this system nobody knows.
#[cfg(not(unix))]
pub fn everybody_writes(_place: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("home/work/project/src/deep")).unwrap();
        folder
    }

    #[test]
    fn a_project_ends_at_its_root() {
        let folder = tree();
        let home = folder.path().join("home");
        let project = home.join("work/project");
        let deep = project.join("src/deep");
        let of = |working: &Path| project_folders(working, Some(&home));
        assert_eq!(of(&deep), std::slice::from_ref(&deep), "no project root");
        // A linked working tree has a file of this name.
        std::fs::write(project.join(".git"), "gitdir: elsewhere").unwrap();
        assert_eq!(
            of(&deep),
            [deep.clone(), project.join("src"), project.clone()]
        );
        assert_eq!(of(&project), std::slice::from_ref(&project));
    }

    #[test]
    fn the_home_folder_is_no_project() {
        let folder = tree();
        let home = folder.path().join("home");
        std::fs::create_dir(home.join(".git")).unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        let work = home.join("work");
        let of = |working: &Path| project_folders(working, Some(&home));
        assert_eq!(of(&work), std::slice::from_ref(&work));
        assert_eq!(of(&home), Vec::<PathBuf>::new());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_everybody_is_no_project() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tree();
        let work = folder.path().join("home/work");
        let project = work.join("project");
        std::fs::create_dir(work.join(".git")).unwrap();
        let everybody = std::fs::Permissions::from_mode(0o1777);
        std::fs::set_permissions(&work, everybody).unwrap();
        assert_eq!(
            project_folders(&project, None),
            std::slice::from_ref(&project)
        );
        assert_eq!(project_folders(&work, None), Vec::<PathBuf>::new());
    }
}
