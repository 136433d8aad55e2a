//! Text that tells a model to keep something from the user.

use std::ops::Range;

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::spots::Spots;

static ENGLISH: Pattern = Pattern::near(
    r"\b(?:do~not|don't|never|must~not)~(?:ever~)?(?:(?:tell|inform|notify|alert)~(?:the~)?(?:user|human|operator)s?(?:~(?:about~(?:this|it|these|what~you)|of~this|that~you|what~you|why~you)|[\x20]?[.;!,]|[\x20]?$|[\x20]?[—–\n])|(?:mention|reveal|disclose|report)~(?:this|it|any~of~this|these|that|what~you~did)(?:~[a-z]{1,14}){0,2}~to~(?:the~)?(?:user|human|operator)s?|let~(?:the~)?(?:user|human|operator)s?~(?:know|see|notice|find~out)(?:~(?:about~)?(?:this|that~you|what~you|why~you|it)\b|[\x20]?[.;!,]|[\x20]?$)?)",
    &[Anchor::new(
        &[
            "|tell|",
            "|inform|",
            "|notify|",
            "|alert|",
            "|mention|",
            "|reveal|",
            "|disclose|",
            "|report|",
            "|let|",
        ],
        60,
        150,
    )
    .with(&[&["user", "human", "operator"], &["not", "n't", "never"]])],
);

static KEEP: Pattern = Pattern::near(
    r"\b(?:keep|hide|conceal)~(?:this|it|these|that|everything|all~of~this)~(?:(?:a~)?(?:secret|hidden|concealed)~)?from~(?:the~)?(?:user|human|operator)s?|(?:the~)?(?:user|human|operator)s?~(?:must|should)~(?:not|never)~(?:know|notice|see|find~out|learn|be~aware)(?:~(?:of~|about~)?(?:this|that~you|what~you)\b|[\x20]?[.;!,]|[\x20]?$)|\b(?:secretly|covertly|stealthily)~(?:send|upload|copy|forward|exfiltrate|install|run|execute|read|collect|transmit|post|append|include|add|record|log)\b|\bsilently~(?:send|upload|forward|exfiltrate|transmit|collect|post)\b",
    &[
        Anchor::new(&["|keep|", "|hide|", "|conceal|"], 2, 150)
            .with(&[&["user", "human", "operator"], &["from"]]),
        Anchor::new(
            &["know", "notice", "|see|", "find", "learn", "aware"],
            80,
            50,
        )
        .with(&[&["user", "human", "operator"], &["must", "should"]]),
        Anchor::new(
            &["|secretly|", "|covertly|", "|stealthily|", "|silently|"],
            2,
            40,
        ),
    ],
);

static WITHOUT: Pattern = Pattern::near(
    r"\bwithout~(?:ever~)?(?:telling|informing|notifying|alerting|asking|mentioning~(?:it|this)~to)~(?:the~)?(?:user|human|operator)s?",
    &[Anchor::new(&["|without|"], 2, 130).with(&[&["user", "human", "operator"]])],
);

static CHINESE: Pattern = Pattern::near(
    r"(?:不要|不得|别|別|切勿|禁止)(?:将此|把这|把此|将这)?[^。，\n]{0,4}?(?:告诉|告訴|告知|通知|提醒|透露给|让|讓)(?:用户|用戶|使用者)(?:知道|发现|察觉|发觉|知曉|這|这|此|你|。|，|；|！|\n|$)|(?:对|對|向)(?:用户|用戶|使用者)(?:保密|隐瞒|隱瞞)|(?:瞒着|瞞著|背着)(?:用户|用戶|使用者)|(?:偷偷|悄悄|暗中|秘密)地?(?:将|把)?[^。，\n]{0,12}?(?:发送|上传|转发|收集|执行|安装|發送|上傳)",
    &[
        Anchor::new(&["用户", "用戶", "使用者"], 110, 40).with(&[&[
            "告", "通知", "提醒", "透露", "让", "讓", "对", "對", "向", "瞒", "瞞", "背",
        ]]),
        Anchor::new(&["偷偷", "悄悄", "暗中", "秘密"], 4, 90).with(&[&[
            "发送", "上传", "转发", "收集", "执行", "安装", "發送", "上傳",
        ]]),
    ],
);

static JAPANESE: Pattern = Pattern::near(
    r"(?:ユーザー?|利用者)(?:に|には)(?:この(?:こと|件)を)?(?:絶対に)?(?:知らせ|伝え|言わ|教え|気づかれ|報告し)(?:ない(?:で|こと|よう)|ず|るな)|(?:密かに|こっそり|秘密裏に)[^。\n]{0,30}(?:送信|アップロード|実行|転送|収集)",
    &[
        Anchor::new(&["ユーザ", "利用者"], 4, 160).with(&[&[
            "知らせ",
            "伝え",
            "言わ",
            "教え",
            "気づかれ",
            "報告",
        ]]),
        Anchor::new(&["密かに", "こっそり", "秘密裏に"], 4, 160),
    ],
);

