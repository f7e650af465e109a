//! Which rows a stream offers, and that it does not matter how its bytes are cut.

use proptest::prelude::*;

use super::*;

/// Feeds chunks and gathers the rows that were left, in order.
fn left(chunks: &[&[u8]]) -> Vec<(String, Kind)> {
    let mut stream = PaneStream::new(20, 5);
    let mut rows = Vec::new();
    for chunk in chunks {
        stream.feed(chunk, Instant::now(), &mut |row| {
            if row.kind != Kind::Open {
                rows.push((row.text.to_owned(), row.kind));
            }
        });
    }
    rows
}

fn check_left(bytes: &[u8], want: &[&str]) {
    let rows: Vec<String> = left(&[bytes]).into_iter().map(|r| r.0).collect();
    assert_eq!(rows, want, "{}", bytes.escape_ascii());
}

#[test]
fn each_state_a_row_was_left_in_is_seen() {
    check_left(b"one\r\n\r\ntwo\r\n", &["one", "", "two"]);
    check_left(b"10%\r20%\r30%\r\n", &["10%", "20%", "30%"]);
    check_left(b"loading\rdone\x1b[K\r\n", &["loading", "doneing", "done"]);
    check_left(b"FLASH\r\n\x1b[H\x1b[2J\x1b[3Jnoise\r\n", &["FLASH", "noise"]);
    check_left(b"abc\x08 \x08", &["abc"]);
    check_left(b"a\x1b[3;1Hb\x1b[5;1Hc\x1b[H", &["a", "b", "c"]);
    check_left(b"shell\x1b[?1049h\x1b[HVIM\x1b[?1049l", &["shell", "VIM"]);
}

#[test]
fn a_row_that_is_printed_over_in_part_reads_as_it_stands() {
    let mut stream = PaneStream::new(40, 5);
    let mut rows = Vec::new();
    for chunk in [&b"Working 12s"[..], b"\x1b[1;10H3"] {
        stream.feed(chunk, Instant::now(), &mut |row| rows.push((row.text.to_owned(), row.edge)));
    }
    let want = [("Working 12s", 11), ("Working 12s", 11), ("Working 13s", 10)];
    assert_eq!(rows, want.map(|(text, edge)| (text.to_owned(), edge)));
}

#[test]
fn a_line_of_megabytes_is_cut_and_nothing_of_it_is_lost() {
    let mut stream = PaneStream::new(80, 24);
    let mut cut = 0;
    let mut newest = 0;
    let chunk = "0123456789".repeat(200);
    for _ in 0..1000 {
        stream.feed(chunk.as_bytes(), Instant::now(), &mut |row| {
            assert!(row.text.len() <= MAX_ROW_AND_SCREEN, "{}", row.text.len());
            let end = row.text.len();
            assert_eq!(row.newest(0..end), row.position);
            let oldest = row.runs(0..end).map(|(_, stamp)| stamp).min().unwrap();
            assert!(oldest <= newest + 1, "{oldest} {newest}");
            newest = row.position;
            cut += usize::from(row.kind == Kind::Cut);
        });
    }
    assert_eq!(newest, 2_000_000);
    assert!(cut > 10, "{cut}");
    assert!(stream.kept_bytes() <= MAX_LOG_BYTES);
}

const MAX_ROW_AND_SCREEN: usize = crate::limits::MAX_ROW_BYTES + 80 * 25;

#[test]
fn text_is_what_was_printed_once() {
    let mut stream = PaneStream::new(20, 5);
    stream.feed(b"$ make\r\n10%\r20%\r\n\r\ndo", Instant::now(), &mut |_| {});
    assert_eq!(stream.text_since(0, 1000), "$ make\n10%\n20%\n\ndo");
    assert_eq!(stream.text_since(2, 1000), "make\n10%\n20%\n\ndo");
    assert_eq!(stream.text_since(0, 5), "%\n\ndo");
}

#[test]
fn a_repaint_gains_nothing() {
    let mut stream = PaneStream::new(20, 5);
    stream.feed(b"$ prompt", Instant::now(), &mut |_| {});
    assert_eq!(stream.screen().gained(false), 8);
    stream.feed(b"\r$ prompt\r\n \r\n", Instant::now(), &mut |_| {});
    assert_eq!(stream.screen().gained(false), 8);
    stream.feed(b"x", Instant::now(), &mut |_| {});
    assert_eq!(stream.screen().gained(false), stream.position());
}

#[test]
fn a_lost_stretch_is_told() {
    let mut stream = PaneStream::new(20, 5);
    stream.feed(b"abc", Instant::now(), &mut |_| {});
    stream.lose(GapCause::Overrun, Some(100));
    assert_eq!(stream.position(), 103);
    assert_eq!(stream.gaps_since(0).len(), 1);
    assert_eq!(stream.gaps_since(103), []);
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => "[a-c ]{1,12}".prop_map(String::into_bytes),
        2 => "[é界😀]{1,3}".prop_map(String::into_bytes),
        6 => prop::sample::select(vec![
            &b"\r"[..], b"\n", b"\r\n", b"\x08", b"\t", b"\x1b[K", b"\x1b[1K", b"\x1b[H", b"\x1b[2J",
            b"\x1b[J", b"\x1b[3;4H", b"\x1b[A", b"\x1b[2P", b"\x1b[2@", b"\x1b[L", b"\x1b[M", b"\x1b[4X",
            b"\x1b[31m", b"\x1b]0;t\x07", b"\x1b(0", b"\x1b(B", b"\x1bM", b"\x1bD", b"\x1b[2;4r", b"\x1b[r",
            b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[4h", b"\x1b[4l", b"\x1b[S", b"\x1b[T", b"\x1b7", b"\x1b8",
            b"\x1b[3b", b"\x1b[?7l", b"\x1b[?7h", b"\xff", b"\x1bkn\x1b\\", b"\x1b[?2026h", b"\x1b[?2026l",
        ]).prop_map(<[u8]>::to_vec),
    ]
}

proptest! {
    #[test]
    fn any_split_into_chunks_leaves_the_same_rows(
        pieces in prop::collection::vec(piece(), 1..40),
        cuts in prop::collection::vec(0usize..400, 0..20),
    ) {
        let bytes = pieces.concat();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let mut at = 0;
        let chunks: Vec<&[u8]> = cuts.iter().map(|&c| { let part = &bytes[at..c]; at = c; part }).collect();
        prop_assert_eq!(left(&chunks), left(&[&bytes]));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), width in 1u16..30, height in 1u16..8) {
        let mut stream = PaneStream::new(width, height);
        let (first, second) = bytes.split_at(bytes.len() / 2);
        stream.feed(first, Instant::now(), &mut |row| assert!(row.edge <= row.text.len()));
        stream.resize(height, width);
        stream.feed(second, Instant::now(), &mut |row| assert!(row.edge <= row.text.len()));
        stream.text_since(0, 100);
    }
}
