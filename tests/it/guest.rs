//! Being a guest in somebody's tmux, on every version there is to test on: what is linked and when, and
//! that the server, its sessions and their programs are left as they were.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use panewatch_protocol::method::LIST_PANES;
use panewatch_protocol::panes::Panes;
use serde_json::json;

use crate::support::daemon::{Daemon, serve, socket_in};
use crate::support::eventually::{HANG, eventually, gone_by};
use crate::support::program::{Feed, Script};
use crate::support::scene::assert_matched;
use crate::support::tmux::Tmux;

const LINKS: [&str; 2] = ["direct", "process"];

/// Every tmux there is, with each kind of link.
fn every_way() -> impl Iterator<Item = (String, &'static str)> {
    Tmux::binaries().into_iter().flat_map(|tmux| LINKS.map(|link| (tmux.clone(), link)))
}

async fn daemon(tmux: &Tmux, link: &str) -> Daemon {
    Daemon::start_with(tmux, &["--link", link, "--tmux", tmux.binary()]).await
}

/// Matches one marker in a new pane, so that its session is linked.
async fn link(tmux: &Tmux, daemon: &Daemon, session: &str) -> Feed {
    let mut feed = Feed::start_in(tmux, session);
    let wait = daemon.armed(json!({"pane": feed.pane, "patterns": ["marker"]})).await;
    feed.print(format!("marker in {session}\n"));
    assert_matched(&wait.answer().await, &format!("marker in {session}"));
    feed
}

/// Until just these sessions have one client each.
async fn linked(tmux: &Tmux, sessions: &[String]) {
    let what = format!("one client on each of {sessions:?}");
    let probe = async || (tmux.clients() == sessions).then_some(());
    eventually(&what, HANG, probe).await;
}

#[tokio::test]
async fn text_is_matched_on_every_version_by_either_link() {
    for (binary, kind) in every_way() {
        let tmux = Tmux::start_with(&binary);
        let daemon = daemon(&tmux, kind).await;
        let feed = link(&tmux, &daemon, "main").await;
        let status = daemon.status().await;
        assert_eq!(status.servers[0].version, tmux.show("%0", "#{version}"));
        assert_eq!(status.servers[0].links[0].kind, kind, "{binary}");
        drop((daemon, feed));
    }
}

#[tokio::test]
async fn the_direct_link_needs_no_matching_binary() {
    for binary in Tmux::binaries() {
        let tmux = Tmux::start_with(&binary);
        let daemon = Daemon::start_with(&tmux, &["--tmux", "/no/such/tmux"]).await;
        let feed = link(&tmux, &daemon, "main").await;
        let panes: Panes = daemon.client().get(LIST_PANES, json!({})).await;
        assert_eq!(panes.version, tmux.show("%0", "#{version}"));
        drop((daemon, feed));
    }
}

#[tokio::test]
async fn a_link_changes_no_size_and_no_environment() {
    let sizes = ["list-windows", "-a", "-F", "#{window_id} #{window_width}x#{window_height}"];
    let environment = ["show-environment", "-t", "=main"];
    let options = ["show-options", "-g"];
    for (binary, kind) in every_way() {
        let tmux = Tmux::start_with(&binary);
        let fixed = tmux.new_pane("exec cat");
        tmux.run(&["resize-window", "-t", &fixed, "-x", "61", "-y", "17"]);
        tmux.run(&["set-environment", "-t", "=main", "SSH_AUTH_SOCK", "/kept"]);
        tmux.run(&["set-environment", "-t", "=main", "DISPLAY", ":kept"]);
        let mut serve = serve(&tmux);
        serve.args(["--link", kind, "--tmux", tmux.binary()]);
        serve.env("SSH_AUTH_SOCK", "/foreign").env_remove("DISPLAY");
        let daemon = Daemon::launch(serve, tmux.dir(), socket_in(&tmux)).await;
        let feed = Feed::start(&tmux);
        let all = [&sizes[..], &environment, &options];
        let before = all.map(|command| tmux.run(command));
        let wait = daemon.armed(json!({"pane": feed.pane, "patterns": ["never"]})).await;
        linked(&tmux, &["main".to_owned()]).await;
        assert_eq!(all.map(|command| tmux.run(command)), before, "{binary} {kind}: linked");
        drop((wait, daemon));
        linked(&tmux, &[]).await;
        assert_eq!(all.map(|command| tmux.run(command)), before, "{binary} {kind}: left");
    }
}

/// Floods, and tells in a file how many lines it has written.
const FLOOD: &str = r"
import os
go()
n = 0
while True:
    out(''.join(f'line {n + i}\n' for i in range(1000)))
    n += 1000
    with open(PROGRESS + '.new', 'w') as file:
        file.write(str(n))
    os.replace(PROGRESS + '.new', PROGRESS)
";

/// A pane that floods as soon as it is let go; the file that tells how far it has come.
fn flooding(tmux: &Tmux) -> (Script, PathBuf) {
    let progress = tmux.dir().join("progress");
    fs::write(&progress, "0").unwrap();
    let script = Script::start(tmux, &format!("PROGRESS = '{}'\n{FLOOD}", progress.display()));
    (script, progress)
}

/// Until the flooding program has written many more lines than it had, and more than any buffer holds.
async fn goes_on(what: &str, progress: &Path) {
    let written = || fs::read_to_string(progress).unwrap().parse::<u64>().unwrap();
    let start = written();
    eventually(what, HANG, async || (written() >= start + 50_000).then_some(())).await;
}

