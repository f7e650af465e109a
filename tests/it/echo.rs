//! A typed line is no answer (W8): in each shell, typed in each way, its echo matches nothing, and what
//! its command prints does, also when that repeats the typed words.
//!
//! That something is not found is shown by what is found instead, printed behind it.

use std::time::Duration;

use panewatch_protocol::wait::Outcome;
use serde_json::json;

use crate::support::eventually::{HANG, within};
use crate::support::scene::{assert_matched, assert_not_found};
use crate::support::shell::{Kind, Shell};

mod callers;
mod programs;

/// Makes a test per shell of each of these functions.
macro_rules! in_every_shell {
    ($($name:ident),* $(,)?) => {$(
        mod $name {
            use crate::support::shell::Kind;

            #[tokio::test]
            async fn in_sh() {
                super::$name(Kind::Sh).await;
            }

            #[tokio::test]
            async fn in_bash() {
                super::$name(Kind::Bash).await;
            }

            #[tokio::test]
            async fn in_zsh() {
                super::$name(Kind::Zsh).await;
            }

            #[tokio::test]
            async fn in_fish() {
                super::$name(Kind::Fish).await;
            }
        }
    )*};
}

in_every_shell!(
    a_typed_line_is_no_answer,
    a_typed_line_is_no_answer_to_a_wait_that_was_there_before,
    an_echo_alone_is_no_output_at_all,
    output_that_repeats_the_typed_words_is_an_answer,
    a_line_that_wraps_is_no_answer,
    a_line_typed_ahead_is_no_answer,
    lines_typed_ahead_are_no_answers,
    a_line_that_is_drawn_again_is_no_answer,
    a_line_corrected_while_typed_is_no_answer,
    a_line_typed_in_pieces_is_no_answer,
    a_line_typed_once_more_is_no_answer,
    a_pasted_line_is_no_answer,
    pasted_lines_are_no_answers,
    two_lines_in_one_send_are_no_answers,
    a_line_not_submitted_is_no_answer,
    what_was_printed_before_the_wait_is_found,
);

async fn a_typed_line_is_no_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    let cursor = shell.line("echo MARK_7").await;
    shell.finds(&cursor, "MARK_7", "MARK_7").await;
    shell.prompted().await;
    let cursor = shell.line("true MARK_9").await;
    let never = json!({"patterns": ["MARK_9"], "timeout": 1});
    assert_not_found(&shell.since(&cursor, never).await, Outcome::Timeout);
    shell.finds_none(&cursor, "MARK_9").await;
    let cursor = shell.line("true MARK_8").await;
    let stop = json!({"patterns": ["MARK_7"], "stop": ["MARK_8"], "timeout": 0.5});
    assert_not_found(&shell.since(&cursor, stop).await, Outcome::Timeout);
}

async fn a_typed_line_is_no_answer_to_a_wait_that_was_there_before(kind: Kind) {
    let shell = Shell::start(kind).await;
    let patterns = json!({"pane": shell.pane, "patterns": ["MARK_7"]});
    let wait = shell.daemon.armed(patterns).await;
    shell.line("true MARK_7").await;
    shell.shows("true MARK_7").await;
    shell.prompted().await;
    shell.line("echo MARK_7 | tr 7 8").await;
    shell.shows("MARK_8").await;
    shell.prompted().await;
    shell.line("echo behind MARK_7").await;
    assert_matched(&wait.answer().await, "behind MARK_7");
}

async fn an_echo_alone_is_no_output_at_all(kind: Kind) {
    let shell = Shell::start(kind).await;
    let before = shell.daemon.wait(json!({"pane": shell.pane, "timeout": 0.7}));
    let cursor = shell.send(json!({"text": "echo MARK_7"})).await;
    shell.shows("echo MARK_7").await;
    for answer in [shell.since(&cursor, json!({"timeout": 0.5})).await, before.answer().await] {
        assert_not_found(&answer, Outcome::Timeout);
        assert!(!answer.saw_new_output, "{answer:?}");
    }
    let cursor = shell.send(json!({"enter": true})).await;
    assert_eq!(shell.since(&cursor, json!({})).await.outcome, Outcome::AnyOutput);
}

