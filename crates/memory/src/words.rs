//! A text, word by word: which of them name a secret, and which are one.

use crate::secrets::{
    folded, is_key_name, is_known_secret, is_name_of_a_line, is_password_name, is_secret_name,
    looks_like_key, looks_like_password,
};

/// Stands where something was.
pub(crate) const GONE: &str = "[redacted]";

const LONGEST_TEXT: usize = 512;

/// A name of a program has no more characters and words than these.
const LONGEST_NAME: usize = 64;
const MOST_WORDS: usize = 6;

/// The second words of names that are written as two.
const SECOND_WORDS: [&str; 5] = ["key", "pass", "word", "phrase", "code"];

/// What stands between words. A colon of full width separates as the plain one does.
fn separates(letter: char) -> bool {
    letter.is_whitespace() || "\"'`,;()[]{}<>|→：".contains(letter)
}

/// What the words before say of the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// It may be a name: `"password"` in front of a colon. Without one, a blank may part it from its value.
    Name(Kind),
    /// The next word is the value, or the first word of it.
    Value(Kind, Extent),
    /// It belongs to a value that is gone.
    Gone(End),
}

/// What a name says of its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is a secret.
    Secret,
    /// So it is, and one that people choose.
    Password,
    /// It is the rest of the line, as all cookies of a request are.
    Line,
    /// It is a key of some sort, and its look decides.
    Key,
}

/// How much belongs to a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// A word, as behind an option.
    Word,
    /// As much as the name says.
    Whole,
}

/// What ends a value of several words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Quote(char),
    /// Any sign but a blank, or the next name.
    Phrase,
    Line,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        if is_name_of_a_line(name) {
            Some(Self::Line)
        } else if is_password_name(name) {
            Some(Self::Password)
        } else if is_secret_name(name) {
            Some(Self::Secret)
        } else {
            is_key_name(name).then_some(Self::Key)
        }
    }

    /// Of a name that may be two words, as `API KEY` is.
    fn of_two(last: &str, name: &str) -> Option<Self> {
        let found = Self::of(name);
        let is_second = SECOND_WORDS
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word));
        if is_second && !last.is_empty() && matches!(found, None | Some(Self::Key)) {
            Self::of(&format!("{last} {name}")).or(found)
        } else {
            found
        }
    }

    /// Whether the value goes that stands behind the name and a sign.
    fn hides(self, value: &str) -> bool {
        self != Self::Key || looks_like_key(value)
    }

    /// Whether the word goes that stands behind the name without a sign, as any word of a sentence may.
    fn hides_beside(self, word: &str) -> bool {
        looks_like_key(word) || self != Self::Key && looks_like_password(word)
    }

    /// What ends a value of this kind that begins behind this text.
    fn end(self, kept: &str, extent: Extent) -> Option<End> {
        let quote = kept.chars().next_back().filter(|c| "\"'`".contains(*c));
        match (quote, self, extent) {
            (Some(quote), ..) => Some(End::Quote(quote)),
            (None, Self::Password, Extent::Whole) => Some(End::Phrase),
            (None, Self::Line, Extent::Whole) => Some(End::Line),
            _ => None,
        }
    }
}

impl End {
    fn is(self, rest: &str) -> bool {
        rest.chars().any(|sign| match self {
            Self::Quote(quote) => sign == quote,
            Self::Phrase => sign == '\n' || !sign.is_whitespace() && sign != '：',
            Self::Line => matches!(sign, '\n' | '\r'),
        })
    }

    /// Whether the word is no part of the value any more.
    fn is_before(self, word: &str) -> bool {
        self == Self::Phrase && (word.contains('=') || word.ends_with(':') || word.starts_with('-'))
    }
}

