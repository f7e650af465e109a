//! The `panewatch` command: what it prints, and the exit codes that a script goes by.
//!
//! It is run as a person would run it, with its output going to pipes.

use std::fs;

use panewatch_protocol::panes::{Panes, Servers};
use panewatch_protocol::status::Status;
use panewatch_protocol::wait::{Outcome, TextAnswer};
use rustix::process::Signal;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::support::cli::{self, Ran, Running};
use crate::support::daemon::{Daemon, Strays, panewatch};
use crate::support::eventually::{HANG, eventually};
use crate::support::process;
use crate::support::scene::{Scene, assert_matched};
use crate::support::tmux::{NAME, Tmux};

/// `panewatch wait -t PANE ARGS` in the scene, once the daemon has taken it.
async fn waiting(scene: &Scene, args: &[&str]) -> Running {
    let args = [&["wait", "-t", scene.pane()], args].concat();
    let running = Running::start(cli::command(&scene.tmux, &scene.daemon, &args));
    scene.daemon.holds_waits(1).await;
    running
}

/// How `panewatch wait ARGS` ends when the pane prints this.
async fn wait_while(scene: &mut Scene, args: &[&str], output: &str) -> Ran {
    let running = waiting(scene, args).await;
    scene.feed.print(output);
    running.end().await
}

/// How `panewatch ARGS` ends.
async fn run(scene: &Scene, args: &[&str]) -> Ran {
    cli::run(&scene.tmux, &scene.daemon, args).await
}

fn parsed<T: DeserializeOwned>(ran: &Ran) -> T {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[track_caller]
fn assert_plain(ran: &Ran) {
    assert!(!ran.stdout.contains('\x1b') && !ran.stderr.contains('\x1b'), "colours: {ran:?}");
}

#[tokio::test]
async fn a_match_prints_its_row_and_exits_0() {
    let mut scene = Scene::start().await;
    let output = "other\n\x1b[32mlistening on 8080\x1b[0m\n";
    let ran = wait_while(&mut scene, &["listening on", "--timeout", "30s"], output).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "listening on 8080\n"), "{ran:?}");
    assert_eq!(ran.stderr, "");
}

#[tokio::test]
async fn any_of_several_patterns_will_do() {
    let mut scene = Scene::start().await;
    let ran = wait_while(&mut scene, &["one", "two", "--stop", "x"], "two\n").await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "two\n"), "{ran:?}");
}

#[tokio::test]
async fn without_a_pattern_any_output_exits_0() {
    let mut scene = Scene::start().await;
    assert_eq!(wait_while(&mut scene, &[], "anything\n").await.code, Some(0));
}

#[tokio::test]
async fn stop_text_exits_1() {
    let mut scene = Scene::start().await;
    let args = ["ready", "--stop", "fatal:", "--stop", "error:"];
    let ran = wait_while(&mut scene, &args, "error: no\n").await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_plain(&ran);
}

#[tokio::test]
async fn a_timeout_exits_124() {
    let scene = Scene::start().await;
    for timeout in ["0s", "50ms"] {
        let ran = run(&scene, &["wait", "-t", scene.pane(), "x", "--timeout", timeout]).await;
        assert_eq!(ran.code, Some(124), "{ran:?}");
        assert_eq!(ran.stdout, "");
        assert_plain(&ran);
    }
}

#[tokio::test]
async fn timeout_none_waits_to_the_ceiling() {
    let mut scene = Scene::start().await;
    let args = ["go", "--timeout", "none", "--json"];
    let answer: TextAnswer = parsed(&wait_while(&mut scene, &args, "go\n").await);
    assert!((answer.effective_timeout - 86_400.0).abs() < 1e-9, "{answer:?}");
}

#[tokio::test]
async fn a_pane_session_or_server_that_goes_exits_3() {
    for end in [&["kill-pane", "-t", "%1"][..], &["kill-session", "-t", "=main"], &["kill-server"]]
    {
        let scene = Scene::start().await;
        scene.tmux.new_session("side");
        let wait = waiting(&scene, &["never"]).await;
        scene.tmux.run(end);
        let ran = wait.end().await;
        assert_eq!(ran.code, Some(3), "{end:?}: {ran:?}");
        assert_plain(&ran);
    }
}

#[tokio::test]
async fn a_full_screen_program_to_the_end_exits_4() {
    let mut scene = Scene::start().await;
    scene.feed.print("\x1b[?1049h\x1b[Hready");
    scene.shows("ready").await;
    let ran = run(&scene, &["wait", "-t", scene.pane(), "x", "--timeout", "100ms"]).await;
    assert_eq!(ran.code, Some(4), "{ran:?}");
}

#[tokio::test]
async fn an_interrupt_exits_130_and_leaves_no_wait() {
    let scene = Scene::start().await;
    let wait = waiting(&scene, &["never"]).await;
    wait.signal(Signal::INT);
    let ran = wait.end().await;
    assert_eq!(ran.code, Some(130), "{ran:?}");
    scene.daemon.holds_waits(0).await;
}

