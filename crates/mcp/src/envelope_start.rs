//! The id of a message of which only the beginning is there.

use crate::RawId;

/// The id of a request that was too long to be read, if it stands in these first bytes.
///
/// Nearly every client writes it ahead of the parameters. Where it is not certain that the message is a
/// request and not an answer to one of ours, there is none.
///
/// ```
/// use metier_mcp::envelope::id_at_start;
///
/// let first = br#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "a", "argu"#;
/// assert_eq!(id_at_start(first).unwrap().as_json(), "7");
/// assert!(id_at_start(br#"{"id": 7, "result": {"#).is_none());
/// ```
pub fn id_at_start(bytes: &[u8]) -> Option<RawId> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The end may be in the midst of a character.
        Err(error) => std::str::from_utf8(bytes.get(..error.valid_up_to())?).ok()?,
    };
    let mut rest = text
        .trim_start_matches('\u{FEFF}')
        .trim_start()
        .strip_prefix('{')?;
    let mut id = None;
    let mut is_request = false;
    while let Some((name, value)) = next_name(rest) {
        is_request |= matches!(name, "\"method\"" | "\"params\"");
        let Some(end) = value_end(value) else {
            break;
        };
        let (value, after) = value.split_at(end);
        match name {
            "\"result\"" | "\"error\"" => return None,
            // Of two nobody knows which is meant.
            "\"id\"" if id.is_some() => return None,
            "\"id\"" => id = Some(RawId::new(value.trim_end())?),
            _ => {}
        }
        let Some(after) = after.trim_start().strip_prefix(',') else {
            break;
        };
        rest = after;
    }
    id.filter(|_| is_request)
}

/// A member's name with its quotes, and the text from its value on.
fn next_name(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (name, rest) = text.split_at(string_end(text)?);
    let value = rest.trim_start().strip_prefix(':')?;
    Some((name, value.trim_start()))
}

/// The length of a value that is there as a whole; what follows it must be there as well.
fn value_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        match rest.bytes().next()? {
            b'"' => at += string_end(rest)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b',' | b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            _ => at += rest.chars().next()?.len_utf8(),
        }
    }
}

/// The length of a string with its quotes.
fn string_end(text: &str) -> Option<usize> {
    let mut inside = text.strip_prefix('"')?.bytes().enumerate();
    while let Some((n, byte)) = inside.next() {
        match byte {
            b'\\' => _ = inside.next(),
            b'"' => return Some(n + 2),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<String> {
        id_at_start(text.as_bytes()).map(|id| id.as_json().to_owned())
    }

    #[test]
    fn an_id_is_told_only_where_it_is_certain() {
        for (text, found) in [
            (r#"{"id":"a\"b","method":"x","params":{"#, Some(r#""a\"b""#)),
            (
                r#" {"jsonrpc":"2.0","params":{"id":1,"b":["}"]},"id":2,"method":"#,
                Some("2"),
            ),
            (r#"{"id":1,"params":{"#, Some("1")),
            (r#"{"id":12"#, None),
            (r#"{"id":1,"id":2,"method":"x","#, None),
            (r#"{"id":1,"result":{"#, None),
            (r#"{"id":null,"method":"x","#, None),
            (r#"{"params":{"id":1"#, None),
            (r#"[{"id":1,"#, None),
            ("", None),
        ] {
            assert_eq!(id(text).as_deref(), found, "{text}");
        }
        assert_eq!(
            id_at_start(b"{\"id\":1,\"method\":\"x\",\"a\":\"\xc3")
                .unwrap()
                .as_json(),
            "1"
        );
    }
}
