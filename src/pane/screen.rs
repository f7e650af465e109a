//! The rows of the screen and the cursor, and when a row has been left.
//!
//! A screen without colours, kept only to know what a row says after a program has moved about in it.
//! It does what tmux's own screen does, so that rows equal what tmux would capture.
//!
//! One row at a time is *open*: the one written last. It goes to the log when the cursor leaves it,
//! and just before it loses visible text (W3). Matching reads the log; nothing here knows of it.

use std::collections::VecDeque;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::charset::line_drawing;
use super::echo::Echo;
use super::line::Line;
use super::log::RowLog;
use super::row::{Kind, OLD, Row, RowText, Span, push_span};
use crate::limits::{MAX_LOG_BYTES, MAX_ROW_BYTES, MAX_SIDE, ROW_OVERLAP_BYTES};

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
    /// The stream position of what is being done now.
    pub(super) at: u64,
    /// Which burst of output this is; text that one burst erases and prints again is a repaint.
    pub(super) burst: u64,
    /// The cursor has come to its line by a line end.
    line_fed: bool,
    open: Open,
    pub(super) echo: Echo,
    gained: Gained,
    log: RowLog,
    scratch: RowText,
}

/// What a switch to the alternate screen puts aside.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) lines: VecDeque<Line>,
    /// What of the topmost row has already scrolled off the screen.
    head: RowText,
    headless: bool,
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

/// The row that was written last.
#[derive(Debug, Default)]
struct Open {
    line: usize,
    /// It says something that is not in the log.
    unlogged: bool,
    /// It says something that has not been shown.
    unshown: bool,
    /// The stream position up to which it has been shown.
    shown: u64,
    /// The cell at which a run that prints over visible text has arrived.
    overprint: Option<Cursor>,
    /// The stamps of visible text gained since it was shown.
    gains: Vec<Range<u64>>,
}

/// The stamp of the visible text that was gained last (W9).
#[derive(Debug, Default)]
struct Gained {
    normal: u64,
    alternate: u64,
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