async fn output_that_repeats_the_typed_words_is_an_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    let cursor = shell.line("echo \"echo MARK_3\"").await;
    shell.finds(&cursor, "echo MARK_3", "echo MARK_3").await;
    shell.prompted().await;
    let line = "echo '$ echo MARK_4'";
    let cursor = shell.line(line).await;
    shell.finds(&cursor, "echo MARK_4", "$ echo MARK_4").await;
    shell.prompted().await;
    // the whole line, printed by itself
    let line = "sh -c 'cat /proc/$PPID/nothing; tr \"\\0\" \" \" </proc/$$/cmdline; echo' MARK_5";
    let cursor = shell.line(line).await;
    let row = shell.since(&cursor, json!({"patterns": ["MARK_5"]})).await.matched_lines;
    assert!(row[0].starts_with("sh -c cat"), "{row:?}");
}

async fn a_line_that_wraps_is_no_answer(kind: Kind) {
    let shell = Shell::start_wide(kind, 30).await;
    // the marker before the edge, across it at each place, and behind it
    for pad in 8..=24 {
        let cursor = shell.line(&format!("true {}; echo MARK_7", "x".repeat(pad))).await;
        let answer = shell.since(&cursor, json!({"patterns": ["MARK_7"]})).await;
        shell.prompted().await;
        // tmux joins it to the line that was typed where that fills its row; it is a row of its own
        assert_matched(&answer, "MARK_7");
        let first = answer.text.lines().map(str::trim).find(|line| !line.is_empty());
        assert_eq!(first, Some("MARK_7"), "{answer:?}");
    }
    for pad in [9, 11, 16, 20, 50] {
        let cursor = shell.line(&format!("true {}; true MARK_9", "x".repeat(pad))).await;
        shell.finds_none(&cursor, "MARK_9").await;
    }
    let words = "more words than a row of this pane can hold: MARK_3";
    let cursor = shell.line(&format!("echo {words}")).await;
    shell.finds(&cursor, words, words).await;
}

/// The row on which `sh` prints when its line was typed ahead: the terminal has shown the line already,
/// so that the output stands right behind the prompt.
fn ahead(kind: Kind, row: &str) -> String {
    if kind == Kind::Sh { format!("$ {row}") } else { row.to_owned() }
}

async fn a_line_typed_ahead_is_no_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    for (line, pattern, row) in [
        ("echo MARK_7", "MARK_7", "MARK_7"),
        ("echo \"echo MARK_3\"", "echo MARK_3", "echo MARK_3"),
        ("true MARK_9; echo END_1", "MARK_9", ""),
    ] {
        shell.line("sleep 1").await;
        shell.runs("sleep").await;
        let cursor = shell.line(line).await;
        if row.is_empty() {
            shell.finds(&cursor, "END_1", &ahead(kind, "END_1")).await;
            shell.finds_none(&cursor, pattern).await;
        } else {
            shell.finds(&cursor, pattern, &ahead(kind, row)).await;
            shell.prompted().await;
        }
    }
}

async fn lines_typed_ahead_are_no_answers(kind: Kind) {
    let shell = Shell::start(kind).await;
    shell.line("sleep 1").await;
    shell.runs("sleep").await;
    let first = shell.line("true MARK_9").await;
    let second = shell.line("echo MARK_7").await;
    let third = shell.line("echo MARK_8").await;
    for (cursor, pattern) in [(&third, "MARK_8"), (&second, "MARK_7"), (&first, "MARK_7")] {
        let answer = shell.since(cursor, json!({"patterns": [pattern]})).await;
        assert_eq!(last_word(&answer.matched_lines), pattern, "{answer:?}");
    }
    shell.finds_none(&first, "MARK_9").await;
}

