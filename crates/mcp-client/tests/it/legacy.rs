//! Servers without the extension.

use metier_loader::digest;
use metier_mcp_client::{
    Approvals, Approved, Connection, FileSet, FoundBy, Mismatch, ReadFault, ServerEvent,
};
use serde_json::{Value, json};

use crate::scripted::{Script, Scripted, connected_with, label, settings, skill};

fn listed(uri: &str) -> Value {
    json!({"uri": uri, "name": uri, "description": "As listed."})
}

fn old_server(resources: &[&str]) -> std::sync::Arc<Scripted> {
    let mut script = Script::default();
    script.declared.resources = true;
    script.resources = vec![resources.iter().map(|uri| listed(uri)).collect()];
    Scripted::new(script)
}

async fn scanning(server: &std::sync::Arc<Scripted>) -> Connection {
    let mut settings = settings();
    settings.legacy_scan = true;
    connected_with(server, settings).await
}

fn names(connection: &Connection) -> Vec<String> {
    connection
        .skill_commands()
        .into_iter()
        .map(|command| command.name)
        .collect()
}

#[tokio::test]
async fn nothing_is_guessed_unless_it_is_wanted() {
    let server = old_server(&["skill://bake/SKILL.md"]);
    let connection = connected_with(&server, settings()).await;
    assert!(names(&connection).is_empty());
    assert_eq!(server.asked(), ["resources/list"]);
}

#[tokio::test]
async fn a_server_with_the_extension_is_never_scanned() {
    let server = old_server(&["skill://bake/SKILL.md"]);
    server.change(|script| script.declared.skills = true);
    let connection = scanning(&server).await;
    assert!(names(&connection).is_empty());
    assert!(connection.offer().skills.is_empty());
}

/// SKILL.md and the manifest are listed, other files come by a template.
#[tokio::test]
async fn fastmcp_with_a_template() {
    let server = old_server(&[
        "skill://bake/SKILL.md",
        "skill://bake/_manifest",
        "file:///other",
        "skill://rig/SKILL.md",
    ]);
    let connection = scanning(&server).await;
    assert_eq!(names(&connection), ["assets:bake", "assets:rig"]);
    assert_eq!(connection.offer().skills[0].found, FoundBy::LegacyScan);
    assert_eq!(connection.offer().commands[0].description, "As listed.");
    // One list, nothing read.
    assert_eq!(server.asked(), ["resources/list"]);
}

/// Every file is listed; only SKILL.md is a skill.
#[tokio::test]
async fn fastmcp_with_every_file_listed() {
    let server = old_server(&[
        "skill://bake/SKILL.md",
        "skill://bake/_manifest",
        "skill://bake/references/tips.md",
        "skill://bake/scripts/run.py",
        "skill://Bad_Name/SKILL.md",
    ]);
    let connection = scanning(&server).await;
    assert_eq!(names(&connection), ["assets:bake"]);
    assert_eq!(connection.offer().findings.len(), 1);
}

#[tokio::test]
async fn a_bare_uri_is_a_skill() {
    let server = old_server(&["skill://bake", "skill://bake/x", "skill://index.json"]);
    server.change(|script| {
        script
            .files
            .insert("skill://bake".into(), b"Just text.\n".to_vec());
    });
    let connection = scanning(&server).await;
    assert_eq!(names(&connection), ["assets:bake"]);
    let opened = connection.open_skill("skill://bake").await.unwrap();
    assert_eq!(opened.text, "Just text.\n");
    assert_eq!(opened.skill.text_of("description"), "As listed.");
}

#[tokio::test]
async fn an_index_is_read_when_nothing_is_listed() {
    let server = old_server(&["file:///other"]);
    let index = json!({"skills": [
        {"name": "bake", "description": "Bakes.", "uri": "skill://bake/SKILL.md"},
        {"name": "rig", "description": "Rigs.", "type": "skill-md", "url": "rig/SKILL.md"},
        {"name": "zip", "type": "archive", "url": "zip.tar.gz"},
        {"name": "far", "url": "https://example.org/far/SKILL.md"},
    ]});
    server.change(|script| {
        script
            .files
            .insert("skill://index.json".into(), index.to_string().into_bytes());
    });
    let connection = scanning(&server).await;
    // A URI is never resolved, so that one elsewhere is a name like any other.
    assert_eq!(
        names(&connection),
        ["assets:bake", "assets:rig", "assets:far"]
    );
    assert_eq!(connection.offer().findings.len(), 1);
    assert_eq!(
        server.asked(),
        ["resources/list", "resources/read skill://index.json"]
    );
}

