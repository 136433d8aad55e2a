//! Finds the place of a thing again, by the way that leads to it: a name may stand in many places of a file.

use std::collections::BTreeMap;
use std::ops::Range;

use metier_diagnostics::{LineIndex, Location};
use serde_json::Value;

use crate::skill_file::{Room, parse_salvaging, split};
use crate::tools_file::{Faults, is_schema_key, plain_key};
use crate::yaml::{Node, parse};

/// The places of a tools file, read once for many findings.
///
/// A path is the keys and, in lists, the numbers that lead to a thing inside the entry of a tool. The
/// first step is taken in any spelling of the format. Where the file does not hold the whole path, the
/// last step that it does hold is the answer, at the least the tool's name; `None` is for a tool that
/// the file does not declare.
///
/// ```
/// let text = "tools:\n- name: bake\n  inputSchema: {type: object, tpye: x}\n";
/// let places = metier_loader::ToolPlaces::read(text);
/// let place = places.key("bake", &["input_schema", "tpye"]).unwrap();
/// assert_eq!((&text[place.clone()], place.start), ("tpye", 50));
/// ```
#[derive(Debug)]
pub struct ToolPlaces<'a> {
    text: &'a str,
    lines: LineIndex<'a>,
    entries: BTreeMap<String, Node<'a>>,
}

/// How far a path leads.
struct Reached<'n, 'a> {
    /// The key or the item of the last step, or the tool's name.
    at: Range<usize>,
    /// What is there, if every step was found.
    value: Option<Node<'a>>,
    name: &'n Node<'a>,
}

impl<'a> ToolPlaces<'a> {
    /// Reads the entries as the loader does. Of a file that cannot be read nothing has a place.
    pub fn read(text: &'a str) -> Self {
        let mut places = Self {
            text,
            lines: LineIndex::new(text),
            entries: BTreeMap::new(),
        };
        let start = text.len() - text.trim_start_matches('\u{FEFF}').len();
        let Ok(tree) = parse(text.get(start..).unwrap_or_default(), start) else {
            return places;
        };
        let faults = Faults::new(tree.faults);
        let list = tree.root.as_ref().and_then(|root| root.get("tools"));
        for entry in list.and_then(Node::list).unwrap_or_default() {
            let Some(name) = name_of(entry).text() else {
                continue;
            };
            if !faults.cost(entry) {
                let name = name.trim().to_owned();
                places.entries.entry(name).or_insert_with(|| entry.clone());
            }
        }
        places
    }

    /// Where a tool is named.
    pub fn name(&self, tool: &str) -> Option<Range<usize>> {
        Some(name_of(self.entries.get(tool)?).span.clone())
    }

    /// The key, or the item of a list, that a path ends on.
    pub fn key(&self, tool: &str, path: &[&str]) -> Option<Range<usize>> {
        Some(self.reach(tool, path)?.at)
    }

    /// The value that a path ends on; the tool's name where there is none.
    pub fn value(&self, tool: &str, path: &[&str]) -> Option<Range<usize>> {
        let reached = self.reach(tool, path)?;
        let found = reached.value.as_ref().unwrap_or(reached.name);
        Some(found.span.clone())
    }

    /// The item that says `text`, in a list or in text with commas that a path ends on.
    pub fn item(&self, tool: &str, path: &[&str], text: &str) -> Option<Range<usize>> {
        let reached = self.reach(tool, path)?;
        let Some(value) = reached.value else {
            return Some(reached.name.span.clone());
        };
        let says = |item: &&Node<'_>| item.text().map(str::trim) == Some(text);
        let item = value.list().and_then(|items| items.iter().find(says));
        Some(item.unwrap_or(&value).span.clone())
    }

    /// A place as findings have it; `file` as shown to people.
    pub fn locate(&self, file: String, span: Range<usize>) -> Location {
        self.lines.locate(file, span)
    }

    fn reach(&self, tool: &str, path: &[&str]) -> Option<Reached<'_, 'a>> {
        let entry = self.entries.get(tool)?;
        let name = name_of(entry);
        let in_schema = path.first().is_some_and(|first| is_schema_key(first));
        let mut at = name.span.clone();
        let mut value = Some(entry.clone());
        for (number, step) in path.iter().enumerate() {
            let is_step = |key: &str| {
                if in_schema && number > 0 {
                    key == *step
                } else {
                    plain_key(key.into()) == plain_key((*step).into())
                }
            };
            let Some(mut node) = value.take() else { break };
            if in_schema && number == 1 {
                node = written_out(self.text, &node).unwrap_or(node);
            }
            (at, value) = step_into(&node, step, &is_step, at);
        }
        Some(Reached { at, value, name })
    }
}

