//! A download that is run without being looked at.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::spots::Spots;

static PIPED: Pattern = Pattern::near(
    r"\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b(?:[\x20-{}\x7E]|\\\r?\n){1,300}?\|(?:[\x20-{}\x7E]{0,60}\|){0,1}\s{0,8}(?:sudo\s+(?:-\w+\s+){0,3})?(?:env\s+)?(?:/\w+/)?(?:/?bin/)?(?:(?:ba|z|da|k|fi)?sh\b|iex\b|invoke-expression\b|(?:pwsh|powershell)\b|(?:python3?|perl|ruby|node|php)(?:\s+-)?\s*(?:[\x22'`);&|\n]|$))",
    &[Anchor::new(
        &[
            "|curl|",
            "|wget|",
            "|iwr|",
            "|irm|",
            "|invoke-webrequest|",
            "|invoke-restmethod|",
        ],
        2,
        560,
    )
    .with(&[
        &["|"],
        &[
            "sh",
            "iex",
            "invoke-expression",
            "python",
            "perl",
            "ruby",
            "node",
            "php",
        ],
    ])],
);

static INSIDE: Pattern = Pattern::near(
    r"\b(?:(?:ba|z|da)?sh|source)\s+(?:-\w+\s+){0,2}<\(\s*(?:curl|wget)\b|\b(?:ba|z|da)?sh\s+-\w{0,4}c\s+[\x22'\\]{0,2}(?:\$\(|`)\s*(?:curl|wget)\b|\beval\s+[\x22']?(?:\$\(|`)\s*(?:curl|wget)\b|\b(?:iex|invoke-expression)\b[\x20-\x7E]{0,60}(?:downloadstring|iwr\b|irm\b|invoke-webrequest|invoke-restmethod|net\.webclient)",
    &[
        Anchor::new(&["curl|", "wget|"], 90, 4).with(&[&["sh", "source", "eval"]]),
        Anchor::new(&["|iex|", "|invoke-expression|"], 2, 120),
    ],
);

static CODE: Pattern = Pattern::near(
    r"\b(?:exec|eval)\s{0,2}\(\s{0,2}(?:compile\s{0,2}\(\s{0,2})?(?:requests\.get|urllib\.request\.urlopen|urlopen|httpx\.get|urllib2\.urlopen)\s{0,2}\(|\b(?:eval|Function)\s{0,2}\(\s{0,2}(?:await\s+)?\(?\s{0,2}(?:await\s+)?fetch\s{0,2}\(",
    &[
        Anchor::new(&["requests.get", "urlopen", "httpx.get"], 90, 10).with(&[&["exec", "eval"]]),
        Anchor::new(&["fetch"], 70, 8).with(&[&["eval", "function"]]),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::DOWNLOAD_AND_RUN,
    find,
    patterns: &[&PIPED, &INSIDE, &CODE],
};

static ODD_SOURCE: Pattern = Pattern::new(
    r"https?://(?:\d{1,3}\.){3}\d{1,3}|\b(?:bit\.ly|tinyurl\.com|t\.co|is\.gd|cutt\.ly|rb\.gy|goo\.gl)/|\b(?:pastebin\.com|paste\.ee|hastebin\.com|rentry\.(?:co|org)|transfer\.sh|0x0\.st|termbin\.com|ix\.io|dpaste\.\w+|webhook\.site|anonfiles\.\w+|file\.io|glot\.io)\b|\bngrok|http://|\.onion\b|base64",
);

/// Whose installers people run in this way because their own pages say so.
const INSTALLERS: [&str; 41] = [
    "sh.rustup.rs",
    "rustup.rs",
    "astral.sh",
    "get.docker.com",
    "deno.land",
    "deno.com",
    "bun.sh",
    "bun.com",
    "get.pnpm.io",
    "install.python-poetry.org",
    "deb.nodesource.com",
    "raw.githubusercontent.com/",
    "cli.github.com",
    "ollama.com",
    "ollama.ai",
    "claude.ai/install",
    "fly.io/install",
    "get.helm.sh",
    "tailscale.com",
    "cursor.com",
    "brew.sh",
    "get.sdkman.io",
    "starship.rs",
    "mise.run",
    "mise.jdx.dev",
    "nixos.org",
    "install.determinate.systems",
    "get.k3s.io",
    "bootstrap.pypa.io",
    "pyenv.run",
    "opencode.ai",
    "foundry.paradigm.xyz",
    "get.volta.sh",
    "sdk.cloud.google.com",
    "packages.microsoft.com",
    "aka.ms",
    "get.scoop.sh",
    "chocolatey.org",
    "golangci",
    "just.systems",
    "localhost",
];

/// Whether a text that came out of a hiding place does it.
pub(super) fn is_in(text: &Spots<'_>) -> bool {
    text.holds(&[&PIPED, &INSIDE, &CODE])
}

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    for range in examined.said(&[&PIPED, &INSIDE, &CODE]) {
        let line = examined.context().line(range.start);
        let is_odd = ODD_SOURCE.is_in(line);
        // Instructions repeat what the maker of a tool tells everybody; a script has no need to.
        if examined.part.is_prose() && !is_odd && INSTALLERS.iter().any(|host| line.contains(host))
        {
            continue;
        }
        let severity = if is_odd {
            Severity::Error
        } else {
            Severity::Warning
        };
        hits.push(examined.hit(
            range,
            severity,
            "what is downloaded is run at once",
            "download to a file, compare its digest with one that is written here, and run that",
        ));
    }
}
