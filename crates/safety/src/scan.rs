//! The scan over the texts of one skill.

use metier_diagnostics::{Code, Diagnostic, LineIndex, Location, Severity};
use metier_skill_model::SkillMetadata;
use serde_json::Value;
use std::cell::LazyCell;
use std::cmp::Reverse;
use std::ops::Range;

use crate::fold::Folded;
use crate::glance::is_clean;
use crate::part::Part;
use crate::rule::{Examined, Hit};
use crate::rules::RULES;
use crate::verdict::Verdict;

/// So many findings of one rule in one file are kept.
pub const MOST_OF_ONE_RULE: usize = 5;
/// So many findings are kept of one skill.
pub const MOST_FINDINGS: usize = 60;
/// How deep a JSON value is looked into.
const DEEPEST: usize = 64;

/// Scans the texts of one skill.
///
/// Give it the files first and the values that were read from them afterwards: a value can hold what its file
/// writes as an escape, and what a file has shown already is not told again.
#[derive(Debug, Default)]
pub struct Scan {
    findings: Vec<Diagnostic>,
    left_out: usize,
    blocked: bool,
}

impl Scan {
    /// A scan that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A whole `SKILL.md`: front matter and body.
    pub fn skill_file(&mut self, file: &str, text: &str) {
        if is_clean(text) {
            return;
        }
        let end = front_matter_end(text);
        let lines = LazyCell::new(|| LineIndex::new(text));
        self.part(Part::FrontMatter, file, text, 0..end, &lines);
        self.part(Part::Body, file, text, end..text.len(), &lines);
    }

    /// Another file, as the part it is.
    pub fn file(&mut self, part: Part, file: &str, text: &str) {
        self.part(
            part,
            file,
            text,
            0..text.len(),
            &LazyCell::new(|| LineIndex::new(text)),
        );
    }

    /// The path of a file below the skill.
    pub fn file_name(&mut self, path: &str) {
        for (code, hit) in examine(Part::FileName, path) {
            self.add(code, &hit, path, "in the name of the file", || {
                Location::file(path)
            });
        }
    }

    /// A value that was read from a file: `what` says which ("the description of tool `bake`").
    pub fn value(&mut self, part: Part, file: &str, what: &str, text: &str) {
        for (code, hit) in examine(part, text) {
            if !self.has(file, code, hit.severity) {
                self.add(code, &hit, file, what, || Location::file(file));
            }
        }
    }

    /// The same of several values, looked at together.
    pub fn values<'v>(
        &mut self,
        part: Part,
        file: &str,
        what: &str,
        values: impl IntoIterator<Item = &'v str>,
    ) {
        let mut texts = Texts::default();
        for value in values {
            texts.add(value);
        }
        self.value(part, file, what, &texts.0);
    }

    /// Every text of a JSON value, keys included: front matter, a schema.
    pub fn json(&mut self, part: Part, file: &str, what: &str, value: &Value) {
        let mut texts = Texts::default();
        texts.json(value);
        self.value(part, file, what, &texts.0);
    }

    /// What was read of a skill: the front matter from `skill_file`, the tools from `tools_file`.
    pub fn metadata(&mut self, skill_file: &str, tools_file: &str, metadata: &SkillMetadata) {
        self.front_matter(skill_file, metadata);
        self.tools(tools_file, metadata);
    }

    /// What was read of the front matter of `file`.
    pub fn front_matter(&mut self, file: &str, metadata: &SkillMetadata) {
        let mut texts = Texts::default();
        for (key, value) in &metadata.front_matter {
            texts.add(key);
            texts.json(value);
        }
        self.value(Part::FrontMatter, file, "in the front matter", &texts.0);
        self.value(
            Part::FrontMatter,
            file,
            "in the description",
            &metadata.description,
        );
    }

    /// What was read of the tools and groups that `file` declares: every text of them that stands in an answer.
    pub fn tools(&mut self, file: &str, metadata: &SkillMetadata) {
        let mut texts = Texts::default();
        for tool in &metadata.tools {
            texts.add(&tool.name);
            texts.add(&tool.description);
            let lists = [
                &tool.search_aliases,
                &tool.required_capabilities,
                &tool.next_tools.on_success,
                &tool.next_tools.on_failure,
            ];
            for text in lists.into_iter().flatten().chain(&tool.annotations.title) {
                texts.add(text);
            }
            for (key, value) in &tool.extra {
                texts.add(key);
                texts.json(value);
            }
            for schema in [&tool.input_schema, &tool.output_schema]
                .into_iter()
                .flatten()
                .filter(|schema| !schema.as_text().is_some_and(is_clean_json))
            {
                for (key, value) in &schema.map() {
                    texts.add(key);
                    texts.json(value);
                }
            }
        }
        for group in &metadata.groups {
            texts.add(&group.name);
            texts.add(&group.description);
        }
        self.value(Part::Tools, file, "in the tools", &texts.0);
    }

    /// The verdict on everything that was given.
    pub fn finish(self) -> Verdict {
        Verdict::new(self.findings, self.left_out, self.blocked)
    }

    fn part<'t>(
        &mut self,
        part: Part,
        file: &str,
        text: &'t str,
        of: Range<usize>,
        lines: &LazyCell<LineIndex<'t>, impl FnOnce() -> LineIndex<'t>>,
    ) {
        for (code, hit) in examine(part, text.get(of.clone()).unwrap_or_default()) {
            let range = of.start + hit.range.start..of.start + hit.range.end;
            self.add(code, &hit, file, "", || lines.locate(file, range));
        }
    }

    /// Keeps a finding or counts it. Its place costs the length of its line, and is made for those that are kept.
    fn add(
        &mut self,
        code: Code,
        hit: &Hit,
        file: &str,
        label: &str,
        place: impl FnOnce() -> Location,
    ) {
        self.blocked |= hit.severity == Severity::Error;
        let same = self
            .findings
            .iter()
            .filter(|finding| is_of(finding, file, code));
        if self.findings.len() >= MOST_FINDINGS || same.count() >= MOST_OF_ONE_RULE {
            self.left_out += 1;
            return;
        }
        self.findings.push(
            Diagnostic::new(code, hit.severity, hit.message)
                .at(place(), label)
                .help(hit.help),
        );
    }

    /// Whether it is known already, as grave as this.
    fn has(&self, file: &str, code: Code, severity: Severity) -> bool {
        self.findings
            .iter()
            .any(|finding| is_of(finding, file, code) && finding.severity >= severity)
    }
}

