//! Signals and process groups on Unix.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use process_wrap::tokio::{CommandWrap, ProcessGroup};
use tokio::process::Command;

use crate::{Exit, Program};

/// The command that runs a program, in a process group of its own.
pub(crate) fn command(program: &Program) -> CommandWrap {
    let mut command = Command::new(&program.interpreter);
    command.args(&program.arguments).arg(&program.script);
    let mut wrapped = CommandWrap::from(command);
    wrapped.wrap(ProcessGroup::leader());
    wrapped
}

/// Whether anybody may execute this file.
pub(crate) fn may_execute(metadata: &Metadata) -> bool {
    metadata.mode() & 0o111 != 0
}

/// Whether a process of this group is left, a dead one that nobody has collected included.
pub(crate) fn group_is_left(leader: u32) -> bool {
    let Ok(leader) = i32::try_from(leader) else {
        return false;
    };
    killpg(Pid::from_raw(leader), None) != Err(Errno::ESRCH)
}

/// The number of the signal that asks politely.
pub(crate) const POLITE: i32 = Signal::SIGTERM as i32;

/// How a process that nobody killed ended.
pub(crate) fn exit_of(status: ExitStatus) -> Exit {
    if let Some(number) = status.signal() {
        let name = Signal::try_from(number)
            .map(Signal::as_str)
            .unwrap_or_default();
        return Exit::Signal {
            number,
            name: name.to_owned(),
        };
    }
    Exit::Code(status.code().unwrap_or(-1))
}
