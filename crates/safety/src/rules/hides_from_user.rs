//! Text that tells a model to keep something from the user.

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::spots::Spots;

static ENGLISH: Pattern = Pattern::near(
    r"\b(?:do~not|don't|never|must~not)~(?:ever~)?(?:(?:tell|inform|notify|alert)~(?:the~)?(?:user|human|operator)s?(?:~(?:about~(?:this|it|these|what~you)|of~this|that~you|what~you|why~you)|[\x20]?[.;!,]|[\x20]?$|[\x20]?[—–\n])|(?:mention|reveal|disclose|report)~(?:this|it|any~of~this|these|that|what~you~did)(?:~[a-z]{1,14}){0,2}~to~(?:the~)?(?:user|human|operator)s?|let~(?:the~)?(?:user|human|operator)s?~(?:know|see|notice|find~out))",
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
    r"\b(?:keep|hide|conceal)~(?:this|it|these|that|everything|all~of~this)~(?:(?:a~)?(?:secret|hidden|concealed)~)?from~(?:the~)?(?:user|human|operator)s?|(?:the~)?(?:user|human|operator)s?~(?:must|should)~(?:not|never)~(?:know|notice|see~this|find~out|learn|be~aware)|\b(?:secretly|covertly|stealthily)~(?:send|upload|copy|forward|exfiltrate|install|run|execute|read|collect|transmit|post|append|include|add|record|log)\b|\bsilently~(?:send|upload|forward|exfiltrate|transmit|collect|post)\b",
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
    r"\b(?:sage?n?|erzähle?|verrate?)~(?:sie~)?(?:es~)?(?:dem|der)~(?:nutzer|benutzer|anwender)(?:in)?~(?:nichts|nicht)|\bohne~dass~(?:der|die)~(?:nutzer|benutzer|anwender)(?:in)?~(?:es~|davon~|etwas~)?(?:merkt|bemerkt|erfährt|weiß)|\bne~(?:le~)?(?:dis|dites|révèle|révélez|mentionne|mentionnez|parle|parlez)~(?:rien|pas~cela|pas~ceci|jamais~cela)~(?:de~cela~)?à~l'utilisateur|à~l'insu~de~l'utilisateur|\bno~(?:se~lo~|le~)?(?:digas|diga|informes|menciones|reveles|avises)~(?:(?:nada|esto)~)?(?:de~esto~)?al~usuario|\bsin~que~el~usuario~(?:lo~)?(?:sepa|note|se~entere)|\bnão~(?:conte|diga|informe|mencione|avise)~(?:isso~|nada~)?(?:disso~)?(?:ao|para~o)~usuário|не~(?:сообщай|говори|рассказывай|упоминай)(?:те)?~(?:об~этом~|это~|ничего~)?пользовател|(?:тайно|незаметно|скрытно)~(?:отправ|загруз|скопир|выполн|передай)|사용자(?:에게|가|한테)[^.\n]{0,8}(?:알리지~?(?:마|말|않)|말하지~?(?:마|말|않)|모르게|눈치채지)",
    &[
        Anchor::new(&["nutzer", "anwender"], 90, 80),
        Anchor::new(&["utilisateur"], 130, 4),
        Anchor::new(&["usuario", "usuário"], 110, 70),
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

/// Whether a text that came out of a hiding place says it.
pub(super) fn is_in(text: &Spots<'_>) -> bool {
    text.holds(ORDERS)
}

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.part.is_prose() {
        return;
    }
    let orders = examined.told(ORDERS);
    // "Never delete anything without telling the user" is the opposite.
    let without = examined
        .places(DOUBTFUL)
        .filter(|range| {
            examined.part.is_shown_unasked() && !examined.context().is_refused(range.start)
        })
        .filter(|range| !examined.context().is_example(range));
    for range in orders.chain(without) {
        hits.push(examined.hit(
            range,
            examined.graver_if_shown(),
            "it tells a model to keep something from the user",
            "remove it; say instead what the user is to be told",
        ));
    }
}
