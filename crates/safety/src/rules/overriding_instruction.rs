//! Text that tells a model to drop its own instructions.

use std::ops::Range;

use metier_diagnostics::Severity;

use crate::codes;
use crate::part::Part;
use crate::pattern::{Anchor, Pattern};
use crate::rule::{Examined, Hit, Rule};
use crate::rules::spelled_out;
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
    r"\b(?:ignore|disregard|forget)~(?:(?:all|any|every|of|the|your)~){0,3}(?:everything|anything|instructions?|rules|guidelines|prompts?)~(?:(?:that~)?you~(?:were|have~been|are)~(?:told|given|taught)|(?:that~)?(?:(?:came|come|stated|given|written)~)?(?:above|before(?:~this)?|previously|so~far)(?:[.,;:!]|\s*$|~(?:and|then|from~now)\b))",
    &[Anchor::new(
        &["|ignore|", "|disregard|", "|forget|"],
        2,
        220,
    )],
);

static OVERRIDE: Pattern = Pattern::near(
    r"\b(?:override|bypass|circumvent|disable)~(?:(?:all|any|every|of)~){0,2}your~(?:(?:own|internal|safety|security|system|built-in|core|default|content|ethical|moral|original|initial|previous|existing)~){0,3}(?:instructions?|guidelines|guardrails|system~prompt|(?:safety|content|ethical|moral)~(?:rules|filters?|polic(?:y|ies)|protocols?|training|restrictions))\b",
    &[Anchor::new(
        &["|override|", "|bypass|", "|circumvent|", "|disable|"],
        2,
        160,
    )
    .with(&[&["your"]])],
);

static FREED: Pattern = Pattern::near(
    r"\byou~are~(?:now~)?(?:no~longer~(?:bound|restricted|limited|constrained)~by~(?:(?:all|any|your|the|these|those|previous|prior|other|safety|content|usage)~){0,4}(?:instructions?|rules|guidelines|guardrails|restrictions|polic(?:y|ies))\b|free~(?:of|from)~(?:all|any|your)~(?:[a-z]{1,12}~)?(?:restrictions|rules|limits|guidelines|instructions)|in~(?:developer|god|dan|jailbreak|unrestricted)~mode|jailbroken|unrestricted|(?-i:DAN)\b)|\bact~as~(?:if~you~ha(?:ve|d)~no~(?:restrictions|rules|limits|guidelines)|an?~(?:unrestricted|uncensored|unfiltered|jailbroken)~(?:ai|assistant|model|llm|agent|chatbot)\b)|\b(?:system|admin|administrator|developer)~override[\x20*]{0,3}[:!\]]|\bnew~(?:system~)?instructions?~?(?:from~(?:the~)?(?:system|developer|administrator)s?)[\x20*]{0,3}:",
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
    r"(?:忽略|忽视|无视|無視|忘记|忘記|忘掉|不要理会|不再遵守|抛弃|不必遵守)[^。！\n]{0,6}?(?:之前|以前|先前|上述|以上|前面|此前|原有|原来|系统|系統|你的|妳的)[^。！\n]{0,8}?(?:指令|指示|提示词|提示詞|系统提示|规则|規則|命令)",
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
    r"\b(?:ignoriere|ignorieren~sie|missachte|vergiss|vergessen~sie)~(?:(?:alle|samtliche|die|deine|ihre|all)~){0,3}(?:(?:vorherigen|bisherigen|fruheren|vorigen|obigen|ursprunglichen|vorangegangenen)~)?(?:systemanweisungen|anweisungen|befehle|regeln|vorgaben|instruktionen)\b|\b(?:ignore[zs]?|oublie[zs]?)~(?:toutes~)?(?:les|tes|vos)~(?:instructions|consignes|regles|directives)~(?:precedentes|anterieures|ci-dessus|systeme|du~systeme|initiales|recues|donnees)|\b(?:ignora|ignore|olvida|olvide|descarta)~(?:todas~)?(?:las|tus|sus)~(?:instrucciones|ordenes|reglas|indicaciones)~(?:anteriores|previas|del~sistema|iniciales|originales|recibidas)|\b(?:ignore|ignora|esqueca|desconsidere)~(?:todas~)?(?:as|suas)~(?:suas~)?(?:instrucoes|regras|ordens|diretrizes)~(?:anteriores|previas|acima|do~sistema|originais)|(?:игнорируй|проигнорируй|забудь)(?:те)?~(?:все~)?(?:предыдущие|прежние|прошлые|свои|твои|ваши|системные|вышеуказанные)~(?:инструкции|указания|правила|команды)",
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
        &spelled_out::LETTERS,
        &spelled_out::WORDS,
    ],
};

/// What is said, in every language that is known, and what of it is about the model without a doubt: its instructions, its
/// system prompt, what it was told. Rules, constraints, prompts, commands and limits are those of a scene or a tool as often.
static SAID: [(&Pattern, &Pattern); 9] = [
    (&ENGLISH, &CLEAR),
    (&ENGLISH_AFTER, &CLEAR_AFTER),
    (&OVERRIDE, &CLEAR_OVERRIDE),
    (&FREED, &CLEAR_FREED),
    (&REVEAL, &CLEAR_REVEAL),
    (&CHINESE, &CLEAR_CHINESE),
    (&JAPANESE, &CLEAR_JAPANESE),
    (&KOREAN, &CLEAR_KOREAN),
    (&EUROPEAN, &CLEAR_EUROPEAN),
];

