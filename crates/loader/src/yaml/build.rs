//! From parser events to the tree.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use super::{Fault, FaultKind, Kind, Node, quick};

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
    let mut builder = Builder {
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
            Ok((event, span)) => builder.event(event, span)?,
            Err(error) => {
                let at = builder.places.byte(error.marker().index());
                return Err(builder.places.syntax_fault(at, error.info()));
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

struct Builder<'a> {
    places: Places<'a>,
    frames: Vec<Frame<'a>>,
    anchors: BTreeMap<usize, Node<'a>>,
    alias_nodes: u64,
    tree: Tree<'a>,
    documents: usize,
}

impl<'a> Builder<'a> {
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
                let span = self.places.span(&span);
                let text_tag = self.tag(tag.as_deref(), &span);
                let plain = style == ScalarStyle::Plain && !text_tag;
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

    /// Notes a tag outside the core schema; true for one that makes any scalar text.
    fn tag(&mut self, tag: Option<&Tag>, span: &Range<usize>) -> bool {
        let Some(tag) = tag else {
            return false;
        };
        let core = tag.is_yaml_core_schema();
        let known = core
            && matches!(
                tag.suffix.as_str(),
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
                format!("the YAML tag `{handle}{}` is not supported", tag.suffix),
            ));
        }
        plain_mark || core && tag.suffix == "str"
    }

    fn check_keys(&mut self, entries: &[(Node<'_>, Node<'_>)]) {
        let few = entries.len() <= 16;
        let mut seen: BTreeMap<Cow<'_, str>, &Range<usize>> = BTreeMap::new();
        for (number, (key, _)) in entries.iter().enumerate() {
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
                self.tree.faults.push(Fault {
                    kind: FaultKind::DuplicateKey,
                    message: format!("the key `{text}` is written twice"),
                    span: key.span.clone(),
                    first: Some(first.clone()),
                });
            } else if !few {
                seen.insert(text, &key.span);
            }
        }
    }
}

/// Turns the parser's character counts into bytes of the file.
///
/// This is the one place where the two meet. Events come nearly in order, so a cursor that moves
/// in both directions makes the whole pass linear.
struct Places<'a> {
    text: &'a str,
    base: usize,
    ascii: bool,
    character: usize,
    byte: usize,
}

impl<'a> Places<'a> {
    fn new(text: &'a str, base: usize) -> Self {
        Self {
            text,
            base,
            ascii: text.is_ascii(),
            character: 0,
            byte: 0,
        }
    }

