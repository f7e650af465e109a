//! Text that is gone again before anybody could look: how many of so many are reported.

use panewatch_protocol::wait::Outcome;
use serde_json::json;

use super::options::Options;
use super::report::Report;
use crate::support::daemon::Daemon;
use crate::support::program::Script;
use crate::support::tmux::Tmux;

/// Seconds after which a marker counts as missed.
const PATIENCE: u32 = 10;

/// How a marker is taken away: a piece of Python that also shows it.
const WAYS: [(&str, &str); 3] = [
    ("wiped", r"out(f'marker {n} shown'); time.sleep(0.01); out('\x1b[H\x1b[2J\x1b[3J')"),
    (
        "overwritten",
        r"out(f'\r\x1b[Kmarker {n} shown'); time.sleep(0.01); out('\rother words here')",
    ),
    ("flooded", r"out(f'marker {n} shown\n' + ''.join(f'line {i}\n' for i in range(20000)))"),
];

pub(crate) async fn run(options: &Options) -> Report {
    let runs = options.runs.unwrap_or(100);
    let mut report = Report::new("transient", runs);
    for (way, body) in WAYS {
        let reported = reported(&options.tmux, body, runs).await;
        report.add(format!("{way}_reported_percent"), 100.0 * reported as f64 / runs as f64, "100");
    }
    report
}

/// How many markers are reported, each in the row that showed it.
async fn reported(binary: &str, body: &str, runs: usize) -> usize {
    let tmux = Tmux::start_with(binary);
    tmux.run(&["set-option", "-g", "history-limit", "100"]);
    let mut script =
        Script::start(&tmux, &format!("for n in range({runs}):\n    go()\n    {body}\ngo()"));
    let daemon = Daemon::start(&tmux).await;
    let mut reported = 0;
    for number in 0..runs {
        let marker = format!("marker {number} shown");
        let question = json!({"pane": script.pane, "patterns": [marker], "timeout": PATIENCE});
        let wait = daemon.armed(question).await;
        script.go();
        let answer = wait.answer().await;
        if answer.outcome == Outcome::Matched && answer.matched_lines == [marker] {
            reported += 1;
        } else {
            eprintln!("missed: {answer:?}");
        }
    }
    reported
}
