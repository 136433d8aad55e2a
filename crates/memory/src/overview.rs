//! A store looked at from outside: for a command that shows and exports.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::{LongTermStore, MemoryFilter, MemoryQuery, StoreError};

/// What a store holds, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemoryOverview {
    /// Entries in all.
    pub entries: usize,
    /// Entries of each application.
    pub by_dcc: BTreeMap<String, usize>,
    /// Entries of each session.
    pub by_session: BTreeMap<String, usize>,
    /// When the earliest entry was written, in milliseconds since 1970.
    pub earliest_ms: Option<u64>,
    /// When the latest entry was written, in milliseconds since 1970.
    pub latest_ms: Option<u64>,
}

impl MemoryOverview {
    /// Of the entries that match.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(store: &dyn LongTermStore, filter: &MemoryFilter) -> Result<Self, StoreError> {
        let mut overview = Self::default();
        for entry in store.query(&MemoryQuery::all(filter.clone()))? {
            overview.entries += 1;
            *overview.by_dcc.entry(entry.dcc_name).or_default() += 1;
            *overview.by_session.entry(entry.session_id).or_default() += 1;
            let at = entry.created_ms;
            overview.earliest_ms = Some(overview.earliest_ms.map_or(at, |least| least.min(at)));
            overview.latest_ms = Some(overview.latest_ms.map_or(at, |most| most.max(at)));
        }
        Ok(overview)
    }
}

/// The entries that match, newest first, as `{"schema_version": 1, "entries": [...]}`.
///
/// # Errors
/// The store cannot be read.
pub fn export(store: &dyn LongTermStore, filter: &MemoryFilter) -> Result<Value, StoreError> {
    let entries = store.query(&MemoryQuery::all(filter.clone()))?;
    Ok(json!({"schema_version": 1, "entries": entries}))
}
