//! Callers that vanish (W12): their waits go with them, at once, and nobody else's.
//!
//! `status` tells how many waits the daemon holds, `/proc` how many files.

use std::sync::Arc;

use panewatch_protocol::method::WAIT_FOR_TEXT;
use rustix::process::Signal;
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::cli::{self, Running};
use crate::support::client::{Client, request, spawn_curl};
use crate::support::eventually::{HANG, eventually, within};
use crate::support::process;
use crate::support::scene::{Scene, assert_matched};

#[tokio::test]
async fn a_killed_command_leaves_no_wait() {
    let scene = Scene::start().await;
    let args = ["wait", "-t", scene.pane(), "never"];
    let command = Running::start(cli::command(&scene.tmux, &scene.daemon, &args));
    scene.daemon.holds_waits(1).await;
    command.signal(Signal::KILL);
    scene.daemon.holds_waits(0).await;
    assert_eq!(command.end().await.code, None);
}

#[tokio::test]
async fn a_killed_curl_leaves_no_wait() {
    let scene = Scene::start().await;
    let params = scene.here(json!({"patterns": ["never"]}));
    let mut curl = spawn_curl(scene.daemon.listen(), &request(WAIT_FOR_TEXT, &params));
    scene.daemon.holds_waits(1).await;
    within("the end of a killed curl", HANG, curl.kill()).await.expect("killing curl");
    scene.daemon.holds_waits(0).await;
}

#[tokio::test]
async fn a_closed_connection_leaves_no_wait_and_hurts_no_other() {
    let mut scene = Scene::start().await;
    let kept = scene.armed(json!({"patterns": ["marker"]})).await;
    let dropped = scene.armed(json!({"patterns": ["marker"]})).await;
    drop(dropped);
    scene.daemon.holds_waits(1).await;
    scene.feed.print("marker\n");
    assert_matched(&kept.answer().await, "marker");
    scene.daemon.holds_waits(0).await;
}

#[tokio::test]
async fn two_hundred_callers_that_vanish_at_once_leave_nothing() {
    let mut scene = Scene::start().await;
    let kept = scene.armed(json!({"patterns": ["marker"]})).await;
    let files = process::open_files(scene.daemon.pid());
    let params = scene.here(json!({"patterns": ["never"]}));
    let crowd: Vec<_> = (0..200).map(|_| scene.daemon.wait(params.clone())).collect();
    scene.daemon.holds_waits(201).await;
    drop(crowd);
    scene.daemon.holds_waits(1).await;
    let closed = async || (process::open_files(scene.daemon.pid()) <= files).then_some(());
    eventually("the daemon to close the files of those that left", HANG, closed).await;
    scene.feed.print("marker\n");
    assert_matched(&kept.answer().await, "marker");
}

#[tokio::test]
async fn one_connection_with_two_hundred_waits_takes_them_all_along() {
    let mut scene = Scene::start().await;
    let client = Arc::new(Client::connect(scene.daemon.listen()).await);
    let params = scene.here(json!({"patterns": ["never"]}));
    let mut crowd = JoinSet::new();
    for _ in 0..200 {
        let (client, params) = (Arc::clone(&client), params.clone());
        crowd.spawn(async move { client.request(WAIT_FOR_TEXT, params).await });
    }
    scene.daemon.holds_waits(200).await;
    drop((client, crowd));
    scene.daemon.holds_waits(0).await;
    let answer = scene.answer(json!({"patterns": ["marker"]}), "marker\n").await;
    assert_matched(&answer, "marker");
}