fn is_of(finding: &Diagnostic, file: &str, code: Code) -> bool {
    finding.code.id == code.id && finding.location().is_some_and(|place| place.file == file)
}

/// What the rules find in a text, by place.
fn examine(part: Part, raw: &str) -> Vec<(Code, Hit)> {
    if is_clean(raw) {
        return Vec::new();
    }
    let folded = Folded::new(raw);
    let examined = Examined::new(part, raw, &folded);
    let mut found = Vec::new();
    let mut hits = Vec::new();
    for rule in RULES {
        (rule.find)(&examined, &mut hits);
        // Of two at one place the graver counts.
        hits.sort_by_key(|hit| (hit.range.start, Reverse(hit.severity), hit.range.end));
        hits.dedup_by_key(|hit| hit.range.start);
        found.extend(hits.drain(..).map(|hit| (rule.code, hit)));
    }
    found.sort_by_key(|(_, hit)| hit.range.start);
    found
}

/// The same of a JSON text. One without escapes holds every text of it as it is.
fn is_clean_json(text: &str) -> bool {
    !text.contains('\\') && is_clean(text)
}

/// Many short texts as one, so that they are looked at together.
#[derive(Default)]
struct Texts(String);

impl Texts {
    fn add(&mut self, text: &str) {
        // A blank line ends what belongs together, and a full stop what can be one match.
        self.0.push_str("\n\n.\n\n");
        self.0.push_str(text);
    }

    fn json(&mut self, value: &Value) {
        let mut open = vec![(value, 0)];
        while let Some((value, depth)) = open.pop() {
            match value {
                Value::String(text) => self.add(text),
                Value::Array(items) if depth < DEEPEST => {
                    open.extend(items.iter().rev().map(|item| (item, depth + 1)));
                }
                Value::Object(entries) if depth < DEEPEST => {
                    for (key, _) in entries {
                        self.add(key);
                    }
                    open.extend(entries.values().rev().map(|entry| (entry, depth + 1)));
                }
                _ => {}
            }
        }
    }
}

/// Where the body begins; 0 where there is no front matter.
fn front_matter_end(text: &str) -> usize {
    let start = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let is_fence = |line: &str| matches!(line.trim_end(), "---");
    let mut lines = start.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return 0;
    };
    let mut at = text.len() - start.len() + first.len();
    for line in lines {
        at += line.len();
        if is_fence(line) || line.trim_end() == "..." {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_begins_behind_the_second_fence() {
        let end = |text: &str| text[front_matter_end(text)..].to_owned();
        assert_eq!(end("---\na: b\n---\nbody"), "body");
        assert_eq!(end("\u{feff}---\r\na: b\r\n---\r\nbody"), "body");
        assert_eq!(end("body\n---\nx"), "body\n---\nx");
        assert_eq!(end("---\na: b"), "");
    }

    #[test]
    fn every_pattern_compiles_and_every_rule_has_its_place() {
        for pair in RULES.windows(2) {
            assert!(pair[0].code.id < pair[1].code.id);
        }
        assert_eq!(RULES.len(), crate::codes::ALL.len());
        for rule in &RULES {
            for (number, pattern) in rule.patterns.iter().enumerate() {
                assert!(pattern.regex().is_some(), "{} {number}", rule.code);
            }
        }
    }
}
