//! What is told of a memory.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::compaction::{PATTERN, call_subject};
use crate::recorder::OUTCOMES;
use crate::{
    AgentMemory, LongTermStore, MemoryEntry, MemoryError, MemoryFilter, MemoryLayer, MemoryQuery,
    StoreError,
};

/// Begins the keys about calls of tools.
const EVERY_TOOL: &str = "tool_call:";
/// Most tools in each list.
const MOST: usize = 8;
/// Most characters of the whole, as JSON.
const LARGEST: usize = 1_200;
/// Most characters of a tool's name; a longer one is not a name that a client can call.
const LONGEST_TOOL: usize = 128;

/// How a tool did, over this session and all that is remembered of earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolRecord {
    /// Calls that went well.
    pub ok_count: u64,
    /// Calls that failed, were refused, or lacked a capability.
    pub fail_count: u64,
    /// The outcome of the latest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_outcome: Option<String>,
}

impl ToolRecord {
    fn is_good(&self) -> bool {
        self.ok_count > self.fail_count
    }

    fn is_bad(&self) -> bool {
        self.fail_count > self.ok_count
    }

    fn count(&mut self, ok: u64, fail: u64) {
        self.ok_count = self.ok_count.saturating_add(ok);
        self.fail_count = self.fail_count.saturating_add(fail);
    }

    fn score(&self) -> i128 {
        i128::from(self.ok_count) - i128::from(self.fail_count)
    }
}

/// Records by tool.
pub(crate) type ToolRecords = BTreeMap<String, ToolRecord>;

/// What is told of a memory: at most 1,200 characters as JSON, all its parts together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemorySummary {
    /// How single tools did, the best known first.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub memory_summary: Map<String, Value>,
    /// Tools that went well more often than not, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory_prefer_tools: Vec<String>,
    /// Tools that failed more often than not, the worst first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory_avoid_tools: Vec<String>,
}

impl MemorySummary {
    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.memory_summary.is_empty()
            && self.memory_prefer_tools.is_empty()
            && self.memory_avoid_tools.is_empty()
    }

    /// Of these records, by tool.
    fn of(records: &BTreeMap<String, ToolRecord>) -> Self {
        let ranked = |wanted: fn(&ToolRecord) -> bool, sign: i128| {
            let mut tools: Vec<_> = records
                .iter()
                .filter(|(_, record)| wanted(record))
                .map(|(name, record)| (sign * record.score(), name))
                .collect();
            tools.sort();
            tools.truncate(MOST);
            tools
                .into_iter()
                .map(|(_, name)| name.clone())
                .collect::<Vec<String>>()
        };
        let mut summary = Self {
            memory_prefer_tools: ranked(ToolRecord::is_good, -1),
            memory_avoid_tools: ranked(ToolRecord::is_bad, 1),
            memory_summary: Map::new(),
        };
        let named = summary
            .memory_prefer_tools
            .iter()
            .chain(&summary.memory_avoid_tools);
        for tool in named {
            if let Some(record) = records.get(tool)
                && let Ok(record) = serde_json::to_value(record)
            {
                summary.memory_summary.insert(tool.clone(), record);
            }
        }
        summary.trim();
        summary
    }

    /// Drops the least important until the size is right: single records, then the ends of the lists.
    fn trim(&mut self) {
        while self.size() > LARGEST {
            let last = self.memory_summary.keys().next_back().cloned();
            if let Some(last) = last {
                self.memory_summary.remove(&last);
            } else if self.memory_prefer_tools.len() >= self.memory_avoid_tools.len() {
                self.memory_prefer_tools.pop();
            } else {
                self.memory_avoid_tools.pop();
            }
        }
    }

    fn size(&self) -> usize {
        serde_json::to_string(self).map_or(0, |text| text.chars().count())
    }
}

impl AgentMemory {
    /// What is known of tools: how they did in this session, and what earlier sessions with the
    /// application left.
    ///
    /// # Errors
    /// The long-term layer cannot be read.
    pub fn summary(
        &self,
        dcc_name: &str,
        session_id: Option<&str>,
    ) -> Result<MemorySummary, MemoryError> {
        self.summary_among(dcc_name, session_id, |_| true)
    }

