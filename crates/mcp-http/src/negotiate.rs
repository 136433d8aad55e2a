//! What the client takes (`Accept`) and what it sends (`Content-Type`).

use axum::http::{HeaderMap, header};
use metier_mcp::Streaming;

/// What a client takes for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Takes {
    /// One JSON object.
    pub(crate) json: bool,
    /// An event stream, named as such or covered by a wildcard.
    pub(crate) events: bool,
    /// An event stream, named as such (`text/event-stream` or `text/*`).
    pub(crate) events_by_name: bool,
}

impl Takes {
    /// Reads every `Accept` header; none at all takes everything.
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let mut json = Weight::default();
        let mut events = Weight::default();
        let mut any = false;
        for value in headers.get_all(header::ACCEPT) {
            let text = String::from_utf8_lossy(value.as_bytes());
            for range in text
                .split(',')
                .map(str::trim)
                .filter(|range| !range.is_empty())
            {
                any = true;
                let (name, q) = parse(range);
                match name.as_str() {
                    "application/json" => json.set(3, q),
                    "application/*" => json.set(2, q),
                    "text/event-stream" => events.set(3, q),
                    "text/*" => events.set(2, q),
                    "*/*" => {
                        json.set(1, q);
                        events.set(1, q);
                    }
                    _ => {}
                }
            }
        }
        if !any {
            return Self {
                json: true,
                events: true,
                events_by_name: false,
            };
        }
        Self {
            json: json.is_wanted(),
            events: events.is_wanted(),
            events_by_name: events.is_wanted() && events.precision > 1,
        }
    }

    /// How far messages may go ahead of an answer.
    pub(crate) fn streaming(self) -> Streaming {
        match self {
            Self {
                events_by_name: true,
                ..
            } => Streaming::Yes,
            Self { events: true, .. } => Streaming::IfAsked,
            _ => Streaming::No,
        }
    }
}

/// The most precise range that covers a type decides, as HTTP has it.
#[derive(Clone, Copy, Default)]
struct Weight {
    precision: u8,
    q: f32,
}

impl Weight {
    fn set(&mut self, precision: u8, q: f32) {
        if precision > self.precision {
            *self = Self { precision, q };
        }
    }

    fn is_wanted(self) -> bool {
        self.precision > 0 && self.q > 0.0
    }
}

fn parse(range: &str) -> (String, f32) {
    let mut parts = range.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let q = parts
        .filter_map(|part| part.split_once('='))
        .find(|(key, _)| key.trim().eq_ignore_ascii_case("q"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(1.0);
    (name, q)
}

/// Whether the body is JSON in UTF-8.
pub(crate) fn sends_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    let Ok(text) = value.to_str() else {
        return false;
    };
    let mut parts = text.split(';').map(str::trim);
    let is_json = parts
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case("application/json"));
    let charset = parts
        .filter_map(|part| part.split_once('='))
        .find(|(key, _)| key.trim().eq_ignore_ascii_case("charset"))
        .map(|(_, value)| value.trim().trim_matches('"').to_ascii_lowercase());
    is_json && charset.is_none_or(|charset| charset == "utf-8" || charset == "utf8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn takes(accept: &[&str]) -> Takes {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(header::ACCEPT, HeaderValue::from_str(value).unwrap());
        }
        Takes::read(&headers)
    }

    fn of(json: bool, events: bool, events_by_name: bool) -> Takes {
        Takes {
            json,
            events,
            events_by_name,
        }
    }

    #[test]
    fn every_reasonable_form_is_understood() {
        assert_eq!(
            takes(&["application/json, text/event-stream"]),
            of(true, true, true)
        );
        assert_eq!(
            takes(&["text/event-stream", "application/json"]),
            of(true, true, true)
        );
        assert_eq!(takes(&["application/json"]), of(true, false, false));
        assert_eq!(takes(&["APPLICATION/JSON"]), of(true, false, false));
        assert_eq!(takes(&["text/event-stream"]), of(false, true, true));
        assert_eq!(takes(&["*/*"]), of(true, true, false));
        assert_eq!(
            takes(&["application/*;q=0.9, text/*;q=0.1"]),
            of(true, true, true)
        );
        assert_eq!(takes(&[]), of(true, true, false));
        assert_eq!(takes(&["text/html"]), of(false, false, false));
        assert_eq!(
            takes(&["application/json;q=0, */*"]),
            of(false, true, false)
        );
    }

    #[test]
    fn a_content_type_may_carry_a_charset() {
        let sends = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(text).unwrap());
            sends_json(&headers)
        };
        assert!(
            sends("application/json")
                && sends("application/json; charset=utf-8")
                && sends("Application/JSON;charset=\"UTF-8\"")
        );
        assert!(
            !sends("text/plain")
                && !sends("application/json; charset=latin1")
                && !sends("application/jsonp")
        );
        assert!(!sends_json(&HeaderMap::new()));
    }
}
