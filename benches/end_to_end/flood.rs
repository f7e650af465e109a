//! P3 and P5: `cat` of 50 MB of coloured compiler output in a pane.
//!
//! Its wall time in a pane that is waited on, against the same under a bare control client that
//! only reads; in a pane of a watched session that nobody asked about, against no client at all;
//! and the processor time that daemon and tmux server use meanwhile. Three servers, flooded in
//! turn.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::bare::Bare;
use super::options::Options;
use super::report::{Report, Samples};
use crate::corpus;
use crate::support::client::Waiting;
use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually};
use crate::support::process::ticks;
use crate::support::program::Script;
use crate::support::tmux::Tmux;

const BYTES: usize = 50_000_000;
/// Between two floods, for what tmux still has to send.
const PAUSE: Duration = Duration::from_millis(200);

const PROGRAM: &str = r"
import os, subprocess
while True:
    go()
    start = time.monotonic()
    subprocess.run(['cat', TEXT])
    took = time.monotonic() - start
    with open(RESULT + '.new', 'w') as file:
        file.write(str(took))
    os.rename(RESULT + '.new', RESULT)
";

/// A pane that prints the text when it is told to, and says how long that took.
struct Pane {
    script: Script,
    result: PathBuf,
}

/// The servers and what is attached to them; each is dropped before its server.
struct Stage {
    daemon: Daemon,
    _bare: Bare,
    asked: Pane,
    unasked: Pane,
    read: Pane,
    alone: Pane,
    watched: Tmux,
    under_bare: Tmux,
    _lonely: Tmux,
    /// Bytes of the text as the pane writes it.
    written: u64,
}

/// Seconds, of one round.
struct Round {
    waited_on: f64,
    under_bare: f64,
    unasked: f64,
    alone: f64,
    cpu: Cpu,
    bare_tmux: f64,
}

/// Processor seconds while the pane that is waited on floods.
struct Cpu {
    daemon: f64,
    tmux: f64,
}

pub(crate) async fn run(options: &Options) -> Report {
    let mut stage = Stage::set(&options.tmux).await;
    let mut rounds = Vec::new();
    for _ in 0..options.runs.unwrap_or(3) {
        rounds.push(stage.round().await);
    }
    let gaps: u64 = stage.daemon.status().await.servers.iter().map(|s| s.gaps).sum();
    let mut report = report(&rounds);
    report.add("gaps", gaps as f64, "0");
    report
}

fn report(rounds: &[Round]) -> Report {
    let mut report = Report::new("flood", rounds.len());
    let median =
        |figure: fn(&Round) -> f64| rounds.iter().map(figure).collect::<Samples>().median();
    report.add("waited_on_s", median(|r| r.waited_on), "");
    report.add("under_bare_client_s", median(|r| r.under_bare), "");
    report.add("unasked_s", median(|r| r.unasked), "");
    report.add("alone_s", median(|r| r.alone), "");
    report.add("daemon_cpu_s", median(|r| r.cpu.daemon), "");
    report.add("tmux_cpu_s", median(|r| r.cpu.tmux), "");
    report.add("tmux_cpu_under_bare_client_s", median(|r| r.bare_tmux), "");
    report.add("waited_on_to_bare", median(|r| r.waited_on / r.under_bare), "<= 1.03");
    report.add("unasked_to_alone", median(|r| r.unasked / r.alone), "<= 1.1");
    report.add(
        "daemon_cpu_to_tmux_cpu",
        median(|r| r.cpu.daemon / r.cpu.tmux),
        "<= 0.1 (3.8: 0.2)",
    );
    report
}

impl Stage {
    async fn set(binary: &str) -> Self {
        let servers = [(); 3].map(|()| Tmux::start_with(binary));
        let [watched, under_bare, lonely] = servers;
        let text = watched.dir().join("text");
        let mut output = corpus::compiler(BYTES);
        let written = output.len() as u64;
        // the terminal driver puts them there
        output.retain(|&byte| byte != b'\r');
        fs::write(&text, output).expect("writing the text");
        let asked = Pane::start(&watched, &text, "asked");
        let unasked = Pane::start(&watched, &text, "unasked");
        let read = Pane::start(&under_bare, &text, "read");
        let alone = Pane::start(&lonely, &text, "alone");
        let bare = Bare::attach(&under_bare, |_| {});
        let daemon = Daemon::start(&watched).await;
        Self {
            daemon,
            _bare: bare,
            asked,
            unasked,
            read,
            alone,
            watched,
            under_bare,
            _lonely: lonely,
            written,
        }
    }

    async fn round(&mut self) -> Round {
        let (waited_on, cpu) = self.waited_on().await;
        let before = ticks(self.under_bare.pid());
        let under_bare = self.read.flood().await;
        let bare_tmux = seconds(ticks(self.under_bare.pid()) - before);
        let elsewhere = self.armed("%0").await;
        let unasked = self.unasked.flood().await;
        drop(elsewhere);
        self.daemon.holds_waits(0).await;
        let alone = self.alone.flood().await;
        Round { waited_on, under_bare, unasked, alone, cpu, bare_tmux }
    }

    async fn waited_on(&mut self) -> (f64, Cpu) {
        let pane = self.asked.script.pane.clone();
        let wait = self.armed(&pane).await;
        let pids = [self.daemon.pid(), self.watched.pid()];
        let seen = self.daemon.seen_bytes().await + self.written;
        let before = pids.map(ticks);
        let took = self.asked.flood().await;
        let all = async || (self.daemon.seen_bytes().await >= seen).then_some(());
        eventually("the daemon to see all of the flood", HANG, all).await;
        let after = pids.map(ticks);
        drop(wait);
        self.daemon.holds_waits(0).await;
        let [daemon, tmux] = [0, 1].map(|i| seconds(after[i] - before[i]));
        (took, Cpu { daemon, tmux })
    }

    async fn armed(&self, pane: &str) -> Waiting {
        self.daemon.armed(json!({"pane": pane, "patterns": ["never"], "timeout": null})).await
    }
}

impl Pane {
    fn start(tmux: &Tmux, text: &Path, name: &str) -> Self {
        let result = tmux.dir().join(name);
        let paths = format!("TEXT = '{}'\nRESULT = '{}'", text.display(), result.display());
        Self { script: Script::start(tmux, &format!("{paths}{PROGRAM}")), result }
    }

    /// Prints the text; the seconds it took.
    async fn flood(&mut self) -> f64 {
        self.script.go();
        let read = async || fs::read_to_string(&self.result).ok();
        let took = eventually("the end of a flood", HANG, read).await;
        fs::remove_file(&self.result).expect("taking a result");
        sleep(PAUSE).await;
        took.parse().expect("seconds")
    }
}

fn seconds(ticks: u64) -> f64 {
    ticks as f64 / rustix::param::clock_ticks_per_second() as f64
}
