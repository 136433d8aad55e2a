//! A selector behind an address that speaks as the `OpenAI` interface for chat completions does: a model of the host's own.

use std::fmt;

use metier_hooks::BoxFuture;
use metier_skill_protocol::{SelectionPrompt, Selector, SelectorError};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// So much of an answer is read.
const LONGEST: u64 = 1 << 20;

/// Asks a model at `http://HOST[:PORT]/PATH`, for [`ProtocolSettings::selector`](metier_catalog::ProtocolSettings). It
/// speaks plain HTTP: for a server of this machine or network (llama.cpp, Ollama, vLLM, a proxy that adds encryption).
/// The catalog keeps the time. Neither key nor prompt is in any error.
#[derive(Clone)]
pub struct HttpSelector {
    authority: String,
    path: String,
    model: String,
    key: Option<String>,
}

/// Why an address cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorAddressError {
    /// It is not `http://HOST[:PORT]/PATH`.
    #[error(
        "the address of a selector is http://HOST[:PORT]/PATH, such as http://127.0.0.1:11434/v1"
    )]
    NoAddress,
    /// It is encrypted.
    #[error("https is not spoken here; name a proxy on this machine that adds it")]
    Encrypted,
    /// The key would break its header.
    #[error("the key holds characters that no header takes")]
    Key,
}

impl HttpSelector {
    /// A model at an address: the base of the interface (`…/v1`), or the whole of `…/chat/completions`.
    ///
    /// # Errors
    /// The address or the key cannot be used.
    pub fn new(
        address: &str,
        model: impl Into<String>,
        key: Option<String>,
    ) -> Result<Self, SelectorAddressError> {
        if address.starts_with("https://") {
            return Err(SelectorAddressError::Encrypted);
        }
        let rest = address
            .strip_prefix("http://")
            .ok_or(SelectorAddressError::NoAddress)?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic());
        if authority.is_empty()
            || !is_plain(authority)
            || !is_plain(path)
            || authority.contains('@')
            || path.contains(['?', '#'])
        {
            return Err(SelectorAddressError::NoAddress);
        }
        if key.as_ref().is_some_and(|key| !is_plain(key)) {
            return Err(SelectorAddressError::Key);
        }
        let path = path.trim_end_matches('/');
        let path = match path.strip_suffix("chat/completions") {
            Some(_) => format!("/{path}"),
            None if path.is_empty() => "/chat/completions".to_owned(),
            None => format!("/{path}/chat/completions"),
        };
        Ok(Self {
            authority: authority.to_owned(),
            path,
            model: model.into(),
            key,
        })
    }

    fn request(&self, prompt: &SelectionPrompt) -> String {
        let body = json!({
            "model": self.model,
            "messages": [
                { "role": "system", "content": prompt.system },
                { "role": "user", "content": prompt.user },
            ],
            "max_tokens": prompt.max_tokens,
            "temperature": 0,
            "stream": false,
        })
        .to_string();
        let key = self.key.as_ref();
        let key = key.map_or_else(String::new, |key| {
            format!("Authorization: Bearer {key}\r\n")
        });
        // The older version has neither chunks nor connections that stay open.
        format!(
            "POST {} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\n{key}Content-Length: {}\r\n\r\n{body}",
            self.path,
            self.authority,
            body.len()
        )
    }

    async fn answer(self, prompt: SelectionPrompt) -> Result<String, SelectorError> {
        let failed = |reason: String| SelectorError::Failed { reason };
        let authority = if self
            .authority
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok())
        {
            self.authority.clone()
        } else {
            format!("{}:80", self.authority)
        };
        let unreachable = |error: std::io::Error| SelectorError::Unavailable {
            reason: format!("{}: {error}", self.authority),
        };
        let mut stream = TcpStream::connect(authority).await.map_err(unreachable)?;
        let request = self.request(&prompt);
        stream
            .write_all(request.as_bytes())
            .await
            .map_err(unreachable)?;
        let mut bytes = Vec::new();
        let mut reader = stream.take(LONGEST);
        reader.read_to_end(&mut bytes).await.map_err(unreachable)?;
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text
            .split_once("\r\n\r\n")
            .ok_or_else(|| failed("its answer is not HTTP".to_owned()))?;
        let status = head.split(' ').nth(1).unwrap_or_default();
        if status != "200" {
            return Err(failed(format!("it answered with status {status}")));
        }
        let answer: Value =
            serde_json::from_str(body).map_err(|_| failed("its answer is not JSON".to_owned()))?;
        let content = answer
            .pointer("/choices/0/message/content")
            .and_then(Value::as_str);
        content
            .map(str::to_owned)
            .ok_or_else(|| failed("its answer holds no message".to_owned()))
    }
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
            .field("authority", &self.authority)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use metier_skill_protocol::selection_prompt;
    use tokio::net::TcpListener;

    use super::*;

    /// Asks a server that reads a request and answers so.
    async fn asked(answer: &'static str) -> (Result<String, SelectorError>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1/", listener.local_addr().unwrap());
        let selector = HttpSelector::new(&address, "m", Some("secret-key".to_owned())).unwrap();
        let server = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut heard = vec![0; 64 * 1024];
            let read = stream.read(&mut heard).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&heard[..read]).into_owned()
        };
        let (said, heard) = tokio::join!(selector.ask(selection_prompt("t", &[], 2)), server);
        assert!(!format!("{said:?} {selector:?}").contains("secret-key"));
        (said, heard)
    }

    #[tokio::test]
    async fn a_model_is_asked_once_and_its_words_come_back() {
        let (said, heard) = asked(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"choices\": [{\"message\": {\"content\": \"{}\"}}]}",
        )
        .await;
        assert_eq!(said, Ok("{}".to_owned()));
        assert!(
            heard.starts_with("POST /v1/chat/completions HTTP/1.0\r\n"),
            "{heard}"
        );
        assert!(heard.contains("Authorization: Bearer secret-key\r\n"));
        for (answer, reason) in [
            ("HTTP/1.1 401 No\r\n\r\nsecret-key", "status 401"),
            ("HTTP/1.1 200 OK\r\n\r\n<html>", "not JSON"),
            ("HTTP/1.1 200 OK\r\n\r\n{}", "no message"),
            ("", "not HTTP"),
        ] {
            let (said, _) = asked(answer).await;
            assert!(said.unwrap_err().to_string().contains(reason), "{reason}");
        }
    }

    #[test]
    fn an_address_is_checked_before_anybody_is_asked() {
        let new = |address: &str, key: &str| {
            HttpSelector::new(address, "m", Some(key.to_owned())).map(|it| it.path)
        };
        assert_eq!(
            new("http://h/v1/chat/completions", "k").as_deref(),
            Ok("/v1/chat/completions")
        );
        assert_eq!(new("http://h:1", "k").as_deref(), Ok("/chat/completions"));
        assert_eq!(
            new("https://h/v1", "k"),
            Err(SelectorAddressError::Encrypted)
        );
        for address in ["", "h:1", "http:///v1", "http://a b/", "http://me@h/"] {
            assert_eq!(
                new(address, "k"),
                Err(SelectorAddressError::NoAddress),
                "{address}"
            );
        }
        assert_eq!(new("http://h", "a\r\nb"), Err(SelectorAddressError::Key));
    }
}
