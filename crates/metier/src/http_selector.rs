//! A selector behind an address that speaks as the `OpenAI` interface for chat completions does: a model of the host's own.

use std::error::Error;
use std::fmt;

use metier_hooks::BoxFuture;
use metier_skill_protocol::{SelectionPrompt, Selector, SelectorError};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Url};
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// So many bytes of an answer are read: a choice is a few hundred.
const LONGEST: usize = 1 << 20;

/// The end of every address of this interface.
const COMPLETIONS: &str = "chat/completions";

/// Asks a model at `http://HOST[:PORT]/PATH` or `https://…`, for
/// [`ProtocolSettings::selector`](metier_catalog::ProtocolSettings): a server of this machine (llama.cpp, Ollama, vLLM) or a
/// provider. No redirect is followed and no proxy used, so neither key nor prompt goes to a host that nobody named; neither
/// of them is in any error. The catalog keeps the time: whoever asks no longer hangs up.
#[derive(Clone)]
pub struct HttpSelector {
    client: Client,
    url: Url,
    model: String,
    key: Option<HeaderValue>,
}

/// Why an address cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorAddressError {
    /// It is no `http://HOST[:PORT]/PATH` or `https://…`, or has a user or a fragment.
    #[error(
        "the address of a selector is http://HOST[:PORT]/PATH or https://…, such as http://127.0.0.1:11434/v1"
    )]
    NoAddress,
    /// The key would break its header.
    #[error("the key holds characters that no header takes")]
    Key,
    /// Encrypted connections cannot be made here, such as on a machine without certificates.
    #[error(
        "encrypted connections cannot be made here ({0}); install the system's certificates (ca-certificates)"
    )]
    Encryption(String),
}

impl HttpSelector {
    /// A model at an address: the base of the interface (`…/v1`), or the whole of `…/chat/completions`. A query stays as
    /// it is.
    ///
    /// # Errors
    /// The address or the key cannot be used, or nothing encrypted can be spoken on this machine and the address asks for it.
    pub fn new(
        address: &str,
        model: impl Into<String>,
        key: Option<String>,
    ) -> Result<Self, SelectorAddressError> {
        let mut url = Url::parse(address).map_err(|_| SelectorAddressError::NoAddress)?;
        // The parser forgives what a person would call a slip: `http:h`, a blank at the end, `http:///v1`.
        let is_plain = address.chars().all(|c| c.is_ascii_graphic() && c != '\\');
        let host = address.split_once("://").map(|(_, rest)| rest);
        if !is_plain
            || !matches!(url.scheme(), "http" | "https")
            || !url.username().is_empty()
            || url.password().is_some()
            || url.fragment().is_some()
            || host.is_none_or(|rest| rest.is_empty() || rest.starts_with('/'))
        {
            return Err(SelectorAddressError::NoAddress);
        }
        let base = url.path().trim_end_matches('/');
        if !base.ends_with(&format!("/{COMPLETIONS}")) {
            url.set_path(&format!("{base}/{COMPLETIONS}"));
        }
        let key = key.map(|key| {
            let header = key.chars().all(|c| c.is_ascii_graphic());
            let header = header.then(|| HeaderValue::try_from(format!("Bearer {key}")));
            let mut header = header.and_then(Result::ok)?;
            header.set_sensitive(true);
            Some(header)
        });
        let key = match key {
            Some(None) => return Err(SelectorAddressError::Key),
            key => key.flatten(),
        };
        let client =
            client(&url).map_err(|error| SelectorAddressError::Encryption(innermost(&error)))?;
        Ok(Self {
            client,
            url,
            model: model.into(),
            key,
        })
    }

    async fn answer(self, prompt: SelectionPrompt) -> Result<String, SelectorError> {
        let failed = |reason: String| SelectorError::Failed { reason };
        let unreachable = |error: &reqwest::Error| SelectorError::Unavailable {
            reason: format!("{}: {}", self.authority(), innermost(error)),
        };
        let body = json!({
            "model": self.model,
            "messages": [
                { "role": "system", "content": prompt.system },
                { "role": "user", "content": prompt.user },
            ],
            "max_tokens": prompt.max_tokens,
            "temperature": 0,
            "stream": false,
        });
        let mut request = self.client.post(self.url.clone());
        request = request.header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.clone());
        }
        let sent = request.body(body.to_string()).send().await;
        let mut response = sent.map_err(|error| unreachable(&error))?;
        let status = response.status();
        if status != reqwest::StatusCode::OK {
            let status = status.as_u16();
            return Err(failed(format!("it answered with status {status}")));
        }
        let mut bytes = Vec::new();
        while let Some(part) = response
            .chunk()
            .await
            .map_err(|error| unreachable(&error))?
        {
            if bytes.len() + part.len() > LONGEST {
                return Err(failed("its answer is longer than 1 MiB".to_owned()));
            }
            bytes.extend_from_slice(&part);
        }
        let answer: Value = serde_json::from_slice(&bytes)
            .map_err(|_| failed("its answer is not JSON".to_owned()))?;
        let content = answer
            .pointer("/choices/0/message/content")
            .and_then(Value::as_str);
        content
            .map(str::to_owned)
            .ok_or_else(|| failed("its answer holds no message".to_owned()))
    }

    /// `HOST[:PORT]`, by which errors name the server: a query may hold a key.
    fn authority(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}

/// A client for this address. Without encryption no certificates are looked for: a machine may have none.
fn client(url: &Url) -> Result<Client, reqwest::Error> {
    // Whoever was first in this process has chosen; either choice will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy();
    if url.scheme() == "https" {
        builder.build()
    } else {
        builder.tls_certs_only([]).build()
    }
}

/// The reason at the bottom of an error: what is above it repeats the address, which may hold a key.
fn innermost(error: &reqwest::Error) -> String {
    let mut error: &dyn Error = error;
    while let Some(inner) = error.source() {
        error = inner;
    }
    error.to_string()
}

impl Selector for HttpSelector {
    fn name(&self) -> &'static str {
        "http"
    }

    fn ask(&self, prompt: SelectionPrompt) -> BoxFuture<Result<String, SelectorError>> {
        Box::pin(self.clone().answer(prompt))
    }
}

impl fmt::Debug for HttpSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSelector")
            .field("authority", &self.authority())
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
