//! A screen as tmux captured it, from which a stream that is seen from its middle on begins.
//!
//! tmux does not tell its attributes, a pending wrap or the tab stops (tmux-control-mode 13); what
//! is here is what moves text.

use unicode_width::UnicodeWidthChar;

use super::line::Line;
use super::row::OLD;
use super::screen::{Cursor, Modes, Page, Screen, side};

/// What [`Seed::parse`] reads, as a tmux format.
pub const STATE_FORMAT: &str = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{alternate_on} \
    #{scroll_region_upper} #{scroll_region_lower} #{wrap_flag} #{insert_flag} #{origin_flag} \
    #{history_size}";

/// A captured screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// Columns.
    pub width: u16,
    /// Lines.
    pub height: u16,
    /// The rows of the screen, wraps joined.
    pub rows: Vec<String>,
    /// The cursor.
    pub cursor: Cursor,
    /// Whether a full-screen program has the pane.
    pub alternate: bool,
    /// Lines in the history above the screen.
    pub history: usize,
    /// The escape sequence that tmux is in the middle of.
    pub unfinished: Vec<u8>,
    region: (usize, usize),
    modes: Modes,
}

impl Seed {
    /// Reads what tmux answered to [`STATE_FORMAT`], to `capture-pane -p -J` and to
    /// `capture-pane -p -P`.
    pub fn parse(state: &str, rows: &[u8], unfinished: &[u8]) -> Option<Self> {
        let numbers: Vec<usize> = state.split_whitespace().map_while(|n| n.parse().ok()).collect();
        let &[width, height, x, y, alternate, top, bottom, wrap, insert, origin, history] =
            &numbers[..]
        else {
            return None;
        };
        let text = String::from_utf8_lossy(rows);
        Some(Self {
            width: u16::try_from(width).ok()?,
            height: u16::try_from(height).ok()?,
            rows: text.lines().map(str::to_owned).collect(),
            cursor: Cursor { x, y },
            alternate: alternate == 1,
            history,
            unfinished: unfinished.strip_suffix(b"\n").unwrap_or(unfinished).to_vec(),
            region: (top, bottom),
            modes: Modes {
                wrap: wrap == 1,
                insert: insert == 1,
                origin: origin == 1,
                ..Modes::default()
            },
        })
    }

    /// Whether the pane has never shown anything.
    pub fn is_blank(&self) -> bool {
        self.history == 0 && !self.alternate && self.rows.iter().all(|row| row.trim().is_empty())
    }
}

impl Screen {
    /// Takes a captured screen for its own. None of its text is new.
    pub fn seed(&mut self, seed: &Seed) {
        self.flush(super::row::Kind::Settled);
        (self.width, self.height) = (side(seed.width), side(seed.height));
        let mut page = Page::new(self.height);
        page.lines = layout(&seed.rows, self.width, self.height).into();
        page.cursor =
            Cursor { x: seed.cursor.x.min(self.width), y: seed.cursor.y.min(self.height - 1) };
        let (top, bottom) = seed.region;
        if top < bottom && bottom < self.height {
            (page.top, page.bottom) = seed.region;
        }
        self.page = page;
        self.normal = seed.alternate.then(|| Page::new(self.height));
        self.modes = seed.modes;
        self.tabs = None;
        self.reset_open();
    }
}

/// Lays rows out on lines as tmux does. Too many: the last ones stay.
fn layout(rows: &[String], width: usize, height: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for row in rows {
        let mut line = Line::default();
        for c in row.chars() {
            let cells = c.width().unwrap_or(0);
            if cells == 0 {
                line.combine(line.columns(), c, OLD);
                continue;
            }
            if line.columns() + cells > width {
                line.wrapped = true;
                lines.push(std::mem::take(&mut line));
            }
            let column = line.columns();
            if c.is_ascii() {
                line.put_ascii(column, c.encode_utf8(&mut [0; 4]), OLD);
            } else {
                line.put_char(column, c, cells, OLD);
            }
        }
        lines.push(line);
    }
    lines.drain(..lines.len().saturating_sub(height));
    lines.resize_with(height, Line::default);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_screen_is_the_screen() {
        let state = "10 4 3 2 0 0 3 1 0 0 7";
        let seed = Seed::parse(state, b"0123456789abc\n$ \n>>>\n", b"\x1b[3\n").unwrap();
        assert_eq!(seed.unfinished, b"\x1b[3");
        let mut screen = Screen::new(80, 24);
        screen.seed(&seed);
        let mut rows = Vec::new();
        screen.for_each_row(|y, row| rows.push((y, row.text.to_owned())));
        let want = [(0, "0123456789abc"), (2, "$ "), (3, ">>>")];
        assert_eq!(rows, want.map(|(y, text)| (y, text.to_owned())));
        assert_eq!(screen.size(), (10, 4));
    }

    #[test]
    fn what_is_no_state_is_no_seed() {
        for state in [
            "",
            "80 24",
            "80 24 0 0 0 0 23 1 0 0",
            "80 24 x 0 0 0 23 1 0 0 0",
            "99999 1 0 0 0 0 0 1 0 0 0",
        ] {
            assert_eq!(Seed::parse(state, b"", b""), None, "{state}");
        }
    }
}
