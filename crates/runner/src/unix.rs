//! Sessions and signals on Unix.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::unistd::{getpid, setsid};
use process_wrap::tokio::CommandWrap;
use tokio::process::Command;

use crate::{Exit, Program, ScriptKind};

/// The command that runs a program, as the leader of a session of its own: so all that it starts can be
/// told, and no terminal is there to ask for passwords on.
///
/// `report` hears the id of the new process inside that process, before the program is in it.
pub(crate) fn command(
    program: &Program,
    report: impl Fn(i32) + Send + Sync + 'static,
) -> CommandWrap {
    let mut command = Command::new(&program.interpreter);
    command.args(&program.arguments);
    if program.kind != ScriptKind::Executable {
        command.arg(&program.script);
    }
    let lead = move || {
        setsid()?;
        report(getpid().as_raw());
        Ok(())
    };
    #[expect(
        unsafe_code,
        reason = "the only way to do something between fork and exec"
    )]
    // SAFETY: of a process with several threads only async-signal-safe calls may follow a fork.
    // These are setsid, getpid and send; nothing is allocated and no lock taken.
    unsafe {
        command.pre_exec(lead);
    }
    CommandWrap::from(command)
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

/// Refuses what the system cannot run: its library would give it to `sh`, and the answer would be what
/// `sh` makes of it, with the place of the file in it.
pub(crate) fn check_program(path: &Path) -> io::Result<()> {
    let mut start = [0; 64];
    let read = File::open(path).and_then(|mut file| {
        let read = file.read(&mut start)?;
        Ok((read, file.metadata()?.len()))
    });
    // A program may be executable without being readable; then the start tells.
    let Ok((read, length)) = read else {
        return Ok(());
    };
    let start = start.get(..read).unwrap_or_default();
    let is_text = start
        .iter()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    if start.starts_with(b"#!") {
        return Ok(());
    }
    if is_text || !(is_for_this_system(start, length) || has_further_formats()) {
        return Err(Errno::ENOEXEC.into());
    }
    Ok(())
}

/// Whether a program that begins so, and is so long, is one of this system and this kind of processor:
/// an ELF file that can be run and that is whole as far as its table of parts.
#[cfg(target_os = "linux")]
fn is_for_this_system(start: &[u8], length: u64) -> bool {
    use std::ops::Range;

    const KIND: Range<usize> = 16..18;
    const KINDS_THAT_RUN: [u64; 2] = [2, 3];
    const MACHINE: Range<usize> = 18..20;
    const WIDE: u8 = 2;
    let machines: &[u64] = match std::env::consts::ARCH {
        "x86_64" => &[62, 3],
        "x86" => &[3],
        "aarch64" => &[183, 40],
        "arm" => &[40],
        _ => return start.starts_with(b"\x7fELF"),
    };
    // All of these processors put the low byte first.
    let number = |at: Range<usize>| -> Option<u64> {
        let bytes = start.get(at)?.iter().rev();
        Some(bytes.fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    let (offset, size, count) = if start.get(4) == Some(&WIDE) {
        (number(32..40), number(54..56), number(56..58))
    } else {
        (number(28..32), number(42..44), number(44..46))
    };
    let end = offset
        .zip(size.zip(count))
        .and_then(|(offset, (size, count))| offset.checked_add(size * count));
    start.starts_with(b"\x7fELF")
        && number(KIND).is_some_and(|kind| KINDS_THAT_RUN.contains(&kind))
        && number(MACHINE).is_some_and(|machine| machines.contains(&machine))
        && count.is_some_and(|count| count > 0)
        && end.is_some_and(|end| end <= length)
}

/// Other systems are not asked.
#[cfg(not(target_os = "linux"))]
fn is_for_this_system(_: &[u8], _: u64) -> bool {
    true
}

/// Whether the system was told how to run programs of other kinds (`binfmt_misc`).
fn has_further_formats() -> bool {
    let Ok(entries) = std::fs::read_dir("/proc/sys/fs/binfmt_misc") else {
        return false;
    };
    let mut names = entries.flatten().map(|entry| entry.file_name());
    names.any(|name| name != "register" && name != "status")
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
