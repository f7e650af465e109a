//! Cursors: where an answer stopped looking, and a question that begins there.
//!
//! A cursor is opaque here: it is taken from one answer and given to the next question.

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::method::{LIST_PANES, WAIT_FOR_TEXT};
use panewatch_protocol::panes::Panes;
use panewatch_protocol::wait::{Outcome, TextAnswer};
use serde_json::json;

use crate::support::client::http;
use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually};
use crate::support::program::Feed;
use crate::support::scene::{Scene, assert_matched, assert_not_found};
use crate::support::tmux::Tmux;

fn match_cursor(answer: &TextAnswer) -> String {
    answer.match_cursor.clone().unwrap_or_else(|| panic!("no match_cursor: {answer:?}"))
}

#[tokio::test]
async fn since_finds_what_was_printed_between_two_calls() {
    let mut scene = Scene::start().await;
    scene.print_and_show("earlier\n").await;
    let start = scene.ask(json!({"patterns": ["x"], "timeout": 0})).await.cursor;
    scene.print_and_show("between\n").await;
    let params = json!({"patterns": ["earlier", "between"], "since": start});
    assert_matched(&scene.ask(params).await, "between");
}

#[tokio::test]
async fn since_with_timeout_0_finds_what_is_there() {
    let mut scene = Scene::start().await;
    let start = scene.ask(json!({"patterns": ["x"], "timeout": 0})).await.cursor;
    scene.feed.print("between\n");
    let params = json!({"patterns": ["between"], "since": start, "timeout": 0});
    let what = "a look at what is there to find what was printed";
    let found = async || Some(scene.ask(params.clone()).await).filter(|answer| answer.found);
    assert_matched(&eventually(what, HANG, found).await, "between");
}

#[tokio::test]
async fn since_the_end_of_an_answer_finds_nothing_twice() {
    let mut scene = Scene::start().await;
    let first = scene.answer(json!({"patterns": ["once"]}), "once").await;
    for cursor in [match_cursor(&first), first.cursor] {
        let answer =
            scene.ask(json!({"patterns": ["once"], "since": cursor, "timeout": 0.2})).await;
        assert_not_found(&answer, Outcome::Timeout);
    }
}

#[tokio::test]
async fn from_match_cursor_on_the_second_hit_of_a_row_is_found_and_the_first_is_not() {
    let mut scene = Scene::start().await;
    let first = scene.answer(json!({"patterns": ["tick"]}), "tick and tick again\n").await;
    let cursor = match_cursor(&first);
    let second = scene.ask(json!({"patterns": ["tick"], "since": cursor})).await;
    assert_matched(&second, "tick and tick again");
    assert_ne!(match_cursor(&second), cursor);
    let params = json!({"patterns": ["tick"], "since": match_cursor(&second), "timeout": 0.2});
    assert_not_found(&scene.ask(params).await, Outcome::Timeout);
}

#[tokio::test]
async fn every_occurrence_is_found_once_by_going_on_from_the_last() {
    let mut scene = Scene::start().await;
    let rows: Vec<String> = (0..20).map(|number| format!("item {number} of 20")).collect();
    let mut answer = scene.answer(json!({"patterns": ["item"]}), rows.join("\n") + "\n").await;
    for row in &rows[1..] {
        assert!(answer.found, "{answer:?}");
        let params = json!({"patterns": ["item"], "since": match_cursor(&answer)});
        answer = scene.ask(params).await;
        assert_matched(&answer, row);
    }
}

#[tokio::test]
async fn since_a_cursor_of_list_panes() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["go"]})).await;
    let panes: Panes = scene.daemon.client().get(LIST_PANES, json!({})).await;
    let here = panes.panes.iter().find(|pane| pane.pane == scene.pane()).expect("the fed pane");
    let cursor = here.cursor.clone().expect("a cursor for a watched pane");
    scene.feed.print("go\n");
    wait.answer().await;
    assert_matched(&scene.ask(json!({"patterns": ["go"], "since": cursor})).await, "go");
}

#[tokio::test]
async fn a_cursor_of_another_pane_is_refused() {
    let scene = Scene::start().await;
    let other = Feed::start(&scene.tmux);
    let cursor = scene.ask(json!({"patterns": ["x"], "timeout": 0})).await.cursor;
    let params = json!({"pane": other.pane, "patterns": ["x"], "since": cursor});
    let refusal = scene.daemon.refused(WAIT_FOR_TEXT, params).await;
    assert_eq!(refusal.kind(), ErrorKind::CursorInvalid);
}

#[tokio::test]
async fn a_malformed_cursor_is_refused() {
    let scene = Scene::start().await;
    let good = scene.ask(json!({"patterns": ["x"], "timeout": 0})).await.cursor;
    let malformed = ["", "garbage", "0", "%1", "\u{1f600}", "-1:-1:-1:-1"].map(String::from);
    let cut = good[..good.len() / 2].to_owned();
    for cursor in malformed.into_iter().chain([cut, format!("{good}x"), "z".repeat(9000)]) {
        let params = scene.here(json!({"patterns": ["x"], "since": cursor}));
        let refusal = scene.daemon.refused(WAIT_FOR_TEXT, params).await;
        assert_eq!(refusal.kind(), ErrorKind::CursorInvalid, "{cursor}: {refusal:?}");
    }
    assert_eq!(scene.daemon.status().await.waits, 0);
}

#[tokio::test]
async fn a_cursor_of_an_earlier_server_life_is_refused() {
    let mut tmux = Tmux::start();
    let daemon = Daemon::start(&tmux).await;
    let look = json!({"pane": "%0", "patterns": ["x"], "timeout": 0});
    let cursor = daemon.ask(look.clone()).await.cursor;
    tmux.restart();
    let again = async || {
        let answer = daemon.client().call(WAIT_FOR_TEXT, look.clone()).await.ok()?;
        (answer["outcome"] == "timeout").then_some(())
    };
    eventually("the new server to be watched", HANG, again).await;
    let params = json!({"pane": "%0", "patterns": ["x"], "since": cursor});
    let refusal = daemon.refused(WAIT_FOR_TEXT, params).await;
    assert_eq!(refusal.kind(), ErrorKind::CursorInvalid);
}

#[tokio::test]
async fn a_cursor_is_still_good_for_another_caller() {
    let mut scene = Scene::start().await;
    let answer = scene.answer(json!({"patterns": ["one"]}), "one\ntwo\n").await;
    let params = scene.here(json!({"patterns": ["two"], "since": match_cursor(&answer)}));
    let found = http(scene.daemon.listen(), WAIT_FOR_TEXT, params).await;
    assert_eq!(found.expect("an answer")["matched_lines"], json!(["two"]));
}
