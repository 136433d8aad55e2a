//! The official Rust SDK's server with the same hundred tools, answering in plain JSON.

use std::error::Error;
use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt as _;
use mcp_beside_rmcp::{schema, serve_until_the_input_ends, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::net::TcpListener;

#[derive(Clone)]
struct Peer(Arc<Vec<Tool>>);

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items((*self.0).clone()))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text("ok")]).into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.iter().find(|tool| tool.name == name).cloned()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let schema = Arc::new(schema());
    let tools =
        tools().map(|(name, description)| Tool::new(name, description, Arc::clone(&schema)));
    let peer = Peer(Arc::new(tools.collect()));
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_legacy_session_mode(false);
    let service = StreamableHttpService::new(
        move || Ok(peer.clone()),
        LocalSessionManager::default().into(),
        config,
    );
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    tokio::spawn(async move {
        axum::serve(listener, Router::new().nest_service("/mcp", service)).await
    });
    serve_until_the_input_ends(&url).await
}
