//! Names: none hides another.

use metier_mcp_client::{CommandNames, Meaning, Offer};
use serde_json::json;

use crate::scripted::{connected, server, skill};

fn names(offer: &Offer) -> Vec<&str> {
    offer
        .commands
        .iter()
        .map(|command| command.name.as_str())
        .collect()
}

#[tokio::test]
async fn one_server_may_have_a_name_twice() {
    let one = skill("bake").below("studio");
    let other = skill("bake").below("film/shots");
    let server = server(&[&one, &other, &skill("rig")]);
    server.change(|script| {
        script.prompts = vec![vec![json!({"name": "bake"}), json!({"name": "bake"})]];
    });
    let connection = connected(&server).await;
    assert_eq!(
        names(&connection.offer()),
        [
            "assets:prompt:bake",
            "assets:prompt:bake#2",
            "assets:studio/bake",
            "assets:film/shots/bake",
            "assets:rig"
        ]
    );
}

#[tokio::test]
async fn neither_side_hides_the_other() {
    let server = server(&[&skill("bake"), &skill("rig")]);
    let connection = connected(&server).await;
    let offer = connection.offer();
    let names = CommandNames::new(["bake", "light"], &offer.commands);
    assert_eq!(names.meaning("bake"), Meaning::Local("bake"));
    assert_eq!(names.meaning("/bake"), Meaning::Local("bake"));
    let Meaning::Remote(command) = names.meaning("/assets:bake") else {
        panic!()
    };
    assert_eq!(command.uri.as_deref(), Some("skill://bake/SKILL.md"));
    // A bare name never means a remote skill, even when no local one has it.
    assert_eq!(names.meaning("rig"), Meaning::Unknown(vec!["assets:rig"]));
    assert_eq!(names.meaning("nothing"), Meaning::Unknown(vec![]));
    assert_eq!(names.meaning(""), Meaning::Unknown(vec![]));
    assert_eq!(names.shared(), [("bake", vec!["assets:bake"])]);
}
