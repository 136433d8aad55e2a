//! The part of YAML that nearly every file keeps to, read in one pass without tokens and copies.
//!
//! Block mappings and lists of plain and quoted scalars and of flow collections, each on one line.
//! Whatever could mean something else (escapes, anchors, tags, block scalars, a value that goes on in
//! the next line, a key written twice, tabs, rare characters) ends the attempt, and the full parser
//! decides. So this reader never reports anything, and where it answers, all parsers agree; a test
//! with generated texts holds it against two of them.

use std::ops::Range;

use super::node::Text;
use super::{Kind, Node};

/// Lists and mappings inside each other; beyond it the full parser decides.
const DEEPEST: usize = 40;
/// Parsers give up on longer keys at different lengths.
const LONGEST_KEY: usize = 128;

/// The tree, if the text keeps to the part of YAML that is read here.
pub(super) fn parse(text: &str, base: usize) -> Option<Node<'_>> {
    if !text.bytes().all(is_usual) && !usual_characters(text) {
        return None;
    }
    let mut reader = Reader {
        text,
        base,
        at: 0,
        nodes: Vec::new(),
    };
    let indent = reader.next_line()?;
    let root = reader.block(indent, 0)?;
    // What is left over is no part of the value.
    reader.next_line().is_none().then_some(root)
}

fn is_usual(byte: u8) -> bool {
    matches!(byte, b'\n' | b' '..=b'~')
}

/// Letters of all languages; no control, line-breaking or invisible-blank character.
fn usual_characters(text: &str) -> bool {
    text.chars().all(|c| match c {
        '\n' | ' '..='~' => true,
        '\0'..='\u{A0}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => false,
        _ => true,
    })
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
    /// The first byte that was not read yet.
    at: usize,
    /// Items and keys with values of the collections that are open, the innermost last.
    nodes: Vec<Node<'a>>,
}

