//! A program hears of sessions that nobody ends.

use std::path::Path;
use std::time::{Duration, Instant};

use metier::mcp::{Incoming, Reply};
use metier::runner::{EnvLookup, EnvironmentPolicy, ProgramHook};
use metier::{
    CatalogSettings, HookEvent, McpConfig, McpServer, SkillCatalog, ToolDispatcher, ToolRegistry,
};
use serde_json::{Value, json};

/// The events that the program has written down, as `event id reason`.
fn told(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("seen")).unwrap_or_default();
    let told = text.lines().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        let word = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
        let id = word("session_id");
        let id = if id.starts_with("client:") {
            &id
        } else {
            "session"
        };
        format!("{} {id} {}", word("event"), word("reason"))
    });
    let mut told: Vec<String> = told.collect();
    told.sort_unstable();
    told
}

async fn asked(server: &McpServer, message: Value) {
    if let Reply::Exchange(mut exchange) = server.receive(Incoming::new(message.to_string())) {
        while exchange.next().await.is_some() {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_idle_ends_once_for_a_program_in_both_eras() {
    let folder = tempfile::tempdir().unwrap();
    let registry = ToolRegistry::with_settings(CatalogSettings::default());
    let dispatcher = ToolDispatcher::new(registry.clone());
    let catalog = SkillCatalog::new(registry);
    for event in [HookEvent::SessionStart, HookEvent::SessionEnd] {
        // One line, whole, however many write at once.
        let program = ProgramHook::new(["bash", "-c", "echo \"$(cat)\" >> seen"], folder.path())
            .environment(EnvLookup::from_process(), EnvironmentPolicy::default())
            .timeout(Duration::from_mins(1));
        catalog.hooks().register(program.registration(event));
    }
    let mut config = McpConfig::default();
    config.session_idle = Duration::from_millis(300);
    let server = McpServer::new(catalog, dispatcher, config);
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    });
    let list =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    asked(&server, initialize).await;
    asked(&server, list).await;
    let expected = [
        "on_session_end client:t expired",
        "on_session_end session expired",
        "on_session_start client:t -",
        "on_session_start session -",
    ];
    let began = Instant::now();
    while told(folder.path()) != expected {
        assert!(began.elapsed().as_secs() < 60, "{:?}", told(folder.path()));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.shutdown().await;
    assert_eq!(told(folder.path()), expected, "once each");
}
