//! Bad input gets a clear error and hurts nobody: while it comes in, another caller's wait stays armed,
//! and is matched afterwards.

use std::fs;
use std::os::unix::net::UnixListener;

use panewatch_protocol::error::ErrorKind::{self, InvalidArgument, InvalidPattern};
use panewatch_protocol::error::ErrorKind::{PaneNotFound, ServerNotRunning, SessionNotFound};
use panewatch_protocol::method::{CANCEL_WAIT, LIST_PANES, LIST_SERVERS, STATUS, WAIT_FOR_TEXT};
use serde_json::{Value, json};

use crate::support::cli;
use crate::support::client::{Client, Waiting, http, post, request};
use crate::support::daemon::panewatch;
use crate::support::eventually::{HANG, within};
use crate::support::process;
use crate::support::scene::{Scene, assert_matched};

/// A scene in which somebody else is waiting.
async fn with_bystander() -> (Scene, Waiting) {
    let scene = Scene::start().await;
    let bystander = scene.armed(json!({"patterns": ["unhurt"]})).await;
    (scene, bystander)
}

/// The bystander is the only one waiting, and is still answered.
async fn assert_unhurt(mut scene: Scene, bystander: Waiting) {
    scene.daemon.holds_waits(1).await;
    scene.feed.print("unhurt\n");
    assert_matched(&bystander.answer().await, "unhurt");
}

/// Each set of arguments to `wait_for_text` is refused with this kind, in a message with this word.
async fn all_refused(kind: ErrorKind, cases: impl IntoIterator<Item = (Value, &str)>) {
    let (scene, bystander) = with_bystander().await;
    for (params, word) in cases {
        let mut params = params;
        if ["pane", "window_id", "session_id", "session_name"].iter().all(|n| params[n].is_null()) {
            params = scene.here(params);
        }
        let refusal = scene.daemon.refused(WAIT_FOR_TEXT, params.clone()).await;
        assert_eq!(refusal.kind(), kind, "{params}: {refusal:?}");
        assert!(refusal.message.contains(word), "{params} should say {word:?}: {refusal:?}");
    }
    assert_unhurt(scene, bystander).await;
}

#[tokio::test]
async fn w15_a_pattern_that_is_empty_or_too_long_is_refused() {
    let long = "x".repeat(5000);
    let cases = [
        (json!({"patterns": [""]}), "empty"),
        (json!({"patterns": ["ok", ""]}), "empty"),
        (json!({"patterns": ["ok"], "stop": [""]}), "empty"),
        (json!({"patterns": [""], "regex": true}), "empty"),
        (json!({"patterns": [long]}), "4096"),
        (json!({"patterns": ["ok"], "stop": [long]}), "4096"),
    ];
    all_refused(InvalidPattern, cases).await;
}

#[tokio::test]
async fn w15_a_list_that_is_empty_or_too_long_is_refused() {
    let many: Vec<_> = (0..33).map(|number| format!("pattern {number}")).collect();
    let cases = [
        (json!({"patterns": []}), "patterns"),
        (json!({"patterns": ["ok"], "stop": []}), "stop"),
        (json!({"patterns": many}), "32"),
        (json!({"patterns": ["ok"], "stop": many}), "32"),
    ];
    all_refused(InvalidArgument, cases).await;
}

#[tokio::test]
async fn w15_patterns_at_the_limit_are_taken() {
    let mut scene = Scene::start().await;
    let mut patterns: Vec<_> = (0..31).map(|number| format!("pattern {number}")).collect();
    patterns.push("x".repeat(4096));
    let wait = scene.armed(json!({"patterns": patterns, "stop": patterns})).await;
    scene.feed.print("pattern 30\n");
    assert_eq!(wait.answer().await.matched_index, Some(3), "30 begins with 3");
}

#[tokio::test]
async fn w15_an_invalid_or_huge_regular_expression_is_named() {
    let huge = r"(\w{500}){500}";
    let cases = [
        (json!({"patterns": ["fine", "br(oken"], "regex": true}), "br(oken"),
        (json!({"patterns": ["fine"], "stop": ["[z-a]"], "regex": true}), "[z-a]"),
        (json!({"patterns": [r"back (\w)\1"], "regex": true}), r"back (\w)\1"),
        (json!({"patterns": [huge], "regex": true}), huge),
    ];
    all_refused(InvalidPattern, cases).await;
}

