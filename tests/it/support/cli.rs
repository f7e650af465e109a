//! The `panewatch` command as a person runs it.
//!
//! It is started, awaited or interrupted, and its exit code and outputs are looked at.

use std::process::{Command, Stdio};

use rustix::process::Signal;
use tokio::process::Child;

use super::daemon::{Daemon, panewatch};
use super::eventually::{HANG, within};
use super::process;
use super::tmux::Tmux;

/// How a command ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Its exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A command under way, killed when this is dropped.
pub(crate) struct Running {
    what: String,
    pid: i32,
    child: Child,
}

impl Running {
    /// Starts any command.
    pub(crate) fn start(mut command: Command) -> Self {
        let what = format!("the end of {command:?}");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = tokio::process::Command::from(command);
        let child = command.kill_on_drop(true).spawn().expect("starting panewatch");
        let pid = process::pid_of(child.id().expect("the id of a running process"));
        Self { what, pid, child }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        process::signal(self.pid, signal);
    }

    /// How it ended, once it has.
    pub(crate) async fn end(self) -> Ran {
        let output = within(&self.what, HANG, self.child.wait_with_output()).await;
        let output = output.expect("reading what a command printed");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Ran { code: output.status.code(), stdout, stderr }
    }
}

/// `panewatch ARGS`, for the tmux server's daemon at its usual place in these tests.
pub(crate) fn command(tmux: &Tmux, daemon: &Daemon, args: &[&str]) -> Command {
    let (subcommand, rest) = args.split_first().expect("a subcommand");
    let mut command = panewatch(tmux);
    command.arg(subcommand).arg("--listen").arg(daemon.listen()).arg("--no-autostart").args(rest);
    command
}

/// Runs `panewatch ARGS` to its end.
pub(crate) async fn run(tmux: &Tmux, daemon: &Daemon, args: &[&str]) -> Ran {
    Running::start(command(tmux, daemon, args)).end().await
}
