//! The rules, one file each, in the order of their codes.

mod asks_for_secrets;
mod control_characters;
mod download_and_run;
mod embedded_secret;
mod encoded_instruction;
mod hidden_characters;
mod hidden_comment;
mod hides_from_user;
mod hostile;
mod known_malware;
mod look_alike_letters;
mod overriding_instruction;
mod reads_credentials;
mod reverse_shell;
mod runs_encoded_code;
mod sends_secrets;
mod shortened_address;
mod spelled_out;
mod split_word;
mod start_up_change;
mod text_direction;

use crate::rule::Rule;

pub(crate) use encoded_instruction::run as encoded_run;

/// How many rules there are.
pub(crate) const COUNT: usize = 19;

/// Every rule.
pub(crate) static RULES: [&Rule; COUNT] = [
    &hidden_characters::RULE,
    &text_direction::RULE,
    &split_word::RULE,
    &look_alike_letters::RULE,
    &control_characters::RULE,
    &overriding_instruction::RULE,
    &hides_from_user::RULE,
    &hidden_comment::RULE,
    &download_and_run::RULE,
    &runs_encoded_code::RULE,
    &encoded_instruction::RULE,
    &sends_secrets::RULE,
    &reads_credentials::RULE,
    &start_up_change::RULE,
    &embedded_secret::RULE,
    &known_malware::RULE,
    &asks_for_secrets::RULE,
    &shortened_address::RULE,
    &reverse_shell::RULE,
];
