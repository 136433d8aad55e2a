//! A disk that is full, broken or not ours.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use metier_persistence::{LoadedStateStore, SaveError, SaveStep};

use crate::store::{STEPS, at, files, load, names};

#[test]
fn a_step_that_fails_leaves_the_old_file_and_nothing_beside_it() {
    for step in STEPS {
        let folder = tempfile::tempdir().unwrap();
        at(folder.path(), 5).save(&load("a")).unwrap();
        let full = at(folder.path(), 9).with_probe(Arc::new(move |at| {
            if at == step {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            Ok(())
        }));
        let error = full.save(&load("b")).unwrap_err();
        assert!(matches!(error, SaveError::Io { .. }), "{error}");
        assert!(error.to_string().contains("make room"), "{error}");
        // Once it has its name, the new state is there, and only its survival of a power cut is open.
        let expected: &[&str] = if step > SaveStep::Rename {
            &["a", "b"]
        } else {
            &["a"]
        };
        assert_eq!(names(&full), expected, "{step:?}");
        assert_eq!(
            files(&folder.path().join("maya")),
            ["loaded.json", "loaded.json.lock"],
            "{step:?}"
        );
    }
}

#[test]
fn what_cannot_be_kept_aside_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("maya")).unwrap();
    let file = folder.path().join("maya/loaded.json");
    std::fs::write(&file, "{ cut").unwrap();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&steps);
    let full = at(folder.path(), 9).with_probe(Arc::new(move |step| {
        seen.lock().unwrap().push(step);
        if step == SaveStep::WriteFirst {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(())
    }));
    let error = full.save(&load("a")).unwrap_err().to_string();
    assert!(error.contains("cannot be kept aside"), "{error}");
    assert!(steps.lock().unwrap().contains(&SaveStep::KeepAside));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "{ cut");
}

#[test]
fn earlier_evidence_stays_when_there_is_no_room_for_more() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("maya");
    std::fs::create_dir(&state).unwrap();
    for name in ["", ".bak", ".bak.1", ".bak.2"] {
        std::fs::write(
            state.join(format!("loaded.json{name}")),
            format!("{{ {name}"),
        )
        .unwrap();
    }
    let before = files(&state);
    for step in [
        SaveStep::CreateTemp,
        SaveStep::WriteFirst,
        SaveStep::WriteRest,
        SaveStep::SyncFile,
    ] {
        let full = at(folder.path(), 9).with_probe(Arc::new(move |at| {
            let error = io::Error::from(io::ErrorKind::StorageFull);
            if at == step { Err(error) } else { Ok(()) }
        }));
        full.save(&load("a")).unwrap_err();
        for name in ["", ".bak", ".bak.1", ".bak.2"] {
            let kept = std::fs::read_to_string(state.join(format!("loaded.json{name}")));
            assert_eq!(kept.unwrap(), format!("{{ {name}"), "{step:?}");
        }
    }
    assert_eq!(
        files(&state).len(),
        before.len() + 1,
        "the lock alone is new"
    );
}

#[test]
fn a_file_where_the_folder_should_be_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("maya"), "x").unwrap();
    let store = at(folder.path(), 5);
    let error = store.save(&load("a")).unwrap_err().to_string();
    assert!(error.contains("the folder cannot be made"), "{error}");
    assert!(store.load().state.is_empty());
    assert_eq!(
        std::fs::read_to_string(folder.path().join("maya")).unwrap(),
        "x"
    );
}

#[test]
fn a_folder_where_the_file_should_be_is_told_and_left() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("maya/loaded.json")).unwrap();
    let store = at(folder.path(), 5);
    let reading = store.load();
    assert!(
        reading.warnings[0].contains("this is no file"),
        "{reading:?}"
    );
    let error = store.save(&load("a")).unwrap_err().to_string();
    assert!(error.contains("it cannot be read"), "{error}");
}

/// A file system of its own with this many bytes, where one may be mounted.
#[cfg(target_os = "linux")]
struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"])
            .arg(folder.path())
            .stderr(std::process::Stdio::null())
            .status();
        mounted.is_ok_and(|it| it.success()).then_some(Self(folder))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount")
            .arg(self.0.path())
            .status();
    }
}

#[cfg(target_os = "linux")]
fn fill(folder: &Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(folder.join("filler")).unwrap();
    // Down to the last page; what is left holds no state of this size.
    while file.write_all(&[0; 4096]).is_ok() {}
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_old_state_and_saves_again_when_there_is_room() {
    let Some(disk) = SmallDisk::mount("1m") else {
        eprintln!(
            "skipped: no file system may be mounted here; the failing steps are tested without one"
        );
        return;
    };
    let folder = disk.0.path();
    let store = at(folder, 5);
    store.save(&load("a")).unwrap();
    let old = std::fs::read(store.file()).unwrap();
    fill(folder);
    let error = store.save(&load("b")).unwrap_err();
    assert!(error.to_string().contains("make room"), "{error}");
    assert_eq!(std::fs::read(store.file()).unwrap(), old);
    assert_eq!(
        files(&folder.join("maya")),
        ["loaded.json", "loaded.json.lock"]
    );
    std::fs::remove_file(folder.join("filler")).unwrap();
    store.save(&load("b")).unwrap();
    assert_eq!(names(&store), ["a", "b"]);
}

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// Nobody writes to it any more, the superuser neither.
    fn becomes_read_only(&self) -> bool {
        let mut command = std::process::Command::new("mount");
        let done = command
            .args(["-o", "remount,ro"])
            .arg(self.0.path())
            .status();
        done.is_ok_and(|it| it.success())
    }
}

fn is_refused(store: &LoadedStateStore) {
    let error = store.save(&load("b")).unwrap_err().to_string();
    assert!(error.contains("the right to write"), "{error}");
}

#[cfg(unix)]
#[test]
fn case_140_a_read_only_home_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let store = at(folder.path(), 5);
    store.save(&load("a")).unwrap();
    let state = folder.path().join("maya");
    let mode = |mode| {
        std::fs::set_permissions(&state, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o555);
    let is_superuser = std::fs::write(state.join("probe"), "").is_ok();
    if !is_superuser {
        is_refused(&store);
        assert_eq!(names(&store), ["a"]);
    }
    mode(0o755);
    if is_superuser && !nobody_writes_there() {
        eprintln!(
            "skipped in part: the superuser writes everywhere, and nothing may be mounted here"
        );
    }
}

/// For the superuser, to whom the mode of a folder means nothing: one of the kernel's own file
/// systems, where nobody makes folders, and one that is read-only, where one may be mounted.
#[cfg(target_os = "linux")]
fn nobody_writes_there() -> bool {
    is_refused(&at(Path::new("/sys"), 5));
    let Some(disk) = SmallDisk::mount("1m") else {
        return false;
    };
    let store = at(disk.0.path(), 5);
    store.save(&load("a")).unwrap();
    assert!(disk.becomes_read_only());
    is_refused(&store);
    assert_eq!(names(&store), ["a"]);
    let left = files(&disk.0.path().join("maya"));
    assert_eq!(left, ["loaded.json", "loaded.json.lock"]);
    true
}

#[cfg(all(unix, not(target_os = "linux")))]
fn nobody_writes_there() -> bool {
    false
}
