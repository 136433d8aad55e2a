//! How serving ends.

use std::io;

/// Why serving ended, when nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StdioEnd {
    /// The client closed its end of the input, which is how it says goodbye.
    InputClosed,
    /// Nobody reads the answers any more.
    OutputClosed,
    /// The program was told to stop.
    Stopped,
}

/// Why serving ended otherwise. Running calls have been ended all the same.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// The input cannot be read.
    #[error("cannot read the client's messages: {0}")]
    Read(#[source] io::Error),
    /// The output cannot be written, although somebody is there.
    #[error("cannot write the answers: {0}")]
    Write(#[source] io::Error),
}

/// Whether an error of the output only says that the reader has gone.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::WriteZero
    )
}
