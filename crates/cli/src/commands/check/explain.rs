//! The page of a code.

use metier::check::every_code;
use metier::diagnostics::Code;
use serde_json::json;

use super::Format;
use crate::Failure;
use crate::printer::Printer;
use crate::wrapping::wrapped_page;

/// Prints the page of one code, however it is spelled, or all of them.
pub(super) fn explain(printer: Printer, wanted: &str, format: Format) -> Result<(), Failure> {
    let codes = every_code();
    let found: Vec<Code> = if wanted.eq_ignore_ascii_case("all") {
        codes
    } else {
        meant(&codes, wanted)?
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
    printer.text(&wrapped_page(&pages.join("\n"), printer.width()));
    Ok(())
}

/// `MT118`, `mt-118`, `118` and `description-not-quoted` are the same code. A name can stand for one
/// code of SKILL.md and one of tools.yaml; both are meant then.
fn meant(codes: &[Code], wanted: &str) -> Result<Vec<Code>, Failure> {
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
    let found: Vec<Code> = codes.iter().filter(is_meant).copied().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let lower = wanted.to_ascii_lowercase();
    let near: Vec<String> = codes
        .iter()
        .filter(|code| lower.len() > 2 && code.name.contains(&lower))
        .map(|code| format!("{} ({})", code.id, code.name))
        .take(5)
        .collect();
    let hint = if near.is_empty() {
        let end = |code: Option<&Code>| code.map_or("", |code| code.id);
        let (first, last) = (end(codes.first()), end(codes.last()));
        format!("codes are {first} to {last}, or their names; `--explain all` prints every page")
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
            let found = meant(&codes, spelling).unwrap_or_default();
            assert!(
                matches!(&found[..], [code] if code.id == "MT118"),
                "{spelling}"
            );
        }
        for code in &codes {
            for spelling in [code.id, code.name] {
                let found = meant(&codes, spelling).unwrap_or_default();
                assert!(found.contains(code), "{spelling}");
            }
            assert!(code.page().contains("\n## "), "{code} has no page");
        }
        let Err(Failure::Usage(hint)) = meant(&codes, "quoted") else {
            panic!("`quoted` is no code");
        };
        assert!(hint.contains("MT118 (description-not-quoted)"), "{hint}");
    }
}
