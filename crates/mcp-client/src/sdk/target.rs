//! Which server, and how it is spoken to.

use std::ffi::OsString;
use std::fmt;

/// The protocol of the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Era {
    /// The newest that the server knows, found out by asking.
    #[default]
    Auto,
    /// Sessions, as the revisions of 2025 have them.
    Legacy,
    /// Without sessions, as from 2026-07-28 on.
    Modern,
}

/// A server.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// Over Streamable HTTP. No redirect is followed.
    Http {
        /// `http://` or `https://`.
        url: String,
        /// A bearer token; it goes to this URL alone.
        token: Option<String>,
    },
    /// A program that is started and spoken to over standard input and output. Of the environment it gets what a
    /// program needs to run, and no more than that.
    Program {
        /// The program and its arguments.
        command: Vec<OsString>,
        /// Variables on top.
        environment: Vec<(OsString, OsString)>,
    },
}

impl Target {
    /// A server over HTTP without a token.
    pub fn http(url: impl Into<String>) -> Self {
        Self::Http {
            url: url.into(),
            token: None,
        }
    }

    /// A program with its arguments.
    pub fn program(command: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self::Program {
            command: command.into_iter().map(Into::into).collect(),
            environment: Vec::new(),
        }
    }
}

/// Neither the token nor variables are printed.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http { url, .. } => f
                .debug_struct("Http")
                .field("url", url)
                .finish_non_exhaustive(),
            Self::Program { command, .. } => f
                .debug_struct("Program")
                .field("command", command)
                .finish_non_exhaustive(),
        }
    }
}
