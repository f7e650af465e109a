//! Every method, over HTTP as curl speaks it and over WebSocket.
//!
//! What is answered, in which shape, and that it agrees with what tmux says itself.

use std::os::unix::net::UnixListener;
use std::path::Path;

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::method::{CANCEL_WAIT, LIST_PANES, LIST_SERVERS, STATUS, WAIT_FOR_TEXT};
use panewatch_protocol::panes::{Panes, Servers};
use panewatch_protocol::status::Status;
use panewatch_protocol::wait::{Outcome, TextAnswer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::client::{http, post};
use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually, within};
use crate::support::scene::{Scene, assert_matched};
use crate::support::tmux::Tmux;

/// The answer over HTTP, which must have the same members as the one over WebSocket.
async fn over_both<T: DeserializeOwned>(daemon: &Daemon, method: &str, params: Value) -> T {
    let members = |answer: &Value| {
        let answer = answer.as_object().expect("an object");
        answer.keys().cloned().collect::<Vec<_>>()
    };
    let answer = http(daemon.listen(), method, params.clone()).await.expect("an answer");
    let other = daemon.client().call(method, params).await.expect("an answer");
    assert_eq!(members(&answer), members(&other), "{method}");
    serde_json::from_value(answer).expect("an answer of that method")
}

#[tokio::test]
async fn a_wait_over_http_is_matched() {
    let mut scene = Scene::start().await;
    let socket = scene.daemon.listen().to_owned();
    let params = scene.here(json!({"patterns": ["ready"]}));
    let wait = tokio::spawn(async move { http(&socket, WAIT_FOR_TEXT, params).await });
    scene.daemon.holds_waits(1).await;
    scene.feed.print("ready\n");
    let answer = within("the answer over HTTP", HANG, wait).await.unwrap().expect("an answer");
    let answer: TextAnswer = serde_json::from_value(answer).expect("an answer of wait_for_text");
    assert_matched(&answer, "ready");
}

#[tokio::test]
async fn a_wait_over_http_is_cancelled_over_http() {
    let scene = Scene::start().await;
    let socket = scene.daemon.listen().to_owned();
    let params = scene.here(json!({"patterns": ["never"], "wait_id": "mine"}));
    let asked = socket.clone();
    let wait = tokio::spawn(async move { http(&asked, WAIT_FOR_TEXT, params).await });
    scene.daemon.holds_waits(1).await;
    let cancelled = http(&socket, CANCEL_WAIT, json!({"wait_id": "mine"})).await;
    assert_eq!(cancelled.expect("an answer"), json!({"cancelled": true}));
    let answer = within("the cancelled answer", HANG, wait).await.unwrap().expect("an answer");
    assert_eq!(answer["outcome"], "cancelled");
}

#[tokio::test]
async fn an_error_over_http_has_its_code_and_kind() {
    let scene = Scene::start().await;
    let params = json!({"pane": "%9999", "patterns": ["x"]});
    let refusal = http(scene.daemon.listen(), WAIT_FOR_TEXT, params).await.expect_err("a refusal");
    assert_eq!(refusal.kind(), ErrorKind::PaneNotFound);
}

#[tokio::test]
async fn a_request_without_params_is_one_without_arguments() {
    let scene = Scene::start().await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"status"}"#;
    let posted = post(scene.daemon.listen(), body).await;
    let answer: Value = serde_json::from_str(&posted.body).expect("JSON");
    assert_eq!(answer["result"]["pid"], scene.daemon.pid(), "{posted:?}");
}

#[tokio::test]
async fn list_panes_tells_what_tmux_tells() {
    let scene = Scene::start().await;
    let panes: Panes = over_both(&scene.daemon, LIST_PANES, json!({})).await;
    assert_eq!(panes.socket_path, scene.tmux.socket().display().to_string());
    assert_eq!(panes.server_pid, scene.tmux.pid());
    assert_eq!(panes.version, scene.tmux.show("%0", "#{version}"));
    let ids: Vec<_> = panes.panes.iter().map(|pane| pane.pane.as_str()).collect();
    assert_eq!(ids, ["%0", scene.pane()]);
    let pane = &panes.panes[1];
    assert_eq!(pane.session_id, scene.tmux.show(scene.pane(), "#{session_id}"));
    assert_eq!(pane.session_name, "main");
    assert_eq!(pane.window_id, scene.tmux.show(scene.pane(), "#{window_id}"));
    assert_eq!(pane.window_name, scene.tmux.show(scene.pane(), "#{window_name}"));
    assert_eq!((pane.window_index, pane.pane_index), (1, 0));
    let size = format!("{}x{}", pane.width, pane.height);
    assert_eq!(size, scene.tmux.show(scene.pane(), "#{pane_width}x#{pane_height}"));
    assert_eq!(pane.pid.to_string(), scene.tmux.show(scene.pane(), "#{pane_pid}"));
    assert_eq!(pane.command, "cat");
    assert!(pane.active && !pane.dead && pane.cursor.is_none(), "{pane:?}");
}

