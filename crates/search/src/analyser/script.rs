//! What a character is to the analyser.

use unicode_normalization::char::is_combining_mark;

/// Scripts that are written without blanks, or whose words take many endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Han,
    Hiragana,
    Katakana,
    Hangul,
}

/// What a character is to the analyser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter or digit of a script with blanks between its words.
    Word,
    /// A mark that belongs to the letter before it.
    Mark,
    /// A character that pairs are built from.
    Gram(Script),
    /// A boundary.
    Other,
}

impl Class {
    pub(super) fn is_searchable(self) -> bool {
        matches!(self, Self::Word | Self::Gram(_))
    }
}

pub(super) fn class(character: char) -> Class {
    if character.is_ascii() {
        return if character.is_ascii_alphanumeric() {
            Class::Word
        } else {
            Class::Other
        };
    }
    match character {
        '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}'
        | '々'
        | '〆'
        | '〇' => Class::Gram(Script::Han),
        '\u{3041}'..='\u{309F}' => Class::Gram(Script::Hiragana),
        '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' => {
            Class::Gram(Script::Katakana)
        }
        '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7AF}' => {
            Class::Gram(Script::Hangul)
        }
        _ if is_combining_mark(character) => Class::Mark,
        _ if character.is_alphanumeric() => Class::Word,
        _ => Class::Other,
    }
}
