//! Comments and styles that a reader does not see, with instructions in them.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::Pattern;
use crate::rule::{Examined, Hit, Rule};
use crate::rules::hostile;

static COMMENT: Pattern = Pattern::new(
    r#"<!--(?s:.){1,4000}?-->|\[//\]:~#~[(\x22'][^\n]{1,600}|<[a-z]{1,10}\b[^>\n]{0,80}(?:display\s{0,2}:\s{0,2}none|font-size\s{0,2}:\s{0,2}0|visibility\s{0,2}:\s{0,2}hidden|color\s{0,2}:\s{0,2}(?:white|[#]fff\b|transparent))[^>\n]{0,80}>[^<]{1,1000}"#,
);

static ADDRESSED: Pattern = Pattern::new(
    r#"\b(?:assistants?|ai|llms?|language~models?|claude|chatgpt|gpt|copilot|gemini|the~model|agents?|you)\b[^\n.]{0,50}\b(?:must|should|shall|always|now|please|required|need~to|will)\b[^\n.]{0,60}\b(?:sends?|upload|exfiltrate|leak|transmit|forward|curl|wget|passwords?|credentials?|secrets?|tokens?|\.env|private~keys?|ssh|obey)\b|(?:助手|模型|代理|智能体|AI)[^\n。]{0,20}(?:必须|应当|请|務必|务必)[^\n。]{0,30}(?:发送|上传|读取|执行|泄露|密码|密钥)"#,
);

pub(super) static RULE: Rule = Rule {
    code: codes::HIDDEN_COMMENT,
    triggers: &[
        "<!--",
        "[//]",
        "none",
        "font-size",
        "hidden",
        "white",
        "#fff",
        "transparent",
    ],
    find,
    #[cfg(test)]
    patterns: &[&COMMENT, &ADDRESSED],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.part.is_prose() {
        return;
    }
    let help = "say it where a reader sees it, or remove it";
    for range in examined.places(&[&COMMENT]) {
        let hidden = examined.text().get(range.clone()).unwrap_or_default();
        if examined.context().is_example(&range) {
            continue;
        }
        if hostile::is_in(hidden) {
            let message = "a comment that a reader does not see instructs a model";
            hits.push(examined.hit(range, Severity::Error, message, help));
        } else if ADDRESSED.is_in(hidden) {
            let message =
                "a comment that a reader does not see speaks to a model of secrets or of sending";
            hits.push(examined.hit(range, Severity::Warning, message, help));
        }
    }
}
