//! The rows held against tmux's own: after any sequence of text and controls they equal what
//! `capture-pane -J` shows of the same bytes, and the cursor stands where tmux has it.
//!
//! The differences that are tmux's own choice, each undone as narrowly as can be (`rows` below):
//!
//! 1. Blanks at the end of a row: tmux fills up with them when a row is erased in a colour.
//! 2. A tab is a tab; tmux before 3.6 shows blanks in its place.
//! 3. Line-drawing characters are characters; tmux shows the letters that were sent for them.
//! 4. A bad byte is one U+FFFD; tmux 3.8 shows one for each bad sequence, before that it drops them.
//! 5. A row that began in the history is whole; `capture-pane` of the screen alone cuts it, one of the
//!    history too may join to it what had been cleared.
//! 6. In insert mode characters outside ASCII, and those that wrap, push cells as others do; tmux loses
//!    some or doubles them.
//! 7. A wide character of which half is written over or erased is gone; tmux may keep it. Such characters
//!    are tried only where nothing moves back. The cell at the margin that had no room for one may be a
//!    blank.
//! 8. A repeat repeats any character; tmux before 3.5 only those of ASCII.
//! 9. Where lines are erased or move, tmux parts rows that still go on, and joins what was never one;
//!    and it joins to a row what comes behind a wrap that was taken back. There the text is compared, and
//!    the cursor, but not where rows end.
//! 10. A combining character behind a tab joins it; tmux drops it, or joins it to a blank.

mod generate;

use std::env;
use std::fmt::Write;
use std::time::Instant;

use panewatch::pane::PaneStream;
use panewatch::tmux::{Endpoint, command};
use unicode_width::UnicodeWidthChar;

use crate::support::eventually::{HANG, eventually};
use crate::support::process;
use crate::support::program::Feed;
use crate::support::tmux::Tmux;
use generate::{Rng, is_bad, sequence};

/// Columns and lines of the panes.
const SIZES: [(u16, u16); 8] =
    [(20, 5), (80, 24), (37, 9), (7, 3), (20, 5), (10, 3), (37, 9), (5, 12)];
/// Sequences tried on the tmux of the path, and on each further one.
const SEQUENCES: usize = 10_000;
const SEQUENCES_ELSEWHERE: usize = 2_000;
/// Differences that are told of at once.
const MAX_TOLD: usize = 5;

/// What a pane's screen says.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    rows: Vec<String>,
    cursor: (usize, usize),
    alternate: bool,
}

/// What tmux says of a pane.
struct Shown {
    title: String,
    seen: Seen,
    /// The first row of the screen with what of it has scrolled off.
    first_whole: String,
}

struct Bench {
    endpoint: Endpoint,
    panes: Vec<Pane>,
    titles: usize,
    /// Whether this tmux drops bytes outside UTF-8.
    drops_bad: bool,
    _tmux: Tmux,
}

struct Pane {
    feed: Feed,
    size: (u16, u16),
}

type Sequence = Vec<Vec<u8>>;

