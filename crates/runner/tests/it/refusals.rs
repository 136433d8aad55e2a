//! Scripts that cannot be started, and how that is told.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use metier_runner::{Job, Origin, Quiet, RunError, ScriptKind, run};
use tokio_util::sync::CancellationToken;

use crate::stage::{Stage, patient};

async fn refused(job: Job) -> RunError {
    run(job, &patient(), CancellationToken::new(), Arc::new(Quiet))
        .await
        .unwrap_err()
}

#[tokio::test]
async fn every_refusal_is_clear_and_holds_no_path() {
    let stage = Stage::python("print(1)\n");
    let folder = stage.folder.path().to_path_buf();
    let job = || stage.job();
    let mut messages = Vec::new();
    let mut tell = |error: &RunError| {
        let message = error.to_string();
        assert!(!message.contains(folder.to_str().unwrap()), "{message}");
        messages.push(message.replace(folder.file_name().unwrap().to_str().unwrap(), "FOLDER"));
    };

    let mut gone = job();
    gone.program.script = folder.join("scripts/gone.py");
    let error = refused(gone).await;
    assert_eq!(
        error.operator_detail().unwrap(),
        folder.join("scripts/gone.py").display().to_string()
    );
    tell(&error);

    let mut in_the_way = job();
    in_the_way.program.script = folder.clone();
    tell(&refused(in_the_way).await);

    let mut nowhere = job();
    nowhere.working_dir = folder.join("nowhere");
    tell(&refused(nowhere).await);

    let mut vanished = job();
    vanished.program.interpreter = folder.join("python9");
    tell(&refused(vanished.clone()).await);
    vanished.program.named_by = None;
    tell(&refused(vanished).await);

    let text = folder.join("text");
    std::fs::write(&text, "not a program").unwrap();
    let mut plain = job();
    plain.program.interpreter = text.clone();
    tell(&refused(plain.clone()).await);
    std::fs::set_permissions(&text, PermissionsExt::from_mode(0o755)).unwrap();
    plain.program.named_by = Some(Origin::Variable("DCC_MCP_PYTHON_EXECUTABLE".into()));
    tell(&refused(plain.clone()).await);
    #[cfg(target_os = "linux")]
    for program in [
        elf::foreign(),
        elf::of_no_kind(),
        Vec::new(),
        elf::cut(),
        elf::not_linked(),
    ] {
        std::fs::write(&text, program).unwrap();
        let error = refused(plain.clone()).await.to_string();
        assert!(
            error.contains("is not a program that can be executed here"),
            "{error}"
        );
    }

    let mut batch = job();
    batch.program.kind = ScriptKind::Batch;
    batch.script_arguments = vec!["--name".into(), "& calc".into()];
    tell(&refused(batch).await);

    let mut large = job();
    large
        .environment
        .push(("LARGE".into(), "x".repeat(64 << 20).into()));
    tell(&refused(large).await);

    let mut odd = job();
    odd.environment.push(("A\0B".into(), "x".into()));
    tell(&refused(odd).await);

    insta::assert_snapshot!(messages.join("\n"), @r"
    script not found: `gone.py`
    the script `FOLDER` cannot be read: expected a file that the server may read
    the folder of the skill is gone or is no folder: nothing can run in it
    the interpreter `python9` for Python scripts (from --python) was not found; correct it or remove it
    the interpreter `python9` for Python scripts was not found
    the interpreter `text` for Python scripts (from --python) is not a program that can be executed here; correct it or remove it
    the interpreter `text` for Python scripts (from DCC_MCP_PYTHON_EXECUTABLE) is not a program that can be executed here; correct it or remove it
    batch files take their arguments from standard input only: turn off `argv` for this server or use another kind of script
    the arguments or the environment are too large for a program of this system
    the script could not be run: invalid input parameter
    ");
}

/// Programs that the system cannot run; its library would give them to `sh`.
#[cfg(target_os = "linux")]
mod elf {
    const KIND: usize = 16;

    fn sh() -> Vec<u8> {
        std::fs::read("/bin/sh").unwrap()
    }

    pub(super) fn foreign() -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(64, 0xEE);
        bytes
    }

    pub(super) fn of_no_kind() -> Vec<u8> {
        vec![0, 1, 2, 3]
    }

    pub(super) fn cut() -> Vec<u8> {
        let mut bytes = sh();
        bytes.truncate(64);
        bytes
    }

    /// What a compiler writes before the linker is asked.
    pub(super) fn not_linked() -> Vec<u8> {
        let mut bytes = sh();
        bytes[KIND] = 1;
        bytes
    }
}
