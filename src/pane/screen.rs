//! The rows of the screen and the cursor.
//!
//! A screen without colours, kept only to know what a row says after a program has moved about in it.
//! It does what tmux's own screen does, so that rows equal what tmux would capture. Rows that are left go
//! to the log; matching reads that, and nothing here knows of it.

use std::collections::VecDeque;

use super::echo::Echo;
use super::line::Line;
use super::log::RowLog;
use super::open::Open;
use super::row::{Kind, Row, RowText};
use crate::limits::{MAX_LOG_BYTES, MAX_SIDE};

/// The screen of one pane.
#[derive(Debug)]
pub struct Screen {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) page: Page,
    /// The normal screen, while a full-screen program has the pane.
    pub(super) normal: Option<Page>,
    pub(super) modes: Modes,
    /// Whether each of the two character sets is the line-drawing one, and which is in use.
    pub(super) drawing: [bool; 2],
    pub(super) shifted: bool,
    /// Tab stops, one entry a column; `None`: every eighth.
    pub(super) tabs: Option<Vec<bool>>,
    pub(super) last_char: Option<char>,
    pub(super) alternate_until: Option<u64>,
    /// The cursor that the end of a full-screen program brings back.
    pub(super) before_alternate: Option<Cursor>,
    /// The stream position of what is being done now.
    pub(super) at: u64,
    /// Which burst of output this is; text that one burst erases and prints again is a repaint.
    pub(super) burst: u64,
    /// The cursor has come to its line by a line end.
    pub(super) line_fed: bool,
    pub(super) open: Open,
    pub(super) echo: Echo,
    pub(super) gained: Gained,
    pub(super) log: RowLog,
    pub(super) scratch: RowText,
}

/// What a switch to the alternate screen puts aside.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) lines: VecDeque<Line>,
    /// What of the topmost row has already scrolled off the screen.
    pub(super) head: RowText,
    pub(super) headless: bool,
    pub(super) cursor: Cursor,
    pub(super) saved: Saved,
    pub(super) top: usize,
    pub(super) bottom: usize,
}

/// Where the next character goes. `x` equals the width when the line is full and the wrap pends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The column, from 0.
    pub x: usize,
    /// The line, from 0.
    pub y: usize,
}

/// What DECSC saves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Saved {
    pub(super) cursor: Cursor,
    pub(super) origin: bool,
    pub(super) drawing: [bool; 2],
    pub(super) shifted: bool,
}

/// The terminal modes that move text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the terminal's own independent switches"
)]
pub(super) struct Modes {
    pub(super) wrap: bool,
    pub(super) insert: bool,
    pub(super) origin: bool,
    /// A synchronized frame is being drawn (mode 2026).
    pub(super) frame: bool,
    /// Whether a line editor has the terminal.
    pub(super) editor: Editor,
}

/// Whether a line editor has the terminal: it asks for bracketed paste then (mode 2004).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Editor {
    /// The stream has not said so far.
    Unknown,
    /// Somebody else says so; the stream has not.
    Supposed,
    On,
    Off,
}

impl Default for Modes {
    fn default() -> Self {
        Self { wrap: true, insert: false, origin: false, frame: false, editor: Editor::Unknown }
    }
}

/// The stamp of the visible text that was gained last (W9).
#[derive(Debug, Default)]
pub(super) struct Gained {
    pub(super) normal: u64,
    pub(super) alternate: u64,
}

impl Screen {
    /// An empty screen of a size in cells.
    pub fn new(width: u16, height: u16) -> Self {
        let (width, height) = (side(width), side(height));
        Self {
            width,
            height,
            page: Page::new(height),
            normal: None,
            modes: Modes::default(),
            drawing: [false; 2],
            shifted: false,
            tabs: None,
            last_char: None,
            alternate_until: None,
            before_alternate: None,
            at: 0,
            burst: 0,
            line_fed: false,
            open: Open::default(),
            echo: Echo::default(),
            gained: Gained::default(),
            log: RowLog::new(MAX_LOG_BYTES),
            scratch: RowText::default(),
        }
    }

    /// The pane has been quiet: what comes is another burst of output.
    pub fn begin_burst(&mut self) {
        self.burst += 1;
    }

    /// The rows that were left.
    pub fn log(&self) -> &RowLog {
        &self.log
    }

    /// Every row in the log has been read.
    pub fn mark_read(&mut self) {
        self.log.mark_read();
    }

    /// The stream position at which a full-screen program had the pane last.
    pub fn alternate_until(&self) -> Option<u64> {
        if self.alternate() { Some(self.at) } else { self.alternate_until }
    }

    /// Whether a full-screen program has the pane.
    pub fn alternate(&self) -> bool {
        self.normal.is_some()
    }

