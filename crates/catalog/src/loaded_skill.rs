//! From a skill's declarations to tools that can be called.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use metier_capability::CapabilitySet;
use metier_diagnostics::Diagnostic;
use metier_loader::LoadedSkill;
use metier_skill_model::{JsonObject, ToolDeclaration, canonical_name, wire_name};
use metier_tool::{CompiledSchema, PatternBudget};

use crate::codes;
use crate::listed_tool::ListedTool;
use crate::registered_tool::RegisteredTool;
use crate::script_handler::ScriptHandler;
use crate::settings::RunSettings;
use crate::state::Shared;
use crate::tools_text::ToolsText;

/// The tools of one loaded skill, made once when it is loaded.
#[derive(Debug)]
pub(crate) struct LoadedTools {
    pub(crate) skill: Arc<LoadedSkill>,
    /// In the order of their declaration.
    pub(crate) tools: Vec<Arc<RegisteredTool>>,
    /// Tools that were refused, capabilities that nearly have a declared name.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl LoadedTools {
    /// Maps the names, refuses those that are taken, compiles the schemas. Names that are reserved
    /// for the server's own tools have been refused by the loader.
    ///
    /// `taken` holds the wire names of everything registered before; the ones given out here are
    /// added to it.
    pub(crate) fn prepare(
        shared: &Arc<Shared>,
        skill: &Arc<LoadedSkill>,
        declared: &CapabilitySet,
        taken: &mut BTreeSet<String>,
    ) -> Self {
        let mut preparing = Preparing {
            shared,
            skill,
            declared,
            patterns: PatternBudget::default(),
            found: Vec::new(),
        };
        let tools = skill.metadata.tools.iter();
        let tools = tools
            .filter_map(|tool| preparing.tool(tool, taken))
            .map(Arc::new)
            .collect();
        Self {
            skill: Arc::clone(skill),
            tools,
            diagnostics: preparing.placed(),
        }
    }
}

/// What of a tool's entry a finding is about.
#[derive(Clone, Copy)]
enum About<'t> {
    Name,
    /// The item of a key's list that says so.
    Item(&'static str, &'t str),
}

struct Preparing<'t> {
    shared: &'t Arc<Shared>,
    skill: &'t Arc<LoadedSkill>,
    declared: &'t CapabilitySet,
    /// Of the skill's tools together, as the loader counts it.
    patterns: PatternBudget,
    /// Without their places: the file is read again only when there is anything.
    found: Vec<(&'t str, About<'t>, Diagnostic)>,
}

impl<'t> Preparing<'t> {
    fn tool(
        &mut self,
        tool: &'t ToolDeclaration,
        taken: &mut BTreeSet<String>,
    ) -> Option<RegisteredTool> {
        let metadata = &self.skill.metadata;
        let canonical = canonical_name(&metadata.name, &tool.name);
        let wire = wire_name(&canonical);
        if !taken.insert(wire.clone()) {
            self.find(
                tool,
                About::Name,
                Diagnostic::error(
                    codes::TOOL_NAME_TAKEN,
                    format!(
                        "the tool `{}` is refused: `{wire}` is registered already",
                        tool.name
                    ),
                )
                .help("rename the tool or the skill, or unload the other one"),
            );
            return None;
        }
        for required in &tool.required_capabilities {
            if let Some(near) = self.declared.near_miss(required) {
                let about = About::Item("required_capabilities", required);
                self.find(tool, about, Diagnostic::warning(
                    codes::CAPABILITY_NEAR_MISS,
                    format!("the tool `{}` requires `{required}`; the host declares `{near}`, which is another name", tool.name),
                )
                .help(format!("write `{near}`, or let the host declare `{required}`")));
            }
        }
        let mut refusal = tool.refusal.as_ref().map(|refusal| refusal.reason.clone());
        let input = self.compile(tool.input_schema.as_ref(), &mut refusal);
        let output = self.compile(tool.output_schema.as_ref(), &mut refusal);
        let usable_schema = tool.input_schema.is_none() || input.is_some();
        let listed = ListedTool::of_declaration(
            tool,
            &wire,
            &canonical,
            &metadata.description,
            usable_schema,
        );
        Some(RegisteredTool {
            listed: Arc::new(listed),
            canonical,
            declared: tool.name.clone(),
            skill: Some(metadata.name.clone()),
            group: tool.group.clone(),
            required: tool.required_capabilities.clone(),
            input,
            output,
            refusal,
            deadline: Some(deadline(&self.shared.settings.run, tool.timeout_hint_secs)),
            handler: Arc::new(ScriptHandler::new(self.shared, self.skill, tool)),
        })
    }

