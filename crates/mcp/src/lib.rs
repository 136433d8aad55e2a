//! Every MCP method in both protocol eras, sessions and notices; no transport.
