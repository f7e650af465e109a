//! One line of the screen: its text, edited by column.
//!
//! A line that holds only ASCII is just its text, since there a column is a byte. Other lines keep
//! the length and width of each cell beside it. Cells that nobody wrote at the end of a line do not
//! exist. No attributes: a blank is a blank.

use std::ops::Range;

use super::row::{OLD, Span, push_span, splice};

/// Bytes that one cell may hold with its combining characters.
const MAX_CELL_BYTES: usize = 32;

/// The length and width of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    bytes: u8,
    width: u8,
}

const BLANK: Cell = Cell { bytes: 1, width: 1 };

/// A line of the screen.
#[derive(Debug, Clone, Default)]
pub struct Line {
    text: String,
    /// `None`: every cell is one byte and one column.
    cells: Option<Vec<Cell>>,
    columns: usize,
    spans: Vec<Span>,
    /// The line before text was erased from it, and the burst of output in which that was (W9).
    ghost: Option<Box<(u64, Line)>>,
    /// The text went on in the next line because this one was full.
    pub wrapped: bool,
}

impl Line {
    /// The line's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where its text comes from.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Columns up to the last cell that was ever written.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Empties the line and keeps its memory for the next one.
    pub fn clear(&mut self) {
        self.text.clear();
        self.cells = None;
        self.columns = 0;
        self.spans.clear();
        self.ghost = None;
        self.wrapped = false;
    }

    /// Remembers the line as it is, before text is erased from it in a burst of output.
    pub fn remember(&mut self, burst: u64) {
        if self.ghost.as_ref().is_none_or(|ghost| ghost.0 != burst) {
            self.ghost = None;
            self.ghost = Some(Box::new((burst, self.clone())));
        }
    }

    /// Empties the line, but remembers what it said.
    pub fn erase_all(&mut self, burst: u64) {
        if self.shows(0..self.columns) {
            self.remember(burst);
        }
        let ghost = self.ghost.take();
        self.clear();
        self.ghost = ghost;
    }

    /// What stood in a range of columns before this burst of output erased it, else what stands there.
    pub fn stood(&self, columns: Range<usize>, burst: u64) -> &str {
        match &self.ghost {
            Some(ghost) if ghost.0 == burst && !self.shows(columns.clone()) => {
                ghost.1.slice(columns)
            }
            _ => self.slice(columns),
        }
    }

    /// Writes ASCII text at a column, over what is there.
    pub fn put_ascii(&mut self, column: usize, text: &str, stamp: u64) {
        if column == self.columns {
            push_span(&mut self.spans, self.text.len(), stamp);
            self.text.push_str(text);
            if let Some(cells) = &mut self.cells {
                cells.extend(std::iter::repeat_n(BLANK, text.len()));
            }
            self.columns += text.len();
        } else {
            let cells = self.cells.is_some().then(|| vec![BLANK; text.len()]);
            self.replace(column..column + text.len(), text, cells, stamp);
        }
    }

    /// Writes one character of a width other than that of ASCII, or outside ASCII, at a column.
    pub fn put_char(&mut self, column: usize, c: char, width: usize, stamp: u64) {
        let mut buffer = [0; 4];
        let text = c.encode_utf8(&mut buffer);
        let cell = Cell { bytes: small(text.len()), width: small(width) };
        self.need_cells();
        self.replace(column..column + width, text, Some(vec![cell]), stamp);
    }

    /// Adds a combining character to the cell that ends at a column.
    pub fn combine(&mut self, column: usize, c: char, stamp: u64) {
        if column == 0 {
            return;
        }
        // on a blank cell that nobody wrote, too
        self.pad(column);
        self.need_cells();
        let (cell, at) = self.cell_at(column - 1);
        let Some(cells) = &mut self.cells else { return };
        let end = at + usize::from(cells[cell].bytes);
        if usize::from(cells[cell].bytes) + c.len_utf8() > MAX_CELL_BYTES {
            return;
        }
        cells[cell].bytes += small(c.len_utf8());
        let mut buffer = [0; 4];
        splice(&mut self.spans, self.text.len(), end..end, c.len_utf8(), stamp);
        self.text.insert_str(end, c.encode_utf8(&mut buffer));
    }

    /// Blanks the cells of a range of columns; at the end of the line they cease to exist, unless the row
    /// goes on behind them.
    pub fn erase(&mut self, columns: Range<usize>) {
        if columns.start >= self.columns {
            return;
        }
        let end = columns.end.min(self.columns);
        if end == self.columns && !self.wrapped {
            self.truncate(columns.start);
        } else {
            self.blank(columns.start..end);
        }
    }

    /// Moves the cells from `column` on to the right by `count`; what passes `width` is lost. Where fewer
    /// cells move than come in, tmux leaves those between as they were.
    pub fn insert(&mut self, column: usize, count: usize, width: usize) {
        if column >= self.columns {
            return;
        }
        if column + 1 >= width {
            return self.erase(column..width);
        }
        let moved = width.saturating_sub(column + count);
        if moved == 0 {
            return;
        }
        let kept = (moved < count).then(|| self.slice(column + moved..column + count).to_owned());
        let text = " ".repeat(count);
        let cells = self.cells.is_some().then(|| vec![BLANK; count]);
        self.replace(column..column, &text, cells, OLD);
        if self.columns > width {
            self.truncate(width);
        }
        if let Some(kept) = kept.filter(|kept| kept.is_ascii() && !kept.contains('\t')) {
            self.put_ascii(column + moved, &kept, OLD);
        }
    }

