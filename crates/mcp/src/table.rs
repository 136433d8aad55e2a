//! The table of methods: one jsonrpsee module per feature, merged.
//!
//! jsonrpsee writes a whole response with an id of its own type. Ours must echo any id and carry
//! ready bytes, so a method leaves its answer in the request's [`Call`] and the table's own
//! response says no more than that it ran.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use jsonrpsee::types::{Id, Params};
use jsonrpsee::{ConnectionId, Extensions, MethodCallback, Methods, RpcModule};

use crate::Era;
use crate::call::{Call, Outcome};
use crate::error::McpError;
use crate::shared::Shared;

/// In which revisions a method exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eras {
    Both,
    Legacy,
    Modern,
}

impl Eras {
    fn has(self, modern: bool) -> bool {
        match self {
            Self::Both => true,
            Self::Legacy => !modern,
            Self::Modern => modern,
        }
    }
}

/// The methods of one feature.
pub(crate) struct Feature {
    module: RpcModule<Shared>,
    eras: BTreeMap<&'static str, Eras>,
}

impl Feature {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            module: RpcModule::from_arc(Arc::clone(shared)),
            eras: BTreeMap::new(),
        }
    }

    /// A method that answers at once. Gets the JSON text of its parameters.
    pub(crate) fn answers<F>(&mut self, eras: Eras, name: &'static str, method: F)
    where
        F: Fn(&Shared, &Arc<Call>, &str) -> Result<Bytes, McpError> + Send + Sync + 'static,
    {
        let added =
            self.module
                .register_method::<(), _>(name, move |params, shared, extensions| {
                    if let Some(call) = extensions.get::<Arc<Call>>() {
                        let outcome = method(shared, call, json_of(&params)).into();
                        call.set_answer(outcome);
                    }
                });
        report(name, added.err());
        self.eras.insert(name, eras);
    }

    /// A method that takes its time. Its parameters come as they stand in the message; [`json_of`]
    /// reads them.
    pub(crate) fn works<F, Fut>(&mut self, eras: Eras, name: &'static str, method: F)
    where
        F: Fn(Arc<Shared>, Arc<Call>, Params<'static>) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        let added = self.module.register_async_method::<(), _, _>(
            name,
            move |params, shared, extensions| {
                let method = method.clone();
                async move {
                    if let Some(call) = extensions.get::<Arc<Call>>().cloned() {
                        let outcome = method(shared, Arc::clone(&call), params).await;
                        call.set_answer(outcome);
                    }
                }
            },
        );
        report(name, added.err());
        self.eras.insert(name, eras);
    }
}

/// The JSON text of a method's parameters.
pub(crate) fn json_of<'p>(params: &'p Params<'_>) -> &'p str {
    params.as_str().unwrap_or("{}")
}

/// A name given twice is a mistake in this crate, found by a test; a server still starts.
fn report(name: &str, error: Option<jsonrpsee::core::RegisterMethodError>) {
    if let Some(error) = error {
        tracing::error!(%error, name, "a method was registered twice");
        debug_assert!(false, "method {name} was registered twice");
    }
}

/// What a lookup led to.
pub(crate) enum Started {
    /// The method has answered.
    Done(Outcome),
    /// It works.
    Working(BoxFuture<'static, Outcome>),
    /// There is none in this era.
    Unknown,
}

/// Every method.
pub(crate) struct MethodTable {
    methods: Methods,
    eras: BTreeMap<&'static str, Eras>,
}

impl MethodTable {
    pub(crate) fn merge(features: impl IntoIterator<Item = Feature>) -> Self {
        let mut table = Self {
            methods: Methods::new(),
            eras: BTreeMap::new(),
        };
        for feature in features {
            report("of a feature", table.methods.merge(feature.module).err());
            table.eras.extend(feature.eras);
        }
        table
    }

    /// Whether the method exists in the era.
    pub(crate) fn has(&self, era: Era, method: &str) -> bool {
        self.eras
            .get(method)
            .is_some_and(|eras| eras.has(era.is_modern()))
    }

