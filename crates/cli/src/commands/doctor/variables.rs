//! Which environment variables have a say.

use metier::runner::EnvLookup;
use serde::Serialize;

const BEGINNINGS: [&str; 2] = ["METIER_", "DCC_MCP_"];
const NAMES: [&str; 2] = ["OPENSPACE_HOST_SKILL_DIRS", "VIRTUAL_ENV"];
/// Parts of a name whose value is nobody's business.
const SECRETS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// A variable that is set.
#[derive(Serialize)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value: String,
}

/// Those that are set, by name. The value of one whose name sounds like a secret is not shown.
pub(super) fn in_force(environment: &EnvLookup) -> Vec<Variable> {
    let ours = |name: &str| {
        BEGINNINGS
            .iter()
            .any(|beginning| name.starts_with(beginning))
            || NAMES.contains(&name)
    };
    environment
        .vars()
        .filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| ours(name))?;
            let secret = SECRETS.iter().any(|part| name.contains(part));
            let value = if secret {
                "(set; not shown)".to_owned()
            } else {
                value.to_string_lossy().into_owned()
            };
            Some(Variable { name, value })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let environment = EnvLookup::new([
            ("DCC_MCP_EMBED_API_KEY", "sesame"),
            ("METIER_APP", "maya"),
            ("PATH", "/bin"),
        ]);
        let shown = serde_json::to_string(&in_force(&environment)).unwrap();
        assert!(
            !shown.contains("sesame") && !shown.contains("/bin"),
            "{shown}"
        );
        assert!(shown.contains("maya"), "{shown}");
    }
}
