//! One `wait_for_text`: it is shown rows until one of them answers it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::wait::{AlternateScreen, AtEntry, WaitForText};

use super::joined::Joined;
use super::pattern::{Hit, PatternError, Patterns, Reading};
use crate::limits::{MAX_CONTEXT_ROWS, MAX_TIMEOUT_SECONDS};
use crate::pane::{PaneStream, Row};

/// A question, and what has been seen of its answer.
#[derive(Debug, Clone)]
pub struct TextWait {
    patterns: Option<Patterns>,
    /// Any output answers, as well as a stop pattern.
    any_output: bool,
    /// Text newer than this stream position is new.
    start: u64,
    alternate_screen: AlternateScreen,
    at_entry: AtEntry,
    timeout: Duration,
    context_rows: usize,
    /// The finished rows so far, where a pattern can match a line break.
    joined: Option<Joined>,
    found: Option<Found>,
    unsettled: bool,
}

/// The row that answers, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where in the row.
    pub hit: Hit,
    /// The pattern, as it was given.
    pub pattern: String,
    /// The text of the row, or of the rows.
    pub rows: Vec<String>,
    /// The groups of the match.
    pub captures: BTreeMap<String, Option<String>>,
    /// The stream position of the moment at which the row was shown.
    pub shown_at: u64,
    /// The stream position just behind the match.
    pub position: u64,
}

/// Where a wanted pattern stands before anything new has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nowhere on the screen.
    Nowhere,
    /// Only on the row that is being typed into.
    OnOpenRow,
    /// On a row above or below it.
    OnFinishedRow,
}

/// Why a question is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// The timeout is no time.
    #[error("`timeout` is {0}; it must be seconds from 0 on, or null for as long as allowed")]
    Timeout(String),
    /// A pattern or a list.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

impl QuestionError {
    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Timeout(_) => ErrorKind::InvalidArgument,
            Self::Pattern(error) => error.kind,
        }
    }
}

impl TextWait {
    /// Compiles a question. Where it starts is not known yet: see [`TextWait::start_at`].
    pub fn compile(question: &WaitForText) -> Result<Self, QuestionError> {
        let reading = Reading { regex: question.regex, match_case: question.match_case };
        let (patterns, stop) = (question.patterns.as_deref(), question.stop.as_deref());
        let patterns = Patterns::compile(patterns, stop, reading)?;
        Ok(Self {
            joined: patterns.as_ref().filter(|p| p.breaks_lines()).map(|_| Joined::default()),
            context_rows: question.context_rows.min(MAX_CONTEXT_ROWS),
            patterns,
            any_output: question.patterns.is_none(),
            start: 0,
            alternate_screen: question.alternate_screen,
            at_entry: question.at_entry,
            timeout: effective_timeout(question.timeout)?,
            found: None,
            unsettled: false,
        })
    }

    /// Text newer than this stream position is new.
    pub fn start_at(&mut self, position: u64) {
        self.start = position;
    }

    /// The stream position from which text is new.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// How long the question is held.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// What a pattern that already stands on the screen means.
    pub fn at_entry(&self) -> AtEntry {
        self.at_entry
    }

    /// Shows the wait a row. Answers whether the wait is over.
    pub fn offer(&mut self, row: &Row<'_>) -> bool {
        if self.found.is_none() && !(row.alternate && self.suppresses_alternate()) {
            // a match that did not count yet is looked at again, though its text was shown before
            let shown = if self.unsettled { 0 } else { row.shown };
            self.look_in(&Row { shown, ..*row });
            if let Some(mut joined) = self.joined.take() {
                if let (None, Some(rows)) = (&self.found, joined.add(row)) {
                    self.look_in(&rows);
                }
                self.joined = Some(joined);
            }
        }
        self.found.is_some()
    }

    fn look_in(&mut self, row: &Row<'_>) {
        let Some(patterns) = &self.patterns else { return };
        let search = patterns.search(row, self.start);
        self.unsettled = search.unsettled;
        self.found = search.hit.map(|hit| Found {
            pattern: patterns.given(&hit).to_owned(),
            rows: lines_of(row.text, &hit.range),
            captures: patterns.captures(&hit, row.text),
            position: row.newest(hit.range.clone()),
            shown_at: row.position,
            hit,
        });
    }

    /// How many rows that were left before the match come with it.
    pub fn context_rows(&self) -> usize {
        self.context_rows
    }

    /// The row that answered.
    pub fn found(&self) -> Option<&Found> {
        self.found.as_ref()
    }

    /// Whether there is a match that counts once the open row has been left alone (W4).
    pub fn is_unsettled(&self) -> bool {
        self.unsettled && self.found.is_none()
    }

    /// Whether any output answers, and there is some (W9).
    pub fn has_any_output(&self, stream: &PaneStream) -> bool {
        self.any_output && stream.screen().gained(!self.suppresses_alternate()) > self.start
    }

    /// Whether a full-screen program's text is left out.
    pub fn suppresses_alternate(&self) -> bool {
        self.alternate_screen == AlternateScreen::Suppress
    }

    /// Where a wanted pattern stands on the screen now (W6).
    pub fn standing(&self, stream: &mut PaneStream) -> Standing {
        let Some(patterns) = &self.patterns else { return Standing::Nowhere };
        if stream.screen().alternate() && self.suppresses_alternate() {
            return Standing::Nowhere;
        }
        let typed_into = stream.screen().cursor_row();
        let (mut open, mut finished) = (false, false);
        stream.for_each_row(|y, row| {
            if patterns.stands_in(row) {
                *(if y == typed_into { &mut open } else { &mut finished }) = true;
            }
        });
        match (finished, open) {
            (true, _) => Standing::OnFinishedRow,
            (false, true) => Standing::OnOpenRow,
            (false, false) => Standing::Nowhere,
        }
    }
}

/// The lines of a text that a range touches.
fn lines_of(text: &str, range: &Range<usize>) -> Vec<String> {
    let begin = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    text[begin..end].lines().map(str::to_owned).collect()
}

/// W11: above the ceiling it is cut down; negative or not a number is an error.
fn effective_timeout(seconds: Option<f64>) -> Result<Duration, QuestionError> {
    let seconds = seconds.unwrap_or(MAX_TIMEOUT_SECONDS);
    if seconds.is_nan() || seconds < 0.0 {
        return Err(QuestionError::Timeout(seconds.to_string()));
    }
    Ok(Duration::from_secs_f64(seconds.min(MAX_TIMEOUT_SECONDS)))
}
