//! Text that tells a model to drop its own instructions.

use metier_diagnostics::Severity;

use crate::codes;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::spots::Spots;

static ENGLISH: Pattern = Pattern::near(
    r"\b(?:ignore|disregard|forget|discard|abandon|do~not~follow|don't~follow|do~not~obey|stop~(?:following|obeying))~(?:(?:all|any|every|of|the|these|those|its|other|and|or|my|security|own|built-in|default)~){0,3}(?:previous|prior|earlier|above|preceding|foregoing|your|system(?:'s)?|developer(?:'s)?|original|initial|safety|existing)~(?:(?:(?:all|any|every|of|the|these|those|its|other|and|or|my|security|own|built-in|default)|(?:previous|prior|earlier|above|preceding|foregoing|your|system(?:'s)?|developer(?:'s)?|original|initial|safety|existing))~){0,3}(?:instructions?|prompts?|rules|guidelines|directives|guardrails|commands|constraints|programming|restrictions|polic(?:y|ies)|training)\b",
    &[Anchor::new(
        &[
            "|ignore|",
            "|disregard|",
            "|forget|",
            "|discard|",
            "|abandon|",
            "not follow",
            "n't follow",
            "not obey",
            "stop following",
            "stop obeying",
        ],
        10,
        330,
    )],
);

static ENGLISH_AFTER: Pattern = Pattern::near(
    r"\b(?:ignore|disregard|forget)~(?:(?:all|any|every|of|the|your)~){0,3}(?:everything|anything|instructions?|rules|prompts?)~(?:that~)?(?:(?:(?:came|come|stated|given|written)~)?(?:above|before(?:~this)?|previously)|(?:that~)?you~(?:were|have~been|are)~(?:told|given|taught)|so~far)\b",
    &[Anchor::new(
        &["|ignore|", "|disregard|", "|forget|"],
        2,
        220,
    )],
);

static OVERRIDE: Pattern = Pattern::near(
    r"\b(?:override|bypass|circumvent|disable)~(?:(?:all|any|every|of)~){0,2}your~(?:[a-z]{1,12}~){0,2}(?:instructions?|guidelines|rules|guardrails|restrictions|safety|filters?)\b",
    &[Anchor::new(
        &["|override|", "|bypass|", "|circumvent|", "|disable|"],
        2,
        160,
    )
    .with(&[&["your"]])],
);

static FREED: Pattern = Pattern::near(
    r"\byou~are~(?:now~)?(?:no~longer~(?:bound|restricted|limited|constrained)|free~(?:of|from)~(?:all|any|your)~(?:restrictions|rules|limits)|in~(?:developer|god|dan|jailbreak|unrestricted)~mode|jailbroken|unrestricted|dan\b)|\bact~as~(?:if~you~ha(?:ve|d)~no~(?:restrictions|rules|limits|guidelines)|an?~(?:unrestricted|uncensored|unfiltered|jailbroken)\b)|\b(?:system|admin|administrator|developer)~override[\x20*]{0,3}[:!\]]|\bnew~(?:system~)?instructions?~?(?:from~(?:the~)?(?:system|developer|administrator)s?)[\x20*]{0,3}:",
    &[
        Anchor::new(
            &[
                "bound|",
                "restricted|",
                "limited|",
                "constrained|",
                "|free|",
                "jailbroken|",
                "|dan|",
                "|developer|",
                "|god|",
                "|jailbreak|",
                "|unrestricted|",
            ],
            70,
            50,
        )
        .with(&[&["are"]]),
        Anchor::new(&["|act|"], 2, 110).with(&[&["as"]]),
        Anchor::new(&["|override"], 30, 10),
        Anchor::new(&["|instruction"], 34, 90).with(&[&["from"]]),
    ],
);

static FORGED: Pattern = Pattern::near(
    r"<\|im_start\|>|<\|(?:system|start_header_id)\|>|\[/?INST\]|<</?SYS>>|</?system[_-]?(?:prompt|message|instructions?)>|^[\x20\t]*<system>[\x20\t]*[a-z]",
    &[Anchor::new(
        &[
            "<|im_start",
            "<|system",
            "<|start_header_id",
            "[inst",
            "[/inst",
            "<<sys",
            "<</sys",
            "<system",
            "</system",
        ],
        30,
        40,
    )],
);

static REVEAL: Pattern = Pattern::near(
    r"\b(?:reveal|print|repeat|output|leak|disclose|recite|dump)~(?:me~)?your~(?:(?:full|entire|complete|hidden|own|exact|secret)~){0,2}(?:system~prompts?|initial~(?:instructions|prompt)|hidden~(?:instructions|prompt)|developer~(?:message|prompt|instructions))",
    &[Anchor::new(&["prompt", "instruction", "|message|"], 110, 4).with(&[&["your"]])],
);

