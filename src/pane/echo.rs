//! What a pane writes because somebody typed: found in its rows, so that it is no answer (W8).
//!
//! Each typed line is expected to show up, in order, on the rows that follow. Where it does, that text
//! counts as old, and that text only: output that repeats the same words stays new. A line that a
//! terminal echoed while a program ran is shown once more when a line editor takes it up: most editors
//! say that they have the terminal by asking for bracketed paste (mode 2004), and all of them write it
//! behind their prompt, which is known from the line before.

use std::collections::VecDeque;
use std::ops::Range;

use super::row::Row;
use crate::boundary;
use crate::limits::{MAX_ECHO_DISTANCE, MAX_EXPECTED_ECHOES};

/// Who writes the echo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The terminal: at once, and before any program can react.
    Terminal,
    /// The program, if it wants to: a line editor does, a password prompt does not.
    Program,
}

/// What was typed in one go. Two that follow at once have the same stream position, and are still two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EchoId(u64);

/// The echoes that are expected on a pane.
#[derive(Debug, Default)]
pub struct Echo {
    expected: VecDeque<Expected>,
    next: u64,
    /// What stood before the line that was echoed last.
    prompt: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Expected {
    id: EchoId,
    text: String,
    /// The stream position at which it was typed.
    typed: u64,
    source: Source,
    /// It is the first line of what was typed: nothing comes before its echo.
    first: bool,
    /// Its time for a direct echo is over; a line editor that takes it up shows it still.
    again: bool,
    /// It stands on a row that can still change.
    seen: bool,
}

impl Echo {
    /// Whether nothing is expected.
    pub fn is_empty(&self) -> bool {
        self.expected.is_empty()
    }

    /// Whether everything that was typed has been echoed.
    pub fn is_over(&self) -> bool {
        self.expected.iter().all(|e| e.seen || e.again)
    }

    /// Text is about to be typed, at a stream position.
    pub fn expect(&mut self, text: &str, position: u64, source: Source) -> EchoId {
        let id = EchoId(self.next);
        self.next += 1;
        let lines = text.split(['\r', '\n']).enumerate().filter(|(_, line)| !line.is_empty());
        let expected = |(i, line)| Expected::new(id, line, position, source, i == 0);
        self.expected.extend(lines.map(expected));
        let excess = self.expected.len().saturating_sub(MAX_EXPECTED_ECHOES);
        self.expected.drain(..excess);
        id
    }

    /// Nothing was typed after all.
    pub fn retract(&mut self, id: EchoId) {
        self.expected.retain(|e| e.id != id || e.seen || e.again);
    }

    /// The text of a row that is echo. `editor`: a line editor has the terminal.
    pub fn find(&mut self, row: &Row<'_>, editor: bool) -> Vec<Range<usize>> {
        self.expected.retain(|e| row.position.saturating_sub(e.typed) <= MAX_ECHO_DISTANCE);
        let mut found = Vec::new();
        let prompted = !self.prompt.is_empty() && row.text.starts_with(&self.prompt);
        let prompt = prompted.then_some(self.prompt.len());
        let mut waiting = None;
        for expected in &mut self.expected {
            let passed_over = expected.again && !editor && !expected.stands_at(row, prompt);
            if passed_over || waiting == Some(expected.id) {
                continue;
            }
            if let Some(range) = expected.whole(row, editor) {
                expected.seen = true;
                found.push(range);
            } else if !expected.seen {
                found.extend(expected.beginning(row, editor));
                // the lines that were typed behind this one come behind it, unless its time is over
                waiting = (!expected.again).then_some(expected.id).or(waiting);
            }
        }
        found
    }

    /// Whether a row has new text, though none of what was typed: somebody else writes.
    pub fn is_foreign(&self, row: &Row<'_>) -> bool {
        self.expected.iter().all(|e| e.seen || e.again)
            && self.expected.iter().any(|e| row.first_newer(e.typed).is_some())
    }

