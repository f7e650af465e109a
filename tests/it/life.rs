//! The daemon's life: one at a time, its socket and the modes of it, how it ends, and how clients
//! start it.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use panewatch_protocol::error::ErrorKind;
use serde_json::json;

use crate::support::cli::Running;
use crate::support::daemon::{Daemon, Strays, panewatch, serve};
use crate::support::eventually::{HANG, eventually};
use crate::support::process;
use crate::support::program::Feed;
use crate::support::scene::{Scene, assert_matched};
use crate::support::tmux::Tmux;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .permissions()
        .mode()
        & 0o7777
}

fn private_dir(tmux: &Tmux, name: &str) -> PathBuf {
    let dir = tmux.dir().join(name);
    DirBuilder::new().mode(0o700).create(&dir).unwrap();
    dir
}

#[tokio::test]
async fn a_second_daemon_names_the_first_and_leaves_it_alone() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["marker"]})).await;
    let second = process::run_to_end(serve(&scene.tmux));
    assert!(!second.status.success(), "{second:?}");
    assert!(stderr(&second).contains(&scene.daemon.pid().to_string()), "{second:?}");
    scene.feed.print("marker\n");
    assert_matched(&wait.answer().await, "marker");
}

#[tokio::test]
async fn a_socket_left_by_a_killed_daemon_is_replaced() {
    let Scene { mut daemon, mut feed, tmux } = Scene::start().await;
    daemon.sigkill().await;
    assert!(fs::exists(daemon.listen()).unwrap(), "a killed daemon leaves its socket");
    let second = Daemon::start(&tmux).await;
    let wait = second.armed(json!({"pane": feed.pane, "patterns": ["marker"]})).await;
    feed.print("marker\n");
    assert_matched(&wait.answer().await, "marker");
}

#[tokio::test]
async fn a_daemon_can_follow_one_that_ended() {
    let tmux = Tmux::start();
    for _ in 0..3 {
        let mut daemon = Daemon::start(&tmux).await;
        daemon.sigterm();
        assert!(daemon.ended().await.success());
    }
}

/// `serve` with no umask, so that nothing is private by luck.
fn serve_with_open_umask(tmux: &Tmux, args: &[&str]) -> Command {
    let mut serve = process::command("sh");
    serve.args(["-c", "umask 0 && exec \"$0\" serve \"$@\"", process::PANEWATCH, "-S"]);
    serve.arg(tmux.socket()).args(args).env("TMUX_TMPDIR", tmux.dir());
    serve
}

#[tokio::test]
async fn the_socket_is_private_whatever_the_umask() {
    let tmux = Tmux::start();
    let runtime = private_dir(&tmux, "run");
    let mut serve = serve_with_open_umask(&tmux, &[]);
    serve.env("XDG_RUNTIME_DIR", &runtime);
    let socket = runtime.join("panewatch/daemon.sock");
    let daemon = Daemon::launch(serve, tmux.dir(), socket.clone()).await;
    assert_eq!(daemon.status().await.pid, daemon.pid());
    assert_eq!(mode(&runtime.join("panewatch")), 0o700);
    assert_eq!(mode(&socket), 0o600);
}

#[tokio::test]
async fn without_a_runtime_directory_the_socket_is_in_a_private_one() {
    let tmux = Tmux::start();
    let temporary = private_dir(&tmux, "tmp");
    let mut serve = serve_with_open_umask(&tmux, &[]);
    serve.env("TMPDIR", &temporary);
    let uid = rustix::process::getuid().as_raw();
    let dir = temporary.join(format!("panewatch-{uid}"));
    let daemon = Daemon::launch(serve, tmux.dir(), dir.join("daemon.sock")).await;
    assert_eq!(mode(&dir), 0o700);
    assert_eq!(mode(daemon.listen()), 0o600);
}

#[tokio::test]
async fn a_named_socket_is_private_too() {
    let tmux = Tmux::start();
    let socket = private_dir(&tmux, "own").join("s");
    let serve = serve_with_open_umask(&tmux, &["--listen", socket.to_str().unwrap()]);
    let daemon = Daemon::launch(serve, tmux.dir(), socket).await;
    assert_eq!(mode(daemon.listen()), 0o600);
}

