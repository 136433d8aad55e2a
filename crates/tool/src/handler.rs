//! The trait that every tool implements.

use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value};

use crate::{CallContext, ToolError, ToolOutput};

/// A boxed future that any thread may poll.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something that can be called.
///
/// The arguments have been repaired and validated against the tool's schema. A handler that may
/// take long watches [`CallContext::cancel`]; dropping the future must end whatever it started.
pub trait ToolHandler: Send + Sync {
    /// Runs the tool once.
    fn call(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>>;
}
