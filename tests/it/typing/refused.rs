//! What is not typed: into modes, the caller's own pane, unknown panes, by a read-only daemon, and what
//! no terminal can type. A refusal says why, and nothing of it arrives.

use std::fs;

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::method::{PASTE_TEXT, SEND_KEYS};
use serde_json::json;

use super::Desk;
use crate::support::cli::{self, Running};
use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually};
use crate::support::process::PANEWATCH;
use crate::support::scene::{Scene, assert_matched};
use crate::support::sink::Sink;
use crate::support::tmux::Tmux;

#[tokio::test]
async fn nothing_to_type_is_refused() {
    let desk = Desk::start().await;
    for nothing in [json!({}), json!({"text": ""}), json!({"text": null, "keys": []})] {
        desk.refused(SEND_KEYS, nothing, ErrorKind::InvalidArgument).await;
    }
    desk.refused(PASTE_TEXT, json!({"text": ""}), ErrorKind::InvalidArgument).await;
    desk.refused(PASTE_TEXT, json!({"enter": true}), ErrorKind::InvalidArgument).await;
    desk.send(json!({"text": "end"})).await;
    desk.sink.gets("end").await;
}

#[tokio::test]
async fn a_key_that_tmux_does_not_know_is_refused_and_not_typed_as_text() {
    let desk = Desk::start().await;
    for key in ["", "Entr", "Ctrl-c", "C-", "F99", "ab", "-x", "Enter ", "a;b"] {
        let order = json!({"text": "text", "keys": ["a", key], "enter": true});
        let message = desk.refused(SEND_KEYS, order, ErrorKind::InvalidArgument).await;
        assert!(message.contains(&format!("`{key}`")), "{message}");
    }
    desk.send(json!({"text": "end"})).await;
    desk.sink.gets("end").await;
}

#[tokio::test]
async fn a_nul_is_refused() {
    let desk = Desk::start().await;
    for method in [SEND_KEYS, PASTE_TEXT] {
        let message =
            desk.refused(method, json!({"text": "a\0b"}), ErrorKind::InvalidArgument).await;
        assert!(message.contains("NUL"), "{message}");
    }
    desk.send(json!({"text": "end"})).await;
    desk.sink.gets("end").await;
}

/// Field reports R4 and R5.
#[tokio::test]
async fn a_pane_in_a_mode_is_refused_by_the_name_of_the_mode() {
    for binary in Tmux::binaries() {
        for (enter, mode) in
            [("copy-mode", "copy-mode"), ("clock-mode", "clock-mode"), ("choose-tree", "tree-mode")]
        {
            let desk = Desk::start_on(&binary).await;
            let pane = &desk.sink.pane;
            desk.tmux.run(&[enter, "-t", pane]);
            assert_eq!(desk.tmux.show(pane, "#{pane_mode}"), mode);
            for (method, text) in [
                (SEND_KEYS, json!({"text": "ft/:q", "enter": true})),
                (SEND_KEYS, json!({"keys": ["q"]})),
                (SEND_KEYS, json!({"text": "q".repeat(5000)})),
                (SEND_KEYS, json!({"text": "q", "enter": true, "submit": "settled"})),
                (PASTE_TEXT, json!({"text": "q", "enter": true})),
            ] {
                let message = desk.refused(method, text, ErrorKind::PaneInMode).await;
                assert!(message.contains(mode) && message.contains(pane), "{message}");
            }
            assert_eq!(desk.tmux.show(pane, "#{pane_mode}"), mode, "the mode was left");
            assert_eq!(desk.tmux.run(&["list-buffers"]), "", "a buffer is left");
            let order = json!({"text": "typed;", "enter": true, "leave_mode": true});
            desk.send(order).await;
            desk.sink.gets("typed;\r").await;
            assert_eq!(desk.tmux.show(pane, "#{pane_in_mode}"), "0");
            // and where there is no mode to leave
            desk.send(json!({"text": "again", "leave_mode": true})).await;
            desk.sink.gets("typed;\ragain").await;
        }
    }
}

#[tokio::test]
async fn a_mode_of_another_pane_is_no_matter() {
    let desk = Desk::start().await;
    desk.tmux.run(&["copy-mode", "-t", "%0"]);
    desk.send(json!({"text": "typed"})).await;
    desk.sink.gets("typed").await;
    assert_eq!(desk.tmux.show("%0", "#{pane_mode}"), "copy-mode");
}

#[tokio::test]
async fn a_line_refused_by_a_mode_is_an_answer_when_it_is_printed() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["MARK_7"]})).await;
    scene.tmux.run(&["copy-mode", "-t", scene.pane()]);
    let order = scene.here(json!({"text": "MARK_7", "enter": true}));
    let refusal = scene.daemon.refused(SEND_KEYS, order).await;
    assert_eq!(refusal.kind(), ErrorKind::PaneInMode);
    // waits go on under a mode
    scene.feed.print("MARK_7\n");
    assert_matched(&wait.answer().await, "MARK_7");
}

