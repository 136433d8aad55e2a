//! A small file that several processes change.

use std::io;

use metier_persistence::SharedFile;

fn text(file: &SharedFile) -> String {
    String::from_utf8(file.read().unwrap().unwrap_or_default()).unwrap()
}

fn add(file: &SharedFile, line: &str) -> io::Result<()> {
    file.change(|old| {
        let mut new = old.unwrap_or_default();
        new.extend(line.bytes().chain([b'\n']));
        Ok((Some(new), ()))
    })
}

#[test]
fn no_change_of_another_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("state/lines.txt");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let place = &place;
            scope.spawn(move || {
                for number in 0..10 {
                    add(
                        &SharedFile::new(place, 10_000),
                        &format!("{writer}-{number}"),
                    )
                    .unwrap();
                }
            });
        }
    });
    assert_eq!(text(&SharedFile::new(&place, 10_000)).lines().count(), 80);
    let left: Vec<_> = std::fs::read_dir(place.parent().unwrap())
        .unwrap()
        .collect();
    assert_eq!(left.len(), 2, "the file and its lock: {left:?}");
}

#[test]
fn what_is_refused_or_not_wanted_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = SharedFile::new(folder.path().join("lines.txt"), 10);
    assert_eq!(file.read().unwrap(), None);
    add(&file, "one").unwrap();
    let refused: io::Result<()> = file.change(|_| Err(io::Error::other("no")));
    assert_eq!(refused.unwrap_err().to_string(), "no");
    assert_eq!(
        file.change(|old| Ok::<_, io::Error>((None, old.unwrap().len())))
            .unwrap(),
        4
    );
    assert!(
        add(&file, "much too long")
            .unwrap_err()
            .to_string()
            .contains("more than 10 bytes")
    );
    assert_eq!(text(&file), "one\n");
    std::fs::write(file.file(), [b'x'; 11]).unwrap();
    assert!(file.read().is_err() && add(&file, "two").is_err());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_and_a_link_stays() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert!(
        SharedFile::new(&pipe, 10)
            .read()
            .unwrap_err()
            .to_string()
            .contains("no plain file")
    );
    assert!(add(&SharedFile::new(&pipe, 10), "one").is_err());

    let drive = folder.path().join("drive");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(drive.join("lines.txt"), &link).unwrap();
    let file = SharedFile::new(&link, 100);
    assert!(
        add(&file, "one")
            .unwrap_err()
            .to_string()
            .contains("its drive may be late")
    );
    std::fs::create_dir(&drive).unwrap();
    add(&file, "one").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read(drive.join("lines.txt")).unwrap(), b"one\n");
}

#[test]
fn a_lock_that_is_held_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("lines.txt");
    let (began, begun) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            SharedFile::new(&place, 100).change(|_| {
                // From here on the lock is held, so that the other writer comes behind this one.
                began.send(()).unwrap();
                Ok::<_, io::Error>((Some(b"first\n".to_vec()), ()))
            })
        });
        begun.recv().unwrap();
        add(&SharedFile::new(&place, 100), "second").unwrap();
    });
    assert_eq!(text(&SharedFile::new(&place, 100)), "first\nsecond\n");
}
