//! Sessions and signals on Unix.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

#[cfg(target_vendor = "apple")]
use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::unistd::{getpid, setsid};
use process_wrap::tokio::CommandWrap;
use tokio::process::Command;

use crate::program_image::ProgramImage;
use crate::{Exit, Job};

/// The command that runs a job, as the leader of a session of its own: so all that it starts can be
/// told, and no terminal is there to ask for passwords on.
///
/// `report` hears the id of the new process inside that process, before the program is in it.
pub(crate) fn command(
    job: &Job,
    environment: &BTreeMap<OsString, OsString>,
    report: impl Fn(i32) + Send + Sync + 'static,
) -> io::Result<CommandWrap> {
    let image = ProgramImage::of(job, environment)?;
    let mut command = Command::new(&job.program.interpreter);
    let lead = move || {
        setsid()?;
        // What loses its parent becomes a child of the script, so that it is found when the script is cut off. Where
        // this is refused (a filter of calls), it is found as long as its parents are there.
        #[cfg(target_os = "linux")]
        let _ = nix::sys::prctl::set_child_subreaper(true);
        report(getpid().as_raw());
        Err(image.execute())
    };
    #[expect(
        unsafe_code,
        reason = "the only way to do something between fork and exec"
    )]
    // SAFETY: of a process with several threads only async-signal-safe calls may follow a fork.
    // These are setsid, prctl, getpid, send and execve; nothing is allocated and no lock taken.
    unsafe {
        command.pre_exec(lead);
    }
    Ok(CommandWrap::from(command))
}

/// Has a message to nobody fail and not raise SIGPIPE.
#[cfg(target_vendor = "apple")]
pub(crate) fn no_broken_pipe_signal(socket: &impl std::os::fd::AsRawFd) -> io::Result<()> {
    use nix::libc;

    let on: libc::c_int = 1;
    let size = libc::socklen_t::try_from(size_of_val(&on)).map_err(io::Error::other)?;
    #[expect(unsafe_code, reason = "no library that is in use knows this option")]
    // SAFETY: the descriptor is open while it is borrowed, and the value is an integer of that size.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_NOSIGPIPE,
            (&raw const on).cast(),
            size,
        )
    };
    Errno::result(set).map(drop).map_err(Into::into)
}

/// Whether anybody may execute this file.
pub(crate) fn may_execute(metadata: &Metadata) -> bool {
    metadata.mode() & 0o111 != 0
}

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
