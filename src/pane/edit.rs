//! Erasing, inserting, deleting and scrolling on the screen, moving its cursor, switching screens.
//!
//! Each does what tmux does. What takes visible text away shows the row first (W3).

use std::ops::Range;

use super::line::Line;
use super::row::{Kind, OLD};
use super::screen::{Cursor, Modes, Page, Saved, Screen, side};

/// Which part of a line or of the screen is erased, seen from the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// From the cursor to the end.
    After,
    /// From the beginning to the cursor, its cell included.
    Before,
    /// Everything.
    All,
}

impl Screen {
    /// EL: erases in the cursor's line.
    pub fn erase_line(&mut self, part: Part) {
        let Cursor { x, y } = self.page.cursor;
        match part {
            Part::After if x > 0 => self.erase_cells(y, x, self.width),
            Part::Before if x + 1 < self.width => self.erase_cells(y, 0, x + 1),
            // an editor that erases a line that it has just come to by a wrap goes on in the same row
            Part::After if !self.page.lines[y].shows(0..self.width) => {
                self.page.lines[y].erase(0..self.width);
            }
            _ => self.clear_line(y),
        }
    }

    /// ED: erases on the screen.
    pub fn erase_screen(&mut self, part: Part) {
        let y = self.page.cursor.y;
        self.flush(Kind::Edited);
        let lines = match part {
            Part::After => y + 1..self.height,
            Part::Before => 0..y,
            Part::All => 0..self.height,
        };
        if part != Part::All {
            self.erase_line(part);
        }
        if !lines.is_empty() {
            self.page.break_before(lines.start);
        }
        lines.for_each(|y| self.page.lines[y].erase_all(self.burst));
    }

    /// ECH: blanks cells from the cursor on.
    pub fn erase_chars(&mut self, count: usize) {
        let Cursor { x, y } = self.page.cursor;
        if x == 0 && count >= self.width {
            return self.clear_line(y);
        }
        self.erase_cells(y, x, (x + count).min(self.width));
    }

    fn erase_cells(&mut self, y: usize, from: usize, to: usize) {
        let burst = self.burst;
        self.change_cells(y, from..to, |line| {
            if line.shows(from..to) {
                line.remember(burst);
            }
            line.erase(from..to);
        });
    }

    /// Changes cells of a line in place. Where they show something, the row is shown first (W3).
    fn change_cells(&mut self, y: usize, cells: Range<usize>, change: impl FnOnce(&mut Line)) {
        let line = &self.page.lines[y];
        let takes = line.shows(cells.clone());
        // blanks at the end of a row are text too: `$` is behind them
        let changes = takes || (self.is_open(y) && line.columns() > cells.start);
        if takes {
            self.flush(Kind::Edited);
        }
        change(&mut self.page.lines[y]);
        if changes {
            self.touch(y);
            self.edited();
        }
    }

    fn clear_line(&mut self, y: usize) {
        if self.page.lines[y].shows(0..self.width) {
            self.flush(Kind::Edited);
        }
        self.page.break_before(y);
        self.page.lines[y].erase_all(self.burst);
    }

    /// ICH: moves the cells from the cursor on to the right.
    pub fn insert_chars(&mut self, count: usize) {
        let (Cursor { x, y }, width) = (self.page.cursor, self.width);
        if x < width {
            self.change_cells(y, x..width, |line| line.insert(x, count.min(width - x), width));
        }
    }

    /// DCH: removes cells at the cursor.
    pub fn delete_chars(&mut self, count: usize) {
        let (Cursor { x, y }, width) = (self.page.cursor, self.width);
        if x == 0 && count >= width {
            self.clear_line(y);
        } else if x < width {
            self.change_cells(y, x..width, |line| line.delete(x, count.min(width - x)));
        }
    }

    /// IL: blank lines come in at the cursor. Outside the scroll region, where fewer lines move than come
    /// in, tmux leaves those between as they were.
    pub fn insert_lines(&mut self, count: usize) {
        let (y, bottom) = (self.page.cursor.y, self.bottom_from_cursor());
        let count = count.min(bottom - y + 1);
        let moved = bottom - y + 1 - count;
        self.flush(Kind::Edited);
        if moved == 0 && !self.is_in_region(y) {
            return;
        }
        let between = y + moved.min(count)..y + count;
        let kept: Vec<Line> = self.page.lines.range(between.clone()).cloned().collect();
        self.page.break_before(y);
        self.page.sink_lines(y, bottom, count);
        if !self.is_in_region(y) {
            between.zip(kept).for_each(|(y, line)| self.page.lines[y] = line);
        }
    }

