//! What waits on quiet panes cost: processor time of the daemon and of the tmux server.
//!
//! As many panes as waits, 200 unless said otherwise, each wait on a connection of its own.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::options::Options;
use super::report::Report;
use crate::support::daemon::Daemon;
use crate::support::process::ticks;
use crate::support::tmux::Tmux;

/// How long nobody asks anything. A clock tick of 10 ms is then 0.1 % of a core.
const QUIET: Duration = Duration::from_secs(10);

pub(crate) async fn run(options: &Options) -> Report {
    let waits = options.runs.unwrap_or(200);
    let tmux = Tmux::start_with(&options.tmux);
    let panes: Vec<_> = (0..waits).map(|_| tmux.new_pane("exec cat")).collect();
    let [before] = used_in_quiet([tmux.pid()]).await;
    let daemon = Daemon::start(&tmux).await;
    let held: Vec<_> = panes
        .iter()
        .map(|pane| daemon.wait(json!({"pane": pane, "patterns": ["never"], "timeout": null})))
        .collect();
    daemon.holds_waits(waits).await;
    let [ours, tmuxs] = used_in_quiet([daemon.pid(), tmux.pid()]).await;
    daemon.holds_waits(waits).await;
    drop(held);
    let mut report = Report::new("quiet", waits);
    report.add("daemon_percent_of_a_core", ours, "< 1");
    report.add("tmux_percent_of_a_core", tmuxs, "unchanged");
    report.add("tmux_alone_percent_of_a_core", before, "");
    report
}

/// What part of a core each process uses while nothing happens, in percent.
async fn used_in_quiet<const N: usize>(pids: [i32; N]) -> [f64; N] {
    let before = pids.map(ticks);
    sleep(QUIET).await;
    let after = pids.map(ticks);
    let per_second = rustix::param::clock_ticks_per_second() as f64;
    std::array::from_fn(|i| {
        100.0 * (after[i] - before[i]) as f64 / per_second / QUIET.as_secs_f64()
    })
}
