//! Remote skills beside local ones: listed, discovered and activated the same way.

use std::sync::Arc;

use metier_mcp_client::{
    ActingWindow, Approvals, Connection, ServerEvent, ServerLabel, Servers, SkillServer,
};
use metier_search::{FusedIndex, SkillIndex as _};
use metier_skill_protocol::{
    Caller, Cascade, Conversation, DiscoverRequest, Discovery, ListingOptions, MemoryCounters,
    SkillBook, SkillEntry, Source, Standing, View, find, listing,
};
use serde_json::json;

use crate::scripted::{Skill, connected, server, settings, skill};

fn bake() -> Skill {
    skill("bake")
        .with("description", json!("Bakes ambient occlusion."))
        .with("allowed-tools", json!("Bash(bake:*)"))
        .with("model", json!("large"))
        .file("tips.md", "Tips.\n")
}

/// The text of the listing and the best hit for a query.
fn seen(servers: &Servers, query: &str) -> (String, Option<String>) {
    let mut entries = vec![SkillEntry::new("local:bake", "bake", "Bakes bread.")];
    entries.extend(servers.entries());
    let book = SkillBook::new(1, entries);
    let (standing, conversation, quality) = (
        Standing::default(),
        Conversation::default(),
        MemoryCounters::default(),
    );
    let view = View::new(&book, &standing, &conversation, &quality);
    let listed = listing(&view, None, &ListingOptions::default());
    let mut index = FusedIndex::new();
    index.index(book.entries().map(SkillEntry::document).collect());
    let cascade = Cascade::new(view).with_hybrid(&index);
    let Discovery::Answered(answer) = cascade.begin(&DiscoverRequest::new(query)) else {
        panic!()
    };
    (listed.text, answer.hits.first().map(|hit| hit.name.clone()))
}

#[tokio::test]
async fn they_are_listed_and_discovered_beside_local_ones() {
    let people = skill("rig").with("disable-model-invocation", json!(true));
    let connection = connected(&server(&[&bake(), &people])).await;
    let mut servers = Servers::default();
    servers.add(connection.clone()).unwrap();
    let (text, hit) = seen(&servers, "ambient occlusion");
    assert_eq!(
        text,
        "- assets:bake: Bakes ambient occlusion.\n- bake: Bakes bread."
    );
    assert_eq!(hit.as_deref(), Some("assets:bake"));
    assert!(
        servers
            .entries()
            .iter()
            .all(|entry| entry.source == Source::Mcp)
    );
    // The server goes: its skills leave all at once, and that it is gone can be told.
    let before = connection.offer().generation;
    connection.tell(ServerEvent::Closed).await;
    assert_eq!(connection.offer().generation, before + 1);
    let (text, hit) = seen(&servers, "ambient occlusion");
    assert_eq!((text.as_str(), hit), ("- bake: Bakes bread.", None));
    assert_eq!(servers.gone(), [connection.label()]);
    assert!(servers.commands().is_empty());
}

#[tokio::test]
async fn they_are_activated_the_same_way() {
    let connection = connected(&server(&[&bake()])).await;
    let mut servers = Servers::default();
    servers.add(connection).unwrap();
    let book = SkillBook::new(1, servers.entries());
    let (standing, conversation, quality) = (
        Standing::default(),
        Conversation::default(),
        MemoryCounters::default(),
    );
    let view = View::new(&book, &standing, &conversation, &quality);
    let entry = find(&view, "/assets:bake", Caller::Model).unwrap();
    let (connection, uri) = servers.meant_by(&entry.id).unwrap();
    let mut approvals = Approvals::default();
    let skill = connection.open_skill(&uri).await.unwrap().skill;
    approvals
        .approve(connection.label(), &skill, ["model"])
        .unwrap();
    let window = ActingWindow::open(connection, &uri, &mut approvals)
        .await
        .unwrap();
    let activation = window.activation("the hero").unwrap();
    assert_eq!(activation.base, "skill://bake");
    assert_eq!(activation.files, ["tips.md"]);
    assert!(
        activation.text.contains("ARGUMENTS: the hero"),
        "{}",
        activation.text
    );
    assert!(
        activation
            .text
            .starts_with("[text of another server: \"assets\"")
    );
    // Only what was granted is asked of the host.
    assert_eq!(activation.scope.model.as_deref(), Some("large"));
    assert!(activation.scope.allowed_tools.is_empty());
}

#[tokio::test]
async fn two_servers_never_share_a_label() {
    let first = connected(&server(&[&bake()])).await;
    let second = server(&[&bake()]);
    let mut servers = Servers::default();
    servers.add(first.clone()).unwrap();
    let fault = servers.add(connected(&second).await).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "there is a server `assets` already; give this one another label"
    );
    let other = ServerLabel::new("film").unwrap();
    let third = Connection::open(
        other.clone(),
        Arc::clone(&second) as Arc<dyn SkillServer>,
        settings(),
    )
    .await;
    servers.add(third).unwrap();
    let names: Vec<String> = servers.commands().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["assets:bake", "film:bake"]);
    // One that has ended makes room.
    first.tell(ServerEvent::Disconnected).await;
    servers.add(connected(&second).await).unwrap();
    assert!(servers.gone().is_empty());
    assert!(servers.remove(&other).is_some());
    assert!(servers.meant_by("mcp:film:skill://bake/SKILL.md").is_none());
    assert!(servers.meant_by("user:bake").is_none());
}