    /// Whether the method answers without waiting for anything.
    pub(crate) fn answers_at_once(&self, method: &str) -> bool {
        matches!(self.methods.method(method), Some(MethodCallback::Sync(_)))
    }

    /// Calls a method. A panic inside it becomes its -32603.
    pub(crate) fn start(&self, method: &str, params: &str, call: &Arc<Call>) -> Started {
        let Some(callback) = self
            .methods
            .method(method)
            .filter(|_| self.has(call.era, method))
        else {
            return Started::Unknown;
        };
        let mut extensions = Extensions::new();
        extensions.insert(Arc::clone(call));
        // Stands in for the real id, which the transport-neutral envelope puts back.
        let id = Id::Number(0);
        let params = Params::new(Some(params));
        match callback {
            MethodCallback::Sync(callback) => {
                let ran = catch_unwind(AssertUnwindSafe(|| {
                    callback(id, params, usize::MAX, extensions)
                }));
                Started::Done(outcome(call, ran.is_ok(), method))
            }
            MethodCallback::Async(callback) => {
                let future = callback(
                    id,
                    params.into_owned(),
                    ConnectionId(0),
                    usize::MAX,
                    extensions,
                );
                let call = Arc::clone(call);
                let method = method.to_owned();
                Started::Working(Box::pin(async move {
                    let ran = AssertUnwindSafe(future).catch_unwind().await;
                    outcome(&call, ran.is_ok(), &method)
                }))
            }
            MethodCallback::Subscription(_) | MethodCallback::Unsubscription(_) => Started::Unknown,
        }
    }
}

fn outcome(call: &Call, survived: bool, method: &str) -> Outcome {
    if survived {
        return call.take_answer();
    }
    tracing::error!(
        method,
        "a method panicked; its request is answered with -32603"
    );
    Outcome::Error(McpError::internal())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{McpConfig, steady_clock};
    use crate::meta::Meta;
    use crate::outbound::{Outbound, Streaming};
    use crate::{LegacyVersion, RawId, methods};
    use metier_catalog::{SkillCatalog, ToolDispatcher, ToolRegistry};
    use std::sync::{Mutex, OnceLock};
    use tokio_util::sync::CancellationToken;

    fn shared() -> Arc<Shared> {
        let registry = ToolRegistry::new();
        let dispatcher = ToolDispatcher::new(registry.clone());
        let config = McpConfig::default();
        Arc::new(Shared::new(
            SkillCatalog::new(registry),
            dispatcher,
            config,
            &steady_clock(),
        ))
    }

    fn call() -> Arc<Call> {
        Arc::new(Call {
            id: RawId::new("1").unwrap(),
            era: Era::Legacy(LegacyVersion::NEWEST),
            session: None,
            client: None,
            meta: Meta::default(),
            outbound: Outbound::new(Streaming::No).0,
            cancel: CancellationToken::new(),
            stopping: CancellationToken::new(),
            began: OnceLock::new(),
            answer: Mutex::new(None),
        })
    }

    #[tokio::test]
    async fn a_panic_becomes_an_error_of_its_request() {
        let shared = shared();
        let mut feature = Feature::new(&shared);
        feature.answers(Eras::Both, "at/once", |_, _, _| panic!("on purpose"));
        feature.works(Eras::Both, "later", |_, _, _| async {
            panic!("on purpose")
        });
        let table = MethodTable::merge([feature]);
        let Started::Done(Outcome::Error(error)) = table.start("at/once", "{}", &call()) else {
            panic!("no error")
        };
        assert_eq!(error.code, -32603);
        let Started::Working(work) = table.start("later", "{}", &call()) else {
            panic!("not working")
        };
        assert!(matches!(work.await, Outcome::Error(error) if error.code == -32603));
    }

    #[test]
    fn no_method_is_registered_twice_and_each_has_its_eras() {
        let table = methods::table(&shared());
        let mut names: Vec<_> = table.methods.method_names().collect();
        names.sort_unstable();
        assert_eq!(names, table.eras.keys().copied().collect::<Vec<_>>());
    }
}
