//! The official SDK's client behind the seam: Streamable HTTP, and programs over standard input and output.

mod connect;
mod notices;
mod peer;
mod program;
mod target;

pub use connect::{ConnectFault, Remote};
pub use target::{Era, Target};
