//! A pane's bytes to what they do to its screen.
//!
//! Printable text is taken here, in runs, since only so is the stream position of every character
//! known; escape sequences go through `vte`, a byte at a time. vte does not say when a sequence is
//! over, so text goes to it too until a dispatch, or a character it prints, proves that it is.

use unicode_width::UnicodeWidthChar;
use vte::{Params, Parser, Perform};

use super::edit::Part;
use super::screen::Screen;

const ESCAPE: u8 = 0x1b;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

/// Decodes one pane.
#[derive(Default)]
pub struct Decoder {
    parser: Parser,
    state: State,
    /// The first bytes of a character whose rest has not come yet.
    partial: Vec<u8>,
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder").field("state", &self.state).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Text.
    #[default]
    Ground,
    /// In an escape sequence, or just behind one.
    Sequence,
    /// In the window name that `ESC k` begins; vte does not know this one, tmux does.
    Name,
}

impl Decoder {
    /// Decodes bytes, the first of which lies at stream position `base`. Stops early when `budget`
    /// bytes of rows have been logged and not been read; answers how many bytes it took.
    pub fn advance(
        &mut self,
        screen: &mut Screen,
        bytes: &[u8],
        base: u64,
        budget: usize,
    ) -> usize {
        let mut i = 0;
        while i < bytes.len() && screen.log().unread() < budget {
            screen.at = base + i as u64;
            i += match self.state {
                State::Ground => self.ground(screen, &bytes[i..]),
                State::Sequence => self.sequence(screen, bytes[i]),
                State::Name => self.name(&bytes[i..]),
            };
        }
        screen.at = base + i as u64;
        i
    }

    fn ground(&mut self, screen: &mut Screen, bytes: &[u8]) -> usize {
        if !self.partial.is_empty() {
            return self.rest_of_char(screen, bytes[0]);
        }
        match bytes[0] {
            b' '..=b'~' => {
                let run =
                    bytes.iter().position(|b| !matches!(b, b' '..=b'~')).unwrap_or(bytes.len());
                screen.print(std::str::from_utf8(&bytes[..run]).unwrap_or_default(), screen.at + 1);
                run
            }
            ESCAPE => {
                self.state = State::Sequence;
                self.sequence(screen, ESCAPE)
            }
            b @ 0x80.. => self.rest_of_char(screen, b),
            b => {
                control(screen, b);
                1
            }
        }
    }

    /// Takes one byte of a character outside ASCII. A byte that cannot be part of one is one U+FFFD.
    fn rest_of_char(&mut self, screen: &mut Screen, byte: u8) -> usize {
        self.partial.push(byte);
        let stamp = screen.at + 2 - self.partial.len() as u64;
        match std::str::from_utf8(&self.partial) {
            Ok(text) => {
                if let Some(c) = text.chars().next() {
                    screen.print_char(c, stamp);
                }
                self.partial.clear();
                1
            }
            Err(error) if error.error_len().is_none() => 1,
            Err(_) => self.bad_bytes(screen, stamp),
        }
    }

    /// The bytes so far are none of a character. The last one may begin something else: it is not taken.
    fn bad_bytes(&mut self, screen: &mut Screen, stamp: u64) -> usize {
        let count = self.partial.len();
        let bad = if count == 1 { 1 } else { count - 1 };
        for i in 0..bad {
            screen.print_char(char::REPLACEMENT_CHARACTER, stamp + i as u64);
        }
        self.partial.clear();
        usize::from(count == 1)
    }

    fn sequence(&mut self, screen: &mut Screen, byte: u8) -> usize {
        let mut performer = Performer { screen, state: State::Sequence };
        self.parser.advance(&mut performer, &[byte]);
        self.state = performer.state;
        1
    }

    /// Any escape ends the name, as in tmux; that byte is not taken.
    fn name(&mut self, bytes: &[u8]) -> usize {
        let end = bytes.iter().position(|b| matches!(*b, ESCAPE | CANCEL | SUBSTITUTE));
        if end.is_some() {
            self.state = State::Ground;
        }
        end.unwrap_or(bytes.len())
    }
}

/// One control character.
fn control(screen: &mut Screen, byte: u8) {
    screen.last_char = None;
    match byte {
        0x08 => screen.backspace(),
        b'\t' => screen.tab(screen.at + 1),
        b'\n' | 0x0b | 0x0c => screen.linefeed(),
        b'\r' => screen.carriage_return(),
        0x0e => screen.shifted = true,
        0x0f => screen.shifted = false,
        _ => {}
    }
}

struct Performer<'a> {
    screen: &'a mut Screen,
    state: State,
}