    /// The cursor has left a row by a line end.
    pub fn row_finished(&mut self, row: &Row<'_>, editor: bool) {
        let any_seen = self.expected.iter().any(|e| e.seen);
        let direct = self.expected.iter().find(|e| e.seen && e.first && !e.again);
        // what is typed ahead of a prompt is echoed at the beginning of a row
        if let Some(at) = direct.and_then(|e| row.text.rfind(&e.text)).filter(|at| *at > 0) {
            row.text[..at].clone_into(&mut self.prompt);
        }
        self.expected.retain_mut(|e| e.outlives_row(row, editor, any_seen));
    }

    /// A line editor has let go of the terminal: what it has shown it will not show again.
    pub fn editor_left(&mut self) {
        self.expected.retain(|e| !e.seen);
    }
}

impl Expected {
    fn new(id: EchoId, line: &str, typed: u64, source: Source, first: bool) -> Self {
        let text = match source {
            Source::Terminal => caret_notation(line),
            Source::Program => line.to_owned(),
        };
        Self { id, text, typed, source, first, again: false, seen: false }
    }

    /// Whether the line is still expected when the cursor has left a row by a line end.
    fn outlives_row(&mut self, row: &Row<'_>, editor: bool, any_seen: bool) -> bool {
        let seen = std::mem::take(&mut self.seen);
        if seen && self.source == Source::Terminal {
            match () {
                // the terminal was asked to show once more what has been typed so far, or to forget it
                () if row.text.ends_with("^R") => return true,
                () if row.text.ends_with("^C") => return false,
                () => {}
            }
        }
        if seen {
            // an editor may show the line again until it lets go of the terminal; and one that takes up
            // what was typed ahead shows it once more
            self.seen = editor;
            return editor || !std::mem::replace(&mut self.again, true);
        }
        let never_taken_up = self.again && editor && !any_seen;
        // something else came first: only an editor will show it now, if it is not a password
        let passed_over = row.first_newer(self.typed).is_some();
        self.again |= self.first && self.source == Source::Program && passed_over;
        !never_taken_up
    }

    /// Whether the line, or its beginning, is all that stands behind a prompt.
    fn stands_at(&self, row: &Row<'_>, prompt: Option<usize>) -> bool {
        let behind = prompt.and_then(|at| row.text.get(at..)).map(str::trim_end);
        behind.is_some_and(|text| !text.is_empty() && self.text.starts_with(text))
    }

    /// The line as it stands in a row, with text that came after it was typed. In a line editor what
    /// stands behind it is the editor's own, such as a suggestion; and so is the prompt before it, which
    /// stood there when the line was typed and is drawn again.
    fn whole(&self, row: &Row<'_>, editor: bool) -> Option<Range<usize>> {
        let from = row.first_newer(self.typed)?;
        let at = if editor {
            row.text.rfind(&self.text).filter(|at| self.seen || at + self.text.len() > from)?
        } else {
            // its first characters may have been drawn before the rest of the row
            let from = boundary::floor(row.text, from.saturating_sub(self.text.len()));
            row.text[from..]
                .match_indices(&self.text)
                .map(|(at, _)| from + at)
                .find(|&at| row.has_newer(at..at + self.text.len(), self.typed))?
        };
        let end = if editor { row.text.len() } else { at + self.text.len() };
        Some(self.begin(at, editor)..end)
    }

    /// The beginning of the line at the end of a row: the rest is still to come.
    fn beginning(&self, row: &Row<'_>, editor: bool) -> Option<Range<usize>> {
        let from = row.first_newer(self.typed)?;
        let ends = self.text.char_indices().map(|(at, c)| at + c.len_utf8());
        let longest = ends.rev().find(|&end| row.text.ends_with(&self.text[..end]))?;
        let at = row.text.len() - longest;
        (editor || self.again || at <= from).then_some(self.begin(at, editor)..row.text.len())
    }

    fn begin(&self, at: usize, editor: bool) -> usize {
        if editor && self.first && !self.again { 0 } else { at }
    }
}

/// How a terminal echoes control characters.
fn caret_notation(line: &str) -> String {
    let mut shown = String::new();
    for c in line.chars() {
        match c {
            '\t' => shown.push(c),
            '\0'..='\x1f' => shown.extend(['^', char::from(c as u8 ^ 0x40)]),
            '\x7f' => shown.push_str("^?"),
            _ => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests;
