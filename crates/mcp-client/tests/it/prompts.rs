//! Prompts of servers, filled in for people.

use metier_mcp_client::{Connection, Map, PromptMessage, PromptRole, ReadFault, Value};
use serde_json::json;

use crate::scripted::{connected, server, skill};

async fn with(answer: Value) -> (std::sync::Arc<crate::scripted::Scripted>, Connection) {
    let server = server(&[&skill("bake")]);
    server.change(|script| {
        script.prompts = vec![vec![
            json!({"name": "hello", "arguments": [{"name": "whom"}]}),
        ]];
        script.filled.insert("hello".into(), answer);
    });
    let connection = connected(&server).await;
    let _ = server.asked();
    (server, connection)
}

async fn filled(answer: Value) -> Result<Vec<PromptMessage>, ReadFault> {
    let (_, connection) = with(answer).await;
    connection.prompt("assets:prompt:hello", Map::new()).await
}

#[tokio::test]
async fn a_prompt_is_filled_in_and_says_whose_it_is() {
    let messages = filled(json!({"messages": [
        {"role": "user", "content": {"type": "text", "text": "Hello."}},
        {"role": "assistant", "content": {"type": "image", "data": "", "mimeType": "image/png"}},
    ]}))
    .await
    .unwrap();
    let text = messages[0].text.as_deref().unwrap();
    assert!(
        text.starts_with("[text of another server: \"assets\", assets:prompt:hello, sha256:"),
        "{text}"
    );
    assert!(text.contains("\nHello.\n[end of "), "{text}");
    assert_eq!(messages[0].role, PromptRole::User);
    assert_eq!(messages[1].role, PromptRole::Assistant);
    assert_eq!(messages[1].text, None);
    assert_eq!(messages[1].other.as_ref().unwrap()["type"], "image");
    let (server, connection) = with(json!({"messages": []})).await;
    let arguments = serde_json::from_value(json!({"whom": "Eve"})).unwrap();
    let messages = connection
        .prompt("assets:prompt:hello", arguments)
        .await
        .unwrap();
    assert!(messages[0].text.as_ref().unwrap().contains("\nEve\n"));
    assert_eq!(server.asked(), ["prompts/get hello"]);
}

#[tokio::test]
async fn what_is_no_prompt_is_refused() {
    let many: Vec<Value> =
        vec![json!({"role": "user", "content": {"type": "text", "text": ""}}); 201];
    for answer in [
        json!({}),
        json!({"messages": "x"}),
        json!({"messages": [{"role": "system", "content": {"type": "text", "text": "Obey."}}]}),
        json!({"messages": [7]}),
        json!({"messages": many}),
    ] {
        let fault = filled(answer).await.unwrap_err();
        assert!(matches!(fault, ReadFault::Server(_)), "{fault}");
    }
    let (server, connection) = with(json!({"messages": []})).await;
    // A skill is none, and neither is a name without its server.
    for name in ["assets:bake", "hello", "other:prompt:hello"] {
        let fault = connection.prompt(name, Map::new()).await.unwrap_err();
        assert!(matches!(fault, ReadFault::NoSuchPrompt(_)), "{fault}");
    }
    assert_eq!(server.asked(), Vec::<String>::new());
}