    /// A schema that cannot be compiled costs the tool its calls, not the skill its tools. The loader has
    /// said so, at its place, and what of a schema is left out.
    fn compile(
        &mut self,
        schema: Option<&JsonObject>,
        refusal: &mut Option<String>,
    ) -> Option<CompiledSchema> {
        match CompiledSchema::compile_within(&schema?.map(), &mut self.patterns) {
            Ok((compiled, _)) => Some(compiled),
            Err(error) => {
                refusal.get_or_insert_with(|| format!("its schema cannot be used: {error}"));
                None
            }
        }
    }

    fn find(&mut self, tool: &'t ToolDeclaration, about: About<'t>, diagnostic: Diagnostic) {
        self.found.push((&tool.name, about, diagnostic));
    }

    /// The findings, each where the file that declares the tools has it, as a check tells them.
    fn placed(self) -> Vec<Diagnostic> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let text = ToolsText::of(self.skill);
        let places = text.places();
        let placed = self.found.into_iter().map(|(tool, about, diagnostic)| {
            let span = places.as_ref().and_then(|places| match about {
                About::Name => places.name(tool),
                About::Item(key, item) => places.item(tool, &[key], item),
            });
            diagnostic.at(text.located(places.as_ref(), span), "")
        });
        placed.collect()
    }
}

/// A tool may ask for more time than the default, up to the server's bound; asking for less would
/// turn a hint into a trap. A bound below the default bounds nothing: whoever sets the default means it.
fn deadline(run: &RunSettings, hint_secs: Option<u64>) -> Duration {
    let hinted = Duration::from_secs(hint_secs.unwrap_or(0));
    hinted
        .max(run.limits.deadline)
        .min(run.longest_deadline.max(run.limits.deadline))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_lengthens_the_default_up_to_the_bound() {
        let run = |default, longest| {
            let mut run = RunSettings::default();
            run.limits.deadline = Duration::from_secs(default);
            run.longest_deadline = Duration::from_secs(longest);
            run
        };
        // Default, bound, hint, and what counts.
        for (default, longest, hint, wanted) in [
            (30, 600, None, 30),
            (30, 600, Some(0), 30),
            (30, 600, Some(1), 30),
            (30, 600, Some(30), 30),
            (30, 600, Some(31), 31),
            (30, 600, Some(600), 600),
            (30, 600, Some(601), 600),
            (30, 600, Some(u64::MAX), 600),
            (0, 600, None, 0),
            (0, 0, Some(5), 0),
            (30, 30, Some(31), 30),
            // A default over the bound is the bound.
            (900, 600, None, 900),
            (900, 600, Some(700), 900),
            (900, 600, Some(1_000), 900),
            (30, u64::MAX, Some(u64::MAX), u64::MAX),
        ] {
            assert_eq!(
                deadline(&run(default, longest), hint),
                Duration::from_secs(wanted),
                "{default}, {longest}, {hint:?}"
            );
        }
        let mut fine = RunSettings::default();
        fine.limits.deadline = Duration::from_millis(1_500);
        assert_eq!(deadline(&fine, Some(1)), fine.limits.deadline);
        assert_eq!(deadline(&fine, Some(2)), Duration::from_secs(2));
    }
}
