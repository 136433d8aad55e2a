//! The methods, one module per feature.

use std::sync::Arc;

use bytes::Bytes;
use jsonrpsee::types::Params;
use serde::Deserialize;

use crate::call::{Call, Outcome};
use crate::error::McpError;
use crate::shared::Shared;
use crate::table::{MethodTable, json_of};

mod completion;
mod lifecycle;
mod listing;
mod logging;
pub(crate) mod prompts;
pub(crate) mod resources;
pub(crate) mod skills;
mod subscriptions;
mod tools;
mod unreadable;

/// Every method that is served.
pub(crate) fn table(shared: &Arc<Shared>) -> MethodTable {
    MethodTable::merge([
        completion::methods(shared),
        lifecycle::methods(shared),
        logging::methods(shared),
        prompts::methods(shared),
        resources::methods(shared),
        skills::methods(shared),
        subscriptions::methods(shared),
        tools::methods(shared),
    ])
}

/// Runs a method that reads files on a thread that may wait for them.
async fn blocking(
    shared: Arc<Shared>,
    call: Arc<Call>,
    params: Params<'static>,
    method: fn(&Shared, &Call, &str) -> Result<Bytes, McpError>,
) -> Outcome {
    let work = move || method(&shared, &call, json_of(&params));
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.into(),
        Err(error) => {
            tracing::error!(%error, "a method that reads files broke off");
            McpError::internal().into()
        }
    }
}

/// Reads a method's parameters; the library's text names the member and what was expected. The place in a text that
/// some client's library has written tells nobody anything.
fn read<'p, T: Deserialize<'p>>(params: &'p str) -> Result<T, McpError> {
    serde_json::from_str(params).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        McpError::invalid_params(format!("invalid params: {what}"))
    })
}
