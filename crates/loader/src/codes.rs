//! The codes of this crate: `MT1xx` for `SKILL.md`, roots and the scan, `MT2xx` for `tools.yaml`.

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
    SKILL_FILE_EMPTY = "MT101" "skill-file-empty" "SKILL.md is empty or holds only blank lines.";
    FRONT_MATTER_ABSENT = "MT102" "front-matter-absent" "SKILL.md does not start with front matter on line 1.";
    FRONT_MATTER_NOT_CLOSED = "MT103" "front-matter-not-closed" "The front matter has no closing `---`.";
    FRONT_MATTER_EMPTY = "MT104" "front-matter-empty" "The front matter holds no keys.";
    FRONT_MATTER_NOT_A_MAP = "MT105" "front-matter-not-a-map" "The front matter is not a mapping.";
    SKILL_FILE_NOT_UTF8 = "MT106" "skill-file-not-utf8" "SKILL.md is not UTF-8 text.";
    FRONT_MATTER_TOO_LARGE = "MT107" "front-matter-too-large" "The front matter is larger than 256 KiB.";
    FRONT_MATTER_INVALID = "MT108" "front-matter-invalid" "The front matter is not valid YAML.";
    FRONT_MATTER_DUPLICATE_KEY = "MT109" "front-matter-duplicate-key" "A key of the front matter is written twice.";
    FRONT_MATTER_MERGE_KEY = "MT110" "front-matter-merge-key" "The front matter uses the YAML merge key `<<`.";
    FRONT_MATTER_TAG = "MT111" "front-matter-tag" "The front matter uses a YAML tag outside the core schema.";
    FRONT_MATTER_ALIAS_LIMIT = "MT112" "front-matter-alias-limit" "The YAML aliases of the front matter expand beyond the limit.";
    FRONT_MATTER_DOCUMENTS = "MT113" "front-matter-documents" "The front matter holds more than one YAML document.";
    BYTE_ORDER_MARK = "MT114" "byte-order-mark" "SKILL.md begins with a byte order mark.";
    BLANK_LINES_FIRST = "MT115" "blank-lines-first" "Blank lines stand before the front matter.";
    SKILL_FILE_NAME = "MT116" "skill-file-name" "The skill's file is not named exactly SKILL.md.";
    SKILL_FILE_UNREADABLE = "MT117" "skill-file-unreadable" "SKILL.md cannot be read.";
    DESCRIPTION_NOT_QUOTED = "MT118" "description-not-quoted" "The description needs quotes to be valid YAML.";
    BODY_NOT_UTF8 = "MT119" "body-not-utf8" "The text below the front matter is not UTF-8.";
    NAME_MISSING = "MT120" "name-missing" "The skill has no name.";
    NAME_ILLEGAL = "MT121" "name-illegal" "The name does not follow the pattern for skill names.";
    NAME_UNSAFE = "MT122" "name-unsafe" "The name holds a character that could harm whoever uses it.";
    NAME_DIFFERS = "MT123" "name-differs" "The name differs from the folder's.";
    DESCRIPTION_MISSING = "MT124" "description-missing" "The skill has no description.";
    DESCRIPTION_TOO_LONG = "MT125" "description-too-long" "The description is longer than 1,024 characters.";
    COMPATIBILITY_TOO_LONG = "MT126" "compatibility-too-long" "The compatibility text is longer than 500 characters.";
    CUT_TEXT = "MT127" "cut-text" "A comment takes the rest of a sentence in SKILL.md.";
    LARGE_NUMBER = "MT128" "large-number" "A number of the front matter is none that JSON holds.";
    REFUSED_BY_CLIENTS = "MT129" "refused-by-clients" "A standard field holds what clients of skills refuse.";
    MISPLACED_KEY = "MT130" "misplaced-key" "A key that belongs below metadata.dcc-mcp stands at the top level.";
    UNKNOWN_KEY = "MT131" "unknown-key" "A top-level key is unknown.";
    CLIENT_KEY = "MT132" "client-key" "A top-level key is one that agent clients define.";
    FLAT_DOTTED_KEY = "MT133" "flat-dotted-key" "A key below metadata is written with a dot instead of nested.";
    UNKNOWN_DCC_KEY = "MT134" "unknown-dcc-key" "A key below metadata.dcc-mcp is unknown.";
    WRONG_TYPE = "MT135" "wrong-type" "A value has another type than its key wants.";
    EMPTY_ITEM = "MT136" "empty-item" "A list holds an empty item.";
    TOO_MANY_ALIASES = "MT137" "too-many-aliases" "A skill has more search aliases than are kept.";
    DEPENDENCY_VERSION = "MT138" "dependency-version" "A dependency states a version, which is not checked.";
    DEPENDS_ON_ITSELF = "MT139" "depends-on-itself" "A skill names itself as a dependency.";
    DEPENDS_FILE = "MT140" "depends-file" "metadata/depends.md cannot be read.";
    LINK_LEAVES_SKILL = "MT141" "link-leaves-skill" "A script, or the folder of the scripts, leads out of the skill or is none.";
    MISSPELT_DCC_MCP = "MT142" "misspelt-dcc-mcp" "A key below metadata is nearly `dcc-mcp`.";
    DEPENDS_LINE = "MT143" "depends-line" "A line of metadata/depends.md holds more than a name, or none.";
    ROOT_MISSING = "MT151" "root-missing" "A skill root does not exist.";
    ROOT_NOT_A_FOLDER = "MT152" "root-not-a-folder" "A skill root is not a folder.";
    EMPTY_ROOT_ENTRY = "MT153" "empty-root-entry" "A list of skill roots holds an empty entry.";
    BROKEN_LINK = "MT154" "broken-link" "A link in a skill root leads nowhere.";
    LINK_LOOP = "MT155" "link-loop" "A link in a skill root leads back to a folder above it.";
    NAME_NOT_UTF8 = "MT156" "name-not-utf8" "The name of a folder or file is not UTF-8.";
    ODD_ENTRY = "MT157" "odd-entry" "An entry of a skill root is neither file, folder nor link.";
    FOLDER_UNREADABLE = "MT158" "folder-unreadable" "A folder cannot be read.";
    NO_SKILL_FILE = "MT159" "no-skill-file" "A folder has scripts or tools but no SKILL.md.";
    TOO_DEEP = "MT160" "too-deep" "Folders below the depth limit of the scan are passed over.";
    SHADOWED = "MT161" "shadowed" "Another skill of the same name comes first.";
    LAST_GOOD_KEPT = "MT162" "last-good-kept" "The files of a skill are broken; the version from before is in use.";
    FINDINGS_LEFT_OUT = "MT163" "findings-left-out" "A file has more findings than are shown.";
    NOT_LOOKED_AT = "MT164" "not-looked-at" "A file is too large to be looked at to its end for hostile text.";
    TOOLS_FILE_NOT_A_PATH = "MT201" "tools-file-not-a-path" "The key that names the tools or groups file is not a path.";
    TOOLS_FILE_MISSING = "MT202" "tools-file-missing" "The declared tools or groups file does not exist.";
    TOOLS_FILE_UNREADABLE = "MT203" "tools-file-unreadable" "The declared tools or groups file cannot be read.";
    TOOLS_FILE_OUTSIDE = "MT204" "tools-file-outside" "The declared tools or groups file is outside the skill folder.";
    TOOLS_FILE_NOT_UTF8 = "MT205" "tools-file-not-utf8" "The tools or groups file is not UTF-8 text.";
    TOOLS_FILE_TOO_LARGE = "MT206" "tools-file-too-large" "The tools or groups file is larger than 1 MiB.";
    TOOLS_FILE_INVALID = "MT207" "tools-file-invalid" "The tools or groups file is not valid YAML.";
    TOOLS_FILE_DOCUMENTS = "MT208" "tools-file-documents" "The tools or groups file holds more than one YAML document.";
    NO_TOOLS_LIST = "MT209" "no-tools-list" "The tools file has no list of tools, or the groups file none of groups.";
    DUPLICATE_KEY = "MT210" "duplicate-key" "A key of the tools file is written twice.";
    MERGE_KEY = "MT211" "merge-key" "The tools file uses the YAML merge key `<<`.";
    TAG = "MT212" "tag" "The tools file uses a YAML tag outside the core schema.";
    ALIAS_LIMIT = "MT213" "alias-limit" "The YAML aliases of the tools file expand beyond the limit.";
    TOOLS_FILE_UNUSED = "MT214" "tools-file-unused" "A tools.yaml lies in the skill but is not declared.";
    ENTRY_SHAPE = "MT220" "entry-shape" "An entry of the tools file is neither a mapping nor a name.";
    ENTRY_WITHOUT_NAME = "MT221" "entry-without-name" "An entry of the tools file has no name.";
    DUPLICATE_TOOL = "MT222" "duplicate-tool" "Two tools of a skill have the same name.";
    RESERVED_NAME = "MT223" "reserved-name" "A tool has a name that Metier keeps for itself.";
    MAPPED_NAME = "MT224" "mapped-name" "A tool's name is mapped to one that MCP clients accept.";
    UNKNOWN_TOOL_KEY = "MT225" "unknown-tool-key" "A key of the tools file is unknown.";
    WRONG_TOOL_VALUE = "MT226" "wrong-tool-value" "A value in the tools file is not what its key wants.";
    UNREADABLE_FLAG = "MT227" "unreadable-flag" "A flag is neither a word for yes nor one for no.";
    UNUSABLE_SCHEMA = "MT228" "unusable-schema" "A schema cannot be used.";
    UNKNOWN_DIALECT = "MT229" "unknown-dialect" "A schema names an unknown dialect.";
    SCRIPT_MISSING = "MT230" "script-missing" "The script of a tool does not exist.";
    SCRIPT_OUTSIDE = "MT231" "script-outside" "The script of a tool is outside the skill folder.";
    SEVERAL_SCRIPTS = "MT232" "several-scripts" "Several scripts fit a tool.";
    NO_SCRIPT = "MT233" "no-script" "No script fits a tool.";
    UNREADABLE_CAPABILITIES = "MT234" "unreadable-capabilities" "The required capabilities of a tool cannot be read.";
    CAPABILITY_CASE = "MT235" "capability-case" "Two required capabilities differ in letter case alone.";
    UNKNOWN_GROUP = "MT236" "unknown-group" "A tool names a group that is not declared, or a group a tool.";
    EMPTY_TOOL_ITEM = "MT237" "empty-tool-item" "A list in the tools file holds an empty item.";
    TOO_MANY_TOOL_ALIASES = "MT238" "too-many-tool-aliases" "A tool has more search aliases than are kept.";
    CUT_TOOL_TEXT = "MT239" "cut-text" "A comment takes the rest of a sentence in the tools file.";
    CONTRADICTING_HINTS = "MT240" "contradicting-hints" "A tool says that it only reads and that it destroys.";
    TIMEOUT_OVER_BOUND = "MT241" "timeout-over-bound" "A tool asks for more time than a server gives.";
    PROMPTS_FILE = "MT251" "prompts-file" "The prompts file of a skill cannot be used.";
    PROMPT_ENTRY = "MT252" "prompt-entry" "A prompt of a prompts file cannot be used.";
    // Found by the catalog once, and numbered there.
    INVALID_SCHEMA = "MT505" "unusable-schema" "A tool's schema breaks the rules of JSON Schema.";
    SCHEMA_NOTE = "MT506" "schema-note" "A part of a tool's schema is not used as written.";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn ids_rise_and_names_are_unique() {
        let ids: Vec<_> = ALL.iter().map(|code| code.id).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        let mut names: Vec<_> = ALL
            .iter()
            .map(|code| (code.id.get(..3), code.name))
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
