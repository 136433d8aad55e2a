//! One entry set in JSON with comments, every other byte kept.

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

/// Fields that say how a server is reached. Whatever else is in an entry is the user's.
const OURS: [&str; 4] = ["type", "command", "args", "url"];
const BOM: char = '\u{feff}';

/// Comments and commas at the end are what clients take beside JSON, and no more.
const TAKEN: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// What became of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Added,
    Replaced,
    None,
}

impl Change {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::None => "unchanged",
        }
    }
}

/// The text with `key.name` set to the entry. Fields of an entry that is there already stay, those
/// about the way to the server aside.
pub(super) fn set(
    text: &str,
    key: &str,
    name: &str,
    entry: &Value,
) -> Result<(String, Change), String> {
    let (mark, body) = match text.strip_prefix(BOM) {
        Some(body) => (BOM.to_string(), body),
        None => (String::new(), text),
    };
    let body = if body.trim().is_empty() { "{}\n" } else { body };
    control_characters(body)?;
    let root =
        CstRootNode::parse(body, &TAKEN).map_err(|error| format!("not valid JSON: {error}"))?;
    let Some(object) = root.object_value() else {
        return Err("expected a JSON object in it".to_owned());
    };
    let servers = match only(&object, key)? {
        Some(property) => property
            .object_value()
            .ok_or_else(|| format!("`{key}` is no object; make it one"))?,
        None => object.object_value_or_set(key),
    };
    let Some(property) = only(&servers, name)? else {
        servers.append(name, input(entry));
        return Ok((format!("{mark}{root}"), Change::Added));
    };
    let before = property.value().and_then(|value| value.to_serde_value());
    let (Some(present), Some(wanted)) = (property.object_value(), entry.as_object()) else {
        property.set_value(input(entry));
        return Ok((format!("{mark}{root}"), Change::Replaced));
    };
    if is_same(before.as_ref().and_then(Value::as_object), wanted) {
        return Ok((text.to_owned(), Change::None));
    }
    for field in OURS {
        match (only(&present, field)?, wanted.get(field)) {
            (Some(property), Some(value)) => property.set_value(input(value)),
            (Some(property), None) => property.remove(),
            (None, Some(value)) => {
                present.append(field, input(value));
            }
            (None, None) => {}
        }
    }
    Ok((format!("{mark}{root}"), Change::Replaced))
}

/// The parser takes a raw line end in a text, and no client does.
fn control_characters(body: &str) -> Result<(), String> {
    let collected = CollectOptions {
        comments: CommentCollectionStrategy::Off,
        tokens: true,
    };
    let parsed = parse_to_ast(body, &collected, &TAKEN);
    let tokens = parsed.ok().and_then(|parsed| parsed.tokens);
    for token in tokens.into_iter().flatten() {
        let text = body.get(token.range.start..token.range.end);
        let odd = text.and_then(|text| text.find(|c: char| c.is_ascii_control()));
        if let (Token::String(_), Some(odd)) = (&token.token, odd) {
            let before = body.get(..token.range.start + odd).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            return Err(format!(
                "not valid JSON: a line end or another control character in the text on line {line}; write `\\n`, `\\t` or its number"
            ));
        }
    }
    Ok(())
}

/// The property of this name; twice the same name leaves open which one counts.
fn only(
    object: &CstObject,
    name: &str,
) -> Result<Option<jsonc_parser::cst::CstObjectProp>, String> {
    let mut found = object
        .properties()
        .into_iter()
        .filter(|property| property.decoded_name().as_deref() == Some(name));
    let first = found.next();
    if found.next().is_some() {
        return Err(format!("`{name}` stands there twice; remove one"));
    }
    Ok(first)
}