static CLEAR: Pattern = Pattern::new(
    r"(?s)^(?:(?:ignore|disregard|forget|do~not|don't|stop)\b.*\b(?:previous|prior|earlier|above|preceding|foregoing|your|system(?:'s)?|developer(?:'s)?|safety)\b.*\binstructions?|\w+\b.*\b(?:all|any|every|your)\b.*\binstructions?|.*\byour\b.*\b(?:guidelines|directives|guardrails|programming|restrictions)|.*\b(?:the|your|previous|prior|original|initial)\b.*\bsystem~prompt)$",
);

static CLEAR_AFTER: Pattern = Pattern::new(
    r"(?s)\byou~(?:were|have~been|are)~(?:told|given|taught)$|\b(?:all|any|every|your|the)\b.*\binstructions?~",
);

static CLEAR_OVERRIDE: Pattern = Pattern::new(
    r"^(?:bypass|circumvent)\b|your~(?:(?:own|internal|safety|security|system|core|ethical|moral|original|previous)~){0,3}(?:instructions?|guidelines|guardrails|system~prompt)$",
);

static CLEAR_FREED: Pattern = Pattern::new(
    r"(?:instructions?|guidelines|guardrails)$|(?:dan|jailbreak)~mode$|jailbroken$|(?-i:DAN)$|^act\b",
);

static CLEAR_REVEAL: Pattern = Pattern::new(r"(?:system~prompts?|instructions|developer~\w+)$");

static CLEAR_CHINESE: Pattern = Pattern::new(
    r"^(?:忽略|忽视|无视|無視|忘记|忘記|忘掉|不要理会|不再遵守|抛弃|不必遵守)掉?[所有全部一切任何你妳您的之以此先前上述面系统統收到过過]{0,12}(?:指令|指示|(?:系统|系統|[你妳您]的)(?:提示词|提示詞))$",
);

static CLEAR_JAPANESE: Pattern =
    Pattern::new(r"^[^。]{1,6}の(?:すべての|全ての|あらゆる|システム)?(?:指示|システムプロンプト)");

static CLEAR_KOREAN: Pattern = Pattern::new(r"지시|지침|시스템\s?프롬프트");

static CLEAR_EUROPEAN: Pattern = Pattern::new(
    r"(?s)\b(?:alle|samtliche|deine|ihre|vorherigen|bisherigen|fruheren|vorigen|obigen|ursprunglichen|vorangegangenen)\b.*(?:anweisungen|instruktionen)$|systemanweisungen$|instructions|consignes|instrucciones|ordenes|indicaciones|instrucoes|ordens|diretrizes|инструкции|указания",
);

const HELP: &str = "remove it; a skill adds to what a model is told and takes nothing away. Quote an attack that the skill is about, and call it one";

/// Whether a text that came out of a hiding place says it.
pub(super) fn is_in(spots: &Spots<'_>, text: &str) -> bool {
    SAID.iter().any(|(pattern, clear)| {
        let places = spots.places(pattern);
        let mut found = places.into_iter().filter_map(|range| text.get(range));
        found.any(|found| clear.is_in(found))
    })
}

/// "If you use another shell, ignore the instructions above": one of two ways, and both are the page's own.
fn is_one_of_two_ways(examined: &Examined<'_>, range: &Range<usize>, found: &str) -> bool {
    static CONDITION: Pattern = Pattern::new(r"\b(?:if|unless)~you\b");
    static OF_THE_PAGE: Pattern = Pattern::new(
        r"^\w+~the~(?:(?:above|previous|prior|earlier|preceding)~instructions?|instructions?~(?:above|before)\W*)$",
    );
    examined.part == Part::Body
        && OF_THE_PAGE.is_in(found)
        && CONDITION.is_in(examined.context().before(range.start))
}

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.part.is_prose() {
        return;
    }
    for (pattern, clear) in &SAID {
        for range in examined
            .places(std::slice::from_ref(pattern))
            .filter(|range| examined.is_meant(range))
        {
            let found = examined.text().get(range.clone()).unwrap_or_default();
            let is_clear = clear.is_in(found)
                && !examined.context().is_reported(range.start)
                && !is_one_of_two_ways(examined, &range, found);
            let (severity, message) = if is_clear {
                (
                    Severity::Error,
                    "it tells a model to drop or disclose its own instructions",
                )
            } else {
                (
                    Severity::Warning,
                    "it may tell a model to drop or disclose its own instructions",
                )
            };
            hits.push(examined.hit(range, severity, message, HELP));
        }
    }
    for (range, is_clear) in spelled_out::places(examined) {
        let severity = if is_clear {
            Severity::Error
        } else {
            Severity::Warning
        };
        hits.push(examined.hit(
            range,
            severity,
            "in letters or words that are set apart, it tells a model to drop its own instructions",
            HELP,
        ));
    }
    for range in examined.said(&[&FORGED]) {
        // Named as a token, it marks nothing.
        if examined.context().is_quoted(&range) {
            continue;
        }
        let severity = if speaks(examined, &range) {
            examined.graver_if_shown()
        } else {
            Severity::Warning
        };
        hits.push(examined.hit(
            range,
            severity,
            "it forges the mark at which a model takes the system to speak",
            HELP,
        ));
    }
}

/// Whether a forged mark begins what somebody says: a role stands behind it, or nothing before it.
fn speaks(examined: &Examined<'_>, range: &Range<usize>) -> bool {
    static ROLE: Pattern = Pattern::new(r"^\W{0,3}(?:system|assistant|user|developer)\b");
    let context = examined.context();
    let before = context.before(range.start).rsplit('\n').next();
    ROLE.is_in(context.after(range.end, 20)) || before.is_none_or(|before| before.trim().is_empty())
}
