//! What of a SKILL.md is not front matter: the bytes before it, and the beginning of the body.

use metier_diagnostics::{Diagnostic, Location};

use crate::codes;
use crate::findings::Findings;
use crate::parse::SKILL_FILE;
use crate::skill_file::Split;

/// How much of a body is read at a scan, in bytes.
pub(crate) const BODY_LIMIT: usize = 32 * 1024;
/// How much of it is kept for the index, in characters.
const EXCERPT: usize = 8000;

/// What stands before the front matter, and how the file is called.
pub(crate) fn first_bytes(
    findings: &mut Findings<'_>,
    parts: &Split<'_>,
    file_name: &str,
    not_served: &mut Option<String>,
) {
    let mut reason = None;
    if parts.blank_lines {
        findings
            .warning(
                codes::BLANK_LINES_FIRST,
                &(0..0),
                "blank lines stand before the front matter; other hosts will not find it",
            )
            .help("put `---` on line 1");
        reason = Some("blank lines stand before its front matter".to_owned());
    }
    if parts.mark {
        findings
            .warning(
                codes::BYTE_ORDER_MARK,
                &(0..0),
                "the file begins with a byte order mark; other hosts will not find the front matter",
            )
            .help("save the file as UTF-8 without a byte order mark");
        reason = Some("its file begins with a byte order mark".to_owned());
    }
    if file_name != SKILL_FILE {
        findings
            .fault(
                codes::SKILL_FILE_NAME,
                &(0..0),
                format!(
                    "the file is named `{file_name}`, but it must be named exactly `{SKILL_FILE}`"
                ),
            )
            .help(format!("rename it to {SKILL_FILE}"));
        reason = Some(format!(
            "its file is named `{file_name}` instead of `{SKILL_FILE}`"
        ));
    }
    if reason.is_some() {
        *not_served = reason;
    }
}

/// The beginning of the body, as text.
pub(crate) fn body_excerpt(
    findings: &mut Findings<'_>,
    bytes: &[u8],
    start: usize,
    whole: bool,
) -> String {
    let body = bytes.get(start..).unwrap_or_default();
    let (body, whole) = match body.get(..BODY_LIMIT) {
        Some(cut) => (cut, false),
        None => (body, whole),
    };
    let text = match std::str::from_utf8(body) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            // A cut inside a character is ours, not the author's.
            let cut = !whole && error.error_len().is_none();
            if !cut {
                let at = start + error.valid_up_to();
                let message = format!("the body is not UTF-8 (byte {at})");
                let place = Location::in_bytes(findings.whole().file, bytes, at..at);
                findings.push(
                    Diagnostic::warning(codes::BODY_NOT_UTF8, message)
                        .at(place, "")
                        .help("save the file as UTF-8"),
                );
            }
            String::from_utf8_lossy(
                body.get(..if cut { error.valid_up_to() } else { body.len() })
                    .unwrap_or_default(),
            )
            .into_owned()
        }
    };
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}
