//! Keys and passwords of other programs that are read.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};

static SHELL: Pattern = Pattern::near(
    r"\b(?:cat|less|more|head|tail|cp|base64|xxd|strings|get-content|gc|type|tar)\s+[\x20-\x7E]{0,60}(?:(?:\x7E|\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)[/\\](?:\.ssh[/\\]id_\w{2,12}|\.aws[/\\]credentials|\.netrc|\.git-credentials|\.pgpass|\.gnupg[/\\])|/etc/shadow)(?:[\x22'\x20)|;&`\r\n]|$)|\bsecurity\s+dump-keychain\b",
    &[
        Anchor::new(
            &[
                ".ssh",
                ".aws",
                ".netrc",
                ".git-credentials",
                ".pgpass",
                ".gnupg",
                "/etc/shadow",
            ],
            140,
            40,
        )
        .with(&[&[
            "cat",
            "less",
            "more",
            "head",
            "tail",
            "cp",
            "base64",
            "xxd",
            "strings",
            "get-content",
            "gc",
            "type",
            "tar",
        ]]),
        Anchor::new(&["dump-keychain"], 40, 2),
    ],
);

static CODE: Pattern = Pattern::near(
    r"\b(?:open|read_text|readFileSync|readFile|expanduser|Path|join|joinpath)\s{0,2}\([^)\n]{0,60}[\x22'](?:[^\x22'\n]{0,40}/)?(?:\.ssh/id_\w{2,12}|\.aws/credentials|\.netrc|\.git-credentials|\.pgpass|etc/shadow)[\x22']|[\x22']\.ssh[\x22']\s{0,2}[,/]\s{0,2}[\x22']id_\w{2,12}[\x22']",
    &[Anchor::new(
        &[
            ".ssh",
            ".aws",
            ".netrc",
            ".git-credentials",
            ".pgpass",
            "etc/shadow",
        ],
        190,
        40,
    )],
);

static BROWSER: Pattern = Pattern::near(
    r"(?:Google[/\\]{1,2}Chrome|Chromium|BraveSoftware|Microsoft[/\\]{1,2}Edge|Mozilla[/\\]{1,2}Firefox|\.mozilla/firefox|\.config/google-chrome)[\x20-\x7E\t]{0,120}(?:Login\sData|[/\\\x22']Cookies\b|logins\.json|key4\.db|Local\sState|cookies\.sqlite)|\bExodus[/\\]{1,2}exodus\.wallet|\bElectrum[/\\]{1,2}wallets|nkbihfbeogaeaoehlefnkodbefgpgknn|[/\\]wallet\.dat\b",
    &[
        Anchor::new(
            &[
                "chrome",
                "chromium",
                "bravesoftware",
                "edge",
                "firefox",
                "exodus",
            ],
            12,
            180,
        )
        .with(&[&[
            "login",
            "cookies",
            "logins.json",
            "key4.db",
            "local",
            "exodus.wallet",
        ]]),
        Anchor::new(&["|electrum"], 2, 30),
        Anchor::new(&["nkbihf"], 2, 40),
        Anchor::new(&["wallet.dat"], 4, 4),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::READS_CREDENTIALS,
    find,
    patterns: &[&SHELL, &CODE, &BROWSER],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if examined.part.is_shown_unasked() {
        return;
    }
    for range in examined.said(&[&SHELL, &CODE, &BROWSER]) {
        hits.push(examined.hit(
            range,
            Severity::Warning,
            "keys or passwords that belong to other programs are read",
            "take what the skill needs from an environment variable or from the user",
        ));
    }
}