#[tokio::test]
async fn anything_wrong_with_the_call_exits_2_and_says_what() {
    let scene = Scene::start().await;
    let pane = scene.pane();
    for (args, word) in [
        (&["wait", "-t", "%9999", "x"][..], "%9999"),
        (&["wait", "-t", pane, "br(oken", "-E"], "br(oken"),
        (&["wait", "-t", pane, ""], "empty"),
        (&["wait", "-t", pane, "x", "--timeout", "soon"], "soon"),
        (&["wait", "-t", pane, "x", "--timeout", "-1s"], ""),
        (&["wait", "-t", pane, "x", "--since", "garbage"], "cursor"),
        (&["wait", "-t", pane, "x", "--no-such-flag"], "--no-such-flag"),
        (&["nonsense"], "nonsense"),
    ] {
        let ran = run(&scene, args).await;
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(word) && ran.stdout.is_empty(), "{args:?}: {ran:?}");
        assert_plain(&ran);
    }
    assert_eq!(scene.daemon.status().await.waits, 0);
}

#[tokio::test]
async fn json_prints_the_whole_answer() {
    let mut scene = Scene::start().await;
    let ran = wait_while(&mut scene, &["ready", "--json"], "ready\n").await;
    let answer: TextAnswer = parsed(&ran);
    assert_matched(&answer, "ready");
    assert_plain(&ran);
    let missed = ["wait", "-t", scene.pane(), "x", "--timeout", "0s", "--json"];
    let ran = run(&scene, &missed).await;
    assert_eq!(ran.code, Some(124));
    let answer: TextAnswer = serde_json::from_str(&ran.stdout).expect("an answer");
    assert_eq!(answer.outcome, Outcome::Timeout);
}

#[tokio::test]
async fn since_takes_a_cursor_of_an_earlier_answer() {
    let mut scene = Scene::start().await;
    let first = scene.ask(json!({"patterns": ["x"], "timeout": 0})).await;
    scene.print_and_show("between\n").await;
    let ran = run(&scene, &["wait", "-t", scene.pane(), "between", "--since", &first.cursor]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "between\n"), "{ran:?}");
}

#[tokio::test]
async fn the_letters_e_and_c_ask_for_regex_and_case() {
    let mut scene = Scene::start().await;
    let ran = wait_while(&mut scene, &["-E", "^port [0-9]+"], "a port 1\nport 22 open\n").await;
    assert_eq!(ran.stdout, "port 22 open\n", "{ran:?}");
    let ran = wait_while(&mut scene, &["-c", "Ready"], "ready\nReady\n").await;
    assert_eq!(ran.stdout, "Ready\n", "{ran:?}");
}

#[tokio::test]
async fn a_pattern_may_look_like_a_flag() {
    let mut scene = Scene::start().await;
    let ran = wait_while(&mut scene, &["--", "--done--"], "--done--\n").await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "--done--\n"), "{ran:?}");
}

#[tokio::test]
async fn a_target_may_be_an_exact_tmux_target() {
    let mut scene = Scene::start().await;
    let args = ["wait", "-t", "=main:1.0", "ready"];
    let wait = Running::start(cli::command(&scene.tmux, &scene.daemon, &args));
    scene.daemon.holds_waits(1).await;
    scene.feed.print("ready\n");
    assert_eq!(wait.end().await.code, Some(0));
}

#[tokio::test]
async fn a_server_is_chosen_by_name_or_by_path() {
    let scene = Scene::start().await;
    let other = Tmux::start();
    let daemon = Daemon::start(&other).await;
    let path = scene.tmux.socket().to_str().unwrap();
    // `-L` is looked up in the tmux directory that both have in their environment
    for (flag, tmux) in [(["-S", path], &scene.tmux), (["-L", NAME], &other)] {
        let ran = cli::run(&other, &daemon, &["panes", "--json", flag[0], flag[1]]).await;
        let panes: Panes = parsed(&ran);
        assert_eq!(panes.server_pid, tmux.pid(), "{flag:?}");
    }
    let args = ["wait", "-S", path, "-t", scene.pane(), "x", "--timeout", "0s", "--json"];
    assert_eq!(cli::run(&other, &daemon, &args).await.code, Some(124));
}

#[tokio::test]
async fn panes_lists_them() {
    let scene = Scene::start().await;
    let ran = run(&scene, &["panes"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for part in ["%0", scene.pane(), "main"] {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    assert_plain(&ran);
    let panes: Panes = parsed(&run(&scene, &["panes", "--json"]).await);
    assert_eq!(panes.panes.len(), 2);
}

#[tokio::test]
async fn servers_lists_them() {
    let scene = Scene::start().await;
    let ran = run(&scene, &["servers"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(scene.tmux.socket().to_str().unwrap()), "{ran:?}");
    assert_plain(&ran);
    let servers: Servers = parsed(&run(&scene, &["servers", "--json"]).await);
    assert_eq!(servers.servers[0].pid, Some(scene.tmux.pid()));
}

#[tokio::test]
async fn status_tells_of_the_daemon() {
    let scene = Scene::start().await;
    let ran = run(&scene, &["status"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(&scene.daemon.pid().to_string()), "{ran:?}");
    assert_plain(&ran);
    let status: Status = parsed(&run(&scene, &["status", "--json"]).await);
    assert_eq!(status.pid, scene.daemon.pid());
}

#[tokio::test]
async fn the_demo_catches_its_line_and_leaves_nothing() {
    let tmux = Tmux::start();
    let home = tmux.dir().join("demo");
    fs::create_dir(&home).unwrap();
    let strays = Strays::of(&home);
    let mut demo = panewatch(&tmux);
    demo.arg("demo").env("TMPDIR", &home);
    let ran = Running::start(demo).end().await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("matched"), "{ran:?}");
    assert_plain(&ran);
    let ended = async || process::all_under(&home).is_empty().then_some(());
    eventually("every process of the demo to be gone", HANG, ended).await;
    drop(strays);
}
