//! The words of the link: one JSON object a line.

use std::path::Path;

use metier_skill_model::Affinity;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The one line that a call sends.
#[derive(Serialize)]
pub(crate) struct Request<'a> {
    pub(crate) metier_host: u32,
    pub(crate) secret: &'a str,
    pub(crate) job: JobLine<'a>,
}

#[derive(Serialize)]
pub(crate) struct JobLine<'a> {
    pub(crate) skill_name: &'a str,
    pub(crate) tool_name: &'a str,
    pub(crate) call_id: &'a str,
    pub(crate) skill_dir: &'a Path,
    pub(crate) script: &'a Path,
    pub(crate) affinity: Affinity,
    pub(crate) workspace_roots: Vec<&'a str>,
    pub(crate) arguments: &'a Map<String, Value>,
}

/// What the adapter says, line by line; the last is one of `Result`, `Failed` and `Refused`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// The main thread has taken the call.
    Begun(#[expect(dead_code, reason = "always true; the line is the news")] bool),
    Progress {
        progress: f64,
        #[serde(default)]
        total: Option<f64>,
        #[serde(default)]
        message: Option<String>,
    },
    Log(String),
    /// What the script returned, and what it printed beside it.
    Result {
        value: Value,
        #[serde(default)]
        output: String,
    },
    /// The script raised.
    Failed {
        kind: String,
        message: String,
        #[serde(default)]
        trace: String,
    },
    /// The adapter does not run this call.
    Refused(String),
}