impl Perform for Performer<'_> {
    /// vte prints only outside sequences: the last one was over without a word.
    fn print(&mut self, c: char) {
        self.state = State::Ground;
        self.screen.print_char(c, self.screen.at + 2 - c.len_utf8() as u64);
    }

    fn execute(&mut self, byte: u8) {
        if matches!(byte, CANCEL | SUBSTITUTE) {
            self.state = State::Ground;
        }
        control(self.screen, byte);
    }

    fn osc_dispatch(&mut self, _params: &[&[u8]], bell_terminated: bool) {
        self.screen.last_char = None;
        if bell_terminated {
            self.state = State::Ground;
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        self.state = State::Ground;
        self.screen.last_char = None;
        match (intermediates, byte) {
            ([], b'k') => self.state = State::Name,
            ([], b'7') => self.screen.save_cursor(),
            ([], b'8') => self.screen.restore_cursor(),
            ([], b'D') => self.screen.linefeed(),
            ([], b'E') => {
                self.screen.carriage_return();
                self.screen.linefeed();
            }
            ([], b'H') => self.screen.set_tab(true, false),
            ([], b'M') => self.screen.reverse_index(),
            ([], b'c') => self.screen.reset(),
            ([b'#'], b'8') => self.screen.alignment_test(),
            ([b'('], set) => self.screen.drawing[0] = set == b'0',
            ([b')'], set) => self.screen.drawing[1] = set == b'0',
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        self.state = State::Ground;
        // a number that is too large for vte is so for tmux, which ignores the sequence
        if ignore || params.iter().any(|p| p[0] == u16::MAX) {
            return;
        }
        let mut numbers = params.iter().map(|p| usize::from(p[0]));
        match intermediates {
            [] if matches!(action, 'h' | 'l') => {
                numbers.filter(|&n| n == 4).for_each(|_| self.screen.modes.insert = action == 'h');
            }
            [] => csi(self.screen, action, numbers.next(), numbers.next()),
            b"?" if matches!(action, 'h' | 'l') => {
                numbers.for_each(|n| private_mode(self.screen, n, action == 'h'));
            }
            _ => {}
        }
        // only what stands right before it is repeated; a sequence unknown to tmux does not count
        if !intermediates.contains(&b'!') {
            self.screen.last_char = None;
        }
    }
}

/// A control sequence without a private mark. A parameter that is missing or 0 is 1 in most.
fn csi(screen: &mut Screen, action: char, first: Option<usize>, second: Option<usize>) {
    let n = first.unwrap_or(0).max(1);
    let part = [Part::After, Part::Before, Part::All].get(first.unwrap_or(0)).copied();
    match action {
        '@' => screen.insert_chars(n),
        'A' => screen.move_up(n),
        'B' => screen.move_down(n),
        'C' => screen.move_right(n),
        'D' => screen.move_left(n),
        'E' => {
            screen.carriage_return();
            screen.move_down(n);
        }
        'F' => {
            screen.carriage_return();
            screen.move_up(n);
        }
        'G' | '`' => screen.address(Some(n - 1), None),
        'H' | 'f' => screen.address(Some(second.unwrap_or(0).max(1) - 1), Some(n - 1)),
        'J' => part.into_iter().for_each(|part| screen.erase_screen(part)),
        'K' => part.into_iter().for_each(|part| screen.erase_line(part)),
        'L' => screen.insert_lines(n),
        'M' => screen.delete_lines(n),
        'P' => screen.delete_chars(n),
        'S' => screen.scroll_region_up(n),
        'T' => screen.scroll_region_down(n),
        'X' => screen.erase_chars(n),
        'Z' => screen.back_tab(n),
        'b' => repeat(screen, n),
        'd' => screen.address(None, Some(n - 1)),
        'g' => screen.set_tab(false, first == Some(3)),
        'r' => {
            let bottom = second.filter(|&bottom| bottom > 0).unwrap_or(usize::MAX);
            screen.set_region(n - 1, bottom - 1);
        }
        's' => screen.save_cursor(),
        'u' => screen.restore_cursor(),
        _ => {}
    }
}

/// REP: tmux repeats the last character as far as the end of the line.
fn repeat(screen: &mut Screen, count: usize) {
    let Some(c) = screen.last_char.filter(|c| c.width() != Some(0)) else { return };
    let room = screen.width.saturating_sub(screen.cursor().x);
    let stamp = screen.at + 1;
    for _ in 0..count.min(room) {
        screen.print_char(c, stamp);
    }
}

fn private_mode(screen: &mut Screen, mode: usize, on: bool) {
    match mode {
        3 => {
            screen.address(Some(0), Some(0));
            screen.erase_screen(Part::All);
        }
        6 => {
            screen.modes.origin = on;
            screen.address(Some(0), Some(0));
        }
        7 => screen.modes.wrap = on,
        47 | 1047 => screen.set_alternate(on, false),
        1049 => screen.set_alternate(on, true),
        2004 => screen.set_editor(on),
        2026 => screen.modes.frame = on,
        _ => {}
    }
}

#[cfg(test)]
mod tests;
