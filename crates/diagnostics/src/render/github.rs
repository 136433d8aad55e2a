//! Workflow commands, which GitHub turns into remarks beside the changed lines.

use std::fmt::Write as _;

use crate::{Diagnostic, Severity};

/// One workflow command a finding, in the given order.
///
/// File names are taken as they stand, so they have to be relative to the root of the repository
/// for the remark to land beside its line.
pub fn github<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let command = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = Vec::new();
        if let Some(location) = diagnostic.location() {
            properties.push(format!("file={}", property(&location.file)));
            properties.push(format!("line={}", location.line));
            properties.push(format!("col={}", location.column));
        }
        let title = format!("{} {}", diagnostic.code.id, diagnostic.code.name);
        properties.push(format!("title={}", property(&title)));
        let mut message = diagnostic.message.clone();
        if let Some(help) = &diagnostic.help {
            let _ = write!(message, "\n{help}");
        }
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "::{command} {}::{}",
            properties.join(","),
            data(&message)
        );
    }
    text
}

/// The message: a line end would begin a command of its own.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property ends at a comma or at `::`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Location};

    #[test]
    fn nothing_in_a_finding_ends_its_command() {
        const CODE: Code = Code::new("MT001", "odd", "Odd.");
        let finding = Diagnostic::error(CODE, "100 %\n::set-env name=A::b\r")
            .at(Location::line("a,b:c\n::error::x.md", 3), "");
        let text = github([&finding]);
        assert_eq!(text.lines().count(), 1, "{text}");
        assert_eq!(
            text,
            "::error file=a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax.md,line=3,col=1,title=MT001 odd\
             ::100 %25%0A::set-env name=A::b%0D\n"
        );
    }
}