    /// DL: lines at the cursor go.
    pub fn delete_lines(&mut self, count: usize) {
        self.flush(Kind::Edited);
        let (y, bottom) = (self.page.cursor.y, self.bottom_from_cursor());
        self.page.break_before(y);
        for _ in 0..count.min(bottom - y + 1) {
            self.page.lift_line(y, bottom);
        }
    }

    /// Outside the scroll region tmux moves everything down to the end of the screen.
    fn bottom_from_cursor(&self) -> usize {
        if self.is_in_region(self.page.cursor.y) { self.page.bottom } else { self.height - 1 }
    }

    fn is_in_region(&self, y: usize) -> bool {
        (self.page.top..=self.page.bottom).contains(&y)
    }

    /// SU: the scroll region moves up.
    pub fn scroll_region_up(&mut self, count: usize) {
        self.flush(Kind::Edited);
        self.scroll_up(count);
    }

    /// SD: the scroll region moves down.
    pub fn scroll_region_down(&mut self, count: usize) {
        self.flush(Kind::Edited);
        let (top, bottom) = (self.page.top, self.page.bottom);
        self.page.break_before(top);
        for _ in 0..count.min(bottom - top + 1) {
            self.page.sink_lines(top, bottom, 1);
        }
    }

    /// RI: one line up; at the top of the region the region moves down.
    pub fn reverse_index(&mut self) {
        if self.page.cursor.y == self.page.top {
            self.scroll_region_down(1);
        } else {
            self.move_to(self.page.cursor.x, self.page.cursor.y.saturating_sub(1));
        }
    }

    /// Puts the cursor somewhere on the screen; the open row is left if it is elsewhere.
    pub fn move_to(&mut self, x: usize, y: usize) {
        let y = y.min(self.height - 1);
        self.page.cursor = Cursor { x: x.min(self.width), y };
        self.left_open_row(y);
    }

    /// CUP, HVP, VPA, CHA: from 0, in the scroll region when the origin mode is on.
    pub fn address(&mut self, x: Option<usize>, y: Option<usize>) {
        let x = x.map_or(self.page.cursor.x, |x| x.min(self.width - 1));
        let y = match y {
            Some(y) if self.modes.origin => (self.page.top + y).min(self.page.bottom),
            Some(y) => y,
            None => self.page.cursor.y,
        };
        self.move_to(x, y);
    }

    /// CUU: up, not past the top of the scroll region when the cursor is in it.
    pub fn move_up(&mut self, count: usize) {
        let Cursor { x, y } = self.page.cursor;
        let limit = if y < self.page.top { 0 } else { self.page.top };
        self.move_to(x.min(self.width - 1), limit.max(y.saturating_sub(count)));
    }

    /// CUD: down, not past the bottom of the scroll region when the cursor is in it.
    pub fn move_down(&mut self, count: usize) {
        let Cursor { x, y } = self.page.cursor;
        let limit = if y > self.page.bottom { self.height - 1 } else { self.page.bottom };
        self.move_to(x.min(self.width - 1), limit.min(y.saturating_add(count)));
    }

    /// CUF.
    pub fn move_right(&mut self, count: usize) {
        let Cursor { x, y } = self.page.cursor;
        self.move_to(x.saturating_add(count).min(self.width - 1), y);
    }

    /// CUB.
    pub fn move_left(&mut self, count: usize) {
        let Cursor { x, y } = self.page.cursor;
        self.move_to(x.saturating_sub(count), y);
    }

    /// CR.
    pub fn carriage_return(&mut self) {
        self.move_to(0, self.page.cursor.y);
    }

    /// BS: one cell back, into the line above where that one was full.
    pub fn backspace(&mut self) {
        let Cursor { x, y } = self.page.cursor;
        if x > 0 {
            self.move_to(x - 1, y);
        } else if y > 0 && self.page.lines[y - 1].wrapped {
            self.move_to(self.width - 1, y - 1);
        }
    }

    /// HT: to the next tab stop. Over blank cells a tab is text, as in tmux from 3.6 on (W2).
    pub fn tab(&mut self, stamp: u64) {
        let Cursor { x, y } = self.page.cursor;
        if x + 1 >= self.width {
            return;
        }
        let to = self.next_tab(x);
        if self.page.lines[y].shows(x..to) {
            return self.move_to(to, y);
        }
        self.touch(y);
        self.page.lines[y].put_char(x, '\t', to - x, stamp);
        self.written();
        self.page.cursor.x = to;
    }

    fn next_tab(&self, x: usize) -> usize {
        let last = self.width - 1;
        (x + 1..last).find(|&x| self.is_tab(x)).unwrap_or(last)
    }

    fn is_tab(&self, x: usize) -> bool {
        self.tabs.as_ref().map_or(x.is_multiple_of(8), |tabs| tabs.get(x).copied().unwrap_or(false))
    }

