//! What a setting can hold, and how that is said when it holds something else.

/// What a setting holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A policy of replays, or off.
    Policy,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Auto, on or off.
    When,
    Flag,
    Texts,
    /// Names and patterns of environment variables.
    Patterns,
    /// Rules about the activation of skills.
    Rules,
    /// A path to a program, or its bare name.
    Program,
    File,
    Folders,
    Seconds,
    Bytes,
    Count,
    /// The size of a context window.
    Tokens,
    Port,
}

/// What was wrong with a value, and what was expected.
pub(crate) struct Wrong {
    pub(crate) found: String,
    pub(crate) expected: String,
}

/// Stands for no policy.
pub(crate) const OFF: &str = "off";

impl Kind {
    fn expected(self) -> String {
        let expected = match self {
            Self::Text => "a text",
            Self::Policy => "skip_on_drift, require_exact_version, ignore_version or off",
            Self::When => "auto, on or off",
            Self::Flag => "true or false",
            Self::Texts => "a list of names",
            Self::Patterns => "a list of names, names that end in `*`, or `all`",
            Self::Rules => "a list of rules, each `NAME`, `PREFIX:*` or `*` for every skill",
            Self::Program => "a path to a program, or its name",
            Self::File => "a path to a file",
            Self::Folders => "a list of folders",
            Self::Seconds => "whole seconds, 1 to 86400",
            Self::Bytes => "bytes, or a text like \"4 MiB\", up to 1 GiB",
            Self::Count => "a number, 1 to 4096",
            Self::Tokens => "a number of tokens, 1000 to 100000000",
            Self::Port => "a port, 0 to 65535",
            Self::OneOf(words) => {
                let (last, others) = words.split_last().unwrap_or((&"", &[]));
                return format!("{} or {last}", others.join(", "));
            }
        };
        expected.to_owned()
    }

    pub(super) fn wrong(self, found: impl Into<String>) -> Wrong {
        Wrong {
            found: found.into(),
            expected: self.expected(),
        }
    }
}
