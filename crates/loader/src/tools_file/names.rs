//! What the tools of a skill share: their names, each once after mapping, and the work on their patterns.

use std::collections::BTreeMap;
use std::ops::Range;

use metier_diagnostics::Severity;
use metier_skill_model::{canonical_name, is_reserved, wire_name};
use metier_tool::PatternBudget;

use crate::findings::{Findings, brief};
use crate::{codes, effort};

/// The names that are taken, and what is left for patterns.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The place and the author's spelling by wire name.
    taken: BTreeMap<String, (Range<usize>, String)>,
    pub(super) patterns: PatternBudget,
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
        effort::step();
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
            if !findings.has_room(Severity::Error) {
                findings.left_out_at(Severity::Error, span);
                return false;
            }
            let shown = brief(tool);
            let lines = (findings.place(first), findings.place(span).line);
            let same = if spelled == tool {
                format!("the tool `{shown}` is declared twice")
            } else {
                format!(
                    "the tools `{}` and `{shown}` have the same name `{wire}`",
                    brief(spelled)
                )
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
                    format!(
                        "clients do not accept the name `{}`; they see `{wire}`",
                        brief(&canonical)
                    ),
                )
                .help("use letters, digits, `_` and `-`, at most 64 with the skill's name");
        }
        self.taken.insert(wire, (span.clone(), tool.to_owned()));
        true
    }
}
