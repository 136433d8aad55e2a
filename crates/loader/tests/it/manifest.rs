//! The manifest of a skill's files.

use std::fs;

use metier_loader::{MANIFEST_BYTES, MANIFEST_FILES, ManifestCache, SkillFiles, digest};

#[test]
fn every_file_once_with_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("scripts/__pycache__")).unwrap();
    fs::write(folder.path().join("SKILL.md"), "abc").unwrap();
    fs::write(folder.path().join("scripts/run.py"), "").unwrap();
    fs::write(folder.path().join("scripts/__pycache__/run.pyc"), "x").unwrap();
    fs::write(folder.path().join(".hidden"), "x").unwrap();
    let files = SkillFiles::open(folder.path()).unwrap();
    let manifest = files.manifest().unwrap();
    let paths: Vec<_> = manifest.files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["SKILL.md", "scripts/run.py"]);
    let file = manifest.get("SKILL.md").unwrap();
    assert_eq!(file.size, 3);
    assert_eq!(
        file.digest.to_string(),
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(file.digest, digest(b"abc"));
    assert_eq!(manifest.total(), 3);
}

#[test]
fn a_fresh_file_is_hashed_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("SKILL.md"), "one").unwrap();
    let files = SkillFiles::open(folder.path()).unwrap();
    let mut cache = ManifestCache::new();
    let first = cache.manifest(&files).unwrap();
    // The same size within the same tick of the clock: only the bytes tell.
    fs::write(folder.path().join("SKILL.md"), "two").unwrap();
    let second = cache.manifest(&files).unwrap();
    assert_ne!(first, second);
    assert_eq!(cache.hashed(), 2);
}

#[test]
fn a_file_keeps_its_time_as_long_as_it_keeps_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("SKILL.md");
    let write = |text: &str, seconds: u64| {
        fs::write(&path, text).unwrap();
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
    };
    write("one", 1_000);
    let files = SkillFiles::open(folder.path()).unwrap();
    let mut cache = ManifestCache::new();
    let mut modified = || cache.manifest(&files).unwrap().files[0].modified;
    assert_eq!(modified(), Some(1_000));
    write("one", 2_000);
    assert_eq!(modified(), Some(1_000));
    write("two", 3_000);
    assert_eq!(modified(), Some(3_000));
    write("one", 4_000);
    assert_eq!(modified(), Some(4_000));
}

#[cfg(unix)]
#[test]
fn a_file_may_be_older_than_the_count_of_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("SKILL.md");
    fs::write(&path, "x").unwrap();
    let time = std::time::SystemTime::UNIX_EPOCH - std::time::Duration::from_millis(86_400_500);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(time).unwrap();
    let files = SkillFiles::open(folder.path()).unwrap();
    let modified = files.manifest().unwrap().files[0].modified;
    assert_eq!(modified, Some(-86_401));
    let told = modified.and_then(metier_loader::utc);
    assert_eq!(told.as_deref(), Some("1969-12-30T23:59:59Z"));
}

#[test]
fn the_limits_have_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let files = SkillFiles::open(folder.path()).unwrap();
    let large = fs::File::create(folder.path().join("large")).unwrap();
    large.set_len(MANIFEST_BYTES + 1).unwrap();
    let error = files.manifest().unwrap_err().to_string();
    assert!(error.contains("16 MiB"), "{error}");
    fs::remove_file(folder.path().join("large")).unwrap();
    for number in 0..=MANIFEST_FILES {
        fs::write(folder.path().join(number.to_string()), "").unwrap();
    }
    let error = files.manifest().unwrap_err().to_string();
    assert!(error.contains("512 files"), "{error}");
}

#[test]
fn what_is_passed_over_is_named_and_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("SKILL.md"), "abc").unwrap();
    fs::create_dir_all(folder.path().join(".git/objects")).unwrap();
    for number in 0..5 * MANIFEST_FILES {
        fs::write(folder.path().join(format!(".git/objects/{number}")), "").unwrap();
    }
    let mut expected = vec![(".git", "it is hidden")];
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        fs::write(folder.path().join("a\\b"), "").unwrap();
        symlink("/etc/hostname", folder.path().join("out")).unwrap();
        symlink("nowhere", folder.path().join("gone")).unwrap();
        let target = folder.path().canonicalize().unwrap().join("SKILL.md");
        symlink(&target, folder.path().join("absolute")).unwrap();
        let name = target.parent().unwrap().file_name().unwrap();
        let back = std::path::Path::new("..").join(name).join("SKILL.md");
        symlink(back, folder.path().join("back")).unwrap();
        symlink(".git", folder.path().join("inner")).unwrap();
        symlink(".git/objects/7", folder.path().join("other.txt")).unwrap();
        let socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket"));
        drop(socket.unwrap());
        let pipe = std::process::Command::new("mkfifo")
            .arg(folder.path().join("pipe"))
            .status();
        assert!(pipe.unwrap().success());
        let name = std::os::unix::ffi::OsStrExt::from_bytes(b"odd\xff.md");
        fs::write(folder.path().join::<&std::ffi::OsStr>(name), "").unwrap();
        expected.extend([
            ("a\\b", "its name holds a backslash or a control character"),
            (
                "absolute",
                "it is an absolute link, which is not followed although its target lies in the skill: make it a relative one",
            ),
            (
                "back",
                "it leads through what lies outside of the skill folder, which is not followed although its target lies in \
                 the skill: link to it by a way inside",
            ),
            ("gone", "it leads nowhere"),
            ("inner", "it leads to what is not served: it is hidden"),
            ("odd\u{fffd}.md", "its name is not UTF-8"),
            ("other.txt", "it leads to what is not served: it is hidden"),
            ("out", "it leads out of the skill folder"),
            ("pipe", "it is not a file"),
            ("socket", "it is not a file"),
        ]);
    }
    let files = SkillFiles::open(folder.path()).unwrap();
    let manifest = files.manifest().unwrap();
    assert_eq!(manifest.files.len(), 1);
    let skipped: Vec<_> = manifest
        .skipped
        .iter()
        .map(|(path, reason)| (path.as_str(), reason.as_str()))
        .collect();
    assert_eq!(skipped, expected);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_named_like_a_drive_lies_inside() {
    let folder = tempfile::tempdir().unwrap();
    let files = SkillFiles::open(folder.path()).unwrap();
    let drive = folder.path().join("d:");
    fs::create_dir(&drive).unwrap();
    fs::write(drive.join("y"), "y").unwrap();
    fs::write(folder.path().join("c:lon.txt"), "c").unwrap();
    let manifest = files.manifest().unwrap();
    assert!(manifest.skipped.is_empty(), "{:?}", manifest.skipped);
    for path in ["d:/y", "c:lon.txt"] {
        let size = manifest.get(path).map(|file| file.size);
        assert_eq!(size, Some(1), "{path}");
        assert!(files.read(path, 10).is_ok(), "{path}");
    }
}
