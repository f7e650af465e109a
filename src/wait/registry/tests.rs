//! Whole waits over a stream, without tmux: the contract's rules, a row a case.

use std::time::Duration;

use panewatch_protocol::wait::{AlternateScreen, WaitForText};
use proptest::prelude::*;

use super::*;
use crate::limits::SETTLE;

const LIFE: PaneLife = PaneLife { server: (1, 2), epoch: 3, pane: PaneId(4), pid: 5 };

struct Bench {
    waits: Waits,
    stream: PaneStream,
    now: Instant,
}

impl Bench {
    fn new(before: &[u8]) -> Self {
        let now = Instant::now();
        let mut stream = PaneStream::new(40, 6);
        stream.feed(before, now, &mut |_| {});
        Self { waits: Waits::default(), stream, now: now + SETTLE }
    }

    fn ask(&mut self, question: &WaitForText, since: Option<u64>) -> Option<TextAnswer> {
        let mut wait = TextWait::compile(question).unwrap();
        wait.start_at(since.unwrap_or(self.stream.position()));
        self.waits.ask(WaitId(1), wait, LIFE, &mut self.stream, self.now)
    }

    fn write(&mut self, bytes: &[u8]) -> Option<TextAnswer> {
        let answered = self.waits.feed(LIFE.pane, &mut self.stream, bytes, self.now);
        answered.into_iter().next().map(|a| a.1)
    }

    fn settle(&mut self) -> Option<TextAnswer> {
        self.now += SETTLE;
        self.waits.settle(LIFE.pane, &mut self.stream, self.now).into_iter().next().map(|a| a.1)
    }

    fn run_out(&mut self) -> TextAnswer {
        self.now += Duration::from_secs(100);
        let id = self.waits.run_out(self.now).unwrap();
        self.waits.end(id, &mut self.stream, Outcome::Timeout.into(), self.now).unwrap()
    }
}

fn question(patterns: &[&str]) -> WaitForText {
    let patterns = Some(patterns.iter().map(|p| (*p).to_owned()).collect());
    WaitForText { patterns, ..WaitForText::default() }
}

/// What a wait for `patterns` says of `chunks` written after `before`.
fn check(before: &[u8], question: &WaitForText, chunks: &[&[u8]], want: Outcome) -> TextAnswer {
    let mut bench = Bench::new(before);
    let answer = bench.ask(question, None);
    let answer = answer.or_else(|| chunks.iter().find_map(|chunk| bench.write(chunk)));
    let answer = answer.or_else(|| bench.settle()).unwrap_or_else(|| bench.run_out());
    assert_eq!(answer.outcome, want, "{answer:?}");
    assert!(bench.waits.is_empty());
    answer
}

#[test]
fn w1_only_new_text_counts() {
    let q = question(&["ready"]);
    check(b"READY\r\n$ ", &q, &[b"nothing\r\n"], Outcome::Timeout);
    check(b"READ", &q, &[b"Y"], Outcome::Matched);
    check(b"ready ", &q, &[b"x"], Outcome::Timeout);
    check(b"$ ", &q, &[b"rea", b"dy"], Outcome::Matched);
}

#[test]
fn w3_every_state_of_a_row_is_seen() {
    let q = question(&["FLASH"]);
    let flashes: [&[u8]; 5] = [
        b"FLASH\r\n\x1b[H\x1b[2J\x1b[3Jnoise",
        b"FLASH\rxxxxxxxx",
        b"FLASH\x08\x08\x08\x08\x08\x1b[K",
        b"\x1b[3;3HFLASH\x1b[1;1Hx\x1b[3;1H\x1b[L",
        b"FLASH\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n",
    ];
    for bytes in flashes {
        check(b"", &q, &[bytes], Outcome::Matched);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        check(b"", &q, &single, Outcome::Matched);
    }
    let q = question(&["Working 13s"]);
    let answer = check(b"Working 12s", &q, &[b"\x1b[1;10H3"], Outcome::Matched);
    assert_eq!(answer.matched_lines, ["Working 13s"]);
    check(b"", &question(&["doneing"]), &[b"loading\rdone\x1b[K\r\n"], Outcome::Timeout);
}

#[test]
fn w4_a_match_that_could_grow_waits_for_the_row_to_rest() {
    let q = WaitForText { regex: true, ..question(&[r"port (?<port>\d+)"]) };
    let answer = check(b"", &q, &[b"port 80", b"80\r\n"], Outcome::Matched);
    assert_eq!(answer.matched_lines, ["port 8080"]);
    let answer = check(b"", &q, &[b"port 80"], Outcome::Matched);
    assert_eq!(answer.matched_lines, ["port 80"]);
}

