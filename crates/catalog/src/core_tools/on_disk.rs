//! A tool that looks at files or at all skills, on a thread that may take its time.

use std::marker::PhantomData;
use std::sync::Arc;

use metier_tool::{BoxFuture, CallContext, ToolError, ToolHandler, ToolOutput};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Own;
use crate::catalog::SkillCatalog;

type Run<I> = fn(&SkillCatalog, I, Option<String>) -> Result<ToolOutput, ToolError>;

/// The handler of a tool that `run` answers, from its arguments and the session of the call.
pub(super) fn on_disk<I: DeserializeOwned + Send + 'static>(
    own: Own,
    run: Run<I>,
) -> Arc<dyn ToolHandler> {
    Arc::new(OnDisk {
        own,
        run,
        input: PhantomData,
    })
}

struct OnDisk<I> {
    own: Own,
    run: Run<I>,
    input: PhantomData<fn(I)>,
}

impl<I: DeserializeOwned + Send + 'static> ToolHandler for OnDisk<I> {
    fn call(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        let (catalog, run) = (self.own.catalog(), self.run);
        Box::pin(async move {
            let catalog = catalog?;
            let input: I = serde_json::from_value(Value::Object(arguments))
                .map_err(|error| ToolError::Failed(error.to_string()))?;
            tokio::task::spawn_blocking(move || run(&catalog, input, context.session))
                .await
                .map_err(|error| ToolError::Failed(error.to_string()))?
        })
    }
}
