//! Who may talk to the server: `Host` against DNS rebinding, `Origin` against foreign web pages.
//!
//! Checked before anything of the body is read. Names are compared as a whole, never by their
//! beginning.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri, header};

/// The names that are let through.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    hosts: Vec<HostRule>,
    origins: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct HostRule {
    host: String,
    /// `None`: any.
    port: Option<u16>,
}

/// Why a request is not let through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Forbidden {
    #[error("the Host header is missing or was sent twice")]
    NoHost,
    #[error(
        "Host {0:?} is not served here; a server behind another name lists it in its allowed hosts (--allowed-host)"
    )]
    Host(String),
    #[error(
        "Origin {0:?} may not talk to this server; a trusted page is listed in its allowed origins (--allowed-origin)"
    )]
    Origin(String),
}

impl Guard {
    /// Loopback names and the given ones.
    pub(crate) fn new(hosts: &[String], origins: &[String]) -> Self {
        Self {
            hosts: hosts
                .iter()
                .filter_map(|text| HostRule::parse(text))
                .collect(),
            origins: origins
                .iter()
                .map(|text| text.trim_end_matches('/').to_ascii_lowercase())
                .collect(),
        }
    }

    /// Lets a request through or says why not.
    pub(crate) fn check(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Forbidden> {
        self.check_host(headers, uri)?;
        self.check_origin(headers)
    }

    fn check_host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Forbidden> {
        let mut values = headers.get_all(header::HOST).iter();
        let text = match (values.next(), values.next(), uri.authority()) {
            (Some(value), None, _) => text_of(value),
            (None, None, Some(authority)) => authority.to_string(),
            _ => return Err(Forbidden::NoHost),
        };
        let Some(named) = HostRule::parse(&text) else {
            return Err(Forbidden::Host(text));
        };
        let listed = |rule: &HostRule| {
            rule.host == named.host && rule.port.is_none_or(|port| named.port == Some(port))
        };
        if is_loopback(&named.host) || self.hosts.iter().any(listed) {
            Ok(())
        } else {
            Err(Forbidden::Host(text))
        }
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Forbidden> {
        let mut values = headers.get_all(header::ORIGIN).iter();
        let Some(first) = values.next() else {
            return Ok(());
        };
        let text = text_of(first);
        if values.next().is_none() && self.is_allowed_origin(&text) {
            Ok(())
        } else {
            Err(Forbidden::Origin(text))
        }
    }

    fn is_allowed_origin(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        if self.origins.contains(&text) {
            return true;
        }
        let rest = text
            .strip_prefix("http://")
            .or_else(|| text.strip_prefix("https://"));
        rest.and_then(HostRule::parse)
            .is_some_and(|origin| is_loopback(&origin.host))
    }
}

impl HostRule {
    /// `host` or `host:port`, nothing before and nothing after.
    fn parse(text: &str) -> Option<Self> {
        let authority: Authority = text.parse().ok()?;
        let host = authority.host();
        let port = match authority.as_str().strip_prefix(host)? {
            "" => None,
            rest => Some(rest.strip_prefix(':')?.parse().ok()?),
        };
        Some(Self {
            host: host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase(),
            port,
        })
    }
}

/// The names of this machine to itself, whatever the port.
pub(crate) fn is_loopback(host: &str) -> bool {
    host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}

fn text_of(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn check(guard: &Guard, pairs: &[(header::HeaderName, &str)]) -> Result<(), Forbidden> {
        guard.check(&headers(pairs), &Uri::from_static("/mcp"))
    }

    #[test]
    fn loopback_origins_pass_with_any_port_and_look_alikes_do_not() {
        let guard = Guard::new(&[], &[]);
        let origin = |text: &str| {
            check(
                &guard,
                &[(header::HOST, "127.0.0.1:8765"), (header::ORIGIN, text)],
            )
        };
        for good in [
            "http://localhost:3000",
            "http://127.0.0.1",
            "http://[::1]:8080",
            "HTTP://LOCALHOST",
            "https://localhost",
        ] {
            assert_eq!(origin(good), Ok(()), "{good}");
        }
        for bad in [
            "https://evil.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://evil.example#localhost",
            "http://localhost@evil.example",
            "http://localhost:80@evil.example",
            "http://localhost/",
            "null",
            "",
            "localhost",
            "file://",
            "http://localhost http://evil.example",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
        let twice = [
            (header::HOST, "localhost"),
            (header::ORIGIN, "http://localhost"),
            (header::ORIGIN, "http://localhost"),
        ];
        assert!(check(&guard, &twice).is_err());
    }

    #[test]
    fn only_known_hosts_pass() {
        let guard = Guard::new(
            &["tools.example".to_owned(), "other.example:81".to_owned()],
            &[],
        );
        let host = |text: &str| check(&guard, &[(header::HOST, text)]).is_ok();
        for good in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:8765",
            "[::1]:8765",
            "tools.example:9",
            "other.example:81",
            "localhost.",
        ] {
            assert!(host(good), "{good}");
        }
        for bad in [
            "localhost.evil.example",
            "evil.example",
            "other.example",
            "other.example:82",
            "127.0.0.1.nip.io",
            "a@localhost",
            "localhost:x",
            "",
        ] {
            assert!(!host(bad), "{bad}");
        }
        assert_eq!(check(&guard, &[]), Err(Forbidden::NoHost));
        assert_eq!(
            check(
                &guard,
                &[(header::HOST, "localhost"), (header::HOST, "localhost")]
            ),
            Err(Forbidden::NoHost)
        );
    }

    #[test]
    fn a_listed_origin_passes_as_a_whole() {
        let guard = Guard::new(&[], &["https://app.example/".to_owned()]);
        let origin = |text: &str| {
            check(
                &guard,
                &[(header::HOST, "localhost"), (header::ORIGIN, text)],
            )
            .is_ok()
        };
        assert!(origin("https://app.example") && origin("https://APP.example"));
        assert!(
            !origin("http://app.example")
                && !origin("https://app.example.evil.example")
                && !origin("https://app.example:444")
        );
    }
}
