//! Characters that are not what they seem: without width, or with the looks of a Latin letter.

pub use metier_diagnostics::is_invisible;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Whether the character only chooses between text and picture: emoji are full of them.
pub(crate) fn is_emoji_selector(c: char) -> bool {
    matches!(c, '\u{FE0E}' | '\u{FE0F}')
}

/// The Latin letter that a letter of another script looks like.
pub(crate) fn look_alike(c: char) -> Option<char> {
    if !matches!(c, '\u{370}'..='\u{58F}' | '\u{13A0}'..='\u{13FF}') {
        return None;
    }
    Some(match c {
        'а' | 'α' => 'a',
        'в' => 'b',
        'с' => 'c',
        'ԁ' => 'd',
        'е' | 'ё' | 'ε' => 'e',
        'ց' => 'g',
        'һ' | 'н' | 'հ' => 'h',
        'і' | 'ι' | 'Ꭵ' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' => 'l',
        'м' => 'm',
        'п' | 'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' | 'զ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' => 't',
        'υ' | 'ս' => 'u',
        'ν' => 'v',
        'ԝ' => 'w',
        'х' => 'x',
        'у' => 'y',
        'А' | 'Α' | 'Ꭺ' => 'A',
        'В' | 'Β' | 'Ᏼ' => 'B',
        'С' | 'Ꮯ' => 'C',
        'Ꭰ' => 'D',
        'Е' | 'Ε' | 'Ꭼ' => 'E',
        'Ꮐ' => 'G',
        'Н' | 'Η' | 'Ꮋ' => 'H',
        'І' | 'Ι' | 'Ӏ' => 'I',
        'Ј' | 'Ꭻ' => 'J',
        'К' | 'Κ' | 'Ꮶ' => 'K',
        'Ꮮ' | 'Լ' => 'L',
        'М' | 'Μ' | 'Ꮇ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' | 'Օ' => 'O',
        'Р' | 'Ρ' | 'Ꮲ' => 'P',
        'Ꭱ' | 'Ꮢ' => 'R',
        'Ѕ' | 'Տ' | 'Ꮪ' => 'S',
        'Т' | 'Τ' | 'Ꭲ' => 'T',
        'Ս' => 'U',
        'Ꮩ' => 'V',
        'Ꮃ' => 'W',
        'Х' | 'Χ' => 'X',
        'Υ' => 'Y',
        'Ζ' | 'Ꮓ' => 'Z',
        _ => return None,
    })
}

/// The letter, digit or mark of ASCII of which a character is another form: with an accent, raised, a small capital, in a
/// circle or a square, full-width, of mathematics.
pub(crate) fn plain_form(c: char) -> Option<char> {
    let counted = |first: char, a: char| {
        let number = u32::from(c) - u32::from(first);
        char::from_u32(u32::from(a) + number)
    };
    match c {
        '\u{249C}'..='\u{24B5}' => counted('\u{249C}', 'a'),
        '\u{1F110}'..='\u{1F129}' => counted('\u{1F110}', 'A'),
        '\u{1F150}'..='\u{1F169}' => counted('\u{1F150}', 'A'),
        '\u{1F170}'..='\u{1F189}' => counted('\u{1F170}', 'A'),
        '\u{1F1E6}'..='\u{1F1FF}' => counted('\u{1F1E6}', 'A'),
        // Those of Western Europe, which are frequent, stand first in each.
        'à'..='å' | 'ᴀ' | 'ɑ' => Some('a'),
        'ʙ' => Some('b'),
        'ç' | 'ᴄ' => Some('c'),
        'ᴅ' | 'đ' => Some('d'),
        'è'..='ë' | 'ᴇ' => Some('e'),
        'ꜰ' => Some('f'),
        'ɢ' | 'ɡ' => Some('g'),
        'ʜ' | 'ħ' => Some('h'),
        'ì'..='ï' | 'ɪ' | 'ı' | 'ɩ' => Some('i'),
        'ᴊ' | 'ȷ' => Some('j'),
        'ᴋ' => Some('k'),
        'ʟ' | 'ł' => Some('l'),
        'ᴍ' => Some('m'),
        'ñ' | 'ɴ' => Some('n'),
        'ò'..='ö' | 'ᴏ' | 'ø' | 'Ø' => Some('o'),
        'ᴘ' => Some('p'),
        'ʀ' => Some('r'),
        'ꜱ' => Some('s'),
        'ᴛ' | 'ŧ' => Some('t'),
        'ù'..='ü' | 'ᴜ' => Some('u'),
        'ᴠ' => Some('v'),
        'ᴡ' => Some('w'),
        'ý' | 'ÿ' | 'ʏ' => Some('y'),
        'ᴢ' => Some('z'),
        '\u{AA}'
        | '\u{BA}'
        | '\u{C0}'..='\u{24F}'
        | '\u{2B0}'..='\u{2B8}'
        | '\u{2E0}'..='\u{2E3}'
        | '\u{1D2C}'..='\u{1DBF}'
        | '\u{1E00}'..='\u{1EFF}'
        | '\u{2070}'..='\u{209C}'
        | '\u{2100}'..='\u{214F}'
        | '\u{2160}'..='\u{217F}'
        | '\u{2460}'..='\u{24E9}'
        | '\u{2C7C}'
        | '\u{FF01}'..='\u{FF5E}'
        | '\u{1D400}'..='\u{1D7FF}'
        | '\u{1F130}'..='\u{1F149}' => {
            let mut parts = std::iter::once(c).nfkd();
            let first = parts.next().filter(char::is_ascii)?;
            parts.all(is_combining_mark).then_some(first)
        }
        _ => None,
    }
}
