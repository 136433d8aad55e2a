//! Secrets, files or the conversation that are sent away.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::spots::Spots;

static COMMAND: Pattern = Pattern::near(
    r"\b(?:curl|wget|nc|ncat|scp|rsync|http)\b[\x20-\x7E]{0,200}(?:@|<\s{0,2}|\$\(\s{0,2}cat\s+|\x22\$\(cat\s+|=@|\s)[\x22']?[\w./\x7E${}-]{0,60}(?:\.ssh/|id_rsa\b|id_ed25519\b|\.aws/credentials|\.env\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials|\.kube/config|\.gnupg|/etc/shadow|/etc/passwd|Login\sData|cookies\.sqlite|\.docker/config\.json|\.bash_history|\.zsh_history|wallet\.dat)[\x20-\x7E]{0,120}(?:https?://|@|:|\d{2,5}\b)|\b(?:curl|wget)\b[\x20-\x7E]{0,160}(?:https?://|\$\w)[\x20-\x7E]{0,160}(?:@|\$\(\s{0,2}cat\s+)[\x22']?[\w./\x7E${}-]{0,60}(?:\.ssh/|id_rsa\b|id_ed25519\b|\.aws/credentials|\.env\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials|\.kube/config|\.gnupg|/etc/shadow|/etc/passwd|Login\sData|cookies\.sqlite|\.docker/config\.json|\.bash_history|\.zsh_history|wallet\.dat)|\b(?:env|printenv|set)\s{0,2}\|[\x20-\x7E]{0,80}\b(?:curl|wget|nc|ncat|socat)\b|\b(?:cat|base64|tar|gzip|zip)\b[\x20-{}\x7E]{0,120}(?:\.ssh/|id_rsa\b|id_ed25519\b|\.aws/credentials|\.env\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials|\.kube/config|\.gnupg|/etc/shadow|/etc/passwd|Login\sData|cookies\.sqlite|\.docker/config\.json|\.bash_history|\.zsh_history|wallet\.dat)[\x20-{}\x7E]{0,60}\|[\x20-\x7E]{0,60}\b(?:curl|wget|nc|ncat|socat)\b",
    &[
        Anchor::new(
            &[
                ".ssh/",
                "id_rsa",
                "id_ed25519",
                ".aws/credentials",
                ".env|",
                ".netrc",
                ".npmrc",
                ".pypirc",
                ".git-credentials",
                ".kube/config",
                ".gnupg",
                "/etc/shadow",
                "/etc/passwd",
                "login",
                "cookies.sqlite",
                ".docker/config",
                ".bash_history",
                ".zsh_history",
                "wallet.dat",
            ],
            480,
            260,
        )
        .with(&[&[
            "curl", "wget", "nc", "ncat", "scp", "rsync", "http", "socat",
        ]]),
        Anchor::new(&["|curl|", "|wget|", "|nc|", "|ncat|", "|socat|"], 110, 4)
            .with(&[&["|"], &["env", "set"]]),
    ],
);

static CODE: Pattern = Pattern::near(
    r"\b(?:requests|httpx|session|client|urllib\.request)\.(?:post|put|request|Request)\([\x20-\x7E\t]{0,200}(?:dict\(\s{0,2}os\.environ\s{0,2}\)|(?:json|data)\s{0,2}=\s{0,2}(?:os\.environ\s{0,2}[,)]|json\.dumps\(\s{0,2}(?:dict\()?os\.environ))|\bfetch\([\x20-\x7E\t]{0,240}JSON\.stringify\(\s{0,2}process\.env\s{0,2}\)|\baxios\.post\([\x20-\x7E\t]{0,200}process\.env\s{0,2}[,)}]",
    &[
        Anchor::new(&["os.environ"], 280, 12).with(&[&[".post", ".put", ".request"]]),
        Anchor::new(&["process.env"], 290, 14).with(&[&["fetch", "axios"]]),
    ],
);