#[test]
fn w4_a_pattern_that_can_match_a_line_break_is_matched_over_finished_rows() {
    let q = WaitForText { regex: true, ..question(&[r"FAILED\s+(\w+)"]) };
    let chunks: [&[u8]; 2] = [b"ok\r\nFAILED", b"\r\n\r\n  test_one\r\n"];
    let answer = check(b"$ ", &q, &chunks, Outcome::Matched);
    assert_eq!(answer.matched_lines, ["FAILED", "", "  test_one"]);
    assert_eq!(answer.captures["1"].as_deref(), Some("test_one"));
    let q = question(&["one\ntwo"]);
    check(b"", &q, &[b"one\r\n", b"two\r\n"], Outcome::Matched);
    check(b"one\r\n", &q, &[b"two\r\n"], Outcome::Timeout);
    check(b"", &q, &[b"one\r\nx\r\ntwo\r\n"], Outcome::Timeout);
}

#[test]
fn captures_are_told_by_number_and_by_name() {
    let q = WaitForText { regex: true, ..question(&[r"(?<what>port) (\d+)(x)?"]) };
    let answer = check(b"", &q, &[b"a port 80 b\r\n"], Outcome::Matched);
    let group = |name: &str| answer.captures[name].as_deref();
    assert_eq!(
        [group("what"), group("1"), group("2"), group("3")],
        [Some("port"), Some("port"), Some("80"), None]
    );
    assert!(check(b"", &question(&["port"]), &[b"port\r\n"], Outcome::Matched).captures.is_empty());
}

#[test]
fn context_is_the_rows_before_the_match() {
    let q = WaitForText { context_rows: 2, ..question(&["here"]) };
    let answer = check(b"0\r\n", &q, &[b"1\r\n2\r\n3\r\nhere\r\n4\r\n"], Outcome::Matched);
    assert_eq!(
        (answer.context, answer.matched_lines),
        (vec!["2".into(), "3".into()], vec!["here".into()])
    );
    let answer = check(b"", &q, &[b"1\r\nhere"], Outcome::Matched);
    assert_eq!(answer.context, ["1"]);
}

#[test]
fn w5_the_first_row_wins_and_in_it_stop_and_lower_indexes() {
    let q = WaitForText { stop: Some(vec!["err".to_owned()]), ..question(&["two", "one"]) };
    let answer = check(b"", &q, &[b"one\r\nerr two\r\n"], Outcome::Matched);
    assert_eq!((answer.matched_index, answer.matched_pattern.as_deref()), (Some(1), Some("one")));
    let answer = check(b"", &q, &[b"one two err\r\n"], Outcome::Stopped);
    assert_eq!((answer.matched_index, answer.found), (Some(0), false));
    assert_eq!(check(b"", &q, &[b"one two\r\n"], Outcome::Matched).matched_index, Some(0));
}

#[test]
fn w6_what_stands_there_is_told() {
    let q = question(&["ready"]);
    assert!(check(b"ready\r\n$ ", &q, &[b"x"], Outcome::Timeout).matched_at_entry);
    assert!(!check(b"ready\r\n$ ", &q, &[b"ready"], Outcome::Matched).matched_at_entry);
    assert!(!check(b"$ ", &q, &[b"x"], Outcome::Timeout).matched_at_entry);
    let q = WaitForText { at_entry: AtEntry::Return, ..q };
    check(b"ready\r\n$ ", &q, &[], Outcome::PresentAtEntry);
    check(b"$ echo ready", &q, &[], Outcome::Pending);
    check(b"ready\r\n$ echo ready", &q, &[], Outcome::PresentAtEntry);
    check(b"$ ", &q, &[b"ready"], Outcome::Matched);
}

#[test]
fn w7_a_full_screen_programs_text_is_left_out_unless_asked_for() {
    let q = question(&["text"]);
    let vi: &[u8] = b"\x1b[?1049h\x1b[Htext";
    assert!(check(b"", &q, &[vi], Outcome::AlternateScreen).alternate_screen);
    let answer = check(b"", &q, &[vi, b"\x1b[?1049l", b"text\r\n"], Outcome::Matched);
    assert!(answer.alternate_screen);
    check(
        b"",
        &WaitForText { alternate_screen: AlternateScreen::Match, ..q },
        &[vi],
        Outcome::Matched,
    );
    let any = WaitForText::default();
    check(b"", &any, &[vi], Outcome::AlternateScreen);
    assert!(!check(b"", &any, &[b"x"], Outcome::AnyOutput).alternate_screen);
}

