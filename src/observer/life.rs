//! When a pane's program ends.
//!
//! tmux tells nothing when a program dies under `remain-on-exit` or is replaced by `respawn-pane`
//! (tmux-control-mode 5), so the kernel is asked: a wait costs one descriptor and no polling.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::topology::Death;

#[expect(
    deprecated,
    reason = "unsound only for what closes its descriptor early; `OwnedFd` does not"
)]
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

/// How a program ended that its server has not reaped yet. tmux before 3.4 can miss the signal that says
/// so, and then never knows the exit status (field report R36); the kernel does.
pub fn unreaped(pid: i32, server: i32) -> Option<Death> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    death_in(&text, server)
}

/// Reads `/proc/PID/stat`: behind the name in brackets come the state and the parent, and at the end the
/// status as `wait` has it.
fn death_in(stat: &str, server: i32) -> Option<Death> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let [state, parent, ..] = fields[..] else { return None };
    let wait: i32 = fields.last()?.parse().ok()?;
    let is_unreaped = state == "Z" && parent.parse() == Ok(server);
    let exited = wait & 0x7f == 0;
    is_unreaped.then_some(Death { status: exited.then_some((wait >> 8) & 0xff), known: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_an_unreaped_program_is_read() {
        let stat = |state, wait| format!("7 (a) b) {state} 42 7 7 0 -1 0 0 0 {wait}\n");
        let death = |status| Some(Death { status, known: true });
        assert_eq!(death_in(&stat('Z', 7 << 8), 42), death(Some(7)));
        assert_eq!(death_in(&stat('Z', 0), 42), death(Some(0)));
        assert_eq!(death_in(&stat('Z', 9), 42), death(None));
        assert_eq!(death_in(&stat('S', 0), 42), None);
        assert_eq!(death_in(&stat('Z', 0), 43), None);
        assert_eq!(death_in("", 42), None);
    }
}
