//! One wait over several panes: named ones, or all of a session.
//!
//! The answer says which pane it was; a pane that ends leaves the others waiting.

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::method::WAIT_FOR_TEXT;
use panewatch_protocol::wait::Outcome;
use serde_json::json;

use crate::support::cli;
use crate::support::program::Feed;
use crate::support::scene::{Scene, assert_matched, assert_not_found};

#[tokio::test]
async fn the_pane_that_says_it_is_named() {
    let mut scene = Scene::start().await;
    let mut other = Feed::start(&scene.tmux);
    let panes = json!([scene.pane(), other.pane]);
    let wait = scene.daemon.wait(json!({"panes": panes, "patterns": ["ready"]}));
    scene.daemon.holds_waits(2).await;
    other.print("ready\n");
    let answer = wait.answer().await;
    assert_matched(&answer, "ready");
    assert_eq!(answer.pane, other.pane);
    scene.daemon.holds_waits(0).await;
    scene.feed.print("ready\n");
}

#[tokio::test]
async fn a_pane_that_ends_leaves_the_others_waiting() {
    let mut scene = Scene::start().await;
    let other = Feed::start(&scene.tmux);
    let panes = json!([scene.pane(), other.pane]);
    let wait = scene.daemon.wait(json!({"panes": panes, "patterns": ["ready"]}));
    scene.daemon.holds_waits(2).await;
    other.end();
    scene.daemon.holds_waits(1).await;
    scene.feed.print("ready\n");
    assert_eq!(wait.answer().await.pane, scene.pane());
}

#[tokio::test]
async fn the_last_pane_to_end_ends_the_wait() {
    let scene = Scene::start().await;
    let (one, two) = (Feed::start(&scene.tmux), Feed::start(&scene.tmux));
    let wait = scene.daemon.wait(json!({"panes": [one.pane, two.pane], "patterns": ["ready"]}));
    scene.daemon.holds_waits(2).await;
    one.end();
    scene.daemon.holds_waits(1).await;
    two.end();
    assert_not_found(&wait.answer().await, Outcome::PaneClosed);
}

#[tokio::test]
async fn a_pane_that_appears_in_the_session_joins() {
    let scene = Scene::start().await;
    let params =
        json!({"session_name": "main", "all_panes": true, "patterns": ["hello from afar"]});
    let wait = scene.daemon.wait(params);
    let panes = scene.tmux.run(&["list-panes", "-s", "-t", "main"]).lines().count();
    scene.daemon.holds_waits(panes).await;
    // it says it at once, most likely before anybody has noticed the pane
    let pane = scene.tmux.new_pane("echo hello from afar; exec cat");
    let answer = wait.answer().await;
    assert_matched(&answer, "hello from afar");
    assert_eq!(answer.pane, pane);
    scene.daemon.holds_waits(0).await;
}

#[tokio::test]
async fn the_time_of_a_wait_over_several_panes_runs_out_once() {
    let scene = Scene::start().await;
    let params =
        json!({"session_name": "main", "all_panes": true, "patterns": ["x"], "timeout": 0.3});
    assert_not_found(&scene.daemon.ask(params).await, Outcome::Timeout);
    scene.daemon.holds_waits(0).await;
}

#[tokio::test]
async fn a_wait_over_several_panes_is_cancelled_as_one() {
    let scene = Scene::start().await;
    let other = Feed::start(&scene.tmux);
    let panes = json!([scene.pane(), other.pane]);
    let wait = scene.daemon.wait(json!({"panes": panes, "patterns": ["x"], "wait_id": "w"}));
    scene.daemon.holds_waits(2).await;
    assert!(scene.daemon.cancel("w").await);
    assert_not_found(&wait.answer().await, Outcome::Cancelled);
    scene.daemon.holds_waits(0).await;
}

#[tokio::test]
async fn one_unknown_pane_refuses_the_whole_wait() {
    let scene = Scene::start().await;
    for (panes, kind) in [
        (json!([scene.pane(), "%999"]), ErrorKind::PaneNotFound),
        (json!([]), ErrorKind::InvalidArgument),
    ] {
        let refusal =
            scene.daemon.refused(WAIT_FOR_TEXT, json!({"panes": panes, "patterns": ["x"]}));
        assert_eq!(refusal.await.kind(), kind);
    }
    scene.daemon.holds_waits(0).await;
}

#[tokio::test]
async fn the_command_takes_several_targets() {
    let scene = Scene::start().await;
    let mut other = Feed::start(&scene.tmux);
    let args = ["wait", "-t", scene.pane(), "-t", &other.pane, "ready", "-C", "1"];
    let running = cli::Running::start(cli::command(&scene.tmux, &scene.daemon, &args));
    scene.daemon.holds_waits(2).await;
    other.print("before\nready\n");
    let ran = running.end().await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "before\nready\n"));
}
