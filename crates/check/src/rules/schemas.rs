//! Schemas that break the rules of JSON Schema; the loader keeps them as they are.

use metier_catalog::codes::{SCHEMA_NOTE, UNUSABLE_SCHEMA};
use metier_diagnostics::Diagnostic;
use metier_tool::{CompiledSchema, SchemaNote};

use crate::places::Places;
use crate::subject::Subject;

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let places = Places::new(subject);
    for tool in &subject.metadata().tools {
        let schemas = [
            ("input_schema", &tool.input_schema),
            ("output_schema", &tool.output_schema),
        ];
        for (key, schema) in schemas {
            let Some(schema) = schema else { continue };
            let place = || places.key(&tool.name, &[key]);
            match CompiledSchema::compile(schema) {
                Err(error) => {
                    let message = format!(
                        "`{key}` of the tool `{}` cannot be used: {error}",
                        tool.name
                    );
                    let about = Diagnostic::error(UNUSABLE_SCHEMA, message).at(place(), "");
                    found.push(about.help("mend the schema; until then the tool refuses calls"));
                }
                Ok((_, notes)) => {
                    for note in notes {
                        // The loader has said so already.
                        if matches!(note, SchemaNote::UnknownDialect(_)) {
                            continue;
                        }
                        let message = format!("`{key}` of the tool `{}`: {note}", tool.name);
                        found.push(Diagnostic::warning(SCHEMA_NOTE, message).at(place(), ""));
                    }
                }
            }
        }
    }
    found
}
