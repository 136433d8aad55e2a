//! The pages of `tools/list`, serialized once per generation of the catalog and per era.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use metier_catalog::{CatalogSnapshot, ListedKind, ListedTool};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::Era;
use crate::error::McpError;
use crate::newest::{Newest, OfGeneration};
use crate::result::{CacheHints, Results};

/// Keeps the newest generation's pages.
#[derive(Debug)]
pub(crate) struct PageCache {
    newest: Newest<Pages>,
    page_size: usize,
    stubs: bool,
}

impl PageCache {
    pub(crate) fn new(page_size: usize, stubs: bool) -> Self {
        Self {
            newest: Newest::default(),
            page_size: page_size.max(1),
            stubs,
        }
    }

    /// The pages of a snapshot.
    pub(crate) fn of(&self, snapshot: &CatalogSnapshot) -> Arc<Pages> {
        self.newest.of(snapshot.generation(), |_| {
            Pages::new(snapshot, self.page_size, self.stubs)
        })
    }
}

/// The tools of one generation, ready to be listed and looked up.
#[derive(Debug)]
pub(crate) struct Pages {
    generation: u64,
    tools: Vec<Arc<ListedTool>>,
    page_size: usize,
    index: OnceLock<HashMap<String, Facts>>,
    legacy: OnceLock<Vec<Bytes>>,
    modern: OnceLock<Vec<Bytes>>,
}

/// What the server itself must know of a tool before it is called.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Whether a call of it may change the list.
    pub(crate) may_change: bool,
    /// Arguments that a modern client repeats in a header: where they are, and the header's name
    /// after `Mcp-Param-`.
    pub(crate) mirrored: Vec<(Vec<String>, String)>,
}

#[derive(Serialize)]
struct Page<'a> {
    tools: &'a [Arc<ListedTool>],
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl OfGeneration for Pages {
    fn generation(&self) -> u64 {
        self.generation
    }
}

impl Pages {
    fn new(snapshot: &CatalogSnapshot, page_size: usize, stubs: bool) -> Self {
        let shown = |tool: &&Arc<ListedTool>| stubs || tool.kind != ListedKind::Stub;
        Self {
            generation: snapshot.generation(),
            tools: snapshot.tools().iter().filter(shown).cloned().collect(),
            page_size,
            index: OnceLock::new(),
            legacy: OnceLock::new(),
            modern: OnceLock::new(),
        }
    }

    /// The page that a cursor names; the first without one.
    pub(crate) fn page(
        &self,
        era: Era,
        cursor: Option<&str>,
        results: &Results,
    ) -> Result<Bytes, McpError> {
        let start = match cursor {
            None | Some("") => 0,
            Some(cursor) => self.start_of(cursor)?,
        };
        if start % self.page_size != 0 {
            return self.build(era, start, results);
        }
        let ready = if era.is_modern() {
            &self.modern
        } else {
            &self.legacy
        };
        let pages = if let Some(pages) = ready.get() {
            pages
        } else {
            let built = self.build_all(era, results)?;
            ready.get_or_init(|| built)
        };
        pages
            .get(start / self.page_size)
            .cloned()
            .ok_or_else(bad_cursor)
    }

    /// What is known of a listed tool.
    pub(crate) fn facts(&self, name: &str) -> Option<&Facts> {
        let index = self.index.get_or_init(|| {
            self.tools
                .iter()
                .map(|tool| (tool.name.clone(), Facts::of(tool)))
                .collect()
        });
        index.get(name)
    }

    fn build_all(&self, era: Era, results: &Results) -> Result<Vec<Bytes>, McpError> {
        (0..self.tools.len().max(1))
            .step_by(self.page_size)
            .map(|start| self.build(era, start, results))
            .collect()
    }

    fn build(&self, era: Era, start: usize, results: &Results) -> Result<Bytes, McpError> {
        let rest = self.tools.get(start..).unwrap_or_default();
        let tools = rest.get(..self.page_size).unwrap_or(rest);
        let next_cursor = match tools.last() {
            Some(last) if rest.len() > tools.len() => {
                Some(self.cursor(start.saturating_add(tools.len()), &last.name))
            }
            _ => None,
        };
        results.build(
            era,
            &Page { tools, next_cursor },
            Some(CacheHints::LIST),
            Map::new(),
        )
    }

    /// A cursor names the generation, the place, and the last tool seen, so that a walk goes on
    /// where it was although the list has changed meanwhile.
    fn cursor(&self, next: usize, last: &str) -> String {
        let body = format!("{}.{next}.{last}", self.generation);
        let mut bytes = checksum(&body).to_vec();
        bytes.extend_from_slice(body.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn start_of(&self, cursor: &str) -> Result<usize, McpError> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok().ok_or_else(bad_cursor)?;
        let (sum, body) = bytes.split_first_chunk::<4>().ok_or_else(bad_cursor)?;
        let body = std::str::from_utf8(body).ok().ok_or_else(bad_cursor)?;
        if *sum != checksum(body) {
            return Err(bad_cursor());
        }
        let mut parts = body.splitn(3, '.');
        let generation = parts.next().and_then(|part| part.parse::<u64>().ok());
        let next = parts.next().and_then(|part| part.parse::<usize>().ok());
        let (Some(generation), Some(next), Some(last)) = (generation, next, parts.next()) else {
            return Err(bad_cursor());
        };
        if generation == self.generation {
            return Ok(next);
        }
        self.tools
            .iter()
            .position(|tool| tool.name == last)
            .map(|at| at.saturating_add(1))
            .ok_or_else(|| McpError::invalid_params("invalid params: the list has changed since this cursor was given; list again without a cursor"))
    }
}

impl Facts {
    fn of(tool: &ListedTool) -> Self {
        let reads_only = tool
            .annotations
            .get("readOnlyHint")
            .and_then(Value::as_bool)
            == Some(true);
        let in_process = matches!(
            tool.kind,
            ListedKind::Core | ListedKind::Group | ListedKind::Host
        );
        let mut mirrored = Vec::new();
        collect_mirrored(&tool.input_schema, &mut Vec::new(), &mut mirrored);
        Self {
            may_change: in_process && !reads_only,
            mirrored,
        }
    }
}

/// Finds `x-mcp-header` along `properties` alone: that is where an argument's place is certain.
fn collect_mirrored(
    schema: &Map<String, Value>,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, String)>,
) {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return;
    };
    for (name, property) in properties {
        let Value::Object(property) = property else {
            continue;
        };
        path.push(name.clone());
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str) {
            found.push((path.clone(), header.to_owned()));
        }
        collect_mirrored(property, path, found);
        path.pop();
    }
}

fn checksum(body: &str) -> [u8; 4] {
    let digest = Sha256::digest(body.as_bytes());
    digest.first_chunk::<4>().copied().unwrap_or_default()
}

fn bad_cursor() -> McpError {
    McpError::invalid_params(
        "invalid params: cursor is none that this server gave; list again without a cursor",
    )
}
