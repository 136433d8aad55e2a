//! Our server with a hundred tools in the process.

use std::error::Error;
use std::sync::Arc;

use mcp_beside_rmcp::{schema, serve_until_the_input_ends, tools};
use metier::tool::BoxFuture;
use metier::{
    CallContext, CatalogSettings, McpHttpConfig, ToolError, ToolHandler, ToolOutput, ToolSpec,
    skill_server,
};
use serde_json::{Map, Value};

struct Nothing;

impl ToolHandler for Nothing {
    fn call(
        &self,
        _: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async { Ok(ToolOutput::text("ok")) })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (server, catalog) =
        skill_server(CatalogSettings::default(), McpHttpConfig::new(0), &[], None);
    for (name, description) in tools() {
        let tool = ToolSpec::new(name, Arc::new(Nothing))
            .description(description)
            .input_schema(schema());
        catalog.registry().register(tool)?;
    }
    let handle = server.start().await?;
    serve_until_the_input_ends(&handle.mcp_url()).await
}