/// Where a path inside a schema ends: on its value, or on the last step that was written.
pub(crate) fn place_in_schema(
    text: &str,
    schema: &Node<'_>,
    path: &[String],
) -> Option<Range<usize>> {
    place_below(
        &written_out(text, schema).unwrap_or_else(|| schema.clone()),
        path,
    )
}

/// Where a path ends: on its value, or on the last step that was written.
fn place_below(root: &Node<'_>, path: &[String]) -> Option<Range<usize>> {
    let mut at = None;
    let mut value = Some(root.clone());
    for step in path {
        let Some(node) = value.take() else { break };
        let (key, found) = step_into(&node, step, &|key| key == step, node.span.clone());
        at = Some(found.as_ref().map_or(key, |found| found.span.clone()));
        value = found;
    }
    at
}

/// One step into a mapping or a list: the place of the key or the item, and what is there.
fn step_into<'a>(
    node: &Node<'a>,
    step: &str,
    is_step: &dyn Fn(&str) -> bool,
    at: Range<usize>,
) -> (Range<usize>, Option<Node<'a>>) {
    if let Some((key, found)) = entry_of(node, is_step) {
        return (key.span.clone(), Some(found.clone()));
    }
    let item = node.list().and_then(|items| {
        let number: usize = step.parse().ok()?;
        items.get(number).cloned()
    });
    (item.as_ref().map_or(at, |item| item.span.clone()), item)
}

/// A schema that is written as JSON text, as a tree: JSON is YAML as well. Where quotes or escapes
/// make the text another one than what is written, it has no places inside.
fn written_out<'a>(text: &'a str, node: &Node<'_>) -> Option<Node<'a>> {
    let meant: Value = serde_json::from_str(node.text()?).ok()?;
    let written = text.get(node.span.clone())?;
    let (start, end) = (written.find('{')?, written.rfind('}')? + 1);
    let tree = parse(written.get(start..end)?, node.span.start + start).ok()?;
    tree.root.filter(|root| root.to_json() == meant)
}

/// The name of an entry of the list, or the entry itself, which may be a bare name.
fn name_of<'n, 'a>(entry: &'n Node<'a>) -> &'n Node<'a> {
    entry.get("name").unwrap_or(entry)
}

/// The entry of a mapping, or of a mapping that is merged into it.
fn entry_of<'n, 'a>(
    node: &'n Node<'a>,
    is_step: &dyn Fn(&str) -> bool,
) -> Option<&'n (Node<'a>, Node<'a>)> {
    let entries = node.map()?;
    let own = entries.iter().find(|(key, _)| is_step(&key.key_str()));
    own.or_else(|| {
        let merged = entries.iter().filter(|(key, _)| key.is_merge_key());
        let mut sources = merged.flat_map(|(_, value)| {
            let single = std::slice::from_ref(value);
            value.list().unwrap_or(single)
        });
        sources.find_map(|source| entry_of(source, is_step))
    })
}

/// The value of a key of the front matter of a SKILL.md, as its author wrote it.
///
/// ```
/// let text = "---\nname: description\ndescription: Bakes: a lot\n---\n";
/// let place = metier_loader::place_in_front_matter(text, "description").unwrap();
/// assert_eq!(&text[place], "Bakes: a lot");
/// ```
pub fn place_in_front_matter(skill_file: &str, key: &str) -> Option<Range<usize>> {
    let parts = split(skill_file.as_bytes(), true).ok()?;
    let room = Room::default();
    let yaml = parts.head.get(parts.yaml.clone())?;
    let (tree, recovered, _) = parse_salvaging(yaml, parts.yaml.start, &room).ok()?;
    match recovered {
        Some(recovered) if key == "description" => Some(recovered.span),
        _ => Some(tree.root?.get(key)?.span.clone()),
    }
}

