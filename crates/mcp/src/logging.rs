//! The levels of log lines, as they are written on the wire.

use metier_tool::LogLevel;

use crate::error::McpError;

/// Every level with its name, least grave first.
const LEVELS: [(&str, LogLevel); 8] = [
    ("debug", LogLevel::Debug),
    ("info", LogLevel::Info),
    ("notice", LogLevel::Notice),
    ("warning", LogLevel::Warning),
    ("error", LogLevel::Error),
    ("critical", LogLevel::Critical),
    ("alert", LogLevel::Alert),
    ("emergency", LogLevel::Emergency),
];

/// The level of that name.
pub(crate) fn level_named(name: &str) -> Result<LogLevel, McpError> {
    LEVELS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, level)| *level)
        .ok_or_else(|| {
            let known: Vec<&str> = LEVELS.iter().map(|(name, _)| *name).collect();
            McpError::invalid_params(format!(
                "invalid params: no log level is called {:?}; there are {}",
                name.chars().take(40).collect::<String>(),
                known.join(", ")
            ))
        })
}

/// The name of a level.
pub(crate) fn level_name(level: LogLevel) -> &'static str {
    LEVELS
        .iter()
        .find(|(_, known)| *known == level)
        .map_or("info", |(name, _)| name)
}
