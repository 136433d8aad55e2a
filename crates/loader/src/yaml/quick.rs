//! The part of YAML that nearly every file keeps to, read in one pass without tokens and copies.
//!
//! Block mappings and lists of plain and quoted scalars and of flow collections, each on one line.
//! Whatever could mean something else (escapes, anchors, tags, block scalars, a value that goes on in
//! the next line, a key written twice, tabs, rare characters) ends the attempt, and the full parser
//! decides. So this reader never reports anything, and where it answers, all parsers agree; a test
//! with generated texts holds it against two of them.

mod flow;

use std::ops::Range;

use super::node::Text;
use super::{Kind, Node};

/// Lists and mappings inside each other; beyond it the full parser decides.
const DEEPEST: usize = 40;
/// Parsers give up on longer keys at different lengths.
const LONGEST_KEY: usize = 128;
/// Room for the keys and values of the collections that are open at once in an ordinary file.
const EXPECTED_OPEN: usize = 16;

/// The tree, if the text keeps to the part of YAML that is read here.
pub(super) fn parse(text: &str, base: usize) -> Option<Node<'_>> {
    if !text.bytes().all(is_usual) && !usual_characters(text) {
        return None;
    }
    let mut reader = Reader {
        text,
        base,
        at: 0,
        nodes: Vec::with_capacity(EXPECTED_OPEN),
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
        let count = (self.nodes.len() - first) / 2;
        let mut nodes = self.nodes.drain(first..);
        let mut next = || {
            let node = nodes.next();
            node.unwrap_or_else(|| Node::scalar(Text::Written(""), true, 0..0))
        };
        // Of a length that is known, so that they come into their place at once.
        let entries: std::rc::Rc<[_]> = (0..count).map(|_| (next(), next())).collect();
        drop(nodes);
        let sizes = entries.iter().map(|(key, value)| key.size + value.size);
        let size = sizes.sum::<u64>() + 1;
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
            kind: Kind::Map(entries),
            size,
        })
    }
}

#[cfg(test)]
mod tests;
