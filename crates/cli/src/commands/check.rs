//! `metier check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use metier::check::{CheckOptions, CheckReport, Verdict, check_roots, every_code};
use metier::diagnostics::render::{SarifRun, concise, full, github, json_lines, junit, sarif};
use metier::diagnostics::{Code, Diagnostic, Severity};
use metier::loader::{Root, RootLabel, RootSources, resolve_roots};
use serde_json::json;

use crate::Failure;
use crate::printer::{Printer, count};
use crate::source_cache::SourceCache;

#[derive(Args)]
pub(crate) struct Check {
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = Format::Full)]
    format: Format,
    /// Read skills as servers do: what can be worked around is a warning.
    #[arg(long)]
    lenient: bool,
    /// Also fail over warnings.
    #[arg(long, value_name = "SEVERITY")]
    deny: Option<Denied>,
    /// Print figures instead of findings.
    #[arg(long)]
    statistics: bool,
    /// Print the page of a code (MT118, or its name) and do nothing else; `all` prints every page.
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    /// Also check the usual places of skills.
    #[arg(long)]
    with_defaults: bool,
    /// The application whose usual places are meant.
    #[arg(long, value_name = "NAME", default_value = "python")]
    app: String,
    /// Folders with skills, or a SKILL.md; without any, the current folder.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
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
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        if let Some(wanted) = &self.explain {
            return explain(printer, wanted, self.format);
        }
        let roots = self.roots()?;
        let options = if self.lenient {
            CheckOptions::default().lenient()
        } else {
            CheckOptions::default()
        };
        let began = Instant::now();
        let report = check_roots(&roots, &options);
        let milliseconds = began.elapsed().as_millis();
        if self.statistics {
            let figures = figures(&report, milliseconds);
            printer.data(&self.statistics_text(&figures));
        } else {
            let text = self.findings_text(&report.shown(), printer);
            printer.text(&text);
        }
        printer.say(&self.summary(&report));
        let errors = report.with_severity(Severity::Error) > 0;
        let denied = self.deny.is_some() && report.with_severity(Severity::Warning) > 0;
        if errors || denied {
            return Err(Failure::Answered);
        }
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
        Ok(())
    }

    /// The roots to check; a SKILL.md stands for its folder, so that editors and commit hooks can
    /// hand over the file they have.
    fn roots(&self) -> Result<Vec<Root>, Failure> {
        let mut paths = Vec::new();
        for path in &self.paths {
            if path.is_dir() {
                paths.push(path.clone());
                continue;
            }
            let shown = path.display();
            let is_skill_file = path
                .file_name()
                .is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
            if !path.exists() {
                return Err(Failure::Usage(format!("{shown}: there is no such folder")));
            }
            if !is_skill_file {
                return Err(Failure::Usage(format!(
                    "{shown}: this is a file; name the folder that holds the skills"
                )));
            }
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            paths.push(folder.map_or_else(|| PathBuf::from("."), PathBuf::from));
        }
        if !self.with_defaults {
            if paths.is_empty() {
                paths.push(PathBuf::from("."));
            }
            return Ok(paths
                .into_iter()
                .map(|path| Root::new(RootLabel::Explicit, path))
                .collect());
        }
        let settings = metier::CatalogSettings::from_process(self.app.as_str());
        let (roots, _) = resolve_roots(&RootSources {
            explicit: &paths,
            app: &self.app,
            environment: &|name| std::env::var_os(name),
            home: settings.roots.home,
            platform_data: settings.roots.platform_data,
            configured: &settings.roots.configured,
            with_defaults: true,
        });
        Ok(roots)
    }

    fn findings_text(&self, shown: &[Diagnostic], printer: Printer) -> String {
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
            Format::Junit => junit(shown),
        }
    }

    /// One line for people: what was checked, how, and what came of it.
    fn summary(&self, report: &CheckReport) -> String {
        let mode = if self.lenient { "lenient" } else { "strict" };
        let mut said = format!("{} ({mode}):", count(report.skills.len(), "skill"));
        let verdicts = [
            (Verdict::Loaded, "fine to load"),
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

/// What the check counted, and every skill with its verdict.
fn figures(report: &CheckReport, milliseconds: u128) -> serde_json::Value {
    let mut by_code: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &report.findings {
        let diagnostic = &finding.diagnostic;
        let key = format!(
            "{} {} {}",
            diagnostic.code, diagnostic.code.name, diagnostic.severity
        );
        *by_code.entry(key).or_default() += 1;
    }
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for code in report.skills.iter().flat_map(|skill| &skill.reasons) {
        *reasons.entry(format!("{code} {}", code.name)).or_default() += 1;
    }
    let skills: Vec<serde_json::Value> = report
        .skills
        .iter()
        .map(|skill| {
            let verdict = match skill.verdict {
                Verdict::Loaded => "loaded",
                Verdict::Unusable => "unusable",
                Verdict::Shadowed => "shadowed",
                _ => "rejected",
            };
            let reasons: Vec<&str> = skill.reasons.iter().map(|code| code.id).collect();
            json!({
                "id": skill.id,
                "name": skill.name,
                "verdict": verdict,
                "reasons": reasons,
                "tools": skill.tools,
                "callable": skill.callable,
            })
        })
        .collect();
    json!({
        "skills_found": report.skills.len(),
        "loaded": report.with_verdict(Verdict::Loaded),
        "unusable": report.with_verdict(Verdict::Unusable),
        "rejected": report.with_verdict(Verdict::Rejected),
        "shadowed": report.with_verdict(Verdict::Shadowed),
        "reasons": reasons,
        "tools_declared": report.skills.iter().map(|skill| skill.tools.len()).sum::<usize>(),
        "tools_callable": report.skills.iter().map(|skill| skill.callable).sum::<usize>(),
        "findings": by_code,
        "milliseconds": u64::try_from(milliseconds).unwrap_or(u64::MAX),
        "skills": skills,
    })
}

/// Prints the page of one code, however it is spelled, or all of them.
fn explain(printer: Printer, wanted: &str, format: Format) -> Result<(), Failure> {
    let codes = every_code();
    let found: Vec<Code> = if wanted.eq_ignore_ascii_case("all") {
        codes
    } else {
        vec![find_code(&codes, wanted)?]
    };
    if format == Format::Json {
        let pages: Vec<serde_json::Value> = found
            .iter()
            .map(|code| {
                json!({"id": code.id, "name": code.name, "summary": code.summary, "page": code.page()})
            })
            .collect();
        printer.json(&pages.into());
        return Ok(());
    }
    let pages: Vec<String> = found.iter().map(Code::page).collect();
    printer.text(&pages.join("\n"));
    Ok(())
}

/// `MT118`, `mt-118`, `118` and `description-not-quoted` are the same code.
fn find_code(codes: &[Code], wanted: &str) -> Result<Code, Failure> {
    let plain: String = wanted
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_uppercase();
    let is_meant = |code: &&Code| {
        code.id == plain
            || code.id.strip_prefix("MT") == Some(plain.as_str())
            || code.name.replace('-', "").to_ascii_uppercase() == plain
    };
    if let Some(code) = codes.iter().find(is_meant) {
        return Ok(*code);
    }
    let lower = wanted.to_ascii_lowercase();
    let near: Vec<String> = codes
        .iter()
        .filter(|code| lower.len() > 2 && code.name.contains(&lower))
        .map(|code| format!("{} ({})", code.id, code.name))
        .take(5)
        .collect();
    let hint = if near.is_empty() {
        "codes are MT101 to MT607, or their names; `--explain all` prints every page".to_owned()
    } else {
        format!("did you mean {}?", near.join(", "))
    };
    Err(Failure::Usage(format!("`{wanted}` is no code; {hint}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_in_any_spelling() {
        let codes = every_code();
        for spelling in ["MT118", "mt118", "mt-118", "118", "description-not-quoted"] {
            assert_eq!(
                find_code(&codes, spelling).ok().map(|code| code.id),
                Some("MT118")
            );
        }
        let Err(Failure::Usage(hint)) = find_code(&codes, "quoted") else {
            panic!("`quoted` is no code");
        };
        assert!(hint.contains("MT118 (description-not-quoted)"), "{hint}");
    }
}
