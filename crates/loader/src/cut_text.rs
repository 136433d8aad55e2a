//! Text that YAML cuts off: behind a blank a `#` begins a comment, whatever the sentence was to say.

use std::collections::BTreeSet;
use std::ops::Range;

use metier_diagnostics::Severity;

use crate::findings::{Findings, brief};
use crate::yaml::{Kind, Node};

/// Keys whose value is a sentence, wherever they stand.
const PROSE: [&str; 8] = [
    "description",
    "title",
    "compatibility",
    "when_to_use",
    "when-to-use",
    "argument-hint",
    "search-hint",
    "search_hint",
];

/// Comments that are addressed to a program.
const DIRECTIVES: [&str; 3] = ["yamllint ", "noqa", "prettier-ignore"];

/// Tells of every sentence in a tree whose line goes on with a comment.
pub(crate) fn tell_cut_text(findings: &mut Findings<'_>, root: &Node<'_>) {
    let text = findings.text();
    // Hardly any file has one.
    if !text.contains(" #") && !text.contains("\t#") {
        return;
    }
    let mut told = BTreeSet::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match &node.kind {
            Kind::Scalar { .. } => {}
            Kind::List(items) => open.extend(items.iter()),
            Kind::Map(entries) => {
                for (key, value) in entries.iter() {
                    open.push(value);
                    let name = key.scalar_text().filter(|name| PROSE.contains(name));
                    // An alias of a node is not another place.
                    if let Some(name) = name
                        && let Some(comment) = comment_behind(text, value)
                        && told.insert(comment.start)
                    {
                        tell(findings, name, &comment);
                    }
                }
            }
        }
    }
}

fn tell(findings: &mut Findings<'_>, key: &str, comment: &Range<usize>) {
    if !findings.has_room(Severity::Warning) {
        findings.left_out_at(Severity::Warning, comment);
        return;
    }
    let cut = findings.text().get(comment.clone()).unwrap_or_default();
    let message = format!(
        "`{}` is a comment to YAML, and no part of the `{key}` before it",
        brief(cut)
    );
    let code = findings.codes.cut_text;
    findings.warning(code, comment, message).help(
        "put the whole text into quotes if this belongs to it; otherwise give the comment a line of its own",
    );
}

/// The comment in whose line a plain scalar ends.
fn comment_behind(text: &str, node: &Node<'_>) -> Option<Range<usize>> {
    let Kind::Scalar { text: read, plain } = &node.kind else {
        return None;
    };
    // What an alias stands for is written elsewhere.
    let written = text.get(node.span.clone())?;
    if !plain || read.is_empty() || written.chars().next() != read.chars().next() {
        return None;
    }
    let rest = text.get(node.span.end..)?;
    let behind = rest.trim_start_matches([' ', '\t']);
    let start = node.span.end + (rest.len() - behind.len());
    let comment = behind.lines().next().unwrap_or_default().trim_end();
    let words = comment.strip_prefix('#')?.trim_start();
    let is_text = start > node.span.end
        && !words.is_empty()
        && !DIRECTIVES.iter().any(|word| words.starts_with(word));
    is_text.then(|| start..start + comment.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParseMode;
    use crate::findings::TOOLS_CODES;
    use crate::yaml::parse;

    fn cut(text: &str) -> Vec<String> {
        let tree = parse(text, 0).unwrap();
        let mut findings =
            Findings::new(ParseMode::Lenient, &TOOLS_CODES, "tools.yaml".into(), text);
        tell_cut_text(&mut findings, &tree.root.unwrap());
        let found = findings.finish();
        found
            .iter()
            .map(|found| {
                let at = found.location().unwrap().span.clone();
                assert!(found.help.is_some());
                text[at].to_owned()
            })
            .collect()
    }

    #[test]
    fn the_rest_of_a_sentence_is_told() {
        assert_eq!(cut("description: Counts # words\n"), ["# words"]);
        assert_eq!(
            cut("a:\n- title: the\t#1 of them \n  b: c\n"),
            ["#1 of them"]
        );
        assert_eq!(
            cut("description: two\n  lines # of it\na: b\n"),
            ["# of it"]
        );
        assert_eq!(cut("# x\ndescription: größer # und\n"), ["# und"]);
    }

    #[test]
    fn comments_that_are_comments_are_left_alone() {
        for text in [
            "description: Counts words # \n",
            "description: Counts words # yamllint disable-line\n",
            "description: Counts C# words\n# why\n",
            "description: \"Counts # words\" # why\n",
            "description: | # why\n  Counts # words\n",
            "description: # why\n  Counts\n",
            "name: count # why\nversion: 1 # why\ntags: [a] # why\n",
            "a: &a Counts\ndescription: *a # why\n",
        ] {
            assert_eq!(cut(text), Vec::<String>::new(), "{text}");
        }
    }
}
