//! Keys and passwords of other programs that are read.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::Pattern;
use crate::rule::{Examined, Hit, Rule};

static SHELL: Pattern = Pattern::new(
    r"\b(?:cat|less|more|head|tail|cp|base64|xxd|strings|get-content|gc|type|tar)\s+[\x20-\x7E]{0,60}(?:(?:\x7E|\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)[/\\](?:\.ssh[/\\]id_\w{2,12}|\.aws[/\\]credentials|\.netrc|\.git-credentials|\.pgpass|\.gnupg[/\\])|/etc/shadow)(?:[\x22'\x20)|;&`\r\n]|$)|\bsecurity\s+dump-keychain\b",
);

static CODE: Pattern = Pattern::new(
    r"\b(?:open|read_text|readFileSync|readFile|expanduser|Path|join|joinpath)\s{0,2}\([^)\n]{0,60}[\x22'](?:[^\x22'\n]{0,40}/)?(?:\.ssh/id_\w{2,12}|\.aws/credentials|\.netrc|\.git-credentials|\.pgpass|etc/shadow)[\x22']|[\x22']\.ssh[\x22']\s{0,2}[,/]\s{0,2}[\x22']id_\w{2,12}[\x22']",
);

static BROWSER: Pattern = Pattern::new(
    r"(?:Google[/\\]{1,2}Chrome|Chromium|BraveSoftware|Microsoft[/\\]{1,2}Edge|Mozilla[/\\]{1,2}Firefox|\.mozilla/firefox|\.config/google-chrome)[\x20-\x7E\t]{0,120}(?:Login\sData|[/\\\x22']Cookies\b|logins\.json|key4\.db|Local\sState|cookies\.sqlite)|\bExodus[/\\]{1,2}exodus\.wallet|\bElectrum[/\\]{1,2}wallets|nkbihfbeogaeaoehlefnkodbefgpgknn|[/\\]wallet\.dat\b",
);

pub(super) static RULE: Rule = Rule {
    code: codes::READS_CREDENTIALS,
    triggers: &[
        ".ssh",
        ".aws",
        ".netrc",
        ".git-credentials",
        ".pgpass",
        ".gnupg",
        "shadow",
        "dump-keychain",
        "chrom",
        "bravesoftware",
        "edge",
        "firefox",
        "exodus",
        "electrum",
        "nkbihf",
        "wallet.dat",
    ],
    find,
    #[cfg(test)]
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
