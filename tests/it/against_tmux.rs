//! The rows held against tmux's own: after any sequence of text and controls they equal what
//! `capture-pane -J` shows of the same bytes, and the cursor stands where tmux has it.
//!
//! The differences that are tmux's own choice, each undone as narrowly as can be (`rows` below):
//!
//! 1. Blanks at the end of a row: tmux fills up with them when a row is erased in a colour.
//! 2. A tab is a tab; tmux before 3.6 shows blanks in its place.
//! 3. Line-drawing characters are characters; tmux shows the letters that were sent for them.
//! 4. A bad byte is one U+FFFD; a tmux that drops it is held against the sequence without it.
//! 5. A row that began in the history is whole; `capture-pane` of the screen alone cuts it, one of the
//!    history too may join to it what had been cleared.

mod generate;

use std::env;
use std::fmt::Write;
use std::time::Instant;

use panewatch::pane::PaneStream;
use panewatch::tmux::{Endpoint, command};

use crate::support::eventually::{HANG, eventually};
use crate::support::process;
use crate::support::program::Feed;
use crate::support::tmux::Tmux;
use generate::{Rng, is_bad, sequence};

/// Columns and lines of the panes.
const SIZES: [(u16, u16); 8] =
    [(20, 5), (80, 24), (37, 9), (2, 2), (20, 5), (10, 3), (37, 9), (5, 12)];
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
        let ours = self.ours(index, sequence);
        let theirs = &shown.seen;
        ours.cursor == theirs.cursor
            && ours.alternate == theirs.alternate
            && ours.rows.len() == theirs.rows.len()
            && ours.rows.iter().zip(&theirs.rows).enumerate().all(|(y, (ours, theirs))| {
                same_row(ours, theirs) || y == 0 && same_row(ours, &shown.first_whole)
            })
    }

    fn ours(&self, index: usize, sequence: &Sequence) -> Seen {
        let (width, height) = self.panes[index].size;
        let mut stream = PaneStream::new(width, height);
        let kept = |piece: &&Vec<u8>| !(self.drops_bad && is_bad(piece));
        let dropped = |piece: &Vec<u8>| {
            if self.drops_bad && is_bad(piece) { b"B".to_vec() } else { piece.clone() }
        };
        let _ = kept;
        let bytes: Vec<u8> = sequence.iter().flat_map(dropped).collect();
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
        self.feed.print([b"\x1b[?1049l\x1bc\x1b[3J", bytes, end.as_bytes()].concat());
    }
}

const MARK: &str = "<<against-tmux>>";

/// What all panes show, asked in one go.
async fn capture(endpoint: &Endpoint, panes: &[Pane]) -> Vec<Shown> {
    let state =
        format!("{MARK}#{{pane_title}} #{{cursor_x}} #{{cursor_y}} #{{alternate_on}}{MARK}");
    let mark = format!("{MARK}");
    let mut argv = Vec::new();
    for pane in panes {
        let id = pane.feed.pane.as_str();
        argv.extend(["display-message", "-p", "-t", id, &state, ";"]);
        argv.extend(["capture-pane", "-p", "-J", "-t", id, ";"]);
        argv.extend(["display-message", "-p", "-t", id, &mark, ";"]);
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
    let ours: String = ours.chars().map(undrawn).collect();
    let (ours, theirs) = (ours.trim_end(), theirs.trim_end());
    ours == theirs || untabbed(ours, theirs)
}

/// What was sent to draw a line (3).
fn undrawn(c: char) -> char {
    ('`'..='~').find(|&letter| panewatch::pane::charset::line_drawing(letter) == c).unwrap_or(c)
}

/// Whether the rows are equal but for blanks where ours has tabs (2).
fn untabbed(ours: &str, theirs: &str) -> bool {
    let mut rest = theirs;
    for (index, piece) in ours.split('\t').enumerate() {
        let cut = if index == 0 { rest } else { rest.trim_start_matches(' ') };
        let blanks = piece.len() - piece.trim_start_matches(' ').len();
        let tab = rest.len() - cut.len();
        if index > 0 && tab < 1 + blanks {
            return false;
        }
        let word = if index == 0 { piece } else { &piece[blanks..] };
        let Some(behind) = cut.strip_prefix(word) else { return false };
        rest = behind;
    }
    rest.is_empty()
}
