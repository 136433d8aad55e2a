//! Characters that are written by their number or name, as HTML does: models read `&#105;gnore` as a browser shows it.

use unicode_normalization::char::compose;

/// Whether there may be one in a text.
pub(crate) fn may_be_in(text: &str) -> bool {
    let mut marks = text.match_indices('&');
    marks.any(|(at, _)| {
        let rest = text.get(at..).unwrap_or_default();
        rest.starts_with("&#") || read(rest).is_some()
    })
}

/// Longer numbers name no character.
const LONGEST: usize = 8;
/// Longer names are none of those below.
const LONGEST_NAME: usize = 16;

/// The character that a text begins with, written so, and how many bytes that takes.
pub(crate) fn read(text: &str) -> Option<(char, usize)> {
    let Some(number) = text.strip_prefix("&#") else {
        return read_name(text);
    };
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

/// One that is written by its name. A name that is not known stays as it is.
fn read_name(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('&')?;
    let mut bytes = rest.bytes().take(LONGEST_NAME + 1);
    let end = bytes.position(|byte| !byte.is_ascii_alphanumeric())?;
    let (name, behind) = rest.split_at_checked(end)?;
    behind.starts_with(';').then_some(())?;
    Some((named(name).or_else(|| letter(name))?, name.len() + 2))
}

/// What separates words and commands, and what takes no place between letters.
fn named(name: &str) -> Option<char> {
    Some(match name {
        "amp" | "AMP" => '&',
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "quot" | "QUOT" => '"',
        "apos" => '\'',
        "period" => '.',
        "comma" => ',',
        "colon" => ':',
        "semi" => ';',
        "excl" => '!',
        "quest" => '?',
        "num" => '#',
        "dollar" => '$',
        "percnt" => '%',
        "commat" => '@',
        "ast" | "midast" => '*',
        "plus" => '+',
        "equals" => '=',
        "hyphen" | "dash" => '-',
        "lowbar" | "UnderBar" => '_',
        "sol" => '/',
        "bsol" => '\\',
        "vert" | "verbar" | "VerticalLine" => '|',
        "grave" | "DiacriticalGrave" => '`',
        "lpar" => '(',
        "rpar" => ')',
        "lsqb" | "lbrack" => '[',
        "rsqb" | "rbrack" => ']',
        "lcub" | "lbrace" => '{',
        "rcub" | "rbrace" => '}',
        "Tab" => '\t',
        "NewLine" => '\n',
        "nbsp" | "NonBreakingSpace" => '\u{A0}',
        "ensp" => '\u{2002}',
        "emsp" => '\u{2003}',
        "thinsp" | "ThinSpace" => '\u{2009}',
        "hairsp" | "VeryThinSpace" => '\u{200A}',
        "shy" => '\u{AD}',
        "ZeroWidthSpace" => '\u{200B}',
        "zwnj" => '\u{200C}',
        "zwj" => '\u{200D}',
        "lrm" => '\u{200E}',
        "rlm" => '\u{200F}',
        "NoBreak" => '\u{2060}',
        "InvisibleTimes" | "it" => '\u{2062}',
        "InvisibleComma" | "ic" => '\u{2063}',
        _ => return None,
    })
}

/// A letter with its mark (`&iacute;`), or one of the alphabets of mathematics (`&ifr;`), which all look alike here.
fn letter(name: &str) -> Option<char> {
    let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let mark = match name.get(1..)? {
        "fr" | "opf" | "scr" => return Some(letter),
        "grave" => '\u{300}',
        "acute" => '\u{301}',
        "circ" => '\u{302}',
        "tilde" => '\u{303}',
        "macr" => '\u{304}',
        "breve" => '\u{306}',
        "dot" => '\u{307}',
        "uml" => '\u{308}',
        "ring" => '\u{30A}',
        "caron" => '\u{30C}',
        "cedil" => '\u{327}',
        "ogon" => '\u{328}',
        _ => return None,
    };
    compose(letter, mark)
}