static COLLECTOR: Pattern = Pattern::near(
    r"\b(?:webhook\.site/[\w-]{4,}|[\w-]{4,}\.requestbin\.(?:com|net)|[\w-]{6,}\.(?:m|x)\.pipedream\.net|[\w.-]{4,}\.oast\.(?:pro|live|fun|me|site|online)|[\w.-]{4,}\.(?:burpcollaborator\.net|interact\.sh|oastify\.com|dnslog\.cn)|requestcatcher\.com/[\w-]{2,}|discord(?:app)?\.com/api/webhooks/\d{15,}/[\w-]{40,}|hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{20,}|api\.telegram\.org/bot\d{6,}:[\w-]{30,})",
    &[Anchor::new(
        &[
            "webhook.site",
            "requestbin",
            "pipedream",
            "oast",
            "burpcollaborator",
            "interact.sh",
            "dnslog",
            "requestcatcher",
            "api/webhooks",
            "hooks.slack",
            "api.telegram",
        ],
        200,
        160,
    )],
);

static TOLD: Pattern = Pattern::near(
    r"\b(?:send|upload|forward|transmit|exfiltrate|email|leak|post|submit|copy|append)~[\x20-\x7E]{0,60}?\b(?:conversations?|chat~(?:history|logs?)|user'?s?~(?:messages|prompts|files|data)|api~?keys?|environment~variables|env~vars|credentials|passwords?|secrets|access~tokens?|private~keys?|ssh~keys?|\.env(?:~files?)?|session~cookies|system~prompt)\b[\x20-\x7E]{0,60}?~to~[\x20-\x7E]{0,40}?(?:https?://|www\.|[\w.-]{2,}@[\w.-]{2,}\.[a-z]{2,}|\bwebhook|\b(?:my|our|the~attacker's|a~remote|an~external)~(?:server|endpoint))",
    &[Anchor::new(
        &[
            "conversation",
            "|chat|",
            "|user",
            "|api|",
            "|apikey",
            "|environment|",
            "|env|",
            "|credentials|",
            "|password",
            "|secrets|",
            "|access|",
            "|accesstoken",
            "|private|",
            "|ssh",
            ".env",
            "|session|",
            "|system|",
        ],
        110,
        260,
    )
    .with(&[
        &[
            "send",
            "upload",
            "forward",
            "transmit",
            "exfiltrate",
            "email",
            "leak",
            "post",
            "submit",
            "copy",
            "append",
        ],
        &["http", "www", "@", "webhook", "server", "endpoint"],
    ])],
);

static CHINESE: Pattern = Pattern::near(
    r"(?:对话|聊天记录|对话历史|密钥|密鑰|密码|密碼|凭证|凭据|環境變數|环境变量|私钥|私鑰|系统提示词?|cookie)[^。\n]{0,20}(?:发送|上传|提交|转发|传输|泄露|發送|上傳)(?:到|至|给|給)[^。\n]{0,20}(?:https?://|远程|外部|攻击者|邮箱|webhook)|(?:会話|認証情報|パスワード|APIキー|秘密鍵|環境変数)[^。\n]{0,30}(?:https?://)[^。\n]{0,80}(?:送信|送って|送る|アップロード|転送)|(?:대화|비밀번호|환경\s?변수|자격\s?증명|API\s?키)[^.\n]{0,20}https?://[^\s]{0,80}[^.\n]{0,8}(?:보내|전송|업로드)",
    &[
        Anchor::new(
            &[
                "发送", "上传", "提交", "转发", "传输", "泄露", "發送", "上傳",
            ],
            160,
            200,
        )
        .with(&[&["http", "远程", "外部", "攻击者", "邮箱", "webhook"]]),
        Anchor::new(&["送信", "送って", "送る", "アップロード", "転送"], 620, 4).with(&[&["http"]]),
        Anchor::new(&["보내", "전송", "업로드"], 300, 4).with(&[&["http"]]),
    ],
);

