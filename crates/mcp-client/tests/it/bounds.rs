//! Servers that never end, never answer, or say too much.

use std::time::Duration;

use metier_mcp_client::{Bounds, Settings};
use serde_json::json;

use crate::scripted::{connected_with, server, settings, skill};

fn bounded(change: impl FnOnce(&mut Bounds)) -> Settings {
    let mut settings = settings();
    change(&mut settings.bounds);
    settings
}

fn many(count: usize) -> Vec<serde_json::Value> {
    (0..count)
        .map(|number| skill(&format!("s{number}")).entry())
        .collect()
}

#[tokio::test]
async fn endless_pages_end_at_a_limit() {
    let server = server(&[&skill("bake")]);
    server.change(|script| script.endless = true);
    let connection = connected_with(&server, bounded(|it| it.pages = 5)).await;
    assert_eq!(server.asked().len(), 15);
    let offer = connection.offer();
    assert_eq!(offer.skills.len(), 1);
    let said: Vec<String> = offer
        .findings
        .iter()
        .map(|it| format!("{}: {}", it.about, it.message))
        .collect();
    assert!(
        said.contains(&"skills/list: the list has more than 5 pages".to_owned()),
        "{said:?}"
    );
    assert!(
        said.contains(&"skill://bake/SKILL.md: it is listed twice".to_owned()),
        "{said:?}"
    );
}

#[tokio::test]
async fn pages_that_go_round_in_circles_are_noticed() {
    let server = server(&[&skill("bake")]);
    server.change(|script| script.circle = true);
    let connection = connected_with(&server, settings()).await;
    assert_eq!(server.asked().len(), 6);
    let last = connection.offer().findings.last().unwrap().clone();
    assert_eq!(last.message, "page 2 leads back to an earlier one");
}

#[tokio::test(start_paused = true)]
async fn slow_pages_end_in_time_and_what_came_stays() {
    let server = server(&[]);
    server.change(|script| {
        script.skills = many(5).into_iter().map(|entry| vec![entry]).collect();
        script.slow.insert("skills/list", Duration::from_secs(20));
    });
    let began = tokio::time::Instant::now();
    let connection = connected_with(&server, bounded(|it| it.list = Duration::from_secs(50))).await;
    assert_eq!(began.elapsed(), Duration::from_secs(50));
    assert_eq!(connection.offer().skills.len(), 2);
    assert_eq!(
        connection.offer().findings[0].message,
        "page 3 did not come in time"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_never_comes_is_given_up() {
    let bake = skill("bake");
    let server = server(&[&bake]);
    let connection = connected_with(&server, settings()).await;
    server.change(|script| {
        script
            .slow
            .insert("resources/read", Duration::from_secs(1_000_000));
        script
            .slow
            .insert("skills/list", Duration::from_secs(1_000_000));
    });
    let fault = connection.open_skill(&bake.uri()).await.unwrap_err();
    assert_eq!(fault.to_string(), "the server did not answer within 30 s");
    connection
        .tell(metier_mcp_client::ServerEvent::PromptsChanged)
        .await;
    assert_eq!(
        connection.offer().findings[0].message,
        "the server did not answer within 30 s"
    );
    assert_eq!(connection.offer().skills.len(), 1);
}

#[tokio::test]
async fn lists_hold_so_many_entries_and_bytes() {
    let server = server(&[]);
    server.change(|script| script.skills = vec![many(50)]);
    let connection = connected_with(&server, bounded(|it| it.entries = 20)).await;
    assert_eq!(connection.offer().skills.len(), 20);
    assert_eq!(
        connection.offer().findings[0].message,
        "the list has more than 20 entries"
    );
    let connection = connected_with(&server, bounded(|it| it.list_bytes = 2_000)).await;
    let kept = connection.offer().skills.len();
    assert!((5..20).contains(&kept), "{kept}");
    assert_eq!(
        connection.offer().findings[0].message,
        "the list is larger than 2000 bytes"
    );
}

#[tokio::test]
async fn a_skill_holds_so_many_files_and_bytes() {
    let mut crowd = skill("crowd");
    for number in 0..512 {
        crowd = crowd.file(&format!("f{number}.md"), "x");
    }
    let mut heavy = skill("heavy").entry();
    heavy["resources"][0]["size"] = json!(16 * 1024 * 1024 + 1);
    let server = server(&[&crowd, &skill("bake")]);
    server.change(|script| script.skills[0].push(heavy));
    let connection = connected_with(&server, settings()).await;
    let offer = connection.offer();
    assert_eq!(offer.skills.len(), 1);
    assert_eq!(offer.findings[0].message, "it has more than 512 files");
    assert_eq!(
        offer.findings[1].message,
        "its files are larger than 16777216 bytes together"
    );
}
