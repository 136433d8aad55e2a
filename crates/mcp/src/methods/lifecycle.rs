//! `initialize`, `ping` and `server/discover`.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{listing, read};
use crate::call::{Call, Outcome};
use crate::error::{McpError, TOO_MANY_SESSIONS};
use crate::result::{CacheHints, capabilities};
use crate::session::NoSession;
use crate::shared::Shared;
use crate::table::{Eras, Feature, json_of};
use crate::{LegacyVersion, ModernVersion};

pub(crate) fn methods(shared: &Arc<Shared>) -> Feature {
    let mut feature = Feature::new(shared);
    feature.works(
        Eras::Legacy,
        "initialize",
        |shared, call, params| async move { initialize(&shared, &call, json_of(&params)).await.into() },
    );
    feature.answers(Eras::Legacy, "ping", |_, _, _| {
        Ok(Bytes::from_static(b"{}"))
    });
    let ready = OnceLock::new();
    feature.answers(Eras::Modern, "server/discover", move |shared, call, _| {
        if listing::is_told(shared) {
            // What is listed can be another with each call.
            return discover(shared, call);
        }
        if let Some(bytes) = ready.get() {
            return Ok(Bytes::clone(bytes));
        }
        let bytes = discover(shared, call)?;
        Ok(ready.get_or_init(|| bytes).clone())
    });
    feature
}

async fn initialize(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let params: Map<String, Value> = read(params)?;
    let wanted = match params.get("protocolVersion") {
        Some(Value::String(text)) => text,
        Some(other) => {
            return Err(McpError::invalid_params(format!(
                "invalid params: protocolVersion must be a string such as \"{}\", found {other}",
                LegacyVersion::NEWEST.as_str()
            )));
        }
        None => {
            return Err(McpError::invalid_params(format!(
                "invalid params: protocolVersion is missing; this server speaks {}",
                LegacyVersion::ALL.map(LegacyVersion::as_str).join(", ")
            )));
        }
    };
    let version = LegacyVersion::negotiate(wanted);
    let declared = match params.get("capabilities") {
        Some(Value::Object(declared)) => worth_keeping(declared),
        _ => Map::new(),
    };
    let client = params
        .get("clientInfo")
        .and_then(|info| info.get("name"))
        .and_then(Value::as_str)
        .map(str::to_owned);

    let generation = shared.catalog.snapshot().generation();
    let (session, evicted) = shared
        .sessions
        .create(version, declared, generation, &shared.closing)
        .map_err(|why| match why {
            NoSession::Full => McpError::new(
                TOO_MANY_SESSIONS,
                format!(
                    "there are {} sessions and all are at work; try again later",
                    shared.config.session_cap
                ),
            ),
            NoSession::NoRandomness => McpError::internal(),
        })?;
    let evicted = evicted.map(|evicted| Arc::clone(&evicted.id));
    shared
        .session_started(&session.id, client, evicted, None, &call.cancel)
        .await;
    let _ = call.began.set(Arc::clone(&session.id));

    let mut result = json!({
        "protocolVersion": version.as_str(),
        "capabilities": capabilities(),
        "serverInfo": shared.results.server_info(),
    });
    add_instructions(shared, &mut result);
    shared.results.build(call.era, &result, None, Map::new())
}

fn discover(shared: &Shared, call: &Call) -> Result<Bytes, McpError> {
    let mut result = json!({
        "supportedVersions": ModernVersion::ALL.map(ModernVersion::as_str),
        "capabilities": capabilities(),
    });
    add_instructions(shared, &mut result);
    // The listing of skills in the instructions can be another one with each call.
    let hints = if listing::is_told(shared) {
        CacheHints::LIST
    } else {
        CacheHints::SERVER
    };
    shared
        .results
        .build(call.era, &result, Some(hints), Map::new())
}

fn add_instructions(shared: &Shared, result: &mut Value) {
    if let (Some(result), Some(text)) = (result.as_object_mut(), listing::instructions(shared)) {
        result.insert("instructions".into(), text.into());
    }
}

impl From<McpError> for Outcome {
    fn from(error: McpError) -> Self {
        Self::Error(error)
    }
}

/// What a session keeps of the client's declaration: the capabilities that a server can make use
/// of, each in a sensible size. A session lives long, and a declaration can be megabytes.
fn worth_keeping(declared: &Map<String, Value>) -> Map<String, Value> {
    const KNOWN: [&str; 4] = ["roots", "sampling", "elicitation", "tasks"];
    const LONGEST: usize = 1024;
    KNOWN
        .into_iter()
        .filter_map(|name| Some((name, declared.get(name)?)))
        .filter(|(_, value)| value.to_string().len() <= LONGEST)
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_what_it_can_use() {
        let huge = "x".repeat(2000);
        let declared = json!({
            "roots": {"listChanged": true},
            "sampling": {"note": huge},
            "somebody.else/thing": {},
        });
        let kept = worth_keeping(declared.as_object().unwrap());
        assert_eq!(Value::Object(kept), json!({"roots": {"listChanged": true}}));
    }
}
