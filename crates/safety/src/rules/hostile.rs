//! What is hostile in a text that came out of a hiding place, where nobody can claim to be quoting.

use super::{
    download_and_run, hides_from_user, overriding_instruction, reverse_shell, runs_encoded_code,
    sends_secrets,
};

use crate::spots::Spots;

/// Whether the text instructs a model against its user, or runs what must not be run.
pub(super) fn is_in(spots: &Spots<'_>, text: &str) -> bool {
    overriding_instruction::is_in(spots, text)
        || hides_from_user::is_in(spots, text)
        || [
            download_and_run::is_in,
            runs_encoded_code::is_in,
            sends_secrets::is_in,
            reverse_shell::is_in,
        ]
        .iter()
        .any(|is_in| is_in(spots))
}
