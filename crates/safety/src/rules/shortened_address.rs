//! Shortened addresses.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};

static ADDRESS: Pattern = Pattern::near(
    r"(?:^|[^\w.@/-]|//)(?:www\.)?(?:bit\.ly|t\.co|tinyurl\.com|goo\.gl|is\.gd|cutt\.ly|ow\.ly|rb\.gy|shorturl\.at|buff\.ly|t\.ly|v\.gd|adf\.ly|dwz\.cn|suo\.im|url\.cn|clck\.ru|surl\.li)/[\w-]{2,}",
    &[Anchor::new(
        &[
            "|bit.ly/",
            "|t.co/",
            "|tinyurl.com/",
            "|goo.gl/",
            "|is.gd/",
            "|cutt.ly/",
            "|ow.ly/",
            "|rb.gy/",
            "|shorturl.at/",
            "|buff.ly/",
            "|t.ly/",
            "|v.gd/",
            "|adf.ly/",
            "|dwz.cn/",
            "|suo.im/",
            "|url.cn/",
            "|clck.ru/",
            "|surl.li/",
        ],
        12,
        60,
    )],
);

pub(super) static RULE: Rule = Rule {
    code: codes::SHORTENED_ADDRESS,
    find,
    patterns: &[&ADDRESS],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    for range in examined.places(&[&ADDRESS]) {
        hits.push(examined.hit(
            range,
            Severity::Warning,
            "a shortened address hides where it leads, and can be led elsewhere tomorrow",
            "write the address that it leads to",
        ));
    }
}
