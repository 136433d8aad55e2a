//! The faults of a file's YAML, and which entry each of them costs.

use std::ops::Range;

use super::schema::is_schema_key;
use crate::findings::Findings;
use crate::yaml::{Fault, FaultKind, Node};

/// Faults in the order of their places.
#[derive(Debug)]
pub(crate) struct Faults {
    list: Vec<Fault>,
    /// Somewhere in the file stands a merge key.
    merges: bool,
}

impl Faults {
    pub(crate) fn new(mut list: Vec<Fault>) -> Self {
        list.sort_by_key(|fault| fault.span.start);
        Self {
            merges: list.iter().any(|fault| fault.kind == FaultKind::MergeKey),
            list,
        }
    }

    fn inside(&self, place: &Range<usize>) -> &[Fault] {
        let start = self
            .list
            .partition_point(|fault| fault.span.start < place.start);
        let end = self
            .list
            .partition_point(|fault| fault.span.start < place.end);
        self.list.get(start..end).unwrap_or_default()
    }

    /// Reports the faults inside a node; true if there are any.
    pub(crate) fn report(&self, findings: &mut Findings<'_>, node: &Node<'_>) -> bool {
        let found = self.inside(&node.span);
        for fault in found {
            findings.yaml_fault(fault);
        }
        !found.is_empty()
    }

    /// Whether a fault costs an entry of the tools list.
    pub(crate) fn cost(&self, node: &Node<'_>) -> bool {
        let mut inside = self.inside(&node.span).iter();
        inside.any(|fault| fault.kind != FaultKind::MergeKey)
            || self.merges && merge_outside_schemas(node).is_some()
    }

    /// Reports what costs an entry of the tools list; true if anything does.
    ///
    /// A merge key inside a schema does not: a schema only describes arguments. Anywhere else a merge
    /// could bring a flag over that nobody sees in the entry, also by an alias.
    pub(crate) fn in_entry(&self, findings: &mut Findings<'_>, node: &Node<'_>) -> bool {
        let mut any = false;
        for fault in self.inside(&node.span) {
            if fault.kind != FaultKind::MergeKey {
                findings.yaml_fault(fault);
                any = true;
            }
        }
        if self.merges
            && let Some(place) = merge_outside_schemas(node)
        {
            findings.yaml_fault(&Fault::merge_key(place.clone()));
            any = true;
        }
        any
    }

    /// Reports what stands in none of these nodes.
    pub(crate) fn outside(&self, findings: &mut Findings<'_>, nodes: &[Option<&Node<'_>>]) {
        for fault in &self.list {
            let start = fault.span.start;
            let mut nodes = nodes.iter().flatten();
            if !nodes.any(|node| node.span.contains(&start)) {
                findings.yaml_fault(fault);
            }
        }
    }
}

fn merge_outside_schemas<'n>(entry: &'n Node<'_>) -> Option<&'n Range<usize>> {
    let entries = entry.map()?;
    entries.iter().find_map(|(key, value)| {
        if key.is_merge_key() {
            Some(&key.span)
        } else if is_schema_key(&key.key_str()) {
            None
        } else {
            value.first_merge_key()
        }
    })
}
