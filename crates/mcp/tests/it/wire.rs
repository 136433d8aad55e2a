//! Messages as they go on the wire, in both eras.

use serde_json::json;

use crate::bench::{Bench, LATEST};

#[tokio::test]
async fn initialize() {
    let bench = Bench::new();
    let heard = bench.initialize(json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "p", "version": "0"}})).await;
    insta::assert_snapshot!(heard.raw, @r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"completions":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true},"tools":{"listChanged":true}},"serverInfo":{"name":"bench","version":"1.2.3"},"instructions":"Search first."}}"#);
}

#[tokio::test]
async fn discover() {
    let bench = Bench::new();
    let heard = bench.modern("server/discover", json!({})).await;
    insta::assert_snapshot!(heard.raw, @r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"completions":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true},"tools":{"listChanged":true}},"instructions":"Search first.","resultType":"complete","ttlMs":60000,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3"}}}}"#);
}

#[tokio::test]
async fn a_call_in_both_eras() {
    let bench = Bench::new();
    let params = json!({"name": "echo", "arguments": {"é": 1}});
    let legacy = bench
        .session()
        .await
        .request("tools/call", params.clone())
        .await;
    insta::assert_snapshot!(legacy.raw, @r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"é\":1}"}],"structuredContent":{"é":1},"isError":false}}"#);
    let modern = bench.modern("tools/call", params).await;
    insta::assert_snapshot!(modern.raw, @r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"é\":1}"}],"structuredContent":{"é":1},"isError":false,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3"}}}}"#);
}

#[tokio::test]
async fn a_list_in_both_eras() {
    let bench = Bench::with(|config| config.page_size = 1);
    let mut legacy = bench
        .session()
        .await
        .request("tools/list", json!({}))
        .await
        .answer;
    let mut modern = bench.modern("tools/list", json!({})).await.answer;
    for list in [&mut legacy, &mut modern] {
        assert_eq!(list["result"]["tools"][0]["name"], "list_skills");
        list["result"]["tools"] = json!("one tool");
        list["result"]["nextCursor"] = json!("a cursor");
    }
    insta::assert_snapshot!(legacy, @r#"{"jsonrpc":"2.0","id":1,"result":{"tools":"one tool","nextCursor":"a cursor"}}"#);
    insta::assert_snapshot!(modern, @r#"{"jsonrpc":"2.0","id":1,"result":{"tools":"one tool","nextCursor":"a cursor","resultType":"complete","ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3"}}}}"#);
}

#[tokio::test]
async fn progress_and_log_lines() {
    let bench = Bench::new();
    let call = json!({
        "name": "steps", "arguments": {"count": 1},
        "_meta": {"progressToken": "t", "io.modelcontextprotocol/logLevel": "info"},
    });
    let heard = bench.modern("tools/call", call).await;
    let lines: Vec<String> = heard.messages.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"message":"step 1"}}
    {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"steps","data":"line 1"}}
    "#);
}

#[tokio::test]
async fn errors_name_what_came_and_what_was_expected() {
    let bench = Bench::new();
    let client = bench.session().await;
    let mut lines = Vec::new();
    for (method, params) in [
        ("no/such", json!({})),
        ("tools/call", json!({"name": "load_skil"})),
        ("tools/call", json!({"name": 7})),
        ("tools/call", json!({})),
        ("tools/call", json!({"name": "echo", "arguments": [1]})),
        ("tools/call", json!({"name": "panics"})),
        ("tools/list", json!({"cursor": "junk"})),
        ("tools/list", json!({"cursor": 7})),
        ("logging/setLevel", json!({"level": "loud"})),
    ] {
        lines.push(client.request(method, params).await.raw);
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no method \"no/such\" in revision 2025-11-25"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool: load_skil (did you mean `load_skill` or `unload_skill`?)","data":{"name":"load_skil","nearest":["load_skill","unload_skill"]}}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params: name must be the name of a tool, found 7"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params: name is missing; expected the name of a tool"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"arguments must be an object, found a list"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: the server failed on this request; its log has the details"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params: cursor is none that this server gave; list again without a cursor"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params: cursor must be a string that this server gave, found 7"}}
    {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params: no log level is called \"loud\"; there are debug, info, notice, warning, error, critical, alert, emergency"}}
    "#);
}

#[tokio::test]
async fn what_is_declared_works_and_what_is_not_is_unknown() {
    let bench = Bench::new();
    let client = bench.session().await;
    for method in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "skills/list",
        "prompts/list",
    ] {
        let legacy = client.request(method, json!({})).await;
        let modern = bench.modern(method, json!({})).await;
        assert!(
            legacy.answer["result"].is_object(),
            "{method}: {}",
            legacy.raw
        );
        assert!(modern.answer["result"]["ttlMs"].is_u64(), "{method}");
    }
    for method in [
        "resources/subscribe",
        "resources/unsubscribe",
        "roots/list",
        "sampling/createMessage",
        "elicitation/create",
    ] {
        let params = json!({"uri": "skill://one/SKILL.md"});
        assert_eq!(client.request(method, params.clone()).await.code(), -32601);
        assert_eq!(bench.modern(method, params).await.status, 404, "{method}");
    }
}
