//! Changes of start-up files and of the configuration of agents.

use metier_diagnostics::Severity;

use crate::codes;
use crate::part::Part;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};

static SHELL: Pattern = Pattern::near(
    r">>?\s{0,4}[\x22']?[\w$\{\}./\x7E-]{0,60}(?:\.(?:bashrc|bash_profile|zshrc|zprofile|profile|zshenv|config/fish/config\.fish)\b|(?:\.claude/(?:settings(?:\.local)?\.json|CLAUDE\.md)|CLAUDE\.md|AGENTS\.md|GEMINI\.md|\.cursorrules|\.cursor/(?:rules|mcp\.json)|\.mcp\.json|claude_desktop_config\.json|copilot-instructions\.md|\.codex/config\.toml))|\btee\s+(?:-a\s+)?[\x22']?[\w$\{\}./\x7E-]{0,60}(?:\.(?:bashrc|bash_profile|zshrc|zprofile|profile|zshenv|config/fish/config\.fish)\b|(?:\.claude/(?:settings(?:\.local)?\.json|CLAUDE\.md)|CLAUDE\.md|AGENTS\.md|GEMINI\.md|\.cursorrules|\.cursor/(?:rules|mcp\.json)|\.mcp\.json|claude_desktop_config\.json|copilot-instructions\.md|\.codex/config\.toml))|>>?\s{0,4}[\x22']?[\w$\{\}./\x7E-]{0,60}(?:/authorized_keys\b|LaunchAgents/|/etc/profile\.d/|/etc/cron|/etc/rc\.local|\.git/hooks/|autostart/|userSetup\.(?:py|mel)\b)|\|\s{0,4}crontab\b|\bcrontab\s+-(?:\s|$)|\breg(?:\.exe)?\s+add\s+[\x20-\x7E]{0,100}CurrentVersion\\{1,2}Run|\b(?:new|set)-itemproperty\b[\x20-\x7E]{0,120}CurrentVersion\\{1,2}Run|\bschtasks(?:\.exe)?\s+/create\b|\blaunchctl\s+(?:load|bootstrap)\b|\bsystemctl\s+(?:--user\s+)?enable\b",
    &[
        Anchor::new(
            &[
                ".bashrc",
                ".bash_profile",
                ".zshrc",
                ".zprofile",
                ".profile",
                ".zshenv",
                "config.fish",
                ".claude/",
                "claude.md",
                "agents.md",
                "gemini.md",
                ".cursorrules",
                ".cursor/",
                ".mcp.json",
                "claude_desktop_config",
                "copilot-instructions",
                ".codex/",
                "/authorized_keys",
                "launchagents/",
                "/etc/profile.d",
                "/etc/cron",
                "/etc/rc.local",
                ".git/hooks",
                "autostart/",
                "usersetup",
            ],
            160,
            40,
        )
        .with(&[&[">", "tee"]]),
        Anchor::new(&["crontab"], 10, 12),
        Anchor::new(&["currentversion"], 150, 12),
        Anchor::new(&["|schtasks"], 2, 20),
        Anchor::new(&["|launchctl|"], 2, 20),
        Anchor::new(&["|systemctl|"], 2, 30),
    ],
);

static CODE: Pattern = Pattern::near(
    r"\b(?:open|Path|expanduser|join|joinpath|writeFileSync|appendFileSync|writeFile|appendFile)\s{0,2}\([^)\n]{0,80}(?:\.(?:bashrc|bash_profile|zshrc|zprofile|profile|zshenv|config/fish/config\.fish)\b|(?:\.claude/(?:settings(?:\.local)?\.json|CLAUDE\.md)|CLAUDE\.md|AGENTS\.md|GEMINI\.md|\.cursorrules|\.cursor/(?:rules|mcp\.json)|\.mcp\.json|claude_desktop_config\.json|copilot-instructions\.md|\.codex/config\.toml)|authorized_keys\b|LaunchAgents/|\.git/hooks/|userSetup\.(?:py|mel)\b)[\x22'][\x20-\x7E\t]{0,60}(?:[\x22'][aw]b?\+?[\x22']|write_text|write\(|append)|\b(?:writeFileSync|appendFileSync|writeFile|appendFile)\s{0,2}\([\x20-\x7E\t]{0,80}(?:\.(?:bashrc|bash_profile|zshrc|zprofile|profile|zshenv|config/fish/config\.fish)\b|(?:\.claude/(?:settings(?:\.local)?\.json|CLAUDE\.md)|CLAUDE\.md|AGENTS\.md|GEMINI\.md|\.cursorrules|\.cursor/(?:rules|mcp\.json)|\.mcp\.json|claude_desktop_config\.json|copilot-instructions\.md|\.codex/config\.toml)|authorized_keys|\.git/hooks/)|\bcmds\.(?:scriptNode|scriptJob)\s{0,2}\([\x20-\x7E\t]{0,160}(?:exec|eval|import\s+(?:vaccine|userSetup))",
    &[
        Anchor::new(
            &[
                ".bashrc",
                ".bash_profile",
                ".zshrc",
                ".zprofile",
                ".profile",
                ".zshenv",
                "config.fish",
                ".claude/",
                "claude.md",
                "agents.md",
                "gemini.md",
                ".cursorrules",
                ".cursor/",
                ".mcp.json",
                "claude_desktop_config",
                "copilot-instructions",
                ".codex/",
                "authorized_keys",
                "launchagents/",
                ".git/hooks",
                "usersetup",
            ],
            150,
            120,
        )
        .with(&[&[
            "open",
            "path",
            "expanduser",
            "join",
            "writefile",
            "appendfile",
        ]]),
        Anchor::new(&["scriptnode", "scriptjob"], 8, 230),
    ],
);

static TAINTED: Pattern = Pattern::near(
    r"(?:curl|wget|/dev/tcp|base64|\beval\b|\bnc\s)[\x20-\x7E]{0,200}(?:>>?|tee\s+-a)\s{0,4}[\x22']?[\w$\{\}./\x7E-]{0,60}\.(?:bashrc|bash_profile|zshrc|profile)\b",
    &[
        Anchor::new(&[".bashrc", ".bash_profile", ".zshrc", ".profile"], 400, 6)
            .with(&[&["curl", "wget", "/dev/tcp", "base64", "eval", "nc"]]),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::START_UP_CHANGE,
    find,
    patterns: &[&SHELL, &CODE, &TAINTED],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    let patterns: &[&Pattern] = match examined.part {
        Part::Script => &[&SHELL, &CODE],
        // Instructions tell people where to set a variable; only a line that fetches or runs something is odd there.
        Part::Body => &[&TAINTED],
        _ => return,
    };
    for range in examined.said(patterns) {
        hits.push(examined.hit(
            range,
            Severity::Warning,
            "a start-up file or the configuration of an agent is changed",
            "tell the user what to change, and let them do it",
        ));
    }
}
