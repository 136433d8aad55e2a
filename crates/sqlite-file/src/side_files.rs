//! What lies beside a database.

use std::path::{Path, PathBuf};

/// What the names of the files end in that `SQLite` makes beside a database.
pub const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// The name of a file beside a database.
pub fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The first of the database and the files beside it that is there and no plain file: a pipe, whose opening would wait for
/// its other end, a folder, a device. To be asked before every opening.
pub fn odd_file(file: &Path) -> Option<PathBuf> {
    let names = std::iter::once("").chain(BESIDE);
    let mut names = names.map(|suffix| beside(file, suffix));
    names.find(|name| std::fs::metadata(name).is_ok_and(|found| !found.is_file()))
}

/// What to say of a link in the place of a database that leads into a folder which is not there: its drive may be late, and
/// what the database holds is there.
pub fn late_link(file: &Path) -> Option<String> {
    /// As many links as systems follow.
    const MOST: usize = 40;
    let mut place = file.to_owned();
    for _ in 0..MOST {
        let target = std::fs::read_link(&place).ok()?;
        // A relative target begins at the folder of its link.
        place = place.parent().unwrap_or(Path::new("")).join(target);
        let folder = place.parent().filter(|it| !it.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            let target = place.display();
            return Some(format!(
                "it is a link to {target}, which is not there; its drive may be late"
            ));
        }
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_a_link_into_a_folder_that_is_not_there_is_late() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        symlink("drive/a.sqlite3", path("late")).unwrap();
        symlink("late", path("far")).unwrap();
        symlink("new.sqlite3", path("near")).unwrap();
        symlink("circle", path("circle")).unwrap();
        let told = late_link(&path("far")).unwrap();
        assert!(
            told.contains("drive/a.sqlite3, which is not there"),
            "{told}"
        );
        assert!(late_link(&path("late")).is_some());
        for fine in ["near", "circle", "absent", "."] {
            assert_eq!(late_link(&path(fine)), None, "{fine}");
        }
        std::fs::create_dir(path("drive")).unwrap();
        assert_eq!(late_link(&path("far")), None);
    }
}