impl<'a> Reader<'a> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn slice(&self, range: Range<usize>) -> Option<&'a str> {
        self.text.get(range)
    }

    /// Goes to the next line with content, unless the present position is one, and gives its
    /// indent; `None` at the end.
    fn next_line(&mut self) -> Option<usize> {
        loop {
            let start = self.at;
            let mut at = start;
            while self.byte(at) == Some(b' ') {
                at += 1;
            }
            match self.byte(at) {
                None => {
                    self.at = at;
                    return None;
                }
                Some(b'\n') => self.at = at + 1,
                Some(b'#') => self.at = self.line_end(at) + 1,
                Some(_) => {
                    self.at = at;
                    return Some(at - start);
                }
            }
        }
    }

    /// The indent of the next line with content, without going there; 0 at the end.
    ///
    /// Called only at the beginning of a line.
    fn peek_indent(&mut self) -> Option<usize> {
        let indent = self.next_line()?;
        self.at -= indent;
        Some(indent)
    }

    fn line_end(&self, from: usize) -> usize {
        self.text
            .as_bytes()
            .get(from..)
            .and_then(|rest| rest.iter().position(|byte| *byte == b'\n'))
            .map_or(self.text.len(), |found| from + found)
    }

    /// A block collection whose first character is at the position, in this column.
    fn block(&mut self, column: usize, depth: usize) -> Option<Node<'a>> {
        if depth > DEEPEST {
            return None;
        }
        if self.byte(self.at) == Some(b'-') && self.byte(self.at + 1) == Some(b' ') {
            self.block_list(column, depth)
        } else {
            self.block_map(column, depth)
        }
    }

    fn block_list(&mut self, column: usize, depth: usize) -> Option<Node<'a>> {
        let start = self.at;
        let first = self.nodes.len();
        let mut end;
        loop {
            // At a dash.
            let mut at = self.at + 1;
            while self.byte(at) == Some(b' ') {
                at += 1;
            }
            let inner = column + (at - self.at);
            self.at = at;
            let item = match self.byte(at)? {
                b'"' | b'\'' | b'[' | b'{' => self.value(column, depth)?,
                _ if self.key_end().is_some() => self.block_map(inner, depth + 1)?,
                _ => self.value(column, depth)?,
            };
            end = item.span.end - self.base;
            self.nodes.push(item);
            match self.peek_indent() {
                Some(indent) if indent == column => {
                    self.at += indent;
                    if self.byte(self.at) != Some(b'-') || self.byte(self.at + 1) != Some(b' ') {
                        // A key beside the list belongs to the mapping around it.
                        self.at -= indent;
                        break;
                    }
                }
                Some(indent) if indent > column => return None,
                _ => break,
            }
        }
        Some(self.list(first, start..end))
    }

    fn block_map(&mut self, column: usize, depth: usize) -> Option<Node<'a>> {
        if depth > DEEPEST {
            return None;
        }
        let start = self.at;
        let first = self.nodes.len();
        let mut end;
        loop {
            let key_end = self.key_end()?;
            let key = Text::Written(self.slice(self.at..key_end)?);
            let key = Node::scalar(key, true, self.span(self.at..key_end));
            self.nodes.push(key);
            self.at = key_end + 1;
            while self.byte(self.at) == Some(b' ') {
                self.at += 1;
            }
            let value = match self.byte(self.at)? {
                b'\n' | b'#' => {
                    self.at = self.line_end(self.at) + 1;
                    let indent = self.peek_indent()?;
                    let is_list = self.byte(self.at + indent) == Some(b'-');
                    if indent < column || (indent == column && !is_list) {
                        // Nothing is written; the full parser knows where nothing is.
                        return None;
                    }
                    self.at += indent;
                    self.block(indent, depth + 1)?
                }
                _ => self.value(column, depth)?,
            };
            end = value.span.end - self.base;
            self.nodes.push(value);
            match self.peek_indent() {
                Some(indent) if indent == column => {
                    self.at += indent;
                    if self.byte(self.at) == Some(b'-') {
                        return None;
                    }
                }
                Some(indent) if indent > column => return None,
                _ => break,
            }
        }
        self.map(first, start..end)
    }

    /// The colon behind a plain key at the position, if there is one in this line.
    fn key_end(&self) -> Option<usize> {
        if !self.starts_plain(self.at) {
            return None;
        }
        let bytes = self.text.as_bytes().get(self.at..)?;
        let mut before = 0;
        for (length, byte) in bytes.iter().enumerate().take(LONGEST_KEY) {
            match byte {
                b'\n' => return None,
                b'#' if before == b' ' => return None,
                b':' if matches!(bytes.get(length + 1), None | Some(b' ' | b'\n')) => {
                    return (before != b' ').then_some(self.at + length);
                }
                _ => before = *byte,
            }
        }
        None
    }

    /// Whether a plain scalar can begin here.
    fn starts_plain(&self, at: usize) -> bool {
        match self.byte(at) {
            Some(b'-') => self.byte(at + 1).is_some_and(|next| {
                next.is_ascii_alphanumeric()
                    // Three dashes may be the end of the document.
                    && next != b'-'
            }),
            Some(byte) => {
                byte > b' '
                    && !matches!(
                        byte,
                        b'?' | b':'
                            | b','
                            | b'['
                            | b']'
                            | b'{'
                            | b'}'
                            | b'#'
                            | b'&'
                            | b'*'
                            | b'!'
                            | b'|'
                            | b'>'
                            | b'\''
                            | b'"'
                            | b'%'
                            | b'@'
                            | b'`'
                            | b'.'
                    )
            }
            None => false,
        }
    }

    /// A scalar or flow collection that ends with its line; the next line must not continue it.
    fn value(&mut self, column: usize, depth: usize) -> Option<Node<'a>> {
        let node = match self.byte(self.at)? {
            quote @ (b'"' | b'\'') => self.quoted(quote)?,
            b'[' => self.flow_list(depth)?,
            b'{' => self.flow_map(depth)?,
            _ => self.plain_line()?,
        };
        let mut blank = false;
        while self.byte(self.at) == Some(b' ') {
            self.at += 1;
            blank = true;
        }
        match self.byte(self.at) {
            None => {}
            Some(b'\n') => self.at += 1,
            Some(b'#') if blank => self.at = self.line_end(self.at) + 1,
            Some(_) => return None,
        }
        match self.peek_indent() {
            Some(indent) if indent > column => None,
            _ => Some(node),
        }
    }

    /// A plain scalar up to the end of the line or a comment.
    fn plain_line(&mut self) -> Option<Node<'a>> {
        if !self.starts_plain(self.at) {
            return None;
        }
        let start = self.at;
        let bytes = self.text.as_bytes().get(start..)?;
        let mut end = start;
        let mut before = 0;
        for (length, byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' => break,
                b'#' if before == b' ' => break,
                b':' if matches!(bytes.get(length + 1), None | Some(b' ' | b'\n')) => return None,
                b' ' => {}
                _ => end = start + length + 1,
            }
            before = *byte;
        }
        self.at = end;
        let text = Text::Written(self.slice(start..end)?);
        Some(Node::scalar(text, true, self.span(start..end)))
    }

    fn quoted(&mut self, quote: u8) -> Option<Node<'a>> {
        let start = self.at;
        let bytes = self.text.as_bytes().get(start + 1..)?;
        let length = bytes
            .iter()
            .position(|byte| *byte == quote || matches!(byte, b'\\' | b'\n'))?;
        let end = start + 1 + length;
        // A backslash is a character between single quotes, but rare enough to be left.
        if bytes.get(length) != Some(&quote) || bytes.get(length + 1) == Some(&quote) {
            return None;
        }
        self.at = end + 1;
        let text = Text::Written(self.slice(start + 1..end)?);
        Some(Node::scalar(text, false, self.span(start..end + 1)))
    }

    fn skip_blanks(&mut self) {
        while self.byte(self.at) == Some(b' ') {
            self.at += 1;
        }
    }

    fn flow_list(&mut self, depth: usize) -> Option<Node<'a>> {
        let start = self.at;
        let first = self.nodes.len();
        self.at += 1;
        self.skip_blanks();
        if self.byte(self.at) == Some(b']') {
            self.at += 1;
            return Some(self.list(first, start..self.at));
        }
        loop {
            let item = self.flow_value(depth)?;
            self.nodes.push(item);
            self.skip_blanks();
            let byte = self.byte(self.at)?;
            self.at += 1;
            match byte {
                b',' => self.skip_blanks(),
                b']' => return Some(self.list(first, start..self.at)),
                _ => return None,
            }
        }
    }

    fn flow_map(&mut self, depth: usize) -> Option<Node<'a>> {
        let start = self.at;
        let first = self.nodes.len();
        self.at += 1;
        self.skip_blanks();
        if self.byte(self.at) == Some(b'}') {
            self.at += 1;
            return self.map(first, start..self.at);
        }
        loop {
            let key = match self.byte(self.at)? {
                quote @ (b'"' | b'\'') => self.quoted(quote)?,
                _ => self.flow_plain()?,
            };
            if key.span.len() > LONGEST_KEY {
                return None;
            }
            self.nodes.push(key);
            if self.byte(self.at) != Some(b':') || self.byte(self.at + 1) != Some(b' ') {
                return None;
            }
            self.at += 1;
            self.skip_blanks();
            let value = self.flow_value(depth)?;
            self.nodes.push(value);
            self.skip_blanks();
            let byte = self.byte(self.at)?;
            self.at += 1;
            match byte {
                b',' => self.skip_blanks(),
                b'}' => return self.map(first, start..self.at),
                _ => return None,
            }
        }
    }

    fn flow_value(&mut self, depth: usize) -> Option<Node<'a>> {
        if depth > DEEPEST {
            return None;
        }
        match self.byte(self.at)? {
            quote @ (b'"' | b'\'') => self.quoted(quote),
            b'[' => self.flow_list(depth + 1),
            b'{' => self.flow_map(depth + 1),
            _ => self.flow_plain(),
        }
    }

    /// A plain scalar inside brackets. A colon is part of it only between two letters or digits.
    fn flow_plain(&mut self) -> Option<Node<'a>> {
        if !self.starts_plain(self.at) {
            return None;
        }
        let start = self.at;
        let bytes = self.text.as_bytes().get(start..)?;
        let mut end = start;
        for (length, byte) in bytes.iter().enumerate() {
            match byte {
                b',' | b']' | b'}' => break,
                b':' if bytes.get(length + 1) == Some(&b' ') => break,
                b':' if !bytes.get(length + 1).is_some_and(u8::is_ascii_alphanumeric) => {
                    return None;
                }
                b'\n' | b'[' | b'{' | b'#' | b'?' => return None,
                b' ' => {}
                _ => end = start + length + 1,
            }
        }
        self.at = end;
        let text = Text::Written(self.slice(start..end)?);
        Some(Node::scalar(text, true, self.span(start..end)))
    }

    fn span(&self, range: Range<usize>) -> Range<usize> {
        self.base + range.start..self.base + range.end
    }

    /// The nodes from `first` on, as a list.
    fn list(&mut self, first: usize, range: Range<usize>) -> Node<'a> {
        let items: std::rc::Rc<[Node<'a>]> = self.nodes.drain(first..).collect();
        let size = items.iter().map(|item| item.size).sum::<u64>() + 1;
        Node {
            span: self.span(range),
            kind: Kind::List(items),
            size,
        }
    }

    /// The nodes from `first` on, in pairs; `None` for keys that the full parser has to look at.
    fn map(&mut self, first: usize, range: Range<usize>) -> Option<Node<'a>> {
        let mut size = 1;
        let mut entries = Vec::with_capacity((self.nodes.len() - first) / 2);
        let mut nodes = self.nodes.drain(first..);
        while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
            size += key.size + value.size;
            entries.push((key, value));
        }
        drop(nodes);
        if entries.len() > 64 {
            return None;
        }
        for (number, (key, _)) in entries.iter().enumerate() {
            let text = key.scalar_text()?;
            let before = entries.get(..number)?;
            if text == "<<"
                || before
                    .iter()
                    .any(|(other, _)| other.scalar_text() == Some(text))
            {
                return None;
            }
        }
        Some(Node {
            span: self.span(range),
            kind: Kind::Map(entries.into()),
            size,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::super::build::parse_events;
    use super::*;

    /// Where the quick reader answers, the full ones give the same answer.
    fn agrees(text: &str) -> Option<()> {
        let quick = parse(text, 7)?;
        let full = parse_events(text, 7).unwrap_or_else(|fault| panic!("{fault:?} in {text:?}"));
        assert!(full.faults.is_empty(), "{:?} in {text:?}", full.faults);
        let full = full.root.unwrap();
        let comments = text.contains('#');
        assert_same(&quick, &full, comments, text);
        serde_yaml::from_str::<IgnoredAny>(text)
            .unwrap_or_else(|error| panic!("{error} in {text:?}"));
        Some(())
    }

    /// The places may differ a little: comments behind a collection or a quoted scalar count as a
    /// part of it for the full parser, and the first dash of a list beside its key does not.
    fn assert_same(one: &Node<'_>, other: &Node<'_>, comments: bool, text: &str) {
        assert_eq!(one.size, other.size, "{text:?}");
        let starts = [0, 2, 3, 4, 5, 6, 7].map(|more| one.span.start + more);
        let is_list = matches!(one.kind, Kind::List(_));
        assert!(
            starts.contains(&other.span.start),
            "{one:?} {other:?} {text:?}"
        );
        assert!(
            is_list || one.span.start == other.span.start,
            "{one:?} {other:?} {text:?}"
        );
        match (&one.kind, &other.kind) {
            (Kind::Scalar { text: a, plain: p }, Kind::Scalar { text: b, plain: q }) => {
                assert_eq!((&**a, p), (&**b, q), "{text:?}");
                assert!(
                    comments || one.span == other.span,
                    "{one:?} {other:?} {text:?}"
                );
            }
            (Kind::List(a), Kind::List(b)) => {
                assert!(
                    comments || one.span.end == other.span.end,
                    "{one:?} {other:?} {text:?}"
                );
                assert_eq!(a.len(), b.len(), "{text:?}");
                for (a, b) in a.iter().zip(b.iter()) {
                    assert_same(a, b, comments, text);
                }
            }
            (Kind::Map(a), Kind::Map(b)) => {
                assert!(
                    comments || one.span == other.span,
                    "{one:?} {other:?} {text:?}"
                );
                assert_eq!(a.len(), b.len(), "{text:?}");
                for ((ka, va), (kb, vb)) in a.iter().zip(b.iter()) {
                    assert_same(ka, kb, comments, text);
                    assert_same(va, vb, comments, text);
                }
            }
            _ => panic!("{one:?} and {other:?} in {text:?}"),
        }
    }

    #[test]
    fn the_usual_files_are_read() {
        for text in [
            "name: a-b\ndescription: \"Does: it\"\nmetadata:\n  dcc-mcp:\n    tags: [a, b c]\n    tools: tools.yaml\n",
            "tools:\n  - name: x # first\n    input_schema:\n      type: object\n      properties:\n        r: {type: number, minimum: 0}\n  # comment\n  - y\n",
            "tools:\n- name: x\n- name: y\ngroups:\n- name: z\n  tools: []\n",
            "说明: 创建球体\nversion: 1.0\nurl: http://a.b/c#d\n",
            "a: 'single'\n\n\nb: {}\n",
            "a:\n  - [1, 2]\n  - {b: [c, {d: e}]}\n",
        ] {
            assert_eq!(agrees(text), Some(()), "{text}");
        }
    }

    #[test]
    fn what_is_left_to_the_full_parser() {
        for text in [
            "",
            "a",
            "- ",
            "a:\n",
            "a: b\n  c\n",
            "a: &x b\n",
            "a: *x\n",
            "a: |\n  b\n",
            "a: >\n  b\n",
            "a: !!str b\n",
            "a: b: c\n",
            "a: \"x\\n\"\n",
            "a: 'it''s'\n",
            "a: [b\n",
            "a: b\n---\n",
            "a: b\na: c\n",
            "<<: b\n",
            "a:\tb\n",
            "a: b\r\n",
            "a: [b: c]\n",
            "a: [b, ]\n",
            "a: {b}\n",
            "a: \"b\" c\n",
            "%YAML 1.2\n",
            "a: b\n c: d\n",
            "- a\n- - b\n",
            "a: \u{A0}b\n",
            "--- \na: b\n",
            "... \n",
            "a : b\n",
            "a: b\n...\n",
        ] {
            assert!(parse(text, 0).is_none(), "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn all_readers_agree(lines in proptest::collection::vec(
            "( {0,6}(- )?[a-c]{1,2}:?( [a-c]| \"[a-c:# -]{0,4}\"| '[a-c,]{0,3}'| \\[[a-c, :'\"]{0,6}\\]| \\{[a-c]: [a-c1-9.-]{1,3}(, [b-d]: [a-c \\[\\]]{1,4})?\\}| [-a-c:#?,.]{1,5})?( #c)?| *#.*|)\n", 0..9,
        )) {
            agrees(&lines.concat());
        }

        #[test]
        fn any_text_is_read_alike(text in "[ab:\\- \n\"'\\[\\]{},#?.&*]{0,24}") {
            agrees(&text);
        }
    }
}
