//! How an event runs through its handlers, and what their answers mean.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt as _;

use crate::{Handler, HandlerKind, HookContext, HookDeny, HookFailure, HookResult, LifecycleHooks};

/// What to do when a policy has no answer.
const SEE_LOG: &str =
    "the server's log says which one and why; try again, or tell whoever runs the server";

/// A boxed future that any thread may poll.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send + 'static>>;

/// How one handler ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It had nothing to say.
    Done,
    /// It refused.
    Deny(HookDeny),
    /// It failed or panicked; the text is for the log.
    Failed(String),
    /// It took too long: the guard gave up on it, or it ended its own work. The text is for the log.
    Late(String),
}

impl From<HookResult> for Verdict {
    fn from(result: HookResult) -> Self {
        match result {
            Ok(()) => Self::Done,
            Err(HookFailure::Deny(deny)) => Self::Deny(deny),
            Err(HookFailure::Failed(text)) => Self::Failed(text),
            Err(HookFailure::Late(text)) => Self::Late(text),
        }
    }
}

/// Runs one handler: whoever has a runtime and a clock puts a limit around it here.
pub trait Guard: Send + Sync {
    /// Runs the handler to its verdict. Must not panic when the handler does.
    fn run(&self, handler: Handler, context: Arc<HookContext>) -> BoxFuture<Verdict>;
}

/// Runs handlers where they are, without a limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Guard for Inline {
    fn run(&self, handler: Handler, context: Arc<HookContext>) -> BoxFuture<Verdict> {
        Box::pin(async move {
            let ended = match handler.kind {
                HandlerKind::Blocking(run) => catch_unwind(AssertUnwindSafe(|| run(&context))),
                HandlerKind::Async(run) => {
                    AssertUnwindSafe(async move { run(context).await })
                        .catch_unwind()
                        .await
                }
            };
            ended.map_or_else(
                |_| Verdict::Failed("the handler panicked".to_owned()),
                Verdict::from,
            )
        })
    }
}

impl LifecycleHooks {
    /// Runs the event's handlers in order, without a limit.
    ///
    /// # Errors
    /// The refusal of the first handler that denies a policy event; the later ones do not run.
    pub async fn dispatch(&self, context: &Arc<HookContext>) -> Result<(), HookDeny> {
        self.dispatch_with(context, &Inline).await
    }

