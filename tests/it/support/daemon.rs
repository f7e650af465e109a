//! A daemon over one private tmux server, ended by its process id when it is dropped.
//!
//! Its socket and its log lie in the tmux server's own directory. What it wrote to stderr is printed
//! when the test fails.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use panewatch_protocol::method;
use panewatch_protocol::status::Status;
use panewatch_protocol::wait::TextAnswer;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::client::{Client, Refusal, Waiting};
use super::eventually::{HANG, eventually, gone_by};
use super::process;
use super::tmux::Tmux;

pub(crate) struct Daemon {
    child: Child,
    listen: PathBuf,
    log: PathBuf,
    client: Option<Client>,
}

impl Daemon {
    /// A daemon whose default server is this one.
    pub(crate) async fn start(tmux: &Tmux) -> Self {
        Self::start_with(tmux, &[]).await
    }

    /// The same, with further arguments to `serve`.
    pub(crate) async fn start_with(tmux: &Tmux, args: &[&str]) -> Self {
        let mut serve = serve(tmux);
        serve.args(args);
        Self::launch(serve, tmux.dir(), socket_in(tmux)).await
    }

    /// Starts this command and waits until it answers on `listen`.
    pub(crate) async fn launch(mut serve: Command, dir: &Path, listen: PathBuf) -> Self {
        let log = dir.join("daemon.log");
        let file = OpenOptions::new().append(true).create(true).open(&log).expect("a log file");
        let child = serve.stdout(Stdio::null()).stderr(file).spawn().expect("starting the daemon");
        let mut daemon = Self { child, listen, log, client: None };
        let client =
            eventually("the daemon to answer", HANG, async || daemon.try_connect().await).await;
        daemon.client = Some(client);
        daemon
    }

    async fn try_connect(&mut self) -> Option<Client> {
        if let Some(status) = self.child.try_wait().expect("asking for the daemon's end") {
            panic!("the daemon ended at once: {status}");
        }
        Client::try_connect(&self.listen).await
    }

    /// The socket it listens on.
    pub(crate) fn listen(&self) -> &Path {
        &self.listen
    }

    pub(crate) fn pid(&self) -> i32 {
        process::pid_of(self.child.id())
    }

    /// The connection that the fixture keeps for questions.
    pub(crate) fn client(&self) -> &Client {
        self.client.as_ref().expect("the connection of a started daemon")
    }

    pub(crate) async fn status(&self) -> Status {
        self.client().status().await
    }

    /// Until it holds just so many waits.
    pub(crate) async fn holds_waits(&self, count: usize) {
        let what = format!("the daemon to hold {count} waits");
        let probe = async || (self.status().await.waits == count).then_some(());
        eventually(&what, HANG, probe).await;
    }

    /// Starts a wait and returns when the daemon has taken it.
    pub(crate) async fn armed(&self, params: Value) -> Waiting {
        let before = self.status().await.waits;
        let wait = self.wait(params);
        self.holds_waits(before + 1).await;
        wait
    }

    /// Starts a wait.
    pub(crate) fn wait(&self, params: Value) -> Waiting {
        Waiting::start(self.listen.clone(), params)
    }

    /// The answer of a wait that nothing has to be done for.
    pub(crate) async fn ask(&self, params: Value) -> TextAnswer {
        self.wait(params).answer().await
    }

    /// The error with which a call is refused.
    pub(crate) async fn refused(&self, method: &str, params: Value) -> Refusal {
        let what = format!("{method} {params}");
        match self.client().call(method, params).await {
            Err(refusal) => refusal,
            Ok(answer) => panic!("{what} must be refused, and was answered: {answer}"),
        }
    }

    /// Whether there was a wait of this name to cancel.
    pub(crate) async fn cancel(&self, wait_id: &str) -> bool {
        let answer = self.client().call(method::CANCEL_WAIT, json!({"wait_id": wait_id})).await;
        answer.expect("cancel_wait is never refused")["cancelled"].as_bool().expect("a boolean")
    }

    /// How many bytes of pane output it has seen.
    pub(crate) async fn seen_bytes(&self) -> u64 {
        self.status().await.servers.iter().map(|server| server.seen_bytes).sum()
    }

    /// Kills it with no chance to tidy up; its socket stays.
    pub(crate) async fn sigkill(&mut self) {
        process::signal(self.pid(), Signal::KILL);
        self.ended().await;
    }

    /// Asks it to end.
    pub(crate) fn sigterm(&self) {
        process::signal(self.pid(), Signal::TERM);
    }

    /// How it ended, once it has.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let probe = async || self.child.try_wait().expect("asking for the daemon's end");
        eventually("the daemon to end", HANG, probe).await
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = fs::read_to_string(&self.log).unwrap_or_default();
            eprintln!("--- the daemon's stderr ---\n{log}---");
        }
        // an id that was waited for may be somebody else's by now
        if matches!(self.child.try_wait(), Ok(None)) {
            process::end(self.pid());
            drop(self.child.wait());
        }
    }
}

/// Where the daemon over this server listens.
pub(crate) fn socket_in(tmux: &Tmux) -> PathBuf {
    tmux.dir().join("d.sock")
}

/// The program, with this server's directory as the one where tmux keeps its sockets.
pub(crate) fn panewatch(tmux: &Tmux) -> Command {
    let mut command = process::command(process::PANEWATCH);
    command.env("TMUX_TMPDIR", tmux.dir());
    command
}

/// The command for a daemon over this server.
pub(crate) fn serve(tmux: &Tmux) -> Command {
    let mut serve = panewatch(tmux);
    serve.arg("serve").arg("--listen").arg(socket_in(tmux)).arg("-S").arg(tmux.socket());
    serve
}

/// Ends whatever daemons were started by clients with `dir` in their environment or arguments.
pub(crate) struct Strays {
    dir: PathBuf,
}

impl Strays {
    pub(crate) fn of(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// A connection to the daemon that a client started, as soon as it answers on `socket`.
    pub(crate) async fn daemon(&self, socket: &Path) -> Client {
        let what = "an answer of a daemon started by a client";
        eventually(what, HANG, async || Client::try_connect(socket).await).await
    }

    /// The daemons and clients that there are.
    pub(crate) fn pids(&self) -> Vec<i32> {
        let all = process::all_under(&self.dir).into_iter();
        all.filter(|&pid| process::is_panewatch(pid)).collect()
    }
}

impl Drop for Strays {
    fn drop(&mut self) {
        for pid in self.pids() {
            process::end(pid);
            if !gone_by(pid, Duration::from_secs(1)) {
                eprintln!("the started daemon {pid} could not be ended");
            }
        }
    }
}
