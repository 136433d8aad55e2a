//! The codes of this crate: `MT4xx`.

use metier_diagnostics::Code;

macro_rules! codes {
    ($($constant:ident = $id:literal $name:literal $summary:literal;)*) => {
        $(#[doc = $summary]
        pub const $constant: Code = Code::new($id, $name, $summary)
            .explained(include_str!(concat!("pages/", $id, ".md")));)*

        /// Every code of this crate, in the order of their ids.
        pub const ALL: &[Code] = &[$($constant),*];
    };
}

codes! {
    HIDDEN_CHARACTERS = "MT401" "hidden-characters" "Characters that cannot be seen carry text.";
    TEXT_DIRECTION = "MT402" "text-direction" "Characters turn the direction of the text, so that it reads otherwise than it is.";
    SPLIT_WORD = "MT403" "split-word" "A word is split by characters that cannot be seen.";
    LOOK_ALIKE_LETTERS = "MT404" "look-alike-letters" "A word mixes scripts with letters that look alike.";
    CONTROL_CHARACTERS = "MT405" "control-characters" "The text holds control characters.";
    OVERRIDING_INSTRUCTION = "MT406" "overriding-instruction" "The text tells a model to drop its own instructions.";
    HIDES_FROM_USER = "MT407" "hides-from-user" "The text tells a model to keep something from the user.";
    HIDDEN_COMMENT = "MT408" "hidden-comment" "A comment that a reader does not see instructs a model.";
    DOWNLOAD_AND_RUN = "MT409" "download-and-run" "A download is run without being looked at.";
    RUNS_ENCODED_CODE = "MT410" "runs-encoded-code" "Encoded code is decoded and run.";
    ENCODED_INSTRUCTION = "MT411" "encoded-instruction" "Encoded text turns out to be hostile.";
    SENDS_SECRETS = "MT412" "sends-secrets" "Secrets, files or the conversation are sent away.";
    READS_CREDENTIALS = "MT413" "reads-credentials" "Keys or passwords that belong to other programs are read.";
    START_UP_CHANGE = "MT414" "start-up-change" "A start-up file or the configuration of an agent is changed.";
    EMBEDDED_SECRET = "MT415" "embedded-secret" "A key or token stands in the text.";
    KNOWN_MALWARE = "MT416" "known-malware" "The text holds the mark of known malware.";
    ASKS_FOR_SECRETS = "MT417" "asks-for-secrets" "The user is to be asked for a password or a recovery phrase.";
    SHORTENED_ADDRESS = "MT418" "shortened-address" "A shortened address hides where it leads.";
    REVERSE_SHELL = "MT419" "reverse-shell" "A shell is opened for somebody elsewhere.";
}
