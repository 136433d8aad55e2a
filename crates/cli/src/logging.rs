//! What `METIER_LOG` asks for, and what is said of warnings where it asks for nothing.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::io::IsTerminal as _;
use std::sync::Mutex;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::printer::{Printer, harmless};

const VARIABLE: &str = "METIER_LOG";
/// What the client's transport logs of a failure is in the message that ends the command, in our words.
const USUAL: &str = "warn,rmcp=off";
/// A command that ends by itself says what went wrong; of what others log nothing is for a person. Which skills are blocked, and
/// for what, it tells as findings.
const OURS: &str = "off,metier=warn,metier_catalog::blocking=off";

/// Begins to log on standard error. Where nothing asks for a log, a command that ends by itself has no log lines, but
/// plain warnings, each once.
pub(crate) fn begin(printer: Printer, is_server: bool) {
    let asked = asked(printer);
    let is_plain = asked.is_none() && !is_server;
    let usual = if is_server { USUAL } else { OURS };
    let builder = tracing_subscriber::fmt()
        .with_env_filter(asked.unwrap_or_else(|| EnvFilter::new(usual)))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time();
    if is_plain {
        builder.event_format(Plain::default()).init();
    } else {
        builder
            .fmt_fields(debug_fn(write_field).delimited(" "))
            .init();
    }
}

/// One event is one line, whatever a client, a script or a hook has put into it: nobody but the server writes lines of
/// the log.
fn write_field(writer: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    let value = one_line(&format!("{value:?}"));
    match field.name() {
        "message" => writer.write_str(&value),
        name => write!(writer, "{name}={value}"),
    }
}

fn one_line(text: &str) -> String {
    harmless(&text.replace(['\n', '\r', '\t'], " "))
}

/// The filter that the variable asks for; what means nothing is told, and is as if nothing were asked.
fn asked(printer: Printer) -> Option<EnvFilter> {
    let asked = std::env::var(VARIABLE).unwrap_or_default();
    let asked = asked.trim();
    if asked.is_empty() {
        return None;
    }
    match EnvFilter::try_new(asked) {
        Ok(filter) if asked.split(',').all(means_something) => Some(filter),
        _ => {
            printer.say(&format!(
                "warning: {VARIABLE}={asked}: expected off, error, warn, info, debug or trace, \
                 or parts of the program with one of them (metier_runner=debug); warnings are shown"
            ));
            None
        }
    }
}

/// A bare word is a level; a misspelt one would be taken for a part of the program that never speaks.
fn means_something(directive: &str) -> bool {
    let directive = directive.trim();
    directive.contains(['=', '['])
        || directive.starts_with("metier")
        || directive.parse::<LevelFilter>().is_ok()
}

/// `warning: MESSAGE (NAME VALUE, …)`, on one line, and the same one never twice.
#[derive(Default)]
struct Plain {
    told: Mutex<BTreeSet<String>>,
}

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut said = Said::default();
        event.record(&mut said);
        let word = if *event.metadata().level() == Level::ERROR {
            "error"
        } else {
            "warning"
        };
        let line = format!("{word}: {}", said.line());
        // Whoever panicked while this was held left a set that is whole.
        let mut told = match self.told.lock() {
            Ok(told) => told,
            Err(poisoned) => poisoned.into_inner(),
        };
        if told.len() < MOST_TOLD && told.insert(line.clone()) {
            writeln!(writer, "{line}")?;
        }
        Ok(())
    }
}

/// So many warnings are told; a command that ends by itself never comes near.
const MOST_TOLD: usize = 1_000;

/// What an event says.
#[derive(Default)]
struct Said {
    message: String,
    fields: Vec<String>,
}

impl Said {
    fn line(&self) -> String {
        let mut line = self.message.clone();
        if !self.fields.is_empty() {
            // Writing into a string cannot fail.
            let _ = write!(line, " ({})", self.fields.join(", "));
        }
        one_line(&line)
    }

    fn take(&mut self, name: &str, value: String) {
        match name {
            "message" => self.message = value,
            // The value says what it is.
            "error" | "reason" | "fault" => self.fields.push(value),
            name => self.fields.push(format!("{name} {value}")),
        }
    }
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.take(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.take(field.name(), format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::{Said, means_something};

    #[test]
    fn levels_and_parts_mean_something() {
        for fine in [
            "debug",
            "INFO",
            "off",
            " trace ",
            "metier_runner",
            "hyper=info",
        ] {
            assert!(means_something(fine), "{fine}");
        }
        for nonsense in ["nonsense", "debgu", "verbose"] {
            assert!(!means_something(nonsense), "{nonsense}");
        }
    }

    #[test]
    fn a_warning_is_one_line_that_steers_nothing() {
        let mut said = Said::default();
        said.take("message", "a handler failed".to_owned());
        said.take("hook", "audit".to_owned());
        said.take("error", "no\nanswer \u{1b}[31m".to_owned());
        assert_eq!(
            said.line(),
            "a handler failed (hook audit, no answer \\u{1b}[31m)"
        );
    }
}
