//! Values of settings, read from text and from TOML.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use metier::ReplayPolicy;
use metier::runner::EnvironmentPolicy;
use metier::skill_protocol::{Decision, PermissionRules};
use toml::de::DeValue;

use super::kind::{Kind, OFF, Wrong};
use super::value::Value;
use crate::listing::When;

/// What relative paths start from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Base {
    /// Empty where they stay as they are, relative to the working directory.
    pub(crate) folder: PathBuf,
    pub(crate) home: Option<PathBuf>,
}

/// The longest time a tool can be given: a day.
const MOST_SECONDS: u64 = 86_400;
const MOST_BYTES: u64 = 1 << 30;
const MOST_PROCESSES: u64 = 4_096;
const MOST_PORT: u64 = 65_535;
const TOKENS: std::ops::RangeInclusive<u64> = 1_000..=100_000_000;

impl Base {
    /// A folder as it was written, made independent of where the file lies.
    pub(super) fn path(&self, written: &Path) -> PathBuf {
        let below_home = written.strip_prefix("~").ok();
        match (below_home, &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(written),
        }
    }

    /// A program: a bare name stays one, it is looked up on the PATH.
    fn program(&self, written: &Path) -> PathBuf {
        let bare = written
            .parent()
            .is_some_and(|parent| parent.as_os_str().is_empty());
        if bare {
            written.to_path_buf()
        } else {
            self.path(written)
        }
    }
}

impl Value {
    /// A variable's value.
    pub(crate) fn of_variable(kind: Kind, text: &OsStr, base: &Base) -> Result<Self, Wrong> {
        match kind {
            Kind::Program => return Ok(Self::Program(base.program(Path::new(text)))),
            Kind::File => return Ok(Self::File(base.path(Path::new(text)))),
            Kind::Folders => {
                let folders = std::env::split_paths(text);
                let folders = folders.filter(|folder| !folder.as_os_str().is_empty());
                return Ok(Self::Folders(
                    folders.map(|folder| base.path(&folder)).collect(),
                ));
            }
            _ => {}
        }
        let Some(text) = text.to_str().map(str::trim) else {
            return Err(kind.wrong("bytes that are no text"));
        };
        let wrong = || kind.wrong(format!("`{text}`"));
        match kind {
            Kind::Text => Ok(Self::Text(text.to_owned())),
            Kind::OneOf(words) => one_of(words, text).ok_or_else(wrong),
            Kind::Policy | Kind::When => named(kind, text).map(Self::Text).ok_or_else(wrong),
            Kind::Flag => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Ok(Self::Flag(true)),
                "0" | "false" | "no" | "off" => Ok(Self::Flag(false)),
                _ => Err(wrong()),
            },
            Kind::Texts | Kind::Patterns | Kind::Rules => {
                let names = text.split(',').map(str::trim);
                let names = names.filter(|name| !name.is_empty()).map(ToOwned::to_owned);
                texts(kind, names.collect())
            }
            Kind::Seconds | Kind::Count | Kind::Tokens | Kind::Port => {
                number(kind, text.parse().map_err(|_| wrong())?).ok_or_else(wrong)
            }
            Kind::Bytes => bytes(text).map(Self::Bytes).ok_or_else(wrong),
            Kind::Program | Kind::File | Kind::Folders => Err(wrong()),
        }
    }

    /// A value of the file.
    pub(crate) fn of_toml(kind: Kind, value: &DeValue<'_>, base: &Base) -> Result<Self, Wrong> {
        let wrong = || {
            let mut wrong = kind.wrong(shown(value));
            if let (
                Kind::Texts | Kind::Patterns | Kind::Rules | Kind::Folders,
                DeValue::String(text),
            ) = (kind, value)
            {
                wrong.expected = format!("{}: `[\"{text}\"]`", wrong.expected);
            }
            wrong
        };
        let strings = || -> Option<Vec<String>> {
            let items = value.as_array()?.iter();
            items
                .map(|item| item.get_ref().as_str().map(ToOwned::to_owned))
                .collect()
        };
        let integer = || -> Option<u64> {
            let integer = value.as_integer()?;
            u64::from_str_radix(integer.as_str(), integer.radix()).ok()
        };
        match kind {
            Kind::Text => {
                let text = value.as_str().map(str::trim);
                let text = text.filter(|text| !text.is_empty()).ok_or_else(wrong)?;
                Ok(Self::Text(text.to_owned()))
            }
            Kind::Policy | Kind::When => {
                let text = value.as_str().or_else(|| {
                    let is_on = value.as_bool()?;
                    Some(if is_on { "on" } else { OFF })
                });
                let text = text.and_then(|text| named(kind, text));
                text.map(Self::Text).ok_or_else(wrong)
            }
            Kind::OneOf(words) => {
                let text = value.as_str();
                text.and_then(|text| one_of(words, text)).ok_or_else(wrong)
            }
            Kind::Flag => value.as_bool().map(Self::Flag).ok_or_else(wrong),
            Kind::Texts | Kind::Patterns | Kind::Rules => texts(kind, strings().ok_or_else(wrong)?),
            Kind::Program => {
                let text = value.as_str().filter(|text| !text.is_empty());
                let text = text.ok_or_else(wrong)?;
                Ok(Self::Program(base.program(Path::new(text))))
            }
            Kind::File => {
                let text = value.as_str().filter(|text| !text.trim().is_empty());
                Ok(Self::File(base.path(Path::new(text.ok_or_else(wrong)?))))
            }
            Kind::Folders => {
                let folders = strings().ok_or_else(wrong)?;
                if folders.iter().any(|folder| folder.trim().is_empty()) {
                    return Err(kind.wrong("an empty one"));
                }
                let folders = folders.iter().map(|folder| base.path(Path::new(folder)));
                Ok(Self::Folders(folders.collect()))
            }
            Kind::Seconds | Kind::Count | Kind::Tokens | Kind::Port => integer()
                .and_then(|integer| number(kind, integer))
                .ok_or_else(wrong),
            Kind::Bytes => integer()
                .and_then(in_bytes)
                .or_else(|| bytes(value.as_str()?))
                .map(Self::Bytes)
                .ok_or_else(wrong),
        }
    }
}