fn with_manifest(text: &str, change: impl FnOnce(&mut Value)) -> std::sync::Arc<Scripted> {
    let bake = skill("bake").file("tips.md", "Tips.\n");
    let server = old_server(&["skill://bake/SKILL.md"]);
    let mut manifest = json!({"skill": "bake", "files": [
        {"path": "SKILL.md", "size": text.len(), "hash": digest(text.as_bytes())},
        {"path": "tips.md", "size": 6, "hash": digest(b"Tips.\n")},
    ]});
    change(&mut manifest);
    server.change(|script| {
        script.files.extend(bake.files());
        script.files.insert(
            "skill://bake/_manifest".into(),
            manifest.to_string().into_bytes(),
        );
    });
    server
}

#[tokio::test]
async fn a_manifest_is_a_promise() {
    let text = skill("bake").text();
    let server = with_manifest(&text, |_| {});
    let connection = scanning(&server).await;
    let opened = connection
        .open_skill("skill://bake/SKILL.md")
        .await
        .unwrap();
    assert_eq!(opened.skill.text_of("description"), "Does bake.");
    assert_eq!(
        connection
            .read_file(&opened.skill, "tips.md")
            .await
            .unwrap(),
        b"Tips.\n"
    );
    server.change(|script| {
        script
            .files
            .insert("skill://bake/tips.md".into(), b"Tops.\n".to_vec());
    });
    let fault = connection
        .read_file(&opened.skill, "tips.md")
        .await
        .unwrap_err();
    assert!(
        matches!(fault, ReadFault::Mismatch(Mismatch::Digest { .. })),
        "{fault}"
    );

    let server = with_manifest("other text", |_| {});
    let fault = scanning(&server)
        .await
        .open_skill("skill://bake/SKILL.md")
        .await
        .unwrap_err();
    assert!(matches!(fault, ReadFault::Mismatch(_)), "{fault}");
}

#[tokio::test]
async fn a_manifest_that_leads_away_is_refused() {
    let text = skill("bake").text();
    for path in ["../rig/SKILL.md", "/etc/passwd", "a//b", ""] {
        let server = with_manifest(&text, |manifest| manifest["files"][1]["path"] = json!(path));
        let fault = scanning(&server)
            .await
            .open_skill("skill://bake/SKILL.md")
            .await
            .unwrap_err();
        assert!(matches!(fault, ReadFault::Entry(_)), "{path}: {fault}");
    }
    for broken in [
        json!(7),
        json!({"files": 7}),
        json!({"files": [{"path": "SKILL.md"}]}),
        json!({"files": []}),
    ] {
        let server = with_manifest(&text, |manifest| *manifest = broken);
        let fault = scanning(&server)
            .await
            .open_skill("skill://bake/SKILL.md")
            .await
            .unwrap_err();
        assert!(matches!(fault, ReadFault::Entry(_)), "{fault}");
    }
}

/// Without any promise the first look is one, also for the approval.
#[tokio::test]
async fn what_was_seen_first_is_held_against_later_looks() {
    let bake = skill("bake");
    let server = old_server(&["skill://bake/SKILL.md"]);
    server.change(|script| script.files.extend(bake.files()));
    let connection = scanning(&server).await;
    let opened = connection.open_skill(&bake.uri()).await.unwrap();
    assert!(matches!(&opened.skill.files, FileSet::Listed(files) if files.len() == 1));
    let mut approvals = Approvals::default();
    approvals.approve(&label(), &opened.skill, []).unwrap();
    let mut newer = skill("bake");
    newer.body = "Now otherwise.\n".into();
    server.change(|script| script.files.extend(newer.files()));
    let fault = connection.open_skill(&bake.uri()).await.unwrap_err();
    assert!(matches!(fault, ReadFault::Mismatch(_)), "{fault}");
    // Another connection looks for the first time, and the approval is of other bytes.
    let later = scanning(&server)
        .await
        .open_skill(&bake.uri())
        .await
        .unwrap();
    assert!(matches!(
        approvals.look(&label(), &later.skill),
        Approved::Changed { .. }
    ));
}

#[tokio::test]
async fn changed_prompts_scan_again() {
    let server = old_server(&["skill://bake/SKILL.md"]);
    let connection = scanning(&server).await;
    let _ = server.asked();
    server.change(|script| script.resources = vec![vec![listed("skill://rig/SKILL.md")]]);
    connection.tell(ServerEvent::PromptsChanged).await;
    assert_eq!(names(&connection), ["assets:rig"]);
    assert_eq!(server.asked(), ["resources/list"]);
}