/// The same of a value below a key, by the steps that lead to it.
pub(crate) fn place_below_front_matter(skill_file: &str, path: &[String]) -> Option<Range<usize>> {
    if let [key] = path {
        return place_in_front_matter(skill_file, key);
    }
    let parts = split(skill_file.as_bytes(), true).ok()?;
    let room = Room::default();
    let yaml = parts.head.get(parts.yaml.clone())?;
    let (tree, ..) = parse_salvaging(yaml, parts.yaml.start, &room).ok()?;
    place_below(&tree.root?, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# bake\ntools:\n- descripton: bake\n  name: \"bake\"\n  input-schema:\n    descripton: x\n\
        \x20   properties: {descripton: {type: string, descripton: y}}\n    allOf: [{a: 1}, {b: 2}]\n\
        \x20 next-tools: {on_success: [a, ' b '], on-failure: 'c, d'}\n- clean\n- {name: bake, title: second}\n";

    fn found(place: Option<Range<usize>>) -> (usize, String) {
        let place = place.unwrap();
        (
            TEXT[..place.start].matches('\n').count() + 1,
            TEXT[place].to_owned(),
        )
    }

    #[test]
    fn a_path_leads_to_one_of_many_places_of_a_name() {
        let places = ToolPlaces::read(TEXT);
        let key = |path: &[&str]| found(places.key("bake", path));
        assert_eq!(found(places.name("bake")), (4, "\"bake\"".to_owned()));
        assert_eq!(found(places.name("clean")), (10, "clean".to_owned()));
        assert_eq!(key(&["descripton"]), (3, "descripton".to_owned()));
        assert_eq!(
            key(&["input_schema", "descripton"]),
            (6, "descripton".to_owned())
        );
        let deep = ["input_schema", "properties", "descripton", "descripton"];
        assert_eq!(TEXT[places.key("bake", &deep).unwrap().end..][..3], *": y");
        assert_eq!(
            key(&["inputSchema", "allOf", "1", "b"]),
            (8, "b".to_owned())
        );
        assert_eq!(
            key(&["input_schema", "allOf", "2"]),
            (8, "allOf".to_owned())
        );
        assert_eq!(key(&["title"]), (4, "\"bake\"".to_owned()));
        assert_eq!(places.name("gone"), None);
        // A name of the schema is taken letter by letter.
        assert_eq!(
            key(&["input_schema", "all_of"]),
            (5, "input-schema".to_owned())
        );
    }

    #[test]
    fn values_and_items() {
        let places = ToolPlaces::read(TEXT);
        let item = |key: &str, text| found(places.item("bake", &["next_tools", key], text));
        assert_eq!(item("on_success", "b"), (9, "' b '".to_owned()));
        assert_eq!(item("on_failure", "d"), (9, "'c, d'".to_owned()));
        assert_eq!(item("on_never", "d"), (4, "\"bake\"".to_owned()));
        assert_eq!(
            found(places.value("bake", &["descripton"])),
            (3, "bake".to_owned())
        );
        assert_eq!(
            found(places.value("clean", &["title"])),
            (10, "clean".to_owned())
        );
    }

    #[test]
    fn an_entry_that_costs_itself_is_passed_over() {
        let text = "tools:\n- {name: a, name: a}\n- {<<: {x: 1}, name: a}\n- {name: a, title: t}\n";
        let place = ToolPlaces::read(text).key("a", &["title"]).unwrap();
        assert_eq!(text[..place.start].matches('\n').count(), 3);
    }

    #[test]
    fn merges_aliases_and_json_text_lead_to_what_was_written() {
        let text = "x-one: &one {tpye: 1}\ntools:\n- name: a\n  input_schema: {type: object, <<: *one}\n\
                    - name: b\n  input_schema: *one\n- name: c\n  input_schema: '{\"tpye\": {\"x\": \"}\"}}'\n\
                    - name: d\n  input_schema: |\n    {\n      \"tpye\": 1}\n- name: e\n  input_schema: \"{\\\"tpye\\\": 1}\"\n";
        let places = ToolPlaces::read(text);
        for (tool, line, written) in [
            ("a", 1, "tpye"),
            ("b", 1, "tpye"),
            ("c", 8, "\"tpye\""),
            ("d", 12, "\"tpye\""),
            ("e", 14, "input_schema"),
        ] {
            let place = places.key(tool, &["input_schema", "tpye"]).unwrap();
            assert_eq!(&text[place.clone()], written, "{tool}");
            let found = places.locate("tools.yaml".to_owned(), place);
            assert_eq!(found.line, line, "{tool}");
        }
    }

    #[test]
    fn a_key_of_front_matter() {
        let text =
            "---\nmetadata: {description: one}\ndescription: >\n  two\n---\ndescription: three\n";
        let place = place_in_front_matter(text, "description").unwrap();
        assert_eq!(text[place].trim(), "two");
        assert_eq!(place_in_front_matter(text, "name"), None);
        assert_eq!(
            place_in_front_matter("description: x\n", "description"),
            None
        );
    }
}
