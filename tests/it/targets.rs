//! Naming what is meant: servers, sessions, windows and panes, and those that come later.
//!
//! An answer names the pane that was watched, and that is compared with what tmux says.

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::method::WAIT_FOR_TEXT;
use panewatch_protocol::wait::Outcome;
use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::program::Feed;
use crate::support::scene::{Scene, assert_matched};
use crate::support::tmux::{NAME, Tmux};

/// The pane that these arguments mean.
async fn meant(daemon: &Daemon, mut target: Value) -> String {
    target["timeout"] = json!(0);
    let answer = daemon.ask(target).await;
    assert_eq!(answer.outcome, Outcome::Timeout);
    answer.pane
}

#[tokio::test]
async fn a_pane_is_named_by_id_or_by_exact_target() {
    let scene = Scene::start().await;
    for pane in [scene.pane(), "=main:1.0", "=main:1"] {
        assert_eq!(meant(&scene.daemon, json!({"pane": pane})).await, scene.pane(), "{pane}");
    }
}

#[tokio::test]
async fn a_window_means_its_first_pane() {
    let scene = Scene::start().await;
    let window = scene.tmux.show(scene.pane(), "#{window_id}");
    // the new pane becomes the active one
    scene.tmux.run(&["split-window", "-t", scene.pane(), "exec cat"]);
    assert_eq!(meant(&scene.daemon, json!({"window_id": window})).await, scene.pane());
}

#[tokio::test]
async fn a_session_means_the_first_pane_of_its_first_window() {
    let tmux = Tmux::start();
    tmux.new_session("side");
    let first = tmux.show("=side:", "#{pane_id}");
    let session = tmux.show("=side:", "#{session_id}");
    let other = tmux.new_pane_in("side", "exec cat");
    tmux.run(&["select-window", "-t", &other]);
    let daemon = Daemon::start(&tmux).await;
    assert_eq!(meant(&daemon, json!({"session_name": "side"})).await, first);
    assert_eq!(meant(&daemon, json!({"session_id": session})).await, first);
}

#[tokio::test]
async fn nothing_at_all_means_the_first_session_listed() {
    let scene = Scene::start().await;
    scene.tmux.new_session("zzz");
    assert_eq!(meant(&scene.daemon, json!({})).await, "%0");
}

#[tokio::test]
async fn the_first_member_given_wins() {
    let scene = Scene::start().await;
    let target = json!({"pane": scene.pane(), "session_name": "nosuch", "window_id": "@999"});
    assert_eq!(meant(&scene.daemon, target).await, scene.pane());
}

#[tokio::test]
async fn a_name_never_matches_by_prefix_or_pattern() {
    let scene = Scene::start().await;
    for name in ["mai", "m*", "MAIN", "main:", "$0", "=main"] {
        let target = json!({"session_name": name, "patterns": ["x"]});
        let refusal = scene.daemon.refused(WAIT_FOR_TEXT, target).await;
        assert_eq!(refusal.kind(), ErrorKind::SessionNotFound, "{name}: {refusal:?}");
        assert!(refusal.message.contains(name), "{name}: {refusal:?}");
    }
}

#[tokio::test]
async fn a_server_is_named_by_path_or_by_name() {
    let tmux = Tmux::start();
    let other = Tmux::start();
    let feed = Feed::start(&tmux);
    let daemon = Daemon::start(&other).await;
    let by_path = json!({"pane": feed.pane, "server": {"socket_path": tmux.socket()}});
    assert_eq!(meant(&daemon, by_path).await, feed.pane);
    // names are looked up in the daemon's own tmux directory
    let by_name = json!({"pane": "%0", "server": {"socket_name": NAME}});
    assert_eq!(meant(&daemon, by_name).await, "%0");
    let sockets = daemon.status().await.servers.into_iter().map(|server| server.socket_path);
    let mut sockets: Vec<_> = sockets.collect();
    sockets.sort();
    let mut expected = [&tmux, &other].map(|tmux| tmux.socket().display().to_string());
    expected.sort();
    assert_eq!(sockets, expected);
}

#[tokio::test]
async fn two_servers_with_the_same_pane_ids_are_kept_apart() {
    let mut here = Scene::start().await;
    let there = Tmux::start();
    let mut feed = Feed::start(&there);
    assert_eq!(feed.pane, here.pane());
    let server = json!({"socket_path": there.socket()});
    let params = json!({"pane": feed.pane, "server": server, "patterns": ["marker"]});
    let far = here.daemon.armed(params).await;
    let near = here.armed(json!({"patterns": ["marker"]})).await;
    here.feed.print("near marker\n");
    assert_matched(&near.answer().await, "near marker");
    feed.print("far marker\n");
    assert_matched(&far.answer().await, "far marker");
}

#[tokio::test]
async fn a_pane_that_appears_after_the_link_can_be_waited_on() {
    let mut scene = Scene::start().await;
    scene.answer(json!({"patterns": ["linked"]}), "linked\n").await;
    for number in 0..3 {
        let mut feed = Feed::start(&scene.tmux);
        let params = json!({"pane": feed.pane, "patterns": ["marker"]});
        let wait = scene.daemon.armed(params).await;
        feed.print(format!("marker {number}\n"));
        assert_matched(&wait.answer().await, &format!("marker {number}"));
    }
}

#[tokio::test]
async fn panes_of_two_sessions_are_waited_on_at_once() {
    let mut scene = Scene::start().await;
    scene.tmux.new_session("side");
    let mut side = Feed::start_in(&scene.tmux, "side");
    let there = scene.daemon.armed(json!({"pane": side.pane, "patterns": ["marker"]})).await;
    let here = scene.armed(json!({"patterns": ["marker"]})).await;
    side.print("marker in side\n");
    assert_matched(&there.answer().await, "marker in side");
    scene.feed.print("marker in main\n");
    assert_matched(&here.answer().await, "marker in main");
}

#[tokio::test]
async fn a_window_linked_into_two_sessions_is_read_once() {
    let mut scene = Scene::start().await;
    scene.tmux.new_session("side");
    scene.tmux.run(&["link-window", "-d", "-s", scene.pane(), "-t", "=side:9"]);
    // a wait on each session, so that both are linked
    let side = scene.daemon.armed(json!({"session_name": "side", "patterns": ["never"]})).await;
    let wait = scene.armed(json!({"patterns": ["two"], "timeout": 20})).await;
    scene.feed.print("one\ntwo\n");
    let answer = wait.answer().await;
    assert_matched(&answer, "two");
    assert_eq!(answer.text.lines().collect::<Vec<_>>(), ["one", "two"], "{answer:?}");
    drop(side);
}
