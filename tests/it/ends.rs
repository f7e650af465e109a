//! How a wait ends when what it watches goes, or when somebody ends it.
//!
//! Pane, session and server go in turn; `cancel_wait` ends a wait by its name.

use panewatch_protocol::wait::Outcome;
use rustix::process::Signal;
use serde_json::json;

use crate::support::daemon::Daemon;
use crate::support::process;
use crate::support::program::{Feed, Script};
use crate::support::scene::{Scene, assert_matched, assert_not_found};
use crate::support::tmux::Tmux;

#[tokio::test]
async fn a_killed_pane_ends_the_wait_as_pane_closed() {
    let scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["never"]})).await;
    scene.tmux.run(&["kill-pane", "-t", scene.pane()]);
    assert_not_found(&wait.answer().await, Outcome::PaneClosed);
}

#[tokio::test]
async fn a_killed_pane_of_a_split_window_ends_its_own_wait_only() {
    let mut scene = Scene::start().await;
    let split = ["split-window", "-d", "-P", "-F", "#{pane_id}", "-t", scene.pane(), "exec cat"];
    let other = scene.tmux.run(&split).trim().to_owned();
    let kept = scene.armed(json!({"patterns": ["kept"]})).await;
    let wait = scene.daemon.armed(json!({"pane": other, "patterns": ["never"]})).await;
    scene.tmux.run(&["kill-pane", "-t", &other]);
    assert_not_found(&wait.answer().await, Outcome::PaneClosed);
    scene.feed.print("kept\n");
    assert_matched(&kept.answer().await, "kept");
}

#[tokio::test]
async fn a_program_that_exits_ends_the_wait_after_its_last_words() {
    let tmux = Tmux::start();
    let mut script = Script::start(&tmux, "go(); out('last words\\n'); go()");
    let daemon = Daemon::start(&tmux).await;
    let heard = daemon.armed(json!({"pane": script.pane, "patterns": ["last words"]})).await;
    let unheard = daemon.armed(json!({"pane": script.pane, "patterns": ["never"]})).await;
    script.go();
    assert_matched(&heard.answer().await, "last words");
    script.go();
    let answer = unheard.answer().await;
    assert_not_found(&answer, Outcome::PaneClosed);
    assert_eq!(answer.text.trim_end(), "last words");
}

#[tokio::test]
async fn w10_last_words_of_a_kept_pane_are_matched_before_its_end() {
    let tmux = Tmux::start();
    let daemon = Daemon::start(&tmux).await;
    for number in 0..5 {
        let mut feed = Feed::start_kept(&tmux, 1);
        let wait = daemon.armed(json!({"pane": feed.pane, "patterns": ["last words"]})).await;
        // the program ends at once after writing this
        feed.print(format!("{number} last words"));
        feed.end();
        let answer = wait.answer().await;
        assert_matched(&answer, &format!("{number} last words"));
    }
}

#[tokio::test]
async fn w10_a_kept_pane_tells_the_exit_status() {
    let tmux = Tmux::start();
    let daemon = Daemon::start(&tmux).await;
    for status in [0, 7] {
        let feed = Feed::start_kept(&tmux, status);
        let wait = daemon.armed(json!({"pane": feed.pane, "patterns": ["never"]})).await;
        feed.end();
        let answer = wait.answer().await;
        assert_not_found(&answer, Outcome::PaneClosed);
        assert_eq!(answer.exit_status, Some(i32::from(status)), "{answer:?}");
    }
}

#[tokio::test]
async fn a_killed_server_ends_every_wait_as_server_closed() {
    let scene = Scene::start().await;
    let mut waits = Vec::new();
    for pane in [scene.pane(), "%0", scene.pane()] {
        waits.push(scene.daemon.armed(json!({"pane": pane, "patterns": ["never"]})).await);
    }
    scene.tmux.run(&["kill-server"]);
    for wait in waits {
        assert_not_found(&wait.answer().await, Outcome::ServerClosed);
    }
    scene.daemon.holds_waits(0).await;
}

#[tokio::test]
async fn a_server_killed_by_a_signal_ends_the_wait_as_server_closed() {
    let scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["never"]})).await;
    process::signal(scene.tmux.pid(), Signal::KILL);
    assert_not_found(&wait.answer().await, Outcome::ServerClosed);
}

#[tokio::test]
async fn a_killed_session_ends_the_wait_as_session_closed() {
    let tmux = Tmux::start();
    tmux.new_session("side");
    let feed = Feed::start_in(&tmux, "side");
    let mut kept = Feed::start(&tmux);
    let daemon = Daemon::start(&tmux).await;
    let wait = daemon.armed(json!({"pane": feed.pane, "patterns": ["never"]})).await;
    let other = daemon.armed(json!({"pane": kept.pane, "patterns": ["kept"]})).await;
    tmux.run(&["kill-session", "-t", "=side"]);
    assert_not_found(&wait.answer().await, Outcome::SessionClosed);
    kept.print("kept\n");
    assert_matched(&other.answer().await, "kept");
}

#[tokio::test]
async fn w10_a_pane_that_moves_to_another_window_is_followed() {
    let mut scene = Scene::start().await;
    scene.tmux.run(&["split-window", "-d", "-t", scene.pane(), "exec cat"]);
    let wait = scene.armed(json!({"patterns": ["moved"]})).await;
    scene.tmux.run(&["break-pane", "-d", "-s", scene.pane()]);
    scene.feed.print("moved\n");
    assert_matched(&wait.answer().await, "moved");
}

#[tokio::test]
async fn a_renamed_session_does_not_end_the_wait() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["still"]})).await;
    scene.tmux.run(&["rename-session", "-t", "=main", "other"]);
    scene.feed.print("still here\n");
    assert_matched(&wait.answer().await, "still here");
}

#[tokio::test]
async fn w12_cancel_wait_ends_the_wait_of_that_name_and_no_other() {
    let mut scene = Scene::start().await;
    let one = scene.armed(json!({"patterns": ["x"], "wait_id": "one"})).await;
    let two = scene.armed(json!({"patterns": ["x"], "wait_id": "two"})).await;
    assert!(scene.daemon.cancel("one").await);
    assert_not_found(&one.answer().await, Outcome::Cancelled);
    scene.daemon.holds_waits(1).await;
    scene.feed.print("x\n");
    assert_matched(&two.answer().await, "x");
}

#[tokio::test]
async fn w12_cancelling_an_unknown_or_finished_wait_says_so() {
    let mut scene = Scene::start().await;
    assert!(!scene.daemon.cancel("nobody").await);
    scene.answer(json!({"patterns": ["x"], "wait_id": "done"}), "x\n").await;
    assert!(!scene.daemon.cancel("done").await);
}
