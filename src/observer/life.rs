//! When a pane's program ends.
//!
//! tmux tells nothing when a program dies under `remain-on-exit` or is replaced by `respawn-pane`
//! (tmux-control-mode 5), so the kernel is asked: a wait costs one descriptor and no polling.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[expect(deprecated, reason = "unsound only for what closes its descriptor early; `OwnedFd` does not")]
fn readable(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(fd, Interest::READABLE)
}

/// Returns when the process has ended. Never returns where the kernel cannot tell.
pub async fn ended(pid: i32) {
    let Some(pid) = Pid::from_raw(pid) else { return };
    let fd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => fd,
        Err(rustix::io::Errno::SRCH) => return,
        Err(_) => return std::future::pending().await,
    };
    match readable(fd) {
        Ok(fd) => drop(fd.readable().await),
        Err(_) => std::future::pending().await,
    }
}
