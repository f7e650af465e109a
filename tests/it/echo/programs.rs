//! The echo of programs that are no shells, and of terminals that do not echo.

use panewatch_protocol::wait::Outcome;
use rustix::termios::LocalModes;
use serde_json::json;

use crate::support::scene::{assert_matched, assert_not_found};
use crate::support::shell::{Kind, Shell, terminal_is};

/// A pane that runs this shell command, once its terminal is like that.
async fn running(command: &str, like: impl Fn(LocalModes) -> bool) -> Shell {
    let mut shell = Shell::start(Kind::Sh).await;
    shell.pane = shell.tmux.new_pane(command);
    terminal_is(&shell.tmux, &shell.pane, like).await;
    shell
}

fn is_raw(modes: LocalModes) -> bool {
    !modes.intersects(LocalModes::ECHO | LocalModes::ICANON)
}

#[tokio::test]
async fn cat_prints_each_typed_line_once() {
    let shell = running("exec cat", |modes| modes.contains(LocalModes::ECHO)).await;
    let cursor = shell.line("hello").await;
    let answer = shell.since(&cursor, json!({"patterns": ["hello"]})).await;
    assert_matched(&answer, "hello");
    let behind = answer.match_cursor.expect("a cursor behind the match");
    let again = json!({"patterns": ["hello"], "timeout": 0.5});
    assert_not_found(&shell.since(&behind, again.clone()).await, Outcome::Timeout);
    let cursor = shell.line("hello hello").await;
    shell.finds(&cursor, "hello", "hello hello").await;
    // without Enter there is an echo and nothing else
    let cursor = shell.send(json!({"text": "hello"})).await;
    let answer = shell.since(&cursor, again).await;
    assert_not_found(&answer, Outcome::Timeout);
    assert!(!answer.saw_new_output, "{answer:?}");
}

#[tokio::test]
async fn a_program_that_echoes_by_itself_gives_no_answer_by_that() {
    let shell = running("stty raw -echo; exec cat", is_raw).await;
    let cursor = shell.send(json!({"text": "MARK_7\r\n"})).await;
    shell.shows("MARK_7").await;
    let answer = shell.since(&cursor, json!({"timeout": 0.5})).await;
    assert_not_found(&answer, Outcome::Timeout);
    assert!(!answer.saw_new_output, "{answer:?}");
    // nobody has said that this would be typed
    shell.tmux.run(&["send-keys", "-t", &shell.pane, "-l", "MARK_7 again"]);
    shell.finds(&cursor, "MARK_7", "MARK_7 again").await;
}

#[tokio::test]
async fn a_program_that_repeats_its_echo_gives_an_answer() {
    // echoes each key, and prints each line once more
    let program = r#"
import os, sys, tty
tty.setraw(0)
line = b""
while key := os.read(0, 1):
    os.write(1, key)
    line += key
    if key == b"\r":
        os.write(1, b"\nsaid " + line + b"\n")
        line = b""
"#;
    let shell = Shell::start(Kind::Sh).await;
    let source = shell.tmux.dir().join("repeats.py");
    std::fs::write(&source, program).unwrap();
    let mut shell = shell;
    shell.pane = shell.tmux.new_pane(&format!("exec python3 '{}'", source.display()));
    terminal_is(&shell.tmux, &shell.pane, is_raw).await;
    for submit in ["with", "settled"] {
        let order = json!({"text": "MARK_7", "enter": true, "submit": submit});
        let cursor = shell.send(order).await;
        shell.finds(&cursor, "MARK_7", "said MARK_7").await;
    }
}

#[tokio::test]
async fn a_secret_that_is_printed_later_is_an_answer() {
    for kind in [Kind::Sh, Kind::Bash] {
        let shell = Shell::start(kind).await;
        // dash's read has no -s
        let line = "stty -echo; read x; stty echo; echo got; echo $x";
        let line = if kind == Kind::Bash { "read -s x; echo got; echo $x" } else { line };
        shell.line(line).await;
        let no_echo = |modes: LocalModes| {
            modes.contains(LocalModes::ICANON) && !modes.contains(LocalModes::ECHO)
        };
        terminal_is(&shell.tmux, &shell.pane, no_echo).await;
        let cursor = shell.line("hunter2").await;
        shell.finds(&cursor, "hunter2", "hunter2").await;
    }
}

#[tokio::test]
async fn a_secret_that_is_asked_for_key_by_key_is_an_answer_when_printed() {
    let program = "stty -echo -icanon; printf 'Password: '; \
                   dd bs=1 count=7 2>/dev/null >\"$HOME/secret\"; echo; echo welcome; \
                   cat \"$HOME/secret\"; exec cat";
    let mut shell = Shell::start(Kind::Sh).await;
    let program = format!("HOME='{}'; {program}", shell.tmux.dir().display());
    shell.pane = shell.tmux.new_pane(&program);
    shell.shows("Password:").await;
    let cursor = shell.send(json!({"text": "hunter2", "keys": ["Enter"]})).await;
    shell.finds(&cursor, "hunter2", "hunter2").await;
}

/// The terminal's own `reprint` key.
#[tokio::test]
async fn a_line_that_the_terminal_shows_again_is_no_answer() {
    let shell = Shell::start(Kind::Sh).await;
    let cursor = shell.send(json!({"text": "echo MARK_7"})).await;
    shell.send(json!({"keys": ["C-r"], "enter": true})).await;
    shell.finds(&cursor, "MARK_7", "MARK_7").await;
}

#[tokio::test]
async fn a_declared_line_of_another_tool_is_no_answer() {
    for kind in Kind::ALL {
        let shell = Shell::start(kind).await;
        let foreign = async |line: &str| {
            let params = json!({"pane": shell.pane, "text": line});
            let declared = shell.daemon.client().call("declare_input", params).await;
            let cursor = declared.expect("an answer")["cursor"].as_str().unwrap().to_owned();
            shell.tmux.run(&["send-keys", "-t", &shell.pane, "-l", line]);
            shell.tmux.run(&["send-keys", "-t", &shell.pane, "Enter"]);
            cursor
        };
        let cursor = foreign("true MARK_9").await;
        shell.finds_none(&cursor, "MARK_9").await;
        let cursor = foreign("echo \"echo MARK_3\"").await;
        shell.finds(&cursor, "echo MARK_3", "echo MARK_3").await;
    }
}

#[tokio::test]
async fn a_line_typed_on_any_version_is_no_answer() {
    for binary in crate::support::tmux::Tmux::binaries() {
        for kind in Kind::ALL {
            let shell = Shell::start_on(&binary, kind, 80).await;
            let cursor = shell.line("echo MARK_7").await;
            shell.finds(&cursor, "MARK_7", "MARK_7").await;
            shell.prompted().await;
            let cursor = shell.paste(json!({"text": "true MARK_9", "enter": true})).await;
            shell.finds_none(&cursor, "MARK_9").await;
        }
    }
}
