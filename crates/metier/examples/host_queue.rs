//! An application with a main thread of its own that runs the scripts of skills on it.
//!
//! `cargo run -p metier --example host_queue -- FOLDER` prints the URL and runs calls until its
//! standard input ends. The application here is a scene of named things and a language of one
//! command; in yours, `run_script` calls what your application has.

use std::cell::RefCell;
use std::error::Error;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{TryRecvError, channel};
use std::time::Duration;

use metier::host::{JobQueue, QueueHost, queue};
use metier::tool::HostJob;
use metier::{CatalogSettings, McpHttpConfig, SkillCatalog, ToolError, ToolOutput, skill_server};
use serde_json::json;

/// What only the main thread may touch; an `Rc`, so the compiler sees to that.
type Scene = Rc<RefCell<Vec<String>>>;

/// Runs a script line by line. `add NAME` adds a thing; `$x` is the argument `x`.
fn run_script(scene: &Scene, job: &HostJob) -> Result<ToolOutput, ToolError> {
    let script = std::fs::read_to_string(&job.script)
        .map_err(|error| ToolError::Failed(format!("the script cannot be read: {error}")))?;
    for line in script.lines().filter(|line| !line.trim().is_empty()) {
        let Some(name) = line.strip_prefix("add ") else {
            return Ok(ToolOutput::error(format!("unknown command: {line}")));
        };
        let name = match name.strip_prefix('$') {
            None => name,
            Some(argument) => job
                .arguments
                .get(argument)
                .and_then(|value| value.as_str())
                .unwrap_or("unnamed"),
        };
        scene.borrow_mut().push(name.to_owned());
    }
    let scene = scene.borrow();
    Ok(ToolOutput::from_script_json(
        json!({"success": true, "message": "added", "scene": *scene}),
    ))
}

/// A catalog whose main-thread tools wait in the queue.
fn settings(host: QueueHost) -> CatalogSettings {
    let mut settings = CatalogSettings::default();
    settings.run.host = Some(Arc::new(host));
    settings
}

/// The application's loop: its own work, and calls in between.
fn main_loop(jobs: &JobQueue, scene: &Scene, mut goes_on: impl FnMut() -> bool) {
    while goes_on() {
        jobs.run_one(Duration::from_millis(20), |job, _| run_script(scene, job));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (host, jobs) = queue(32);
    let (end, ended) = channel::<()>();
    let server = std::thread::spawn(move || -> Result<(), String> {
        // Dropped when the thread ends, which ends the main loop as well.
        let _end = end;
        let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
        runtime.block_on(async {
            let (server, _): (_, SkillCatalog) =
                skill_server(settings(host), McpHttpConfig::new(0), &folders, None);
            let handle = server.start().await.map_err(|error| error.to_string())?;
            writeln!(std::io::stdout(), "{}", handle.mcp_url())
                .map_err(|error| error.to_string())?;
            let read =
                tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
            drop(read.await);
            handle.shutdown().await;
            Ok(())
        })
    });
    main_loop(&jobs, &Scene::default(), || {
        ended.try_recv() == Err(TryRecvError::Empty)
    });
    server
        .join()
        .map_err(|_| "the server failed")?
        .map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use metier::ToolDispatcher;
    use metier::catalog::CallRequest;

    use super::*;

    #[test]
    fn a_host_script_runs_on_the_main_thread() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let skill = folder.path().join("scene-tools");
        std::fs::create_dir_all(skill.join("scripts"))?;
        std::fs::write(
            skill.join("SKILL.md"),
            "---\nname: scene-tools\ndescription: Adds things to the scene.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
        )?;
        std::fs::write(
            skill.join("tools.yaml"),
            "tools:\n  - name: add\n    input_schema: {type: object, properties: {name: {type: string}}}\n",
        )?;
        std::fs::write(skill.join("scripts/add.hscript"), "add camera\nadd $name\n")?;

        let (host, jobs) = queue(4);
        let (_, catalog) = skill_server(
            settings(host),
            McpHttpConfig::new(0),
            &[folder.path().to_owned()],
            None,
        );
        let client = std::thread::spawn(move || -> Result<ToolOutput, String> {
            let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
            runtime.block_on(async {
                catalog
                    .load_skill("scene-tools")
                    .await
                    .map_err(|error| error.to_string())?;
                let dispatcher = ToolDispatcher::new(catalog.registry());
                let request =
                    CallRequest::new("scene_tools__add", Some(json!({"name": "key light"})));
                dispatcher
                    .call(request)
                    .await
                    .map_err(|error| error.to_string())
            })
        });
        let scene = Scene::default();
        main_loop(&jobs, &scene, || !client.is_finished());
        let output = client.join().map_err(|_| "the client failed")??;
        assert!(!output.is_error, "{output:?}");
        assert_eq!(*scene.borrow(), ["camera", "key light"]);
        Ok(())
    }
}
