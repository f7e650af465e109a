//! The open row: the one written last, and when it goes to the log.
//!
//! It goes there when the cursor leaves it, and just before it loses visible text (W3). Before it is shown
//! or logged, echo in it is made old, and what it has gained is counted (W8, W9).

use std::ops::Range;

use super::log::RowLog;
use super::row::{Kind, OLD, Row, push_span};
use super::screen::{Cursor, Editor, Screen};

/// The row that was written last.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) line: usize,
    /// It says something that is not in the log.
    pub(super) unlogged: bool,
    /// It says something that has not been shown.
    pub(super) unshown: bool,
    /// The stream position up to which it has been shown.
    pub(super) shown: u64,
    /// The cell at which a run that prints over visible text has arrived.
    pub(super) overprint: Option<Cursor>,
    /// The stamps of visible text gained since it was shown.
    pub(super) gains: Vec<Range<u64>>,
}

impl Screen {
    /// Makes the row of a line the open one; the row that was open until now has been left.
    pub(super) fn touch(&mut self, y: usize) {
        if self.open.line != y && !self.same_row(self.open.line, y) {
            self.flush(Kind::Finished);
        }
        self.open.line = y;
    }

    /// The open row says something new.
    pub(super) fn written(&mut self) {
        self.open.unlogged = true;
        self.open.unshown = true;
    }

    /// The open row now reads otherwise than before, without new text: all of it counts again.
    pub(super) fn edited(&mut self) {
        self.written();
        self.open.shown = 0;
    }

    /// The cursor has been put on a line; elsewhere than on the open row, that row has been left.
    pub(super) fn left_open_row(&mut self, y: usize) {
        self.open.overprint = None;
        if !self.same_row(self.open.line, y) {
            self.flush(Kind::Finished);
        }
    }

    /// No row is open: the screen is another one.
    pub(super) fn reset_open(&mut self) {
        self.open = Open { line: self.page.cursor.y, shown: self.at, ..Open::default() };
    }

    /// Whether a line belongs to the open row.
    pub(super) fn is_open(&self, y: usize) -> bool {
        self.same_row(self.open.line, y)
    }

    /// Logs the open row, if it says something that is not logged.
    pub(super) fn flush(&mut self, kind: Kind) {
        if self.open.unlogged {
            self.open.unlogged = false;
            self.open.unshown = false;
            self.leave_out_echo();
            let mut log = std::mem::replace(&mut self.log, RowLog::new(0));
            log.push(&self.open_row(kind));
            self.log = log;
            self.open.shown = self.at;
        }
        self.open.overprint = None;
    }

    /// The open row, if it says something that has not been shown; then it counts as shown.
    pub fn show_open(&mut self) -> Option<Row<'_>> {
        if !self.open.unshown || self.modes.frame {
            return None;
        }
        self.open.unshown = false;
        self.leave_out_echo();
        let (at, shown) = (self.at, self.open.shown);
        self.open.shown = at;
        Some(Row { shown, ..self.open_row(Kind::Open) })
    }

    /// The open row as it stands, if it says something that is not logged.
    pub fn unlogged(&mut self, kind: Kind) -> Option<Row<'_>> {
        self.open.unlogged.then(|| Row { shown: 0, ..self.open_row(kind) })
    }

    fn open_row(&mut self, kind: Kind) -> Row<'_> {
        let (y, shown) = (self.open.line, self.open.shown);
        let over = self.open.overprint.map(|c| self.page.lines[c.y].offset(c.x));
        let before = if over.is_some() { self.bytes_before(y) } else { 0 };
        let row = self.row_at(y, kind);
        Row { shown, edge: over.map_or(row.edge, |column| before + column), ..row }
    }

    pub(super) fn log_empty_row(&mut self) {
        self.log.push(&Row::finished("", &[], self.at));
    }

    /// Logs a row that a capture has told of. What is not `known` of it counts as printed, with a line
    /// end, at a position of the stream; the position behind it.
    pub(super) fn log_recovered(&mut self, text: &str, known: usize, position: u64) -> u64 {
        self.at = position + (text.len() - known) as u64 + 1;
        let mut spans = Vec::new();
        if known > 0 {
            push_span(&mut spans, 0, OLD);
        }
        push_span(&mut spans, known, position + 1);
        self.log.push(&Row::finished(text, &spans, self.at));
        self.gained.normal = self.at;
        self.at
    }

    /// What was gained and is no echo counts (W9).
    fn count_gains(&mut self) {
        let gains = std::mem::take(&mut self.open.gains);
        let Some(last) = gains.last() else { return };
        let newest = if self.echo.is_empty() {
            last.end - 1
        } else {
            let row = self.row_at(self.open.line, Kind::Open);
            gains.iter().filter_map(|gain| row.newest_of(gain)).max().unwrap_or(0)
        };
        let slot =
            if self.alternate() { &mut self.gained.alternate } else { &mut self.gained.normal };
        *slot = newest.max(*slot);
    }

    /// Echo in the open row counts as old, and gains nothing (W8).
    fn leave_out_echo(&mut self) {
        if !self.echo.is_empty() {
            let mut echo = std::mem::take(&mut self.echo);
            let (y, editor) = (self.open.line, self.has_editor());
            let row = self.row_at(y, Kind::Open);
            let ranges = echo.find(&row, editor);
            self.echo = echo;
            for range in ranges {
                self.mark_old(y, range);
            }
        }
        self.count_gains();
    }

    /// The cursor leaves the open row by a line end.
    pub(super) fn finish_echo(&mut self) {
        if !self.echo.is_empty() {
            self.leave_out_echo();
            let mut echo = std::mem::take(&mut self.echo);
            let editor = self.has_editor();
            let foreign = echo.is_foreign(&self.row_at(self.open.line, Kind::Finished));
            if foreign && self.modes.editor == Editor::Supposed {
                // a program writes now: the editor has left without a word
                self.modes.editor = Editor::Off;
                echo.editor_left();
            }
            echo.row_finished(&self.row_at(self.open.line, Kind::Finished), editor);
            self.echo = echo;
        }
    }

    /// Bytes of the row that `y` belongs to count as old.
    fn mark_old(&mut self, y: usize, range: Range<usize>) {
        let (begin, end) = (self.row_begin(y), self.row_end(y));
        let mut at = 0;
        if begin == 0 {
            self.page.head.mark_old(range.clone());
            at = self.page.head.text.len();
        }
        for line in self.page.lines.range_mut(begin..=end) {
            let len = line.text().len();
            line.mark_old(range.start.saturating_sub(at)..range.end.saturating_sub(at).min(len));
            at += len;
        }
    }

    /// A line editor has taken or left the terminal.
    pub(super) fn set_editor(&mut self, on: bool) {
        if self.has_editor() && !on {
            self.leave_out_echo();
            self.echo.editor_left();
        }
        self.modes.editor = if on { Editor::On } else { Editor::Off };
    }

    /// A line editor has the terminal, says somebody else, where the stream does not say.
    pub(super) fn suppose_editor(&mut self) {
        if self.modes.editor == Editor::Unknown {
            self.modes.editor = Editor::Supposed;
        }
    }

    fn has_editor(&self) -> bool {
        matches!(self.modes.editor, Editor::Supposed | Editor::On)
    }
}
