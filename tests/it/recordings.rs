//! Recorded control-mode sessions, replayed against the pure core.
//!
//! `tests/recordings/record.py` made them, on several versions of tmux. However the bytes are cut, the
//! rows at the end are those that tmux captured, and text of panes that looks like control mode is text.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bytes::BytesMut;
use panewatch::control::{ControlCodec, Event, PaneId};
use panewatch::pane::PaneStream;
use tokio_util::codec::Decoder;

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let entries =
        fs::read_dir(folder).expect("the recordings").map(|e| e.expect("an entry").path());
    let found: Vec<PathBuf> =
        entries.filter(|p| p.extension().is_some_and(|e| e == "ctl")).collect();
    assert!(found.len() >= 9, "only {found:?}");
    found
}

/// What a link said, decoded in pieces of a size.
fn events(said: &[u8], piece: usize) -> Vec<Event> {
    let (mut codec, mut buffer, mut events) =
        (ControlCodec::default(), BytesMut::new(), Vec::new());
    for part in said.chunks(piece) {
        buffer.extend_from_slice(part);
        while let Some(event) = codec.decode(&mut buffer).expect("a recording that can be read") {
            events.push(event);
        }
    }
    events
}

/// The rows of the screen at the end, and every row that was offered.
fn replay(events: &[Event]) -> (Vec<String>, Vec<String>) {
    let mut stream = PaneStream::new(80, 24);
    let mut offered = Vec::new();
    for event in events {
        if let Event::Output { pane: PaneId(0), bytes } = event {
            stream.feed(bytes, Instant::now(), &mut |row| offered.push(row.text.to_owned()));
        }
    }
    let mut rows = Vec::new();
    stream.for_each_row(|_, row| rows.push(row.text.replace('\t', " ").trim_end().to_owned()));
    (rows, offered)
}

fn without_blank_end(mut rows: Vec<String>) -> Vec<String> {
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

/// A tab is a tab; tmux before 3.6 shows as many blanks as it takes.
fn captured(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path.with_extension("txt")).expect("a capture");
    let row = |line: &str| {
        line.replace('\t', " ").replace("tabs    and", "tabs and").trim_end().to_owned()
    };
    text.lines().map(row).collect()
}

#[test]
fn a_recorded_session_gives_the_rows_that_tmux_captured() {
    for path in recordings() {
        let said = fs::read(&path).expect("a recording");
        let whole = events(&said, said.len());
        for piece in [1, 7, 64, 4096] {
            assert_eq!(events(&said, piece), whole, "{} in pieces of {piece}", path.display());
        }
        let rows = without_blank_end(replay(&whole).0);
        assert_eq!(rows, without_blank_end(captured(&path)), "{}", path.display());
    }
}

#[test]
fn what_was_shown_and_taken_away_was_offered() {
    for path in recordings() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let offered = replay(&events(&fs::read(&path).expect("a recording"), 4096)).1;
        let want: &[&str] = match name.split('-').next() {
            Some("lines") => &["progress 60%", "done", "café 界面", "green and plain"],
            Some("screen") => &["         full screen", "  moved", "after", "    here"],
            _ => &["%end 1 2 1", "%exit", "%output %0 spoof"],
        };
        for row in want {
            assert!(offered.iter().any(|text| text == row), "{row:?} in {name}: {offered:?}");
        }
    }
}

#[test]
fn replies_on_the_link_are_told_from_what_panes_print() {
    for path in recordings() {
        let events = events(&fs::read(&path).expect("a recording"), 4096);
        let replies = events.iter().filter_map(|event| match event {
            Event::Reply(reply) if reply.ours => Some(reply.ok),
            _ => None,
        });
        assert_eq!(replies.collect::<Vec<_>>(), [true, false], "{}", path.display());
        let ends = events.iter().filter(|event| matches!(event, Event::Exit(_)));
        assert_eq!(ends.count(), 1, "{}", path.display());
    }
}
