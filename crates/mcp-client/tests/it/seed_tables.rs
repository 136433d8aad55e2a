//! The tables of the requirement, row by row: which event does what, which command passes.

use metier_mcp_client::{CommandKind, Flag, LoadedFrom, ServerEvent, SkillCommand, skill_commands};
use serde_json::json;

use crate::scripted::{connected, server, skill};

/// Connecting asks for prompts, skills and resources; the commands are the prompts and then the skills.
#[tokio::test]
async fn connecting_fetches_all_three_lists() {
    let server = server(&[&skill("bake")]);
    server.change(|script| {
        script.prompts = vec![vec![json!({"name": "hello", "description": "Says hello."})]];
        script.resources = vec![vec![json!({"uri": "file:///a", "name": "a"})]];
    });
    let connection = connected(&server).await;
    let mut asked = server.asked();
    asked.sort();
    assert_eq!(asked, ["prompts/list", "resources/list", "skills/list"]);
    let offer = connection.offer();
    let names: Vec<&str> = offer
        .commands
        .iter()
        .map(|command| command.name.as_str())
        .collect();
    assert_eq!(names, ["assets:prompt:hello", "assets:bake"]);
    assert_eq!(offer.resources[0].uri, "file:///a");
}

#[tokio::test]
async fn closing_clears_the_cache_of_that_connection_alone() {
    event_clears(ServerEvent::Closed).await;
}

#[tokio::test]
async fn disconnecting_clears_the_cache_of_that_connection_alone() {
    event_clears(ServerEvent::Disconnected).await;
}

async fn event_clears(event: ServerEvent) {
    let bake = skill("bake");
    let (one, other) = (server(&[&bake]), server(&[&bake]));
    let (first, second) = (connected(&one).await, connected(&other).await);
    let _ = (one.asked(), other.asked());
    first.tell(event).await;
    let offer = first.offer();
    assert!(offer.commands.is_empty() && offer.skills.is_empty() && offer.resources.is_empty());
    assert!(first.skill_commands().is_empty());
    assert!(first.open_skill(&bake.uri()).await.is_err());
    // Nothing brings it back, and nothing is asked any more.
    first.tell(ServerEvent::ResourcesChanged).await;
    assert!(first.offer().commands.is_empty());
    assert_eq!(one.asked(), Vec::<String>::new());
    assert_eq!(second.skill_commands().len(), 1);
    assert_eq!(other.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn changed_prompts_refresh_prompts_and_skills() {
    let server = server(&[&skill("bake")]);
    let connection = connected(&server).await;
    let _ = server.asked();
    server.change(|script| {
        script.prompts = vec![vec![json!({"name": "hello"})]];
        script.skills = vec![vec![skill("rig").entry()]];
        script.resources = vec![vec![json!({"uri": "file:///new", "name": "new"})]];
    });
    connection.tell(ServerEvent::PromptsChanged).await;
    let mut asked = server.asked();
    asked.sort();
    assert_eq!(asked, ["prompts/list", "skills/list"]);
    let offer = connection.offer();
    assert!(offer.command("assets:prompt:hello").is_some());
    assert!(offer.command("assets:rig").is_some() && offer.command("assets:bake").is_none());
    assert!(offer.resources.is_empty());
}

#[tokio::test]
async fn changed_resources_refresh_resources_prompts_and_skills() {
    let server = server(&[&skill("bake")]);
    let connection = connected(&server).await;
    let _ = server.asked();
    server.change(|script| {
        script.skills = vec![vec![]];
        script.resources = vec![vec![json!({"uri": "file:///new", "name": "new"})]];
    });
    connection.tell(ServerEvent::ResourcesChanged).await;
    let mut asked = server.asked();
    asked.sort();
    assert_eq!(asked, ["prompts/list", "resources/list", "skills/list"]);
    assert!(connection.offer().commands.is_empty());
    assert_eq!(connection.offer().resources[0].uri, "file:///new");
}

/// One command that passes, and for each condition of the filter one that fails that condition alone.
#[tokio::test]
async fn each_condition_of_the_filter_counts() {
    let server = server(&[&skill("bake")]);
    let connection = connected(&server).await;
    let passing = connection.offer().commands[0].clone();
    let changed = |change: fn(&mut SkillCommand)| {
        let mut command = passing.clone();
        change(&mut command);
        command
    };
    let rows: [(&str, SkillCommand, Flag, bool); 7] = [
        ("passes", passing.clone(), Flag::On, true),
        (
            "another kind",
            changed(|it| it.kind = CommandKind::Local),
            Flag::On,
            false,
        ),
        (
            "a prompt of a server",
            changed(|it| it.loaded_from = LoadedFrom::McpPrompt),
            Flag::On,
            false,
        ),
        (
            "a local skill",
            changed(|it| it.loaded_from = LoadedFrom::Skills),
            Flag::On,
            false,
        ),
        (
            "a bundled skill",
            changed(|it| it.loaded_from = LoadedFrom::Bundled),
            Flag::On,
            false,
        ),
        (
            "for persons alone",
            changed(|it| it.disable_model_invocation = true),
            Flag::On,
            false,
        ),
        ("flag off", passing.clone(), Flag::Off, false),
    ];
    for (row, command, flag, passes) in rows {
        let commands = [command];
        assert_eq!(
            skill_commands(&commands, flag).len(),
            usize::from(passes),
            "{row}"
        );
    }
}

#[tokio::test]
async fn the_front_matter_decides_who_may_invoke() {
    let for_people = skill("a").with("disable-model-invocation", json!(true));
    let for_models = skill("b").with("user-invocable", json!("no"));
    let server = server(&[&for_people, &for_models]);
    server.change(|script| script.prompts = vec![vec![json!({"name": "hello"})]]);
    let connection = connected(&server).await;
    let names: Vec<String> = connection
        .skill_commands()
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["assets:b"]);
    let offer = connection.offer();
    assert!(offer.command("assets:a").unwrap().user_invocable);
    assert!(!offer.command("assets:b").unwrap().user_invocable);
}

/// The server must declare `resources`.
#[tokio::test]
async fn without_the_capability_resources_no_skill_is_asked_for() {
    let server = server(&[&skill("bake")]);
    server.change(|script| script.declared.resources = false);
    let connection = connected(&server).await;
    assert_eq!(server.asked(), ["prompts/list"]);
    assert!(connection.skill_commands().is_empty());
    assert!(
        connection.offer().findings[0]
            .message
            .contains("no resources")
    );
}
