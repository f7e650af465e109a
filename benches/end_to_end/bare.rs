//! The limit: a bare control client, which only reads, and the clock that everybody shares.
//!
//! It is a plain `tmux -C attach`, which may crash tmux before 3.7 while sessions and windows come
//! and go; so a case attaches it while its private server is quiet.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::time::{ClockId, clock_gettime};

use crate::support::eventually::HANG;
use crate::support::process;
use crate::support::tmux::Tmux;

/// Longer than any line of a flood, so that a read is as large as a link's.
const READ: usize = 64 << 10;

/// Nanoseconds of `CLOCK_MONOTONIC`, which is the same clock in every process.
pub(crate) fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let part = |part: i64| u64::try_from(part).expect("a time after the start");
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

/// A control client of session `main`, ended when this is dropped.
pub(crate) struct Bare {
    child: Child,
    /// Closed, the client leaves.
    _input: ChildStdin,
}

impl Bare {
    /// Attaches, and gives every line to `take` on a thread that does nothing else.
    pub(crate) fn attach(tmux: &Tmux, take: impl FnMut(&[u8]) + Send + 'static) -> Self {
        let mut command = process::command(tmux.binary());
        command.args(["-u", "-N", "-S"]).arg(tmux.socket());
        command.args(["-C", "attach-session", "-E", "-f", "ignore-size", "-t", "=main"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("starting a control client");
        let input = child.stdin.take().expect("its input");
        let output = child.stdout.take().expect("its output");
        let bare = Self { child, _input: input };
        let (attached, is_attached) = mpsc::sync_channel(1);
        thread::spawn(move || read(output, take, &attached));
        is_attached.recv_timeout(HANG).expect("a control client that attaches");
        bare
    }
}

fn read(output: ChildStdout, mut take: impl FnMut(&[u8]), attached: &mpsc::SyncSender<()>) {
    let mut output = BufReader::with_capacity(READ, output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        if line.starts_with(b"%session-changed ") {
            attached.try_send(()).ok();
        }
        take(&line);
        line.clear();
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            process::end(process::pid_of(self.child.id()));
            drop(self.child.wait());
        }
    }
}
