//! The contract of `wait_for_text`, a row for each rule and case.
//!
//! Each row is run twice: over the socket, with a pane that prints it, and against the pure core, which
//! is fed the same bytes. What needs tmux itself (ends, targets, typing) is tested elsewhere.

use std::time::{Duration, Instant};

use panewatch::control::PaneId;
use panewatch::pane::PaneStream;
use panewatch::wait::{PaneLife, TextWait, WaitId, Waits};
use panewatch_protocol::wait::{Outcome, TextAnswer, WaitForText};
use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually};
use crate::support::program::Feed;
use crate::support::tmux::Tmux;

/// What stood there, what is asked, what is written then, how it ends, and in which rows.
type Case =
    (&'static str, &'static str, Value, &'static [&'static str], Outcome, &'static [&'static str]);

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    use Outcome::{AlternateScreen, AnyOutput, Matched, Pending, PresentAtEntry, Stopped, Timeout};
    let p = |pattern: &str| json!({"patterns": [pattern]});
    let e = |pattern: &str| json!({"patterns": [pattern], "regex": true});
    let entry = |pattern: &str| json!({"patterns": [pattern], "at_entry": "return"});
    vec![
        ("W1 old text does not count", "ready\n", p("ready"), &["other\n"], Timeout, &[]),
        ("W1 old text and new text that repeats it", "ready\n", p("ready"), &["ready\n"], Matched, &["ready"]),
        ("W1 text added to the cursor's row counts", "rea", p("ready"), &["dy\n"], Matched, &["ready"]),
        ("W1 what stood on the cursor's row does not", "ready ", p("ready"), &["x\n"], Timeout, &[]),
        ("W2 colour inside a word", "", p("build ok"), &["\x1b[32mbui\x1b[1mld \x1b[0mok\n"], Matched, &["build ok"]),
        ("W2 a title never matches", "", p("secret"), &["\x1b]0;secret\x07x\n"], Timeout, &[]),
        ("W2 nor does a link", "", p("http"), &["\x1b]8;;http://h\x1b\\x\x1b]8;;\x1b\\\n"], Timeout, &[]),
        ("W2 nor does a device string", "", p("secret"), &["\x1bPsecret\x1b\\x\n"], Timeout, &[]),
        ("W2 nor does an application string", "", p("secret"), &["\x1b_secret\x1b\\x\n"], Timeout, &[]),
        ("W2 an escape cut in two", "", p("ab"), &["a\x1b[3", "1mb\n"], Matched, &["ab"]),
        ("W2 a tab stays a tab", "", p("a\tb"), &["a\tb\n"], Matched, &["a\tb"]),
        ("W2 line drawing", "", p("┌─┐"), &["\x1b(0lqk\x1b(B\n"], Matched, &["┌─┐"]),
        ("W2 a repeat repeats", "", p("abbb"), &["ab\x1b[2b\n"], Matched, &["abbb"]),
        ("W3 before a carriage return's overprint", "", p("flash"), &["flash\rxxxxxxx\n"], Matched, &["flash"]),
        ("W3 before an erase", "", p("flash"), &["flash\x1b[2K\r\n"], Matched, &["flash"]),
        ("W3 before a clear", "", p("flash"), &["flash\n\x1b[H\x1b[2J\x1b[3J"], Matched, &["flash"]),
        ("W3 before backspaces", "", p("flash"), &["flash\x08\x08\x1b[K\n"], Matched, &["flash"]),
        ("W3 before a deletion", "", p("flash"), &["flash\x1b[4D\x1b[P\n"], Matched, &["flash"]),
        ("W3 before an insertion", "", p("flash"), &["flash\x1b[4D\x1b[@\n"], Matched, &["flash"]),
        ("W3 two cells of a row rewritten", "Working 12s", p("Working 13s"), &["\x1b[10G3\n"], Matched, &["Working 13s"]),
        ("W3 not across an overwrite", "", p("doneing"), &["loading\rdone\x1b[K\n"], Timeout, &[]),
        ("W3 a wrapped line is one row", "", p("needle"), &[concat!("0123456789012345678901234567890123456789",
            "0123456789012345678901234567890123456needle\n")], Matched,
            &[concat!("0123456789012345678901234567890123456789", "0123456789012345678901234567890123456needle")]),
        ("W3 rows by address", "", p("there"), &["\x1b[5;3Hhere\x1b[7;9Hthere\x1b[2;1H"], Matched, &["        there"]),
        ("W4 a number that still grows", "", e(r"port (\d+)"), &["port 80", "80\n"], Matched, &["port 8080"]),
        ("W4 a row that is left alone", "", e(r"port \d+$"), &["port 80"], Matched, &["port 80"]),
        ("W4 the edges of a row", "", e("^ready$"), &["not ready\nready\n"], Matched, &["ready"]),
        ("W4 a line break", "", e(r"FAILED\s+\w+"), &["FAILED\n", "  one\n"], Matched, &["FAILED", "  one"]),
        ("W5 the first row wins", "", json!({"patterns": ["b", "a"]}), &["a\nb\n"], Matched, &["a"]),
        ("W5 in one row the lower index wins", "", json!({"patterns": ["b", "a"]}), &["ab\n"], Matched, &["ab"]),
        ("W5 and stop beats both", "", json!({"patterns": ["a"], "stop": ["b"]}), &["ab\n"], Stopped, &["ab"]),
        ("W5 a stop after a match is late", "", json!({"patterns": ["a"], "stop": ["b"]}), &["a\nb\n"], Matched, &["a"]),
        ("W6 present on a finished row", "ready\n$ ", entry("ready"), &[], PresentAtEntry, &[]),
        ("W6 pending on the row typed into", "$ echo ready", entry("ready"), &[], Pending, &[]),
        ("W6 not there yet", "$ ", entry("ready"), &["ready\n"], Matched, &["$ ready"]),
        ("W7 suppressed to the end", "", p("vi"), &["\x1b[?1049h\x1b[Hvi"], AlternateScreen, &[]),
        ("W7 resumed", "", p("vi"), &["\x1b[?1049h\x1b[Hvi\x1b[?1049l", "vi\n"], Matched, &["vi"]),
        ("W7 on request", "", json!({"patterns": ["vi"], "alternate_screen": "match"}), &["\x1b[?1049h\x1b[Hvi\r\n"], Matched, &["vi"]),
        ("W9 any output", "", json!({}), &["x\n"], AnyOutput, &[]),
        ("W9 a repaint is none", "$ ", json!({}), &["\r\x1b[K$ \r$ "], Timeout, &[]),
        ("W9 blank lines are none", "$ ", json!({}), &["\n\n   \n"], Timeout, &[]),
        ("W9 a full-screen program's is none", "", json!({}), &["\x1b[?1049h\x1b[Hvi"], AlternateScreen, &[]),
    ]
}