/// Whether a program may be called so: few words of letters and digits, none of which speaks of a secret or looks like one.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || " -_./+()".contains(letter);
    let words: Vec<&str> = name.split(' ').collect();
    let speaks = |last: &str, word: &str| {
        Kind::of_two(
            last,
            word.trim_matches(|letter: char| !letter.is_alphanumeric()),
        )
        .is_some()
    };
    name.strip_prefix('@').unwrap_or(name).chars().all(is_plain)
        && name.chars().count() <= LONGEST_NAME
        && words.len() <= MOST_WORDS
        && !words.iter().any(|word| speaks("", word))
        && !words
            .windows(2)
            .any(|pair| matches!(pair, [last, word] if speaks(last, word)))
        && redacted(name, is_known_secret) == name
}

/// A text as it came when nothing in it has to go; what is a secret only as the text is meant, in letters of full width or
/// in percent, goes from the text as it is meant.
pub(crate) fn redacted(text: &str, is_secret: fn(&str) -> bool) -> String {
    let kept = redacted_as_written(text, is_secret);
    let meant = folded(&kept);
    if *meant == kept {
        return kept;
    }
    let kept_of_meant = redacted_as_written(&meant, is_secret);
    if kept_of_meant == *meant {
        kept
    } else {
        kept_of_meant
    }
}

fn redacted_as_written(text: &str, is_secret: fn(&str) -> bool) -> String {
    let short: String = text.chars().take(LONGEST_TEXT).collect();
    // A block of a key file has its secret on lines of their own.
    if short.contains("-----BEGIN") {
        return GONE.to_owned();
    }
    let mut kept = String::with_capacity(short.len());
    let mut before = Before::Nothing;
    // The word before, where a blank alone parts it from this one.
    let mut last = "";
    for word in short.split_inclusive(separates) {
        let bare = word.trim_end_matches(separates);
        let rest = word.get(bare.len()..).unwrap_or_default();
        if let Before::Gone(end) = before {
            if !end.is_before(bare) {
                last = "";
                if end.is(rest) {
                    kept.push_str(rest);
                    before = Before::Nothing;
                }
                continue;
            }
            kept.push(' ');
            before = Before::Nothing;
        }
        if bare.is_empty() {
            kept.push_str(rest);
            if let Before::Name(kind) = before
                && matches!(rest, "：" | "→")
            {
                before = Before::Value(kind, Extent::Whole);
            }
            continue;
        }
        let gone = |end: Option<End>| match end.filter(|end| !end.is(rest)) {
            Some(end) => (GONE.to_owned(), Before::Gone(end)),
            None => (GONE.to_owned(), Before::Nothing),
        };
        let (shown, next) = match before {
            // What is gone already: the brackets of its mark part words.
            Before::Value(..) if kept.ends_with('[') && rest == "]" && bare == "redacted" => {
                (bare.to_owned(), Before::Nothing)
            }
            // `Authorization: Bearer x`: the secret is the one behind.
            Before::Value(kind, extent) if is_scheme(bare) => {
                (bare.to_owned(), Before::Value(kind, extent))
            }
            Before::Value(kind, extent) if kind.hides(bare) => gone(kind.end(&kept, extent)),
            Before::Name(kind) if matches!(bare, ":" | "=" | "=>" | ":=") => {
                (bare.to_owned(), Before::Value(kind, Extent::Whole))
            }
            // `->`, whose second sign parts words.
            Before::Name(kind) if matches!(bare, "-" | "=") && rest == ">" => {
                (bare.to_owned(), Before::Value(kind, Extent::Whole))
            }
            Before::Name(kind) if matches!(bare, "is" | "was") => {
                (bare.to_owned(), Before::Name(kind))
            }
            Before::Name(kind) if kind.hides_beside(bare) => (GONE.to_owned(), Before::Nothing),
            _ => match value_in(last, bare) {
                Some((named, kind)) => {
                    let (shown, next) = gone(kind.end("", Extent::Whole));
                    (format!("{named}{shown}"), next)
                }
                None => (
                    word_without_secret(bare, is_secret),
                    announces(last, bare, rest),
                ),
            },
        };
        kept.push_str(&shown);
        if !matches!(next, Before::Gone(_)) {
            kept.push_str(rest);
        }
        last = if rest.trim().is_empty() { bare } else { "" };
        before = next;
    }
    kept.chars().take(LONGEST_TEXT).collect()
}