/// Runs `panewatch send ARGS` as if in this pane of this server, over the daemon of the desk.
async fn send_from(desk: &Desk, server: &Tmux, pane: &str, args: &[&str]) -> cli::Ran {
    let args = [&["send"], args].concat();
    let mut command = cli::command(&desk.tmux, &desk.daemon, &args);
    let tmux = format!("{},{},0", server.socket().display(), server.pid());
    command.env("TMUX", tmux).env("TMUX_PANE", pane);
    Running::start(command).end().await
}

#[tokio::test]
async fn the_callers_own_pane_is_refused_unless_it_is_asked_for() {
    let desk = Desk::start().await;
    let pane = &desk.sink.pane;
    for args in
        [&["-t", pane, "no"][..], &["-t", "=main:1.0", "no", "-e"], &["-t", pane, "-k", "a"]]
    {
        let ran = send_from(&desk, &desk.tmux, pane, args).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains("own"), "{ran:?}");
    }
    // another pane, and a pane of the same id on another server, are not the caller's own
    let other = Tmux::start();
    let ran = send_from(&desk, &desk.tmux, "%0", &["-t", pane, "a"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let server = desk.tmux.socket().display().to_string();
    let ran = send_from(&desk, &other, pane, &["-S", &server, "-t", pane, "b"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = send_from(&desk, &desk.tmux, pane, &["-t", pane, "c", "--own-pane"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    desk.sink.gets("abc").await;
}

#[tokio::test]
async fn a_program_in_a_pane_does_not_type_into_it_by_accident() {
    let tmux = Tmux::start();
    let daemon = Daemon::start(&tmux).await;
    let (listen, out) = (daemon.listen().display(), tmux.dir().join("ran"));
    let send = format!("'{PANEWATCH}' send --listen '{listen}' --no-autostart -S");
    let send = format!("{send} '{}' -t \"$TMUX_PANE\"", tmux.socket().display());
    let pane = tmux.new_pane(&format!(
        "{{ {send} REFUSED; echo code $?; {send} TYPED --own-pane; echo code $?; }} >'{}' 2>&1; \
         exec cat",
        out.display()
    ));
    let both = async || {
        let ran = fs::read_to_string(&out).ok()?;
        (ran.matches("code ").count() == 2).then_some(ran)
    };
    let ran = eventually("two runs of panewatch in a pane", HANG, both).await;
    assert!(ran.contains("code 2\n") && ran.ends_with("code 0\n"), "{ran}");
    let typed = async || tmux.capture(&pane).contains("TYPED").then_some(());
    eventually("the text that was asked for", HANG, typed).await;
    assert!(!tmux.capture(&pane).contains("REFUSED"));
}

#[tokio::test]
async fn a_read_only_daemon_types_nothing() {
    let tmux = Tmux::start();
    let sink = Sink::start(&tmux).await;
    let daemon = Daemon::start_with(&tmux, &["--read-only"]).await;
    let text = json!({"pane": sink.pane, "text": "text", "own_pane": true, "leave_mode": true});
    for (method, params) in [
        (SEND_KEYS, text.clone()),
        (SEND_KEYS, json!({"pane": sink.pane, "keys": ["C-c"]})),
        (SEND_KEYS, json!({"pane": sink.pane, "enter": true})),
        (PASTE_TEXT, text),
    ] {
        let refusal = daemon.refused(method, params).await;
        assert_eq!(refusal.kind(), ErrorKind::ReadOnly, "{refusal:?}");
    }
    // it still answers waits
    let answer = daemon.ask(json!({"pane": sink.pane, "patterns": ["x"], "timeout": 0})).await;
    assert!(!answer.found);
    tmux.run(&["send-keys", "-t", &sink.pane, "-l", "end"]);
    sink.gets("end").await;
}

/// Field report R10.
#[tokio::test]
async fn text_for_what_is_not_there_goes_nowhere_else() {
    let desk = Desk::start().await;
    for (target, kind) in [
        (json!({"pane": "%9999"}), ErrorKind::PaneNotFound),
        (json!({"pane": "=main:9.0"}), ErrorKind::PaneNotFound),
        (json!({"session_name": "mai"}), ErrorKind::SessionNotFound),
        (json!({"session_name": "main2"}), ErrorKind::SessionNotFound),
    ] {
        for method in [SEND_KEYS, PASTE_TEXT, "declare_input"] {
            let mut params = target.clone();
            params["text"] = json!("lost");
            let refusal = desk.daemon.refused(method, params).await;
            assert_eq!(refusal.kind(), kind, "{method} {target}: {refusal:?}");
        }
    }
    let target = json!({"window_id": desk.tmux.show(&desk.sink.pane, "#{window_id}")});
    let mut params = target;
    params["text"] = json!("found");
    desk.daemon.client().call(SEND_KEYS, params).await.expect("an answer");
    desk.sink.gets("found").await;
    assert!(!desk.tmux.capture("%0").contains("lost"));
}

#[tokio::test]
async fn text_for_a_pane_that_has_ended_is_refused() {
    let desk = Desk::start().await;
    desk.send(json!({"text": "a"})).await;
    desk.tmux.run(&["kill-pane", "-t", &desk.sink.pane]);
    desk.refused(SEND_KEYS, json!({"text": "b"}), ErrorKind::PaneNotFound).await;
}
