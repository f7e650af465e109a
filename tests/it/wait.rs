//! What ends a wait, and what its answer says: outcomes, patterns, order, time, and the screen at
//! the start.

use panewatch_protocol::wait::Outcome;
use serde_json::{Value, json};

use crate::support::scene::{Scene, assert_matched, assert_not_found};

#[tokio::test]
async fn a_printed_word_ends_the_wait_as_matched() {
    let mut scene = Scene::start().await;
    let answer =
        scene.answer(json!({"patterns": ["listening on"]}), "server listening on 8080\n").await;
    assert_matched(&answer, "server listening on 8080");
    assert_eq!(answer.pane, scene.pane());
    assert_eq!(answer.matched_index, Some(0));
    assert_eq!(answer.matched_pattern.as_deref(), Some("listening on"));
    assert!(answer.match_cursor.is_some());
    assert!(answer.saw_new_output && !answer.matched_at_entry && !answer.alternate_screen);
    assert!(answer.gaps.is_empty(), "{answer:?}");
}

#[tokio::test]
async fn the_answer_shows_what_was_written_since_the_start() {
    let mut scene = Scene::start().await;
    scene.print_and_show("before\n").await;
    let wait = scene.armed(json!({"patterns": ["end"]})).await;
    scene.feed.print("\x1b[32mone\x1b[0m\ntwo\nend");
    let answer = wait.answer().await;
    assert_matched(&answer, "end");
    assert_eq!(answer.text.lines().collect::<Vec<_>>(), ["one", "two", "end"]);
    assert_eq!(answer.tail, ["one", "two", "end"]);
    // every escape is counted, and the carriage returns that the terminal adds
    assert_eq!(answer.bytes, "\x1b[32mone\x1b[0m\r\ntwo\r\nend".len() as u64);
}

#[tokio::test]
async fn stop_text_ends_the_wait_as_stopped() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": ["ready"], "stop": ["error:", "fatal:"]});
    let answer = scene.answer(params, "fatal: disk full\n").await;
    assert_not_found(&answer, Outcome::Stopped);
    assert_eq!(answer.matched_index, Some(1));
    assert_eq!(answer.matched_pattern.as_deref(), Some("fatal:"));
    assert_eq!(answer.matched_lines, ["fatal: disk full"]);
}

#[tokio::test]
async fn without_patterns_any_visible_text_ends_the_wait() {
    let mut scene = Scene::start().await;
    let answer = scene.answer(json!({}), "x").await;
    assert_eq!(answer.outcome, Outcome::AnyOutput);
    assert!(answer.found && answer.saw_new_output);
    assert_eq!(answer.text, "x");
    assert_eq!(answer.matched_index, None);
}

#[tokio::test]
async fn w9_a_title_is_not_output() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": null})).await;
    scene.print_and_see("\x1b]2;busy\x07\x1b[0m").await;
    assert_eq!(scene.daemon.status().await.waits, 1);
    scene.feed.print("words");
    let answer = wait.answer().await;
    assert_eq!(answer.outcome, Outcome::AnyOutput);
    assert_eq!(answer.text, "words");
}

#[tokio::test]
async fn stop_text_also_ends_a_wait_without_patterns() {
    let mut scene = Scene::start().await;
    let answer = scene.answer(json!({"stop": ["error"]}), "error").await;
    assert_not_found(&answer, Outcome::Stopped);
}

#[tokio::test]
async fn time_that_runs_out_is_a_timeout() {
    let scene = Scene::start().await;
    let answer = scene.ask(json!({"patterns": ["never"], "timeout": 0.2})).await;
    assert_not_found(&answer, Outcome::Timeout);
    assert!(answer.elapsed_seconds >= 0.2, "{answer:?}");
    assert!((answer.effective_timeout - 0.2).abs() < 1e-9, "{answer:?}");
    assert!(!answer.saw_new_output && answer.text.is_empty() && answer.bytes == 0, "{answer:?}");
}

#[tokio::test]
async fn text_that_does_not_match_is_told_at_the_timeout() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["never"], "timeout": 1.0})).await;
    scene.print_and_see("something else").await;
    let answer = wait.answer().await;
    assert_not_found(&answer, Outcome::Timeout);
    assert_eq!(answer.text, "something else");
    assert!(answer.saw_new_output);
}

