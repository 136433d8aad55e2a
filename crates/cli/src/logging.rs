//! What `METIER_LOG` asks for.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::printer::Printer;

const VARIABLE: &str = "METIER_LOG";
/// What the client's transport logs of a failure is in the message that ends the command, in our words.
const USUAL: &str = "warn,rmcp=off";

/// The filter that the variable asks for; what means nothing is told, and warnings are shown.
pub(crate) fn filter(printer: Printer) -> EnvFilter {
    let asked = std::env::var(VARIABLE).unwrap_or_default();
    let asked = asked.trim();
    if asked.is_empty() {
        return EnvFilter::new(USUAL);
    }
    match EnvFilter::try_new(asked) {
        Ok(filter) if asked.split(',').all(means_something) => filter,
        _ => {
            printer.say(&format!(
                "warning: {VARIABLE}={asked}: expected off, error, warn, info, debug or trace, \
                 or parts of the program with one of them (metier_runner=debug); warnings are shown"
            ));
            EnvFilter::new(USUAL)
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

#[cfg(test)]
mod tests {
    use super::means_something;

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
}