static OTHERS: Pattern = Pattern::near(
    r"\b(?:sende|schicke|senden~sie|schicken~sie|ubertrage|lade)~[^.\n]{0,60}(?:passworter|zugangsdaten|schlussel|umgebungsvariablen|gesprach\w*|verlauf)[^.\n]{0,60}~an~[^\n]{0,30}(?:https?://|[\w.-]{2,}@)|\b(?:envoie|envoyez|transmets|transmettez)~[^.\n]{0,60}(?:mots~de~passe|identifiants|cles|conversation|variables~d'environnement)[^.\n]{0,60}~(?:a|vers)~[^\n]{0,30}(?:https?://|[\w.-]{2,}@)|\b(?:envia|envie|envia|envie|manda|sube)~[^.\n]{0,60}(?:contrasenas|credenciales|claves|conversacion|variables~de~entorno|senhas|credenciais|chaves)[^.\n]{0,60}~(?:a|para)~[^\n]{0,30}(?:https?://|[\w.-]{2,}@)|(?:отправь|отправьте|загрузи|передай)(?:те)?~[^.\n]{0,60}(?:парол|ключи|переписк|переменные~окружения|учётные~данные|диалог)[^.\n]{0,60}~на~[^\n]{0,30}(?:https?://|[\w.-]{2,}@)",
    &[Anchor::new(
        &[
            "|sende",
            "|schick",
            "bertrage|",
            "|lade|",
            "|envoie",
            "|envoyez|",
            "|transmet",
            "|envia|",
            "|envie|",
            "|envia|",
            "|envie|",
            "|manda|",
            "|sube|",
            "тправь",
            "агрузи",
            "ередай",
        ],
        8,
        520,
    )
    .with(&[&["http", "@"]])],
);

static IMAGE: Pattern = Pattern::near(
    r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,160}[?&][\w-]{1,20}=(?:\{|\$|<|%7B|\[)[^)\n]{0,40}(?:conversation|secret|token|api.?key|history|password|context|prompt|chat|env)",
    &[Anchor::new(&["!["], 2, 420).with(&[
        &[
            "conversation",
            "secret",
            "token",
            "key",
            "history",
            "password",
            "context",
            "prompt",
            "chat",
            "env",
        ],
        &["?", "&"],
    ])],
);

pub(super) static RULE: Rule = Rule {
    code: codes::SENDS_SECRETS,
    find,
    patterns: &[
        &COMMAND, &CODE, &COLLECTOR, &TOLD, &CHINESE, &OTHERS, &IMAGE,
    ],
};

/// What no interface asks for. A key or a token is sent to whoever gave it with every request.
static PRIVATE: Pattern = Pattern::new(
    r"\b(?:the|this|our|whole|entire|full)~(?:conversations?|chat)\b|conversation~history|environment~variables|env~vars|private~keys?|ssh~keys?|\.env\b|session~cookies|system~prompt|\b(?:all|every|any|found|these|those)\b[^.]{0,40}(?:keys?|credentials|passwords?|secrets|tokens?)|!\[|[^\x00-\x7F]|zugangsdaten|passworter|identifiants|mots~de~passe|contrasenas|credenciales|senhas|credenciais",
);

/// Addresses on the machine or in the house of whoever sends.
static OF_THE_USER: Pattern = Pattern::new(
    r"^(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)\b|^[\w-]+(?:[:/,;)]|\.?$)|^[\w.-]+\.(?:local|lan|internal|intranet)\b",
);

static DONE: &[&Pattern] = &[&COMMAND, &CODE];
static ASKED: &[&Pattern] = &[&TOLD, &CHINESE, &OTHERS, &IMAGE];
const HELP: &str = "remove it, or have the user choose what is sent and where";

/// Whether a text that came out of a hiding place says or does it.
pub(super) fn is_in(text: &Spots<'_>) -> bool {
    text.holds(DONE) || text.holds(ASKED)
}

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    for range in examined.said(DONE) {
        hits.push(examined.hit(
            range,
            Severity::Error,
            "files with secrets, or the environment, are sent away",
            HELP,
        ));
    }
    for range in examined.said(&[&COLLECTOR]) {
        let message = "an address that collects whatever is sent to it";
        hits.push(examined.hit(range, Severity::Warning, message, HELP));
    }
    if examined.part.is_prose() {
        for range in examined.said(ASKED) {
            let found = examined.text().get(range.clone()).unwrap_or_default();
            let is_clear = PRIVATE.is_in(found)
                && !is_sent_home(examined, found, range.end)
                && !examined.context().is_reported(range.start);
            let severity = if is_clear {
                examined.graver_if_shown()
            } else {
                Severity::Warning
            };
            let message = "it tells a model to send secrets or the conversation away";
            hits.push(examined.hit(range, severity, message, HELP));
        }
    }
}

/// Whether it is sent to an address of the user's own.
fn is_sent_home(examined: &Examined<'_>, found: &str, end: usize) -> bool {
    let address = examined.context().after(end, 60).split_whitespace().next();
    found.ends_with("://") && address.is_some_and(|address| OF_THE_USER.is_in(address))
}
