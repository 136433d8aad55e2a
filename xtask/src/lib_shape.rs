//! A crate's `lib.rs` holds docs, attributes, `mod` and `use` lines and nothing else: it is the way in, not the house.

use crate::finding::Finding;

/// What a line goes on with.
enum Open {
    Nothing,
    /// An attribute that has not come to its closing bracket.
    Attribute,
    /// A `use` that has not come to its semicolon.
    Use,
}

pub(crate) fn check(file: &str, text: &str) -> Vec<Finding> {
    let mut open = Open::Nothing;
    let mut findings = Vec::new();
    for (index, line) in text.lines().map(str::trim).enumerate() {
        match open {
            Open::Attribute => {
                if line.ends_with(']') {
                    open = Open::Nothing;
                }
                continue;
            }
            Open::Use => {
                if line.ends_with(';') {
                    open = Open::Nothing;
                }
                continue;
            }
            Open::Nothing => {}
        }
        let item = without_visibility(line);
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if line.starts_with("#[") || line.starts_with("#![") {
            if !line.ends_with(']') {
                open = Open::Attribute;
            }
        } else if item.starts_with("use ") {
            if !line.ends_with(';') {
                open = Open::Use;
            }
        } else if !(item.starts_with("mod ") && item.ends_with(';')) {
            findings.push(
                Finding::new(
                    file,
                    format!("`{line}` is more than docs, `mod` and `use`"),
                    "move it to a module and re-export it",
                )
                .at(index + 1),
            );
            // The rest of the same item would only repeat it.
            break;
        }
    }
    findings
}

fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else {
        return line;
    };
    match rest.strip_prefix('(') {
        Some(scope) => scope
            .split_once(')')
            .map_or(line, |(_, item)| item.trim_start()),
        None => rest.strip_prefix(' ').map_or(line, str::trim_start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_in_is_fine() {
        let text = "//! Docs.\n#![cfg_attr(\n    docsrs,\n    feature(doc_cfg)\n)]\n\nmod a;\npub mod b;\npub(crate) mod c;\n\
                    #[cfg(feature = \"x\")]\npub use a::{\n    One,\n    Two,\n};\nuse b::Three;\n// A reason.\n";
        assert_eq!(check("src/lib.rs", text), Vec::new());
    }

    #[test]
    fn anything_else_is_named_with_its_line() {
        for item in [
            "pub fn a() {}",
            "struct B;",
            "const C: u8 = 1;",
            "mod inline {",
            "mod inline { fn b() {} }",
            "impl A {",
            "pub enum D {",
        ] {
            let findings = check("src/lib.rs", &format!("//! Docs.\nmod a;\n{item}\n"));
            assert_eq!(findings.len(), 1, "{item}");
            assert_eq!(findings[0].line, Some(3), "{item}");
        }
    }
}