    /// CBT: back to tab stops.
    pub fn back_tab(&mut self, count: usize) {
        let mut x = self.page.cursor.x.min(self.width - 1);
        for _ in 0..count.min(self.width) {
            x = (0..x).rev().find(|&x| self.is_tab(x)).unwrap_or(0);
        }
        self.move_to(x, self.page.cursor.y);
    }

    /// HTS and TBC: sets a tab stop at the cursor, clears it, or clears all.
    pub fn set_tab(&mut self, on: bool, all: bool) {
        let (width, x) = (self.width, self.page.cursor.x);
        let tabs =
            self.tabs.get_or_insert_with(|| (0..width).map(|x| x.is_multiple_of(8)).collect());
        if all {
            tabs.fill(false);
        } else if let Some(tab) = tabs.get_mut(x) {
            *tab = on;
        }
    }

    /// DECSTBM: the scroll region, from 0, both ends in it.
    pub fn set_region(&mut self, top: usize, bottom: usize) {
        let bottom = bottom.min(self.height - 1);
        if top < bottom {
            (self.page.top, self.page.bottom) = (top, bottom);
            self.move_to(0, 0);
        }
    }

    /// DECSC.
    pub fn save_cursor(&mut self) {
        self.page.saved = Saved {
            cursor: self.page.cursor,
            origin: self.modes.origin,
            drawing: self.drawing,
            shifted: self.shifted,
        };
    }

    /// DECRC.
    pub fn restore_cursor(&mut self) {
        let Saved { cursor, origin, drawing, shifted } = self.page.saved;
        self.modes.origin = origin;
        (self.drawing, self.shifted) = (drawing, shifted);
        self.move_to(cursor.x.min(self.width - 1), cursor.y);
    }

    /// Modes 47, 1047 and, with the cursor, 1049: the screen of full-screen programs.
    pub fn set_alternate(&mut self, on: bool, with_cursor: bool) {
        let cursor = self.page.cursor;
        if on && !self.alternate() {
            self.flush(Kind::Finished);
            self.before_alternate = if with_cursor { Some(cursor) } else { self.before_alternate };
            let page = Page { cursor, ..Page::new(self.height) };
            let page = page.with_terminal_of(&self.page);
            self.normal = Some(std::mem::replace(&mut self.page, page));
            self.reset_open();
        } else if !on {
            self.leave_alternate();
            // tmux puts the cursor back each time it is asked to, and else keeps it on the screen
            let back = self.before_alternate.filter(|_| with_cursor).unwrap_or(cursor);
            self.move_to(back.x.min(self.width - 1), back.y);
        }
    }

    fn leave_alternate(&mut self) {
        if self.alternate() {
            self.flush(Kind::Finished);
            self.page = self.normal.take().unwrap_or_default().with_terminal_of(&self.page);
            self.alternate_until = Some(self.at);
            self.reset_open();
        }
    }

    /// RIS.
    pub fn reset(&mut self) {
        self.erase_screen(Part::All);
        self.modes = Modes::default();
        (self.drawing, self.shifted, self.tabs) = ([false; 2], false, None);
        self.page.saved = Saved::default();
        (self.page.top, self.page.bottom) = (0, self.height - 1);
        self.move_to(0, 0);
    }

    /// DECALN: the screen full of `E`. tmux fills the cells, and remembers where lines had been wrapped.
    pub fn alignment_test(&mut self) {
        self.flush(Kind::Edited);
        (self.page.top, self.page.bottom) = (0, self.height - 1);
        let row = "E".repeat(self.width);
        for line in &mut self.page.lines {
            line.put_ascii(0, &row, OLD);
        }
        self.move_to(0, 0);
    }

    /// The pane has another size. Text that no longer fits is cut; a new seed follows where it matters.
    pub fn resize(&mut self, width: u16, height: u16) {
        let (width, height) = (side(width), side(height));
        if (width, height) == (self.width, self.height) {
            return;
        }
        self.flush(Kind::Settled);
        (self.width, self.height) = (width, height);
        for page in std::iter::once(&mut self.page).chain(self.normal.as_mut()) {
            page.resize(width, height);
        }
        self.tabs = None;
        self.reset_open();
    }
}

impl Page {
    fn resize(&mut self, width: usize, height: usize) {
        while self.lines.len() > height {
            let spare = self.cursor.y + 1 < self.lines.len();
            if spare {
                self.lines.pop_back();
            } else {
                self.lines.pop_front();
                self.forget_head();
                self.cursor.y = self.cursor.y.saturating_sub(1);
            }
        }
        self.lines.resize_with(height, Line::default);
        for line in &mut self.lines {
            line.truncate(width);
        }
        (self.top, self.bottom) = (0, height - 1);
        self.cursor = Cursor { x: self.cursor.x.min(width), y: self.cursor.y.min(height - 1) };
    }
}
