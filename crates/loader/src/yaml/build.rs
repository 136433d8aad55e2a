//! From parser events to the tree.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use super::places::Places;
use super::slip::Slip;
use super::unprintable::unprintable;
use super::{Fault, FaultKind, Kind, Node, pairs, quick, tabs};
use crate::findings::brief;

/// Lists and mappings inside each other; real files stay below ten.
const DEEPEST: usize = 100;
/// How many nodes all aliases of a document may stand for.
const ALIAS_NODES: u64 = 10_000;

/// What was parsed, with the faults that cost no more than the place they are in.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    /// `None` when the text holds no value at all.
    pub(crate) root: Option<Node<'a>>,
    pub(crate) faults: Vec<Fault>,
    /// The text is written in the small part of YAML that every parser reads alike.
    pub(crate) is_plain: bool,
}

/// Parses one document. `base` is added to every place.
///
/// An `Err` means that nothing can be used; other faults are in the tree.
pub(crate) fn parse(text: &str, base: usize) -> Result<Tree<'_>, Fault> {
    match quick::parse(text, base) {
        Some(root) => Ok(Tree {
            root: Some(root),
            faults: Vec::new(),
            is_plain: true,
        }),
        None => parse_events(text, base),
    }
}

/// The same for any text, by the events of a full parser.
pub(super) fn parse_events(text: &str, base: usize) -> Result<Tree<'_>, Fault> {
    let mut fault = match built(text, base, BTreeMap::new(), |event| event) {
        Ok(tree) => return Ok(tree),
        Err(fault) => fault,
    };
    let mut blanks = tabs::Blanks::new(text, base);
    while let Some(text) = blanks.instead_of_tab(&fault) {
        match built(text, base, BTreeMap::new(), pairs::owned) {
            Ok(tree) => return Ok(tree),
            Err(next) => fault = next,
        }
    }
    match (pairs::paired(text, base), pairs::without_pairs(text)) {
        (Some(paired), _) => built(&paired.text, base, paired.scalars, pairs::owned),
        // What is wrong besides is told; the pairs are not.
        (None, Some(plain)) => Err(built(&plain, base, BTreeMap::new(), |event| event)
            .err()
            .unwrap_or(fault)),
        (None, None) => Err(fault),
    }
}

/// Builds the tree. `told` are scalars that say something else than their events, by their first byte.
fn built<'a, 't>(
    text: &'t str,
    base: usize,
    told: BTreeMap<usize, String>,
    event_of: impl Fn(Event<'t>) -> Event<'a>,
) -> Result<Tree<'a>, Fault> {
    let mut builder = Builder {
        told,
        places: Places::new(text, base),
        frames: Vec::new(),
        anchors: BTreeMap::new(),
        alias_nodes: 0,
        tree: Tree {
            root: None,
            faults: Vec::new(),
            is_plain: false,
        },
        documents: 0,
    };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => builder.event(event_of(event), span)?,
            Err(error) => {
                let at = builder.places.byte(error.marker().index());
                if let Some(fault) = unprintable(text, base) {
                    return Err(fault);
                }
                let slip = Slip {
                    text,
                    base,
                    at,
                    open: builder.open_bracket(),
                };
                let mut fault = slip.fault(error.info());
                if let Some(entry) = builder.entry(text, base, fault.span.start) {
                    fault.message = format!("{} (in {entry})", fault.message);
                }
                return Err(fault);
            }
        }
    }
    Ok(builder.tree)
}

enum Frame<'a> {
    List {
        start: usize,
        anchor: usize,
        items: Vec<Node<'a>>,
    },
    Map {
        start: usize,
        anchor: usize,
        entries: Vec<(Node<'a>, Node<'a>)>,
        key: Option<Node<'a>>,
    },
}

struct Builder<'a, 't> {
    told: BTreeMap<usize, String>,
    places: Places<'t>,
    frames: Vec<Frame<'a>>,
    anchors: BTreeMap<usize, Node<'a>>,
    alias_nodes: u64,
    tree: Tree<'a>,
    documents: usize,
}

