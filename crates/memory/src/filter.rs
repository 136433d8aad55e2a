//! Which entries are meant.

use serde::{Deserialize, Serialize};

use crate::{MemoryEntry, MemoryLayer};

/// Which entries are meant: those that match **everything** that is said here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MemoryFilter {
    /// Only this layer.
    pub layer: Option<MemoryLayer>,
    /// Only what comes from this session, in every layer.
    pub session_id: Option<String>,
    /// Only what is about this application, in upper or lower case.
    pub dcc_name: Option<String>,
    /// Only keys that begin so; an empty one says nothing.
    pub key_prefix: Option<String>,
}

impl MemoryFilter {
    /// Every entry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only this layer.
    #[must_use]
    pub fn layer(mut self, layer: MemoryLayer) -> Self {
        self.layer = Some(layer);
        self
    }

    /// Only what comes from this session.
    #[must_use]
    pub fn session(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = Some(session_id.into());
        self
    }

    /// Only what is about this application.
    #[must_use]
    pub fn dcc(mut self, dcc_name: impl Into<String>) -> Self {
        self.dcc_name = Some(dcc_name.into());
        self
    }

    /// Only keys that begin so.
    #[must_use]
    pub fn key_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.key_prefix = Some(prefix.into());
        self
    }

    /// Whether every entry is meant.
    pub fn is_everything(&self) -> bool {
        self.layer.is_none()
            && self.session_id.is_none()
            && self.dcc_name.is_none()
            && self.key_prefix.as_deref().is_none_or(str::is_empty)
    }

    /// Whether the entry is meant.
    pub fn matches(&self, entry: &MemoryEntry) -> bool {
        self.wants(entry.layer)
            && said(self.session_id.as_deref(), &entry.session_id)
            && self
                .dcc_name
                .as_deref()
                .is_none_or(|wanted| wanted.eq_ignore_ascii_case(&entry.dcc_name))
            && self
                .key_prefix
                .as_deref()
                .is_none_or(|prefix| entry.key.starts_with(prefix))
    }

    /// Whether entries of this layer can be meant.
    pub(crate) fn wants(&self, layer: MemoryLayer) -> bool {
        self.layer.is_none_or(|wanted| wanted == layer)
    }
}

fn said(wanted: Option<&str>, found: &str) -> bool {
    wanted.is_none_or(|wanted| wanted == found)
}

/// Which entries, and how many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MemoryQuery {
    /// Which entries.
    #[serde(flatten)]
    pub filter: MemoryFilter,
    /// At most so many, the newest; 0 gives none.
    pub limit: usize,
}

impl Default for MemoryQuery {
    fn default() -> Self {
        Self::new(MemoryFilter::new())
    }
}

impl MemoryQuery {
    /// The sixteen newest of these entries.
    pub fn new(filter: MemoryFilter) -> Self {
        Self { filter, limit: 16 }
    }

    /// All of them.
    pub fn all(filter: MemoryFilter) -> Self {
        Self::new(filter).limit(usize::MAX)
    }

    /// At most so many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_limit_is_refused_where_text_becomes_a_query() {
        assert!(serde_json::from_str::<MemoryQuery>(r#"{"limit": -1}"#).is_err());
        let query: MemoryQuery =
            serde_json::from_str(r#"{"layer": "longterm", "limit": 0}"#).unwrap();
        assert_eq!(query.filter.layer, Some(MemoryLayer::LongTerm));
        assert_eq!(query.limit, 0);
    }

    #[test]
    fn an_empty_beginning_is_no_filter() {
        assert!(MemoryFilter::new().key_prefix("").is_everything());
        assert!(!MemoryFilter::new().session("").is_everything());
    }
}
