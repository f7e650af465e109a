//! What line editors and terminals write of typed lines, as streams; which text of it is new.

use std::time::Instant;

use super::*;
use crate::pane::{Kind, PaneStream};

/// Types `typed` behind what was `before`, then lets the pane write; the new text of each row left or
/// still open, without rows that have none.
fn new_text(before: &str, typed: &str, source: Source, written: &str) -> Vec<String> {
    let whole = new_text_in(before, typed, source, &[written]);
    let single: Vec<String> = written.chars().map(String::from).collect();
    let single: Vec<&str> = single.iter().map(String::as_str).collect();
    assert_eq!(new_text_in(before, typed, source, &single), whole, "cut into single characters");
    whole
}

fn new_text_in(before: &str, typed: &str, source: Source, chunks: &[&str]) -> Vec<String> {
    let mut stream = PaneStream::new(30, 6);
    let now = Instant::now();
    stream.feed(before.as_bytes(), now, &mut |_| {});
    let start = stream.position();
    stream.expect_echo(typed, source);
    let mut rows = Vec::new();
    for chunk in chunks {
        stream.feed(chunk.as_bytes(), now, &mut |row| {
            if row.kind != Kind::Open {
                rows.push(row.newer_text(start).collect::<String>());
            }
        });
    }
    rows.extend(stream.settled().map(|row| row.newer_text(start).collect::<String>()));
    rows.retain(|row| !row.is_empty());
    rows
}

#[test]
fn a_terminals_echo_is_old_and_the_same_words_printed_are_new() {
    let cat = "hello\r\nhello\r\n";
    assert_eq!(new_text("", "hello\n", Source::Terminal, cat), ["hello"]);
    let sh = "echo DONE\r\nDONE\r\n$ ";
    assert_eq!(new_text("$ ", "echo DONE\n", Source::Terminal, sh), ["DONE", "$ "]);
}

#[test]
fn a_line_editors_echo_is_old_however_it_draws_it() {
    let end = "\x1b[?2004l\r\r\nDONE\r\n\x1b[?2004h$ ";
    for echo in [
        "echo DONE",
        "e\x08ec\x08\x08echo\x1b[32m DONE\x1b[m",
        "\r\x1b[K$ \x1b[1mecho\x1b[m DONE",
        "echo D\r\x1b[K$ echo DONE",
        "echo DONE\x1b[90m && suggested\x1b[m\x1b[13D\x1b[K",
    ] {
        let written = format!("{echo}{end}");
        let before = "\x1b[?2004h$ ";
        assert_eq!(
            new_text(before, "echo DONE\r", Source::Program, &written),
            ["DONE", "$ "],
            "{echo}"
        );
    }
}

#[test]
fn an_echo_that_wraps_is_old() {
    let typed = "echo a-command-longer-than-the-pane DONE";
    let written = format!("{typed}\r\nDONE\r\n");
    assert_eq!(new_text("$ ", &format!("{typed}\n"), Source::Terminal, &written), ["DONE"]);
}

/// What bash writes of two lines that are pasted: both, then both again without their colours.
#[test]
fn pasted_lines_are_old_each_time_they_are_drawn() {
    let written = "\x1b[3mecho ONE\x1b[23m\r\n\r\x1b[3mecho TWO\x1b[23m\x1bM\r$ echo ONE\r\n\recho TWO\r\n\
        \x1b[?2004l\rONE\r\nTWO\r\n\x1b[?2004h$ ";
    let new = new_text("\x1b[?2004h$ ", "echo ONE\necho TWO", Source::Program, written);
    assert_eq!(new, ["ONE", "TWO", "$ "]);
}

#[test]
fn a_line_typed_ahead_is_echoed_twice() {
    let written = "echo DONE\r\nslow output\r\n\x1b[?2004h$ echo DONE\r\n\x1b[?2004l\rDONE\r\n";
    let new = new_text("", "echo DONE\n", Source::Terminal, written);
    assert_eq!(new, ["slow output", "$ ", "DONE"]);
}

/// What zsh writes, its mark for output without a line end included.
#[test]
fn a_line_typed_right_behind_another_is_echoed_twice() {
    let mark = format!("\x1b[1m%\x1b[m{}\r \r\r\x1b[J$ \x1b[K\x1b[?2004h", " ".repeat(29));
    for source in [Source::Terminal, Source::Program] {
        for chunked in [false, true] {
            let mut stream = PaneStream::new(30, 6);
            let now = Instant::now();
            stream.feed(b"\x1b[?2004h$ ", now, &mut |_| {});
            stream.expect_echo("sleep 1; true\r", Source::Program);
            stream.expect_echo("echo DONE\r", source);
            let text = format!(
                "s\x08sleep 1; true\x1b[?2004l\r\r\necho DONE\r\n{mark}e\x08echo DONE\x1b[?2004l\r\r\nDONE\r\n"
            );
            let chunks: Vec<&[u8]> =
                text.as_bytes().chunks(if chunked { 1 } else { 500 }).collect();
            let mut new = Vec::new();
            for chunk in chunks {
                stream.feed(chunk, now, &mut |row| new.push(row.newer_text(0).collect::<String>()));
            }
            new.retain(|row| row.contains("DO"));
            new.dedup();
            assert_eq!(new.last().map(String::as_str), Some("DONE"));
            assert!(new.iter().all(|row| "DONE".starts_with(row)), "{source:?} {chunked} {new:?}");
        }
    }
}

