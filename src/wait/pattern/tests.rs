//! What is refused, and what counts as a match in one row.

use super::*;
use crate::pane::row::OLD;
use crate::pane::{Kind, Span};

const LITERAL: Reading = Reading { regex: false, match_case: false };
const REGEX: Reading = Reading { regex: true, match_case: false };

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| (*s).to_owned()).collect()
}

fn compile(patterns: &[&str], stop: &[&str], reading: Reading) -> Patterns {
    let stop = (!stop.is_empty()).then(|| strings(stop));
    Patterns::compile(Some(&strings(patterns)), stop.as_deref(), reading).unwrap().unwrap()
}

/// A row whose first `old` bytes stood there before.
fn search(patterns: &Patterns, text: &str, old: usize, kind: Kind) -> Search {
    let spans = [Span { at: 0, stamp: OLD }, Span { at: u32::try_from(old).unwrap(), stamp: 1 }];
    let spans = if old == 0 { &spans[1..] } else { &spans[..] };
    patterns.search(&Row { kind, ..Row::finished(text, spans, text.len() as u64) }, 0)
}

fn hit(patterns: &Patterns, text: &str, old: usize) -> Option<(bool, usize, Range<usize>)> {
    search(patterns, text, old, Kind::Finished).hit.map(|h| (h.stopped, h.index, h.range))
}

#[test]
fn a_match_contains_something_new() {
    let p = compile(&["ready"], &[], LITERAL);
    assert_eq!(hit(&p, "READY", 0), Some((false, 0, 0..5)));
    assert_eq!(hit(&p, "READY.", 5), None);
    assert_eq!(hit(&p, "READY", 4), Some((false, 0, 0..5)));
    assert_eq!(hit(&p, "ready ready", 5), Some((false, 0, 6..11)));
    let p = compile(&["aba"], &[], LITERAL);
    assert_eq!(hit(&p, "ababa", 4), Some((false, 0, 2..5)));
    let p = compile(&["x*"], &[], REGEX);
    assert_eq!(hit(&p, "abc", 0), None);
}

#[test]
fn within_a_row_stop_and_lower_indexes_win() {
    let p = compile(&["two", "one"], &["err"], LITERAL);
    assert_eq!(hit(&p, "one two", 0), Some((false, 0, 4..7)));
    assert_eq!(hit(&p, "one two err", 0), Some((true, 0, 8..11)));
    assert_eq!(p.given(&Hit { stopped: false, index: 1, range: 0..1 }), "one");
    assert_eq!(p.given(&Hit { stopped: true, index: 0, range: 0..1 }), "err");
}

#[test]
fn only_a_match_that_cannot_grow_counts_at_once() {
    let open = |p: &Patterns, text| search(p, text, 0, Kind::Open);
    let p = compile(&[r"port (\d+)"], &[], REGEX);
    assert_eq!(open(&p, "port 80"), Search { hit: None, unsettled: true });
    assert!(open(&p, "port 80 ").hit.is_some());
    assert!(search(&p, "port 80", 0, Kind::Settled).hit.is_some());
    let p = compile(&["done$"], &[], REGEX);
    assert!(open(&p, "done").unsettled && open(&p, "done.").hit.is_none());
    let p = compile(&["port 80"], &[], LITERAL);
    assert!(open(&p, "port 80").hit.is_some());
}

#[test]
fn case_and_metacharacters_are_as_asked() {
    let p = compile(&["a.c(*"], &[], LITERAL);
    assert_eq!(hit(&p, "abc A.C(*", 0), Some((false, 0, 4..9)));
    let p = compile(&["Ab"], &[], Reading { regex: false, match_case: true });
    assert_eq!(hit(&p, "ab AB Ab", 0), Some((false, 0, 6..8)));
}

#[test]
fn a_mixture_of_two_texts_is_no_match() {
    let p = compile(&["doneing"], &[], LITERAL);
    let spans = [Span { at: 0, stamp: 9 }, Span { at: 4, stamp: 5 }];
    let row = |kind| Row { kind, edge: 4, ..Row::finished("doneing", &spans, 13) };
    assert_eq!(p.search(&row(Kind::Open), 0), Search { hit: None, unsettled: true });
    assert!(p.search(&row(Kind::Edited), 0).hit.is_none());
    assert!(p.search(&row(Kind::Finished), 0).hit.is_some());
}

#[test]
fn a_row_without_its_beginning_has_no_beginning() {
    let p = compile(&["^b"], &[], REGEX);
    let spans = [Span { at: 0, stamp: 1 }];
    let row = Row { headless: true, ..Row::finished("bb", &spans, 2) };
    assert!(p.search(&row, 0).hit.is_none());
    assert!(p.search(&Row { headless: false, ..row }, 0).hit.is_some());
}

#[test]
fn bad_lists_and_patterns_are_refused_with_their_name() {
    let refused = |patterns: &[&str], reading| {
        Patterns::compile(Some(&strings(patterns)), None, reading).unwrap_err()
    };
    assert_eq!(refused(&[], LITERAL).kind, ErrorKind::InvalidArgument);
    assert_eq!(refused(&["x"; 33], LITERAL).kind, ErrorKind::InvalidArgument);
    assert!(refused(&["x", ""], LITERAL).to_string().contains("`patterns[1]` is empty"));
    assert!(refused(&["x".repeat(5000).as_str()], LITERAL).to_string().contains("5000 bytes"));
    let error = refused(&["a(b"], REGEX).to_string();
    assert!(error.contains("`a(b`") && error.contains("unclosed group"), "{error}");
    let error = refused(&[".{1,100000}"], REGEX).to_string();
    assert!(error.contains("larger than"), "{error}");
    assert!(Patterns::compile(None, None, LITERAL).unwrap().is_none());
}
