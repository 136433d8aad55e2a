//! From a skill's declarations to tools that can be called.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use metier_capability::CapabilitySet;
use metier_diagnostics::{Diagnostic, LineIndex, Location};
use metier_loader::{LoadedSkill, place_of_tool};
use metier_skill_model::{ToolDeclaration, canonical_name, wire_name};
use metier_tool::{CompiledSchema, SchemaNote};

use crate::codes;
use crate::listed_tool::ListedTool;
use crate::registered_tool::RegisteredTool;
use crate::script_handler::ScriptHandler;
use crate::settings::RunSettings;
use crate::skill_set::file_of;
use crate::state::Shared;

/// The largest tools file that is read again for a place: the loader reads no larger one.
const LARGEST_TOOLS_FILE: u64 = 1024 * 1024;

/// The tools of one loaded skill, made once when it is loaded.
#[derive(Debug)]
pub(crate) struct LoadedTools {
    pub(crate) skill: Arc<LoadedSkill>,
    /// In the order of their declaration.
    pub(crate) tools: Vec<Arc<RegisteredTool>>,
    /// Tools that were refused, schemas that are not used as written.
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
        let mut made = Self {
            skill: Arc::clone(skill),
            tools: Vec::new(),
            diagnostics: Vec::new(),
        };
        for tool in &skill.metadata.tools {
            if let Some(registered) = made.prepare_tool(shared, tool, declared, taken) {
                made.tools.push(Arc::new(registered));
            }
        }
        made
    }

    fn prepare_tool(
        &mut self,
        shared: &Arc<Shared>,
        tool: &ToolDeclaration,
        declared: &CapabilitySet,
        taken: &mut BTreeSet<String>,
    ) -> Option<RegisteredTool> {
        let skill = Arc::clone(&self.skill);
        let metadata = &skill.metadata;
        let canonical = canonical_name(&metadata.name, &tool.name);
        let wire = wire_name(&canonical);
        if !taken.insert(wire.clone()) {
            self.find(
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
            if let Some(near) = declared.near_miss(required) {
                self.find(Diagnostic::warning(
                    codes::CAPABILITY_NEAR_MISS,
                    format!("the tool `{}` requires `{required}`; the host declares `{near}`, which is another name", tool.name),
                ));
            }
        }
        let mut refusal = tool.refusal.as_ref().map(|refusal| refusal.reason.clone());
        let input = self.compile(
            tool,
            tool.input_schema.as_ref(),
            "input_schema",
            &mut refusal,
        );
        let output = self.compile(
            tool,
            tool.output_schema.as_ref(),
            "output_schema",
            &mut refusal,
        );
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
            deadline: Some(deadline(&shared.settings.run, tool.timeout_hint_secs)),
            handler: Arc::new(ScriptHandler::new(shared, &skill, tool)),
        })
    }

    /// A schema that cannot be compiled costs the tool its calls, not the skill its tools.
    fn compile(
        &mut self,
        tool: &ToolDeclaration,
        schema: Option<&serde_json::Map<String, serde_json::Value>>,
        key: &str,
        refusal: &mut Option<String>,
    ) -> Option<CompiledSchema> {
        match CompiledSchema::compile(schema?) {
            Ok((compiled, notes)) => {
                // The loader has told of an unknown dialect, with the place.
                let mine = |note: &SchemaNote| !matches!(note, SchemaNote::UnknownDialect(_));
                for note in notes.into_iter().filter(mine) {
                    let message = format!("`{key}` of the tool `{}`: {note}", tool.name);
                    let found = Diagnostic::warning(codes::SCHEMA_NOTE, message);
                    self.find_at(tool, key, found);
                }
                Some(compiled)
            }
            Err(error) => {
                let reason = format!(
                    "`{key}` of the tool `{}` cannot be used: {error}",
                    tool.name
                );
                let found = Diagnostic::error(codes::UNUSABLE_SCHEMA, reason.as_str())
                    .help("mend the schema; until then the tool refuses calls");
                self.find_at(tool, key, found);
                refusal.get_or_insert(reason);
                None
            }
        }
    }

    /// At the key of the tool in the file that declares it, as a check has it.
    fn find_at(&mut self, tool: &ToolDeclaration, key: &str, diagnostic: Diagnostic) {
        let place = self.skill.tools_file().and_then(|file| {
            let bytes = self.skill.files.read(&file, LARGEST_TOOLS_FILE).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            let span = place_of_tool(&text, &tool.name, Some(key))?;
            Some(LineIndex::new(&text).locate(file_of(&self.skill, &file), span))
        });
        match place {
            Some(place) => self.diagnostics.push(diagnostic.at(place, "")),
            None => self.find(diagnostic),
        }
    }

    fn find(&mut self, diagnostic: Diagnostic) {
        let place = Location::file(file_of(&self.skill, "tools.yaml"));
        self.diagnostics.push(diagnostic.at(place, ""));
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
