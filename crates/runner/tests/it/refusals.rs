//! Scripts that cannot be started, and how that is told.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use metier_runner::{Exit, Job, Origin, Quiet, RunError, ScriptKind, run};
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
        elf::without_its_library(),
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
    the interpreter `python9` for Python scripts (from the setting `python` (--python)) was not found; correct it or remove it
    the interpreter `python9` for Python scripts was not found; install another one, or name one in the configuration
    the interpreter `text` for Python scripts (from the setting `python` (--python)) is not a program that can be executed here; correct it or remove it
    the interpreter `text` for Python scripts (from DCC_MCP_PYTHON_EXECUTABLE) is not a program that can be executed here; correct it or remove it
    batch files take their arguments from standard input only: turn off `argv` for this server or use another kind of script
    the arguments or the environment are too large for a program of this system
    the script could not be run: invalid input parameter
    ");
}

#[tokio::test]
async fn nothing_is_handed_to_a_shell_or_looked_up() {
    let stage = Stage::python("print(1)\n");
    let folder = stage.folder.path();
    let program = folder.join("python3");
    std::fs::write(&program, "echo made > made\n").unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut text = stage.job();
    text.program.interpreter = program;
    let error = refused(text).await;
    assert!(
        matches!(error, RunError::InterpreterNotExecutable { .. }),
        "{error:?}"
    );
    // A bare name is neither the file of that name in the skill's folder nor the one on the path.
    for name in ["python3", "./python3"] {
        let mut bare = stage.job();
        bare.program.interpreter = name.into();
        let error = refused(bare).await;
        assert!(
            matches!(error, RunError::InterpreterNotFound { .. }),
            "{error:?}"
        );
    }
    assert!(!folder.join("made").exists());
}

/// The head promises a program, and what it promises is not there: the system begins and has to end it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_with_a_broken_body_is_ended_by_the_system_and_nobody_else_tries() {
    let stage = Stage::python("print(1)\n");
    for (what, bytes) in [
        ("its parts are not in the file", elf::without_its_parts()),
        ("its parts are zeros", elf::of_zeros()),
    ] {
        let program = stage.path("program");
        std::fs::write(&program, bytes).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let mut job = stage.job();
        job.program.interpreter = program;
        let report = crate::stage::go(job, &patient()).await;
        assert!(
            matches!(report.exit, Exit::Signal { number: 4..=11, .. }),
            "{what}: {report:?}"
        );
        let said = report.describe_failure().unwrap();
        assert!(said.starts_with("the script was killed by SIG"), "{said}");
        assert!(!said.contains(stage.folder.path().to_str().unwrap()));
    }
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

    const CLASS: usize = 4;
    const TABLE: usize = 32;
    const PARTS: usize = 56;
    const PART: usize = 56;
    const LOAD: u32 = 1;
    const LINKER: u32 = 3;

    fn number<const N: usize>(bytes: &[u8], at: usize) -> usize {
        let mut number = [0; 8];
        number[..N].copy_from_slice(&bytes[at..at + N]);
        usize::from_le_bytes(number)
    }

    /// Where the descriptions of the parts of this kind stand.
    fn parts(bytes: &[u8], kind: u32) -> Vec<usize> {
        assert_eq!(bytes[CLASS], 2, "64 bits");
        let table = number::<8>(bytes, TABLE);
        (0..number::<2>(bytes, PARTS))
            .map(|n| table + n * PART)
            .filter(|&at| bytes[at..at + 4] == kind.to_le_bytes())
            .collect()
    }

    /// Ends before the name of the library that would load it.
    pub(super) fn without_its_library() -> Vec<u8> {
        let mut bytes = sh();
        let at = parts(&bytes, LINKER)[0];
        let far = bytes.len() * 2;
        bytes[at + 8..at + 16].copy_from_slice(&far.to_le_bytes());
        bytes
    }

    /// Every part to be loaded stands behind the end of the file; no linker looks at it first.
    pub(super) fn without_its_parts() -> Vec<u8> {
        let mut bytes = sh();
        let far = (bytes.len() * 2).next_multiple_of(1 << 16);
        for at in parts(&bytes, LOAD) {
            let offset = far + number::<8>(&bytes, at + 16) % 4096;
            bytes[at + 8..at + 16].copy_from_slice(&offset.to_le_bytes());
        }
        load_alone(&mut bytes);
        bytes
    }

    /// Whole, as long as it says it is, and nothing in it.
    pub(super) fn of_zeros() -> Vec<u8> {
        let mut bytes = sh();
        load_alone(&mut bytes);
        let head = number::<8>(&bytes, TABLE) + number::<2>(&bytes, PARTS) * PART;
        bytes[head..].fill(0);
        bytes
    }

    /// Leaves only the parts to be loaded: the others would be looked at first, and refused.
    fn load_alone(bytes: &mut [u8]) {
        let table = number::<8>(bytes, TABLE);
        for at in (0..number::<2>(bytes, PARTS)).map(|n| table + n * PART) {
            if bytes[at..at + 4] != LOAD.to_le_bytes() {
                bytes[at..at + 4].fill(0);
            }
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_script_that_may_not_be_read_is_told_without_its_path() {
    let stage = Stage::python("print({})");
    let script = stage.job().program.script;
    let script = stage.folder.path().join(script);
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o000)).unwrap();
    if std::fs::File::open(&script).is_ok() {
        eprintln!("skipped: a file that cannot be read, because root reads every file");
        return;
    }
    let error = refused(stage.job()).await;
    assert!(
        matches!(error, RunError::ScriptUnreadable { .. }),
        "{error}"
    );
}