/// One of few words; of the policies, on is the usual one.
fn named(kind: Kind, text: &str) -> Option<String> {
    if kind == Kind::When {
        return When::of_text(text).map(|when| when.as_str().to_owned());
    }
    match text {
        OFF | "false" | "no" | "0" => Some(OFF.to_owned()),
        "on" | "true" | "yes" | "1" => Some(ReplayPolicy::default().to_string()),
        name => name
            .parse()
            .ok()
            .map(|policy: ReplayPolicy| policy.to_string()),
    }
}

fn one_of(words: &[&str], text: &str) -> Option<Value> {
    let word = words.iter().find(|word| **word == text)?;
    Some(Value::Text((*word).to_owned()))
}

fn texts(kind: Kind, names: Vec<String>) -> Result<Value, Wrong> {
    let usable = |name: &String| match kind {
        Kind::Patterns => EnvironmentPolicy::default().allow(name).is_ok(),
        Kind::Rules => PermissionRules::default().add(Decision::Ask, name).is_ok(),
        _ => !name.trim().is_empty(),
    };
    match names.iter().find(|name| !usable(name)) {
        Some(name) => Err(kind.wrong(format!("`{name}`"))),
        None => Ok(Value::Texts(names)),
    }
}

fn number(kind: Kind, number: u64) -> Option<Value> {
    match kind {
        Kind::Seconds => (1..=MOST_SECONDS)
            .contains(&number)
            .then_some(Value::Seconds(number)),
        kind => {
            let range = match kind {
                Kind::Port => 0..=MOST_PORT,
                Kind::Tokens => TOKENS,
                _ => 1..=MOST_PROCESSES,
            };
            let number = Some(number).filter(|number| range.contains(number))?;
            usize::try_from(number).ok().map(Value::Count)
        }
    }
}

fn in_bytes(number: u64) -> Option<usize> {
    (1..=MOST_BYTES)
        .contains(&number)
        .then(|| usize::try_from(number).ok())
        .flatten()
}

/// `4194304`, `4 MiB`, `4MiB`.
fn bytes(text: &str) -> Option<usize> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let unit: u64 = match text.get(digits.len()..)?.trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    in_bytes(digits.parse::<u64>().ok()?.checked_mul(unit)?)
}

/// A value of the file as a message names it.
pub(super) fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text `{text}`"),
        DeValue::Integer(number) => format!("the number {}", number.as_str()),
        DeValue::Float(number) => format!("the number {}", number.as_str()),
        DeValue::Boolean(flag) => format!("{flag}"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(items) if items.is_empty() => "an empty list".to_owned(),
        DeValue::Array(items) => {
            let odd = items.iter().find(|item| item.get_ref().as_str().is_none());
            match odd {
                Some(item) => format!("a list with {}", shown(item.get_ref())),
                None => "a list".to_owned(),
            }
        }
        DeValue::Table(_) => "a table".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(kind: Kind, text: &str) -> Option<Value> {
        Value::of_variable(kind, OsStr::new(text), &Base::default()).ok()
    }

    #[test]
    fn sizes_have_units() {
        for (text, expected) in [
            ("1024", Some(1024)),
            ("4 MiB", Some(4 << 20)),
            ("4MiB", Some(4 << 20)),
            ("1 GiB", Some(1 << 30)),
            ("2 GiB", None),
            ("4 MB", None),
            ("0", None),
            ("MiB", None),
            ("99999999999999999999 GiB", None),
        ] {
            assert_eq!(
                variable(Kind::Bytes, text),
                expected.map(Value::Bytes),
                "{text}"
            );
        }
        assert_eq!(Value::Bytes(4 << 20).to_string(), "4 MiB");
        assert_eq!(Value::Bytes(1000).to_string(), "1000 bytes");
    }

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(variable(Kind::Seconds, "5"), Some(Value::Seconds(5)));
        assert_eq!(variable(Kind::Seconds, "0"), None);
        assert_eq!(variable(Kind::Seconds, "86401"), None);
        assert_eq!(variable(Kind::Count, "-1"), None);
        assert_eq!(variable(Kind::Flag, "Yes"), Some(Value::Flag(true)));
        assert_eq!(variable(Kind::Flag, "maybe"), None);
        assert_eq!(variable(Kind::Patterns, "A,B=C"), None);
    }

    #[test]
    fn paths_start_from_the_file_and_programs_may_be_names() {
        let base = Base {
            folder: PathBuf::from("show"),
            home: Some(PathBuf::from("home")),
        };
        assert_eq!(base.path(Path::new("skills")), Path::new("show/skills"));
        assert_eq!(base.path(Path::new("~/skills")), Path::new("home/skills"));
        assert_eq!(base.program(Path::new("mayapy")), Path::new("mayapy"));
        assert_eq!(base.program(Path::new("bin/py")), Path::new("show/bin/py"));
    }
}
