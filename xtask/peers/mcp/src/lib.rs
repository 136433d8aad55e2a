//! What the servers share: the tools that they offer, and how they end.

mod offer;

pub use offer::{TOOLS, schema, serve_until_the_input_ends, tools};
