//! Shells in panes, with nothing of a person's settings, and a daemon that watches them.
//!
//! Each is a real shell with its own line editor. A shell that is missing is a failure that names it.

use std::env;
use std::path::Path;
use std::time::Duration;

use panewatch_protocol::method;
use panewatch_protocol::typing::Typed;
use panewatch_protocol::wait::TextAnswer;
use rustix::fs::{Mode, OFlags};
use rustix::termios::{LocalModes, Termios};
use serde_json::{Value, json};

use super::daemon::Daemon;
use super::eventually::eventually;
use super::process;
use super::scene::assert_matched;
use super::tmux::Tmux;

/// How long a program in a pane may take to come to a state that it comes to by itself.
const SOON: Duration = Duration::from_secs(20);

/// Which shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// dash: the terminal's own line editing.
    Sh,
    Bash,
    Zsh,
    Fish,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Sh, Self::Bash, Self::Zsh, Self::Fish];

    fn program(self) -> &'static str {
        match self {
            Self::Sh => "dash",
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
        }
    }

    fn arguments(self) -> &'static str {
        match self {
            Self::Sh => "",
            Self::Bash => "--norc --noprofile",
            Self::Zsh => "-f",
            Self::Fish => {
                r"--no-config -C 'set -g fish_greeting; function fish_prompt; echo -n \$\ ; end'"
            }
        }
    }
}

/// A shell at its prompt, `$ `, and a daemon. Dropped from the first field to the last.
pub(crate) struct Shell {
    pub(crate) daemon: Daemon,
    pub(crate) pane: String,
    pub(crate) tmux: Tmux,
}

impl Shell {
    pub(crate) async fn start(kind: Kind) -> Self {
        Self::start_wide(kind, 80).await
    }

    /// In a pane of so many columns.
    pub(crate) async fn start_wide(kind: Kind, columns: u16) -> Self {
        Self::start_on("tmux", kind, columns).await
    }

    /// On a server of this tmux binary.
    pub(crate) async fn start_on(binary: &str, kind: Kind, columns: u16) -> Self {
        let tmux = Tmux::start_with(binary);
        let pane = tmux.new_pane(&command(kind, tmux.dir()));
        let daemon = Daemon::start(&tmux).await;
        let shell = Self { daemon, pane, tmux };
        let columns = columns.to_string();
        shell.tmux.run(&["resize-window", "-t", &shell.pane, "-x", &columns, "-y", "24"]);
        shell.prompted().await;
        shell
    }

    /// Until nothing stands behind the prompt on the last row.
    pub(crate) async fn prompted(&self) {
        // more than one prompt, where lines typed ahead printed nothing
        let prompts = |row: &str| row.split_whitespace().all(|word| word == "$");
        let probe = async || {
            let screen = self.tmux.capture(&self.pane);
            screen.trim_end().lines().last().is_some_and(prompts).then_some(())
        };
        eventually("a prompt at the end of the screen", SOON, probe).await;
    }

    /// Until the pane's program is the one of this name.
    pub(crate) async fn runs(&self, program: &str) {
        let what = format!("{program} to run in the pane");
        let running = || self.tmux.show(&self.pane, "#{pane_current_command}");
        eventually(&what, SOON, async || (running() == program).then_some(())).await;
    }

    /// Until the pane's screen or history contains this.
    pub(crate) async fn shows(&self, text: &str) {
        self.shows_times(text, 1).await;
    }

    /// Until the pane's screen or history contains this so often.
    pub(crate) async fn shows_times(&self, text: &str, times: usize) {
        let what = format!("{text:?} to stand on the screen {times} times");
        let count = || self.tmux.capture(&self.pane).matches(text).count();
        eventually(&what, SOON, async || (count() >= times).then_some(())).await;
    }

    /// `send_keys` with these arguments; the answer's cursor.
    pub(crate) async fn send(&self, params: Value) -> String {
        self.order(method::SEND_KEYS, params).await
    }

    /// `paste_text` with these arguments; the answer's cursor.
    pub(crate) async fn paste(&self, params: Value) -> String {
        self.order(method::PASTE_TEXT, params).await
    }

    /// Types a line and Enter; the answer's cursor.
    pub(crate) async fn line(&self, text: &str) -> String {
        self.send(json!({"text": text, "enter": true})).await
    }

    async fn order(&self, method: &str, mut params: Value) -> String {
        params["pane"] = json!(self.pane);
        let typed: Typed = self.daemon.client().get(method, params).await;
        assert_eq!(typed.pane, self.pane, "{typed:?}");
        typed.cursor
    }

    /// What a wait from this cursor answers.
    pub(crate) async fn since(&self, cursor: &str, mut params: Value) -> TextAnswer {
        params["pane"] = json!(self.pane);
        params["since"] = json!(cursor);
        self.daemon.ask(params).await
    }

    /// From the cursor on, the pattern must be found first in just this row.
    pub(crate) async fn finds(&self, cursor: &str, pattern: &str, row: &str) {
        assert_matched(&self.since(cursor, json!({"patterns": [pattern]})).await, row);
    }

    /// From the cursor on, the pattern must not be found, although it stands on the screen: what is
    /// printed next, by the line that this types, is found instead.
    pub(crate) async fn finds_none(&self, cursor: &str, pattern: &str) {
        self.shows(pattern).await;
        self.prompted().await;
        self.line("echo BEHIND_IT").await;
        let both = json!({"patterns": [pattern, "BEHIND_IT"]});
        let answer = self.since(cursor, both).await;
        assert_eq!(answer.matched_pattern.as_deref(), Some("BEHIND_IT"), "{answer:?}");
        assert_matched(&answer, "BEHIND_IT");
        self.prompted().await;
    }
}

/// The shell command that becomes this shell.
fn command(kind: Kind, home: &Path) -> String {
    let (program, arguments, home) = (kind.program(), kind.arguments(), home.display());
    let mut probe = process::command(program);
    probe.args(["-c", ":"]);
    let output = process::run_to_end(probe);
    assert!(output.status.success(), "these tests need a `{program}` that works: {output:?}");
    let path = env::var("PATH").expect("a PATH");
    format!(
        "exec env -i PATH='{path}' HOME='{home}' TERM=screen LC_ALL=C.UTF-8 PS1='$ ' \
         {program} {arguments}"
    )
}

/// Until the modes of the pane's terminal are like this.
pub(crate) async fn terminal_is(tmux: &Tmux, pane: &str, like: impl Fn(LocalModes) -> bool) {
    let what = format!("the terminal of pane {pane} to get its modes");
    let probe = async || like(terminal(tmux, pane).local_modes).then_some(());
    eventually(&what, SOON, probe).await;
}

fn terminal(tmux: &Tmux, pane: &str) -> Termios {
    let tty = tmux.show(pane, "#{pane_tty}");
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK;
    let tty = rustix::fs::open(tty, flags, Mode::empty()).expect("opening a pane's terminal");
    rustix::termios::tcgetattr(tty).expect("the modes of a pane's terminal")
}
