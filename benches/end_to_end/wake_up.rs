//! P1: from the program's write(2) to the answer at a connected client.
//!
//! The program takes the time just before it writes, and writes the time itself. A bare control
//! client reads the same line in the same run; it attached first, and so is told first.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use panewatch_protocol::method;
use serde_json::json;

use super::bare::{Bare, monotonic};
use super::options::Options;
use super::report::{Report, Samples};
use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::eventually::HANG;
use crate::support::program::Script;
use crate::support::tmux::Tmux;

/// Runs before the first that counts.
const WARM_UP: usize = 10;

const PROGRAM: &str = r"
import os
number = 0
while True:
    go()
    os.write(1, b'MARK-%d-%d-END\n' % (number, time.monotonic_ns()))
    number += 1
";

/// When a line was written, and when the bare client had read it.
struct Line {
    number: usize,
    written: u64,
    read: u64,
}

/// What one run took, in microseconds.
struct Run {
    bare: f64,
    ours: f64,
}

struct Stage {
    lines: Receiver<Line>,
    client: Arc<Client>,
    daemon: Daemon,
    script: Script,
    _bare: Bare,
    _tmux: Tmux,
}

pub(crate) async fn run(options: &Options) -> Report {
    let runs = options.runs.unwrap_or(200);
    let mut stage = Stage::set(&options.tmux).await;
    let mut all = Vec::new();
    for number in 0..WARM_UP + runs {
        all.push(stage.run(number).await);
    }
    report(&all[WARM_UP..])
}

fn report(runs: &[Run]) -> Report {
    let mut report = Report::new("wake_up", runs.len());
    let bare: Samples = runs.iter().map(|run| run.bare).collect();
    let ours: Samples = runs.iter().map(|run| run.ours).collect();
    let difference: Samples = runs.iter().map(|run| run.ours - run.bare).collect();
    report.add_spread("bare", &bare);
    report.add_spread("answer", &ours);
    report.add_spread("difference", &difference);
    report.add("difference_max_us", difference.max(), "<= 2000");
    report.add("ratio_p50", ours.median() / bare.median(), "<= 1.5");
    report.add("ratio_p99", ours.percentile(99) / bare.percentile(99), "<= 2.5");
    report
}

impl Stage {
    async fn set(binary: &str) -> Self {
        let tmux = Tmux::start_with(binary);
        let script = Script::start(&tmux, PROGRAM);
        let (sender, lines) = mpsc::channel();
        let bare = Bare::attach(&tmux, move |line| {
            let read = monotonic();
            if let Some(line) = parse(line, read) {
                sender.send(line).ok();
            }
        });
        let daemon = Daemon::start(&tmux).await;
        let client = Arc::new(Client::connect(daemon.listen()).await);
        Self { lines, client, daemon, script, _bare: bare, _tmux: tmux }
    }

    async fn run(&mut self, number: usize) -> Run {
        let question = json!({"pane": self.script.pane, "patterns": [format!("MARK-{number}-")]});
        let client = Arc::clone(&self.client);
        let wait = tokio::spawn(async move {
            let answer = client.call(method::WAIT_FOR_TEXT, question).await;
            (answer, monotonic())
        });
        self.daemon.holds_waits(1).await;
        self.script.go();
        let (answer, answered) = wait.await.expect("the task of a wait");
        assert_eq!(answer.expect("an answer")["outcome"], "matched");
        let line = self.lines.recv_timeout(HANG).expect("the line at the bare client");
        assert_eq!(line.number, number, "a line was lost");
        let since = |at: u64| (at - line.written) as f64 / 1000.0;
        Run { bare: since(line.read), ours: since(answered) }
    }
}

/// `%output %1 MARK-NUMBER-TIME-END\015\012`
fn parse(line: &[u8], read: u64) -> Option<Line> {
    let line = std::str::from_utf8(line).ok()?;
    let (_, mark) = line.split_once("MARK-")?;
    let mut fields = mark.split('-');
    let number = fields.next()?.parse().ok()?;
    let written = fields.next()?.parse().ok()?;
    Some(Line { number, written, read })
}