    /// The same of the tools alone that `is_known` knows: a file may be shared by servers, and skills go.
    ///
    /// # Errors
    /// The long-term layer cannot be read.
    pub fn summary_among(
        &self,
        dcc_name: &str,
        session_id: Option<&str>,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<MemorySummary, MemoryError> {
        let mut records = self.records(dcc_name, session_id, EVERY_TOOL)?;
        records.retain(|tool, _| is_known(tool));
        Ok(MemorySummary::of(&records))
    }

    /// The same of one tool alone.
    ///
    /// # Errors
    /// The long-term layer cannot be read.
    pub fn summary_of_tool(
        &self,
        dcc_name: &str,
        session_id: Option<&str>,
        tool_name: &str,
    ) -> Result<MemorySummary, MemoryError> {
        let mut records = self.records(dcc_name, session_id, &call_subject(tool_name))?;
        records.retain(|name, _| name == tool_name);
        Ok(MemorySummary::of(&records))
    }

    /// By tool; `subject` is the beginning of the keys that count.
    fn records(
        &self,
        dcc_name: &str,
        session_id: Option<&str>,
        subject: &str,
    ) -> Result<ToolRecords, MemoryError> {
        let mut records = ToolRecords::new();
        if let Some(session_id) = session_id {
            let mut query = about(MemoryLayer::Working, dcc_name, subject);
            query.filter = query.filter.session(session_id);
            for entry in self.query(&query)? {
                let [ok, fail] = [entry.score > 0, entry.score < 0].map(u64::from);
                add(&mut records, &entry, ok, fail);
            }
        }
        let patterns = about(
            MemoryLayer::LongTerm,
            dcc_name,
            &format!("{PATTERN}{subject}"),
        );
        add_patterns(&mut records, &self.waiting, &patterns)?;
        match self.long_term.revision().filter(|_| subject == EVERY_TOOL) {
            None => add_patterns(&mut records, &*self.long_term, &patterns)?,
            Some(revision) => {
                for (tool, learned) in &*self.learned(dcc_name, revision, &patterns)? {
                    let record = records.entry(tool.clone()).or_default();
                    record.count(learned.ok_count, learned.fail_count);
                    if record.last_outcome.is_none() {
                        record.last_outcome.clone_from(&learned.last_outcome);
                    }
                }
            }
        }
        Ok(records)
    }

    /// What the store says of every tool of an application, read once for a revision.
    fn learned(
        &self,
        dcc_name: &str,
        revision: u64,
        patterns: &MemoryQuery,
    ) -> Result<Arc<ToolRecords>, MemoryError> {
        let lock = || self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, known)) = lock().get(dcc_name)
            && *of == revision
        {
            return Ok(Arc::clone(known));
        }
        let mut read = ToolRecords::new();
        add_patterns(&mut read, &*self.long_term, patterns)?;
        let read = Arc::new(read);
        let mut learned = lock();
        // A server has one application; a host that names a new one for each question gains nothing here.
        if learned.len() >= MOST && !learned.contains_key(dcc_name) {
            learned.clear();
        }
        learned.insert(dcc_name.to_owned(), (revision, Arc::clone(&read)));
        Ok(read)
    }
}
/// Everything of a layer about an application whose key begins so.
fn about(layer: MemoryLayer, dcc_name: &str, key: &str) -> MemoryQuery {
    let filter = MemoryFilter::new().layer(layer).dcc(dcc_name);
    MemoryQuery::all(filter.key_prefix(key))
}

fn add(records: &mut ToolRecords, entry: &MemoryEntry, ok: u64, fail: u64) {
    let Some(tool) = entry.text("tool_name") else {
        return;
    };
    // What is told goes to a model, and a file may hold what somebody else wrote: a name is no sentence.
    let is_of_a_name = |letter: char| letter.is_alphanumeric() || "_-./:".contains(letter);
    if tool.chars().count() > LONGEST_TOOL || !tool.chars().all(is_of_a_name) {
        return;
    }
    let record = records.entry(tool.to_owned()).or_default();
    record.count(ok, fail);
    if record.last_outcome.is_none() {
        let outcome = entry.text("outcome");
        let outcome = outcome.filter(|outcome| OUTCOMES.contains(outcome));
        record.last_outcome = outcome.map(ToOwned::to_owned);
    }
}

fn add_patterns(
    records: &mut ToolRecords,
    store: &dyn LongTermStore,
    patterns: &MemoryQuery,
) -> Result<(), StoreError> {
    for entry in store.query(patterns)? {
        let [ok, fail] = ["ok_count", "fail_count"].map(|name| entry.number(name));
        add(records, &entry, ok, fail);
    }
    Ok(())
}