/// `password=x` as the name with its sign, where the value is a secret of a kind and may go on behind a blank.
fn value_in<'a>(last: &str, word: &'a str) -> Option<(&'a str, Kind)> {
    let at = word.find(['=', ':'])?;
    let (name, value) = (word.get(..at)?, word.get(at + 1..)?);
    let is_plain = !word.starts_with('-') && !word.contains(['?', '&']) && !value.starts_with("//");
    let kind = Kind::of_two(last, name)?;
    (is_plain && !value.is_empty() && kind.hides(value)).then_some((word.get(..=at)?, kind))
}

/// What a word says of the one behind it.
fn announces(last: &str, bare: &str, rest: &str) -> Before {
    let name = bare.trim_end_matches([':', '=']);
    let is_signed = name.len() < bare.len();
    // A word that holds a name and its value says nothing of the next one.
    let name = name.rsplit([':', '=']).next().unwrap_or_default();
    if is_scheme(name) {
        return Before::Value(Kind::Secret, Extent::Word);
    }
    let Some(kind) = Kind::of_two(last, name) else {
        return Before::Nothing;
    };
    // A name with its sign, or an option, whose value is the next word.
    if is_signed || matches!(rest, "：" | "→") {
        Before::Value(kind, Extent::Whole)
    } else if bare.starts_with('-') {
        Before::Value(kind, Extent::Word)
    } else {
        Before::Name(kind)
    }
}

/// How HTTP says that a secret follows.
fn is_scheme(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "bearer" | "basic")
}

fn word_without_secret(word: &str, is_secret: fn(&str) -> bool) -> String {
    // Each parameter of an address is a name with a value.
    if let Some((address, parameters)) = word.split_once('?') {
        let parameters = parameters
            .split('&')
            .map(|parameter| word_without_secret(parameter, is_secret));
        let parameters: Vec<String> = parameters.collect();
        return format!("{}?{}", without_user(address), parameters.join("&"));
    }
    if let Some(host) = host_behind_a_password(word) {
        return format!("{GONE}@{host}");
    }
    // `password=x`, `token:x`: the name tells what the value is.
    let parts = word.find(['=', ':']).map(|at| word.split_at(at));
    let parts = parts.filter(|(_, value)| value.len() > 1 && !value.starts_with("://"));
    let parts = parts.and_then(|(name, rest)| Some((name, rest.split_at_checked(1)?)));
    if let Some((name, (sign, value))) = parts
        && (Kind::of(name).is_some_and(|kind| kind.hides(value)) || is_secret(value))
    {
        return format!("{name}{sign}{GONE}");
    }
    if is_secret(word) {
        return GONE.to_owned();
    }
    // Parameters without an address in front of them.
    if let Some((first, others)) = word.split_once('&') {
        let [first, others] = [first, others].map(|part| word_without_secret(part, is_secret));
        return format!("{first}&{others}");
    }
    // `account:token=x`: what stands behind a sign may be a name itself.
    if let Some((name, (sign, value))) = parts {
        let value = word_without_secret(value, is_secret);
        return format!("{name}{sign}{value}");
    }
    without_user(word)
}

/// `user:x@host` without a scheme.
fn host_behind_a_password(word: &str) -> Option<&str> {
    let (before, host) = word.rsplit_once('@')?;
    let (_, password) = before.trim_start_matches('/').split_once(':')?;
    let is_one = !password.is_empty() && !before.trim_start_matches('/').contains('/');
    (is_one && host.starts_with(char::is_alphanumeric)).then_some(host)
}

/// An address without the user and password in front of its host.
fn without_user(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{GONE}@{host}{tail}"),
        None => word.to_owned(),
    }
}