#[tokio::test]
async fn a_daemon_killed_under_a_flooding_pane_leaves_it_running() {
    for (binary, kind) in every_way() {
        let tmux = Tmux::start_with(&binary);
        let (mut script, progress) = flooding(&tmux);
        let mut daemon = daemon(&tmux, kind).await;
        let params = json!({"pane": script.pane, "patterns": ["never"], "timeout": null});
        let wait = daemon.armed(params).await;
        linked(&tmux, &["main".to_owned()]).await;
        script.go();
        goes_on("a watched program to run on", &progress).await;
        daemon.sigkill().await;
        drop(wait);
        goes_on("the program to run on after the daemon", &progress).await;
        linked(&tmux, &[]).await;
        tmux.run(&["kill-server"]);
        let gone = gone_by(tmux.pid(), Duration::from_secs(5));
        assert!(gone, "{binary} {kind}: kill-server did not end the server within 5 s");
    }
}

#[tokio::test]
async fn kill_server_works_while_a_flooding_pane_is_watched() {
    for (binary, kind) in every_way() {
        let tmux = Tmux::start_with(&binary);
        let (mut script, progress) = flooding(&tmux);
        let daemon = daemon(&tmux, kind).await;
        let wait = daemon.armed(json!({"pane": script.pane, "patterns": ["never"]})).await;
        script.go();
        goes_on("a watched program to run on", &progress).await;
        tmux.run(&["kill-server"]);
        let gone = gone_by(tmux.pid(), Duration::from_secs(5));
        assert!(gone, "{binary} {kind}: kill-server did not end the server within 5 s");
        assert!(!wait.answer().await.found);
    }
}

#[tokio::test]
async fn a_session_is_linked_once_and_only_when_asked_about() {
    for (binary, kind) in every_way() {
        let tmux = Tmux::start_with(&binary);
        tmux.new_session("side");
        tmux.new_session("unasked");
        let daemon = daemon(&tmux, kind).await;
        let panes: Panes = daemon.client().get(LIST_PANES, json!({})).await;
        assert_eq!(panes.panes.len(), 3);
        assert_eq!(tmux.clients(), [""; 0], "{binary} {kind}: linked unasked");
        let mut feeds = vec![link(&tmux, &daemon, "main").await];
        assert_eq!(tmux.clients(), ["main"], "{binary} {kind}");
        feeds.push(link(&tmux, &daemon, "main").await);
        assert_eq!(tmux.clients(), ["main"], "{binary} {kind}: linked twice");
        feeds.push(link(&tmux, &daemon, "side").await);
        assert_eq!(tmux.clients(), ["main", "side"], "{binary} {kind}");
    }
}

#[tokio::test]
async fn watch_all_links_every_session_and_each_new_one() {
    for binary in Tmux::binaries() {
        let tmux = Tmux::start_with(&binary);
        tmux.new_session("side");
        let daemon = Daemon::start_with(&tmux, &["--watch", "all"]).await;
        let mut sessions = ["main", "side"].map(String::from).to_vec();
        linked(&tmux, &sessions).await;
        for new in ["later", "latest"] {
            tmux.new_session(new);
            sessions.push(new.to_owned());
            sessions.sort();
            linked(&tmux, &sessions).await;
        }
        tmux.run(&["kill-session", "-t", "=side"]);
        sessions.retain(|session| session != "side");
        linked(&tmux, &sessions).await;
        drop(daemon);
    }
}

/// Sessions come, are renamed, are looked at, and go.
fn churn(tmux: &Tmux, count: usize) {
    for number in 0..count {
        let (name, renamed) = (format!("c{number}"), format!("r{number}"));
        tmux.run(&["new-session", "-d", "-s", &name, "seq 1 300; exec cat"]);
        tmux.run(&["new-window", "-t", &format!("={name}:"), "exec cat"]);
        tmux.run(&["rename-session", "-t", &format!("={name}"), &renamed]);
        tmux.run(&["kill-session", "-t", &format!("={renamed}")]);
    }
}

#[tokio::test]
async fn sessions_that_come_and_go_while_all_are_watched_leave_the_server_alive() {
    for binary in Tmux::binaries() {
        let tmux = Tmux::start_with(&binary);
        let daemon = Daemon::start_with(&tmux, &["--watch", "all"]).await;
        linked(&tmux, &["main".to_owned()]).await;
        churn(&tmux, 60);
        assert_eq!(tmux.server_pid(), Some(tmux.pid()), "{binary}: the server died");
        linked(&tmux, &["main".to_owned()]).await;
        let feed = link(&tmux, &daemon, "main").await;
        drop((daemon, feed));
    }
}

/// From 3.7 on, a read-only client that is the only one made tmux refuse the keys of others.
#[tokio::test]
async fn others_can_send_keys_while_only_we_are_attached() {
    for (binary, kind) in every_way() {
        let tmux = Tmux::start_with(&binary);
        let daemon = daemon(&tmux, kind).await;
        let feed = link(&tmux, &daemon, "main").await;
        let pane = tmux.new_pane("exec cat");
        let wait = daemon.armed(json!({"pane": pane, "patterns": ["typed by another"]})).await;
        tmux.run(&["send-keys", "-t", &pane, "typed by another"]);
        assert_matched(&wait.answer().await, "typed by another");
        drop(feed);
    }
}

/// tmux 3.8 drops a client that sends a command of about 1,000 words.
#[tokio::test]
async fn a_session_of_many_panes_is_linked() {
    for (binary, kind) in every_way() {
        let tmux = Tmux::start_with(&binary);
        for _ in 0..80 {
            tmux.new_pane("exec cat");
        }
        let daemon = daemon(&tmux, kind).await;
        let mut feed = link(&tmux, &daemon, "main").await;
        let wait = daemon.armed(json!({"pane": feed.pane, "patterns": ["here"]})).await;
        feed.print("here\n");
        assert_matched(&wait.answer().await, "here");
    }
}
