//! MCP's Streamable HTTP on axum.
