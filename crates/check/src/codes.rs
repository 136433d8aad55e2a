//! The codes that only a check emits, and the list of all codes of all crates.

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
    UNUSED_SCRIPT = "MT602" "unused-script" "A script is run by no tool and mentioned nowhere.";
    UNKNOWN_NEXT_TOOL = "MT603" "unknown-next-tool" "A tool suggests a next tool that does not exist.";
    BODY_LINK_BROKEN = "MT604" "body-link-broken" "A link in SKILL.md leads to a file that is not there.";
    BODY_LINK_OUTSIDE = "MT605" "body-link-outside" "A link in SKILL.md leads out of the skill folder.";
    SCAFFOLD_TEXT = "MT606" "scaffold-text" "The description is still the text of a template.";
    NEARLY_NAMED = "MT607" "nearly-named" "A file or folder nearly has a name that is looked for.";
    SCRIPT_NOT_RUN = "MT608" "script-not-run" "Nothing runs the script of a tool.";
    SCHEMA_SLIP = "MT609" "schema-slip" "A tool's schema has a misspelt keyword, or requires what it forbids.";
    TEXT_NOT_SERVED = "MT610" "text-not-served" "The files of a skill are too many or too large, so none is served.";
    FILE_NOT_SERVED = "MT611" "file-not-served" "A file of a skill is not served to its readers.";
    URI_TAKEN = "MT612" "uri-taken" "A shadowed skill has no URI of its own, so none of its files is served.";
}

/// The codes of every crate, in the order of their ids.
pub fn every_code() -> Vec<Code> {
    let mut codes: Vec<Code> = [
        metier_loader::codes::ALL,
        metier_safety::codes::ALL,
        metier_catalog::codes::ALL,
        ALL,
    ]
    .concat();
    codes.sort_by_key(|code| code.id);
    codes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::every_code;

    #[test]
    fn no_id_and_no_name_is_given_twice() {
        let codes = every_code();
        let ids: BTreeSet<_> = codes.iter().map(|code| code.id).collect();
        assert_eq!(ids.len(), codes.len());
        let names: BTreeSet<_> = codes
            .iter()
            .map(|code| (code.name, &code.id[..3]))
            .collect();
        assert_eq!(names.len(), codes.len(), "one name twice in one crate");
        for code in codes {
            assert!(code.id.starts_with("MT") && code.id.len() == 5, "{code}");
            assert!(code.summary.ends_with('.'), "{code}: {}", code.summary);
        }
    }
}