#[tokio::test]
async fn a_directory_that_others_can_write_to_is_refused() {
    let tmux = Tmux::start();
    let dir = private_dir(&tmux, "open");
    for open in [0o777, 0o770, 0o1777] {
        fs::set_permissions(&dir, Permissions::from_mode(open)).unwrap();
        let mut serve = panewatch(&tmux);
        serve.arg("serve").arg("-S").arg(tmux.socket()).arg("--listen").arg(dir.join("s"));
        let output = process::run_to_end(serve);
        assert!(!output.status.success(), "{open:o}: {output:?}");
        assert!(stderr(&output).contains(dir.to_str().unwrap()), "{open:o}: {output:?}");
        assert!(!fs::exists(dir.join("s")).unwrap(), "{open:o}: a socket came into being");
    }
}

#[tokio::test]
async fn sigterm_ends_it_and_tells_those_who_wait() {
    let mut scene = Scene::start().await;
    let mut waits = Vec::new();
    for _ in 0..3 {
        waits.push(scene.armed(json!({"patterns": ["never"]})).await);
    }
    scene.daemon.sigterm();
    for wait in waits {
        let refusal = wait.refusal().await;
        assert_eq!(refusal.kind(), ErrorKind::ShuttingDown);
    }
    let status = scene.daemon.ended().await;
    assert_eq!(status.code(), Some(0));
    // it leaves the server as it was
    let unlinked = async || scene.tmux.clients().is_empty().then_some(());
    eventually("the ended daemon to be no client any more", HANG, unlinked).await;
    assert_eq!(scene.tmux.server_pid(), Some(scene.tmux.pid()));
}

/// A `panewatch wait` for a daemon at its usual place under `runtime`.
fn wait_command(tmux: &Tmux, runtime: &Path, pane: &str, more: &[&str]) -> Command {
    let mut command = panewatch(tmux);
    command.env("XDG_RUNTIME_DIR", runtime).arg("wait").arg("-S").arg(tmux.socket());
    command.args(["-t", pane, "marker"]).args(more);
    command
}

#[tokio::test]
async fn a_client_starts_the_daemon_when_none_runs() {
    let tmux = Tmux::start();
    let mut feed = Feed::start(&tmux);
    let runtime = private_dir(&tmux, "run");
    let strays = Strays::of(&runtime);
    let wait = Running::start(wait_command(&tmux, &runtime, &feed.pane, &[]));
    let daemon = strays.daemon(&runtime.join("panewatch/daemon.sock")).await;
    let armed = async || (daemon.status().await.waits == 1).then_some(());
    eventually("the started daemon to hold the wait", HANG, armed).await;
    feed.print("marker\n");
    let ran = wait.end().await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "marker\n"), "{ran:?}");
    // it outlives the client that started it
    assert_eq!(strays.pids(), [daemon.status().await.pid]);
}

#[tokio::test]
async fn twenty_clients_at_once_start_exactly_one_daemon() {
    let tmux = Tmux::start();
    let mut feed = Feed::start(&tmux);
    let runtime = private_dir(&tmux, "run");
    let strays = Strays::of(&runtime);
    let start = |_| Running::start(wait_command(&tmux, &runtime, &feed.pane, &[]));
    let clients: Vec<_> = (0..20).map(start).collect();
    let daemon = strays.daemon(&runtime.join("panewatch/daemon.sock")).await;
    let armed = async || (daemon.status().await.waits == 20).then_some(());
    eventually("one daemon to hold all twenty waits", HANG, armed).await;
    feed.print("marker\n");
    for client in clients {
        let ran = client.end().await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let pid = daemon.status().await.pid;
    let alone = async || (strays.pids() == [pid]).then_some(());
    eventually("the daemon to be the only one left", HANG, alone).await;
}

#[tokio::test]
async fn no_autostart_forbids_it() {
    let tmux = Tmux::start();
    let runtime = private_dir(&tmux, "run");
    let strays = Strays::of(&runtime);
    let ran = Running::start(wait_command(&tmux, &runtime, "%0", &["--no-autostart"])).end().await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(!ran.stderr.is_empty() && ran.stdout.is_empty(), "{ran:?}");
    assert_eq!(strays.pids(), [0; 0]);
    assert!(!fs::exists(runtime.join("panewatch/daemon.sock")).unwrap());
}

#[tokio::test]
async fn the_environment_names_the_socket() {
    let tmux = Tmux::start();
    let socket = private_dir(&tmux, "own").join("s");
    let strays = Strays::of(&socket);
    let mut status = panewatch(&tmux);
    status.env("PANEWATCH_SOCKET", &socket).args(["status", "--json"]);
    let ran = Running::start(status).end().await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let status: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(status["socket_path"], socket.to_str().unwrap());
    assert_eq!(status["pid"], strays.daemon(&socket).await.status().await.pid);
}
