//! Front matter keys that agent clients define; they are typed where Metier uses them.

use metier_skill_model::ClientFields;

use crate::codes;
use crate::findings::Findings;
use crate::values;
use crate::yaml::Node;

/// Reads one key; false when it is none of a client.
pub(crate) fn read_client_field(
    findings: &mut Findings<'_>,
    key: &Node<'_>,
    name: &str,
    value: &Node<'_>,
    fields: &mut ClientFields,
) -> bool {
    match name {
        "disable-model-invocation" => {
            fields.disable_model_invocation = flag(findings, name, value).unwrap_or(false);
        }
        "user-invocable" => fields.user_invocable = flag(findings, name, value),
        "argument-hint" => {
            // `[shot]` without quotes is a list for YAML and a hint for its author.
            fields.argument_hint = match value.list() {
                Some(_) => value.to_json().to_string().replace('"', ""),
                None => values::text(findings, name, value).unwrap_or_default(),
            };
        }
        "when_to_use" | "when-to-use" => {
            fields.when_to_use = values::text(findings, name, value).unwrap_or_default();
        }
        "paths" => {
            fields.paths = values::texts(values::comma_list(findings, name, value));
        }
        "model" | "effort" | "context" | "agent" | "hooks" | "shell" | "arguments" => {
            fields.other.insert(name.to_owned(), value.to_json());
        }
        _ => return false,
    }
    findings.info(
        codes::CLIENT_KEY,
        &key.span,
        format!("`{name}` is kept for agent clients"),
    );
    true
}

fn flag(findings: &mut Findings<'_>, name: &str, value: &Node<'_>) -> Option<bool> {
    if value.is_absent() {
        return None;
    }
    let flag = values::flag_word(value);
    if flag.is_none() {
        findings
            .warning(
                codes::WRONG_TYPE,
                &value.span,
                format!("`{name}` must be true or false, so it counts as not written"),
            )
            .help("write true or false, or remove the key");
    }
    flag
}