fn check(case: &Case, answer: &TextAnswer, where_: &str) {
    let (name, _, _, _, outcome, lines) = case;
    assert_eq!(answer.outcome, *outcome, "{name}, {where_}: {answer:?}");
    assert_eq!(answer.matched_lines, *lines, "{name}, {where_}: {answer:?}");
    assert_eq!(answer.found, outcome.found(), "{name}, {where_}");
}

/// A pane's terminal makes `\r\n` of each `\n`.
fn cooked(text: &str) -> Vec<u8> {
    text.replace('\n', "\r\n").into_bytes()
}

#[test]
fn the_pure_core_keeps_the_contract() {
    for case in cases() {
        let (_, before, ask, chunks, ..) = &case;
        let now = Instant::now();
        let mut stream = PaneStream::new(80, 24);
        stream.feed(&cooked(before), now, &mut |_| {});
        let life = PaneLife { server: (1, 1), epoch: 1, pane: PaneId(1), pid: 1 };
        let question: WaitForText = serde_json::from_value(ask.clone()).expect("a question");
        let mut wait = TextWait::compile(&question).expect("a question that is taken");
        wait.start_at(stream.position());
        let mut waits = Waits::default();
        let mut now = now + Duration::from_secs(1);
        let mut answer = waits.ask(WaitId(1), wait, life, &mut stream, now);
        for chunk in *chunks {
            let answered = waits.feed(life.pane, &mut stream, &cooked(chunk), now);
            answer = answer.or_else(|| answered.into_iter().next().map(|a| a.1));
            now += Duration::from_millis(1);
        }
        now += Duration::from_secs(1);
        let settled = waits.settle(life.pane, &mut stream, now).into_iter().next().map(|a| a.1);
        let late = waits.end(WaitId(1), &mut stream, Outcome::Timeout.into(), now);
        check(&case, &answer.or(settled).or(late).expect("an answer"), "the pure core");
    }
}

#[tokio::test]
async fn the_daemon_keeps_the_contract() {
    let tmux = Tmux::start();
    let daemon = Daemon::start(&tmux).await;
    for case in cases() {
        let (name, before, ask, chunks, outcome, _) = &case;
        let mut feed = Feed::start(&tmux);
        feed.print(before);
        let last = before.lines().last().unwrap_or_default().trim().to_owned();
        let shown = async || tmux.capture(&feed.pane).contains(&last).then_some(());
        eventually(&format!("what stood there, {name}"), HANG, shown).await;
        let mut ask = ask.clone();
        ask["pane"] = json!(feed.pane);
        if matches!(outcome, Outcome::Timeout | Outcome::AlternateScreen) {
            ask["timeout"] = json!(0.4);
        }
        let at_once = matches!(outcome, Outcome::PresentAtEntry | Outcome::Pending);
        let wait = if at_once { daemon.wait(ask) } else { daemon.armed(ask).await };
        for chunk in *chunks {
            feed.print(chunk);
        }
        check(&case, &wait.answer().await, "the daemon");
    }
}
