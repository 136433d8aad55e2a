//! One request each, and its answer as it came. The SDK's own cache is passed by: what is asked again is sent again.

use std::error::Error;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use metier_skill_protocol::one_line;
use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, GetSkillRequest,
    GetSkillRequestParams, ListPromptsRequest, ListResourcesRequest, ListSkillsRequest,
    PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::{Map, Value};

use crate::server::{Answer, Declared, Page, ServerFault, SkillServer};

/// A server behind the SDK's client.
#[derive(Clone, Debug)]
pub(super) struct SdkServer {
    pub(super) peer: Peer<RoleClient>,
    /// How long an answer may take; the server is told when it is given up.
    pub(super) limit: Duration,
}

impl SdkServer {
    async fn send(&self, request: ClientRequest) -> Result<Map<String, Value>, ServerFault> {
        let options = PeerRequestOptions::with_timeout(self.limit);
        let sent = self.peer.send_cancellable_request(request, options).await;
        let answer = match sent {
            Ok(handle) => handle.await_response().await,
            Err(error) => Err(error),
        };
        let answer = answer.map_err(|error| fault(&error))?;
        match serde_json::to_value(answer) {
            Ok(Value::Object(answer)) => Ok(answer),
            _ => Err(ServerFault::Unreadable(
                "the result is no object".to_owned(),
            )),
        }
    }

    async fn page(&self, request: ClientRequest, key: &str) -> Result<Page, ServerFault> {
        let mut answer = self.send(request).await?;
        let Some(Value::Array(items)) = answer.remove(key) else {
            return Err(ServerFault::Unreadable(format!(
                "the result has no list `{key}`"
            )));
        };
        let next = match answer.remove("nextCursor") {
            Some(Value::String(next)) => Some(next),
            _ => None,
        };
        Ok(Page { items, next })
    }
}

fn at(cursor: Option<String>) -> PaginatedRequestParams {
    PaginatedRequestParams::default().with_cursor(cursor)
}

impl SkillServer for SdkServer {
    fn declared(&self) -> Declared {
        let mut declared = Declared::default();
        let Some(info) = self.peer.peer_info() else {
            return declared;
        };
        if let Some(own) = &info.server_info {
            declared.name = one_line(&own.name, 120);
            declared.version = one_line(&own.version, 60);
        }
        declared.revision = one_line(info.protocol_version.as_str(), 40);
        declared.skills = info.capabilities.supports_skills();
        declared.resources = info.capabilities.resources.is_some();
        declared.prompts = info.capabilities.prompts.is_some();
        declared
    }

    fn skills(&self, cursor: Option<String>) -> Answer<'_, Page> {
        let request = ListSkillsRequest::with_param(at(cursor));
        Box::pin(self.page(ClientRequest::ListSkillsRequest(request), "skills"))
    }

    fn skill(&self, uri: String) -> Answer<'_, Value> {
        let request = GetSkillRequest::new(GetSkillRequestParams::new(uri));
        Box::pin(async move {
            let mut answer = self.send(ClientRequest::GetSkillRequest(request)).await?;
            // One revision of the draft had the entry below `skill`, the final one has it at the top.
            Ok(answer.remove("skill").unwrap_or(Value::Object(answer)))
        })
    }

    fn resources(&self, cursor: Option<String>) -> Answer<'_, Page> {
        let request = ListResourcesRequest::with_param(at(cursor));
        Box::pin(self.page(ClientRequest::ListResourcesRequest(request), "resources"))
    }

    fn prompts(&self, cursor: Option<String>) -> Answer<'_, Page> {
        let request = ListPromptsRequest::with_param(at(cursor));
        Box::pin(self.page(ClientRequest::ListPromptsRequest(request), "prompts"))
    }

    fn prompt(&self, name: String, arguments: Map<String, Value>) -> Answer<'_, Value> {
        let mut params = GetPromptRequestParams::new(name);
        if !arguments.is_empty() {
            params = params.with_arguments(arguments);
        }
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        Box::pin(async move { self.send(request).await.map(Value::Object) })
    }

    fn read(&self, uri: String) -> Answer<'_, Vec<u8>> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        Box::pin(async move {
            let mut answer = self
                .send(ClientRequest::ReadResourceRequest(request))
                .await?;
            let unreadable = |what: &str| ServerFault::Unreadable(what.to_owned());
            let content = match answer.remove("contents") {
                Some(Value::Array(mut contents)) if contents.len() == 1 => contents.pop(),
                _ => None,
            };
            let content = content.ok_or_else(|| unreadable("the result has not one content"))?;
            match (content.get("text"), content.get("blob")) {
                (Some(Value::String(text)), None) => Ok(text.clone().into_bytes()),
                (None, Some(Value::String(blob))) => BASE64_STANDARD
                    .decode(blob)
                    .map_err(|_| unreadable("the content is no base64")),
                _ => Err(unreadable("the content is neither text nor blob")),
            }
        })
    }
}

/// Why there is no answer, in our words. Only what the transport says of itself is the end of the connection.
fn fault(error: &ServiceError) -> ServerFault {
    match error {
        ServiceError::McpError(said) => ServerFault::Refused {
            code: said.code.0.into(),
            message: one_line(&said.message, 300),
        },
        ServiceError::Timeout { timeout } => ServerFault::Late {
            seconds: timeout.as_secs(),
        },
        ServiceError::TransportClosed => ServerFault::Gone("the connection was closed".to_owned()),
        ServiceError::TransportSend(sending) => {
            let words = chain(sending.error.as_ref());
            if is_end(sending.error.as_ref()) {
                ServerFault::Gone(words)
            } else {
                ServerFault::Unreadable(words)
            }
        }
        other => ServerFault::Unreadable(one_line(&other.to_string(), 300)),
    }
}

fn is_end(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<std::io::Error>() {
            return true;
        }
        if let Some(http) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            return match http {
                StreamableHttpError::Client(error) => error.is_connect() || error.is_request(),
                StreamableHttpError::Io(_)
                | StreamableHttpError::TransportChannelClosed
                | StreamableHttpError::SessionExpired
                | StreamableHttpError::ReinitializationFailed(_) => true,
                _ => false,
            };
        }
        next = error.source();
    }
    false
}

/// The reason at the bottom of an error.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut bottom = error;
    while let Some(inner) = bottom.source() {
        bottom = inner;
    }
    one_line(&bottom.to_string(), 400)
}

/// What went wrong and why, on one line.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        next = error.source();
    }
    one_line(&words, 400)
}