#[tokio::test]
async fn what_does_not_exist_is_named() {
    let cases = [
        (json!({"pane": "%9999", "patterns": ["x"]}), "%9999"),
        (json!({"pane": "=main:77.0", "patterns": ["x"]}), "=main:77.0"),
    ];
    all_refused(PaneNotFound, cases).await;
    let cases = [
        (json!({"session_name": "mai", "patterns": ["x"]}), "mai"),
        (json!({"session_id": "$99", "patterns": ["x"]}), "$99"),
    ];
    all_refused(SessionNotFound, cases).await;
}

#[tokio::test]
async fn arguments_of_the_wrong_type_or_range_are_refused() {
    let cases = [
        (json!({"patterns": ["x"], "timeout": -1}), "timeout"),
        (json!({"patterns": ["x"], "timeout": -0.001}), "timeout"),
        (json!({"patterns": ["x"], "timeout": "30"}), ""),
        (json!({"patterns": ["x"], "timeout": "NaN"}), ""),
        (json!({"patterns": ["x"], "timeout": [1]}), ""),
        (json!({"patterns": "x"}), ""),
        (json!({"patterns": [1]}), ""),
        (json!({"patterns": ["x"], "regex": "yes"}), ""),
        (json!({"patterns": ["x"], "at_entry": "never"}), "never"),
        (json!({"patterns": ["x"], "alternate_screen": 1}), ""),
        (json!({"patterns": ["x"], "wait_id": 7}), ""),
        (json!({"patterns": ["x"], "since": 7}), ""),
        (json!({"pane": 3, "patterns": ["x"]}), ""),
        (json!({"patterns": ["x"], "server": {"socket": "x"}}), ""),
        (json!({"patterns": ["x"], "server": "work"}), ""),
        (json!({"paterns": ["x"]}), "paterns"),
        (json!({"patterns": ["x"], "tiemout": 3}), "tiemout"),
    ];
    all_refused(InvalidArgument, cases).await;
}

#[tokio::test]
async fn other_methods_refuse_unknown_arguments_too() {
    let (scene, bystander) = with_bystander().await;
    let cases = [
        (STATUS, json!({"verbose": true})),
        (LIST_SERVERS, json!({"all": true})),
        (LIST_PANES, json!({"sever": {}})),
        (CANCEL_WAIT, json!({})),
        (CANCEL_WAIT, json!({"wait_id": null})),
        (CANCEL_WAIT, json!({"wait_id": "x", "why": "y"})),
    ];
    for (method, params) in cases {
        let refusal = scene.daemon.refused(method, params).await;
        assert_eq!(refusal.kind(), InvalidArgument, "{method}: {refusal:?}");
    }
    let refusal = scene.daemon.refused("no_such_method", json!({})).await;
    assert_eq!(refusal.code, -32601);
    assert_unhurt(scene, bystander).await;
}

