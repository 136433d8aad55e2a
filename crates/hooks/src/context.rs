//! What a handler gets to see.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::HookEvent;

/// What happened, with the facts of each event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum HookPayload {
    /// See [`HookEvent::SessionStart`].
    SessionStart {
        /// What the client calls itself.
        client: Option<String>,
    },
    /// See [`HookEvent::BeforeSearch`].
    BeforeSearch {
        /// The query as it came.
        query: String,
    },
    /// See [`HookEvent::AfterSearch`].
    AfterSearch {
        /// The query as it came.
        query: String,
        /// The names found, best first.
        hits: Vec<String>,
    },
    /// See [`HookEvent::BeforeSkillLoad`].
    BeforeSkillLoad {
        /// The skill that is about to be loaded.
        skill_name: String,
        /// The skill that was asked for, when this one is its dependency.
        dependency_of: Option<String>,
    },
    /// See [`HookEvent::AfterSkillLoad`].
    AfterSkillLoad {
        /// The skill that was loaded.
        skill_name: String,
        /// The wire names of its tools.
        tools: Vec<String>,
    },
    /// See [`HookEvent::BeforeToolCall`].
    BeforeToolCall {
        /// The listed name.
        tool_name: String,
        /// The skill whose tool it is; `None` for a tool of the host.
        skill_name: Option<String>,
        /// The final arguments, as the tool will get them.
        arguments: Map<String, Value>,
    },
    /// See [`HookEvent::AfterToolCall`].
    AfterToolCall {
        /// The listed name.
        tool_name: String,
        /// The skill whose tool it is; `None` for a tool of the host.
        skill_name: Option<String>,
        /// Whether the call succeeded.
        ok: bool,
        /// One word: `ok`, `error`, `denied`, `invalid`, `cancelled`, `capability`, `panic`.
        outcome: String,
        /// How long it took, in milliseconds.
        elapsed_ms: u64,
    },
    /// See [`HookEvent::SessionEnd`].
    SessionEnd {
        /// One word: `closed`, `expired`, `shutdown`.
        reason: String,
    },
}

impl HookPayload {
    /// The event that carries this payload.
    pub const fn event(&self) -> HookEvent {
        match self {
            Self::SessionStart { .. } => HookEvent::SessionStart,
            Self::BeforeSearch { .. } => HookEvent::BeforeSearch,
            Self::AfterSearch { .. } => HookEvent::AfterSearch,
            Self::BeforeSkillLoad { .. } => HookEvent::BeforeSkillLoad,
            Self::AfterSkillLoad { .. } => HookEvent::AfterSkillLoad,
            Self::BeforeToolCall { .. } => HookEvent::BeforeToolCall,
            Self::AfterToolCall { .. } => HookEvent::AfterToolCall,
            Self::SessionEnd { .. } => HookEvent::SessionEnd,
        }
    }
}

/// One event on its way through the handlers.
#[derive(Debug)]
pub struct HookContext {
    /// What happened.
    pub event: HookEvent,
    /// The application the server is for; the seed calls it `dcc_name`.
    pub dcc_name: String,
    /// The client's session, when there is one.
    pub session_id: Option<String>,
    /// The facts.
    pub payload: HookPayload,
    extra: Mutex<Map<String, Value>>,
}

impl HookContext {
    /// An event with its facts.
    pub fn new(
        dcc_name: impl Into<String>,
        session_id: Option<String>,
        payload: HookPayload,
    ) -> Self {
        Self {
            event: payload.event(),
            dcc_name: dcc_name.into(),
            session_id,
            payload,
            extra: Mutex::new(Map::new()),
        }
    }

    /// The tool that is called, on the two events about a call.
    pub fn tool_name(&self) -> Option<&str> {
        match &self.payload {
            HookPayload::BeforeToolCall { tool_name, .. }
            | HookPayload::AfterToolCall { tool_name, .. } => Some(tool_name),
            _ => None,
        }
    }

    /// The skill that is meant, where one is.
    pub fn skill_name(&self) -> Option<&str> {
        match &self.payload {
            HookPayload::BeforeSkillLoad { skill_name, .. }
            | HookPayload::AfterSkillLoad { skill_name, .. } => Some(skill_name),
            HookPayload::BeforeToolCall { skill_name, .. }
            | HookPayload::AfterToolCall { skill_name, .. } => skill_name.as_deref(),
            _ => None,
        }
    }

    /// Something an earlier handler left for the later ones and for whoever dispatched.
    pub fn extra(&self, key: &str) -> Option<Value> {
        self.extra
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned()
    }

    /// Leaves something for the later handlers and for whoever dispatched.
    pub fn set_extra(&self, key: impl Into<String>, value: Value) {
        self.extra
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.into(), value);
    }

    /// The event as one JSON object, as hook programs get it: `event`, `dcc_name`, `session_id`, the
    /// fields of the payload, and the extra values; of two with the same name an extra value loses.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut all = self
            .extra
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Ok(Value::Object(fields)) = serde_json::to_value(&self.payload) {
            all.extend(fields);
        }
        all.insert("event".to_owned(), self.event.as_str().into());
        all.insert("dcc_name".to_owned(), self.dcc_name.as_str().into());
        all.insert("session_id".to_owned(), self.session_id.clone().into());
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The names are what policies are written against, in every language.
    #[test]
    fn each_event_has_its_fields_by_name() {
        let text = |text: &str| text.to_owned();
        let payloads = [
            HookPayload::SessionStart {
                client: Some(text("c")),
            },
            HookPayload::BeforeSearch { query: text("q") },
            HookPayload::AfterSearch {
                query: text("q"),
                hits: vec![text("a")],
            },
            HookPayload::BeforeSkillLoad {
                skill_name: text("a"),
                dependency_of: None,
            },
            HookPayload::AfterSkillLoad {
                skill_name: text("a"),
                tools: vec![text("a__t")],
            },
            HookPayload::BeforeToolCall {
                tool_name: text("a__t"),
                skill_name: Some(text("a")),
                arguments: Map::new(),
            },
            HookPayload::AfterToolCall {
                tool_name: text("a__t"),
                skill_name: None,
                ok: true,
                outcome: text("ok"),
                elapsed_ms: 7,
            },
            HookPayload::SessionEnd {
                reason: text("closed"),
            },
        ];
        let fields = [
            json!({"event": "on_session_start", "client": "c"}),
            json!({"event": "before_search", "query": "q"}),
            json!({"event": "after_search", "query": "q", "hits": ["a"]}),
            json!({"event": "before_skill_load", "skill_name": "a", "dependency_of": null}),
            json!({"event": "after_skill_load", "skill_name": "a", "tools": ["a__t"]}),
            json!({"event": "before_tool_call", "tool_name": "a__t", "skill_name": "a", "arguments": {}}),
            json!({"event": "after_tool_call", "tool_name": "a__t", "skill_name": null, "ok": true, "outcome": "ok", "elapsed_ms": 7}),
            json!({"event": "on_session_end", "reason": "closed"}),
        ];
        let events = payloads.each_ref().map(HookPayload::event);
        assert_eq!(events, HookEvent::ALL);
        for (payload, mut fields) in payloads.into_iter().zip(fields) {
            fields["dcc_name"] = json!("maya");
            fields["session_id"] = json!("s");
            let context = HookContext::new("maya", Some(text("s")), payload);
            assert_eq!(Value::Object(context.to_json()), fields);
        }
    }
}