    /// Whether a synchronized frame is being drawn.
    pub fn in_frame(&self) -> bool {
        self.modes.frame
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

    /// Prints ASCII text; its first byte has `stamp`.
    pub fn print(&mut self, text: &str, stamp: u64) {
        self.last_char = text.chars().next_back();
        if self.drawing[usize::from(self.shifted)] {
            for (c, stamp) in text.chars().zip(stamp..) {
                self.put_char(line_drawing(c), stamp);
            }
            return;
        }
        self.print_ascii(text, stamp);
    }

    fn print_ascii(&mut self, text: &str, stamp: u64) {
        let (mut rest, mut stamp) = (text, stamp);
        while !rest.is_empty() && self.make_room(1) {
            let room = if self.modes.wrap { self.width - self.page.cursor.x } else { 1 };
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.put_ascii(now, stamp);
            (rest, stamp) = (later, stamp + now.len() as u64);
        }
    }

    /// Prints a character outside ASCII.
    pub fn print_char(&mut self, c: char, stamp: u64) {
        self.last_char = Some(c);
        self.put_char(c, stamp);
    }

    fn put_char(&mut self, c: char, stamp: u64) {
        match c.width() {
            _ if c.is_ascii() => self.print_ascii(c.encode_utf8(&mut [0; 4]), stamp),
            Some(0) => self.combine(c, stamp),
            Some(width) => self.put_wide(c, width, stamp),
            None => {}
        }
    }

    /// Wraps if the line has no room for a character. False: the character is dropped, as by tmux.
    fn make_room(&mut self, width: usize) -> bool {
        let full = self.page.cursor.x + width > self.width;
        if full && self.modes.wrap && width <= self.width {
            self.wrap();
            return true;
        }
        !full
    }

    fn put_wide(&mut self, c: char, width: usize, stamp: u64) {
        if !self.make_room(width) {
            return;
        }
        let Cursor { x, y } = self.begin_put(width, stamp);
        self.note_gain(x, c.encode_utf8(&mut [0; 4]), width, stamp);
        self.page.lines[y].put_char(x, c, width, stamp);
        self.at = stamp - 1 + c.len_utf8() as u64;
        self.end_put(x + width);
    }

    fn combine(&mut self, c: char, stamp: u64) {
        let Cursor { x, y } = self.page.cursor;
        self.touch(y);
        self.page.lines[y].combine(x, c, stamp);
        self.written();
    }

    /// Puts text that fits into the line.
    fn put_ascii(&mut self, text: &str, stamp: u64) {
        let Cursor { x, y } = self.page.cursor;
        let blank = self.blank_columns(x, y, text.len());
        if blank > 0 && blank < text.len() && !self.modes.insert {
            // a run that meets visible text begins to print over it there, however it is chunked
            let (before, over) = text.split_at(blank);
            self.put_piece(before, stamp);
            self.put_piece(over, stamp + blank as u64);
        } else {
            self.put_piece(text, stamp);
        }
    }

    fn put_piece(&mut self, text: &str, stamp: u64) {
        let Cursor { x, y } = self.begin_put(text.len(), stamp);
        self.note_gain(x, text, text.len(), stamp);
        self.page.lines[y].put_ascii(x, text, stamp);
        self.at = stamp - 1 + text.len() as u64;
        self.end_put(x + text.len());
    }

    /// How many of the columns from `x` on show nothing; all of them while printing over.
    fn blank_columns(&self, x: usize, y: usize, count: usize) -> usize {
        let line = &self.page.lines[y];
        if x >= line.columns() || self.open.overprint == Some(Cursor { x, y }) {
            return count;
        }
        (0..count).find(|i| line.shows(x + i..x + i + 1)).unwrap_or(count)
    }

    /// Makes the cursor's row the open one, and shows it first if it is about to lose text. A run of
    /// text that prints over other text, or pushes it away, is one edit, however it is chunked.
    fn begin_put(&mut self, width: usize, stamp: u64) -> Cursor {
        self.at = stamp - 1;
        let at @ Cursor { x, y } = self.page.cursor;
        if x == 0 && std::mem::take(&mut self.line_fed) {
            self.take_wrap_back(y);
        }
        self.touch(y);
        if x >= self.page.lines[y].columns() {
            self.open.overprint = None;
        } else if self.open.overprint != Some(at) {
            let end = if self.modes.insert { self.width } else { x + width };
            if self.page.lines[y].shows(x..end) {
                self.flush(Kind::Edited);
                self.open.overprint = Some(at);
            }
        }
        if self.modes.insert && x < self.page.lines[y].columns() {
            self.page.lines[y].insert(x, width, self.width);
            self.edited();
        }
        self.written();
        at
    }

    /// Text that begins a blank line, and has come there by a line end, is a row of its own. A line editor at the margin wraps and takes the wrap back; tmux remembers the wrap all the
    /// same, and would join what comes next to the line that was typed.
    fn take_wrap_back(&mut self, y: usize) {
        if y > 0 && self.page.lines[y - 1].wrapped && !self.page.lines[y].shows(0..self.width) {
            self.page.lines[y - 1].wrapped = false;
        }
    }

    /// The open row says something new.
    pub(super) fn written(&mut self) {
        self.open.unlogged = true;
        self.open.unshown = true;
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

    fn end_put(&mut self, x: usize) {
        let stays = !self.modes.wrap && x >= self.width;
        self.page.cursor.x = if stays { self.width - 1 } else { x };
        if let Some(over) = &mut self.open.overprint {
            let more = x < self.page.lines[over.y].columns();
            *over = Cursor { x, ..*over };
            if !more || stays {
                self.open.overprint = None;
            }
        }
    }

    /// Visible text is gained where a cell shows something that it did not show before (W9).
    fn note_gain(&mut self, x: usize, text: &str, width: usize, stamp: u64) {
        let before = self.page.lines[self.page.cursor.y].stood(x..x + width, self.burst);
        if before == text {
            return;
        }
        let mut old = before.chars();
        let newest = text.char_indices().filter(|&(_, c)| old.next() != Some(c) && c != ' ').last();
        if let Some((at, c)) = newest {
            let first = text.chars().position(|c| c != ' ').unwrap_or(0) as u64;
            self.open.gains.push(stamp + first..stamp + (at + c.len_utf8()) as u64);
        }
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
            let foreign = ranges.is_empty() && echo.is_foreign(&row);
            self.echo = echo;
            for range in ranges {
                self.mark_old(y, range);
            }
            if foreign && self.modes.editor == Editor::Supposed {
                // a program writes now: the editor has left without a word
                self.modes.editor = Editor::Off;
                self.echo.editor_left();
            }
        }
        self.count_gains();
    }

    /// The cursor leaves the open row by a line end.
    fn finish_echo(&mut self) {
        if !self.echo.is_empty() {
            self.leave_out_echo();
            let mut echo = std::mem::take(&mut self.echo);
            let editor = self.has_editor();
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

    /// Goes on in the next line because this one is full.
    fn wrap(&mut self) {
        let y = self.page.cursor.y;
        self.page.lines[y].wrapped = true;
        self.open.overprint = None;
        self.down_or_scroll();
        self.page.cursor.x = 0;
        self.line_fed = false;
    }

    /// LF, VT, FF, IND: one line down, the column stays.
    pub fn linefeed(&mut self) {
        let y = self.page.cursor.y;
        self.line_fed = true;
        if self.page.lines[y].wrapped && y < self.page.bottom {
            self.open.overprint = None;
            return self.down_or_scroll();
        }
        self.finish_echo();
        if self.open.unlogged {
            self.flush(Kind::Finished);
        } else if self.page.lines[y].columns() == 0 && !self.alternate() {
            self.log_empty_row();
        }
        self.down_or_scroll();
    }

    fn down_or_scroll(&mut self) {
        if self.page.cursor.y == self.page.bottom {
            self.scroll_up(1);
        } else if self.page.cursor.y + 1 < self.height {
            self.page.cursor.y += 1;
        }
    }

    /// Moves the lines of the scroll region up; what leaves the screen at its top is finished.
    pub(super) fn scroll_up(&mut self, count: usize) {
        let (top, bottom) = (self.page.top, self.page.bottom);
        for _ in 0..count.min(bottom - top + 1) {
            if top == 0 {
                self.top_line_leaves();
            }
            self.page.lift_line(top, bottom);
            if self.open.line > 0 && (top..=bottom).contains(&self.open.line) {
                self.open.line -= 1;
            }
        }
    }

    fn top_line_leaves(&mut self) {
        let line = &self.page.lines[0];
        if !line.wrapped {
            self.page.forget_head();
            return;
        }
        self.page.head.push(line.text(), line.spans());
        if self.page.head.text.len() > MAX_ROW_BYTES {
            self.flush(Kind::Cut);
            self.page.head.keep_end(ROW_OVERLAP_BYTES);
            self.page.headless = true;
        }
    }

    /// Makes the row of a line the open one; the row that was open until now has been left.
    pub(super) fn touch(&mut self, y: usize) {
        if self.open.line != y && !self.same_row(self.open.line, y) {
            self.flush(Kind::Finished);
        }
        self.open.line = y;
    }

    /// The open row now reads otherwise than before, without new text: all of it counts again.
    pub(super) fn edited(&mut self) {
        self.written();
        self.open.shown = 0;
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

    fn log_empty_row(&mut self) {
        self.log_row("", &[], self.at);
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
        self.log_row(text, &spans, self.at);
        self.gained.normal = self.at;
        self.at
    }

    fn log_row(&mut self, text: &str, spans: &[Span], position: u64) {
        let (kind, edge) = (Kind::Finished, text.len());
        let (headless, alternate) = (false, false);
        self.log.push(&Row { text, spans, kind, edge, headless, alternate, shown: 0, position });
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

    /// The row that a line belongs to.
    fn row_at(&mut self, y: usize, kind: Kind) -> Row<'_> {
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
        let (edge, alternate, position) = (text.len(), self.normal.is_some(), self.at);
        Row { text, spans, kind, edge, headless, alternate, shown: 0, position }
    }

    /// Bytes of a row's text before the line `y` of it.
    fn bytes_before(&self, y: usize) -> usize {
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

    /// Whether a line belongs to the open row.
    pub(super) fn is_open(&self, y: usize) -> bool {
        self.same_row(self.open.line, y)
    }

    /// Whether two lines belong to one row.
    fn same_row(&self, a: usize, b: usize) -> bool {
        (a.min(b)..a.max(b)).all(|y| self.page.lines[y].wrapped)
    }

    /// The line on which the cursor's row begins.
    pub fn cursor_row(&self) -> usize {
        self.row_begin(self.page.cursor.y)
    }

    fn row_begin(&self, y: usize) -> usize {
        (0..y).rev().find(|&above| !self.page.lines[above].wrapped).map_or(0, |above| above + 1)
    }

    fn row_end(&self, y: usize) -> usize {
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

    /// The topmost row begins on the screen.
    pub(super) fn forget_head(&mut self) {
        self.head.clear();
        self.headless = false;
    }

    /// Takes the line `top` away; a blank one comes in at `bottom`.
    pub(super) fn lift_line(&mut self, top: usize, bottom: usize) {
        if let Some(mut line) = self.lines.remove(top) {
            line.clear();
            self.lines.insert(bottom, line);
        }
    }

    /// Takes the line `bottom` away; a blank one comes in at `top`.
    pub(super) fn sink_line(&mut self, top: usize, bottom: usize) {
        if let Some(mut line) = self.lines.remove(bottom) {
            line.clear();
            self.lines.insert(top, line);
        }
    }
}

pub(super) fn side(cells: u16) -> usize {
    cells.clamp(1, MAX_SIDE).into()
}