async fn a_line_that_is_drawn_again_is_no_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    for (line, pattern, row) in [
        ("echo MARK_7", "MARK_7", Some("MARK_7")),
        ("true MARK_9", "MARK_9", None),
        ("echo \"echo MARK_3\"", "echo MARK_3", Some("echo MARK_3")),
    ] {
        let cursor = shell.send(json!({"text": line})).await;
        shell.shows(line).await;
        if kind == Kind::Sh {
            // it has no line editor: its terminal takes the last word back
            shell.send(json!({"text": " wrong", "keys": ["C-w"]})).await;
        } else {
            shell.send(json!({"keys": ["C-l"]})).await;
        }
        shell.send(json!({"enter": true})).await;
        match row {
            Some(row) => shell.finds(&cursor, pattern, row).await,
            None => shell.finds_none(&cursor, pattern).await,
        }
        shell.prompted().await;
    }
}

async fn a_line_corrected_while_typed_is_no_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    let order = json!({"text": "echo MARK_7x", "keys": ["BSpace"], "enter": true});
    let cursor = shell.send(order).await;
    shell.finds(&cursor, "MARK_7", "MARK_7").await;
    shell.prompted().await;
    let order = json!({"text": "true MARK_9x", "keys": ["BSpace"], "enter": true});
    let cursor = shell.send(order).await;
    shell.finds_none(&cursor, "MARK_9").await;
    // the next line is typed before the editor is back
    let order = json!({"text": "true MARK_6x", "keys": ["BSpace"], "enter": true});
    shell.send(order).await;
    let cursor = shell.line("echo MARK_8").await;
    let answer = shell.since(&cursor, json!({"patterns": ["MARK_8"]})).await;
    assert_eq!(last_word(&answer.matched_lines), "MARK_8", "{answer:?}");
}

async fn a_line_typed_in_pieces_is_no_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    for (pieces, pattern, row) in [
        (["echo MA", "RK_", "7"], "MARK_7", Some("MARK_7")),
        (["true MA", "RK_", "9"], "MARK_9", None),
        (["echo MAR", "K", "_8"], "MARK_8", Some("MARK_8")),
    ] {
        let cursor = shell.send(json!({"text": pieces[0]})).await;
        shell.send(json!({"text": pieces[1]})).await;
        shell.send(json!({"text": pieces[2], "enter": true})).await;
        match row {
            Some(row) => shell.finds(&cursor, pattern, row).await,
            None => shell.finds_none(&cursor, pattern).await,
        }
        shell.prompted().await;
    }
}

/// Editors suggest and complete from the lines before.
async fn a_line_typed_once_more_is_no_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    for times in 1..=3 {
        let cursor = shell.line("echo MARK_7").await;
        shell.finds(&cursor, "MARK_7", "MARK_7").await;
        shell.prompted().await;
        let cursor = shell.line("true MARK_9").await;
        shell.shows_times("MARK_9", times).await;
        shell.finds_none(&cursor, "MARK_9").await;
    }
    let cursor = shell.send(json!({"text": "tru"})).await;
    shell.shows("tru").await;
    let never = json!({"patterns": ["MARK_9"], "timeout": 0.5});
    assert_not_found(&shell.since(&cursor, never).await, Outcome::Timeout);
}

async fn a_pasted_line_is_no_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    let cursor = shell.paste(json!({"text": "echo MARK_7", "enter": true})).await;
    shell.finds(&cursor, "MARK_7", "MARK_7").await;
    shell.prompted().await;
    let cursor = shell.paste(json!({"text": "true MARK_9", "enter": true})).await;
    shell.finds_none(&cursor, "MARK_9").await;
    let cursor = shell.paste(json!({"text": "echo \"echo MARK_3\"", "enter": true})).await;
    shell.finds(&cursor, "echo MARK_3", "echo MARK_3").await;
    shell.prompted().await;
    let settled = json!({"text": "echo MARK_4", "enter": true, "submit": "settled"});
    let cursor = shell.paste(settled).await;
    shell.finds(&cursor, "MARK_4", "MARK_4").await;
}