#[tokio::test]
async fn bodies_that_are_no_request_are_errors_over_http() {
    let (scene, bystander) = with_bystander().await;
    let head = r#"{"jsonrpc":"2.0","id":1,"method":"wait_for_text","params":"#;
    let bodies = [
        format!(r#"{head}{{"patterns":["x"],"timeout":NaN}}}}"#),
        format!(r#"{head}{{"patterns":["x"],"timeout":1e999}}}}"#),
        format!(r#"{head}["x"]}}"#),
        format!(r"{head}7}}"),
        "[".repeat(100_000),
        "not json".to_owned(),
        "\u{0}".to_owned(),
    ];
    for body in bodies {
        let posted = post(scene.daemon.listen(), &body).await;
        let answer: Value =
            serde_json::from_str(&posted.body).unwrap_or_else(|_| panic!("{body:.80}: {posted:?}"));
        assert!(answer["error"]["code"].is_i64(), "{body:.80}: {answer}");
    }
    assert_unhurt(scene, bystander).await;
}

/// A request that would be answered if it were not ten million bytes long.
fn huge_params() -> Value {
    json!({"patterns": ["x".repeat(10_000_000)], "timeout": 0})
}

#[tokio::test]
async fn a_request_of_10_mb_over_http_is_refused() {
    let (scene, bystander) = with_bystander().await;
    let body = request(WAIT_FOR_TEXT, &scene.here(huge_params()));
    let posted = post(scene.daemon.listen(), &body).await;
    // the daemon may hang up before all of it was sent
    assert!(posted.status == 413 || posted.curl != Some(0), "{posted:?}");
    assert!(!posted.body.contains("result"), "{posted:?}");
    assert_unhurt(scene, bystander).await;
}

#[tokio::test]
async fn a_request_of_10_mb_over_websocket_is_refused() {
    let (scene, bystander) = with_bystander().await;
    let client = Client::connect(scene.daemon.listen()).await;
    let call = client.request(WAIT_FOR_TEXT, scene.here(huge_params()));
    let refused = within("the end of a huge request", HANG, call).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_unhurt(scene, bystander).await;
}

#[tokio::test]
async fn a_tmux_socket_path_over_107_bytes_is_refused() {
    let (scene, bystander) = with_bystander().await;
    let path = format!("{}/{}", scene.tmux.dir().display(), "x".repeat(107));
    let server = json!({"socket_path": path});
    for (method, params) in [
        (LIST_PANES, json!({"server": server})),
        (WAIT_FOR_TEXT, json!({"server": server, "pane": "%0", "patterns": ["x"]})),
    ] {
        let refusal = scene.daemon.refused(method, params).await;
        assert_eq!(refusal.kind(), InvalidArgument, "{refusal:?}");
        assert!(refusal.message.contains("107"), "{refusal:?}");
    }
    assert_unhurt(scene, bystander).await;
}

#[tokio::test]
async fn a_listen_path_over_107_bytes_is_refused() {
    let scene = Scene::start().await;
    let mut serve = panewatch(&scene.tmux);
    serve.arg("serve").arg("--listen").arg(scene.tmux.dir().join("x".repeat(107)));
    let output = process::run_to_end(serve);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("107"), "{output:?}");
}

#[tokio::test]
async fn where_no_tmux_server_runs_none_is_started() {
    let (scene, bystander) = with_bystander().await;
    let missing = scene.tmux.dir().join("none");
    let server = json!({"socket_path": missing});
    let wait = json!({"server": server, "pane": "%0", "patterns": ["x"]});
    for (method, params) in [(WAIT_FOR_TEXT, wait.clone()), (LIST_PANES, json!({"server": server}))]
    {
        let refusal = scene.daemon.refused(method, params).await;
        assert_eq!(refusal.kind(), ServerNotRunning, "{refusal:?}");
        assert!(refusal.message.contains(missing.to_str().unwrap()), "{refusal:?}");
    }
    let refusal = http(scene.daemon.listen(), WAIT_FOR_TEXT, wait).await.expect_err("a refusal");
    assert_eq!(refusal.kind(), ServerNotRunning);
    let args = ["wait", "-S", missing.to_str().unwrap(), "-t", "%0", "x"];
    assert_eq!(cli::run(&scene.tmux, &scene.daemon, &args).await.code, Some(2));
    assert!(!fs::exists(&missing).unwrap(), "a tmux server was started");
    assert_unhurt(scene, bystander).await;
}

#[tokio::test]
async fn a_socket_that_nobody_serves_is_no_server() {
    let (scene, bystander) = with_bystander().await;
    let stale = scene.tmux.dir().join("stale");
    drop(UnixListener::bind(&stale).unwrap());
    let plain = scene.tmux.dir().join("plain");
    fs::write(&plain, "").unwrap();
    for path in [stale, plain] {
        let params = json!({"server": {"socket_path": path}});
        let refusal = scene.daemon.refused(LIST_PANES, params).await;
        assert_eq!(refusal.kind(), ServerNotRunning, "{refusal:?}");
    }
    assert_unhurt(scene, bystander).await;
}
