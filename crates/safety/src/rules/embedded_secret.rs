//! Keys and tokens that stand in the text.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};

static TOKEN: Pattern = Pattern::near(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bgithub_pat_[A-Za-z0-9_]{60,}|\bglpat-[A-Za-z0-9_-]{20}\b|\bxox[bpars]-[A-Za-z0-9-]{24,}|\bsk-ant-[A-Za-z0-9_-]{40,}|\bsk-(?:proj-)?[A-Za-z0-9_-]{40,}|\bsk_live_[A-Za-z0-9]{24,}|\bAIza[0-9A-Za-z_-]{35}\b|\bnpm_[A-Za-z0-9]{36}\b|\bhf_[A-Za-z0-9]{34}\b|\bpypi-[A-Za-z0-9_-]{60,}|-----BEGIN\s(?:[A-Z]{2,10}\s){0,2}PRIVATE\sKEY-----\s{0,4}[A-Za-z0-9+/=\s]{64,}",
    &[
        Anchor::new(
            &[
                "|akia",
                "|asia",
                "|ghp_",
                "|gho_",
                "|ghu_",
                "|ghs_",
                "|ghr_",
                "|github_pat_",
                "|glpat-",
                "|xoxb-",
                "|xoxp-",
                "|xoxa-",
                "|xoxr-",
                "|xoxs-",
                "|sk-",
                "|sk_live_",
                "|aiza",
                "|npm_",
                "|hf_",
                "|pypi-",
            ],
            2,
            140,
        ),
        Anchor::new(&["private"], 50, 200).with(&[&["-----begin"]]),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::EMBEDDED_SECRET,
    find,
    patterns: &[&TOKEN],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    for range in examined.places(&[&TOKEN]) {
        let token = examined.text().get(range.clone()).unwrap_or_default();
        if is_stand_in(token) {
            continue;
        }
        hits.push(examined.hit(
            range,
            Severity::Warning,
            "a key or token stands in the text",
            "revoke it, and read it from an environment variable instead",
        ));
    }
}

/// Whether it is written for the eye alone: a word, one character over and over, a run of the keyboard.
fn is_stand_in(token: &str) -> bool {
    let plain = token.to_ascii_lowercase();
    let words = [
        "example",
        "xxxx",
        "your",
        "test",
        "1234567",
        "abcdef",
        "placeholder",
        "fake",
        "dummy",
        "sample",
        "0000",
        "here",
    ];
    if words.iter().any(|word| plain.contains(word)) {
        return true;
    }
    let mut seen: Vec<char> = plain.chars().collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() < 10
}
