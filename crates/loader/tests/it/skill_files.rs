//! Nothing leaves a skill folder, by whatever way.

use metier_loader::{ReadFileError, SkillFiles};

use crate::folder::Folder;

fn skill() -> (Folder, SkillFiles) {
    let folder = Folder::new();
    folder
        .write("outside.txt", "outside")
        .write("skill-2/near.txt", "near")
        .write("skill/a.txt", "inside")
        .write("skill/sub/b.txt", "below");
    let files = SkillFiles::open(&folder.at("skill")).unwrap();
    (folder, files)
}

#[test]
fn reads_and_resolves_what_is_inside() {
    let (folder, files) = skill();
    assert_eq!(files.read("a.txt", 6).unwrap(), b"inside");
    assert_eq!(files.read("sub/../a.txt", 100).unwrap(), b"inside");
    assert!(files.exists("sub/b.txt"));
    let resolved = files.resolve("./sub/b.txt").unwrap();
    assert_eq!(
        resolved,
        folder
            .path()
            .canonicalize()
            .unwrap()
            .join("skill/sub/b.txt")
    );
    assert!(matches!(
        files.read("a.txt", 5),
        Err(ReadFileError::TooLarge { limit: 5, .. })
    ));
    assert!(matches!(
        files.read("gone.txt", 5),
        Err(ReadFileError::NotFound { .. })
    ));
    assert!(matches!(
        files.read("sub", 5),
        Err(ReadFileError::NotAFile { .. })
    ));
    let list = files.list(10).unwrap();
    assert_eq!(
        list.files.into_iter().collect::<Vec<_>>(),
        [("a.txt".to_owned(), 6), ("sub/b.txt".to_owned(), 5)]
    );
    assert!(files.list(1).unwrap().truncated);
}

#[test]
fn no_path_leads_out() {
    let (folder, files) = skill();
    let absolute = folder.at("outside.txt").to_string_lossy().into_owned();
    for path in [
        "../outside.txt",
        "sub/../../outside.txt",
        "../skill-2/near.txt",
        "../skill/a.txt",
        absolute.as_str(),
        "C:\\x.txt",
        "\\\\server\\share\\x",
        "a.txt\0",
    ] {
        let error = files.read(path, 100).unwrap_err();
        assert!(
            matches!(error, ReadFileError::Outside { .. }),
            "{path}: {error}"
        );
        assert!(!files.exists(path), "{path}");
        assert!(files.resolve(path).is_err(), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_out() {
    let (folder, files) = skill();
    let absolute = folder.at("skill/a.txt").to_string_lossy().into_owned();
    folder
        .link("skill/out.txt", "../outside.txt")
        .link("skill/up", "..")
        .link("skill/in.txt", "sub/b.txt")
        .link("skill/absolute-in.txt", &absolute)
        .link("skill/absolute-out.txt", "/etc/hostname")
        .link("skill/circle", "circle");
    assert_eq!(files.read("in.txt", 100).unwrap(), b"below");
    assert_eq!(files.read("absolute-in.txt", 100).unwrap(), b"inside");
    assert!(
        files
            .resolve("absolute-in.txt")
            .unwrap()
            .ends_with("skill/a.txt")
    );
    for path in [
        "out.txt",
        "up/outside.txt",
        "absolute-out.txt",
        "circle",
        "up/skill-2/near.txt",
    ] {
        let error = files.read(path, 100).unwrap_err();
        assert!(
            !error
                .to_string()
                .contains(&*folder.path().to_string_lossy()),
            "{error}"
        );
        assert!(files.resolve(path).is_err(), "{path}");
    }
    let list = files.list(100).unwrap();
    let names: Vec<_> = list.files.keys().map(String::as_str).collect();
    assert_eq!(names, ["a.txt", "in.txt", "sub/b.txt"]);
}

#[cfg(unix)]
#[test]
fn a_folder_swapped_for_a_link_is_refused() {
    let (folder, files) = skill();
    std::fs::rename(folder.at("skill"), folder.at("moved")).unwrap();
    folder
        .write("elsewhere/a.txt", "not ours")
        .link("skill", "elsewhere");
    assert!(matches!(
        files.read("a.txt", 100),
        Err(ReadFileError::FolderGone)
    ));
    std::fs::remove_file(folder.at("skill")).unwrap();
    assert!(matches!(
        files.read("a.txt", 100),
        Err(ReadFileError::FolderGone)
    ));
    // A folder put in its place is the skill's new version.
    folder.write("skill/a.txt", "new");
    assert_eq!(files.read("a.txt", 100).unwrap(), b"new");
}

/// Editors write a new file and put it in the place of the old one.
#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_all_the_time_keeps_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().canonicalize().unwrap().join("a");
    std::fs::create_dir_all(skill.join("scripts")).unwrap();
    std::fs::write(
        skill.join("SKILL.md"),
        "---\nname: a\ndescription: x\n---\n",
    )
    .unwrap();
    let script = skill.join("scripts/go.py");
    std::fs::write(&script, "0").unwrap();
    let files = metier_loader::parse_skill_dir(&skill, metier_loader::ParseMode::Lenient)
        .unwrap()
        .files;
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let beside = skill.join("next");
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::write(&beside, "1").unwrap();
                std::fs::rename(&beside, &script).unwrap();
            }
        });
        let found: Vec<_> = (0..3_000).map(|_| files.resolve("scripts/go.py")).collect();
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        for path in found {
            assert_eq!(path.unwrap(), script);
        }
    });
}
