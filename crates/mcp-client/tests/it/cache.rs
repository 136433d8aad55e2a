//! The cache on the disk: outside every root, and believed only after hashing.

use std::fs;
use std::path::{Path, PathBuf};

use metier_mcp_client::{CacheFault, Connection, DiskCache, ServerLabel};

use crate::scripted::{connected_with, label, server, settings, skill};

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

async fn with_cache(
    folder: &Path,
) -> (
    std::sync::Arc<crate::scripted::Scripted>,
    Connection,
    DiskCache,
) {
    let cache = DiskCache::open(folder, []).unwrap();
    let mut settings = settings();
    settings.cache = Some(cache.clone());
    let server = server(&[&skill("bake")]);
    let connection = connected_with(&server, settings).await;
    let _ = server.asked();
    (server, connection, cache)
}

#[tokio::test]
async fn a_file_is_fetched_once() {
    let folder = tempfile::tempdir().unwrap();
    let (server, connection, _) = with_cache(folder.path()).await;
    let uri = skill("bake").uri();
    for _ in 0..3 {
        connection.open_skill(&uri).await.unwrap();
    }
    assert_eq!(server.asked().len(), 1);
    let kept = files(&folder.path().join("assets"));
    assert_eq!(kept.len(), 1);
    // No name in it could be taken for a skill.
    assert_eq!(kept[0].file_name().unwrap().len(), 64);
}

#[tokio::test]
async fn what_lies_there_is_hashed_again() {
    let folder = tempfile::tempdir().unwrap();
    let (server, connection, _) = with_cache(folder.path()).await;
    let uri = skill("bake").uri();
    connection.open_skill(&uri).await.unwrap();
    let kept = &files(&folder.path().join("assets"))[0];
    let text = skill("bake").text();
    for other in [text.replace("How to", "Why to"), "short".to_owned()] {
        fs::write(kept, other).unwrap();
        let _ = server.asked();
        assert_eq!(connection.open_skill(&uri).await.unwrap().text, text);
        assert_eq!(server.asked().len(), 1);
        assert_eq!(fs::read_to_string(kept).unwrap(), text);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (server, connection, _) = with_cache(folder.path()).await;
    let uri = skill("bake").uri();
    connection.open_skill(&uri).await.unwrap();
    let kept = &files(&folder.path().join("assets"))[0];
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(kept, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, kept).unwrap();
    let _ = server.asked();
    connection.open_skill(&uri).await.unwrap();
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn wrong_bytes_are_never_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (server, connection, _) = with_cache(folder.path()).await;
    let uri = skill("bake").uri();
    server.change(|script| script.files.get_mut(&uri).unwrap().push(b'x'));
    connection.open_skill(&uri).await.unwrap_err();
    assert!(!folder.path().join("assets").exists());
}

#[tokio::test]
async fn each_server_has_a_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (_, connection, cache) = with_cache(folder.path()).await;
    let opened = connection.open_skill(&skill("bake").uri()).await.unwrap();
    let file = opened.skill.file("SKILL.md").unwrap();
    let other = ServerLabel::new("other").unwrap();
    assert!(cache.get(&label(), file).is_some());
    assert!(cache.get(&other, file).is_none());
    cache.forget(&other).unwrap();
    cache.forget(&label()).unwrap();
    assert!(cache.get(&label(), file).is_none());
}

#[test]
fn it_lies_outside_every_skill_root() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    let there = |cache: &Path, root: &Path| DiskCache::open(cache, [root]);
    for cache in [
        root.clone(),
        root.join("deep/cache"),
        folder.path().to_owned(),
    ] {
        let fault = there(&cache, &root).unwrap_err();
        assert!(matches!(fault, CacheFault::SkillRoot { .. }), "{fault}");
    }
    // A root that is not there yet counts as well.
    assert!(there(folder.path(), &folder.path().join("later")).is_err());
    assert!(there(&folder.path().join("cache"), &root).is_ok());
    fs::write(folder.path().join("file"), "").unwrap();
    let fault = there(&folder.path().join("file/cache"), &root).unwrap_err();
    assert!(matches!(fault, CacheFault::Unusable { .. }), "{fault}");
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_it_into_a_root() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("skills");
    fs::create_dir(&root).unwrap();
    std::os::unix::fs::symlink(&root, folder.path().join("cache")).unwrap();
    assert!(DiskCache::open(&folder.path().join("cache"), [root.as_path()]).is_err());
}
