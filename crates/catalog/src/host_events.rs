//! Events that a host fires itself: what it does beside the catalog reaches the same handlers.

use std::sync::Arc;

use metier_hooks::{HookContext, HookDeny, HookPayload};
use serde_json::{Map, Value};

use crate::catalog::SkillCatalog;

impl SkillCatalog {
    /// Runs the handlers of an event with the catalog's time limit.
    ///
    /// # Errors
    /// The refusal of a policy handler.
    pub async fn dispatch(
        &self,
        session: Option<String>,
        payload: HookPayload,
    ) -> Result<(), HookDeny> {
        self.shared.dispatch(session, payload).await
    }

    /// The same for an event that carries extra values, or whose extra values are of interest afterwards.
    ///
    /// # Errors
    /// The refusal of a policy handler.
    pub async fn dispatch_context(&self, context: Arc<HookContext>) -> Result<(), HookDeny> {
        self.shared.dispatch_context(context).await
    }

    /// Tells that a session of the host began. A server's own sessions are told by itself.
    pub async fn dispatch_session_start(&self, session: &str, client: Option<&str>) {
        let client = client.map(ToOwned::to_owned);
        self.tell(Some(session), HookPayload::SessionStart { client })
            .await;
    }

    /// Asks whether the host may call a tool of its own that no dispatcher knows.
    ///
    /// # Errors
    /// The refusal of a policy handler.
    pub async fn dispatch_before_tool_call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        session: Option<&str>,
    ) -> Result<(), HookDeny> {
        let payload = HookPayload::BeforeToolCall {
            tool_name: tool.to_owned(),
            skill_name: None,
            arguments,
        };
        self.shared
            .dispatch(session.map(ToOwned::to_owned), payload)
            .await
    }

    /// Tells how a call of such a tool ended.
    pub async fn dispatch_after_tool_call(
        &self,
        tool: &str,
        ok: bool,
        elapsed: std::time::Duration,
        session: Option<&str>,
    ) {
        let payload = HookPayload::AfterToolCall {
            tool_name: tool.to_owned(),
            skill_name: None,
            ok,
            outcome: if ok { "ok" } else { "error" }.to_owned(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        };
        self.tell(session, payload).await;
    }

    /// Tells that a session of the host ended.
    pub async fn dispatch_session_end(&self, session: &str, reason: &str) {
        let reason = reason.to_owned();
        self.tell(Some(session), HookPayload::SessionEnd { reason })
            .await;
    }

    /// No handler can refuse these; what they say is in the log.
    async fn tell(&self, session: Option<&str>, payload: HookPayload) {
        let _ = self
            .shared
            .dispatch(session.map(ToOwned::to_owned), payload)
            .await;
    }
}
