//! A person's client of a tmux server: attached by a terminal of its own, ended when it is dropped.

use std::process::{Child, Stdio};

use super::eventually::{HANG, eventually};
use super::process;
use super::tmux::Tmux;

/// Runs its arguments on a new terminal, and reads what they write.
const ON_A_TERMINAL: &str = r"
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    while os.read(terminal, 65536):
        pass
except OSError:
    pass
";

pub(crate) struct Person {
    child: Child,
}

impl Person {
    /// Attaches to this target, as the first client that is no program's.
    pub(crate) async fn attach(tmux: &Tmux, target: &str) -> Self {
        let mut python = process::command("python3");
        python.args(["-c", ON_A_TERMINAL, tmux.binary(), "-u", "-S"]).arg(tmux.socket());
        python.args(["attach-session", "-t", target]).env("TERM", "screen");
        python.stdout(Stdio::null()).stderr(Stdio::null());
        let child = python.spawn();
        let child =
            child.unwrap_or_else(|error| panic!("{}", process::not_started(&python, &error)));
        let person = Self { child };
        let attached = async || (people(tmux) == 1).then_some(());
        eventually("a person's client to be attached", HANG, attached).await;
        person
    }

    /// Detaches.
    pub(crate) async fn leave(self, tmux: &Tmux) {
        drop(self);
        let gone = async || (people(tmux) == 0).then_some(());
        eventually("a person's client to be gone", HANG, gone).await;
    }
}

/// How many clients are no programs'.
fn people(tmux: &Tmux) -> usize {
    let clients = tmux.run(&["list-clients", "-F", "#{client_control_mode}"]);
    clients.lines().filter(|control| *control == "0").count()
}

impl Drop for Person {
    fn drop(&mut self) {
        // the end of its terminal ends the client
        process::end(process::pid_of(self.child.id()));
        drop(self.child.wait());
    }
}
