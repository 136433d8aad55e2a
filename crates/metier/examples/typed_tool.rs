//! A server with a tool written in Rust beside skills from a folder.
//!
//! `cargo run -p metier --example typed_tool -- fixtures/skills/demo` prints the URL and serves until
//! its standard input ends.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use metier::skill_model::ToolAnnotations;
use metier::tool::{ArgumentFault, Progress};
use metier::{
    CallContext, CatalogSettings, McpHttpConfig, SkillCatalog, ToolError, ToolSpec, skill_server,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A camera, as far as its field of view is concerned.
#[derive(Deserialize, JsonSchema)]
struct Camera {
    /// Focal length in millimetres.
    #[schemars(range(min = 1.0))]
    focal_length: f64,
    /// Width of the film back in millimetres.
    #[serde(default = "full_frame")]
    film_back: f64,
    /// Frames to report on; one when left out.
    #[serde(default = "one")]
    frames: u32,
}

fn full_frame() -> f64 {
    36.0
}

fn one() -> u32 {
    1
}

/// What the camera sees.
#[derive(Serialize, JsonSchema)]
struct View {
    /// Horizontal field of view in degrees.
    degrees: f64,
}

/// The argument and the result are types: both schemas, the checks and the descriptions come from
/// them. What no schema can say is an [`ArgumentFault`] that names the argument.
async fn field_of_view(camera: Camera, call: CallContext) -> Result<View, ToolError> {
    if camera.film_back <= 0.0 {
        return Err(ToolError::InvalidArguments(vec![ArgumentFault {
            path: "film_back".to_owned(),
            message: format!("must be over 0, found {}", camera.film_back),
        }]));
    }
    for frame in 1..=camera.frames {
        // A tool that takes long looks here between its steps.
        if call.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        call.events.progress(Progress {
            progress: f64::from(frame),
            total: Some(f64::from(camera.frames)),
            message: None,
        });
    }
    Ok(View {
        degrees: 2.0
            * (camera.film_back / (2.0 * camera.focal_length))
                .atan()
                .to_degrees(),
    })
}

/// The tool as it is registered.
fn field_of_view_tool() -> ToolSpec {
    let mut hints = ToolAnnotations::default();
    hints.read_only_hint = Some(true);
    hints.idempotent_hint = Some(true);
    ToolSpec::from_fn("field_of_view", field_of_view)
        .title("Field of view")
        .description("The horizontal field of view of a camera, in degrees.")
        .annotations(hints)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    // Nothing but the folders named here: no environment, no home folder.
    let settings = CatalogSettings::default();
    let (server, catalog): (_, SkillCatalog) =
        skill_server(settings, McpHttpConfig::new(0), &folders, None);
    catalog.registry().register(field_of_view_tool())?;
    let handle = server.start().await?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", handle.mcp_url())?;
    writeln!(out, "{} skills", catalog.len())?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    handle.shutdown().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use metier::ToolDispatcher;
    use metier::catalog::CallRequest;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn it_is_called_like_any_other_tool() -> Result<(), Box<dyn Error>> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/skills/demo");
        let (_, catalog) = skill_server(
            CatalogSettings::default(),
            McpHttpConfig::new(0),
            &[folder],
            None,
        );
        catalog.registry().register(field_of_view_tool())?;
        let dispatcher = ToolDispatcher::new(catalog.registry());
        let call = |arguments| dispatcher.call(CallRequest::new("field_of_view", Some(arguments)));
        let seen = call(json!({"focal_length": "18"})).await?;
        let degrees = seen
            .structured
            .as_ref()
            .and_then(|view| view.get("degrees"));
        assert_eq!(degrees, Some(&json!(90.0)));
        let refused = call(json!({"focal_length": 0})).await?;
        assert!(refused.is_error, "{refused:?}");
        let refused = call(json!({"focal_length": 35, "film_back": -1})).await?;
        assert!(refused.joined_text().contains("film_back"), "{refused:?}");
        assert!(catalog.len() > 8);
        Ok(())
    }
}
