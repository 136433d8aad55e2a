//! A shell that is opened for somebody elsewhere.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::spots::Spots;

static SHELL: Pattern = Pattern::near(
    r"\b(?:ba|z|k)?sh\s+-i\b[\x20-\x7E]{0,40}/dev/(?:tcp|udp)/|/dev/(?:tcp|udp)/[\w.$\{\}-]{1,60}/[\w$\{\}]{1,20}[\x20-\x7E]{0,20}(?:0<?>?&1|<&1|0>&1|2>&1\s*0|\|\s{0,4}(?:ba)?sh\b)|\bexec\s+\d{1,3}<>\s{0,2}/dev/tcp/[\x20-\x7E\t]{1,100}[\r\n;]{1,4}[\x20-\x7E\t]{0,80}(?:<&\d|\bsh\b)|\bn(?:c|cat|etcat)\b[\x20-\x7E]{0,80}\s-\w{0,4}[ec]\w{0,4}\s+[\x22']?(?:/bin/|/usr/bin/)?(?:ba|z)?(?:sh\b|cmd\.exe|powershell)|\bmkfifo\s+\S{1,60}[\x20-\x7E]{0,100}\|\s{0,4}(?:/bin/)?(?:ba|z|k)?sh\b[\x20-{}\x7E]{0,40}\|\s{0,4}n(?:c|cat)\b|\bmkfifo\s+\S{1,60}[\x20-\x7E]{0,60}\bn(?:c|cat)\b[\x20-{}\x7E]{0,60}\|\s{0,4}(?:/bin/)?(?:ba|z|k)?sh\b|\bsocat\b[\x20-\x7E]{0,100}\bexec:(?:[\x22'](?:/bin/)?(?:ba)?sh(?:\s+-\w{1,4})?[\x22',]|(?:/bin/)?(?:ba)?sh\b)",
    &[
        Anchor::new(&["/dev/tcp/", "/dev/udp/"], 90, 300),
        Anchor::new(&["|nc|", "|ncat|", "|netcat|"], 2, 140)
            .with(&[&["-"], &["sh", "cmd", "powershell"]]),
        Anchor::new(&["|mkfifo|"], 2, 300),
        Anchor::new(&["|socat|"], 2, 130).with(&[&["exec"]]),
    ],
);

static CODE: Pattern = Pattern::near(
    r"\bsocket\.socket\([\x20-\x7E\t\r\n]{0,400}?\bos\.dup2\(|\bNet\.Sockets\.TCPClient\([\x20-\x7E\t\r\n]{0,600}?(?:\biex\b|invoke-expression)|\bpty\.spawn\(\s{0,2}[\x22'](?:/bin/)?(?:ba)?sh[\x22'][\x20-\x7E\t\r\n]{0,200}?socket|\bfsockopen\([\x20-\x7E\t]{0,80}\)[\x20-\x7E\t]{0,40}(?:exec|proc_open|shell_exec)\(|\bnet\.(?:Socket|connect)\([\x20-\x7E\t\r\n]{0,300}?\bspawn\(\s{0,2}[\x22'](?:/bin/)?(?:ba)?sh[\x22']",
    &[
        Anchor::new(&["os.dup2("], 440, 2).with(&[&["socket"]]),
        Anchor::new(&["tcpclient("], 18, 640).with(&[&["iex", "invoke-expression"]]),
        Anchor::new(&["pty.spawn("], 2, 260).with(&[&["socket"]]),
        Anchor::new(&["|fsockopen("], 2, 180),
        Anchor::new(&["net.socket(", "net.connect("], 4, 400).with(&[&["spawn"]]),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::REVERSE_SHELL,
    find,
    patterns: &[&SHELL, &CODE],
};

/// Whether a text that came out of a hiding place does it.
pub(super) fn is_in(text: &Spots<'_>) -> bool {
    text.holds(&[&SHELL, &CODE])
}

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    for range in examined.said(&[&SHELL, &CODE]) {
        hits.push(examined.hit(
            range,
            Severity::Error,
            "a shell is opened for somebody elsewhere",
            "do not use this skill",
        ));
    }
}
