//! Serves the skills in a folder, and a host tool that reports progress:
//! `cargo run -p metier-mcp-http --example serve -- FOLDER [PORT]`.
#![expect(
    clippy::print_stdout,
    reason = "an example talks to whoever started it"
)]

use std::path::PathBuf;

use metier_catalog::{CatalogSettings, SkillCatalog, ToolDispatcher, ToolRegistry};
use metier_mcp_http::{McpHttpConfig, McpHttpServer};
use metier_tool::{CallContext, Progress, ToolError, ToolSpec};
use serde_json::{Map, Value};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder of skills?")?);
    let port = arguments.next().map_or(Ok(8765), |port| port.parse())?;

    let registry = ToolRegistry::with_settings(CatalogSettings::from_process("example"));
    let dispatcher = ToolDispatcher::new(registry.clone());
    let echo = ToolSpec::from_fn(
        "echo",
        |arguments: Map<String, Value>, _: CallContext| async { Ok::<_, ToolError>(arguments) },
    );
    registry.register(echo.description("Answers with its arguments."))?;
    let count = ToolSpec::from_fn(
        "count",
        |_: Map<String, Value>, context: CallContext| async move {
            for step in 1..=3_u32 {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                context.events.progress(Progress {
                    progress: f64::from(step),
                    total: Some(3.0),
                    message: None,
                });
            }
            Ok::<_, ToolError>(Map::new())
        },
    );
    registry.register(count.description("Counts to three."))?;

    let catalog = SkillCatalog::new(registry).with_dispatcher(dispatcher.clone());
    catalog.discover(&[folder], None);
    let handle = McpHttpServer::new(catalog, dispatcher, McpHttpConfig::new(port))
        .start()
        .await?;
    println!("{}", handle.mcp_url());
    handle.wait().await;
    Ok(())
}
