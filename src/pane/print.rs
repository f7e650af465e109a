//! Printing on the screen: characters, wraps and line ends.
//!
//! What is printed makes its row the open one. Where it goes over visible text the row is shown first, and
//! a run of text that does so is one edit, however it is chunked (W3).

use unicode_width::UnicodeWidthChar;

use super::charset::line_drawing;
use super::row::Kind;
use super::screen::{Cursor, Screen};
use crate::limits::{MAX_ROW_BYTES, ROW_OVERLAP_BYTES};

impl Screen {
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

    /// Prints a character.
    pub fn print_char(&mut self, c: char, stamp: u64) {
        if c.is_ascii() {
            return self.print(c.encode_utf8(&mut [0; 4]), stamp);
        }
        self.last_char = Some(c);
        self.put_char(c, stamp);
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

    /// Text that begins a blank line, and has come there by a line end, is a row of its own. A line editor
    /// at the margin wraps and takes the wrap back; tmux remembers the wrap all the same, and would join
    /// what comes next to the line that was typed.
    fn take_wrap_back(&mut self, y: usize) {
        if !self.page.lines[y].shows(0..self.width) {
            self.page.break_before(y);
        }
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
            } else {
                self.page.break_before(top);
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
}
