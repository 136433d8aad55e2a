//! `metier check`.

mod explain;
mod figures;
mod places;

use std::fmt::Write as _;
use std::time::Instant;

use clap::{Args, ValueEnum};
use metier::check::{CheckReport, Verdict, check_roots};
use metier::diagnostics::Severity;
use metier::diagnostics::render::{SarifRun, concise, full, github, json_lines, junit, sarif};
use metier::loader::ParseMode;

use crate::Failure;
use crate::printer::{Printer, count};
use crate::progress;
use crate::source_cache::SourceCache;

use places::CheckPlaces;

#[derive(Args)]
pub(crate) struct Check {
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = Format::Full)]
    format: Format,
    /// Print JSON; the same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Also fail over warnings.
    #[arg(long, value_name = "SEVERITY")]
    deny: Option<Denied>,
    /// Print figures instead of findings.
    #[arg(long)]
    statistics: bool,
    /// Print the page of a code (MT118, or its name) and do nothing else; `all` prints every page.
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    #[command(flatten)]
    places: CheckPlaces,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The source line with the place underlined.
    Full,
    /// One line each.
    Concise,
    /// One JSON object a line.
    Json,
    /// Workflow commands of GitHub.
    Github,
    /// SARIF 2.1.0.
    Sarif,
    /// `JUnit`'s XML.
    Junit,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Denied {
    /// Warnings are as bad as errors.
    Warnings,
}

impl Check {
    pub(crate) fn run(mut self, printer: Printer) -> Result<(), Failure> {
        if self.json {
            self.format = Format::Json;
        }
        if let Some(wanted) = &self.explain {
            return explain::explain(printer, wanted, self.format);
        }
        let (roots, options) = self.places.resolve()?;
        for root in &roots {
            tracing::debug!(label = root.label.as_str(), path = %root.path.display(), "checking skills");
        }
        let began = Instant::now();
        let report = progress::around("checking skills", || check_roots(&roots, &options));
        for skill in &report.skills {
            tracing::debug!(skill = %skill.name, verdict = ?skill.verdict, "skill checked");
        }
        let milliseconds = began.elapsed().as_millis();
        if self.statistics {
            let figures = figures::figures(&report, milliseconds);
            printer.text(&format!("{}\n", self.statistics_text(&figures)));
        } else {
            let text = self.findings_text(&report, printer);
            if matches!(self.format, Format::Github) && !self.json {
                // The form has no spelling of its own for what would steer a terminal.
                printer.lines(&text);
            } else {
                printer.text(&text);
            }
        }
        printer.say(&summary(&report, options.mode));
        if report.skills.is_empty() {
            let places: Vec<String> = roots
                .iter()
                .map(|root| root.path.display().to_string())
                .collect();
            return Err(Failure::Usage(format!(
                "there is no skill in {}; a skill is a folder with a SKILL.md",
                places.join(", ")
            )));
        }
        let errors = report.with_severity(Severity::Error) > 0;
        let denied = self.deny.is_some() && report.with_severity(Severity::Warning) > 0;
        if errors || denied {
            return Err(Failure::Answered);
        }
        Ok(())
    }

    fn findings_text(&self, report: &CheckReport, printer: Printer) -> String {
        let shown = &report.shown();
        let sources = SourceCache::default();
        let source = |file: &str| sources.text(file);
        match self.format {
            Format::Full => full(shown, &source, printer.color()),
            Format::Concise => concise(shown),
            Format::Json => json_lines(shown),
            Format::Github => github(shown),
            Format::Sarif => {
                let run = SarifRun {
                    tool: "metier",
                    version: env!("CARGO_PKG_VERSION"),
                };
                sarif(shown, run, &source)
            }
            Format::Junit => junit(shown, report.skills.iter().map(|skill| &*skill.skill_file)),
        }
    }

    fn statistics_text(&self, figures: &serde_json::Value) -> String {
        if self.format == Format::Json {
            return format!("{figures:#}");
        }
        let mut lines = Vec::new();
        for (key, value) in figures.as_object().into_iter().flatten() {
            match value {
                serde_json::Value::Object(entries) => {
                    lines.push(format!("{key}:"));
                    lines.extend(
                        entries
                            .iter()
                            .map(|(name, number)| format!("  {name}: {number}")),
                    );
                }
                serde_json::Value::Array(_) => {}
                number => lines.push(format!("{key}: {number}")),
            }
        }
        lines.join("\n")
    }
}

/// One line for people: what was checked, how, and what came of it.
fn summary(report: &CheckReport, mode: ParseMode) -> String {
    let mode = match mode {
        ParseMode::Lenient => "lenient",
        ParseMode::Strict => "strict",
    };
    let mut said = format!("{} ({mode}):", count(report.skills.len(), "skill"));
    let verdicts = [
        (Verdict::Loaded, "fine to load"),
        (Verdict::Pending, "waiting for a dependency"),
        (Verdict::Blocked, "in need of a cycle's member"),
        (Verdict::Unusable, "unusable"),
        (Verdict::Rejected, "rejected"),
        (Verdict::Shadowed, "shadowed"),
    ];
    let mut parts = Vec::new();
    for (verdict, word) in verdicts {
        let number = report.with_verdict(verdict);
        if number > 0 || verdict == Verdict::Loaded {
            parts.push(format!("{number} {word}"));
        }
    }
    let _ = write!(said, " {}", parts.join(", "));
    let _ = write!(
        said,
        "; {}, {}, {}",
        count(report.with_severity(Severity::Error), "error"),
        count(report.with_severity(Severity::Warning), "warning"),
        count(report.with_severity(Severity::Info), "note"),
    );
    let worst = report
        .findings
        .iter()
        .max_by_key(|finding| finding.diagnostic.severity);
    if let Some(worst) = worst
        && worst.diagnostic.severity > Severity::Info
    {
        let _ = write!(
            said,
            "\n`metier check --explain {}` says more",
            worst.diagnostic.code
        );
    }
    said
}
