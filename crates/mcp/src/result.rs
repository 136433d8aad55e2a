//! Builds results: the method's own members, and what the request's era adds.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::config::McpConfig;
use crate::error::McpError;
use crate::meta::SERVER_INFO;
use crate::{Era, RawId};

/// How long a client may keep a result, and for whom. Written in modern results alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheHints {
    pub(crate) ttl_ms: u64,
}

impl CacheHints {
    /// For lists that may change with the next call: ask again each time.
    pub(crate) const LIST: Self = Self { ttl_ms: 0 };
    /// For what changes only with the server itself.
    pub(crate) const SERVER: Self = Self { ttl_ms: 60_000 };
}

/// Adds what an era wants.
#[derive(Debug)]
pub(crate) struct Results {
    server_info: Value,
}

impl Results {
    pub(crate) fn new(config: &McpConfig) -> Self {
        let mut info = Map::new();
        info.insert("name".into(), config.server_name.clone().into());
        if let Some(title) = &config.server_title {
            info.insert("title".into(), title.clone().into());
        }
        info.insert("version".into(), config.server_version.clone().into());
        Self {
            server_info: info.into(),
        }
    }

    pub(crate) fn server_info(&self) -> &Value {
        &self.server_info
    }

    /// The JSON text of a result. `own` must serialize as an object.
    pub(crate) fn build(
        &self,
        era: Era,
        own: &impl Serialize,
        hints: Option<CacheHints>,
        mut meta: Map<String, Value>,
    ) -> Result<Bytes, McpError> {
        if era.is_modern() {
            meta.insert(SERVER_INFO.into(), self.server_info.clone());
        }
        self.finish(
            era,
            own,
            "complete",
            hints,
            &Value::Object(meta).to_string(),
        )
    }

    /// What a stateless request is answered with that cannot be served before the client has
    /// answered something itself.
    pub(crate) fn input_required(
        &self,
        era: Era,
        requests: &Map<String, Value>,
        state: &str,
    ) -> Result<Bytes, McpError> {
        let own = json!({ "inputRequests": requests, "requestState": state });
        let meta = json!({ SERVER_INFO: self.server_info });
        self.finish(era, &own, "input_required", None, &meta.to_string())
    }

    /// The result that ends a subscription, which names its request.
    pub(crate) fn subscription_end(&self, era: Era, id: &RawId) -> Result<Bytes, McpError> {
        let meta = format!(
            r#"{{"{}":{},"{SERVER_INFO}":{}}}"#,
            crate::meta::SUBSCRIPTION_ID,
            id.as_json(),
            self.server_info
        );
        self.finish(era, &Map::new(), "complete", None, &meta)
    }

    #[expect(clippy::unused_self, reason = "one way in for every result")]
    fn finish(
        &self,
        era: Era,
        own: &impl Serialize,
        kind: &str,
        hints: Option<CacheHints>,
        meta: &str,
    ) -> Result<Bytes, McpError> {
        let mut bytes = serde_json::to_vec(own).map_err(|error| {
            tracing::error!(%error, "a result could not be written");
            McpError::internal()
        })?;
        if bytes.pop() != Some(b'}') {
            tracing::error!("a result is no object");
            return Err(McpError::internal());
        }
        let mut member = |name: &str, json: &str| {
            if bytes.len() > 1 {
                bytes.push(b',');
            }
            for part in ["\"", name, "\":", json] {
                bytes.extend_from_slice(part.as_bytes());
            }
        };
        if era.is_modern() {
            member("resultType", &format!("\"{kind}\""));
            if let Some(hints) = hints {
                member("ttlMs", &hints.ttl_ms.to_string());
                member("cacheScope", "\"public\"");
            }
        }
        if meta != "{}" {
            member("_meta", meta);
        }
        bytes.push(b'}');
        Ok(bytes.into())
    }
}

/// What the server declares: exactly what works.
pub(crate) fn capabilities() -> Value {
    json!({
        "completions": {},
        "extensions": { "io.modelcontextprotocol/skills": { "directoryRead": true } },
        "logging": {},
        "prompts": { "listChanged": true },
        "resources": { "listChanged": true },
        "tools": { "listChanged": true },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LegacyVersion, ModernVersion};

    #[test]
    fn only_a_modern_result_is_marked() {
        let config = McpConfig {
            server_name: "probe".into(),
            server_version: "1".into(),
            ..McpConfig::default()
        };
        let results = Results::new(&config);
        let own = json!({ "tools": [] });
        let build = |era, own: &Value| {
            results
                .build(era, own, Some(CacheHints::LIST), Map::new())
                .unwrap()
        };
        assert_eq!(
            build(Era::Legacy(LegacyVersion::NEWEST), &own),
            r#"{"tools":[]}"#
        );
        assert_eq!(build(Era::Legacy(LegacyVersion::NEWEST), &json!({})), "{}");
        let modern = Era::Modern(ModernVersion::V2026_07_28);
        assert_eq!(
            build(modern, &own),
            r#"{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"1"}}}"#
        );
        assert!(build(modern, &json!({})).starts_with(br#"{"resultType""#));
        assert!(results.build(modern, &7, None, Map::new()).is_err());
    }
}
