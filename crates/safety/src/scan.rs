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
use crate::texts::Texts;
use crate::verdict::Verdict;

/// So many findings of one rule in one file are kept.
pub const MOST_OF_ONE_RULE: usize = 5;
/// So many findings are kept of one skill.
pub const MOST_FINDINGS: usize = 60;

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

    /// Corrects the bytes of what was found in `file` so far, whose text was decoded: `byte` says which byte of the file an
    /// offset of the text is.
    pub fn in_bytes(&mut self, file: &str, byte: impl Fn(usize) -> usize) {
        let labels = self.findings.iter_mut().flat_map(|found| &mut found.labels);
        for place in labels.map(|label| &mut label.location) {
            if place.file == file && !place.span.is_empty() {
                place.span = byte(place.span.start)..byte(place.span.end);
            }
        }
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
        self.placed(part, file, what, text, |_| None);
    }

    fn placed(
        &mut self,
        part: Part,
        file: &str,
        what: &str,
        text: &str,
        place: impl Fn(usize) -> Option<Location>,
    ) {
        for (code, hit) in examine(part, text) {
            if !self.has(file, code, hit.severity) {
                self.add(code, &hit, file, what, || {
                    place(hit.range.start).unwrap_or_else(|| Location::file(file))
                });
            }
        }
    }

    /// Texts that are put together to be looked at, and once more to find where one comes from.
    fn collected(
        &mut self,
        part: Part,
        file: &str,
        what: &str,
        collect: &impl Fn(&mut Texts),
        place: &impl Fn(&[String]) -> Option<Location>,
    ) {
        let mut texts = Texts::default();
        collect(&mut texts);
        self.placed(part, file, what, &texts.text, |at| {
            let mut texts = Texts::looking_for(at);
            collect(&mut texts);
            place(&texts.found?)
        });
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
        self.value(part, file, what, &texts.text);
    }

    /// Every text of a JSON value, keys included: front matter, a schema.
    pub fn json(&mut self, part: Part, file: &str, what: &str, value: &Value) {
        let mut texts = Texts::default();
        texts.json(value, 0);
        self.value(part, file, what, &texts.text);
    }

    /// What was read of the front matter of `file`. `place` knows where the value stands that some keys and numbers lead to.
    pub fn front_matter(
        &mut self,
        file: &str,
        metadata: &SkillMetadata,
        place: impl Fn(&[String]) -> Option<Location>,
    ) {
        let collect = |texts: &mut Texts| texts.members(&metadata.front_matter);
        self.collected(
            Part::FrontMatter,
            file,
            "in the front matter",
            &collect,
            &place,
        );
        let of_description = |_: &[String]| place(&["description".to_owned()]);
        let collect = |texts: &mut Texts| texts.add(&metadata.description);
        let what = "in the description";
        self.collected(Part::FrontMatter, file, what, &collect, &of_description);
    }

    /// What was read of the tools and groups that `file` declares: every text of them that stands in an answer. A place is
    /// asked for by `tools` or `groups`, the name, and what leads to the value from there.
    pub fn tools(
        &mut self,
        file: &str,
        metadata: &SkillMetadata,
        place: impl Fn(&[String]) -> Option<Location>,
    ) {
        let collect = |texts: &mut Texts| texts.tools(metadata);
        self.collected(Part::Tools, file, "in the tools", &collect, &place);
    }

    /// Adds what the caller has found out about the scan itself, such as what it could not look at.
    pub fn note(&mut self, finding: Diagnostic) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        } else {
            self.left_out += 1;
        }
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
