//! The server that the protocol's conformance suite is run against: tools that the suite knows by name, on the public
//! API. For `cargo xtask conformance` alone.
//!
//! It prints its URL and serves until its standard input ends. The tools that are said to be destructive are confirmed
//! by a person, which is how a server of this library comes to ask its client something.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use metier::mcp_http::ConfirmPolicy;
use metier::skill_model::ToolAnnotations;
use metier::tool::{BoxFuture, Content, LogLevel, LogLine, Progress};
use metier::{
    CallContext, CatalogSettings, McpHttpConfig, ToolError, ToolHandler, ToolOutput, ToolRegistry,
    ToolSpec, skill_server,
};
use serde_json::{Map, Value, json};

/// One transparent pixel.
const PNG: [u8; 67] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0a, 0x49, 0x44, 0x41, 0x54,
    0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1, 0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

/// No samples, 8 kHz, 8 bits.
const WAV: [u8; 44] = *b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0";

/// How long the suite wants to wait between two notices, so that each is a message of its own.
const STEP: Duration = Duration::from_millis(50);

/// What a tool does.
#[derive(Clone, Copy)]
enum Act {
    Answer(fn() -> ToolOutput),
    Progress,
    Log,
    ChangeTools,
}

struct Tool {
    act: Act,
    registry: Arc<OnceLock<ToolRegistry>>,
}

impl ToolHandler for Tool {
    fn call(
        &self,
        _: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            match self.act {
                Act::Answer(answer) => return Ok(answer()),
                Act::Progress => {
                    for progress in [0.0, 50.0, 100.0] {
                        context.events.progress(Progress {
                            progress,
                            total: Some(100.0),
                            message: None,
                        });
                        tokio::time::sleep(STEP).await;
                    }
                }
                Act::Log => {
                    for text in [
                        "execution started",
                        "processing data",
                        "execution completed",
                    ] {
                        context.events.log(LogLine {
                            level: LogLevel::Info,
                            logger: context.tool_name.clone(),
                            text: format!("Tool {text}"),
                        });
                        tokio::time::sleep(STEP).await;
                    }
                }
                Act::ChangeTools => self.change_tools(),
            }
            Ok(ToolOutput::text("Done."))
        })
    }
}

impl Tool {
    /// Adds a tool, or takes it away when it is there.
    fn change_tools(&self) {
        const NAME: &str = "test_comes_and_goes";
        let Some(registry) = self.registry.get() else {
            return;
        };
        if !registry.deregister(NAME) {
            let tool = Self {
                act: Act::Answer(ToolOutput::default),
                registry: Arc::clone(&self.registry),
            };
            // A name that nobody else has.
            let _ = registry.register(ToolSpec::new(NAME, Arc::new(tool)).description("Changes."));
        }
    }
}

fn plain() -> ToolOutput {
    ToolOutput::text("This is a simple text response for testing.")
}

fn image() -> ToolOutput {
    ToolOutput::content(vec![Content::image(&PNG, "image/png")])
}

fn audio() -> ToolOutput {
    ToolOutput::content(vec![Content::audio(&WAV, "audio/wav")])
}

fn embedded() -> ToolOutput {
    ToolOutput::content(vec![Content::resource(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    )])
}

fn mixed() -> ToolOutput {
    let data = json!({"test": "data", "value": 123});
    ToolOutput::content(vec![
        Content::text("Multiple content types test:"),
        Content::image(&PNG, "image/png"),
        Content::resource(
            "test://mixed-content-resource",
            "application/json",
            data.to_string(),
        ),
    ])
}

fn failure() -> ToolOutput {
    ToolOutput::error("This tool intentionally returns an error for testing")
}

/// The words of JSON Schema that a list of tools must pass on as they are.
fn rich_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// A text that is mirrored in a header.
fn header_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
        "required": ["region"],
    })
}

fn tools(registry: &Arc<OnceLock<ToolRegistry>>) -> Vec<ToolSpec> {
    let tool = |name: &str, act| {
        let registry = Arc::clone(registry);
        ToolSpec::new(name, Arc::new(Tool { act, registry }))
            .description("A tool of the conformance suite.")
    };
    let answers = |name: &str, answer| tool(name, Act::Answer(answer));
    let with_schema = |name: &str, schema: Value| {
        let mut spec = answers(name, plain);
        if let Value::Object(schema) = schema {
            spec.input_schema = schema;
        }
        spec
    };
    let confirmed = |name: &str| {
        let mut hints = ToolAnnotations::default();
        hints.destructive_hint = Some(true);
        answers(name, plain).annotations(hints)
    };
    vec![
        answers("test_simple_text", plain),
        answers("test_image_content", image),
        answers("test_audio_content", audio),
        answers("test_embedded_resource", embedded),
        answers("test_multiple_content_types", mixed),
        answers("test_error_handling", failure),
        tool("test_tool_with_progress", Act::Progress),
        tool("test_tool_with_logging", Act::Log),
        tool("test_logging_tool", Act::Log),
        tool("test_trigger_tool_change", Act::ChangeTools),
        with_schema("json_schema_2020_12_tool", rich_schema()),
        with_schema("test_header_tool", header_schema()),
        confirmed("test_missing_capability"),
        confirmed("test_streaming_elicitation"),
        confirmed("test_elicitation"),
        confirmed("test_input_required_result_elicitation"),
        confirmed("test_input_required_result_request_state"),
        confirmed("test_input_required_result_tampered_state"),
        confirmed("test_input_required_result_capabilities"),
    ]
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(Into::into);
    let mut config = McpHttpConfig::new(0);
    config.confirm = ConfirmPolicy::Destructive;
    let folders: Vec<_> = folder.into_iter().collect();
    let (server, catalog) = skill_server(CatalogSettings::default(), config, &folders, None);
    let registry = Arc::new(OnceLock::new());
    let _ = registry.set(catalog.registry().clone());
    for spec in tools(&registry) {
        catalog.registry().register(spec)?;
    }
    let handle = server.start().await?;
    writeln!(std::io::stdout(), "{}", handle.mcp_url())?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    handle.shutdown().await;
    Ok(())
}
