//! Encoded code that is decoded and run.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::spots::Spots;

static SHELL: Pattern = Pattern::near(
    r"\bbase64\s+(?:-d|-D|--decode|-di)\b[\x20-{}\x7E]{0,60}\|\s{0,4}(?:sudo\s+)?(?:/bin/)?(?:(?:ba|z|da)?sh\b|python3?\b|perl\b|node\b)|\b(?:(?:ba|z|da)?sh\s+-\w{0,4}c|eval)\s+[\x22'\\]{0,2}(?:\$\(|`)[^)\n]{0,300}base64\s+(?:-d|-D|--decode)|\bxxd\s+-r(?:\s+-p|p)?[\x20-{}\x7E]{0,60}\|\s{0,4}(?:ba|z)?sh\b|\b(?:ba|z)?sh\s+<<<\s*[\x22']?\$\([^)\n]{0,300}base64\s+(?:-d|--decode)",
    &[
        Anchor::new(&["base64"], 400, 140).with(&[
            &["-d", "--decode"],
            &["sh", "eval", "python", "perl", "node"],
        ]),
        Anchor::new(&["|xxd|"], 2, 130),
    ],
);

static CODE: Pattern = Pattern::near(
    r"\b(?:exec|eval|compile|os\.system|subprocess\.\w{1,12}|python|mel\.eval|cmds\.evalDeferred|execute)\s{0,2}\(\s{0,2}(?:[\w.]{1,30}\(\s{0,2}){0,4}(?:(?:base64\.)?(?:url(?:safe)?_?)?b(?:64|32|85)decode|bytes\.fromhex|binascii\.\w{1,12}|codecs\.decode|atob|Buffer\.from)\s{0,2}\(|\bexec\s{0,2}\(\s{0,2}__import__\s{0,2}\(|\bFunction\s{0,2}\(\s{0,2}atob\s{0,2}\(|\bFromBase64String[\x20-\x7E\t]{0,200}\|\s{0,4}(?:iex|invoke-expression)\b|\b(?:iex|invoke-expression)\b[\x20-\x7E\t]{0,160}FromBase64String",
    &[
        Anchor::new(
            &[
                "b64decode",
                "b32decode",
                "b85decode",
                "fromhex",
                "binascii",
                "codecs",
                "atob",
                "buffer.from",
            ],
            260,
            30,
        )
        .with(&[&[
            "exec",
            "eval",
            "compile",
            "system",
            "subprocess",
            "python",
            "execute",
            "function",
        ]]),
        Anchor::new(&["__import__"], 14, 8),
        Anchor::new(&["frombase64string"], 200, 240).with(&[&["iex", "invoke-expression"]]),
    ],
);

/// Code that is kept packed or compiled, as bundlers do.
static PACKED: Pattern = Pattern::near(
    r"\b(?:exec|eval)\s{0,2}\(\s{0,2}(?:(?:zlib|bz2|lzma)\.decompress|marshal\.loads)\s{0,2}\(",
    &[Anchor::new(&["decompress", "marshal"], 20, 20).with(&[&["exec", "eval"]])],
);

static POWERSHELL: Pattern = Pattern::near(
    r"\b(?:powershell|pwsh)(?:\.exe)?\b[\x20-\x7E]{0,120}\s[-/]e(?:nc|ncodedcommand|c)?\s+[A-Za-z0-9+/=]{40,}",
    &[Anchor::new(&["|powershell", "|pwsh"], 2, 320).with(&[&["-e", "/e"]])],
);

static TOLD: Pattern = Pattern::near(
    r"\bdecode~(?:(?:this|the|following|that|it|below)~){0,3}[^.\n]{0,40}\b(?:base64|hex|rot13)?[^.\n]{0,30}\b(?:and|then)~(?:then~)?(?:run|execute|follow|obey|eval)\b|(?:base64)[^。\n]{0,12}解码[^。\n]{0,12}(?:执行|运行|遵循|照做)|(?:解码|解碼)[^。\n]{0,16}(?:并|然后|後|后)(?:执行|运行|遵循|照做|執行)|デコードして[^。\n]{0,8}(?:実行|従)",
    &[
        Anchor::new(&["|decode|"], 2, 280).with(&[
            &["and", "then"],
            &["run", "execute", "follow", "obey", "eval"],
        ]),
        Anchor::new(&["解码", "解碼"], 70, 110),
        Anchor::new(&["デコードして"], 2, 60),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::RUNS_ENCODED_CODE,
    find,
    patterns: &[&SHELL, &CODE, &PACKED, &POWERSHELL, &TOLD],
};

static DONE: &[&Pattern] = &[&SHELL, &CODE, &POWERSHELL];
const MESSAGE: &str = "encoded code is decoded and run, so that nobody can read what it does";
const HELP: &str = "write the code as it is";

/// Whether a text that came out of a hiding place does it.
pub(super) fn is_in(text: &Spots<'_>) -> bool {
    text.holds(DONE)
}

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    for range in examined.said(DONE) {
        hits.push(examined.hit(range, Severity::Error, MESSAGE, HELP));
    }
    for range in examined.said(&[&PACKED]) {
        hits.push(examined.hit(range, Severity::Warning, MESSAGE, HELP));
    }
    if examined.part.is_prose() {
        for range in examined.said(&[&TOLD]) {
            let severity = examined.graver_if_shown();
            hits.push(examined.hit(range, severity, MESSAGE, HELP));
        }
    }
}