    /// Runs the event's handlers in order, each through the guard.
    ///
    /// A policy handler that is late denies, because a policy that could be outwaited is none.
    /// Every other failure is logged with the handler's name and means "no decision", unless the
    /// handler was registered to fail closed.
    ///
    /// # Errors
    /// The refusal of the first handler that denies a policy event; the later ones do not run.
    pub async fn dispatch_with(
        &self,
        context: &Arc<HookContext>,
        guard: &dyn Guard,
    ) -> Result<(), HookDeny> {
        let event = context.event;
        for handler in self.handlers(event) {
            let name = Arc::clone(&handler.name);
            let fail_closed = handler.fail_closed && event.is_policy();
            let refusal = match guard.run(handler, Arc::clone(context)).await {
                Verdict::Done => None,
                Verdict::Deny(deny) if event.is_policy() => Some(deny),
                Verdict::Deny(deny) => {
                    tracing::warn!(hook = %name, %event, reason = %deny.reason, "a handler denied an event that is no policy event");
                    None
                }
                Verdict::Failed(error) => {
                    tracing::warn!(hook = %name, %event, %error, "a handler failed");
                    fail_closed.then(|| HookDeny::new("a policy could not decide").hint(SEE_LOG))
                }
                Verdict::Late(error) => {
                    tracing::warn!(hook = %name, %event, %error, "a handler was late and has been given up");
                    event
                        .is_policy()
                        .then(|| HookDeny::new("a policy did not decide in time").hint(SEE_LOG))
                }
            };
            if let Some(deny) = refusal {
                return Err(deny);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{HookEvent, HookPayload, Registration};

    fn call() -> Arc<HookContext> {
        Arc::new(HookContext::new(
            "maya",
            None,
            HookPayload::BeforeToolCall {
                tool_name: "t".to_owned(),
                skill_name: None,
                arguments: serde_json::Map::new(),
            },
        ))
    }

    fn run(hooks: &LifecycleHooks, guard: &dyn Guard) -> Result<(), HookDeny> {
        hooks.dispatch_with(&call(), guard).now_or_never().unwrap()
    }

    #[test]
    fn order_error_deny() {
        let hooks = LifecycleHooks::new();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = |word: &'static str, answer: fn() -> HookResult| {
            let seen = Arc::clone(&seen);
            move |_: &HookContext| {
                seen.lock().unwrap().push(word);
                answer()
            }
        };
        hooks.on(
            HookEvent::BeforeToolCall,
            note("error", || Err(HookFailure::Failed("x".to_owned()))),
        );
        hooks.on(
            HookEvent::BeforeToolCall,
            note("deny", || Err(HookDeny::new("no").hint("later").into())),
        );
        hooks.on(HookEvent::BeforeToolCall, note("never", || Ok(())));
        let denied = run(&hooks, &Inline).unwrap_err();
        assert_eq!(denied, HookDeny::new("no").hint("later"));
        assert_eq!(*seen.lock().unwrap(), ["error", "deny"]);
    }

    #[test]
    fn a_panic_is_no_decision_unless_fail_closed() {
        let hooks = LifecycleHooks::new();
        let id = hooks.on(HookEvent::BeforeToolCall, |_: &HookContext| {
            panic!("broken handler")
        });
        assert_eq!(run(&hooks, &Inline), Ok(()));
        assert!(hooks.off(id));
        assert!(!hooks.off(id));
        hooks.register(
            Registration::future(HookEvent::BeforeToolCall, |_| async {
                panic!("broken handler")
            })
            .fail_closed(),
        );
        assert!(run(&hooks, &Inline).is_err());
    }

    #[test]
    fn a_handler_that_ends_its_own_work_is_late_too() {
        let hooks = LifecycleHooks::new();
        let id = hooks.on(HookEvent::BeforeToolCall, |_: &HookContext| {
            Err(HookFailure::Late("no time".to_owned()))
        });
        let denied = run(&hooks, &Inline).unwrap_err();
        assert_eq!(denied.reason, "a policy did not decide in time");
        assert!(denied.hint.is_some());
        assert!(hooks.off(id));
        assert_eq!(run(&hooks, &Inline), Ok(()));
    }

    #[test]
    fn a_late_policy_handler_denies() {
        struct GivesUp;
        impl Guard for GivesUp {
            fn run(&self, _: Handler, _: Arc<HookContext>) -> BoxFuture<Verdict> {
                Box::pin(std::future::ready(Verdict::Late("no time".to_owned())))
            }
        }
        let hooks = LifecycleHooks::new();
        hooks.on(HookEvent::BeforeToolCall, |_: &HookContext| Ok(()));
        assert!(run(&hooks, &GivesUp).is_err());

        let ended = HookPayload::SessionEnd {
            reason: "closed".to_owned(),
        };
        hooks.on(HookEvent::SessionEnd, |_: &HookContext| Ok(()));
        let context = Arc::new(HookContext::new("maya", None, ended));
        let result = hooks
            .dispatch_with(&context, &GivesUp)
            .now_or_never()
            .unwrap();
        assert_eq!(result, Ok(()));
    }

    #[test]
    fn a_handler_may_register_another() {
        let hooks = LifecycleHooks::new();
        let handle = hooks.clone();
        hooks.on(HookEvent::BeforeToolCall, move |_: &HookContext| {
            handle.on(HookEvent::BeforeToolCall, |_: &HookContext| {
                Err(HookDeny::new("second").into())
            });
            Ok(())
        });
        assert_eq!(run(&hooks, &Inline), Ok(()));
        assert_eq!(run(&hooks, &Inline).unwrap_err().reason, "second");
    }

    #[test]
    fn what_is_added_before_others_reaches_those_that_were_there() {
        let hooks = LifecycleHooks::new();
        let seen = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&seen);
        hooks.on(HookEvent::BeforeToolCall, move |context: &HookContext| {
            *kept.lock().unwrap() = context.extra("memory_summary");
            Ok(())
        });
        let adds = Registration::blocking(HookEvent::BeforeToolCall, |context: &HookContext| {
            context.set_extra("memory_summary", "x".into());
            Ok(())
        });
        hooks.register(adds.before_others());
        assert_eq!(run(&hooks, &Inline), Ok(()));
        assert_eq!(*seen.lock().unwrap(), Some("x".into()));
    }

    #[test]
    fn extra_reaches_later_handlers_and_programs() {
        let context = call();
        context.set_extra("memory_summary", "x".into());
        context.set_extra("tool_name", "forged".into());
        assert_eq!(context.extra("memory_summary"), Some("x".into()));
        let json = context.to_json();
        assert_eq!(json.get("memory_summary"), Some(&"x".into()));
        assert_eq!(json.get("tool_name"), Some(&"t".into()));
        assert_eq!(json.get("event"), Some(&"before_tool_call".into()));
        assert_eq!(json.get("dcc_name"), Some(&"maya".into()));
        assert_eq!(json.get("session_id"), Some(&serde_json::Value::Null));
    }
}