    /// The cursor.
    pub fn cursor(&self) -> Cursor {
        self.page.cursor
    }

    /// Columns and lines.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The position of the newest visible text; with or without that of full-screen programs.
    pub fn gained(&self, with_alternate: bool) -> u64 {
        if with_alternate {
            self.gained.normal.max(self.gained.alternate)
        } else {
            self.gained.normal
        }
    }

    /// The row that a line belongs to.
    pub(super) fn row_at(&mut self, y: usize, kind: Kind) -> Row<'_> {
        let (begin, end) = (self.row_begin(y), self.row_end(y));
        let headless = begin == 0 && self.page.headless;
        let (text, spans) = if begin == end && (begin > 0 || self.page.head.text.is_empty()) {
            let line = &self.page.lines[y];
            (line.text(), line.spans())
        } else {
            self.scratch.clear();
            if begin == 0 {
                self.scratch.push(&self.page.head.text, &self.page.head.spans);
            }
            for line in self.page.lines.range(begin..=end) {
                self.scratch.push(line.text(), line.spans());
            }
            (self.scratch.text.as_str(), self.scratch.spans.as_slice())
        };
        let alternate = self.normal.is_some();
        Row { kind, headless, alternate, ..Row::finished(text, spans, self.at) }
    }

    /// Bytes of a row's text before the line `y` of it.
    pub(super) fn bytes_before(&self, y: usize) -> usize {
        let begin = self.row_begin(y);
        let head = if begin == 0 { self.page.head.text.len() } else { 0 };
        head + self.page.lines.range(begin..y).map(|l| l.text().len()).sum::<usize>()
    }

    /// Every row of the screen, from the top, and the line each one begins on.
    pub fn for_each_row(&mut self, mut each: impl FnMut(usize, &Row<'_>)) {
        let mut y = 0;
        while y < self.height {
            let end = self.row_end(y);
            each(y, &self.row_at(y, Kind::Settled));
            y = end + 1;
        }
    }

    /// Whether two lines belong to one row.
    pub(super) fn same_row(&self, a: usize, b: usize) -> bool {
        (a.min(b)..a.max(b)).all(|y| self.page.lines[y].wrapped)
    }

    /// The line on which the cursor's row begins.
    pub fn cursor_row(&self) -> usize {
        self.row_begin(self.page.cursor.y)
    }

    pub(super) fn row_begin(&self, y: usize) -> usize {
        (0..y).rev().find(|&above| !self.page.lines[above].wrapped).map_or(0, |above| above + 1)
    }

    pub(super) fn row_end(&self, y: usize) -> usize {
        (y..self.height - 1).find(|&y| !self.page.lines[y].wrapped).unwrap_or(self.height - 1)
    }
}

impl Page {
    pub(super) fn new(height: usize) -> Self {
        Self {
            lines: std::iter::repeat_with(Line::default).take(height).collect(),
            bottom: height - 1,
            ..Self::default()
        }
    }

    /// The scroll region and the saved cursor are the terminal's: they stay when the page changes.
    pub(super) fn with_terminal_of(self, other: &Self) -> Self {
        let Self { saved, top, bottom, .. } = *other;
        Self { saved, top, bottom, ..self }
    }

    /// The topmost row begins on the screen.
    pub(super) fn forget_head(&mut self) {
        self.head.clear();
        self.headless = false;
    }

    /// The line `y` no longer goes on from the one above: tmux forgets that when whole lines are cleared
    /// or moved.
    pub(super) fn break_before(&mut self, y: usize) {
        match y.checked_sub(1) {
            Some(above) => self.lines[above].wrapped = false,
            None => self.forget_head(),
        }
    }

    /// Takes the line `top` away; a blank one comes in at `bottom`.
    pub(super) fn lift_line(&mut self, top: usize, bottom: usize) {
        if let Some(mut line) = self.lines.remove(top) {
            line.clear();
            self.lines.insert(bottom, line);
        }
    }

    /// Takes lines at `bottom` away; blank ones come in at `top`. Of those that move tmux forgets at one
    /// place that the next one goes on from it.
    pub(super) fn sink_lines(&mut self, top: usize, bottom: usize, count: usize) {
        let count = count.min(bottom - top + 1);
        if let Some(line) = (top + count).checked_sub(1).and_then(|y| self.lines.get_mut(y)) {
            line.wrapped = false;
        }
        for _ in 0..count {
            if let Some(mut line) = self.lines.remove(bottom) {
                line.clear();
                self.lines.insert(top, line);
            }
        }
    }
}

pub(super) fn side(cells: u16) -> usize {
    cells.clamp(1, MAX_SIDE).into()
}
