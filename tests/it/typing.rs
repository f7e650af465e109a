//! Typing: what arrives in the pane is what was given, byte for byte and key for key (field report R40).

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::method::{PASTE_TEXT, SEND_KEYS};
use panewatch_protocol::typing::Typed;
use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually};
use crate::support::sink::Sink;
use crate::support::tmux::Tmux;

mod attended;
mod commands;
mod orders;
mod refused;

/// A program that keeps what is typed, and a daemon. Dropped from the first field to the last.
struct Desk {
    daemon: Daemon,
    sink: Sink,
    tmux: Tmux,
}

impl Desk {
    async fn start() -> Self {
        Self::start_on("tmux").await
    }

    async fn start_on(binary: &str) -> Self {
        let tmux = Tmux::start_with(binary);
        let sink = Sink::start(&tmux).await;
        let daemon = Daemon::start(&tmux).await;
        Self { daemon, sink, tmux }
    }

    /// These arguments, for the pane.
    fn here(&self, mut params: Value) -> Value {
        params["pane"] = json!(self.sink.pane);
        params
    }

    async fn order(&self, method: &str, params: Value) -> Typed {
        self.daemon.client().get(method, self.here(params)).await
    }

    async fn send(&self, params: Value) -> Typed {
        self.order(SEND_KEYS, params).await
    }

    async fn refused(&self, method: &str, params: Value, kind: ErrorKind) -> String {
        let refusal = self.daemon.refused(method, self.here(params)).await;
        assert_eq!(refusal.kind(), kind, "{refusal:?}");
        refusal.message
    }
}

/// Text that some layer between a caller and a program might take for more than text.
const AWKWARD: [&str; 32] = [
    "abc;",
    ";",
    ";;",
    "-----BEGIN",
    "-l",
    "--",
    r"a\;b",
    r"a\;",
    r"\",
    r"\\",
    r"\n",
    "#{pane_id}",
    "#S#",
    "$HOME",
    "${HOME}",
    "~",
    "C-c",
    "Enter",
    "'\"",
    "'",
    "\"",
    "\t",
    "\r",
    "\n",
    "L1\nL2",
    "L1\r\nL2\r",
    " a  b ",
    "größe 😀 👩\u{200d}👧 e\u{301}",
    "\x03\x1b[A\x7f\x01",
    "{ } %if * ? `x` !1 &",
    "%1",
    "0x41",
];

#[tokio::test]
async fn awkward_text_arrives_as_it_is() {
    for binary in Tmux::binaries() {
        let desk = Desk::start_on(&binary).await;
        let mut typed = String::new();
        for text in AWKWARD {
            desk.send(json!({"text": text})).await;
            typed.push_str(text);
            desk.sink.gets(&typed).await;
        }
    }
}

#[tokio::test]
async fn awkward_pieces_of_long_text_arrive_as_they_are() {
    for binary in Tmux::binaries() {
        let desk = Desk::start_on(&binary).await;
        let mut typed = String::new();
        // long text goes another way, in pieces that may end anywhere
        for text in AWKWARD {
            let text = format!("{}{text}", "-;'\\é".repeat(600));
            desk.send(json!({"text": text})).await;
            typed.push_str(&text);
            desk.sink.gets(&typed).await;
        }
    }
}

#[tokio::test]
async fn long_text_arrives_whole() {
    for binary in Tmux::binaries() {
        let desk = Desk::start_on(&binary).await;
        let lines: Vec<_> = (0..5000).map(|n| format!("line {n} ; ' \\ é 😀\n")).collect();
        let mut text = lines.concat();
        text.push(';');
        assert!(text.len() > 100_000);
        desk.send(json!({"text": text, "enter": true})).await;
        text.push('\r');
        desk.sink.gets(&text).await;
        assert_eq!(desk.tmux.run(&["list-buffers"]), "", "a buffer is left");
    }
}

#[tokio::test]
async fn text_then_keys_then_enter_arrive_in_that_order() {
    for binary in Tmux::binaries() {
        let desk = Desk::start_on(&binary).await;
        let order = json!({"text": "ab", "keys": ["Tab", "C-a", "x"], "enter": true});
        desk.send(order).await;
        desk.sink.gets("ab\t\x01x\r").await;
    }
}

