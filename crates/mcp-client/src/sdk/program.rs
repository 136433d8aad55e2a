//! A server that is a program of ours.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// What of this process's environment the program gets.
const INHERITED: [&str; 14] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "USER",
    "APPDATA",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
];

/// How long it may take to end after its input has ended.
const LEAVING: Duration = Duration::from_secs(3);

pub(super) type Pipe = AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>;

/// Starts it. What it writes to standard error is shown as it is.
pub(super) fn start(
    command: &[OsString],
    environment: &[(OsString, OsString)],
    most_bytes: usize,
) -> std::io::Result<(Child, Pipe)> {
    let missing = || std::io::Error::other("no program was named");
    let (program, arguments) = command.split_first().ok_or_else(missing)?;
    let inherited = INHERITED
        .iter()
        .filter_map(|name| Some((*name, std::env::var_os(name)?)));
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(inherited)
        .envs(environment.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()?;
    let pipes = child.stdout.take().zip(child.stdin.take());
    let (stdout, stdin) = pipes.ok_or_else(|| std::io::Error::other("it has no pipes"))?;
    let pipe = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(most_bytes);
    Ok((child, pipe))
}

/// Waits for the end of a program whose input has ended, and makes an end when it does not come.
pub(super) async fn ended(mut child: Child) {
    if tokio::time::timeout(LEAVING, child.wait()).await.is_err() {
        let _ = child.kill().await;
    }
}
