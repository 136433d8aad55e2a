//! The settings as a text.

use super::key::Key;

/// The settings as a text for `--help`.
pub(crate) fn help() -> String {
    let rows: Vec<Vec<String>> = Key::ALL
        .iter()
        .map(|key| {
            let option = key.option().unwrap_or("");
            vec![
                format!("  {}", key.path()),
                key.variable(),
                option.to_owned(),
                key.meaning().to_owned(),
            ]
        })
        .chain([vec![
            "  interpreters.NAME".to_owned(),
            "METIER_INTERPRETERS_NAME".to_owned(),
            String::new(),
            "what runs the scripts for an application (maya), or those with an extension (js)"
                .to_owned(),
        ]])
        .chain([vec![
            "  [[hooks]]".to_owned(),
            String::new(),
            String::new(),
            "programs that are told of events and may refuse (docs/hooks.md)".to_owned(),
        ]])
        .collect();
    format!(
        "Settings, their variables and options:\n{}\n\n\
         An option counts before a variable, a variable before the file. A list replaces the list below it; in a \
         variable, names are separated by commas and folders as in PATH. Folders in the file are relative to it.\n\
         The file is metier.toml in the working directory or the nearest folder above; --config FILE or METIER_CONFIG \
         names another one. METIER_LOG sets what is logged (warn, info, debug).",
        crate::printer::table(&rows).join("\n")
    )
}
