//! Text that is gone again before anybody could look: every single one is reported.
//!
//! After each report the test makes sure that tmux itself has nothing left of it.

use serde_json::json;

use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually};
use crate::support::program::Script;
use crate::support::scene::assert_matched;
use crate::support::tmux::Tmux;

const TIMES: usize = 5;

/// Runs a script that shows `marker N` each time it is let go, and takes it away again.
async fn every_marker_is_reported(tmux: &Tmux, body: &str) {
    let show = format!("for n in range({TIMES}):\n    go()\n    {}\ngo()", body.trim());
    let mut script = Script::start(tmux, &show);
    let daemon = Daemon::start(tmux).await;
    for number in 0..TIMES {
        let marker = format!("marker {number} shown");
        let wait = daemon.armed(json!({"pane": script.pane, "patterns": [marker]})).await;
        script.go();
        assert_matched(&wait.answer().await, &marker);
        let gone = async || (!tmux.capture(&script.pane).contains(&marker)).then_some(());
        eventually("the marker to be gone from screen and history", HANG, gone).await;
    }
}

#[tokio::test]
async fn a_line_wiped_within_10_ms_is_still_reported() {
    let body = r"out(f'marker {n} shown'); time.sleep(0.01); out('\x1b[H\x1b[2J\x1b[3J')";
    every_marker_is_reported(&Tmux::start(), body).await;
}

#[tokio::test]
async fn a_line_wiped_in_the_write_that_showed_it_is_still_reported() {
    let body = r"out(f'marker {n} shown\x1b[H\x1b[2J\x1b[3J')";
    every_marker_is_reported(&Tmux::start(), body).await;
}

#[tokio::test]
async fn a_line_overwritten_after_a_carriage_return_is_still_reported() {
    let body = r"out(f'marker {n} shown'); time.sleep(0.01); out('\rother words here')";
    every_marker_is_reported(&Tmux::start(), &format!("out('\\r\\x1b[K'); {body}")).await;
}

#[tokio::test]
async fn a_line_flooded_out_of_a_short_history_is_still_reported() {
    let tmux = Tmux::start();
    tmux.run(&["set-option", "-g", "history-limit", "100"]);
    let flood = r"out(f'marker {n} shown\n' + ''.join(f'line {i}\n' for i in range(20000)))";
    every_marker_is_reported(&tmux, flood).await;
}