#[tokio::test]
async fn keys_arrive_by_their_tmux_names() {
    let keys = [
        ("C-c", "\x03"),
        ("^c", "\x03"),
        ("Up", "\x1b[A"),
        ("F5", "\x1b[15~"),
        ("Escape", "\x1b"),
        ("Tab", "\t"),
        ("BTab", "\x1b[Z"),
        ("BSpace", "\x7f"),
        ("DC", "\x1b[3~"),
        ("Space", " "),
        ("M-x", "\x1bx"),
        ("C-M-x", "\x1b\x18"),
        ("Enter", "\r"),
        ("KP5", "5"),
        ("PPage", "\x1b[5~"),
        ("a", "a"),
        ("é", "é"),
        (";", ";"),
        ("'", "'"),
        ("\"", "\""),
        ("\\", "\\"),
        ("#", "#"),
        ("$", "$"),
        ("{", "{"),
        ("}", "}"),
        ("~", "~"),
        ("-", "-"),
        ("%", "%"),
        ("^", "^"),
    ];
    for binary in Tmux::binaries() {
        let desk = Desk::start_on(&binary).await;
        let mut typed = String::new();
        for (key, bytes) in keys {
            desk.send(json!({"keys": [key]})).await;
            typed.push_str(bytes);
            desk.sink.gets(&typed).await;
        }
    }
}

#[tokio::test]
async fn c_space_is_a_nul() {
    let desk = Desk::start().await;
    desk.send(json!({"keys": ["C-Space", "x"]})).await;
    desk.sink.gets("\0x").await;
}

#[tokio::test]
async fn a_paste_is_bracketed_where_the_program_asked() {
    for binary in Tmux::binaries() {
        let desk = Desk::start_on(&binary).await;
        desk.order(PASTE_TEXT, json!({"text": "a;b", "enter": true})).await;
        desk.sink.gets("a;b\r").await;
        let sink = Sink::start_behind(&desk.tmux, r"printf '\033[?2004h'; echo asked;").await;
        let asked = async || desk.tmux.capture(&sink.pane).contains("asked").then_some(());
        eventually("a program to ask for bracketed paste", HANG, asked).await;
        let desk = Desk { sink, ..desk };
        desk.order(PASTE_TEXT, json!({"text": "a;b", "enter": true})).await;
        desk.order(PASTE_TEXT, json!({"text": "-c;"})).await;
        desk.send(json!({"text": "d\n"})).await;
        let typed = "\x1b[200~a;b\x1b[201~\r\x1b[200~-c;\x1b[201~d\n";
        desk.sink.gets(typed).await;
        // what a terminal pastes for a line end is Enter
        desk.order(PASTE_TEXT, json!({"text": "L1\nL2"})).await;
        desk.sink.gets(format!("{typed}\x1b[200~L1\rL2\x1b[201~")).await;
    }
}

#[tokio::test]
async fn a_long_paste_arrives_whole() {
    let desk = Desk::start().await;
    let text = "0123456789-;'\\é".repeat(7000);
    desk.order(PASTE_TEXT, json!({"text": text, "enter": true})).await;
    desk.sink.gets(format!("{text}\r")).await;
}

#[tokio::test]
async fn a_persons_buffers_stay_as_they_are() {
    let desk = Desk::start().await;
    desk.tmux.run(&["set-buffer", "theirs"]);
    desk.tmux.run(&["set-buffer", "-b", "named", "theirs too"]);
    let before = desk.tmux.run(&["list-buffers"]);
    let newest = desk.tmux.run(&["show-buffer"]);
    desk.order(PASTE_TEXT, json!({"text": "ours"})).await;
    desk.send(json!({"text": "x".repeat(5000)})).await;
    desk.sink.gets(format!("ours{}", "x".repeat(5000))).await;
    assert_eq!(desk.tmux.run(&["list-buffers"]), before);
    assert_eq!(desk.tmux.run(&["show-buffer"]), newest);
}