#[tokio::test]
async fn timeout_0_looks_once_and_returns() {
    let scene = Scene::start().await;
    let answer = scene.ask(json!({"patterns": ["x"], "timeout": 0})).await;
    assert_not_found(&answer, Outcome::Timeout);
    assert!(answer.effective_timeout.abs() < 1e-9, "{answer:?}");
}

async fn effective_timeout(timeout: Option<Value>) -> f64 {
    let mut scene = Scene::start().await;
    let mut params = json!({"patterns": ["go"]});
    if let Some(timeout) = timeout {
        params["timeout"] = timeout;
    }
    scene.answer(params, "go\n").await.effective_timeout
}

#[tokio::test]
async fn w11_null_and_too_long_are_cut_to_the_ceiling() {
    let ceiling = 86_400.0;
    for timeout in [Value::Null, json!(1e9), json!(1e300)] {
        let effective = effective_timeout(Some(timeout.clone())).await;
        assert!((effective - ceiling).abs() < 1e-9, "{timeout}: {effective}");
    }
    let effective = effective_timeout(None).await;
    assert!((effective - 30.0).abs() < 1e-9, "omitted: {effective}");
}

#[tokio::test]
async fn case_is_ignored_unless_asked_for() {
    let mut scene = Scene::start().await;
    let output = "rÉady\nRÉADY\n";
    let answer = scene.answer(json!({"patterns": ["RéADY"]}), output).await;
    assert_matched(&answer, "rÉady");
    let params = json!({"patterns": ["RÉADY"], "match_case": true});
    assert_matched(&scene.answer(params, output).await, "RÉADY");
}

#[tokio::test]
async fn a_literal_takes_metacharacters_at_their_word() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": ["a.b*(c) [d]$"]});
    let answer = scene.answer(params, "axbbc d\na.b*(c) [d]$ e\n").await;
    assert_matched(&answer, "a.b*(c) [d]$ e");
}

#[tokio::test]
async fn a_regular_expression_matches_as_one() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": [r"port (\d+)"], "regex": true});
    let answer = scene.answer(params, "port none\nlistening on port 8080 now\n").await;
    assert_matched(&answer, "listening on port 8080 now");
    assert_eq!(answer.matched_pattern.as_deref(), Some(r"port (\d+)"));
}

#[tokio::test]
async fn w4_anchors_are_the_edges_of_a_row() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": ["^ready$"], "regex": true});
    let answer = scene.answer(params, "not ready\nready not\nready\n").await;
    assert_matched(&answer, "ready");
}

#[tokio::test]
async fn w4_an_unfinished_row_matches_once_it_is_left_alone() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": [r"continue\? $"], "regex": true});
    assert_matched(&scene.answer(params, "continue? ").await, "continue? ");
}

#[tokio::test]
async fn w4_a_match_that_has_to_settle_does_so_beside_a_wait_that_is_answered_at_once() {
    let mut scene = Scene::start().await;
    let settles = json!({"patterns": [r"port \d+$"], "regex": true, "timeout": 2});
    let settles = scene.armed(settles).await;
    let at_once = scene.armed(json!({"patterns": ["port"]})).await;
    scene.feed.print("port 80");
    assert_matched(&at_once.answer().await, "port 80");
    assert_matched(&settles.answer().await, "port 80");
}

#[tokio::test]
async fn stop_is_a_regular_expression_too() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": ["ok"], "stop": ["^E[0-9]+"], "regex": true});
    let answer = scene.answer(params, "no E1\nE42 broken\n").await;
    assert_not_found(&answer, Outcome::Stopped);
    assert_eq!(answer.matched_lines, ["E42 broken"]);
}

#[tokio::test]
async fn w5_stop_beats_patterns_in_one_row() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": ["ok"], "stop": ["error"]});
    let answer = scene.answer(params, "ok, but an error\n").await;
    assert_not_found(&answer, Outcome::Stopped);
}

#[tokio::test]
async fn w5_a_lower_index_beats_a_higher_in_one_row() {
    let mut scene = Scene::start().await;
    let answer = scene.answer(json!({"patterns": ["beta", "alpha"]}), "alpha beta\n").await;
    assert_matched(&answer, "alpha beta");
    assert_eq!(answer.matched_index, Some(0));
}

#[tokio::test]
async fn w5_the_earlier_row_wins() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": ["second", "first"], "stop": ["third"]});
    let answer = scene.answer(params, "first\nsecond\nthird\n").await;
    assert_matched(&answer, "first");
    assert_eq!(answer.matched_index, Some(1));
}

