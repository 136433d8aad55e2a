//! Gives memory back to the system that a change has left free.
//!
//! The next generation is made beside the one before, on whichever threads, so what is free afterwards lies scattered among
//! what is used, and the allocator keeps it: with ten thousand skills that is as much again as the skills take.

use std::time::Duration;

use metier::SkillCatalog;
use tokio::sync::broadcast::error::RecvError;

/// How long after a change clients are taken to have asked for what is new. Of what comes meanwhile nothing is done a second
/// time.
const AFTER: Duration = Duration::from_secs(2);

/// Does so from now on, some time after each change of the catalog.
pub(crate) fn give_back(catalog: &SkillCatalog) {
    let mut changes = catalog.subscribe();
    tokio::spawn(async move {
        while !matches!(changes.recv().await, Err(RecvError::Closed)) {
            tokio::time::sleep(AFTER).await;
            while changes.try_recv().is_ok() {}
            // Where no thread is to be had, the next change gives it back.
            let _ = tokio::task::spawn_blocking(trim).await;
        }
    });
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    #[expect(
        unsafe_code,
        reason = "a declaration of the C library, which no library in use has"
    )]
    unsafe extern "C" {
        /// `malloc.h`; safe at any time on any thread, says `malloc_trim(3)`.
        safe fn malloc_trim(kept_at_the_top: usize) -> std::ffi::c_int;
    }
    // Whether there was anything to give back changes nothing.
    let _ = malloc_trim(0);
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn trim() {}