#[tokio::test]
async fn list_panes_takes_awkward_names_as_they_are() {
    let scene = Scene::start().await;
    for name in ["two words", "a,b{c}", "#{pane_id}", "tab\\t|'\"$x", "größe 😀"] {
        scene.tmux.run(&["set-option", "-w", "-t", scene.pane(), "automatic-rename", "off"]);
        scene.tmux.run(&["rename-window", "-t", scene.pane(), name]);
        let told = scene.tmux.show(scene.pane(), "#{window_name}");
        let panes: Panes = scene.daemon.client().get(LIST_PANES, json!({})).await;
        assert_eq!(panes.panes[1].window_name, told, "{name:?}");
    }
}

#[tokio::test]
async fn list_servers_finds_those_in_the_tmux_directory() {
    let tmux = Tmux::start();
    let daemon = Daemon::start(&tmux).await;
    let stale = tmux.socket().with_file_name("stale");
    drop(UnixListener::bind(&stale).unwrap());
    let servers: Servers = over_both(&daemon, LIST_SERVERS, json!({})).await;
    let named = |path: &Path| {
        let path = path.display().to_string();
        let found = servers.servers.iter().find(|server| server.socket_path == path);
        found.unwrap_or_else(|| panic!("{path} is not in {servers:?}"))
    };
    let own = named(tmux.socket());
    assert_eq!(own.pid, Some(tmux.pid()));
    assert_eq!(own.version.as_deref(), Some(tmux.show("%0", "#{version}").as_str()));
    assert_eq!((own.links, own.error.as_ref()), (0, None));
    assert_eq!(named(&stale).pid, None);
    assert!(named(&stale).error.is_some(), "{servers:?}");
}

#[tokio::test]
async fn status_tells_who_it_is_and_what_it_holds() {
    let scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["never"], "timeout": 20})).await;
    let status: Status = over_both(&scene.daemon, STATUS, json!({})).await;
    assert_eq!(status.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(status.protocol, panewatch_protocol::PROTOCOL);
    assert_eq!(status.pid, scene.daemon.pid());
    assert_eq!(status.socket_path, scene.daemon.listen().display().to_string());
    assert_eq!(status.limits["wait_seconds"], 86_400);
    assert_eq!((status.waits, status.servers.len()), (1, 1));
    let server = &status.servers[0];
    assert_eq!(server.socket_path, scene.tmux.socket().display().to_string());
    assert_eq!((server.pid, server.waits, server.links.len()), (scene.tmux.pid(), 1, 1));
    assert_eq!(server.links[0].session_id, scene.tmux.show("%0", "#{session_id}"));
    assert_eq!(server.links[0].kind, "direct");
    drop(wait);
}

#[tokio::test]
async fn a_dead_pane_is_listed_as_dead() {
    let tmux = Tmux::start();
    tmux.run(&["set-option", "-g", "remain-on-exit", "on"]);
    let pane = tmux.new_pane("exit 3");
    let what = "tmux to see the end of a program";
    let dead = async || (tmux.show(&pane, "#{pane_dead}") == "1").then_some(());
    eventually(what, HANG, dead).await;
    let daemon = Daemon::start(&tmux).await;
    let panes: Panes = daemon.client().get(LIST_PANES, json!({})).await;
    assert!(!panes.panes[0].dead && panes.panes[1].dead, "{panes:?}");
    let answer = daemon.ask(json!({"pane": pane, "patterns": ["x"]})).await;
    assert_eq!(answer.outcome, Outcome::PaneClosed);
}