static CHINESE: Pattern = Pattern::near(
    r"(?:忽略|忽视|无视|無視|忘记|忘記|忘掉|不要理会|不再遵守|抛弃|不必遵守)[^。！\n]{0,6}?(?:之前|以前|先前|上述|以上|前面|此前|原有|原来|系统|系統|你的|妳的)[^。！\n]{0,8}?(?:指令|指示|提示词|提示詞|系统提示|规则|規則|命令|设定|約束|约束)",
    &[Anchor::new(
        &[
            "忽略",
            "忽视",
            "无视",
            "無視",
            "忘记",
            "忘記",
            "忘掉",
            "不要理会",
            "不再遵守",
            "抛弃",
            "不必遵守",
        ],
        4,
        150,
    )],
);

static JAPANESE: Pattern = Pattern::near(
    r"(?:以前|これまで|上記|システム|元|あなた|前)の[^。\n]{0,10}?(?:指示|命令|ルール|プロンプト|制限)[^。\n]{0,4}?[をは](?:すべて|全て|全部)?(?:無視し(?:て(?:く|、|。|,|下|か)|ろ|なさい|ましょう|、)|無視せよ|忘れ(?:て(?:く|、|。|下)|ろ|なさい))",
    &[Anchor::new(&["無視", "忘れ"], 160, 60)],
);

static KOREAN: Pattern = Pattern::near(
    r"(?:이전|앞의|위의|기존|시스템)[^.\n]{0,8}(?:지시|명령|규칙|프롬프트|지침)[^.\n]{0,6}(?:무시하(?:고|세요|라|십시오|시오)|무시해|잊어)",
    &[Anchor::new(&["무시", "잊어"], 160, 40)],
);

static EUROPEAN: Pattern = Pattern::near(
    r"\b(?:ignoriere|ignorieren~sie|missachte|vergiss|vergessen~sie)~(?:(?:alle|sämtliche|die|deine|ihre|all)~){0,3}(?:(?:vorherigen|bisherigen|früheren|vorigen|obigen|ursprünglichen|vorangegangenen)~)?(?:systemanweisungen|anweisungen|befehle|regeln|vorgaben|instruktionen)\b|\b(?:ignore[zs]?|oublie[zs]?)~(?:toutes~)?(?:les|tes|vos)~(?:instructions|consignes|règles|directives)~(?:précédentes|antérieures|ci-dessus|système|du~système|initiales|reçues|données)|\b(?:ignora|ignore|olvida|olvide|descarta)~(?:todas~)?(?:las|tus|sus)~(?:instrucciones|órdenes|reglas|indicaciones)~(?:anteriores|previas|del~sistema|iniciales|originales|recibidas)|\b(?:ignore|ignora|esqueça|desconsidere)~(?:todas~)?(?:as|suas)~(?:suas~)?(?:instruções|regras|ordens|diretrizes)~(?:anteriores|prévias|acima|do~sistema|originais)|(?:игнорируй|проигнорируй|забудь)(?:те)?~(?:все~)?(?:предыдущие|прежние|прошлые|свои|твои|ваши|системные|вышеуказанные)~(?:инструкции|указания|правила|команды)",
    &[Anchor::new(
        &[
            "|ignor",
            "|missachte|",
            "|vergiss|",
            "|vergessen|",
            "|oublie",
            "|olvid",
            "|descart",
            "|esque",
            "|desconsidere|",
            "гнорируй",
            "абудь",
        ],
        12,
        260,
    )],
);

pub(super) static RULE: Rule = Rule {
    code: codes::OVERRIDING_INSTRUCTION,
    find,
    patterns: &[
        &ENGLISH,
        &ENGLISH_AFTER,
        &OVERRIDE,
        &FREED,
        &FORGED,
        &REVEAL,
        &CHINESE,
        &JAPANESE,
        &KOREAN,
        &EUROPEAN,
    ],
};

/// What is said, in every language that is known.
static SAID: &[&Pattern] = &[
    &ENGLISH,
    &ENGLISH_AFTER,
    &OVERRIDE,
    &FREED,
    &REVEAL,
    &CHINESE,
    &JAPANESE,
    &KOREAN,
    &EUROPEAN,
];

const HELP: &str = "remove it; a skill adds to what a model is told and takes nothing away. Quote an attack that the skill is about";

/// Whether a text that came out of a hiding place says it.
pub(super) fn is_in(text: &Spots<'_>) -> bool {
    text.holds(SAID)
}

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.part.is_prose() {
        return;
    }
    for range in examined.told(SAID) {
        hits.push(examined.hit(
            range,
            Severity::Error,
            "it tells a model to drop or disclose its own instructions",
            HELP,
        ));
    }
    for range in examined.told(&[&FORGED]) {
        let severity = examined.graver_if_shown();
        hits.push(examined.hit(
            range,
            severity,
            "it forges the mark at which a model takes the system to speak",
            HELP,
        ));
    }
}
