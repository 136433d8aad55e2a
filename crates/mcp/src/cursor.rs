//! Cursors of lists that are sorted by a key: each names the last entry seen, so that a walk goes on
//! where it was although the list has changed meanwhile.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::error::McpError;

/// A cursor of one list. The checksum tells one that was given from one that was made up.
pub(crate) fn after(list: &str, last: &str) -> String {
    let body = format!("{list}\n{last}");
    let mut bytes = checksum(&body).to_vec();
    bytes.extend_from_slice(body.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The last entry seen; the empty text for the beginning of the list.
pub(crate) fn last_seen(list: &str, cursor: Option<&str>) -> Result<String, McpError> {
    let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else {
        return Ok(String::new());
    };
    let read = || {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (sum, body) = bytes.split_first_chunk::<4>()?;
        let body = std::str::from_utf8(body).ok()?;
        let (name, last) = body.split_once('\n')?;
        (*sum == checksum(body) && name == list).then(|| last.to_owned())
    };
    read().ok_or_else(|| {
        McpError::invalid_params(
            "invalid params: cursor is none that this server gave; list again without a cursor",
        )
    })
}

fn checksum(body: &str) -> [u8; 4] {
    let digest = Sha256::digest(body.as_bytes());
    digest.first_chunk::<4>().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_into_its_own_list_alone() {
        let cursor = after("skills", "a/b");
        assert_eq!(last_seen("skills", Some(&cursor)).unwrap(), "a/b");
        assert_eq!(last_seen("skills", Some("")).unwrap(), "");
        assert_eq!(last_seen("skills", None).unwrap(), "");
        for (list, cursor) in [
            ("prompts", cursor.as_str()),
            ("skills", "x"),
            ("skills", &cursor[1..]),
        ] {
            assert_eq!(last_seen(list, Some(cursor)).unwrap_err().code, -32602);
        }
    }
}