async fn pasted_lines_are_no_answers(kind: Kind) {
    let shell = Shell::start(kind).await;
    let cursor = shell.paste(json!({"text": "echo MARK_7\necho MARK_8", "enter": true})).await;
    shell.finds(&cursor, "MARK_7", "MARK_7").await;
    let answer = shell.since(&cursor, json!({"patterns": ["MARK_8"]})).await;
    assert_eq!(last_word(&answer.matched_lines), "MARK_8", "{answer:?}");
    shell.prompted().await;
    let cursor = shell.paste(json!({"text": "true MARK_9\ntrue MARK_6", "enter": true})).await;
    shell.shows("true MARK_6").await;
    shell.finds_none(&cursor, "MARK_9").await;
    shell.finds_none(&cursor, "MARK_6").await;
}

async fn two_lines_in_one_send_are_no_answers(kind: Kind) {
    for end in ["\n", "\r"] {
        let shell = Shell::start(kind).await;
        let text = ["true MARK_9", "echo MARK_7", ""].join(end);
        let cursor = shell.send(json!({"text": text})).await;
        let answer = shell.since(&cursor, json!({"patterns": ["MARK_7"]})).await;
        assert_eq!(last_word(&answer.matched_lines), "MARK_7", "{answer:?}");
        shell.finds_none(&cursor, "MARK_9").await;
        let text = ["echo \"echo MARK_3\"", "echo MARK_8"].join(end);
        let cursor = shell.send(json!({"text": text, "enter": true})).await;
        shell.finds(&cursor, "echo MARK_3", "echo MARK_3").await;
        let answer = shell.since(&cursor, json!({"patterns": ["MARK_8"]})).await;
        assert_eq!(last_word(&answer.matched_lines), "MARK_8", "{answer:?}");
    }
}

/// The last word of the row: where a line was typed ahead, `sh` prints right behind its prompt. The row
/// must not be an echo.
#[track_caller]
fn last_word(rows: &[String]) -> &str {
    let [row] = rows else { panic!("not one row: {rows:?}") };
    assert!(!row.contains("echo"), "an echo: {rows:?}");
    row.split(' ').next_back().unwrap_or_default()
}

async fn a_line_not_submitted_is_no_answer(kind: Kind) {
    let shell = Shell::start(kind).await;
    let cursor = shell.send(json!({"text": "echo MARK_7"})).await;
    shell.shows("echo MARK_7").await;
    let never = json!({"patterns": ["MARK_7"], "timeout": 0.5});
    assert_not_found(&shell.since(&cursor, never).await, Outcome::Timeout);
    // the line is given up, and still is no answer
    shell.send(json!({"keys": ["C-c"]})).await;
    shell.finds_none(&cursor, "MARK_7").await;
}

/// Field report R18.
async fn what_was_printed_before_the_wait_is_found(kind: Kind) {
    let shell = Shell::start(kind).await;
    let cursor = shell.line("echo FAST_2").await;
    shell.shows("\nFAST_2").await;
    shell.prompted().await;
    let other = shell.line("true MARK_9").await;
    shell.shows("true MARK_9").await;
    shell.prompted().await;
    let at_once = shell.since(&cursor, json!({"patterns": ["FAST_2"], "timeout": 0}));
    assert_matched(&within("an answer at once", Duration::from_secs(5), at_once).await, "FAST_2");
    let again = json!({"patterns": ["FAST_2", "MARK_9"], "timeout": 0});
    assert_not_found(&shell.since(&other, again.clone()).await, Outcome::Timeout);
    let first = shell.since(&cursor, json!({"patterns": ["FAST_2"]})).await;
    let behind = first.match_cursor.expect("a cursor behind the match");
    let answer = within("an answer at once", HANG, shell.since(&behind, again)).await;
    assert_not_found(&answer, Outcome::Timeout);
}
