//! The names of a skill's tools, each once after mapping.

use std::collections::BTreeMap;
use std::ops::Range;

use metier_skill_model::{canonical_name, is_reserved, wire_name};

use crate::codes;
use crate::findings::Findings;

/// The names that are taken.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The place and the author's spelling by wire name.
    taken: BTreeMap<String, (Range<usize>, String)>,
}

impl Names {
    /// Takes a name; false, with a finding, when it is reserved or taken.
    pub(crate) fn take(
        &mut self,
        findings: &mut Findings<'_>,
        skill: &str,
        tool: &str,
        span: &Range<usize>,
    ) -> bool {
        let canonical = canonical_name(skill, tool);
        if is_reserved(&canonical) {
            findings
                .error(
                    codes::RESERVED_NAME,
                    span,
                    format!("the tool name `{canonical}` is reserved, so the tool is refused"),
                )
                .help("give the tool another name");
            return false;
        }
        let wire = wire_name(&canonical);
        if let Some((first, spelled)) = self.taken.get(&wire) {
            let lines = (findings.place(first), findings.place(span).line);
            let same = if spelled == tool {
                format!("the tool `{tool}` is declared twice")
            } else {
                format!("the tools `{spelled}` and `{tool}` have the same name `{wire}`")
            };
            let message = format!(
                "{same} (lines {} and {}); the first stays",
                lines.0.line, lines.1
            );
            findings
                .error(codes::DUPLICATE_TOOL, span, message)
                .label(lines.0, "first here")
                .help("give one of them another name");
            return false;
        }
        if wire != canonical {
            findings
                .warning(
                    codes::MAPPED_NAME,
                    span,
                    format!("clients do not accept the name `{canonical}`; they see `{wire}`"),
                )
                .help("use letters, digits, `_` and `-`, at most 64 with the skill's name");
        }
        self.taken.insert(wire, (span.clone(), tool.to_owned()));
        true
    }
}