    fn span(&mut self, span: &Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index());
        start..end.max(start)
    }

    fn byte(&mut self, character: usize) -> usize {
        if self.ascii {
            return self.base + character.min(self.text.len());
        }
        while self.character < character {
            let next = self
                .text
                .get(self.byte..)
                .and_then(|rest| rest.chars().next());
            let Some(next) = next else { break };
            self.byte += next.len_utf8();
            self.character += 1;
        }
        while self.character > character {
            let back = self
                .text
                .get(..self.byte)
                .and_then(|rest| rest.chars().next_back());
            let Some(back) = back else { break };
            self.byte -= back.len_utf8();
            self.character -= 1;
        }
        self.base + self.byte
    }

    fn trim_end(&self, start: usize, end: usize) -> usize {
        let written = self.text.get(start - self.base..end - self.base);
        written.map_or(end, |text| start + text.trim_end().len())
    }

    /// A syntax fault in words. Tabs get their own: the parser's message does not name them.
    fn syntax_fault(&self, at: usize, info: &str) -> Fault {
        let upto = self.text.get(..at - self.base).unwrap_or(self.text);
        let line_start = upto.rfind('\n').map_or(0, |found| found + 1);
        // The parser stops at the tab or at the start of the next line.
        let lines = [
            line_start,
            upto.get(..line_start.saturating_sub(1))
                .and_then(|before| before.rfind('\n'))
                .map_or(0, |found| found + 1),
        ];
        for start in lines {
            let line = self.text.get(start..).unwrap_or_default();
            let line = line.split('\n').next().unwrap_or_default();
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            if let Some(tab) = line.get(..indent).and_then(|blank| blank.find('\t')) {
                let place = self.base + start + tab;
                return Fault::new(
                    FaultKind::Invalid,
                    place..place + 1,
                    "a tab indents this line; YAML allows spaces only",
                );
            }
        }
        Fault::new(
            FaultKind::Invalid,
            at..at,
            format!("not valid YAML: {info}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn root(text: &str) -> Node<'_> {
        parse(text, 0).unwrap().root.unwrap()
    }

    fn fault(text: &str) -> Fault {
        match parse(text, 0) {
            Ok(mut tree) => tree.faults.remove(0),
            Err(fault) => fault,
        }
    }

    #[test]
    fn places_are_bytes_of_the_text() {
        let text = "名: 灯光\r\nlist:\r\n  - {a: 渲染, b: \"x y\"}\r\nend: 1.10\r\n";
        let node = root(text);
        assert_eq!(&text[node.get("名").unwrap().span.clone()], "灯光");
        let entry = &node.get("list").unwrap().list().unwrap()[0];
        assert_eq!(&text[entry.get("a").unwrap().span.clone()], "渲染");
        assert_eq!(&text[entry.get("b").unwrap().span.clone()], "\"x y\"");
        assert_eq!(&text[entry.span.clone()], "{a: 渲染, b: \"x y\"}");
        assert_eq!(node.get("end").unwrap().text(), Some("1.10"));
        assert_eq!(&text[node.get("end").unwrap().span.clone()], "1.10");
    }

    #[test]
    fn a_duplicate_names_both_places() {
        let text = "a: 1\nb:\n  c: 1\n  c: 2\n";
        let found = fault(text);
        assert_eq!(found.kind, FaultKind::DuplicateKey);
        assert_eq!(found.first, Some(10..11));
        assert_eq!(found.span, 17..18);
    }

    #[test]
    fn a_duplicate_is_found_in_a_large_mapping() {
        let mut text = String::new();
        for number in 0..40 {
            writeln!(text, "k{number}: 1").unwrap();
        }
        text.push_str("k7: 2\n");
        let found = fault(&text);
        assert_eq!(found.kind, FaultKind::DuplicateKey);
        assert!(found.message.contains("`k7`"), "{found:?}");
    }

    #[test]
    fn what_costs_the_whole_text() {
        assert_eq!(fault("a: 1\n---\nb: 2\n").kind, FaultKind::Documents);
        assert_eq!(fault("a: &x [*x]\n").kind, FaultKind::Aliases);
        assert_eq!(fault("a: [b\n").kind, FaultKind::Invalid);
        let tab = fault("a:\n\tb: 1\n");
        assert!(tab.message.contains("tab"), "{tab:?}");
        assert_eq!(tab.span, 3..4);
        let deep = "[".repeat(5000);
        assert_eq!(fault(&deep).kind, FaultKind::Invalid);
    }

    #[test]
    fn aliases_are_shared_and_bounded() {
        let node = root("a: &x [1, 2]\nb: *x\n");
        assert_eq!(node.get("b").unwrap().list().unwrap().len(), 2);
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..9 {
            let before = level - 1;
            let items = vec![format!("*a{before}"); 9].join(",");
            writeln!(bomb, "a{level}: &a{level} [{items}]").unwrap();
        }
        let found = fault(&bomb);
        assert_eq!(found.kind, FaultKind::Aliases);
        assert!(found.message.contains("alias limit"), "{found:?}");
    }

    #[test]
    fn tags_and_merge_keys() {
        let found = fault("a: !!python/object/apply:os.system [x]\n");
        assert_eq!(found.kind, FaultKind::Tag);
        assert!(found.message.contains("`!!python/object"), "{found:?}");
        assert!(fault("a: !own x\n").message.contains("`!own`"));
        assert_eq!(
            fault("a: &x {b: 1}\nc:\n  <<: *x\n").kind,
            FaultKind::MergeKey
        );
        assert_eq!(
            root("a: !!str 12\n").to_json(),
            serde_json::json!({"a": "12"})
        );
        assert_eq!(root("a: ! 12\n").to_json(), serde_json::json!({"a": "12"}));
    }

    fn any_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            (-1.0e9..1.0e9).prop_map(|number: f64| number.into()),
            "[a-z0-9 :#,.+-]{0,12}".prop_map(Into::into),
            "[灯光渲染é🎬\n\t '\"x]{0,8}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
                prop::collection::btree_map("[a-z名字]{1,6}", inner, 0..6)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// Every plain scalar is found again at its place.
    fn check_spans(text: &str, node: &Node<'_>) {
        match &node.kind {
            Kind::Scalar { text: own, plain } => {
                let written = &text[node.span.clone()];
                if *plain && !written.is_empty() && !written.contains('\n') {
                    assert_eq!(written, &**own);
                }
            }
            Kind::List(items) => items.iter().for_each(|item| check_spans(text, item)),
            Kind::Map(entries) => entries.iter().for_each(|(key, value)| {
                check_spans(text, key);
                check_spans(text, value);
            }),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_another_writer_writes_is_read_with_its_meaning(value in any_value()) {
            let text = serde_yaml::to_string(&value).unwrap();
            let tree = parse(&text, 0).unwrap();
            let root = tree.root.unwrap();
            prop_assert_eq!(root.to_json(), value, "{}", text);
            check_spans(&text, &root);
        }
    }
}
