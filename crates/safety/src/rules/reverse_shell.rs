//! A shell that is opened for somebody elsewhere.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::Pattern;
use crate::rule::{Examined, Hit, Rule};

static SHELL: Pattern = Pattern::new(
    r"\b(?:ba|z|k)?sh\s+-i\b[\x20-\x7E]{0,40}/dev/(?:tcp|udp)/|/dev/(?:tcp|udp)/[\w.$\{\}-]{1,60}/[\w$\{\}]{1,20}[\x20-\x7E]{0,20}(?:0<?>?&1|<&1|0>&1|2>&1\s*0|\|\s{0,4}(?:ba)?sh\b)|\bexec\s+\d{1,3}<>\s{0,2}/dev/tcp/[\x20-\x7E\t]{1,100}[\r\n;]{1,4}[\x20-\x7E\t]{0,80}(?:<&\d|\bsh\b)|\bn(?:c|cat|etcat)\b[\x20-\x7E]{0,80}\s-\w{0,4}[ec]\w{0,4}\s+[\x22']?(?:/bin/|/usr/bin/)?(?:ba|z)?(?:sh\b|cmd\.exe|powershell)|\bmkfifo\s+\S{1,60}[\x20-\x7E]{0,100}\bn(?:c|cat)\b|\bsocat\b[\x20-\x7E]{0,100}\bexec:[\x22']?(?:/bin/)?(?:ba)?sh",
);

static CODE: Pattern = Pattern::new(
    r"\bsocket\.socket\([\x20-\x7E\t\r\n]{0,400}?\bos\.dup2\(|\bNet\.Sockets\.TCPClient\([\x20-\x7E\t\r\n]{0,600}?(?:\biex\b|invoke-expression)|\bpty\.spawn\(\s{0,2}[\x22'](?:/bin/)?(?:ba)?sh[\x22'][\x20-\x7E\t\r\n]{0,200}?socket|\bfsockopen\([\x20-\x7E\t]{0,80}\)[\x20-\x7E\t]{0,40}(?:exec|proc_open|shell_exec)\(|\bnet\.(?:Socket|connect)\([\x20-\x7E\t\r\n]{0,300}?\bspawn\(\s{0,2}[\x22'](?:/bin/)?(?:ba)?sh[\x22']",
);

pub(super) static RULE: Rule = Rule {
    code: codes::REVERSE_SHELL,
    triggers: &[
        "/dev/tcp",
        "/dev/udp",
        "nc ",
        "ncat",
        "netcat",
        "mkfifo",
        "socat",
        "os.dup2",
        "tcpclient",
        "pty.spawn",
        "fsockopen",
        "net.socket",
        "net.connect",
    ],
    find,
    #[cfg(test)]
    patterns: &[&SHELL, &CODE],
};

/// Whether a text that came out of a hiding place does it.
pub(super) fn is_in(text: &str) -> bool {
    SHELL.is_in(text) || CODE.is_in(text)
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
