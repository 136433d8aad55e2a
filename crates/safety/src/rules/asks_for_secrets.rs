//! The user is to be asked for what nobody should be asked for.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};

static ENGLISH: Pattern = Pattern::near(
    r"\b(?:ask|prompt|request|tell|instruct|have|get|convince|persuade|urge)~(?:the~)?(?:user|them|human)s?~(?:for|to~(?:enter|paste|type|provide|give|share|send|reveal|input|confirm))~(?:you~|me~|us~)?(?:their|the|his|her|a|your)?~?(?:[\w'-]{1,12}~){0,2}(?:seed~phrase|recovery~(?:phrase|codes?)|mnemonic~phrase|secret~phrase|wallet~(?:private~)?key|private~key|(?:login|sudo|system|account|bank|email|master|keychain|windows|mac|admin|root|administrator)~password|password|2fa~code|two-factor~code|one-time~(?:code|password)|otp|cvv|card~number|social~security~number|ssn)s?\b|\b(?:enter|paste|type|provide|reply~with)~your~(?:[\w'-]{1,12}~){0,2}(?:seed~phrase|recovery~phrase|mnemonic|wallet~key|private~key|bank~password|card~number|cvv)\b",
    &[Anchor::new(
        &[
            "seed|",
            "|seed|",
            "|recovery|",
            "mnemonic",
            "|phrase",
            "|private|",
            "|wallet|",
            "password",
            "|2fa|",
            "|two-factor|",
            "|one-time|",
            "|otp",
            "|cvv",
            "|card|",
            "|social|",
            "|ssn",
        ],
        260,
        50,
    )
    .with(&[
        &["user", "them", "human", "your"],
        &[
            "ask", "prompt", "request", "tell", "instruct", "have", "get", "convince", "persuade",
            "urge", "enter", "paste", "type", "provide", "reply",
        ],
    ])],
);

static CHINESE: Pattern = Pattern::near(
    r"(?:要求|让|請|请|詢問|询问|讓|引导|诱导)(?:用户|用戶|使用者)(?:在此|先)?(?:输入|提供|粘贴|发送|告诉|輸入|说出)[^。\n]{0,12}(?:助记词|私钥|恢复短语|支付密码|银行卡|登录密码|验证码|助記詞|私鑰|系统密码|管理员密码)|(?:ユーザー?|利用者)に[^。\n]{0,16}(?:パスワード|秘密鍵|リカバリーフレーズ|シードフレーズ|認証コード|暗証番号)[^。\n]{0,6}(?:を入力させ|を入力するよう|を尋ね|を聞い|を求め|を送るよう)|\bfrage?n?~(?:sie~)?(?:den|die)~(?:nutzer|benutzer|anwender)(?:in)?~nach~(?:dem|der|seinem|seiner|ihrem|ihrer)~[^.\n]{0,12}(?:passwort|kennwort|pin\b|wiederherstellungsphrase)|\b(?:pide|pida|solicita)~al~usuario~(?:su|la|el)~[^.\n]{0,12}(?:contrasena|frase~semilla|clave~privada)|\bdemande[zr]?~a~l'utilisateur~(?:son|sa|le|la)~[^.\n]{0,12}(?:mot~de~passe|phrase~de~recuperation|cle~privee)|(?:попроси|запроси|спроси)(?:те)?~у?~?пользователя?~[^.\n]{0,16}(?:пароль|сид-фраз|приватный~ключ|код~из~смс)",
    &[
        Anchor::new(
            &[
                "助记词",
                "私钥",
                "恢复短语",
                "支付密码",
                "银行卡",
                "登录密码",
                "验证码",
                "助記詞",
                "私鑰",
                "系统密码",
                "管理员密码",
            ],
            130,
            4,
        )
        .with(&[&["用户", "用戶", "使用者"]]),
        Anchor::new(
            &["パスワード", "秘密鍵", "フレーズ", "認証コード", "暗証番号"],
            160,
            90,
        )
        .with(&[&["ユーザ", "利用者"]]),
        Anchor::new(
            &["passwort", "kennwort", "|pin|", "wiederherstellungsphrase"],
            170,
            4,
        )
        .with(&[&["nutzer", "anwender"]]),
        Anchor::new(&["contrasena", "semilla", "privada"], 140, 4).with(&[&["usuario"]]),
        Anchor::new(&["|passe|", "cuperation", "|privee|"], 150, 4).with(&[&["utilisateur"]]),
        Anchor::new(&["парол", "сид-фраз", "|ключ|", "|смс|"], 200, 20).with(&[&["пользовател"]]),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::ASKS_FOR_SECRETS,
    find,
    patterns: &[&ENGLISH, &CHINESE],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.part.is_prose() {
        return;
    }
    for range in examined.said(&[&ENGLISH, &CHINESE]) {
        hits.push(examined.hit(
            range,
            Severity::Warning,
            "the user is to be asked for a password, a phrase or a code",
            "have the user enter it where it belongs; a model needs none of these",
        ));
    }
}
