//! The methods, one module per feature.

use std::sync::Arc;

use serde::Deserialize;

use crate::error::McpError;
use crate::shared::Shared;
use crate::table::MethodTable;

mod lifecycle;
mod logging;
mod subscriptions;
mod tools;

/// Every method that is served.
pub(crate) fn table(shared: &Arc<Shared>) -> MethodTable {
    MethodTable::merge([
        lifecycle::methods(shared),
        logging::methods(shared),
        subscriptions::methods(shared),
        tools::methods(shared),
    ])
}

/// Reads a method's parameters; the library's text names the member and what was expected.
fn read<'p, T: Deserialize<'p>>(params: &'p str) -> Result<T, McpError> {
    serde_json::from_str(params)
        .map_err(|error| McpError::invalid_params(format!("invalid params: {error}")))
}