impl<'a> Builder<'a, '_> {
    /// Where the innermost collection that is open begins.
    fn open_bracket(&self) -> Option<usize> {
        self.frames.last().map(|frame| match frame {
            Frame::List { start, .. } | Frame::Map { start, .. } => *start,
        })
    }

    /// The entry of a list at the top that a place of the text belongs to: its number in the list and, as far as it was
    /// read, its name.
    fn entry(&self, text: &str, base: usize, place: usize) -> Option<String> {
        let mut frames = self.frames.iter();
        let Some(Frame::Map { key: Some(key), .. }) = frames.next() else {
            return None;
        };
        let list = key.text()?;
        let Some(Frame::List { items, start, .. }) = frames.next() else {
            return None;
        };
        if self.places.is_bracket(*start) {
            return None;
        }
        let line = text
            .get(..place.checked_sub(base)?)?
            .rfind('\n')
            .map_or(0, |end| end + 1);
        let begins_another = text.get(line..)?.trim_start().starts_with('-');
        let (number, entries) = match (frames.next(), items.split_last()) {
            (Some(Frame::Map { entries, .. }), _) => (items.len(), &entries[..]),
            // The entry above is read already when a line does not line up with its keys.
            (None, Some((last, above))) if !begins_another || last.span.start >= base + line => {
                let entries = match &last.kind {
                    Kind::Map(entries) => &entries[..],
                    _ => &[],
                };
                (above.len(), entries)
            }
            _ => (items.len(), &[][..]),
        };
        let name = entries
            .iter()
            .find(|(key, _)| key.text() == Some("name"))
            .and_then(|(_, name)| name.text());
        let place = format!("`{list}[{number}]`");
        Some(match name {
            Some(name) => format!("{place}, `{}`", brief(name)),
            None => place,
        })
    }

    fn event(&mut self, event: Event<'a>, span: Span) -> Result<(), Fault> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let span = self.places.span(&span);
                    return Err(Fault::new(
                        FaultKind::Documents,
                        span,
                        "more than one document: a second one starts here",
                    ));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let mut span = self.places.span(&span);
                if style == ScalarStyle::DoubleQuoted {
                    // Of an empty one the parser counts the blanks behind it in.
                    span.end = self.places.trim_end(span.start, span.end);
                }
                let tagged = self.tag(tag.as_deref(), &span);
                let text = self.told.remove(&span.start).map_or(text, Cow::Owned);
                let plain = tagged.unwrap_or(style == ScalarStyle::Plain);
                self.finish(Node::scalar(text.into(), plain, span), anchor);
            }
            Event::Alias(anchor) => self.alias(anchor, &span)?,
            Event::SequenceStart(anchor, tag) => {
                let span = self.open(&span, tag.as_deref())?;
                self.frames.push(Frame::List {
                    start: span.start,
                    anchor,
                    items: Vec::new(),
                });
            }
            Event::MappingStart(anchor, tag) => {
                let span = self.open(&span, tag.as_deref())?;
                self.frames.push(Frame::Map {
                    start: span.start,
                    anchor,
                    entries: Vec::new(),
                    key: None,
                });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let end = self.places.span(&span).end;
                self.close(end);
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn open(&mut self, span: &Span, tag: Option<&Tag>) -> Result<Range<usize>, Fault> {
        let span = self.places.span(span);
        self.tag(tag, &span);
        if self.frames.len() >= DEEPEST {
            return Err(Fault::new(
                FaultKind::Invalid,
                span,
                format!("nested more than {DEEPEST} levels deep"),
            ));
        }
        Ok(span)
    }

    fn alias(&mut self, anchor: usize, span: &Span) -> Result<(), Fault> {
        let span = self.places.span(span);
        let Some(node) = self.anchors.get(&anchor) else {
            // The anchor is an ancestor: the value would contain itself.
            return Err(Fault::new(
                FaultKind::Aliases,
                span,
                "an alias stands inside the value it names",
            ));
        };
        let mut node = node.clone();
        self.alias_nodes = self.alias_nodes.saturating_add(node.size);
        if self.alias_nodes > ALIAS_NODES {
            return Err(Fault::new(
                FaultKind::Aliases,
                span,
                format!("the aliases stand for more than {ALIAS_NODES} values (alias limit)"),
            ));
        }
        node.span = span;
        self.finish(node, 0);
        Ok(())
    }

    fn close(&mut self, end: usize) {
        let (kind, start, anchor) = match self.frames.pop() {
            Some(Frame::List {
                start,
                anchor,
                items,
            }) => (Kind::List(items.into()), start, anchor),
            Some(Frame::Map {
                start,
                anchor,
                entries,
                ..
            }) => {
                self.check_keys(&entries);
                (Kind::Map(entries.into()), start, anchor)
            }
            None => return,
        };
        let inner: u64 = match &kind {
            Kind::List(items) => items.iter().map(|item| item.size).sum(),
            Kind::Map(entries) => entries
                .iter()
                .map(|(key, value)| key.size + value.size)
                .sum(),
            Kind::Scalar { .. } => 0,
        };
        // The end event of a block stands behind the line breaks that follow it.
        let end = self.places.trim_end(start, end);
        let node = Node {
            span: start..end,
            kind,
            size: inner.saturating_add(1),
        };
        self.finish(node, anchor);
    }

    fn finish(&mut self, node: Node<'a>, anchor: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.frames.last_mut() {
            None => self.tree.root = Some(node),
            Some(Frame::List { items, .. }) => items.push(node),
            Some(Frame::Map { entries, key, .. }) => match key.take() {
                None => *key = Some(node),
                Some(name) => entries.push((name, node)),
            },
        }
    }

    /// Notes a tag outside the core schema. Of a scalar it may say how it is read however it is written: by its meaning
    /// (true) or as text.
    fn tag(&mut self, tag: Option<&Tag>, span: &Range<usize>) -> Option<bool> {
        let tag = tag?;
        // Written out (`!<tag:yaml.org,2002:str>`) a tag comes as a whole.
        let written_out = tag.handle.is_empty().then_some(tag.suffix.as_str());
        let written_out = written_out.and_then(|whole| whole.strip_prefix("tag:yaml.org,2002:"));
        let core = tag.is_yaml_core_schema() || written_out.is_some();
        let suffix = written_out.unwrap_or(&tag.suffix);
        let known = core
            && matches!(
                suffix,
                "str" | "int" | "float" | "bool" | "null" | "map" | "seq"
            );
        // A lone `!` says "as it is written".
        let plain_mark = tag.handle.is_empty() && tag.suffix == "!"
            || tag.handle == "!" && tag.suffix.is_empty();
        if !known && !plain_mark {
            let handle = if core { "!!" } else { tag.handle.as_str() };
            self.tree.faults.push(Fault::new(
                FaultKind::Tag,
                span.clone(),
                format!("the YAML tag `{handle}{suffix}` is not supported"),
            ));
        }
        match suffix {
            _ if plain_mark => Some(false),
            "str" if core => Some(false),
            "int" | "float" | "bool" | "null" if core => Some(true),
            _ => None,
        }
    }

    /// Notes a key that is no scalar; of those inside each other the outermost is told.
    fn no_key(&mut self, key: &Node<'_>) {
        let is_inside = |fault: &Fault| {
            fault.kind == FaultKind::Key
                && key.span.start <= fault.span.start
                && fault.span.end <= key.span.end
        };
        while self.tree.faults.pop_if(|fault| is_inside(fault)).is_some() {}
        let fault = Fault::no_key(key.span.clone(), key.noun());
        self.tree.faults.push(fault);
    }

    fn check_keys(&mut self, entries: &[(Node<'_>, Node<'_>)]) {
        let few = entries.len() <= 16;
        let mut seen: BTreeMap<Cow<'_, str>, &Range<usize>> = BTreeMap::new();
        for (number, (key, _)) in entries.iter().enumerate() {
            if key.scalar_text().is_none() {
                self.no_key(key);
                continue;
            }
            let text = key.key_str();
            if key.is_merge_key() {
                self.tree.faults.push(Fault::merge_key(key.span.clone()));
            }
            // Nearly every mapping is small, and comparing is cheaper than a table then.
            let first = if few {
                let before = entries.get(..number).unwrap_or_default();
                let found = before.iter().find(|(other, _)| other.key_str() == text);
                found.map(|(other, _)| &other.span)
            } else {
                seen.get(&text).copied()
            };
            if let Some(first) = first {
                let message = format!("the key `{text}` is written twice");
                self.tree.faults.push(Fault {
                    first: Some(first.clone()),
                    ..Fault::new(FaultKind::DuplicateKey, key.span.clone(), message)
                });
            } else if !few {
                seen.insert(text, &key.span);
            }
        }
    }
}

#[cfg(test)]
mod tests;
