//! What the servers share: the tools that they offer, and how they end.

use std::error::Error;
use std::io::{Read as _, Write as _};

use serde_json::{Map, Value, json};

/// So many tools each server has.
pub const TOOLS: usize = 100;

/// The name and the description of each tool.
pub fn tools() -> impl Iterator<Item = (String, String)> {
    (0..TOOLS).map(|number| {
        let description =
            format!("Benchmark tool number {number} that does nothing in particular.");
        (format!("tool_{number:03}"), description)
    })
}

/// What each tool takes.
pub fn schema() -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "integer" }, "b": { "type": "string" } },
        "required": ["a"],
    });
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Prints where the server listens, and waits until the standard input ends.
pub async fn serve_until_the_input_ends(url: &str) -> Result<(), Box<dyn Error>> {
    println!("{url}");
    std::io::stdout().flush()?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