    /// Removes cells at `column`; those behind them move to the left.
    pub fn delete(&mut self, column: usize, count: usize) {
        if column >= self.columns {
            return;
        }
        let before = self.columns;
        let end = (column + count).min(before);
        let cells = self.cells.is_some().then(Vec::new);
        self.replace(column..end, "", cells, OLD);
        if self.wrapped {
            self.pad(before);
        }
    }

    /// Removes everything from a column on.
    pub fn truncate(&mut self, column: usize) {
        if column >= self.columns {
            return;
        }
        self.part_wide_cell(column);
        let (cell, at) = self.cell_at(column);
        self.text.truncate(at);
        self.spans.truncate(self.spans.partition_point(|s| (s.at as usize) < at));
        if let Some(cells) = &mut self.cells {
            cells.truncate(cell);
        }
        self.columns = column;
    }

    /// Bytes of the text count as old.
    pub fn mark_old(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            let (len, added) = (self.text.len(), range.len());
            splice(&mut self.spans, len, range, added, OLD);
        }
    }

    /// Whether a range of columns shows anything but blanks.
    pub fn shows(&self, columns: Range<usize>) -> bool {
        self.slice(columns).bytes().any(|b| b != b' ' && b != b'\t')
    }

    /// The text of a range of columns; a cell that is cut by its edge is in it.
    pub fn slice(&self, columns: Range<usize>) -> &str {
        let from = self.cell_at(columns.start.min(self.columns)).1;
        let to = if columns.end >= self.columns {
            self.text.len()
        } else {
            let (cell, at) = self.cell_at(columns.end);
            match &self.cells {
                Some(cells) if self.column_of(cell) < columns.end => {
                    at + usize::from(cells[cell].bytes)
                }
                _ => at,
            }
        };
        &self.text[from.min(to)..to]
    }

    /// Where a column is in the text: the byte at which its cell begins.
    pub fn offset(&self, column: usize) -> usize {
        self.cell_at(column.min(self.columns)).1
    }

    fn blank(&mut self, columns: Range<usize>) {
        let count = columns.len();
        let cells = self.cells.is_some().then(|| vec![BLANK; count]);
        self.replace(columns, &" ".repeat(count), cells, OLD);
    }

    /// Puts `text` in the place of a range of columns, which may begin behind the end of the line.
    fn replace(&mut self, columns: Range<usize>, text: &str, cells: Option<Vec<Cell>>, stamp: u64) {
        self.pad(columns.start);
        self.part_wide_cell(columns.start);
        let end = columns.end.min(self.columns);
        self.part_wide_cell(end);
        let (first, from) = self.cell_at(columns.start);
        let (last, to) = self.cell_at(end);
        splice(&mut self.spans, self.text.len(), from..to, text.len(), stamp);
        self.text.replace_range(from..to, text);
        let added = cells.as_ref().map_or(text.len(), |c| width_of(c));
        if let (Some(all), Some(new)) = (&mut self.cells, cells) {
            all.splice(first..last, new);
        }
        self.columns = self.columns - (end - columns.start) + added;
    }

    /// Fills up with blanks as far as a column.
    fn pad(&mut self, column: usize) {
        if column > self.columns {
            let missing = column - self.columns;
            push_span(&mut self.spans, self.text.len(), OLD);
            self.text.extend(std::iter::repeat_n(' ', missing));
            if let Some(cells) = &mut self.cells {
                cells.extend(std::iter::repeat_n(BLANK, missing));
            }
            self.columns = column;
        }
    }

    /// Turns a cell that a column cuts in two into blanks, as tmux does when half of it is written over.
    fn part_wide_cell(&mut self, column: usize) {
        if self.cells.is_none() || column >= self.columns {
            return;
        }
        let (cell, at) = self.cell_at(column);
        let begin = self.column_of(cell);
        let Some(cells) = &mut self.cells else { return };
        if begin == column {
            return;
        }
        let Cell { bytes, width } = cells[cell];
        cells.splice(cell..=cell, std::iter::repeat_n(BLANK, width.into()));
        let range = at..at + usize::from(bytes);
        splice(&mut self.spans, self.text.len(), range.clone(), width.into(), OLD);
        self.text.replace_range(range, &" ".repeat(width.into()));
    }

    fn need_cells(&mut self) {
        if self.cells.is_none() {
            self.cells = Some(vec![BLANK; self.text.len()]);
        }
    }

    /// The index and the first byte of the cell that covers a column, or of the end.
    fn cell_at(&self, column: usize) -> (usize, usize) {
        let Some(cells) = &self.cells else { return (column, column) };
        let (mut at, mut begin) = (0, 0);
        for (i, cell) in cells.iter().enumerate() {
            if begin + usize::from(cell.width) > column {
                return (i, at);
            }
            begin += usize::from(cell.width);
            at += usize::from(cell.bytes);
        }
        (cells.len(), at)
    }

    fn column_of(&self, cell: usize) -> usize {
        self.cells.as_ref().map_or(cell, |cells| width_of(&cells[..cell]))
    }
}

fn width_of(cells: &[Cell]) -> usize {
    cells.iter().map(|c| usize::from(c.width)).sum()
}

fn small(n: usize) -> u8 {
    u8::try_from(n).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests;
