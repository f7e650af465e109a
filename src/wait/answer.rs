//! What the caller of a wait gets, put together from the wait and its pane's stream.

use std::time::Instant;

use panewatch_protocol::wait::{Outcome, TextAnswer};

use super::cursor::{Cursor, PaneLife};
use super::text::{Found, TextWait};
use crate::limits::{MAX_TAIL_BYTES, MAX_TAIL_ROWS, MAX_TEXT_BYTES};
use crate::pane::{Kind, PaneStream, Row};

/// How a wait ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The outcome.
    pub outcome: Outcome,
    /// The exit status of the pane's program, where it is known.
    pub exit_status: Option<i32>,
}

impl End {
    /// The pane's program has ended.
    pub fn closed(exit_status: Option<i32>) -> Self {
        Self { outcome: Outcome::PaneClosed, exit_status }
    }
}

impl From<Outcome> for End {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, exit_status: None }
    }
}

/// What the registry knows of a wait beside its question.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// The pane's life.
    pub life: PaneLife,
    /// When the question was taken.
    pub at: Instant,
    /// A wanted pattern stood on the screen then.
    pub stood: bool,
}

/// The answer to `wait`, which ends as `end` says unless a row has answered it.
pub fn text_answer(
    wait: &TextWait,
    asked: Asked,
    stream: &mut PaneStream,
    end: End,
    now: Instant,
) -> TextAnswer {
    let (start, life) = (wait.start(), asked.life);
    let found = wait.found();
    let outcome = match found {
        Some(found) if found.hit.stopped => Outcome::Stopped,
        Some(_) => Outcome::Matched,
        None => on_time_out(wait, stream, end.outcome),
    };
    let position = stream.position();
    let screen = stream.screen();
    TextAnswer {
        outcome,
        found: outcome.found(),
        pane: life.pane.to_string(),
        matched_index: found.map(|f| f.hit.index),
        matched_pattern: found.map(|f| f.pattern.clone()),
        matched_lines: found.map(|f| f.rows.clone()).unwrap_or_default(),
        captures: found.map(|f| f.captures.clone()).unwrap_or_default(),
        context: found.map(|f| context(stream, f, wait.context_rows())).unwrap_or_default(),
        match_cursor: found.map(|f| Cursor { life, position: f.position }.to_string()),
        cursor: Cursor { life, position }.to_string(),
        saw_new_output: screen.gained(true) > start,
        alternate_screen: screen.alternate_until().is_some_and(|at| at >= start),
        matched_at_entry: asked.stood && found.is_none(),
        gaps: stream.gaps_since(start),
        bytes: position.saturating_sub(start),
        text: stream.text_since(start, MAX_TEXT_BYTES),
        tail: tail(stream, start),
        exit_status: end.exit_status,
        elapsed_seconds: now.saturating_duration_since(asked.at).as_secs_f64(),
        effective_timeout: wait.timeout().as_secs_f64(),
    }
}

/// The finished rows before the one that hit, as far as they are kept.
fn context(stream: &PaneStream, found: &Found, count: usize) -> Vec<String> {
    let log = stream.screen().log();
    let is_match = |row: &Row<'_>| {
        row.position == found.shown_at && found.rows.last().is_some_and(|r| r == row.text)
    };
    let before = (0..log.next_index()).rev().map_while(|index| log.row(index));
    let before = before.filter(|row| row.position <= found.shown_at && row.kind == Kind::Finished);
    let skip = found.rows.len().saturating_sub(1);
    let mut rows: Vec<String> =
        before.skip_while(is_match).skip(skip).take(count).map(|row| row.text.to_owned()).collect();
    rows.reverse();
    rows
}

/// W7: time that ran out under a full-screen program ran out for that reason.
fn on_time_out(wait: &TextWait, stream: &PaneStream, outcome: Outcome) -> Outcome {
    let suppressed = stream.screen().alternate() && wait.suppresses_alternate();
    if outcome == Outcome::Timeout && suppressed { Outcome::AlternateScreen } else { outcome }
}

/// The screen's rows from the first one with new text on, without the blank ones at its end.
fn tail(stream: &mut PaneStream, start: u64) -> Vec<String> {
    let cursor_row = stream.screen().cursor_row();
    let mut rows: Vec<String> = Vec::new();
    stream.for_each_row(|y, row| {
        if !rows.is_empty() || y == cursor_row || row.first_newer(start).is_some() {
            rows.push(row.text.to_owned());
        }
    });
    while rows.last().is_some_and(|row| row.trim().is_empty()) {
        rows.pop();
    }
    let mut bytes = 0;
    let keep = rows.iter().rev().take(MAX_TAIL_ROWS).take_while(|row| {
        bytes += row.len();
        bytes <= MAX_TAIL_BYTES
    });
    let keep = keep.count();
    rows.split_off(rows.len() - keep)
}
