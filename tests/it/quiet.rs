//! A daemon with nothing to do does nothing.
//!
//! Waits on quiet panes are held for some seconds, and `/proc` tells what they cost.

use panewatch_protocol::wait::Outcome;
use serde_json::json;

use crate::support::process;
use crate::support::scene::{Scene, assert_not_found};

/// Clock ticks of 10 ms that three seconds may cost: ten times what would be much already.
const TICKS: u64 = 30;

#[tokio::test]
async fn two_hundred_waits_on_quiet_panes_cost_nothing() {
    let scene = Scene::start().await;
    let panes: Vec<_> = (0..20).map(|_| scene.tmux.new_pane("exec cat")).collect();
    let waits = panes.iter().cycle().take(200);
    let waits: Vec<_> = waits
        .map(|pane| scene.daemon.wait(json!({"pane": pane, "patterns": ["never"], "stop": ["x"]})))
        .collect();
    scene.daemon.holds_waits(waits.len()).await;
    let before = process::ticks(scene.daemon.pid());
    // three seconds in which nobody asks the daemon anything
    let answer = scene.ask(json!({"patterns": ["never"], "timeout": 3})).await;
    assert_not_found(&answer, Outcome::Timeout);
    let used = process::ticks(scene.daemon.pid()) - before;
    assert!(used <= TICKS, "{used} ticks in {} s", answer.elapsed_seconds);
    drop(waits);
}
