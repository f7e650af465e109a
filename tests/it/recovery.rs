//! A link that is lost and found: what the pane wrote meanwhile is found too, once.
//!
//! Links are cut as people cut them: by detaching other clients.

use panewatch_protocol::wait::GapCause;
use serde_json::json;

use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually};
use crate::support::program::{Feed, Script};
use crate::support::scene::{Scene, assert_matched};
use crate::support::tmux::Tmux;

/// Our clients, as the server lists them.
fn clients(tmux: &Tmux) -> Vec<String> {
    tmux.run(&["list-clients", "-F", "#{client_name} #{client_created}"])
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Detaches our client, and returns when the session is linked anew.
async fn cut(tmux: &Tmux, daemon: &Daemon) {
    let before = daemon.status().await.servers[0].links.len();
    assert_eq!(before, 1, "{:?}", clients(tmux));
    tmux.run(&["detach-client", "-t", "panewatch-$0"]);
    let linked = async || {
        let seen = daemon.status().await.servers[0].links.len();
        (seen == 1 && clients(tmux).len() == 1).then_some(())
    };
    eventually("the session to be linked again", HANG, linked).await;
}

#[tokio::test]
async fn a_wait_survives_a_link_that_is_cut() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["after the cut"]})).await;
    cut(&scene.tmux, &scene.daemon).await;
    scene.feed.print("after the cut\n");
    assert_matched(&wait.answer().await, "after the cut");
}

#[tokio::test]
async fn what_was_printed_while_the_link_was_cut_is_found_and_matched() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["meanwhile"]})).await;
    scene.print_and_see("before\n").await;
    // the server handles both before it hears of a new client
    let fifo_first = scene.pane().to_owned();
    scene.tmux.run(&[
        "detach-client",
        "-t",
        "panewatch-$0",
        ";",
        "send-keys",
        "-t",
        &fifo_first,
        "meanwhile",
        "Enter",
    ]);
    let answer = wait.answer().await;
    assert_matched(&answer, "meanwhile");
}

#[tokio::test]
async fn with_the_link_cut_again_and_again_every_line_is_reported_once() {
    let tmux = Tmux::start();
    let body =
        "go()\nn = 0\nwhile True:\n    out(f'line {n}.\\n')\n    n += 1\n    time.sleep(0.005)";
    let mut script = Script::start(&tmux, body);
    let daemon = Daemon::start(&tmux).await;
    let first = daemon.armed(json!({"pane": script.pane, "patterns": ["line 0."]})).await;
    let hold = daemon.armed(json!({"pane": script.pane, "patterns": ["never"]})).await;
    script.go();
    let mut answer = first.answer().await;
    for _ in 0..5 {
        cut(&tmux, &daemon).await;
    }
    for number in 1..300 {
        let pattern = format!("line {number}.");
        let since = answer.match_cursor.clone();
        let ask =
            json!({"pane": script.pane, "patterns": ["line "], "since": since, "timeout": 20});
        answer = daemon.ask(ask).await;
        assert_matched(&answer, &pattern);
        assert!(
            answer.gaps.iter().all(|g| g.recovered && g.cause == GapCause::LinkLost),
            "{answer:?}"
        );
    }
    drop(hold);
}

#[tokio::test]
async fn a_pane_that_moves_to_another_session_is_followed() {
    let mut scene = Scene::start().await;
    scene.tmux.run(&["new-session", "-d", "-s", "other", "cat"]);
    let other = Feed::start_in(&scene.tmux, "other");
    for linked in [false, true] {
        let hold = daemon_hold(&scene, &other, linked).await;
        let wait = scene.armed(json!({"patterns": [format!("moved {linked}")]})).await;
        let to = if linked { "main:" } else { "other:" };
        scene.tmux.run(&["break-pane", "-d", "-s", scene.pane(), "-t", to]);
        scene.feed.print(format!("moved {linked}\n"));
        assert_matched(&wait.answer().await, &format!("moved {linked}"));
        drop(hold);
    }
}

/// A wait in the other session, so that it is linked already when the pane comes.
async fn daemon_hold(
    scene: &Scene,
    other: &Feed,
    linked: bool,
) -> Option<crate::support::client::Waiting> {
    if !linked {
        return None;
    }
    Some(scene.daemon.armed(json!({"pane": other.pane, "patterns": ["never"]})).await)
}
