//! What a script printed, as the answer of a tool.

use metier_runner::{Exit, LongOptions, Output, Report};
use metier_tool::{Content, ProgramEnd, ToolError, ToolOutput};
use serde_json::{Map, Value};

use crate::stub::clipped;

/// Turns the report of a run into the answer.
///
/// A script that failed keeps what it said: its JSON stays the structured result, and the text
/// holds the reason and the ends of both streams. A server that gives scripts their arguments as options too tells
/// which ones it could not give.
pub(crate) fn output(
    mut report: Report,
    options: Option<&LongOptions>,
) -> Result<ToolOutput, ToolError> {
    if report.exit == Exit::Cancelled {
        return Err(ToolError::Cancelled);
    }
    if let (Some((member, _)), Output::Json(_)) = (report.overwritten.first(), &report.output) {
        report.output = Output::Malformed {
            text: report.stdout_tail.text.clone(),
            reason: format!(
                "`{member}` stands twice in its object, so that which one counts cannot be told"
            ),
        };
    }
    let failure = report.failure();
    let mut described = report.describe_failure();
    let left_out = options.and_then(left_out);
    let hint = match options {
        None => Some(OPTIONS),
        Some(_) => left_out.as_deref(),
    };
    if let (Some(text), Some(hint), true) = (&mut described, hint, reads_options(&report)) {
        text.push_str("\n\n");
        text.push_str(hint);
    }
    let stderr = report.stderr_tail.to_string();
    let spoke_json = matches!(report.output, Output::Json(_));
    let mut dcc = Map::new();
    if !report.noise.trim().is_empty() {
        dcc.insert("log".to_owned(), Value::from(report.noise.as_str()));
    }
    let mut notes = std::mem::take(&mut report.notes);
    notes.extend(left_out);
    if report.replaced_bytes {
        notes.push("the script printed bytes that are not UTF-8; they were replaced".to_owned());
    }
    if let Exit::Code(code) = report.exit
        && code != 0
    {
        dcc.insert("exit_code".to_owned(), Value::from(code));
    }
    let mut output = match report.output {
        Output::Json(value) => {
            let has_content = matches!(value.get("content"), Some(Value::Array(_)));
            let mut output = ToolOutput::from_script_json(value);
            if let Some(text) = report.exact
                && !has_content
            {
                output.content = vec![Content::text(text)];
            }
            output
        }
        Output::Text(text) | Output::Malformed { text, .. } => {
            // Clients that read the structured result alone are told the failure, not what was printed before it.
            match &failure {
                None => ToolOutput::from_script_text(&text, true),
                Some(failure) => failed_with_text(failure, report.stdout_tail.to_string()),
            }
        }
        _ if failure.is_none() => ToolOutput::from_script_text("", true),
        _ => ToolOutput::default(),
    };
    if let Some(failure) = failure {
        output.is_error = true;
        let own = std::mem::take(&mut output.content);
        output.content = if spoke_json {
            // The object is the script's own account of the failure; the reason and the other
            // lines stand before it, and nothing stands twice.
            let mut text = failure;
            for (name, lines) in [("output", report.noise.trim()), ("error output", &stderr)] {
                if !lines.is_empty() {
                    text = format!("{text}\n\n{name}:\n{lines}");
                }
            }
            [vec![Content::text(text)], own].concat()
        } else {
            vec![Content::text(described.unwrap_or(failure))]
        };
    }
    for note in notes {
        output.add_note(&note);
    }
    if !dcc.is_empty() {
        match output.meta.get_mut("dcc") {
            Some(Value::Object(present)) => present.extend(dcc),
            _ => {
                output.meta.insert("dcc".to_owned(), Value::Object(dcc));
            }
        }
    }
    Ok(output)
}

/// For the author of a script that was written for people at a terminal.
const OPTIONS: &str = "its arguments come as one JSON object on standard input; a script that reads options instead needs \
    `argv = true` where the server is configured, or a few lines that read the object";

/// So many arguments that are no options are named.
const NAMED: usize = 5;

/// Which arguments a script that reads options did not get as such.
fn left_out(line: &LongOptions) -> Option<String> {
    let named = line.left_out.iter().take(NAMED);
    let mut named: Vec<String> = named
        .map(|left| format!("`{}` ({})", clipped(&left.key, 60), left.why))
        .collect();
    if let Some(more @ 1..) = line.left_out.len().checked_sub(NAMED) {
        named.push(format!("and {more} more"));
    }
    (!named.is_empty()).then(|| {
        format!(
            "on standard input alone, not on the command line: {}",
            named.join(", ")
        )
    })
}

/// Whether a script ended over its command line, as option parsers say it.
fn reads_options(report: &Report) -> bool {
    let says_how = |line: &str| {
        let line = line.trim_start().to_ascii_lowercase();
        line.starts_with("usage: ") || line.starts_with("usage:\t")
    };
    matches!(report.exit, Exit::Code(1 | 2)) && report.stderr_tail.text.lines().any(says_how)
}

/// `{"success": false, "message": reason, "output": what was printed}`.
fn failed_with_text(failure: &str, text: String) -> ToolOutput {
    let mut output = ToolOutput::from_script_text(failure, false);
    if let (Some(structured), false) = (&mut output.structured, text.is_empty()) {
        structured.insert("output".to_owned(), Value::from(text));
    }
    output
}

/// How the script ended, for records.
pub(crate) fn end(report: &Report) -> ProgramEnd {
    let exit_code = match report.exit {
        Exit::Code(code) => Some(code),
        _ => None,
    };
    ProgramEnd {
        exit_code,
        output_bytes: report.output_bytes,
    }
}
