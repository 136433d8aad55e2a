//! Runs skill scripts inside a host application.
//!
//! Most tools of studios say `affinity: main`: they call an application's own functions, which work
//! on its main thread alone. A [`metier_tool::HostExecutor`] takes such calls in place of a child
//! process. This crate holds two:
//!
//! - [`queue`] for an application that embeds Metier. Calls wait in a bounded queue; the main thread
//!   takes them with [`JobQueue::run_pending`] whenever it is idle.
//! - [`HostLink`] for an application in another process. The adapter `metier_host.py` (Python 3.7,
//!   standard library; [`ADAPTER`]) listens on a loopback port there, writes the address and a secret
//!   into a file that only its user can read ([`Door`]), and runs `main(**arguments)` of the script on
//!   the main thread. One connection is one call; closing it is how a call is given up.
//!
//! Limits: a script that runs inside an application cannot be ended from outside. When its deadline
//! passes or its caller goes, the answer is given up and the application is told; what was already
//! begun runs to its end. A call that has not begun by then never begins.
//!
//! ```
//! use std::sync::Arc;
//! use metier_host::queue;
//! use metier_skill_model::Affinity;
//! use metier_tool::{CallContext, HostExecutor, HostJob, ToolOutput};
//!
//! let (host, jobs) = queue(16);
//! // The server's side, on its own thread.
//! let server = std::thread::spawn(move || {
//!     let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//!     let job = HostJob::new("demo", "greet", "demo".into(), "demo/greet.py".into(),
//!         Affinity::Main, serde_json::Map::new());
//!     runtime.block_on(host.execute(job, CallContext::new("demo__greet", "1")))
//! });
//! // The application's main thread.
//! while jobs.run_pending(|job, _| Ok(ToolOutput::text(format!("ran {}", job.tool_name)))) == 0 {
//!     std::thread::yield_now();
//! }
//! assert_eq!(server.join().unwrap().unwrap().joined_text(), "ran greet");
//! ```

mod adapter;
mod door;
mod link;
mod message;
mod queue;

pub use adapter::ADAPTER;
pub use door::{Door, DoorError};
pub use link::{HostLink, LinkLimits};
pub use queue::{JobQueue, QueueHost, queue};
