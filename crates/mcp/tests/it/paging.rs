//! Pages of `tools/list`.

use metier_tool::{ToolError, ToolSpec};
use serde_json::{Map, Value, json};

use crate::bench::{Bench, Client};

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

async fn walk(client: &Client<'_>) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut params = json!({});
    loop {
        let answer = client.request("tools/list", params).await.answer;
        pages.push(names(&answer));
        match answer["result"].get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return pages,
        }
        assert!(pages.len() < 100);
    }
}

fn add(bench: &Bench, name: &str) {
    let spec = ToolSpec::from_fn(name, |_: Map<String, Value>, _| async {
        Ok::<_, ToolError>(Map::new())
    });
    bench.registry.register(spec).unwrap();
}

#[tokio::test]
async fn a_walk_sees_every_tool_once() {
    let whole = Bench::new();
    let all = walk(&whole.session().await).await;
    assert_eq!(all.len(), 1, "a list that fits has no cursor");
    for size in [1, 2, 5, 11] {
        let bench = Bench::with(|config| config.page_size = size);
        let pages = walk(&bench.session().await).await;
        assert!(
            pages
                .iter()
                .all(|page| !page.is_empty() && page.len() <= size)
        );
        assert_eq!(pages.concat(), all[0]);
    }
}

#[tokio::test]
async fn the_empty_cursor_is_the_beginning_and_junk_is_refused() {
    let bench = Bench::with(|config| config.page_size = 3);
    let client = bench.session().await;
    let first = client.request("tools/list", json!({})).await.answer;
    assert_eq!(
        names(
            &client
                .request("tools/list", json!({"cursor": ""}))
                .await
                .answer
        ),
        names(&first)
    );
    let cursor = first["result"]["nextCursor"].as_str().unwrap();
    for junk in [
        "junk",
        "3",
        "!",
        &cursor[1..],
        &format!("{cursor}A"),
        "AAAAAAAA",
    ] {
        assert_eq!(
            client
                .request("tools/list", json!({"cursor": junk}))
                .await
                .code(),
            -32602,
            "{junk}"
        );
    }
    // A cursor belongs to the list, not to a session.
    let other = bench
        .session()
        .await
        .request("tools/list", json!({"cursor": cursor}))
        .await
        .answer;
    assert_eq!(
        names(&other),
        names(
            &client
                .request("tools/list", json!({"cursor": cursor}))
                .await
                .answer
        )
    );
}

#[tokio::test]
async fn a_walk_goes_on_where_it_was_when_the_list_changes() {
    let bench = Bench::with(|config| config.page_size = 6);
    let client = bench.session().await;
    let first = client.request("tools/list", json!({})).await.answer;
    add(&bench, "another");
    let rest = client
        .request(
            "tools/list",
            json!({"cursor": first["result"]["nextCursor"]}),
        )
        .await
        .answer;
    let seen = [names(&first), names(&rest)].concat();
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), seen.len(), "{seen:?}");
}

#[tokio::test]
async fn stubs_can_be_left_out() {
    let with = Bench::new();
    let without = Bench::with(|config| config.stubs = false);
    assert!(
        walk(&with.session().await)
            .await
            .concat()
            .contains(&"__skill__one".to_owned())
    );
    assert!(
        !walk(&without.session().await)
            .await
            .concat()
            .iter()
            .any(|name| name.starts_with("__skill__"))
    );
}

#[tokio::test]
async fn a_new_generation_is_listed_at_once() {
    let bench = Bench::new();
    let client = bench.session().await;
    assert!(!walk(&client).await.concat().contains(&"late".to_owned()));
    add(&bench, "late");
    assert!(walk(&client).await.concat().contains(&"late".to_owned()));
    let modern = bench.modern("tools/list", json!({})).await.answer;
    assert!(names(&modern).contains(&"late".to_owned()));
}