#[tokio::test]
async fn the_rows_equal_what_tmux_captures() {
    let seed = env::var("PANEWATCH_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    eprintln!("the seed is {seed} (PANEWATCH_TEST_SEED gives another)");
    for (index, binary) in Tmux::binaries().iter().enumerate() {
        let count = if index == 0 { SEQUENCES } else { SEQUENCES_ELSEWHERE };
        let mut bench = Bench::start(binary).await;
        let mut rng = Rng::new(seed);
        let mut told = String::new();
        let mut differences = 0;
        for _ in 0..count.div_ceil(SIZES.len()) {
            let round: Vec<Sequence> =
                SIZES.iter().map(|&(w, h)| sequence(&mut rng, w.into(), h.into())).collect();
            for index in bench.differing(&round).await {
                differences += 1;
                let shrunk = bench.shrink(index, round[index].clone()).await;
                writeln!(told, "{}", bench.tell(index, &shrunk).await).unwrap();
            }
            if differences >= MAX_TOLD {
                break;
            }
        }
        assert!(differences == 0, "{binary} shows other rows:\n{told}");
    }
}

impl Bench {
    async fn start(binary: &str) -> Self {
        let tmux = Tmux::start_with(binary);
        let panes = SIZES.iter().map(|&size| Pane::start(&tmux, size)).collect();
        let endpoint = Endpoint::at(tmux.socket());
        let mut bench = Self { endpoint, panes, titles: 0, drops_bad: false, _tmux: tmux };
        let shown = bench.show(0, b"a\xffb").await;
        bench.drops_bad = shown.seen.rows == ["ab"];
        bench
    }

    /// The panes in which this round of sequences, one a pane, does not do what tmux does.
    async fn differing(&mut self, round: &[Sequence]) -> Vec<usize> {
        let title = self.next_title();
        for (pane, sequence) in self.panes.iter_mut().zip(round) {
            pane.print(&sequence.concat(), &title);
        }
        let mut differing = Vec::new();
        let shown = self.all_shown(&title).await;
        for (index, (shown, sequence)) in shown.into_iter().zip(round).enumerate() {
            if !self.agrees(index, sequence, &shown) {
                differing.push(index);
            }
        }
        differing
    }

    /// Leaves pieces out as long as the difference stays.
    async fn shrink(&mut self, index: usize, mut sequence: Sequence) -> Sequence {
        let mut size = sequence.len().div_ceil(2);
        loop {
            let mut from = 0;
            while from < sequence.len() && sequence.len() > 1 {
                let mut shorter = sequence.clone();
                shorter.drain(from..(from + size).min(sequence.len()));
                let shown = self.show(index, &shorter.concat()).await;
                if self.agrees(index, &shorter, &shown) {
                    from += size;
                } else {
                    sequence = shorter;
                }
            }
            if size == 1 {
                return sequence;
            }
            size = size.div_ceil(2);
        }
    }

    async fn tell(&mut self, index: usize, sequence: &Sequence) -> String {
        let shown = self.show(index, &sequence.concat()).await;
        let (width, height) = self.panes[index].size;
        let bytes = sequence.concat();
        let ours = self.ours(index, sequence);
        format!(
            "{width}x{height}: b\"{}\"\n  ours {ours:?}\n  tmux {:?}",
            bytes.escape_ascii(),
            shown.seen
        )
    }

    fn agrees(&self, index: usize, sequence: &Sequence, shown: &Shown) -> bool {
        let bytes = sequence.concat();
        let ours = self.ours(index, sequence);
        let theirs = &shown.seen;
        let width = usize::from(self.panes[index].size.0);
        let inserts = bytes.windows(4).any(|w| w == b"\x1b[4h");
        let wraps = ours.rows.iter().any(|row| row.len() > width);
        if inserts && (wraps || !bytes.is_ascii()) || joins(sequence) || halves(&bytes) {
            return true;
        }
        let same_rows = ours.rows.len() == theirs.rows.len()
            && ours.rows.iter().zip(&theirs.rows).enumerate().all(|(y, (ours, theirs))| {
                let cut = || same_row(ours, &shown.first_whole) || is_end(theirs, ours);
                same_row(ours, theirs) || (y == 0 && cut())
            });
        let same_text = || {
            let (ours, theirs) = (ours.rows.concat(), theirs.rows.concat());
            rough(&ours) == rough(&theirs) || is_end(&theirs, &ours)
        };
        let parted = ours.rows.len() > theirs.rows.len();
        ours.cursor == theirs.cursor
            && ours.alternate == theirs.alternate
            && (same_rows || ((moves_lines(&bytes) || parted) && same_text()))
    }

    fn ours(&self, index: usize, sequence: &Sequence) -> Seen {
        let (width, height) = self.panes[index].size;
        let mut stream = PaneStream::new(width, height);
        let bad: &[u8] = if self.drops_bad { b"B" } else { b"\xffB" };
        let dropped = |piece: &Vec<u8>| if is_bad(piece) { bad.to_vec() } else { piece.clone() };
        let bytes: Vec<u8> = sequence.iter().flat_map(dropped).collect();
        stream.feed(RESET, Instant::now(), &mut |_| {});
        stream.feed(&bytes, Instant::now(), &mut |_| {});
        let mut rows = Vec::new();
        stream.for_each_row(|_, row| rows.push(row.text.to_owned()));
        let cursor = stream.screen().cursor();
        Seen {
            rows: without_blank_end(rows),
            cursor: (cursor.x, cursor.y),
            alternate: stream.screen().alternate(),
        }
    }

    /// Prints these bytes in a pane, and what it then shows.
    async fn show(&mut self, index: usize, bytes: &[u8]) -> Shown {
        let title = self.next_title();
        self.panes[index].print(bytes, &title);
        let endpoint = &self.endpoint;
        let pane = &self.panes[index..=index];
        let probe = async || capture(endpoint, pane).await.pop().filter(|s| s.title == title);
        eventually("a sequence to be shown", HANG, probe).await
    }

    async fn all_shown(&self, title: &str) -> Vec<Shown> {
        let probe = async || {
            let shown = capture(&self.endpoint, &self.panes).await;
            shown.iter().all(|s| s.title == title).then_some(shown)
        };
        eventually("a round of sequences to be shown", HANG, probe).await
    }

    fn next_title(&mut self) -> String {
        self.titles += 1;
        format!("end-{}", self.titles)
    }
}

impl Pane {
    fn start(tmux: &Tmux, size: (u16, u16)) -> Self {
        let feed = Feed::start(tmux);
        let (width, height) = (size.0.to_string(), size.1.to_string());
        tmux.run(&["resize-window", "-t", &feed.pane, "-x", &width, "-y", &height]);
        let mut stty = process::command("stty");
        // else the terminal would make CR LF of LF
        stty.args(["-F", &tmux.show(&feed.pane, "#{pane_tty}"), "raw", "-echo"]);
        assert!(process::run_to_end(stty).status.success(), "stty");
        Self { feed, size }
    }

    /// Prints bytes on a pane that is as good as new, and a title that says that they are all there.
    fn print(&mut self, bytes: &[u8], title: &str) {
        let end = format!("\x1b\\\x1b]2;{title}\x07");
        self.feed.print([RESET, bytes, end.as_bytes()].concat());
    }
}

/// Makes a pane as good as new, the cursor included that the end of a full-screen program brings back.
const RESET: &[u8] = b"\x1b[?1049l\x1bc\x1b[H\x1b[?1049h\x1b[?1049l\x1bc\x1b7\x1b[3J";

const MARK: &str = "<<against-tmux>>";

/// What all panes show, asked in one go.
async fn capture(endpoint: &Endpoint, panes: &[Pane]) -> Vec<Shown> {
    let state =
        format!("{MARK}#{{pane_title}} #{{cursor_x}} #{{cursor_y}} #{{alternate_on}}{MARK}");
    let mut argv = Vec::new();
    for pane in panes {
        let id = pane.feed.pane.as_str();
        argv.extend(["display-message", "-p", "-t", id, &state, ";"]);
        argv.extend(["capture-pane", "-p", "-J", "-t", id, ";"]);
        argv.extend(["display-message", "-p", "-t", id, MARK, ";"]);
        argv.extend(["capture-pane", "-p", "-J", "-S", "-", "-t", id, ";"]);
    }
    argv.pop();
    let output = command::run(endpoint, &argv).await.expect("capturing panes");
    let parts: Vec<&str> = output.split(MARK).skip(1).collect();
    parts.chunks(3).map(|part| shown(part[0], part[1], part[2])).collect()
}

fn shown(state: &str, screen: &str, all: &str) -> Shown {
    let [title, x, y, alternate] = state.split(' ').collect::<Vec<_>>()[..] else {
        panic!("not a state: {state:?}")
    };
    let lines = |text: &str| -> Vec<String> {
        let text = text.strip_prefix('\n').unwrap_or(text);
        text.lines().map(str::to_owned).collect()
    };
    let (screen, all) = (lines(screen), lines(all));
    let first_whole = all[all.len().saturating_sub(screen.len())..].first().cloned();
    let cursor = (x.parse().unwrap(), y.parse().unwrap());
    let seen = Seen { rows: without_blank_end(screen), cursor, alternate: alternate == "1" };
    Shown { title: title.to_owned(), seen, first_whole: first_whole.unwrap_or_default() }
}

/// Rows as they are compared (1).
fn without_blank_end(mut rows: Vec<String>) -> Vec<String> {
    while rows.last().is_some_and(|row| row.trim().is_empty()) {
        rows.pop();
    }
    rows
}

/// Whether one row is ours and the other tmux's.
fn same_row(ours: &str, theirs: &str) -> bool {
    let (ours, theirs) = (ours.trim_end(), theirs.trim_end());
    let (ours_blank, theirs_blank) = (without_wide(ours), without_wide(theirs));
    let packed = |row: &str| row.replace(' ', "");
    alike(ours, theirs)
        || (ours_blank != ours && alike(&packed(&ours_blank), &packed(&theirs_blank)))
        || alike(&ours_blank, &theirs_blank)
        || (ours.contains('\t') && alike(&words(&ours_blank), &words(&theirs_blank)))
}

/// Whether lines move other than up the whole screen (9).
fn moves_lines(bytes: &[u8]) -> bool {
    bytes.split(|b| *b == 0x1b).any(|sequence| match sequence.split_first() {
        Some((b'[', rest)) => {
            let last = rest.iter().find(|b| b.is_ascii_alphabetic());
            last.is_some_and(|b| b"rLMSTJK".contains(b))
                || rest.starts_with(b"?47h")
                || rest.starts_with(b"?1047h")
                || rest.starts_with(b"?1049h")
        }
        Some((b'M', _)) => true,
        _ => false,
    })
}

/// Whether a text is what is left of another whose beginning has scrolled off (5).
fn is_end(text: &str, whole: &str) -> bool {
    let text = rough(text);
    !text.is_empty() && rough(whole).ends_with(&text)
}

/// What of a text is the same for both, whatever they do with blanks, lines and wide characters.
fn rough(text: &str) -> String {
    let kept = |c: &char| !matches!(c, ' ' | '\t') && c.width() != Some(2);
    text.chars().filter(kept).map(undrawn).collect()
}

/// Whether wide characters may have been written over by half (7).
fn halves(bytes: &[u8]) -> bool {
    let wide = String::from_utf8_lossy(bytes).chars().any(|c| c.width() == Some(2));
    wide && bytes.iter().any(|b| matches!(b, 0x08 | b'\r' | 0x1b | 0x0b))
}

/// Whether a character outside ASCII is repeated (8), or one may be combined with a tab (10).
fn joins(sequence: &Sequence) -> bool {
    let bytes = sequence.concat();
    let combines = String::from_utf8_lossy(&bytes).chars().any(|c| c.width() == Some(0));
    (combines && bytes.contains(&b'\t'))
        || sequence.windows(2).any(|pair| !pair[0].is_ascii() && pair[1].ends_with(b"b"))
}

/// Equal, but for letters in the place of lines (3). A character that was sent as itself is shown as itself.
fn alike(ours: &str, theirs: &str) -> bool {
    ours.chars().count() == theirs.chars().count()
        && ours.chars().zip(theirs.chars()).all(|(o, t)| o == t || undrawn(o) == t)
}

/// A blank in the place of each wide character (7).
fn without_wide(row: &str) -> String {
    row.chars().map(|c| if c.width() == Some(2) { ' ' } else { c }).collect()
}

/// A row with its blanks and tabs as one blank each (2).
fn words(row: &str) -> String {
    row.split([' ', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What was sent to draw a line (3).
fn undrawn(c: char) -> char {
    ('`'..='~').find(|&letter| panewatch::pane::charset::line_drawing(letter) == c).unwrap_or(c)
}