static OTHERS: Pattern = Pattern::near(
    r"\b(?:sage?n?|erzahle?|verrate?)~(?:sie~)?(?:es~)?(?:dem|der)~(?:nutzer|benutzer|anwender)(?:in)?~(?:nichts|nicht)|\bohne~dass~(?:der|die)~(?:nutzer|benutzer|anwender)(?:in)?~(?:es~|davon~|etwas~)?(?:merkt|bemerkt|erfahrt|weiß)|\bne~(?:le~)?(?:dis|dites|revele|revelez|mentionne|mentionnez|parle|parlez)~(?:rien|pas~cela|pas~ceci|jamais~cela)~(?:de~cela~)?a~l'utilisateur|a~l'insu~de~l'utilisateur|\bno~(?:se~lo~|le~)?(?:digas|diga|informes|menciones|reveles|avises)~(?:(?:nada|esto)~)?(?:de~esto~)?al~usuario|\bsin~que~el~usuario~(?:lo~)?(?:sepa|note|se~entere)|\bnao~(?:conte|diga|informe|mencione|avise)~(?:isso~|nada~)?(?:disso~)?(?:ao|para~o)~usuario|не~(?:сообщай|говори|рассказывай|упоминай)(?:те)?~(?:об~этом~|это~|ничего~)?пользовател|(?:тайно|незаметно|скрытно)~(?:отправ|загруз|скопир|выполн|передай)|사용자(?:에게|가|한테)[^.\n]{0,8}(?:알리지~?(?:마|말|않)|말하지~?(?:마|말|않)|모르게|눈치채지)",
    &[
        Anchor::new(&["nutzer", "anwender"], 90, 80),
        Anchor::new(&["utilisateur"], 130, 4),
        Anchor::new(&["usuario", "usuario"], 110, 70),
        Anchor::new(&["пользовател"], 160, 4),
        Anchor::new(&["айно", "езаметно", "крытно"], 6, 100),
        Anchor::new(&["사용자"], 4, 100),
    ],
);

pub(super) static RULE: Rule = Rule {
    code: codes::HIDES_FROM_USER,
    find,
    patterns: &[&ENGLISH, &KEEP, &WITHOUT, &CHINESE, &JAPANESE, &OTHERS],
};

static ORDERS: &[&Pattern] = &[&ENGLISH, &KEEP, &CHINESE, &JAPANESE, &OTHERS];

/// What is a demand of honesty as often: "never … without telling the user".
static DOUBTFUL: &[&Pattern] = &[&WITHOUT];

/// What was found, where it is the model that has to be silent, about what it does. Batch runs that notify nobody, dialogs
/// that users do not see and statistics that are collected silently are ways of applications.
static CLEAR: Pattern = Pattern::new(
    r"(?s)(?:about~(?:this|it|these|what~you)|of~this|(?:that|what|why)~you)$|\btell~(?:the~)?(?:user|human|operator)\W*$|(?:know|notice|find~out|learn|be~aware)(?:~(?:of~|about~)?(?:this|it))?[\x20.;!,]*$|~(?:mention|reveal|disclose|report)~|^(?:keep|conceal)\b|^hide~(?:this|everything|all~of~this)\b.*[^s]$|^(?:secretly|covertly|stealthily)\b|^[^\n]{0,16}(?:告诉|告訴|告知|透露)|隐瞒|隱瞞|保密|瞒着|瞞著|背着|^(?:偷偷|暗中)|^(?:密かに|秘密裏に)|この|絶対に|気づかれ|\b(?:nichts|rien|cela|ceci|nada|esto|isso)\b|об~этом|ничего|^(?:тайно|скрытно)|(?:알리지|말하지)~?마",
);

/// What is done behind somebody's back, where it is no matter of taste.
static SENDS: Pattern = Pattern::new(
    r"\b(?:send|upload|forward|transmit|exfiltrate|leak|share|delete|install)s?\b[^.\n]{0,80}$",
);

/// Whether a text that came out of a hiding place says it.
pub(super) fn is_in(spots: &Spots<'_>, text: &str) -> bool {
    ORDERS.iter().any(|pattern| {
        let places = spots.places(pattern);
        let mut found = places.into_iter().filter_map(|range| text.get(range));
        found.any(|found| CLEAR.is_in(found))
    })
}

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.part.is_prose() {
        return;
    }
    for range in examined.said(ORDERS) {
        let found = examined.text().get(range.clone()).unwrap_or_default();
        let is_clear = CLEAR.is_in(found) && !examined.context().is_reported(range.start);
        hits.push(hit(examined, range, is_clear));
    }
    for range in examined.places(DOUBTFUL) {
        let context = examined.context();
        // "Never delete anything without telling the user" is the opposite.
        if examined.part.is_shown_unasked()
            && !context.is_refused(range.start)
            && !context.is_mentioned(&range)
        {
            let is_clear = SENDS.is_in(context.before(range.start));
            hits.push(hit(examined, range, is_clear));
        }
    }
}

fn hit(examined: &Examined<'_>, range: Range<usize>, is_clear: bool) -> Hit {
    let severity = if is_clear {
        examined.graver_if_shown()
    } else {
        Severity::Warning
    };
    examined.hit(
        range,
        severity,
        "it tells a model to keep something from the user",
        "remove it; say instead what the user is to be told",
    )
}
