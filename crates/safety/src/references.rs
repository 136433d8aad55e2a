//! Characters that are written by their number, as HTML does: models read `&#105;gnore` as a browser shows it.

/// Whether there may be one in a text.
pub(crate) fn may_be_in(text: &str) -> bool {
    text.contains("&#") || text.contains(NO_BREAK)
}

const NO_BREAK: &str = "&nbsp;";
/// Longer numbers name no character.
const LONGEST: usize = 8;

/// The character that a text begins with, written so, and how many bytes that takes.
pub(crate) fn read(text: &str) -> Option<(char, usize)> {
    if text.starts_with(NO_BREAK) {
        return Some(('\u{A0}', NO_BREAK.len()));
    }
    let number = text.strip_prefix("&#")?;
    let (hex, base) = match number.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16),
        None => (number, 10),
    };
    let end = hex
        .bytes()
        .take(LONGEST + 1)
        .position(|byte| byte == b';')?;
    let digits = hex.get(..end)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let code = u32::from_str_radix(digits, base)
        .ok()
        .filter(|_| is_number)?;
    let length = text.len() - hex.len() + end + 1;
    Some((char::from_u32(code)?, length))
}
