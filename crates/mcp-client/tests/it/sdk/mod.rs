//! The same duties over the wire, with servers that nobody would want.

mod hostile;
mod http_server;
mod program;
