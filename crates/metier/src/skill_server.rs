//! Everything put together.

use std::path::PathBuf;

use metier_catalog::{CatalogSettings, SkillCatalog, ToolDispatcher, ToolRegistry};
use metier_mcp::{McpConfig, McpServer};
use metier_mcp_http::{McpHttpConfig, McpHttpServer};

/// A server for an application, with the skills of the usual places: `extra_paths`, then
/// `DCC_MCP_{APP}_SKILL_PATHS`, `DCC_MCP_SKILL_PATHS`, `~/.dcc-mcp/{app}/skills` and the platform's
/// data folder.
///
/// It makes a registry, a dispatcher and a catalog, discovers skills and loads none. `dcc_name`
/// stands in for `app_name` where places are named after it. Reading the disk blocks; call it on a
/// thread that may.
pub fn create_skill_server(
    app_name: &str,
    config: McpHttpConfig,
    extra_paths: &[PathBuf],
    dcc_name: Option<&str>,
) -> McpHttpServer {
    let (server, _) = skill_server(
        CatalogSettings::from_process(app_name),
        config,
        extra_paths,
        dcc_name,
    );
    server
}

/// The same with settings of one's own; the catalog comes with the server, for a host that wants to
/// register tools, subscribe to changes or load skills itself.
pub fn skill_server(
    settings: CatalogSettings,
    config: McpHttpConfig,
    extra_paths: &[PathBuf],
    dcc_name: Option<&str>,
) -> (McpHttpServer, SkillCatalog) {
    let (catalog, dispatcher) = discovered(settings, extra_paths, dcc_name);
    (
        McpHttpServer::new(catalog.clone(), dispatcher, config),
        catalog,
    )
}

/// The same without a transport, to be served by [`serve_stdio`](crate::serve_stdio) or a transport
/// of one's own.
pub fn message_server(
    settings: CatalogSettings,
    config: McpConfig,
    extra_paths: &[PathBuf],
    dcc_name: Option<&str>,
) -> (McpServer, SkillCatalog) {
    let (catalog, dispatcher) = discovered(settings, extra_paths, dcc_name);
    (McpServer::new(catalog.clone(), dispatcher, config), catalog)
}

fn discovered(
    settings: CatalogSettings,
    extra_paths: &[PathBuf],
    dcc_name: Option<&str>,
) -> (SkillCatalog, ToolDispatcher) {
    let registry = ToolRegistry::with_settings(settings);
    let dispatcher = ToolDispatcher::new(registry.clone());
    let catalog = SkillCatalog::new(registry).with_dispatcher(dispatcher.clone());
    catalog.discover(extra_paths, dcc_name);
    (catalog, dispatcher)
}
