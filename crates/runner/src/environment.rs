//! Which environment variables a script may see.

use std::ffi::{OsStr, OsString};

/// Names that every script sees: where programs and temporary files are, who the user is, the
/// language, and the variables of this ecosystem. A trailing `*` stands for any ending.
const EVERYWHERE: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMP",
    "TEMP",
    "TMPDIR",
    "TZ",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "DCC_MCP_*",
];

/// Names without which programs on Windows do not start or do not find their files.
const ON_WINDOWS: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES*",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_*",
    "PROGRAMDATA",
    "PROGRAMFILES*",
    "PROGRAMW6432",
    "PUBLIC",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// An allow-list of environment variables.
///
/// Secrets cannot be told by their names, so nothing passes that is not listed. An operator adds
/// names and patterns; a skill cannot.
///
/// ```
/// use metier_runner::EnvironmentPolicy;
///
/// let policy = EnvironmentPolicy::default().allow("REZ_*")?;
/// let environment = [("PATH", "/bin"), ("REZ_USED", "1"), ("API_KEY", "secret")];
/// let seen = policy.filter(environment.map(|(name, value)| (name.into(), value.into())));
/// assert_eq!(seen.len(), 2);
/// # Ok::<(), metier_runner::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentPolicy {
    patterns: Vec<Pattern>,
    ignore_case: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Name(String),
    Prefix(String),
}

/// A name or pattern of environment variables that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{pattern}` is no environment variable: expected a name, a name that ends in `*`, or `all`"
)]
pub struct PatternError {
    /// What was given.
    pub pattern: String,
}

impl Default for EnvironmentPolicy {
    fn default() -> Self {
        Self::for_system(cfg!(windows))
    }
}

impl EnvironmentPolicy {
    fn for_system(windows: bool) -> Self {
        let names = EVERYWHERE
            .iter()
            .chain(if windows { ON_WINDOWS } else { &[] });
        Self {
            patterns: names.map(|name| Pattern::of(name)).collect(),
            ignore_case: windows,
        }
    }

    /// Lets more through: a name (`MAYA_LOCATION`), a beginning (`REZ_*`), or `all`.
    pub fn allow(mut self, pattern: &str) -> Result<Self, PatternError> {
        let refused = || PatternError {
            pattern: pattern.to_owned(),
        };
        let pattern = match pattern.trim() {
            "all" | "*" => Pattern::Prefix(String::new()),
            name => Pattern::of(name),
        };
        let (Pattern::Name(name) | Pattern::Prefix(name)) = &pattern;
        let is_empty_name = name.is_empty() && matches!(pattern, Pattern::Name(_));
        if is_empty_name || name.contains(['*', '=', '\0']) {
            return Err(refused());
        }
        self.patterns.push(pattern);
        Ok(self)
    }

    /// Whether a variable of this name passes. Names are compared without regard to case on Windows.
    pub fn allows(&self, name: &OsStr) -> bool {
        let name = name.to_string_lossy();
        self.patterns
            .iter()
            .any(|pattern| pattern.matches(&name, self.ignore_case))
    }

    /// The variables that pass, in their given order.
    pub fn filter(
        &self,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Vec<(OsString, OsString)> {
        environment
            .into_iter()
            .filter(|(name, _)| self.allows(name))
            .collect()
    }
}

impl Pattern {
    fn of(text: &str) -> Self {
        match text.strip_suffix('*') {
            Some(prefix) => Self::Prefix(prefix.to_owned()),
            None => Self::Name(text.to_owned()),
        }
    }

    fn matches(&self, name: &str, ignore_case: bool) -> bool {
        let same = |left: &str, right: &str| {
            if ignore_case {
                left.eq_ignore_ascii_case(right)
            } else {
                left == right
            }
        };
        match self {
            Self::Name(wanted) => same(name, wanted),
            Self::Prefix(prefix) => name
                .get(..prefix.len())
                .is_some_and(|start| same(start, prefix)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(policy: &EnvironmentPolicy, names: &[&str]) -> Vec<String> {
        let environment = names
            .iter()
            .map(|name| (OsString::from(name), OsString::from("value")));
        policy
            .filter(environment)
            .into_iter()
            .map(|(name, _)| name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn only_listed_names_pass() {
        let names = [
            "PATH",
            "LC_ALL",
            "DCC_MCP_X",
            "DEMO_API_KEY",
            "MAYA_LOCATION",
            "path",
            "XPATH",
            "LC",
        ];
        let policy = EnvironmentPolicy::for_system(false);
        assert_eq!(seen(&policy, &names), ["PATH", "LC_ALL", "DCC_MCP_X"]);
        let policy = policy.allow("MAYA_*").unwrap().allow("XPATH").unwrap();
        assert_eq!(
            seen(&policy, &names),
            ["PATH", "LC_ALL", "DCC_MCP_X", "MAYA_LOCATION", "XPATH"]
        );
        assert_eq!(seen(&policy.allow("all").unwrap(), &names), names);
    }

    #[test]
    fn names_have_no_case_on_windows() {
        let policy = EnvironmentPolicy::for_system(true);
        assert_eq!(
            seen(
                &policy,
                &["Path", "SystemRoot", "ProgramFiles(x86)", "Secret"]
            ),
            ["Path", "SystemRoot", "ProgramFiles(x86)"]
        );
    }

    #[test]
    fn odd_patterns_are_refused() {
        for pattern in ["", " ", "A=B", "*X", "A*B"] {
            let error = EnvironmentPolicy::default().allow(pattern).unwrap_err();
            assert_eq!(error.pattern, pattern);
        }
    }
}
