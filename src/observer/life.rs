//! When a pane's program ends.
//!
//! tmux tells nothing when a program dies under `remain-on-exit` or is replaced by `respawn-pane`
//! (tmux-control-mode 5), so the kernel is asked: a wait costs one descriptor and no polling.

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Returns when the process has ended. Never returns where the kernel cannot tell.
pub async fn ended(pid: i32) {
    let Some(pid) = Pid::from_raw(pid) else { return };
    let fd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(fd) => fd,
        Err(rustix::io::Errno::SRCH) => return,
        Err(_) => return std::future::pending().await,
    };
    match AsyncFd::register_with_interest(fd, Interest::READABLE) {
        Ok(fd) => drop(fd.readable().await),
        Err(_) => std::future::pending().await,
    }
}
