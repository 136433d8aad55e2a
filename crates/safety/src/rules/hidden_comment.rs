//! Comments and styles that a reader does not see, with instructions in them.

use std::ops::Range;

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::rules::hostile;
use crate::spots::Spots;

static UNSEEN: Pattern = Pattern::near(
    r"\[//\]:~#~[(\x22']|<[a-z]{1,10}\b[^>\n]{0,80}(?:display\s{0,2}:\s{0,2}none|font-size\s{0,2}:\s{0,2}0|visibility\s{0,2}:\s{0,2}hidden|color\s{0,2}:\s{0,2}(?:white|[#]fff\b|transparent))[^>\n]{0,80}>",
    &[
        Anchor::new(&["[//]"], 2, 30),
        Anchor::new(
            &[
                "none",
                "font-size",
                "hidden",
                "white",
                "#fff",
                "transparent",
            ],
            130,
            100,
        )
        .with(&[&["<"], &["display", "font-size", "visibility", "color"]]),
    ],
);

static ADDRESSED: Pattern = Pattern::near(
    r"\b(?:assistants?|ai|llms?|language~models?|claude|chatgpt|gpt|copilot|gemini|the~model|agents?|you)\b[^\n.]{0,50}\b(?:must|should|shall|always|now|please|required|need~to|will)\b[^\n.]{0,60}\b(?:sends?|upload|exfiltrate|leak|transmit|forward|curl|wget|passwords?|credentials?|secrets?|tokens?|\.env|private~keys?|ssh|obey)\b|(?:助手|模型|代理|智能体|AI)[^\n。]{0,20}(?:必须|应当|请|務必|务必)[^\n。]{0,30}(?:发送|上传|读取|执行|泄露|密码|密钥)",
    &[
        Anchor::new(
            &[
                "|send",
                "|upload|",
                "|exfiltrate|",
                "|leak|",
                "|transmit|",
                "|forward|",
                "|curl|",
                "|wget|",
                "|password",
                "|credential",
                "|secret",
                "|token",
                ".env|",
                "|private",
                "|ssh|",
                "|obey|",
            ],
            350,
            20,
        ),
        Anchor::new(
            &["发送", "上传", "读取", "执行", "泄露", "密码", "密钥"],
            300,
            10,
        ),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::HIDDEN_COMMENT,
    find,
    patterns: &[&UNSEEN, &ADDRESSED],
};

/// So much of what is not seen is looked at.
const LONGEST: usize = 4_000;

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.part.is_prose() {
        return;
    }
    let help = "say it where a reader sees it, or remove it";
    for range in unseen(examined) {
        // In code everybody sees it.
        if examined.context().is_in_code(&range) {
            continue;
        }
        let text = examined.context().after(range.start, range.len());
        let hidden = Spots::new(text);
        if hostile::is_in(&hidden, text) {
            let message = "a comment that a reader does not see instructs a model";
            hits.push(examined.hit(range, Severity::Error, message, help));
        } else if hidden.holds(&[&ADDRESSED]) {
            let message =
                "a comment that a reader does not see speaks to a model of secrets or of sending";
            hits.push(examined.hit(range, Severity::Warning, message, help));
        }
    }
}

/// Comments and hidden elements, none inside another, so that no text is looked at twice.
fn unseen(examined: &Examined<'_>) -> Vec<Range<usize>> {
    let text = examined.text();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find("<!--")) {
        let start = at + start;
        let window = examined.context().after(start, LONGEST);
        let length = window.find("-->").map_or(window.len(), |end| end + 3);
        found.push(start..start + length);
        at = start + length.max(4);
    }
    let mut at = 0;
    for opening in examined.places(&[&UNSEEN]) {
        if opening.start < at {
            continue;
        }
        let window = examined.context().after(opening.end, 1_000);
        let length = window.find(['<', '\n']).unwrap_or(window.len());
        at = opening.end + length;
        found.push(opening.start..at);
    }
    found
}
