//! Values of settings.

use std::fmt;
use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Flag(bool),
    Texts(Vec<String>),
    Program(PathBuf),
    File(PathBuf),
    Folders(Vec<PathBuf>),
    Seconds(u64),
    Bytes(usize),
    Count(usize),
}

impl Value {
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Flag(flag) => json!(flag),
            Self::Texts(texts) => json!(texts),
            Self::Program(path) | Self::File(path) => json!(path.to_string_lossy()),
            Self::Folders(folders) => {
                let folders = folders.iter().map(|folder| folder.to_string_lossy());
                json!(folders.collect::<Vec<_>>())
            }
            Self::Seconds(seconds) => json!(seconds),
            Self::Bytes(number) | Self::Count(number) => json!(number),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: Vec<String>| {
            if items.is_empty() {
                "-".to_owned()
            } else {
                items.join(", ")
            }
        };
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Texts(texts) => f.write_str(&list(texts.clone())),
            Self::Program(path) | Self::File(path) => write!(f, "{}", path.display()),
            Self::Folders(folders) => {
                let folders = folders.iter().map(|folder| folder.display().to_string());
                f.write_str(&list(folders.collect()))
            }
            Self::Seconds(seconds) => write!(f, "{seconds} s"),
            Self::Bytes(bytes) => {
                let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
                match units.iter().find(|(_, unit)| bytes % unit == 0) {
                    Some((name, unit)) => write!(f, "{} {name}", bytes / unit),
                    None => write!(f, "{bytes} bytes"),
                }
            }
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}

/// The word of an option's value.
pub(crate) fn word<V: ValueEnum + Copy>(value: V) -> String {
    let word = value.to_possible_value();
    word.map_or_else(String::new, |word| word.get_name().to_owned())
}
