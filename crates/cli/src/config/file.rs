//! The layer of `metier.toml`.

use std::ops::Range;

use metier::diagnostics::LineIndex;
use toml::de::{DeTable, DeValue};

use super::fault::Fault;
use super::key::Key;
use super::kind::Kind;
use super::layer::{Layer, Origin, Sourced};
use super::nearest::nearest;
use super::reading::Base;
use super::value::Value;

const LIMITS: &str = "limits";
const AUDIT: &str = "audit";
const MEMORY: &str = "memory";
const HTTP: &str = "http";
const SELECTOR: &str = "selector";
const PERMISSIONS: &str = "permissions";
const INTERPRETERS: &str = "interpreters";
const HOOKS: &str = "hooks";

/// Tables of plain keys.
const TABLES: [&str; 6] = [LIMITS, AUDIT, MEMORY, HTTP, SELECTOR, PERMISSIONS];

/// What a file says, and what is wrong with it, in the order of its lines. `shown` is its name in
/// messages.
pub(super) fn layer(text: &str, shown: &str, base: &Base) -> (Layer, Vec<Fault>) {
    let mut reader = Reader {
        index: LineIndex::new(text),
        shown,
        base,
        layer: Layer::default(),
        faults: Vec::new(),
    };
    match DeTable::parse(text) {
        Ok(table) => reader.table(table.get_ref()),
        Err(error) => {
            let message = error.message().replace('\n', ", ");
            let span = error.span().unwrap_or(0..0);
            reader.fault(&span, format!("not valid TOML: {message}"), "mend the line");
        }
    }
    reader.faults.sort_by_key(|(at, _)| *at);
    let faults = reader.faults.into_iter().map(|(_, fault)| fault).collect();
    (reader.layer, faults)
}

pub(super) struct Reader<'a> {
    index: LineIndex<'a>,
    shown: &'a str,
    pub(super) base: &'a Base,
    pub(super) layer: Layer,
    faults: Vec<(usize, Fault)>,
}

impl Reader<'_> {
    pub(super) fn place(&self, span: &Range<usize>) -> String {
        let (line, column) = self.index.position(span.start);
        format!("{}:{line}:{column}", self.shown)
    }

    pub(super) fn fault(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        cure: impl Into<String>,
    ) {
        let fault = Fault::new(self.place(span), message, cure);
        self.faults.push((span.start, fault));
    }

    fn table(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            match (name.get_ref().as_ref(), value.get_ref()) {
                (table, DeValue::Table(values)) if TABLES.contains(&table) => {
                    for (name, value) in values {
                        let path = format!("{table}.{}", name.get_ref());
                        self.value(&path, &name.span(), value.get_ref(), &value.span());
                    }
                }
                (INTERPRETERS, DeValue::Table(interpreters)) => {
                    for (name, value) in interpreters {
                        self.interpreter(
                            name.get_ref(),
                            &name.span(),
                            value.get_ref(),
                            &value.span(),
                        );
                    }
                }
                (HOOKS, DeValue::Array(hooks)) => {
                    for hook in hooks {
                        self.hook(hook.get_ref(), &hook.span());
                    }
                }
                (HOOKS, _) => self.fault(
                    &value.span(),
                    "`hooks` must be a list of tables",
                    "write `[[hooks]]` on a line of its own for each, and its keys below it",
                ),
                (table, _) if table == INTERPRETERS || TABLES.contains(&table) => {
                    let cure =
                        format!("write `[{table}]` on a line of its own and the keys below it");
                    self.fault(&value.span(), format!("`{table}` must be a table"), cure);
                }
                (path, value_of) => self.value(path, &name.span(), value_of, &value.span()),
            }
        }
    }

    fn value(&mut self, path: &str, at: &Range<usize>, value: &DeValue<'_>, span: &Range<usize>) {
        let Some(key) = Key::ALL.into_iter().find(|key| key.path() == path) else {
            self.fault(at, format!("unknown key `{path}`"), cure(path));
            return;
        };
        match Value::of_toml(key.kind(), value, self.base) {
            Ok(read) => {
                let items = value.as_array().into_iter().flatten();
                let places = items.map(|item| self.place(&item.span())).collect();
                self.layer.entries.insert(key, places);
                self.layer.set(key, read, Origin::File(self.place(at)));
            }
            Err(wrong) => self.fault(
                span,
                format!("`{path}`: found {}", wrong.found),
                format!("expected {}", wrong.expected),
            ),
        }
    }

    fn interpreter(
        &mut self,
        name: &str,
        at: &Range<usize>,
        value: &DeValue<'_>,
        span: &Range<usize>,
    ) {
        if name == "python" {
            let cure = "write `python = …` above the tables for every .py script";
            self.fault(at, "`python` is no application of its own", cure);
            return;
        }
        match Value::of_toml(Kind::Program, value, self.base) {
            Ok(Value::Program(value)) => {
                let origin = Origin::File(self.place(at));
                self.layer
                    .interpreters
                    .insert(name.to_owned(), Sourced { value, origin });
            }
            Ok(_) => {}
            Err(wrong) => self.fault(
                span,
                format!("`interpreters.{name}`: found {}", wrong.found),
                format!("expected {}", wrong.expected),
            ),
        }
    }
}

