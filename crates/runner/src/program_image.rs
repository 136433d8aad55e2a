//! A program as the system starts it, with nobody in between.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString, c_char};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::AtomicPtr;

use nix::errno::Errno;
use nix::libc;

use crate::{Job, ScriptKind};

/// Program, arguments and environment, laid out beforehand: between fork and exec nothing can be
/// allocated.
///
/// The library's own way of starting a program looks a bare name up on the path, and gives to `sh`
/// whatever the system cannot run; then the answer is what `sh` makes of it.
#[derive(Debug)]
pub(crate) struct ProgramImage {
    program: CString,
    arguments: Texts,
    environment: Texts,
}

impl ProgramImage {
    /// Of the interpreter of a job. A text with a NUL in it cannot be handed to any program.
    pub(crate) fn of(job: &Job, environment: &BTreeMap<OsString, OsString>) -> io::Result<Self> {
        let program = &job.program;
        let interpreter = program.interpreter.as_os_str();
        let script = (program.kind != ScriptKind::Executable).then_some(program.script.as_os_str());
        let arguments = [interpreter]
            .into_iter()
            .chain(program.arguments.iter().map(OsString::as_os_str))
            .chain(script)
            .chain(job.script_arguments.iter().map(OsString::as_os_str));
        let entries = environment
            .iter()
            .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
        Ok(Self {
            program: CString::new(interpreter.as_bytes())?,
            arguments: Texts::of(arguments.map(|text: &OsStr| text.as_bytes().to_vec()))?,
            environment: Texts::of(entries)?,
        })
    }

    /// Becomes this program; the answer is why not. Allocates nothing and takes no lock.
    pub(crate) fn execute(&self) -> io::Error {
        #[expect(
            unsafe_code,
            reason = "the libraries in use have no way that allocates nothing"
        )]
        // SAFETY: the path and every text end with NUL and live as long as `self`; both lists end with
        // a null pointer, and an `AtomicPtr` has the layout of the pointer in it.
        unsafe {
            libc::execve(
                self.program.as_ptr(),
                self.arguments.pointers.as_ptr().cast(),
                self.environment.pointers.as_ptr().cast(),
            );
        }
        Errno::last().into()
    }
}

/// Texts as C has them.
#[derive(Debug)]
struct Texts {
    /// Where the pointers point to; the bytes of a `CString` stay in place when it is moved.
    _owned: Vec<CString>,
    /// Atomic, because a plain pointer must not go to another thread. Never written to.
    pointers: Vec<AtomicPtr<c_char>>,
}

impl Texts {
    fn of(texts: impl Iterator<Item = Vec<u8>>) -> io::Result<Self> {
        let owned = texts.map(CString::new).collect::<Result<Vec<_>, _>>()?;
        let end = AtomicPtr::new(ptr::null_mut());
        let pointers = owned
            .iter()
            .map(|text| AtomicPtr::new(text.as_ptr().cast_mut()))
            .chain([end])
            .collect();
        Ok(Self {
            _owned: owned,
            pointers,
        })
    }
}