#[test]
fn w9_any_output_is_text_gained() {
    let any = WaitForText::default();
    check(b"$ ", &any, &[b"\r\x1b[K$ ", b"\r\n\r\n", b"\x1b[1m   "], Outcome::Timeout);
    assert!(check(b"$ ", &any, &[b"\r$ x"], Outcome::AnyOutput).found);
    let q = WaitForText { stop: Some(vec!["bad".to_owned()]), ..any };
    check(b"$ ", &q, &[b"bad"], Outcome::Stopped);
    check(b"$ ", &q, &[b"good"], Outcome::AnyOutput);
}

#[test]
fn w11_a_timeout_of_0_looks_and_returns() {
    let q = WaitForText { timeout: Some(0.0), ..question(&["b"]) };
    check(b"abc", &q, &[], Outcome::Timeout);
    let mut bench = Bench::new(b"abc\r\nb");
    assert_eq!(bench.ask(&q, Some(3)).unwrap().outcome, Outcome::Matched);
    assert_eq!(bench.ask(&q, Some(2)).unwrap().matched_lines, ["b"]);
    let long = WaitForText { timeout: None, ..q.clone() };
    assert!(
        (check(b"", &long, &[b"b"], Outcome::Matched).effective_timeout - 86_400.0).abs() < 1e-9
    );
    for bad in [-1.0, f64::NAN, f64::NEG_INFINITY] {
        let q = WaitForText { timeout: Some(bad), ..q.clone() };
        assert!(matches!(
            TextWait::compile(&q),
            Err(super::super::text::QuestionError::Timeout(_))
        ));
    }
}

#[test]
fn a_cursor_behind_a_match_finds_the_next_one_on_the_same_row() {
    let mut bench = Bench::new(b"");
    let q = question(&["aa"]);
    assert!(bench.ask(&q, None).is_none());
    let first = bench.write(b"aa aa\r\n").unwrap();
    let cursor: crate::wait::Cursor = first.match_cursor.unwrap().parse().unwrap();
    assert_eq!(cursor.position, 2);
    let second = bench.ask(&q, Some(cursor.position)).unwrap();
    let cursor: crate::wait::Cursor = second.match_cursor.unwrap().parse().unwrap();
    assert_eq!(cursor.position, 5);
    assert!(bench.ask(&q, Some(5)).is_none());
}

#[test]
fn the_answer_says_what_was_written() {
    let answer = check(
        b"$ ",
        &question(&["end"]),
        &[b"make\r\n", b"\x1b[1mok\x1b[m\r\nend"],
        Outcome::Matched,
    );
    assert_eq!(answer.text, "make\nok\nend");
    assert_eq!(answer.bytes, 6 + 14);
    assert_eq!(answer.tail, ["$ make", "ok", "end"]);
    assert!(answer.saw_new_output && answer.gaps.is_empty());
}

#[test]
fn a_wait_that_is_removed_is_gone() {
    let mut bench = Bench::new(b"");
    assert!(bench.ask(&question(&["x"]), None).is_none());
    assert!(bench.waits.remove(WaitId(1)) && !bench.waits.remove(WaitId(1)));
    assert!(bench.waits.is_empty() && bench.waits.next_deadline().is_none());
    assert!(bench.write(b"x").is_none());
}

proptest! {
    #[test]
    fn any_split_into_chunks_gives_the_same_match(
        pieces in prop::collection::vec(prop_oneof![
            4 => "[ab]{1,6}".prop_map(String::into_bytes),
            3 => prop::sample::select(vec![&b"\r"[..], b"\r\n", b"\x08", b"\x1b[K", b"\x1b[2;2H", b"\x1b[A",
                b"\x1b[2J", b"\x1b[P", b"\x1b[1m", b"\t"]).prop_map(<[u8]>::to_vec),
        ], 1..30),
        cuts in prop::collection::vec(0usize..150, 0..15),
        pattern in prop::sample::select(vec!["ab", "bb a", "aab", "(?i)^b", "a.b", "b+$", "^a+b"]),
    ) {
        let bytes = pieces.concat();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let mut at = 0;
        let chunks: Vec<&[u8]> = cuts.iter().map(|&c| { let part = &bytes[at..c]; at = c; part }).collect();
        let q = WaitForText { regex: true, match_case: true, ..question(&[pattern]) };
        let run = |chunks: &[&[u8]]| {
            let mut bench = Bench::new(b"");
            assert!(bench.ask(&q, None).is_none());
            let answer = chunks.iter().find_map(|chunk| bench.write(chunk));
            let answer = answer.or_else(|| bench.settle());
            answer.map(|a| a.match_cursor)
        };
        prop_assert_eq!(run(&chunks), run(&[&bytes]));
    }
}
