//! What stands inside one line: quoted text and collections in brackets.

use super::super::Node;
use super::super::node::Text;
use super::{DEEPEST, LONGEST_KEY, Reader};

impl<'a> Reader<'a> {
    pub(super) fn quoted(&mut self, quote: u8) -> Option<Node<'a>> {
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

    pub(super) fn flow_list(&mut self, depth: usize) -> Option<Node<'a>> {
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

    pub(super) fn flow_map(&mut self, depth: usize) -> Option<Node<'a>> {
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
}