/// What to write instead of an unknown key.
fn cure(path: &str) -> String {
    let misplaced = Key::ALL
        .iter()
        .filter_map(|key| key.path().split_once('.'))
        .find(|(_, key)| *key == path);
    if let Some((table, key)) = misplaced {
        return format!("write `{key}` below `[{table}]`");
    }
    if let Some(key) = path.strip_prefix("limits.")
        && Key::ALL.iter().any(|known| known.path() == key)
    {
        return format!("write `{key}` above the tables");
    }
    let known = || {
        let tables = TABLES.into_iter().chain([INTERPRETERS, HOOKS]);
        Key::ALL.iter().map(|key| key.path()).chain(tables)
    };
    if let Some(near) = nearest(path, known()) {
        return format!("did you mean `{near}`?");
    }
    let keys = Key::ALL.iter().map(|key| key.path());
    let keys: Vec<&str> = keys.chain(["interpreters.NAME", "[[hooks]]"]).collect();
    format!("known are {}", keys.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Layer, String) {
        let (layer, faults) = layer(text, "metier.toml", &Base::default());
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        (layer, faults.join("\n"))
    }

    #[test]
    fn everything_at_once() {
        let (layer, faults) = read(
            "app = 'maya'\nroots = ['skills']\nstrict = true\nenvironment = ['MAYA_*']\n\
             [limits]\ndeadline = 0x3c\noutput = '8 MiB'\n[interpreters]\nmaya = 'mayapy'\n",
        );
        assert_eq!(faults, "");
        assert_eq!(layer.values.len(), 6);
        let deadline = layer.values.get(&Key::Deadline).unwrap();
        assert_eq!(deadline.value, Value::Seconds(60));
        assert_eq!(deadline.origin, Origin::File("metier.toml:6:1".to_owned()));
        assert!(layer.interpreters.contains_key("maya"));
    }

    #[test]
    fn each_fault_names_its_place_and_its_cure() {
        let (layer, faults) = read(
            "capabilites = ['usd']\ndeadline = 5\nroots = 'skills'\nstrict = 'yes'\npermissions = []\n\
             environment = ['A=B']\napp = 'maya'\n[limits]\ndeadline = 0\npython = 'x'\n[interpreters]\npython = 'x'\nmaya = 5\n",
        );
        insta::assert_snapshot!(faults, @r#"
        metier.toml:1:1: unknown key `capabilites`; did you mean `capabilities`?
        metier.toml:2:1: unknown key `deadline`; write `deadline` below `[limits]`
        metier.toml:3:9: `roots`: found the text `skills`; expected a list of folders: `["skills"]`
        metier.toml:4:10: `strict`: found the text `yes`; expected true or false
        metier.toml:5:15: `permissions` must be a table; write `[permissions]` on a line of its own and the keys below it
        metier.toml:6:15: `environment`: found `A=B`; expected a list of names, names that end in `*`, or `all`
        metier.toml:9:12: `limits.deadline`: found the number 0; expected whole seconds, 1 to 86400
        metier.toml:10:1: unknown key `limits.python`; write `python` above the tables
        metier.toml:12:1: `python` is no application of its own; write `python = …` above the tables for every .py script
        metier.toml:13:8: `interpreters.maya`: found the number 5; expected a path to a program, or its name
        "#);
        // What is right counts all the same; whether a command goes on is its own decision.
        assert_eq!(layer.values.len(), 1);
    }

    #[test]
    fn broken_toml_is_placed() {
        insta::assert_snapshot!(read("app = 'maya'\nroots = [\n").1, @"metier.toml:2:10: not valid TOML: unclosed array, expected `]`; mend the line");
        insta::assert_snapshot!(read("app = 'a'\napp = 'b'\n").1, @"metier.toml:2:1: not valid TOML: duplicate key; mend the line");
        insta::assert_snapshot!(read("limits = 5\n").1, @"metier.toml:1:10: `limits` must be a table; write `[limits]` on a line of its own and the keys below it");
    }
}