#[tokio::test]
async fn w1_text_that_stood_there_before_is_not_new() {
    let mut scene = Scene::start().await;
    scene.print_and_show("get ready").await;
    let wait = scene.armed(json!({"patterns": ["ready"]})).await;
    scene.print_and_see(" to wait").await;
    scene.feed.print("\nready at last\n");
    assert_matched(&wait.answer().await, "ready at last");
}

#[tokio::test]
async fn w1_text_added_to_the_row_that_stood_there_counts() {
    let mut scene = Scene::start().await;
    scene.print_and_show("server list").await;
    let answer = scene.answer(json!({"patterns": ["listening"]}), "ening\n").await;
    assert_matched(&answer, "server listening");
}

#[tokio::test]
async fn w1_holds_when_the_pane_is_watched_already() {
    let mut scene = Scene::start().await;
    let other = scene.armed(json!({"patterns": ["at last"]})).await;
    scene.print_and_see("get ready").await;
    let wait = scene.armed(json!({"patterns": ["ready"]})).await;
    scene.print_and_see(" to wait").await;
    scene.feed.print("\nready at last\n");
    assert_matched(&wait.answer().await, "ready at last");
    assert_matched(&other.answer().await, "ready at last");
}

#[tokio::test]
async fn w6_a_pattern_that_stood_on_the_screen_is_told_at_the_timeout() {
    let mut scene = Scene::start().await;
    scene.print_and_show("ready\n").await;
    let answer = scene.ask(json!({"patterns": ["ready"], "timeout": 0.2})).await;
    assert_not_found(&answer, Outcome::Timeout);
    assert!(answer.matched_at_entry, "{answer:?}");
    let answer = scene.ask(json!({"patterns": ["other"], "timeout": 0.2})).await;
    assert!(!answer.matched_at_entry, "{answer:?}");
}

#[tokio::test]
async fn w6_a_new_match_is_not_one_at_entry() {
    let mut scene = Scene::start().await;
    scene.print_and_show("ready\n").await;
    let answer = scene.answer(json!({"patterns": ["ready"]}), "ready again\n").await;
    assert_matched(&answer, "ready again");
    assert!(!answer.matched_at_entry, "{answer:?}");
}

#[tokio::test]
async fn w6_return_answers_at_once_with_what_stands_there() {
    let mut scene = Scene::start().await;
    scene.print_and_show("ready\n").await;
    scene.print_and_show("password:").await;
    for (pattern, outcome) in [
        ("ready", Outcome::PresentAtEntry),
        ("password", Outcome::Pending),
        ("x", Outcome::Timeout),
    ] {
        let params = json!({"patterns": [pattern], "at_entry": "return", "timeout": 0.2});
        let answer = scene.ask(params).await;
        assert_not_found(&answer, outcome);
        assert_eq!(answer.matched_at_entry, outcome != Outcome::Timeout, "{answer:?}");
    }
}

const ENTER: &str = "\x1b[?1049h\x1b[H";
const LEAVE: &str = "\x1b[?1049l";

#[tokio::test]
async fn w7_matching_rests_under_a_full_screen_program_and_resumes() {
    let mut scene = Scene::start().await;
    let output = format!("{ENTER}ready inside\r\n{LEAVE}ready outside\n");
    let answer = scene.answer(json!({"patterns": ["ready"]}), output).await;
    assert_matched(&answer, "ready outside");
    assert!(answer.alternate_screen, "{answer:?}");
}

#[tokio::test]
async fn w7_time_that_runs_out_under_a_full_screen_program_says_so() {
    let mut scene = Scene::start().await;
    scene.feed.print(format!("{ENTER}ready"));
    scene.shows("ready").await;
    let answer = scene.ask(json!({"patterns": ["x"], "timeout": 0.2})).await;
    assert_not_found(&answer, Outcome::AlternateScreen);
    assert!(answer.alternate_screen, "{answer:?}");
}

#[tokio::test]
async fn w7_match_reads_a_full_screen_program_too() {
    let mut scene = Scene::start().await;
    let params = json!({"patterns": ["ready"], "alternate_screen": "match"});
    let answer = scene.answer(params, format!("{ENTER}ready inside\r\n")).await;
    assert_matched(&answer, "ready inside");
    assert!(answer.alternate_screen, "{answer:?}");
}
