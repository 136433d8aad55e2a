//! Values with their origins, in layers.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::hook::HookSetting;
use super::key::Key;
use super::value::Value;

/// Who said so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    BuiltIn,
    /// A place in the file: `metier.toml:3:1`.
    File(String),
    Variable(String),
    Option(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("default"),
            Self::File(place) => f.write_str(place),
            Self::Variable(name) => f.write_str(name),
            Self::Option(name) => f.write_str(name),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// What one source says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    pub(crate) values: BTreeMap<Key, Sourced<Value>>,
    /// Where the entries of a list of the file stand.
    pub(crate) entries: BTreeMap<Key, Vec<String>>,
    /// By application or extension.
    pub(crate) interpreters: BTreeMap<String, Sourced<PathBuf>>,
    /// In the order of the file.
    pub(crate) hooks: Vec<Sourced<HookSetting>>,
}

impl Layer {
    /// What counts when nobody says anything.
    pub(crate) fn built_in() -> Self {
        let mut layer = Self::default();
        for key in Key::ALL {
            if let Some(value) = key.built_in() {
                layer.set(key, value, Origin::BuiltIn);
            }
        }
        layer
    }

    pub(crate) fn set(&mut self, key: Key, value: Value, origin: Origin) {
        self.values.insert(key, Sourced { value, origin });
    }

    /// An option of the command, where it was given.
    pub(crate) fn option(&mut self, key: Key, value: Option<Value>) {
        if let (Some(value), Some(name)) = (value, key.option()) {
            self.set(key, value, Origin::Option(name));
        }
    }

    /// Puts a layer on top of this one.
    pub(crate) fn cover(&mut self, upper: Self) {
        self.values.extend(upper.values);
        self.entries.extend(upper.entries);
        self.interpreters.extend(upper.interpreters);
        self.hooks.extend(upper.hooks);
    }
}

/// All layers on top of each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    /// The file in force: as it is shown, and where it is.
    pub(crate) file: Option<(String, PathBuf)>,
    /// What should be said about it.
    pub(crate) notes: Vec<String>,
    pub(crate) layer: Layer,
}

impl Config {
    pub(crate) fn get(&self, key: Key) -> Option<&Sourced<Value>> {
        self.layer.values.get(&key)
    }

    /// Where an entry of a list stands, where the file says it.
    pub(crate) fn entry(&self, key: Key, index: usize) -> Option<&str> {
        let is_of_file = matches!(self.get(key)?.origin, Origin::File(_));
        let places = self.layer.entries.get(&key).filter(|_| is_of_file)?;
        places.get(index).map(String::as_str)
    }

    pub(crate) fn text(&self, key: Key) -> Option<&str> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn flag(&self, key: Key) -> bool {
        matches!(self.get(key), Some(found) if found.value == Value::Flag(true))
    }

    pub(crate) fn texts(&self, key: Key) -> &[String] {
        match self.get(key).map(|found| &found.value) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    pub(crate) fn folders(&self, key: Key) -> &[PathBuf] {
        match self.get(key).map(|found| &found.value) {
            Some(Value::Folders(folders)) => folders,
            _ => &[],
        }
    }

    pub(crate) fn program(&self, key: Key) -> Option<&Path> {
        match &self.get(key)?.value {
            Value::Program(path) => Some(path),
            _ => None,
        }
    }

    pub(crate) fn file(&self, key: Key) -> Option<&Path> {
        match &self.get(key)?.value {
            Value::File(path) => Some(path),
            _ => None,
        }
    }

    pub(crate) fn seconds(&self, key: Key) -> Option<u64> {
        match self.get(key)?.value {
            Value::Seconds(seconds) => Some(seconds),
            _ => None,
        }
    }

    pub(crate) fn number(&self, key: Key) -> Option<usize> {
        match self.get(key)?.value {
            Value::Bytes(number) | Value::Count(number) => Some(number),
            _ => None,
        }
    }
}
