//! A private tmux server in a directory of its own, ended when it is dropped.
//!
//! It has one session, `main`, whose first pane (`%0`) runs a quiet program. Its socket lies where
//! tmux would look for it under `TMUX_TMPDIR`, so that it can be named by path and by name.

use std::env;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use tempfile::TempDir;

use super::eventually::gone_by;
use super::process;

/// The server's name, as `tmux -L` takes it.
pub(crate) const NAME: &str = "own";

pub(crate) struct Tmux {
    binary: String,
    socket: PathBuf,
    pid: i32,
    dir: TempDir,
}

impl Tmux {
    /// A server of the tmux on the path.
    pub(crate) fn start() -> Self {
        Self::start_with("tmux")
    }

    /// A server of this tmux binary.
    pub(crate) fn start_with(binary: &str) -> Self {
        let dir = tempfile::Builder::new().prefix("pw").tempdir().expect("a temporary directory");
        let uid = rustix::process::getuid().as_raw();
        let sockets = dir.path().join(format!("tmux-{uid}"));
        DirBuilder::new().mode(0o700).create(&sockets).expect("a directory for the tmux socket");
        let socket = sockets.join(NAME);
        let mut tmux = Self { binary: binary.to_owned(), socket, pid: 0, dir };
        tmux.launch();
        tmux
    }

    /// Every tmux to test on: the one on the path, and those of `PANEWATCH_TEST_TMUXES`.
    pub(crate) fn binaries() -> Vec<String> {
        let more = env::var("PANEWATCH_TEST_TMUXES");
        assert!(
            more.is_ok() || env::var_os("CI").is_none(),
            "under CI, PANEWATCH_TEST_TMUXES must name further tmux binaries (colon-separated; \
             empty for none), or nothing is tested on them"
        );
        let more = more.unwrap_or_default();
        let more = more.split(':').filter(|path| !path.is_empty()).map(String::from);
        std::iter::once("tmux".to_owned()).chain(more).collect()
    }

    fn launch(&mut self) {
        self.run(&["new-session", "-d", "-s", "main", "-x", "80", "-y", "24", "exec cat"]);
        self.pid = self.server_pid().expect("the pid of a server just started");
    }

    /// Ends the server and starts another on the same socket.
    pub(crate) fn restart(&mut self) {
        self.run(&["kill-server"]);
        assert!(gone_by(self.pid, Duration::from_secs(10)), "the tmux server did not end");
        self.launch();
    }

    pub(crate) fn binary(&self) -> &str {
        &self.binary
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// The directory that the server and its test have to themselves, mode 0700.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The process id of the server as it was started.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// The process id of the server that answers now, if one does.
    pub(crate) fn server_pid(&self) -> Option<i32> {
        self.try_run(&["display-message", "-p", "#{pid}"]).ok()?.trim().parse().ok()
    }

    /// What a tmux command prints; it must succeed.
    pub(crate) fn run(&self, args: &[&str]) -> String {
        self.try_run(args).unwrap_or_else(|error| panic!("{} {args:?}: {error}", self.binary))
    }

    /// What a tmux command prints, or what it says when it fails.
    pub(crate) fn try_run(&self, args: &[&str]) -> Result<String, String> {
        let output = process::run_to_end(self.command(args));
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = process::command(&self.binary);
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(&self.socket).args(args);
        command.env("SHELL", "/bin/sh");
        command
    }

    /// A new window of session `main` that runs this shell command; its pane's id.
    pub(crate) fn new_pane(&self, command: &str) -> String {
        self.new_pane_in("main", command)
    }

    /// A new window of this session that runs this shell command; its pane's id.
    pub(crate) fn new_pane_in(&self, session: &str, command: &str) -> String {
        let target = format!("={session}:");
        let id = "#{pane_id}";
        self.run(&["new-window", "-d", "-P", "-F", id, "-t", &target, command]).trim().to_owned()
    }

    /// A further session, with a quiet program in its pane.
    pub(crate) fn new_session(&self, name: &str) {
        self.run(&["new-session", "-d", "-s", name, "-x", "80", "-y", "24", "exec cat"]);
    }

    /// What a format says of a target.
    pub(crate) fn show(&self, target: &str, format: &str) -> String {
        self.run(&["display-message", "-p", "-t", target, format]).trim().to_owned()
    }

    /// The sessions that have clients, one entry a client, sorted.
    pub(crate) fn clients(&self) -> Vec<String> {
        let clients = self.run(&["list-clients", "-F", "#{client_session}"]);
        let mut clients: Vec<_> = clients.lines().map(String::from).collect();
        clients.sort();
        clients
    }

    /// The pane's screen and history.
    pub(crate) fn capture(&self, pane: &str) -> String {
        self.run(&["capture-pane", "-p", "-J", "-S", "-", "-t", pane])
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        if process::alive(self.pid) {
            drop(process::try_run_to_end(self.command(&["kill-server"])));
        }
        if self.pid > 0 && !gone_by(self.pid, Duration::from_secs(5)) {
            eprintln!("tmux server {} outlived kill-server and is killed", self.pid);
            process::signal(self.pid, Signal::KILL);
        }
    }
}
