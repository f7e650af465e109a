//! Waiting for something to become so, with a deadline and a name for it.
//!
//! The only place of the tests that sleeps: a few milliseconds between two looks, never for
//! readiness. What does not come within its deadline is named in the panic.

use std::thread;
use std::time::{Duration, Instant};

use super::process;

/// Guards against a hang; no test expects anything to take this long. Longer than the timeout that a
/// wait has by itself, so that a wait that fails is seen with its answer.
pub(crate) const HANG: Duration = Duration::from_secs(40);

const STEP: Duration = Duration::from_millis(5);

/// What `probe` finds, looked for again and again until `deadline` has passed.
pub(crate) async fn eventually<T>(
    what: &str,
    deadline: Duration,
    mut probe: impl AsyncFnMut() -> Option<T>,
) -> T {
    let end = Instant::now() + deadline;
    loop {
        if let Some(found) = within(what, HANG, probe()).await {
            return found;
        }
        assert!(Instant::now() < end, "awaited in vain for {deadline:?}: {what}");
        tokio::time::sleep(STEP).await;
    }
}

/// The output of `future`, which must come before `deadline`.
pub(crate) async fn within<T>(
    what: &str,
    deadline: Duration,
    future: impl Future<Output = T>,
) -> T {
    let output = tokio::time::timeout(deadline, future).await;
    output.unwrap_or_else(|_| panic!("awaited in vain for {deadline:?}: {what}"))
}

/// Whether the process is gone before `deadline`. It blocks, so that it can be used in a `Drop`.
pub(crate) fn gone_by(pid: i32, deadline: Duration) -> bool {
    let end = Instant::now() + deadline;
    while process::alive(pid) {
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(STEP);
    }
    true
}
