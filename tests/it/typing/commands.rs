//! `panewatch send` and `panewatch paste`: what they print is where to wait from.

use panewatch_protocol::typing::Typed;

use super::Desk;
use crate::support::cli::{self, Ran};
use crate::support::shell::{Kind, Shell};

/// How `panewatch COMMAND -t PANE ARGS` ends at a shell.
async fn run(shell: &Shell, command: &str, args: &[&str]) -> Ran {
    let args = [&[command, "-t", &shell.pane], args].concat();
    cli::run(&shell.tmux, &shell.daemon, &args).await
}

/// The cursor that it printed, and nothing else.
#[track_caller]
fn cursor(ran: &Ran) -> String {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let cursor = ran.stdout.strip_suffix('\n').expect("a line");
    assert!(!cursor.is_empty() && !cursor.contains(char::is_whitespace), "{ran:?}");
    cursor.to_owned()
}

#[tokio::test]
async fn the_printed_cursor_is_one_to_wait_from() {
    for command in ["send", "paste"] {
        for kind in [Kind::Sh, Kind::Bash] {
            let shell = Shell::start(kind).await;
            let cursor = cursor(&run(&shell, command, &["echo MARK_7", "--enter"]).await);
            shell.shows("\nMARK_7").await;
            let args = ["MARK_7", "--since", &cursor, "--timeout", "10s"];
            let ran = run(&shell, "wait", &args).await;
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "MARK_7\n"), "{ran:?}");
            let args = ["echo MARK_7", "--since", &cursor, "--timeout", "0s"];
            let ran = run(&shell, "wait", &args).await;
            assert_eq!(ran.code, Some(124), "the echo is no answer: {ran:?}");
        }
    }
}

#[tokio::test]
async fn json_prints_the_whole_answer_of_an_order() {
    let shell = Shell::start(Kind::Sh).await;
    for command in ["send", "paste"] {
        let ran = run(&shell, command, &["true", "-e", "--json"]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let typed: Typed = serde_json::from_str(&ran.stdout).expect("an answer");
        assert_eq!((typed.pane.as_str(), typed.attended), (shell.pane.as_str(), false), "{ran:?}");
    }
}

#[tokio::test]
async fn text_and_keys_of_the_command_line_arrive_as_they_are() {
    let desk = Desk::start().await;
    let pane = desk.sink.pane.as_str();
    for args in [
        &["send", "-t", pane, "a b;"][..],
        &["send", "-t", pane, "--", "-----BEGIN"],
        &["send", "-t", pane, "x", "-k", "C-a", "--key", "Up", "--enter"],
        &["send", "-t", pane, "-k", ";"],
        &["send", "-t", pane, "-e"],
        &["send", "-t", pane, "y", "-e", "--settled"],
        &["paste", "-t", pane, "p;", "-e"],
        &["paste", "-t", pane, "--", "--"],
    ] {
        cursor(&cli::run(&desk.tmux, &desk.daemon, args).await);
    }
    desk.sink.gets("a b;-----BEGINx\x01\x1b[A\r;\ry\rp;\r--").await;
}

#[tokio::test]
async fn an_order_that_is_refused_exits_2_and_says_why() {
    let desk = Desk::start().await;
    let pane = desk.sink.pane.as_str();
    desk.tmux.run(&["copy-mode", "-t", pane]);
    for (args, word) in [
        (&["send", "-t", pane, "text"][..], "copy-mode"),
        (&["paste", "-t", pane, "text"], "copy-mode"),
        (&["send", "-t", "%9999", "text"], "%9999"),
        (&["send", "-t", pane], "nothing"),
        (&["send", "-t", pane, "-k", "Entr"], "Entr"),
        (&["paste", "-t", pane], "TEXT"),
    ] {
        let ran = cli::run(&desk.tmux, &desk.daemon, args).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {ran:?}");
    }
    let args = ["send", "-t", pane, "typed", "--leave-mode"];
    cursor(&cli::run(&desk.tmux, &desk.daemon, &args).await);
    desk.sink.gets("typed").await;
}