#[test]
fn an_editor_that_does_not_say_so_is_known_by_its_prompt() {
    let mut stream = PaneStream::new(40, 6);
    let now = Instant::now();
    let mut new = Vec::new();
    stream.feed(b"$ ", now, &mut |_| {});
    let mut write = |stream: &mut PaneStream, text: &str| {
        stream.feed(text.as_bytes(), now, &mut |row| {
            if row.kind == Kind::Finished {
                new.extend(Some(row.newer_text(2).collect::<String>()).filter(|t| !t.is_empty()));
            }
        });
    };
    stream.expect_echo("sleep 1\r", Source::Program);
    write(&mut stream, "sleep 1\r\n");
    stream.expect_echo("echo DONE\r", Source::Terminal);
    write(&mut stream, "echo DONE\r\n+ echo DONE\r\n$ echo DONE\r\nDONE\r\n");
    assert_eq!(new, ["+ echo DONE", "$ ", "DONE"]);
}

#[test]
fn several_lines_are_echoed_one_after_another() {
    let written = "one\r\none\r\ntwo\r\ntwo\r\n";
    assert_eq!(new_text("", "one\ntwo\n", Source::Terminal, written), ["one", "two"]);
}

#[test]
fn a_program_that_does_not_echo_owes_none() {
    let new = new_text("Password: ", "secret\r", Source::Program, "\r\nwelcome\r\nsecret\r\n");
    assert_eq!(new, ["welcome", "secret"]);
}

#[test]
fn text_that_is_typed_and_not_sent_is_old() {
    assert_eq!(new_text("$ ", "echo DONE", Source::Terminal, "echo DO"), [""; 0]);
    assert_eq!(new_text("$ ", "echo DONE", Source::Terminal, "echo DONE"), [""; 0]);
}

#[test]
fn an_echo_gains_no_text() {
    let mut stream = PaneStream::new(30, 6);
    stream.feed(b"$ ", Instant::now(), &mut |_| {});
    stream.expect_echo("ls\n", Source::Terminal);
    stream.feed(b"ls\r\n", Instant::now(), &mut |_| {});
    assert_eq!(stream.screen().gained(true), 1);
    stream.feed(b"file\r\n", Instant::now(), &mut |_| {});
    assert_eq!(stream.screen().gained(true), 10);
}

#[test]
fn what_was_not_typed_after_all_is_not_expected() {
    let mut stream = PaneStream::new(30, 6);
    let typed = stream.expect_echo("word\n", Source::Terminal);
    stream.retract_echo(typed);
    let mut seen = false;
    stream.feed(b"word\r\n", Instant::now(), &mut |row| seen |= row.first_newer(0).is_some());
    assert!(seen);
}

#[test]
fn control_characters_are_shown_as_a_terminal_shows_them() {
    assert_eq!(caret_notation("a\x03\tb\x7f\x1b"), "a^C\tb^?^[");
}

/// What fish writes of two lines that were typed before it wrote anything, the first corrected by a key.
#[test]
fn a_line_typed_right_behind_a_corrected_one_is_old_too() {
    let line =
        |typed: &str| format!("$ \x1b[K\r\x1b[2C{typed}\r\x1b[13C\x1b[11D{typed}\r\x1b[13C\r\n");
    let written = format!("{}{}\rMARK_8\r\n", &line("true MARK_6")[2..], line("echo MARK_8"));
    for source in [Source::Terminal, Source::Program] {
        for size in [1, 7, 1000] {
            let (mut stream, mut new, now) = (PaneStream::new(80, 24), Vec::new(), Instant::now());
            stream.feed(b"$ ", now, &mut |_| {});
            stream.expect_echo("echo ONE\r", source);
            stream.feed(b"echo ONE\r\nONE\r\n$ ", now, &mut |_| {});
            let start = stream.position();
            stream.expect_echo("true MARK_6x\r", Source::Program);
            stream.expect_echo("echo MARK_8\r", source);
            for chunk in written.as_bytes().chunks(size) {
                stream.feed(chunk, now, &mut |row| {
                    if row.text.contains("MARK_8") {
                        new.push(row.newer_text(start).collect::<String>());
                    }
                });
            }
            new.retain(|row| row.contains("MARK_8") || row.contains("echo"));
            assert!(!new.is_empty() && new.iter().all(|row| row == "MARK_8"), "{source:?} {new:?}");
        }
    }
}

#[test]
fn what_was_not_typed_takes_no_other_line_with_it() {
    let mut stream = PaneStream::new(30, 6);
    let refused = stream.expect_echo("other\n", Source::Terminal);
    stream.expect_echo("word\n", Source::Terminal);
    stream.retract_echo(refused);
    let mut seen = false;
    stream.feed(b"word\r\n", Instant::now(), &mut |row| seen |= row.first_newer(0).is_some());
    assert!(!seen);
}
