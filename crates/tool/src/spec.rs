//! A tool written in code.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use metier_skill_model::ToolAnnotations;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{ArgumentFault, BoxFuture, CallContext, ToolError, ToolHandler, ToolOutput, derive};

/// A tool with its name, texts, schemas and handler, ready to be registered.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name clients call; 1 to 64 of `A-Z a-z 0-9 _ -`.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does, for models.
    pub description: String,
    /// JSON Schema of the arguments; its root is an object.
    pub input_schema: Map<String, Value>,
    /// JSON Schema of the structured result.
    pub output_schema: Option<Map<String, Value>>,
    /// Hints for clients.
    pub annotations: ToolAnnotations,
    /// What it needs of the host.
    pub required_capabilities: Vec<String>,
    /// Further facts for the tool's `_meta`.
    pub meta: Map<String, Value>,
    /// What runs.
    pub handler: Arc<dyn ToolHandler>,
}

impl ToolSpec {
    /// A tool that takes any object.
    pub fn new(name: impl Into<String>, handler: Arc<dyn ToolHandler>) -> Self {
        let mut input_schema = Map::new();
        input_schema.insert("type".to_owned(), Value::from("object"));
        Self {
            name: name.into(),
            title: None,
            description: String::new(),
            input_schema,
            output_schema: None,
            annotations: ToolAnnotations::default(),
            required_capabilities: Vec::new(),
            meta: Map::new(),
            handler,
        }
    }

    /// A tool from a typed function: the schemas are derived from its argument and its result.
    ///
    /// The documentation of types and fields becomes their description, unknown arguments are
    /// refused, and a result that is no object travels as `{"result": …}`.
    pub fn from_fn<I, O, F, T>(name: impl Into<String>, function: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(I, CallContext) -> T + Send + Sync + 'static,
        T: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        let output_schema = derive::output_schema::<O>();
        let is_object = output_schema.get("properties").is_some()
            || output_schema.get("additionalProperties").is_some();
        let handler = Typed {
            function,
            types: PhantomData::<fn(I) -> O>,
        };
        Self {
            input_schema: derive::input_schema::<I>(),
            output_schema: is_object.then_some(output_schema),
            ..Self::new(name, Arc::new(handler))
        }
    }

    /// Takes both schemas from types, for a handler that makes its [`crate::ToolOutput`] itself.
    #[must_use]
    pub fn schemas_of<I: JsonSchema, O: JsonSchema>(mut self) -> Self {
        self.input_schema = derive::input_schema::<I>();
        self.output_schema = Some(derive::output_schema::<O>());
        self
    }

    /// Sets what it does.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the hints.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Sets what it needs of the host.
    #[must_use]
    pub fn requires<S: Into<String>>(mut self, capabilities: impl IntoIterator<Item = S>) -> Self {
        self.required_capabilities = capabilities.into_iter().map(Into::into).collect();
        self
    }
}

impl fmt::Debug for ToolSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSpec")
            .field("name", &self.name)
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

struct Typed<I, O, F> {
    function: F,
    types: PhantomData<fn(I) -> O>,
}

impl<I, O, F, T> ToolHandler for Typed<I, O, F>
where
    I: DeserializeOwned + Send + 'static,
    O: Serialize + Send + 'static,
    F: Fn(I, CallContext) -> T + Send + Sync + 'static,
    T: Future<Output = Result<O, ToolError>> + Send + 'static,
{
    fn call(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            // The schema has been checked before; what is left are rules that only the type knows.
            let input = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
                ToolError::InvalidArguments(vec![ArgumentFault {
                    path: String::new(),
                    message: error.to_string(),
                }])
            })?;
            let output = (self.function)(input, context).await?;
            let value = serde_json::to_value(output).map_err(|error| {
                ToolError::Failed(format!("the result cannot be written as JSON: {error}"))
            })?;
            Ok(ToolOutput::structured(match value {
                Value::Object(object) => object,
                other => {
                    let mut object = Map::new();
                    object.insert("result".to_owned(), other);
                    object
                }
            }))
        })
    }
}