fn is_same(before: Option<&Map<String, Value>>, wanted: &Map<String, Value>) -> bool {
    before.is_some_and(|before| {
        OURS.iter()
            .all(|field| before.get(*field) == wanted.get(*field))
    })
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), input(value)))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn stdio() -> Value {
        json!({"type": "stdio", "command": "/bin/metier", "args": ["stdio", "/skills"]})
    }

    #[test]
    fn an_empty_file() {
        let (text, change) = set("", "servers", "metier", &stdio()).unwrap();
        assert_eq!(change, Change::Added);
        insta::assert_snapshot!(text, @r#"
        {
          "servers": {
            "metier": {
              "type": "stdio",
              "command": "/bin/metier",
              "args": ["stdio", "/skills"]
            }
          }
        }
        "#);
    }

    #[test]
    fn comments_and_layout_stay() {
        let before = "// mine\n{\n\t\"inputs\": [ ], // odd   spacing\n\t\"servers\": {\n\t\t/* old */ \"other\": { \"url\": \"http://x\", },\n\t},\n}\n";
        let (text, change) = set(before, "servers", "metier", &stdio()).unwrap();
        assert_eq!(change, Change::Added);
        insta::assert_snapshot!(text, @r#"
        // mine
        {
        	"inputs": [ ], // odd   spacing
        	"servers": {
        		/* old */ "other": { "url": "http://x", },
        		"metier": {
        			"type": "stdio",
        			"command": "/bin/metier",
        			"args": ["stdio", "/skills"],
        		},
        	},
        }
        "#);
        // Taking the new lines away again gives the old bytes.
        let again = set(&text, "servers", "metier", &stdio()).unwrap();
        assert_eq!(again, (text.clone(), Change::None));
    }

    #[test]
    fn line_ends_and_byte_order_mark_stay() {
        let before = "\u{feff}{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n";
        let (text, _) = set(before, "mcpServers", "metier", &stdio()).unwrap();
        assert!(text.starts_with("\u{feff}{\r\n"), "{text:?}");
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    }

    #[test]
    fn fields_of_the_user_stay_in_an_entry() {
        let before = r#"{"mcpServers": {"metier": {"url": "http://x", "env": {"A": "1"}, "disabled": true}}}"#;
        let (text, change) = set(before, "mcpServers", "metier", &stdio()).unwrap();
        assert_eq!(change, Change::Replaced);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            value["mcpServers"]["metier"],
            json!({"env": {"A": "1"}, "disabled": true, "type": "stdio", "command": "/bin/metier", "args": ["stdio", "/skills"]})
        );
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        let fault = |text: &str| set(text, "servers", "metier", &stdio()).unwrap_err();
        insta::assert_snapshot!(fault("[1]"), @"expected a JSON object in it");
        insta::assert_snapshot!(fault("{\"servers\": []}"), @"`servers` is no object; make it one");
        insta::assert_snapshot!(fault("{\"servers\": {}, \"servers\": {}}"), @"`servers` stands there twice; remove one");
        for text in [
            "{\"servers\": {\"a\": {\"command\": \"x\" \"args\": []}}}",
            "{'servers': {}}",
            "{servers: {}}",
            "{\"a\": 0x10}",
            "{\"a\": +1}",
            "{\"a\": .5}",
            "{\"a\": 5.}",
            "{\"a\": 01}",
            "{\"a\": NaN}",
            "{\"a\": -Infinity}",
            "{\"a\": \"\\q\"}",
            "{\"a\": \"\\x41\"}",
            "{\"a\": \"\\u12\"}",
            "{\"a\": \"\\ud800\"}",
            "{\"a\": \"b\nc\"}",
            "{\"a\": \"b\tc\"}",
            "{\"a\": [1 2]}",
            "{\"a\": 1} {}",
            "{,}",
            "{\"a\": truth}",
            "{} # old",
        ] {
            let fault = set(text, "servers", "metier", &stdio());
            assert!(fault.is_err(), "{text}: {fault:?}");
        }
        insta::assert_snapshot!(fault("{\"servers\": {"), @"not valid JSON: Unterminated object on line 1 column 13");
    }
}
