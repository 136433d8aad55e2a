//! A list, page by page to its end or to a limit.

use std::collections::BTreeSet;

use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::bounds::Bounds;
use crate::server::{Answer, Page, ServerFault};

/// What came of a list.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) items: Vec<Value>,
    /// Why it is not the whole list.
    pub(crate) cut: Option<String>,
}

/// Asks until the last page. What came before a fault or a limit is kept, unless nothing came at all.
pub(crate) async fn all<'s>(
    bounds: &Bounds,
    ask: impl Fn(Option<String>) -> Answer<'s, Page>,
) -> Result<Listed, ServerFault> {
    let end = Instant::now() + bounds.list;
    let mut listed = Listed::default();
    let mut seen = BTreeSet::new();
    let (mut cursor, mut bytes) = (None, 0_usize);
    for number in 1..=bounds.pages {
        let limit = end.min(Instant::now() + bounds.request);
        let page = match timeout_at(limit, ask(cursor.take())).await {
            Ok(Ok(page)) => page,
            Ok(Err(fault)) if number == 1 => return Err(fault),
            Ok(Err(fault)) => return Ok(listed.cut(format!("page {number}: {fault}"))),
            Err(_) if number == 1 => {
                return Err(ServerFault::Late {
                    seconds: bounds.request.min(bounds.list).as_secs(),
                });
            }
            Err(_) => return Ok(listed.cut(format!("page {number} did not come in time"))),
        };
        for item in page.items {
            bytes = bytes.saturating_add(size(&item));
            if bytes > bounds.list_bytes {
                let most = bounds.list_bytes;
                return Ok(listed.cut(format!("the list is larger than {most} bytes")));
            }
            if listed.items.len() == bounds.entries {
                let most = bounds.entries;
                return Ok(listed.cut(format!("the list has more than {most} entries")));
            }
            listed.items.push(item);
        }
        let Some(next) = page.next else {
            return Ok(listed);
        };
        if !seen.insert(next.clone()) {
            return Ok(listed.cut(format!("page {number} leads back to an earlier one")));
        }
        cursor = Some(next);
    }
    let most = bounds.pages;
    Ok(listed.cut(format!("the list has more than {most} pages")))
}

impl Listed {
    fn cut(mut self, why: String) -> Self {
        self.cut = Some(why);
        self
    }
}

/// About how many bytes an entry takes as JSON; nothing is written for it.
fn size(value: &Value) -> usize {
    let mut open = vec![value];
    let mut bytes = 0_usize;
    while let Some(value) = open.pop() {
        bytes = bytes.saturating_add(match value {
            Value::String(text) => text.len() + 2,
            Value::Array(items) => {
                open.extend(items);
                items.len() + 2
            }
            Value::Object(entries) => {
                open.extend(entries.values());
                entries.keys().map(|key| key.len() + 4).sum::<usize>() + 2
            }
            _ => 8,
        });
    }
    bytes
}
